#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtrace-merge: the summaries of a capture add up to the figures of its report, in both byte
# orders; summaries that are split, merged in parts, in any order and twice, give the same file;
# what is damaged or missing is named, and what would count twice is refused.
. "$srcdir/cli/cli.sh"
need jq
rounds=$((${KMEMTRACE_ROUNDS:-300} / 10))
RANDOM=1
export LC_ALL=C

# run STATUS ARGUMENT...: kmemtrace-merge, with its output in the files stdout and stderr
run()
{
	local expected=$1 status

	shift
	"$builddir/kmemtrace-merge" "$@" >stdout 2>stderr
	status=$?
	[ $status = "$expected" ] || {
		wrong "kmemtrace-merge $*: exit status $status, not $expected"
		cat stderr
	}
}

# says TEXT: the last run printed the text on standard error
says()
{
	grep -qF -- "$1" stderr || wrong "it does not say \"$1\" but: $(cat stderr)"
}

# random_trace HOST ENDIAN SEED: allocations of six functions from three caches, frees on any CPU,
# missed frees, failed allocations, events that are lost
random_trace()
{
	awk -v host="$1" -v endian="$2" -v seed="$3" '
	function below(n) { return int(rand() * n) }
	BEGIN {
		srand(seed)
		print "host " host "\nendian " endian "\nbegin 1s\nend 4s\nown 99"
		for (i = 0; i < 6; i++)
			print "symbol " sprintf("0xc10%02x000 f%d", i, i) (i > 3 ? " module" i : "")
		print "cache dentry 0xc0010000 192 192\ncache filp 0xc0020000 232 256"
		for (time = 1001; time < 3990; time += 1 + below(9)) {
			at = below(60)
			cpu = below(2)
			site = sprintf("f%d+0x%x", below(6), 16 + below(3))
			address = sprintf("0xc1%02x0000", at)
			if (below(100) == 0)
				print "lose " cpu " " 1 + below(3)
			else if (below(60) == 0)
				print "alloc " time "ms " cpu " 0 100/128 " site
			else if (cache[at] && below(8)) {
				if (cache[at] == "kmalloc")
					print "free " time "ms " cpu " " address " " site
				else
					print "cfree " time "ms " cpu " " address " " cache[at] " " site
				cache[at] = ""
			} else if (below(3)) {
				size = 8 + below(500)
				print "alloc " time "ms " cpu " " address " " size "/512 " site
				cache[at] = "kmalloc"
			} else {
				cache[at] = below(2) ? "dentry" : "filp"
				print "calloc " time "ms " cpu " " address " " cache[at] " " site
			}
		}
		print "complete yes"
	}'
}

# report CAPTURE: function, module, cache and figures of each, from the report
report()
{
	"$report" sites --by=function,module,cache --format=json -l 0 -i "$1" |
		jq -r '.sites[] | [.function // "(unknown)", .module // "(unknown)",
			.cache // "(unknown)", .allocations, .frees + .missed_frees, .bytes_allocated,
			.failed, .cross_cpu_frees, .missed_frees, .live_objects, .live_bytes] | @tsv' |
		sed 's/^0x[0-9a-f]*/(unknown)/; s/ \[[^]]*\]//; s/[][]//g' | tr '\t' ' ' | sort
}

# The same from a file of one summary.
rows()
{
	awk '$1 == "code" { print $2, $3, $4, $5, $6, $7, $9, $10, $11, $12, $13 }' "$1" | sort
}

# total CAPTURE: the totals of the report, and of the rows of the summary in the file
totals()
{
	"$report" --format=json -i "$1" |
		jq -r '.totals | [.allocations, .frees - .frees_unmatched + .missed_frees,
			.bytes_allocated, .failed, .cross_cpu_frees, .missed_frees, .live_objects,
			.live_bytes] | @tsv' | tr '\t' ' '
	awk '$1 == "code" { for (i = 5; i <= 13; i++) sum[i] += $i }
		END { print sum[5], sum[6], sum[7], sum[9], sum[10], sum[11], sum[12], sum[13] }' "$2"
}

# losses CAPTURE FILE: recorded, lost and skipped events of both
losses()
{
	"$report" --format=json -i "$1" |
		jq -r '.loss | "\(.recorded) \(.lost) \(.skipped)"'
	awk '$1 == "bound" { a += $2; b += $3; c += $4 } END { print a, b, c }' "$2"
}

# The sums of a capture are those of its report, by any interval.
for endian in little big; do
	random_trace "host-$endian" $endian 7 | "$mktrace" $endian || exit 1
	{ echo "endian $endian"; cat "$srcdir/cli/small.trace"; } |
		"$mktrace" small-$endian || exit 1
