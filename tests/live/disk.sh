#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A disk that fills up in mid-capture: a sentence, exit 2, and what was captured is whole.
. "$srcdir/live/live.sh"
need jq

mkdir small folder
mount -t tmpfs -o size=16m tmpfs small 2>/dev/null || skip "no tmpfs can be mounted"
trap 'umount "$scratch/small"; stop_daemon; cd /; rm -rf "$scratch"' EXIT

"$kmemtraced" -o small/capture -- "$builddir/tests/live/workload" dir 400000 folder >truth 2>err
code=$?
cat err
[ $code = 2 ] || fail "exit $code, not 2"
grep -q 'No space left' err || fail "no word of the full disk"
"$check" small/capture >check.log 2>&1 || fail "kmemtrace-check: $(head check.log)"
dir=small/capture
[ "$(json .loss.recorded)" -gt 100000 ] || fail "only $(json .loss.recorded) events were kept"
[ "$(json .loss.lost)" -gt 0 ] || fail "nothing is said to be lost"
[ "$(json '.loss | .seen - .recorded - .lost - .skipped')" = 0 ] || fail "the figures do not add up"
grep -q '^stopped .*No space left' small/capture/kernel/status || fail "status does not say why it stopped"

# no room for what a full ring holds: the stream's end is still written
umount small && mount -t tmpfs -o size=24m tmpfs small
"$kmemtraced" -q -m 64 -o small/capture -- "$builddir/tests/live/workload" dir 400000 folder >truth 2>err &
daemon=$!
sleep 0.4
kill -STOP $daemon
sleep 0.6
kill -CONT $daemon
wait $daemon
code=$?
daemon=
[ $code = 2 ] || fail "a full ring and a full disk: exit $code, not 2"
"$check" small/capture >check.log 2>&1 || fail "a full ring and a full disk: $(head check.log)"
[ "$(json '.loss | .seen - .recorded - .lost - .skipped')" = 0 ] || fail "the figures do not add up"

# no room from the start
umount small && mount -t tmpfs -o size=512k tmpfs small
"$kmemtraced" -o small/capture -d 1 >out 2>err
[ $? = 2 ] || fail "a disk that is full from the start: not 2"
grep -q 'no room\|No space' err || fail "a disk that is full from the start: $(cat err)"
