#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The view timeline in all formats; with --time and --older, and of a capture without an end, where
# slices double. Its rows add up to the totals, and its rates are of the events between the begin and
# the end.
. "$srcdir/cli/cli.sh"

"$mktrace" kmemtrace.data <"$srcdir/cli/live.trace" || exit 1
sed 's/complete yes/complete no/' "$srcdir/cli/live.trace" |
	"$mktrace" cut || exit 1
cp -r kmemtrace.data late
sed -i 's/^end .*/end 8000000000/' late/kernel/status
# The slices with events.
try()
{
	echo "--- $*"
	"$report" timeline --format=csv "$@" |
		awk -F, 'NR == 1 || $3 || $4 || $6 || $7' | tr '\r' '~'
}
# The call sites at the peak.
peak()
{
	echo "--- $*"
	"$report" timeline --format=json "$@" | sed -n '/^  "peak": \[/,$p'
}
{
	"$report" timeline | sed '1,/^$/d'
	try -i cut
	"$report" timeline -i late | sed -n '/^rates/,/^$/p'
	try -i late
	try --time 4,8
	try --older 2s
	try --site keep -l 3 -s -live_bytes
	peak --time 4,8
	peak --older 2s
	echo "--- json"
	"$report" timeline --format=json -l 1 |
		sed -n '/^  "timeline": \[/,$p'
	echo "--- none"
	"$report" timeline --comm absent | sed '1,/^$/d'
} >out 2>&1
compare report-timeline.expected out

# sums CAPTURE FILTER…: the sums of the rows must be the totals of another view.
sums()
{
	capture=$1
	shift
	"$report" -i "$capture" timeline --format=csv "$@" | tr -d '\r' |
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			{ allocations += $at["allocations"]; frees += $at["frees"]
			unmatched += $at["frees_unmatched"]; missed += $at["missed_frees"]
			failed += $at["failed"]; bytes += $at["bytes_allocated"]
			freed += $at["bytes_freed"]; live = $at["live_objects"]
			live_bytes = $at["live_bytes"]
			if ($at["peak_bytes"] > peak) peak = $at["peak_bytes"] }
			END { if (live_bytes != bytes - freed) print "bytes do not add up"
			if (live != allocations - frees + unmatched - missed)
				print "objects do not add up"
			print allocations, frees, failed, bytes, live, live_bytes,
				unmatched, missed, peak }' >rows
	"$report" -i "$capture" sites --format=json "$@" |
		awk -F'[:,] *' '/"totals"/ { on = 1 } /}/ { on = 0 }
			on { gsub(/[ "]/, "", $1); value[$1] = $2 }
			END { print value["allocations"], value["frees"], value["failed"],
			value["bytes_allocated"], value["live_objects"], value["live_bytes"],
			value["frees_unmatched"], value["missed_frees"], value["peak_bytes"] }' \
			>totals
	diff rows totals || { echo "of $capture $*"; exit 1; }
}
for capture in kmemtrace.data cut "$srcdir/data/sample"; do
	sums "$capture"
	sums "$capture" --time 0.002,6
	sums "$capture" --cpu 0
done

# rates CAPTURE END FILTER…: counts the events that the view events lists in each row's time. Its last
# row must end at END, ns.
rates()
{
	capture=$1 end=$2
	shift 2
	"$report" events -i "$capture" --format=csv -l 0 "$@" | tr -d '\r' >events.csv
	"$report" timeline -i "$capture" --format=csv "$@" | tr -d '\r' >rows.csv
	awk -F, -v end="$end" '
		NR == FNR && FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		NR == FNR { time[FNR] = $at["time_ns"]; outcome[FNR] = $at["outcome"]; count = FNR; next }
		FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{
			from = $at["time_ns"]; to = from + $at["duration_ns"]; allocations = frees = 0
			for (i = 2; i <= count; i++)
				if (time[i] >= from && (time[i] < to || (time[i] == to && to == end))) {
					allocations += (outcome[i] == "allocated")
					frees += (outcome[i] == "freed" || outcome[i] == "unmatched")
				}
			seconds = $at["duration_ns"] / 1e9
			counted = sprintf("%.3f %.3f", allocations / seconds, frees / seconds)
			if (counted != sprintf("%.3f %.3f", $at["allocations_per_s"], $at["frees_per_s"]))
				print "rates of the row " $0
			outside += $at["allocations"] + $at["frees"] - allocations - frees
			said += $at["outside"]
		}
		END {
			if (to != end) print "the last row ends at " to
			if (outside != said) print outside " events are outside, not " said + 0
		}' events.csv rows.csv >wrong || exit 1
	[ ! -s wrong ] || { echo "of $capture $*"; cat wrong; exit 1; }
}
rates late 7000000000
rates late 7000000000 --time=4,
rates late 6000000000 --time=0.002,6
rates late 7000000000 --time=4,20
rates kmemtrace.data 10000000000
rates kmemtrace.data 8000000000 --time=4,8
command -v xz >/dev/null || exit 0
xz -dc "$srcdir/data/guests/6.12-amd64.tar.xz" | tar -xf - || exit 1
rates 6.12-amd64 1231522320
rates 6.12-amd64 1231522320 --time=1.2,
rates 6.12-amd64 500000000 --time=0,0.5