done
cp -r "$srcdir/data/sample" sample
for capture in little big small-little small-big sample; do
	report $capture >expected
	[ "$(wc -l <expected)" -gt 4 ] || wrong "$capture: the report has too few rows"
	for interval in all 60s 7ms; do
		run 0 -i $interval -o - $capture
		cp stdout part.kms
		run 0 -i all -o - part.kms
		rows stdout | diff expected - >difference ||
			wrong "$capture by $interval: $(head -5 difference)"
		[ "$(totals $capture stdout | uniq | wc -l)" = 1 ] ||
			wrong "$capture by $interval: $(totals $capture stdout)"
		[ "$(losses $capture part.kms | uniq | wc -l)" = 1 ] ||
			wrong "$capture by $interval: losses $(losses $capture part.kms)"
	done
	[ "$(grep -c ^summary part.kms)" -gt 1 ] || wrong "$capture: one summary only"
done
"$report" -i sample --format=json | jq .totals.live_bytes | grep -qx 195992

# The same trace in the other byte order has the same figures.
for endian in little big; do
	run 0 -i 100ms -o - small-$endian
	grep -v '^source\|^end' stdout >figures.$endian
done
cmp figures.little figures.big || wrong "the byte order changes the summaries"

# A capture as one file, and packed, is the same capture.
"$pack" -q -o one.kmt sample
run 0 -i 1ms -o - sample
cp stdout expected
run 0 -i 1ms -o - one.kmt
cmp expected stdout || wrong "the capture in one file has other summaries"
run 0 -i 1ms -o - one.kmt sample
cmp expected stdout || wrong "the capture counts twice"

# Two hosts. Blocks of both in one list, one file each.
run 0 -i 50ms -o whole little big
[ ! -s stdout ] || wrong "-o DIR prints $(cat stdout)"
mkdir hosts
run 0 -i 50ms -o hosts/little little
run 0 -i 50ms -o hosts/big big
whole=whole/summaries/merged.kms
run 0 -o - hosts
cmp stdout $whole || wrong "the files of a directory are not merged"
mkdir blocks
for host in little big; do
	awk -v host=$host '
		/^summary / { file = sprintf("blocks/%s%03d", host, number++) }
		file { print >file }' hosts/$host/summaries/merged.kms
