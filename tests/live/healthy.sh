#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# On a kernel without memory bugs there is no certain finding under three workloads, and no finding in
# the summary.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
need jq

mkdir folder
mount -t tmpfs tmpfs folder 2>/dev/null && trap 'umount "$scratch/folder"; stop_daemon; cd /; rm -rf "$scratch"' EXIT

cat >all.sh <<-END
	for work in "fs 60000" "dir 60000" "skb 100000"; do
		"$builddir/tests/live/workload" \$work folder || exit
	done
END
"$kmemtraced" -q -- sh all.sh >truth 2>workload.log
code=$?
[ $code = 77 ] && skip "$(cat workload.log)"
[ $code = 0 ] || fail "workload: exit $code: $(cat workload.log)"
checked

"$report" findings --format=json -l 0 >findings.json || fail "report: exit $?"
events=$(jq .loss.recorded findings.json)
echo "of $events events, lost and skipped $(jq '.loss.lost + .loss.skipped' findings.json):"
jq -r '[.findings | group_by(.certainty, .kind)[] | {certainty: .[0].certainty, kind: .[0].kind,
	cases: (map(.count) | add)}][] | "\(.certainty) \(.kind): \(.cases) cases"' findings.json
# three workloads of at least 4 events a round
[ "$events" -ge 800000 ] || fail "that is too few for these workloads"
jq -e '[.findings[] | select(.certain > 0 or .certainty == "certain")] | length == 0' findings.json \
	>/dev/null || fail "certainly wrong: $(jq -c '[.findings[] | select(.certain > 0)]' findings.json)"
# the summary lists certain findings only, and the number of the others
"$report" >summary || fail "report: exit $?"
grep -q '^findings  *0 certain, ' summary || fail "the summary has findings: $(grep '^findings' summary)"
