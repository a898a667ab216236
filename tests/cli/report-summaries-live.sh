#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Live figures of summaries, in the text, the JSON and the page: they are upper bounds if a summary is
# missing before or between the others, or is damaged. They are those of the last end that most hosts
# reach, also if the clock of one host is ahead. Events that were not counted were recorded. A steady leak
# is before a cache that filled once. --time selects summaries.
. "$srcdir/cli/cli.sh"
need jq
. "$srcdir/cli/summaries.bash"

# host NAME AHEAD FIRST LAST: summaries of one minute each, which begin AHEAD s later than those of others;
# each has 40 new live objects of 64 bytes
host()
{
	local i

	for ((i = $3; i <= $4; i++)); do
		cat <<-END
			summary $((1764072000 + $2 + 60 * i))000000000 $((1764072060 + $2 + 60 * i))000000000 $((1764072060 + $2 + 60 * i))000000000 1
			source $1 6f1c $((1764072000 + $2))000000000 $i $i
			cost 1 1
			bound 160 0 0 0 0 0 0
			code f kernel kmalloc-64 100 60 6400 3840 0 0 0 $((40 * (i + 1))) $((2560 * (i + 1)))
		END
	done
}
host one 0 0 4 >blocks
seal <blocks >whole.kms
host one 0 2 4 | seal >late.kms
{ host one 0 0 1; host one 0 3 4; } | seal >gap.kms
sed '0,/^code f /s//code g /' whole.kms >damaged.kms

# bounds FILE EXPECTED TIMELINE: whether each view says that its live figures are upper bounds
bounds()
{
	local view found

	for view in sites caches leaks; do
		found=$("$report" $view --format=json "$1" 2>/dev/null | jq -c ".totals.live_upper_bound, .$view[].live_upper_bound" | sort -u)
		[ "$found" = "$2" ] || wrong "$1: $view: $found"
	done
	found=$("$report" flame --format=json "$1" 2>/dev/null | jq -c .flame_totals.upper_bound)
	[ "$found" = "$2" ] || wrong "$1: flame: $found"
	found=$("$report" timeline --format=json "$1" 2>/dev/null | jq -c '[.timeline[].live_upper_bound]')
	[ "$found" = "$3" ] || wrong "$1: timeline: $found"
	"$report" --html=page "$1" 2>/dev/null
	found=$(sed -n 's|^<script type="application/json" id="data-time">\(.*\)</script>$|\1|p' page | jq -c '[.tables[0].rows[][-1]]')
	[ "$found" = "$3" ] || wrong "$1: the points of the page: $found"
	found=$("$report" "$1" 2>/dev/null | grep -c '^live      <= [0-9]* objects, <= ')
	[ "$found" = "$([ "$2" = true ] && echo 1 || echo 0)" ] || wrong "$1: the text: $("$report" "$1" | grep '^live')"
}
bounds whole.kms false '[false,false,false,false,false]'
bounds late.kms true '[true,true,true]'
bounds gap.kms true '[false,false,true,true]'
bounds damaged.kms true '[true,true,true,true]'

# Of 160 recorded events, 40 are not counted.
sed 's/^bound 160 0 0 0/bound 120 20 20 40/' blocks | seal >uncounted.kms
"$report" -v uncounted.kms | grep -q ' 50.000% of the events are lost, skipped or uncounted' ||
	wrong "events that are not counted: $("$report" uncounted.kms | grep '%')"

# 40 hosts; the clock of one is an hour ahead. The live figures are those of 40 hosts, also after merges.
for ((i = 0; i < 39; i++)); do
	host "host$i" 0 0 4
done >blocks
{ cat blocks; host ahead 120 0 4; } | seal >ahead.kms
"$builddir/kmemtrace-merge" -q -o ahead ahead.kms || wrong "merge: $?"
for file in ahead.kms ahead; do
	# the clock is ahead by 2 of the 5 minutes: its summary with the end of the others is its third
	for view in sites caches leaks; do
		found=$("$report" $view --format=json $file | jq -c "[.$view[0].live_bytes, .totals.live_bytes, .summaries.live_hosts,
			.summaries.live_at, .summaries.later_hosts, .summaries.later_until]")
		[ "$found" = "[$((39 * 12800 + 7680)),$((39 * 12800 + 7680)),40,\"2025-11-25T12:05:00.000000000Z\",1,\"2025-11-25T12:07:00.000000000Z\"]" ] ||
			wrong "a clock that is ahead, $file, $view: $found"
	done
	"$report" -v $file | tr -s ' \n' ' ' | grep -qF 'the last end that most hosts reach: ahead has summaries until 2025-11-25T12:07:00 UTC, 2 minutes later: its clock is ahead' ||
		wrong "$file does not name the host: $("$report" $file | head -12)"
	"$report" --html=page $file 2>message
	grep -q '"live_bytes":506880' page || wrong "the page of $file has other live figures"
