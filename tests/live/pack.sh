#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtraced -z loses no events; the capture is correct and small, and its unpacked copy gives the
# same report. If there is no time to pack, packets stay raw, and the capture is still correct.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
need jq
pack=$builddir/kmemtrace-pack

mkdir folder
mount -t tmpfs tmpfs folder 2>/dev/null && trap 'umount "$scratch/folder"; stop_daemon; cd /; rm -rf "$scratch"' EXIT

size() {
	cat "$1"/cpu* | wc -c
}

codecs() { # codecs CAPTURE: how many packets have each codec
	for stream in "$1"/cpu*; do
		"$builddir/tests/live/codecs" "$stream" || fail "$stream cannot be read"
	done | awk '{ raw += $1; packed += $2 } END { print raw, packed }'
}

"$kmemtraced" -q -z -- "$builddir/tests/live/workload" fs 20000 folder >truth 2>workload.log
code=$?
[ $code = 77 ] && skip "$(cat workload.log)"
[ $code = 0 ] || fail "workload: exit $code: $(cat workload.log)"
checked
events=$(json .loss.recorded)
[ "$(json .loss.lost)" = 0 ] || fail "lost $(json .loss.lost) of $events"
[ "$events" -ge 100000 ] || fail "that is too few for this workload: $events"
bytes=$(size kmemtrace.data)
read -r raw packed <<<"$(codecs kmemtrace.data)"
echo "$events events, $bytes bytes; packets: $packed packed, $raw raw"
[ $((bytes)) -le $((events * 5)) ] || fail "more than 5 bytes an event"
"$report" -i kmemtrace.data >before || fail "report: $?"
"$pack" -qu kmemtrace.data || fail "unpack: $?"
checked
[ "$(size kmemtrace.data)" -ge $((events * 48)) ] || fail "unpacked it is too small"
"$report" -i kmemtrace.data >after || fail "report: $?"
diff before after || fail "unpacked it is another capture"

# After SIGKILL, every packet on disk is complete.
start_daemon -q -z
"$builddir/tests/live/workload" fs 20000 folder >truth 2>&1
stop_daemon KILL
"$check" --repair -q kmemtrace.data || fail "repair: $?"
checked
read -r raw packed <<<"$(codecs kmemtrace.data)"
[ "$packed" -ge 10 ] || fail "of a killed capture only $packed packets are packed"

# A ring that fills up leaves no time.
starved -q -z -m 1 -- "$builddir/tests/live/workload" fs 20000 folder >truth 2>&1 ||
	fail "starved: $?"
checked
read -r raw packed <<<"$(codecs kmemtrace.data)"
echo "starved: $(json .loss.lost) lost; packets: $packed packed, $raw raw"
[ "$raw" -ge 10 ] || fail "with full rings only $raw packets are raw"
exit 0
