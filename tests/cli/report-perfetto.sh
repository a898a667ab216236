#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --format=perfetto has the counters of the timeline, the findings, the peak and the lost events, each
# with the values and the time of the JSON of its view; names of any kind do no harm.
. "$srcdir/cli/cli.sh"
need jq
need xz

xz -dc "$srcdir/data/guests/6.1-s390x.tar.xz" | tar -xf - || exit 1
"$mktrace" lossy <"$srcdir/cli/small.trace" || exit 1
"$srcdir/cli/html-hostile.sh" hostile || exit 1
cp -r "$srcdir/data/sample" sample

# what a view has, as [name, nanoseconds, value]
slices='.timeline[] | .time_ns as $from | (.time_ns + .duration_ns) as $to |
	[["allocations/s", $from, .allocations_per_s], ["frees/s", $from, .frees_per_s], ["failed", $from, .failed],
	["live bytes", $to, .live_bytes], ["live objects", $to, .live_objects]] | .[]'
for capture in sample 6.1-s390x lossy hostile; do
	"$report" --format=perfetto $capture >trace.json || { wrong "$capture: exit status $?"; continue; }
	"$report" timeline --format=json -l 0 $capture >timeline.json
	"$report" findings --format=json -l 0 $capture >findings.json
	jq -c '.traceEvents[] | select(.ph == "C") | [.name, (.ts * 1000 | round), .args.value]' trace.json | sort >a
	jq -c "$slices" timeline.json | sort >b
	[ -s a ] && cmp -s a b || wrong "$capture: counters: $(diff a b | head -5)"
	jq -c '.traceEvents[] | select(.ph == "i" and .args.kind) |
		[.name, (.ts * 1000 | round), .args.count]' trace.json | sort >a
	jq -c '.findings[] | ["\(.certainty) \(.kind)", .first_time, .count]' findings.json | sort >b
	cmp -s a b || wrong "$capture: findings: $(diff a b | head -5)"
	[ "$(jq '[.traceEvents[] | select(.name == "lost events") | .args.events] | add // 0' trace.json)" = \
		"$(jq '.loss.lost' timeline.json)" ] || wrong "$capture: lost events"
	cmp -s <(jq .otherData.loss trace.json) <(jq .loss timeline.json) || wrong "$capture: other losses"
	jq -e '.traceEvents | all(.pid == 1 and (.ph == "M" or (.ts | type) == "number"))' trace.json >/dev/null ||
		wrong "$capture: an event has no process or no time"
done
jq -e '.traceEvents | any(.ph == "X")' <("$report" --format=perfetto lossy) >/dev/null || wrong "lossy: nothing was lost"

# a part of the time
"$report" --format=perfetto --time=1ms,5ms sample | jq -e '[.traceEvents[] | select(.ph == "C") | .ts] |
	min >= 1000 and max <= 5000' >/dev/null || wrong "--time"

for words in "sites" "-l 3" "--by=cache"; do
	# shellcheck disable=SC2086 # words
	"$report" --format=perfetto $words sample >out 2>&1
	[ $? = 2 ] && grep -q -e '--format=perfetto: ' out || wrong "$words: $(cat out)"
done
exit $failed
