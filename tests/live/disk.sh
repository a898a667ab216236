#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The disk becomes full during a capture: there is a message and exit status 2, and the capture is
# consistent up to then.
. "$srcdir/live/live.sh"
need jq

own_folder small size=16m || skip "no file system in memory can be mounted"
# the workload allocates as much there, without waiting for a disk
own_folder folder || skip "no second file system in memory can be mounted"
# a load that fills the small one: 11 events of 48 bytes a round
load="$builddir/tests/live/workload dir 60000 folder"

# full WHAT COMMAND…: the disk is full before the command of kmemtraced is done
full() {
	what=$1
	shift
	"$kmemtraced" -q -m 64 -o small/capture -- "$@" >truth 2>err
	code=$?
	cat err
	[ $code = 2 ] || fail "$what: exit $code, not 2"
	grep -q 'No space left' err || fail "$what: no message about the full disk"
	checked small/capture
	dir=small/capture
	[ "$(json .loss.recorded)" -gt 100000 ] || fail "$what: only $(json .loss.recorded) events were kept"
	[ "$(json .loss.lost)" -gt 0 ] || fail "$what: nothing is said to be lost"
	[ "$(json '.loss | .seen - .recorded - .lost - .skipped')" = 0 ] || fail "$what: the counters do not add up"
}

# it works until kmemtraced has seen the full disk
# shellcheck disable=SC2016 # of the other shell
full "a full disk" sh -c 'until grep -q "No space left" err; do $1; done' sh "$load"
grep -q '^stopped .*No space left' small/capture/kernel/status || fail "status does not say why it stopped"
# the ring has more records than there is space for: the end of the stream is still written
rm -r small/*
# shellcheck disable=SC2016 # of the other shell
full "more records than space" sh -c 'kill -STOP $PPID; $1; kill -CONT $PPID' sh "$load"

# fill FREE: leaves so many KiB in small
fill() {
	rm -f small/filler
	free=$(df -k --output=avail small | tail -1)
	[ "$free" -le "$1" ] || dd if=/dev/zero of=small/filler bs=1k count=$((free - $1)) 2>/dev/null
}

# no space from the start, for several sizes: the older capture is not moved
rm -r small/*
"$kmemtraced" -q -o small/capture -d 0.1 -p $$ || fail "a small capture: exit $?"
uuid=$(grep uuid small/capture/metadata)
sums() {
	find small -type f ! -name filler -exec cksum {} + | sort
}
sums >before
for room in 0 1 4 64 512 1024 2100 2400 3000; do
	fill $room
	timeout 120 "$kmemtraced" -q -o small/capture -d 0.1 >out 2>err
	code=$?
	[ $code = 0 ] && break
	[ $code = 2 ] || fail "$room KiB free: exit $code, not 2: $(cat err)"
	grep -q 'no room\|No space' err || fail "$room KiB free: $(cat err)"
	sums | cmp -s before - && continue
	# this capture has begun
	grep -q '^stopped .*No space left' small/capture/kernel/status || fail "$room KiB free: $(cat err): $(ls -R small)"
	[ "$(grep uuid small/capture.old/metadata)" = "$uuid" ] || fail "$room KiB free: the older capture is gone"
	break
done
for left in small/capture.new.*; do
	[ -e "$left" ] && fail "$left was left behind"
done

# a command is not left waiting for its start
fill 3300
timeout 120 "$kmemtraced" -q -o small/other -- true >out 2>err
[ $? = 124 ] && fail "kmemtraced waits for a command that it never let go"
exit 0
