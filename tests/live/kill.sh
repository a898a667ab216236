#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# After kill -9 during a capture, at most half a second is missing; the capture can be read, and it
# can be repaired.
. "$srcdir/live/live.sh"
need jq

# The time (s) that the tasks of the processes waited for a CPU: up to here, their work may be late.
waited() {
	for process; do
		cat /proc/"$process"/task/*/schedstat
	done | awk '{ ns += $2 } END { printf "%.3f", ns / 1e9 }'
}

[ -r /proc/self/schedstat ] || skip "this kernel does not tell how long tasks wait for a CPU"
# a disk may be slow
own_folder memory && cd memory
start_daemon -q
while :; do
	read -r line </proc/self/stat
done &
load=$!
before_end "kill $load"
before=$(waited $load "$daemon")
sleep 1 # paced: the capture is older than the half second
kill -STOP "$daemon"
read -r uptime _ </proc/uptime
late=$(awk -v after="$(waited $load "$daemon")" -v before="$before" 'BEGIN { print after - before }')
stop_daemon KILL

"$report" --format=json >cut.json || fail "the report on a capture that was cut off: exit $?"
[ "$(jq .capture.complete cut.json)" = false ] || fail "a killed capture calls itself complete"
"$check" >check.log 2>&1
[ $? = 1 ] || fail "kmemtrace-check found nothing in a killed capture"

"$check" --repair >repair.log 2>&1 || fail "repair: exit $?: $(cat repair.log)"
cat repair.log
[ -d kmemtrace.data.damaged ] || fail "the original was not kept"
checked
recorded=$(json .loss.recorded)
[ "$recorded" -gt 0 ] || fail "nothing was recovered"
[ "$recorded" -ge "$(jq .loss.recorded cut.json)" ] || fail "repair lost whole packets"

# the newest record, on the clock that /proc/uptime shows too (no suspend here)
newest=0
for stream in kmemtrace.data/cpu*; do
	end=$("$builddir/tests/live/newest" "$stream") || fail "newest: $stream"
	[ "$end" -gt "$newest" ] && newest=$end
done
awk -v uptime="$uptime" -v newest="$newest" -v late="$late" 'BEGIN {
	gap = uptime - newest / 1e9
	printf "the newest record is %.3f s older than the kill; of these, up to %.3f s passed without a CPU\n", gap, late
	exit gap > 0.5 + late
}' || fail "more than half a second is missing"

# a capture that is still being written is left alone
start_daemon -q
"$check" --repair >repair.log 2>&1
[ $? = 2 ] || fail "repair of a capture that is being written: not 2: $(cat repair.log)"
grep -q 'kmemtraced is writing the capture' repair.log || fail "no message about the running kmemtraced: $(cat repair.log)"
"$kmemtraced" -q true 2>second.log
[ $? = 2 ] || fail "a second kmemtraced took the directory of the first"
grep -q 'another program' second.log || fail "no message about the other kmemtraced: $(cat second.log)"
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
checked
