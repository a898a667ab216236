#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The disk becomes full during a capture: there is a message and exit status 2, and the capture is
# consistent up to then.
. "$srcdir/live/live.sh"
need jq

mkdir small folder
mount -t tmpfs -o size=16m tmpfs small 2>/dev/null || skip "no tmpfs can be mounted"
# the workload allocates as much there, without waiting for a disk
mount -t tmpfs tmpfs folder || fail "no second tmpfs can be mounted"
trap 'umount "$scratch/small" "$scratch/folder"; stop_daemon; cd /; rm -rf "$scratch"' EXIT

"$kmemtraced" -o small/capture -- "$builddir/tests/live/workload" dir 200000 folder >truth 2>err
code=$?
cat err
[ $code = 2 ] || fail "exit $code, not 2"
grep -q 'No space left' err || fail "no message about the full disk: $(cat err)"
"$check" small/capture >check.log 2>&1 || fail "kmemtrace-check: $(head check.log)"
dir=small/capture
[ "$(json .loss.recorded)" -gt 100000 ] || fail "only $(json .loss.recorded) events were kept"
[ "$(json .loss.lost)" -gt 0 ] || fail "nothing is said to be lost"
[ "$(json '.loss | .seen - .recorded - .lost - .skipped')" = 0 ] || fail "the counters do not add up"
grep -q '^stopped .*No space left' small/capture/kernel/status || fail "status does not say why it stopped"

# no space for the records of a full ring: the end of the stream is still written
umount small && mount -t tmpfs -o size=24m tmpfs small
"$kmemtraced" -q -m 64 -o small/capture -- "$builddir/tests/live/workload" dir 200000 folder >truth 2>err &
daemon=$!
for _ in $(seq 100); do
	# the first task is written after all programs are attached
	[ -s small/capture/kernel/tasks ] && break
	sleep 0.05
done
sleep 0.2
kill -STOP $daemon
sleep 0.6
kill -CONT $daemon
wait $daemon
code=$?
daemon=
[ $code = 2 ] || fail "a full ring and a full disk: exit $code, not 2"
"$check" small/capture >check.log 2>&1 || fail "a full ring and a full disk: $(head check.log)"
[ "$(json '.loss | .seen - .recorded - .lost - .skipped')" = 0 ] || fail "the counters do not add up"

# no space from the start, for several sizes: the older capture is not moved
umount small && mount -t tmpfs -o size=6m tmpfs small
"$kmemtraced" -q -o small/capture -d 0.1 -p $$ || fail "a small capture: exit $?"
uuid=$(grep uuid small/capture/metadata)
for room in 0 1 4 64 512 1024 2100 2400 3000; do
	rm -f small/filler
	free=$(df -k --output=avail small | tail -1)
	[ "$free" -gt $room ] && dd if=/dev/zero of=small/filler bs=1k count=$((free - room)) 2>/dev/null
	timeout 30 "$kmemtraced" -q -o small/capture -d 0.1 >out 2>err
	code=$?
	[ $code = 0 ] && break
	[ $code = 2 ] || fail "$room KiB free: exit $code, not 2: $(cat err)"
	grep -q 'no room\|No space' err || fail "$room KiB free: $(cat err)"
	[ "$(grep uuid small/capture/metadata)" = "$uuid" ] && continue
	# this start got so far that it moved the older capture
	[ "$(grep uuid small/capture.old/metadata)" = "$uuid" ] || fail "$room KiB free: the older capture is gone"
	break
done
for left in small/capture.??????; do
	[ -e "$left" ] && fail "$left was left behind"
done

# a command is not left waiting for its start
rm -f small/filler
free=$(df -k --output=avail small | tail -1)
dd if=/dev/zero of=small/filler bs=1k count=$((free > 3300 ? free - 3300 : 0)) 2>/dev/null
timeout 30 "$kmemtraced" -q -o small/other -- true >out 2>err
[ $? = 124 ] && fail "kmemtraced waits for a command that it never let go"
exit 0