done
seal <blocks >exact.kms
"$report" diff exact.kms ahead.kms --format=json | jq -e '.totals[] | select(.figure == "live_bytes") | .change == 7680' >/dev/null ||
	wrong "diff: $("$report" diff exact.kms ahead.kms | grep live)"
"$report" timeline --format=json ahead.kms | jq -e '.timeline | length == 7 and .[6].live_bytes == 12800' >/dev/null ||
	wrong "the timeline lacks the last interval"

# A leak of 64 bytes a minute, and a cache that took 1,000 bytes in the first of 10 minutes.
for ((i = 0; i < 10; i++)); do
	cat <<-END
		summary $((1764072000 + 60 * i))000000000 $((1764072060 + 60 * i))000000000 $((1764072060 + 60 * i))000000000 1
		source one 6f1c 1764072000000000000 $i $i
		cost 1 1
		bound 160 0 0 0 0 0 0
		code fills kernel kmalloc-8 $((i ? 1 : 126)) 1 $((i ? 8 : 1008)) 8 0 0 0 125 1000
		code leaks kernel kmalloc-64 2 1 128 64 0 0 0 $((i + 1)) $((64 * (i + 1)))
	END
done | seal >leak.kms
"$report" leaks --format=json leak.kms | jq -ce '[.leaks[] | [.function, .growth_bytes, .steady_percent, .steady_growth_bytes]] ==
	[["leaks", 640, 90, 576], ["fills", 1000, 0, 0]]' >/dev/null || wrong "a leak is not first: $("$report" leaks leak.kms)"
"$report" leak.kms | tr -s ' \n' ' ' | grep -q 'more kmemtrace-report VIEW, .* kmemtrace-fleet growth says what grows for certain' ||
	wrong "no word of kmemtrace-fleet: $("$report" leak.kms | tail -3)"

# --time: the summaries that lie within it. Those before are known: a loss there makes an upper bound, and if
# there is none, the figures are exact.
{ host one 0 2 3; } | seal >inside.kms
host one 0 0 4 | seal >whole.kms
host one 0 0 4 | sed '0,/^bound 160 0/s//bound 159 1/' | seal >lost.kms
for time in 2025-11-25T12:02,2025-11-25T12:04 120,240 110,299 2m,4m; do
	"$report" sites --format=json --time=$time whole.kms >json 2>err || wrong "--time=$time: $(cat err)"
	jq -ce '[.summaries.summaries, .summaries.missing_before, .totals.live_upper_bound, .totals.live_bytes, .totals.allocations]
		== [2, 0, false, 10240, 200]' json >/dev/null || wrong "--time=$time: $(jq -c '.summaries, .totals' json)"
	"$report" sites --format=json inside.kms | jq -S '.sites | del(.[].live_upper_bound)' >expected
	jq -S '.sites | del(.[].live_upper_bound)' json | diff expected - || wrong "--time=$time is not a file of those summaries"
	"$report" sites --format=json --time=$time lost.kms | jq -e .totals.live_upper_bound >/dev/null || wrong "a loss before --time=$time"
	"$report" timeline --format=json --time=$time lost.kms | jq -ce '[.timeline[].live_upper_bound] == [true, true]' >/dev/null ||
		wrong "a loss before --time=$time, in the timeline"
done
"$report" sites --format=json --time=180, gap.kms | jq -ce '.summaries | [.missing, .missing_before] == [0, 1]' >/dev/null ||
	wrong "a gap before the time: $("$report" sites --format=json --time=180, gap.kms | jq -c .summaries)"
"$report" --time=130,170 whole.kms 2>err
[ $? = 2 ] && grep -q 'no summary lies within the time: the file is of 2025-11-25T12:00:00 to 2025-11-25T12:05:00 UTC' err ||
	wrong "no summary: $(cat err)"
exit $failed
