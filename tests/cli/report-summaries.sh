#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Reports on summaries: of two hosts and three intervals, of which one host lacks one. The figures are
# the sums of the file; what needs events is refused; damaged files are reported as far as they are
# whole.
. "$srcdir/cli/cli.sh"

mkdir -p fleet/summaries
cp "$srcdir/cli/report-summaries.kms" fleet/summaries/merged.kms
cp "$srcdir/cli/report-summaries.kms" some.kms
cp some.kms other-suffix
echo "kmemtrace-summaries 1" >empty.kms
: >nothing.kms
echo "kmemtrace-summaries 2" >newer.kms
sed '0,/^code getname/s//code getnamE/' some.kms >damaged.kms
head -n -1 some.kms >cut.kms
cat some.kms >twice.kms
sed 1d some.kms >>twice.kms

# block FILE: adds the last line of a block.
block()
{
	printf 'end %d %s\n' "$(wc -l <"$1")" "$(gzip -c "$1" | tail -c 8 | head -c 4 |
		od -An -tu1 | awk '{ printf "%.0f", $1 + 256 * ($2 + 256 * ($3 + 256 * $4)) }')" >>"$1"
}
cat >sampled <<'END'
summary 1764072000000000000 1764072060000000000 1764072060000000000 1
source alpha 6f1c 1 0 0
cost 1 1
bound 40 0 0 0 0 65536 0
code f kernel kmalloc-64 1000 600 6400000 3840000 0 0 0 400 2560000 419430400000 167772160000
END
cat >overlapping <<'END'
summary 1764072060000000000 1764072180000000000 1764072180000000000 1
source alpha 6f1c 1764071990000000000 2 3
bound 1 0 0 0 0 0 0
code f kernel kmalloc-64 1 0 64 0 0 0 0 1 64
END
block sampled
block overlapping
{ echo "kmemtrace-summaries 1"; cat sampled; } >sampled.kms
cat some.kms overlapping >overlapping.kms

try()
{
	echo "--- $*"
	"$report" "$@" >stdout 2>stderr
	status=$?
	cat stderr
	cat stdout
	[ $status = 0 ] || echo "-> $status"
}
# The same without the header.
table()
{
	echo "--- $*"
	"$report" "$@" | sed '1,/^$/d'
}
{
	try fleet
	table sites --by=module some.kms
	table sites --by=cache -s cross_cpu_frees -l 2 some.kms
	try sites --site='^getname$' --cache=names some.kms
	table sites -F function,live_bytes other-suffix
	table caches some.kms
	table leaks some.kms
	table leaks --by=module some.kms
	table timeline some.kms
	table flame some.kms
	table flame --bytes=allocated --bottom-up some.kms
	try flame --format=folded some.kms
	{ echo "kmemtrace-summaries 1"; cat overlapping; } >one.kms
	"$report" flame one.kms | sed -n '/^flame/,/^$/p'
	try caches --legend -l 1 sampled.kms
	for view in sites leaks timeline flame; do
		try $view --format=json -l 2 some.kms
	done
	try caches --format=csv some.kms
	try caches --format=json sampled.kms
	try sites -l 1 --max-loss=1 some.kms
	# files that are not whole
	try caches damaged.kms
	try caches --format=csv cut.kms
	try caches overlapping.kms
	try empty.kms
	try nothing.kms
	try newer.kms
	# what needs events
	for view in slabinfo sizes lifetimes cpus nodes cgroups probes count events findings; do
		try $view some.kms
	done
	try diff some.kms some.kms --by=site
	try --format=perfetto some.kms
	try --format=lkml some.kms
	try sites --by=site some.kms
	try sites --by=comm some.kms
	try leaks --by=gfp some.kms
	try flame --by=comm some.kms
	try flame --bytes=peak some.kms
	try sites --where='bytes_req > 1' some.kms
	try sites --older=1s some.kms
	try sites --time=1,2 some.kms
	try sites --site='getname+0x10' some.kms
	try sites -p 1 some.kms
	try sites -s bytes_requested some.kms
} >out 2>&1
tr -d '\r' <out >plain
compare report-summaries.expected plain

# A summary that is twice in a file counts once.
"$report" sites --format=json some.kms >once
"$report" sites --format=json twice.kms | diff once - || exit 1

# the summary of a profile lacks the number of all events: the share of the skipped ones is a bound
{ echo "kmemtrace-summaries 1"; sed '/^end/d; s/^bound 40 0 0 /bound 40 0 10 /' sampled >skipped; block skipped
	cat skipped; } >skipped.kms
"$report" sites -v --max-loss=1 skipped.kms >out 2>err && exit 1
grep -q 'at most 20.000% of the events are lost or skipped' out &&
	grep -q ': at most 20% of the events were lost or skipped: more than 1%' err || { cat out err; exit 1; }

# The sums of the file, by function and module, and by cache: flows of all summaries, live of those
# with the last end.
sums()
{
	awk -v kind="$1" '$1 == "summary" { if ($4 > last) { last = $4; delete live; delete bytes } at = $4 }
		$1 == "code" { key = kind == "caches" ? $4 : $2 ($3 == "kernel" ? "" : " [" $3 "]")
			allocations[key] += $5; frees[key] += $6 - $11; allocated[key] += $7
			missed[key] += $11; failed[key] += $9; crossed[key] += $10
			if (at == last) { live[key] += $12; bytes[key] += $13 } }
		END { for (key in allocations)
			printf "%s,%d,%d,%d,%d,%d,%d,%d,%d\n", key, allocations[key], frees[key],
				missed[key], failed[key], allocated[key], live[key], bytes[key],
				crossed[key] }' some.kms | sort
}
key=function
for view in sites caches; do
	sums $view >sums
	[ "$(wc -l <sums)" -ge 4 ] || exit 1
	"$report" $view --format=csv some.kms \
		-F $key,allocations,frees,missed_frees,failed,bytes_allocated,live_objects,live_bytes,cross_cpu_frees 2>/dev/null |
		tr -d '\r' | sed 1d | sed 's/,[a-z]*$//' | sort >rows
	sed -i 's/^\\x1b\[31m\\x20evil;fn/\\x1b[31m evil;fn/' sums
	diff sums rows || exit 1
	key=cache
done

# The message, the header and the manual name the views that summaries have.
"$report" events some.kms 2>&1 | sed 's/.*: use //; s/ or /, /; s/, /\n/g' | sort >advised
"$report" --help | sed -n '/^Views:/,/^$/s/^  \([a-z]*\) .*/\1/p' | grep -vx diff | while read -r view; do
	"$report" "$view" some.kms >/dev/null 2>&1 && echo "$view"
done | sort | diff advised - || exit 1
sed -n '/^These views have tables of them:/,/^\.El/s/^\.It Cm //p' "$top_srcdir/report/kmemtrace-report.1" |
	grep -vx diff | sort | diff advised - || exit 1
"$report" summary some.kms | tr -s '\n' ' ' | sed 's/.*kmemtrace-report VIEW, as //; s/;.*//; s/ or /, /; s/, /\n/g' |
	{ cat; echo; echo summary; } | sort | diff advised - || exit 1