done
blocks=(blocks/*)
[ ${#blocks[@]} -gt 100 ] || wrong "${#blocks[@]} summaries only"
run 0 -i all -o - whole
cp stdout all.kms
grep -q '^host' all.kms && wrong "two hosts have facts of one"

# A host whose last summary ends before that of the other: the sum says that it has no live objects of it.
live_hosts()
{
	awk '$1 == "summary" { print $5 }' "$1"
}
[ "$(live_hosts all.kms)" = 2 ] || wrong "live objects of $(live_hosts all.kms) hosts, not 2"
for i in hosts/big hosts/little; do
	[ "$(live_hosts $i/summaries/merged.kms | sort -u)" = 1 ] || wrong "$i: not of 1 host"
done
mkdir early
head -n "$(($(grep -n '^summary ' hosts/big/summaries/merged.kms | tail -n 1 | cut -d: -f1) - 1))" \
	hosts/big/summaries/merged.kms >early/big.kms
run 0 -i all -o sum hosts/little early
[ "$(live_hosts sum/summaries/merged.kms)" = 1 ] || wrong "a host that ends early: $(live_hosts sum/summaries/merged.kms)"
"$report" -i sum | grep -q 'live is of 1 of 2 hosts' ||
	wrong "the report says nothing of the live objects that are missing: $("$report" -i sum | head -20)"

# scatter COUNT: the blocks in a random order, in so many new files of the folder parts
scatter()
{
	local i file

	rm -rf parts
	mkdir parts
	for ((i = 0; i < $1; i++)); do
		echo "kmemtrace-summaries 1" >parts/$i.kms
	done
	if ((RANDOM % 2)); then
		printf '%s\n' "${blocks[@]}" | shuf --random-source=<(yes $RANDOM)
	else
		printf '%s\n' "${blocks[@]}"
	fi >order
	while read -r file; do
		cat "$file" >>parts/$((RANDOM % $1)).kms
	done <order
}

for ((round = 0; round < rounds; round++)); do
	count=$((2 + RANDOM % 8))
	scatter $count
	nested=$((RANDOM % 4))
	for ((i = 0; i < nested; i++)); do
		files=(parts/*)
		[ ${#files[@]} -ge 2 ] || break
		one=${files[RANDOM % ${#files[@]}]}
		other=${files[RANDOM % ${#files[@]}]}
		"$builddir/kmemtrace-merge" -q -o "parts/merged$i" "$one" "$other"
		[ $? -le 1 ] || wrong "round $round: a part cannot be merged"
		rm -rf "$one" "$other"
	done
	mapfile -t files < <(printf '%s\n' parts/* | shuf --random-source=<(yes $round))
	# one of them is there twice
	run 0 -o - "${files[@]}" "${files[0]}"
	cmp -s stdout $whole || wrong "round $round: $(diff stdout $whole | head -5)"
	run 0 -i all -o - "${files[@]}"
	cmp -s stdout all.kms || wrong "round $round, all: $(diff stdout all.kms | head -5)"
done

# A coarser time in two steps is the same as in one.
run 0 -i 1s -o second whole
run 0 -i 500ms -o half whole
run 0 -i 1s -o - half
cmp stdout second/summaries/merged.kms || wrong "500ms and then 1s is not 1s"
[ "$(grep -c ^summary stdout)" = 3 ] || wrong "$(grep -c ^summary stdout) summaries of 3 s"

# Intervals that are missing are named.
{ echo "kmemtrace-summaries 1"; cat blocks/big00[0-3] blocks/big00[6-9]; } >gap.kms
run 1 -o - gap.kms
says "host-big: summaries 4 to 5 of the run that began at 20"
says " UTC are missing"
run 1 -q -o - gap.kms
[ ! -s stderr ] || wrong "-q: $(cat stderr)"
{ echo "kmemtrace-summaries 1"; cat blocks/big00[0-3] blocks/big00[5-6]; } >one.kms
run 1 -o - one.kms
says "host-big: summary 4 of the run that began at 20"
says " UTC is missing"
{ echo "kmemtrace-summaries 1"; cat blocks/big00[4-5]; } >rest.kms
run 0 -o - gap.kms rest.kms
cp $whole torn.kms
truncate -s -5 torn.kms
run 1 -o - torn.kms
says "torn.kms: the summary at byte"
says "is cut off or damaged: the file ends in it: it is left out"
sed '0,/^code/s/^code/kode/' $whole >damaged.kms
run 1 -o damaged damaged.kms
says "damaged.kms: the summary at byte 22 is damaged: it is left out"
[ "$(grep -c ^summary damaged/summaries/merged.kms)" = $(($(grep -c ^summary $whole) - 1)) ] ||
	wrong "more than the damaged summary is missing"

# Files that would count twice are refused, and the output stays as it was.
for files in "half whole" "whole half" "half blocks.kms" "blocks.kms half"; do
	{ echo "kmemtrace-summaries 1"; cat blocks/big010; } >blocks.kms
	# shellcheck disable=SC2086 # several words
	run 2 -o twice $files
	says "they would count twice"
	[ ! -e twice/summaries/merged.kms ] || wrong "an output in spite of the error"
	[ -z "$(ls -A twice/summaries)" ] || wrong "left behind: $(ls -A twice/summaries)"
done
run 2 -o whole rest.kms
says "whole/summaries/merged.kms exists: name another directory, or replace it with -f"
cmp -s hosts/little/summaries/merged.kms $whole && wrong "an older output was replaced"
run 0 -f -o damaged rest.kms
[ "$(grep -c ^summary damaged/summaries/merged.kms)" = 2 ] || wrong "-f replaces nothing"

# Wrong arguments.
run 2
says "name the files of summaries, directories of them, or captures"
run 2 rest.kms
says "-o is missing"
run 2 -o - missing
says "missing: No such file or directory"
run 2 -o - -i 0 rest.kms
says '-i: "0" is not a duration above 0'
run 2 -o - -i often rest.kms
echo "kmemtrace-summaries 2" >newer.kms
run 2 -o - newer.kms
says "newer.kms: another version of the format"
echo "something" >other.kms
run 2 -o - other.kms
says "other.kms: not a file of summaries"
mkdir empty
run 2 -o - empty
says "empty: no file of summaries and no capture is there"

# A report on what is not merged yet says what to do.
for option in "" --html=page; do
	# shellcheck disable=SC2086 # none, or one option
	"$report" $option hosts 2>stderr && wrong "a report on a directory of files"
	says "hosts has files of summaries: add them up first: kmemtrace-merge -o SUM hosts"
done
"$report" rest.kms gap.kms 2>stderr && wrong "a report on two files"
tr -s ' \n' ' ' <stderr >line && mv line stderr
says "add them up first: kmemtrace-merge -o SUM rest.kms gap.kms, or compare them: diff rest.kms gap.kms"
run 2 -i 1ns -o - sample
says "too many intervals: give a longer --interval"
[ -z "$(find . -name '.*.new')" ] || wrong "temporary files are left"
exit $failed
