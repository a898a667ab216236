#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The view timeline in all formats; with --time and --older, and of a capture without an end, where
# slices double. Its rows add up to the totals.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

"$builddir/tests/mktrace" kmemtrace.data <"$srcdir/cli/live.trace" || exit 1
sed 's/complete yes/complete no/' "$srcdir/cli/live.trace" |
	"$builddir/tests/mktrace" cut || exit 1
# The slices with events.
try()
{
	echo "--- $*"
	"$builddir/kmemtrace-report" timeline --format=csv "$@" |
		awk -F, 'NR == 1 || $3 || $4 || $6 || $7' | tr '\r' '~'
}
# The call sites at the peak.
peak()
{
	echo "--- $*"
	"$builddir/kmemtrace-report" timeline --format=json "$@" | sed -n '/^  "peak": \[/,$p'
}
{
	"$builddir/kmemtrace-report" timeline | sed '1,/^$/d'
	try -i cut
	try --time 4,8
	try --older 2s
	try --site keep -l 3 -s -live_bytes
	peak --time 4,8
	peak --older 2s
	echo "--- json"
	"$builddir/kmemtrace-report" timeline --format=json -l 1 |
		sed -n '/^  "timeline": \[/,$p'
	echo "--- none"
	"$builddir/kmemtrace-report" timeline --comm absent | sed '1,/^$/d'
} >out 2>&1
"$srcdir/compare.sh" "$srcdir/cli/report-timeline.expected" out || exit 1

# sums CAPTURE FILTER…: the sums of the rows must be the totals of another view.
sums()
{
	capture=$1
	shift
	"$builddir/kmemtrace-report" -i "$capture" timeline --format=csv "$@" | tr -d '\r' |
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
	"$builddir/kmemtrace-report" -i "$capture" sites --format=json "$@" |
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
