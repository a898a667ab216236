#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The view diff of summaries: the changes of flows and of live objects are those of the captures that the
# summaries were made of, in both byte orders; a planted leak is the one certain change; hosts are
# compared by the time of one, however they are cut into summaries; missing summaries leave nothing
# certain; what needs events is refused.
. "$srcdir/cli/cli.sh"
need jq
export LC_ALL=C

# trace HOST ENDIAN SEED LEAK: 30 s of a steady load; f9 keeps each LEAK-th object, 0: it frees all
trace()
{
	awk -v host="$1" -v endian="$2" -v seed="$3" -v leak="$4" 'BEGIN {
		srand(seed)
		print "host " host "\nendian " endian "\nbegin 1s\nend 31s\nown 99"
		for (i = 0; i < 10; i++)
			print "symbol " sprintf("0xc10%02x000 f%d", i, i) (i > 7 ? " module" : "")
		address = 1
		for (time = 1001; time < 30990; time += 5) {
			name = int(rand() * 10)
			site = sprintf("f%d+0x10", name)
			at = sprintf("0xc2%06x", address++ * 16)
			print "alloc " time "ms 0 " at " 60/64 " site
			if (name != 9 || !leak || ++kept % leak)
				print "free " time + 2 "ms 0 " at " " site
		}
		print "complete yes"
	}'
}

# summaries NAME HOST ENDIAN SEED LEAK: a capture NAME, and summaries of it in NAME.sums
summaries()
{
	trace "$2" "$3" "$4" "$5" | "$mktrace" "$1" || exit 1
	"$builddir/kmemtrace-merge" -i 1s -o "$1.sums" "$1" || exit 1
}
summaries a h little 1 0
summaries b h big 2 0
summaries leak h little 3 2
for i in 1 2 3; do
	summaries fleet$i host$i little $((10 + i)) 0
done

# figures A B: what is not an estimate of the variation, of all that captures and summaries have
figures()
{
	"$report" diff "$1" "$2" --by="$3" --format=json -l 0 >diff.json || wrong "diff $*: exit status $?"
	jq -c '.diff[], .totals[] | select(.figure | IN("bytes_wasted", "peak_bytes", "growth_bytes") | not) |
		[.[keys_unsorted[0]], .figure, .state, .a, .b, .change, .change_percent, .matched]' diff.json | sort
}
for by in function module cache; do
	figures a leak $by >expected
	figures a.sums leak.sums $by >found
	[ "$(wc -l <expected)" -ge 4 ] || wrong "too few figures: $(cat expected)"
	diff expected found >differ || wrong "by $by: $(head -6 differ)"
	figures a b.sums $by >found
	figures a b $by | diff - found >differ || wrong "a capture and summaries, by $by: $(head -6 differ)"
done

