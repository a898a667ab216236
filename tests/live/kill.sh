#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# After kill -9 during a capture, at most half a second is missing; the capture can be read, and it
# can be repaired.
. "$srcdir/live/live.sh"
need jq

waited() { # the time (ns) that kmemtraced waited for a CPU
	cat /proc/"$daemon"/task/*/schedstat | awk '{ ns += $2 } END { printf "%d", ns }'
}

uptime() { # ns, on the clock of the capture (no suspend here)
	awk '{ printf "%d0000000", $1 * 100 }' /proc/uptime
}

# since the event, half a second has passed in which kmemtraced did not wait for a CPU
has_passed() {
	[ $(($(uptime) - after)) -ge $((500000000 + $(waited) - waited_before)) ]
}

[ -r /proc/self/schedstat ] || skip "this kernel does not count the time that tasks wait for a CPU"
# a disk may be slow
own_folder memory && cd memory
# the few events of this shell fill no packet
start_daemon -q -p $$
waited_before=$(waited)
before=$(uptime)
read -r line </proc/self/stat
after=$(uptime)
wait_for "half a second" has_passed
halt "$daemon"
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

newest=0
for stream in kmemtrace.data/cpu*; do
	end=$("$builddir/tests/live/newest" "$stream") || fail "newest: $stream"
	[ "$end" -gt "$newest" ] && newest=$end
done
[ "$newest" -ge "$before" ] ||
	fail "the newest record is $(((before - newest) / 1000000)) ms older than an event half a second before the kill"

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
