#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --in-memory: nothing is on disk but the dumps, at SIGUSR2, at a trigger and at the end, all whole; the limit
# of memory holds; without room on the disk the recorder goes on; after kill -9 nothing is left.
. "$srcdir/live/live.sh"
need jq unshare
if [ -z "${KMEMTRACE_OWN_DISK-}" ]; then
	unshare -m true 2>out || skip "no mount namespace: $(cat out)"
	exec 9>&-
	KMEMTRACE_OWN_DISK=1 unshare -m sh "$srcdir/live/in-memory.sh"
	exit
fi

busy() {
	while [ ! -e stop ] && [ -e "$scratch" ]; do
		ls -R /proc/self /sys/kernel/slab >/dev/null 2>&1
	done
}

# wait_for NUMBER PATTERN: until so many lines of daemon.log match
wait_for() {
	for _ in $(seq 800); do
		[ "$(grep -c -e "$2" daemon.log)" -ge "$1" ] && return
		kill -0 "$daemon" 2>/dev/null || break
		sleep 0.05
	done
	fail "not $1 of $2: $(cat daemon.log)"
}

captures() { # waits until kmemtraced has attached its programs
	for _ in $(seq 200); do
		find /proc/$daemon/fd -lname 'anon_inode:bpf*link' 2>/dev/null | grep -q . && return
		kill -0 $daemon 2>/dev/null || break
		sleep 0.05
	done
	fail "kmemtraced did not start: $(cat daemon.log)"
}

in_memory() { # bytes in the file system of the pieces
	link=$(find /proc/$daemon/fd -lname '/kmemtraced.new.??????' -print -quit 2>/dev/null)
	[ -n "$link" ] && stat -L -f -c '%b %f %S' "$link" 2>/dev/null | awk '{ print ($1 - $2) * $3 }'
}

rm -f stop
trap 'stop_daemon; umount -l small 2>/dev/null; cd /; rm -rf "$scratch"' EXIT
busy & worker=$!
"$kmemtraced" -q -o recorder --overwrite=4s --in-memory --trigger='live > 1' 2>daemon.log &
daemon=$!
captures
wait_for 1 'live > 1: .* has the last'
[ "$(in_memory)" -gt 100000 ] || fail "no pieces in memory: $(in_memory)"
sleep 5
kill -USR2 $daemon
wait_for 1 'SIGUSR2: .* has the last [0-9]* pieces'
sleep 1
[ -e recorder ] && fail "the set is on disk: $(ls)"
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
grep -q 'the end: .* has the last [0-9]* pieces' daemon.log || fail "no dump at the end: $(cat daemon.log)"
[ "$(ls -d recorder* | wc -l)" = 3 ] || fail "not three dumps: $(ls)"
for dump in recorder.dump.*Z; do
	checked "$dump"
	[ "$(dir=$dump json .loss.recorded)" -gt 100 ] || fail "$dump has no events"
done
pieces=$(ls "$dump" | wc -l)
# on a busy machine old pieces wait for checkpoints
{ [ "$pieces" -ge 8 ] && [ "$pieces" -le 18 ]; } || fail "the last dump has $pieces pieces"

# the limit of memory, while dumps are written; a disk that is full
mkdir small
mount -t tmpfs -o size=256k tmpfs small
"$kmemtraced" -q -m 4 -o small/recorder --overwrite=1h --in-memory --max-disk=64M 2>daemon.log &
daemon=$!
captures
link=$(find /proc/$daemon/fd -lname '/kmemtraced.new.??????' -print -quit)
[ "$(stat -L -f -c '%b %S' "$link" | awk '{ print $1 * $2 }')" = $((64 << 20)) ] || fail "the kernel has no limit of 64 MiB"
most=0
for _ in 1 2 3 4; do
	kill -USR2 $daemon
	for _ in 1 2 3; do
		size=$(in_memory)
		[ "${size:-0}" -gt $most ] && most=$size
		sleep 0.3
	done
done
[ $most -gt 0 ] && [ $most -le $((64 << 20)) ] || fail "$most bytes in memory"
wait_for 2 'SIGUSR2: .*/small/recorder.dump.[^ ]* cannot be written: .*No space left on device'
[ -z "$(ls small)" ] || fail "left on the full disk: $(ls small)"
umount -l small
mount -t tmpfs -o size=1G tmpfs small
echo "at most $((most >> 20)) MiB of 64 in memory"

# nothing is left after kill -9, and the next one begins
kill -9 $daemon
wait $daemon 2>/dev/null
daemon=
[ -z "$(ls small)" ] || fail "left after kill -9: $(ls small)"
"$kmemtraced" -q -m 4 -o small/recorder --overwrite=1h --in-memory -d 1 2>daemon.log || fail "exit $?: $(cat daemon.log)"
checked small/recorder.dump.*Z
touch stop
wait $worker
umount small
exit 0
