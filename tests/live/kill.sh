#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# After kill -9 during a capture, at most half a second is missing; the capture can be read, and it
# can be repaired.
. "$srcdir/live/live.sh"
need jq

work() { # allocates all the time, until the file stop exists
	while [ ! -e stop ]; do
		ls -R /proc/self >/dev/null 2>&1
	done
}

start_daemon -q
work &
worker=$!
sleep 2
read -r uptime _ </proc/uptime
stop_daemon KILL
touch stop
wait $worker

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
awk -v uptime="$uptime" -v newest="$newest" 'BEGIN {
	gap = uptime - newest / 1e9
	printf "the newest record is %.3f s older than the kill\n", gap
	exit gap > 0.5
}' || fail "more than half a second is missing"

# a capture that is still being written is left alone
start_daemon -q
"$check" --repair >repair.log 2>&1
[ $? = 2 ] || fail "repair of a capture that is being written: not 2: $(cat repair.log)"
grep -q 'kmemtraced is writing the capture' repair.log || fail "no message about the running kmemtraced: $(cat repair.log)"
"$kmemtraced" -q -d 1 2>second.log
[ $? = 2 ] || fail "a second kmemtraced took the directory of the first"
grep -q 'another program' second.log || fail "no message about the other kmemtraced: $(cat second.log)"
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
checked