# certain A B: the rows that changed certainly
certain()
{
	"$report" diff "$@" --format=json -l 0 | jq -r '.diff[] | select(.certain) | "\(.function) \(.figure) \(.state)"' | sort
}
[ -z "$(certain a.sums b.sums)" ] || wrong "another run of the same load: $(certain a.sums b.sums)"
[ "$(certain a.sums leak.sums)" = 'f9 [module] growth_bytes new
f9 [module] live_bytes new
f9 [module] live_objects new' ] || wrong "the leak: $(certain a.sums leak.sums)"
"$report" diff a.sums leak.sums --fail-if='live(f9) > +1k' >/dev/null 2>err
[ $? = 1 ] || wrong "--fail-if does not hold: $(cat err)"
"$report" diff a.sums leak.sums --fail-if='live(kmalloc-64) > +100M' >/dev/null || wrong "--fail-if holds"
"$report" diff a.sums leak.sums --fail-if='peak > +1%' >/dev/null 2>err
[ $? = 2 ] && grep -q 'a.sums has no such figure' err || wrong "a condition of the peak: $(cat err)"

"$report" diff a.sums leak.sums --fail-if='growth(f9) > +100' >/dev/null 2>err
[ $? = 1 ] && grep -q 'holds: 0 in a.sums, 616' err || wrong "a condition of the growth: $(cat err)"
"$report" diff leak.sums a.sums --fail-if='growth > +1%' >/dev/null || wrong "the growth is not more"
"$report" diff a a --fail-if='growth > +1%' >/dev/null 2>err
[ $? = 2 ] && grep -q 'a has no such figure' err || wrong "the growth of a capture: $(cat err)"

# Objects from before are live, but did not grow: the second half of a leak that ended.
half() # SKIPPED NUMBER: so many summaries
{
	awk -v skipped="$1" -v number="$2" '/^summary / { seen++ } !seen || (seen > skipped && seen <= skipped + number)' "$3"
}
half 0 15 leak.sums/summaries/merged.kms >first.kms
half 15 15 leak.sums/summaries/merged.kms >second.kms
"$report" diff first.kms second.kms --format=json | jq -e '[.totals[] | {(.figure): .}] | add |
	.live_bytes.change_percent > 80 and (.growth_bytes.change_percent | . > -20 and . < 20) and (.growth_bytes.certain | not)
	and (has("peak_bytes") or has("bytes_wasted") | not)' >/dev/null || wrong "the second half: $("$report" diff first.kms second.kms)"
"$report" diff first.kms second.kms >out
grep -q '^Growth: allocated - freed' out || wrong "no table of growth: $(cat out)"
grep -qE 'wasted|peak|nearest offset|captures' out && wrong "words of captures: $(cat out)"

# Three hosts against one: flows are for a second of one host.
"$builddir/kmemtrace-merge" -o fleet fleet1.sums fleet2.sums fleet3.sums || exit 1
[ -z "$(certain a.sums fleet)" ] || wrong "three hosts: $(certain a.sums fleet)"
"$report" diff a.sums fleet --format=json | jq -e '.totals[] | select(.figure == "allocations") |
	.a > 199 and .a < 201 and .b > 199 and .b < 201' >/dev/null || wrong "not for one host: $("$report" diff a.sums fleet)"
"$report" diff a.sums fleet | tr -s ' \n' ' ' | grep -q 'live is of 1 host in A, of 3 in B' || wrong "hosts are not named in short"
"$report" -v diff a.sums fleet | grep -q 'live objects are those of 1 host in A, and of 3 in B' || wrong "hosts are not named"

# A summary is missing.
kms=leak.sums/summaries/merged.kms
awk '/^summary / { number++ } number != 9' $kms >gap.kms
[ -z "$(certain a.sums gap.kms | grep -v ' new$')" ] || wrong "a gap: $(certain a.sums gap.kms)"
"$report" diff a.sums gap.kms --format=json | jq -e '[.diff[], .totals[] | select(.a != null) | .change_high] | unique == [null]' \
	>/dev/null || wrong "a gap leaves an upper bound"
"$report" diff a.sums gap.kms | tr -s ' \n' ' ' | grep -qF "figures without an upper bound" || wrong "a gap is not named in short"
"$report" -v diff a.sums gap.kms | tr -s ' \n' ' ' | grep -qF "1 summary of h is missing in B: no figure of it has an upper bound: add the files up without that host (kmemtrace-merge)" ||
	wrong "a gap is not named: $("$report" diff a.sums gap.kms | head -30)"
awk '/^summary / { number++ } number > 4 || !number' $kms >late.kms
[ -z "$(certain a.sums late.kms | grep live)" ] || wrong "a late begin: $(certain a.sums late.kms)"

# The page of changes
"$report" diff --html=page a.sums leak.sums || wrong "no page"
grep -q 'f9 \[module\]' page || wrong "the page has not the leak"
for option in --by=comm --older=1s --where='size > 3' --site=f9+0x10; do
	"$report" diff a.sums leak.sums "$option" >out 2>err
	[ $? = 2 ] && grep -q 'summaries have' err || wrong "$option is not refused: $(cat err)"
done

# Rates are for a second of one host, however the runs of the hosts are cut into summaries. 100 allocations
# of a minute, or half of them in half of it:
. "$srcdir/cli/summaries.bash"
minute() # HOST RUN NUMBER BEGIN END, in s
{
	cat <<-END
		summary $4000000000 $5000000000 $5000000000 1
		source $1 6f1c $2000000000 $3 $3
		cost 1 1
		bound 160 0 0 0 0 0 0
		code f kernel kmalloc-64 $((($5 - $4) * 5 / 3)) $(($5 - $4)) $((($5 - $4) * 320 / 3)) $((($5 - $4) * 64)) 0 0 0 40 2560
	END
}
at=1764072000
hosts_of() # NUMBER KIND: of 6 minutes; the first begins a new run in each minute (each), in one (once); or
{          # every other one begins late
	local host i begin run number

	for ((host = 0; host < $1; host++)); do
		run=$at number=0
		[ "$2" = late ] && run=$((at + 30 * (host % 2)))
		for ((i = 0; i < 6; i++)); do
			begin=$((at + 60 * i > run ? at + 60 * i : run))
			if [ $host = 0 ] && { [ "$2" = each ] || [ "$2$i" = once3 ]; }; then
				minute host0 $run $number $begin $((begin + 30))
				run=$((begin + 30)) number=0 begin=$run
			fi
			minute host$host $run $((number++)) $begin $((at + 60 * i + 60))
		done
	done
}
hosts_of 10 none | seal >none.kms
hosts_of 10 each | seal >each.kms
hosts_of 20 once | seal >once.kms
hosts_of 10 late | seal >late.kms
rates() # A B: allocations a second, in both
{
	"$report" diff "$1" "$2" --format=json 2>/dev/null | jq -c '.totals[] | select(.figure == "allocations") |
		[.a, .b | . * 1000 | round]'
}
for kind in none each once late; do
	[ "$(rates none.kms $kind.kms)" = '[1667,1667]' ] || wrong "the rates of $kind: $(rates none.kms $kind.kms)"
	for interval in "" "-i 1m" "-i 1h"; do
		# shellcheck disable=SC2086 # none, or two words
		"$builddir/kmemtrace-merge" -q -f $interval -o hours $kind.kms || wrong "merge $interval $kind: $?"
		[ "$(rates $kind.kms hours)" = '[1667,1667]' ] ||
			wrong "the rates of $kind, merged with $interval: $(rates $kind.kms hours)"
	done
done
exit $failed
