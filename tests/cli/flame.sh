#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The view flame: its tree, its formats, each kind of bytes, filters, and captures without stacks. Its
# totals are those of the other views.
. "$srcdir/cli/cli.sh"

"$mktrace" exact <"$srcdir/cli/flame.trace" || exit 1
cp -r exact grouped
printf 'cgroup 41 0 /system.slice/cron.service\nmember 7 0 41\n' >grouped/kernel/cgroups
cp -r exact untimed
sed -i 's/^\tkmt_format = /\tkmt_source = "a test"; kmt_clock = "events";&/' untimed/metadata
cp -r exact profiled
sed -i 's/^sample_interval.*/&\nprofile yes/' profiled/kernel/status
mkdir data && ln -s "$srcdir/data/sample" data/sample
sed "s/^sampling 1$/sampling 524288/" "$srcdir/cli/flame.trace" |
	"$mktrace" sampled || exit 1
report()
{
	"$report" "$@"
}

# try CAPTURE OPTION...
try()
{
	echo "--- $*"
	report flame "$@" 2>&1
}

# The table of a text.
table()
{
	try "$@" | sed '2,/^flame/d' | sed '/^function = /,$d'
}

{
	try exact
	table exact --bottom-up
	table exact --by=comm,stack
	table exact --by=node,from_backup
	table exact --by=requested_node,gfp_flags,stack -l 3
	for bytes in live peak allocated temporary leaked; do
		try exact --bytes=$bytes --format=folded
	done
	try exact --format=folded --where='syscall == "sendto"'
	try exact --format=folded --time=0.102,1.5
	try exact --format=folded --by=comm,stack
	try exact --format=folded --by=task --cache=files
	try exact --bytes=peak --older=1ms
	try profiled --bytes=temporary
	table sampled
	try sampled --format=folded
	try sampled --format=folded --by=site
	try exact --format=csv
	try exact --format=json --bytes=peak | sed '2,/^  "flame"/d'
	table data/sample
	try data/sample --format=folded --cache='^dentry$'
} >out
compare flame.expected out
# svg OPTION...: without the script, which tests/cli/html-browser.sh tries
svg()
{
	try exact --format=svg "$@" | sed '/^<script>/,/<.script>$/d'
}

{
	svg
	svg --bottom-up --bytes=temporary --by=comm,stack
	try exact --format=speedscope
	try sampled --format=speedscope
	for options in "" "--bytes=peak" "--bytes=allocated --by=comm"; do
		echo "--- exact --format=pprof $options"
		# shellcheck disable=SC2086 # words
		report flame exact --format=pprof $options >profile || wrong "pprof $options"
		zcat profile | "$builddir/tests/pprof_text"
	done
	echo "--- grouped --format=pprof"
	report flame grouped --format=pprof | zcat | "$builddir/tests/pprof_text" | grep cgroup=
	echo "--- sampled --format=pprof"
	report flame sampled --format=pprof 2>&1 >profile
	zcat profile | "$builddir/tests/pprof_text"
	echo "--- without times"
	report flame untimed --format=svg --bytes=allocated | grep '<text x="4" y="36">'
	for format in svg speedscope folded pprof; do
		echo "--- no path, $format"
		report flame exact --comm=absent --format=$format >profile
		if [ $format = pprof ]; then
			zcat profile | "$builddir/tests/pprof_text"
		else
			sed '/<style>/,/<.style>/d; /^<script>/,/<.script>$/d' profile
		fi
	done
} >out
compare flame-formats.expected out
for options in "" "--bottom-up" "--by=comm,stack"; do
	# shellcheck disable=SC2086 # none or one word
	report flame exact $options
done | awk 'length > 79' >wide
[ -s wide ] && wrong "too wide: $(cat wide)"

# sum CAPTURE OPTION...: bytes of the flame
sum()
{
	report flame "$@" --format=folded 2>/dev/null | awk '{ sum += $NF } END { print sum + 0 }'
}

# totals CAPTURE OPTION...: objects of the flame
totals()
{
	report flame "$@" --format=json |
		awk -F'[:,] *' '/"flame_totals"/ { on = 1 } on && /"objects"/ { print $2; exit }'
}

# column CAPTURE VIEW COLUMN OPTION...: the sum of a column
column()
{
	capture=$1 view=$2 name=$3
	shift 3
	report "$capture" "$view" --format=csv -F "$name" "$@" 2>/dev/null | tr -d '\r' |
		awk -F, 'NR > 1 { sum += $1 } END { print sum + 0 }'
}

for selection in "" "--cpu=1" "--where=bytes_req>300" "--time=0.5,8" "--older=1s"; do
	for capture in exact data/sample; do
		# shellcheck disable=SC2086 # none or one word
		{
			[ "$(sum $capture $selection)" = "$(column $capture sites live_bytes $selection)" ] ||
				wrong "live of $capture $selection"
			[ "$(sum $capture --bytes=allocated $selection)" = \
				"$(column $capture sites bytes_allocated $selection)" ] ||
				wrong "allocated of $capture $selection"
			[ "$selection" = --older=1s ] ||
				[ "$(sum $capture --bytes=peak $selection)" = "$(report $capture timeline \
					--format=json $selection 2>/dev/null | sed '1,/^  "peak"/d' |
					awk -F'[:,] *' '/"live_bytes"/ { sum += $2 } END { print sum + 0 }')" ] ||
				wrong "peak of $capture $selection"
			old=$(totals $capture --bytes=leaked --by=site $selection)
			[ "$old" = "$(column $capture leaks old_objects $selection)" ] ||
				wrong "leaked of $capture $selection: $old"
			temporary=$(totals $capture --bytes=temporary $selection)
			[ "$temporary" = "$(column $capture sites temporary $selection)" ] ||
				wrong "temporary of $capture $selection: $temporary"
		}
	done
done

[ "$(sum sampled)" = "$(column sampled sites live_bytes --by=stack)" ] || wrong "live of samples"
[ "$(sum sampled --bytes=allocated)" = "$(column sampled sites bytes_allocated --by=stack)" ] ||
	wrong "allocated of samples"
# Which objects are old depends on their call site, whatever the paths show.
command -v xz >/dev/null && xz -dc "$srcdir/data/guests/6.12-amd64.tar.xz" | tar -xf -
for capture in exact sampled data/sample 6.12-amd64; do
	[ -d "$capture" ] || continue
	old=$(column $capture leaks old_objects)
	[ "$old" -gt 0 ] || wrong "no old objects in $capture"
	for by in site cache comm module,caller_function,site,cache site,size,cpu,pid,comm,cache,gfp,node; do
		of_flame=$(totals $capture --bytes=leaked --by=$by)
		[ "$of_flame" = "$old" ] || wrong "leaked of $capture by $by: $of_flame, not $old"
	done
	# with stacks, it shows estimates
	[ "$(totals $capture --bytes=leaked --by=stack)" = \
		"$(totals $capture --bytes=leaked --by=site,stack,cache,comm)" ] || wrong "leaked of $capture by stack"
	report flame $capture --bytes=leaked --format=pprof | zcat | "$builddir/tests/pprof_text" >profile ||
		wrong "pprof of $capture"
done

{
	for words in "sites --format=folded" "leaks --bytes=peak" "count --bottom-up" "flame --bytes=all" \
		"flame -s bytes" "flame --format=pprof --bottom-up" "flame --format=folded -l 3" "flame --by=nothing"; do
		echo "$words"
		# shellcheck disable=SC2086 # words
		report exact $words 2>&1 >/dev/null
		echo "exit $?"
	done
} >out
compare flame-wrong.expected out
exit $failed
