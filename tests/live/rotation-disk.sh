#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --max-disk: du never finds more on the disk, whatever the load, and the pieces that are left are
# whole.
. "$srcdir/live/live.sh"

busy() {
	while [ ! -e stop ] && [ -e "$scratch" ]; do
		ls -R /proc/self /sys/kernel/slab >/dev/null 2>&1
	done
}

# below SET MIB SECONDS: looks all the time
below() {
	most=0 end=$(($(date +%s) + $3))
	while [ "$(date +%s)" -lt $end ]; do
		kill -0 $daemon 2>/dev/null || fail "kmemtraced has ended: $(cat daemon.log)"
		size=$(du -s --block-size=1 "$1" 2>/dev/null | cut -f1)
		[ -n "$size" ] || continue
		[ "$size" -le $(($2 << 20)) ] || fail "$1 has $size bytes, more than $2 MiB: $(du -a "$1")"
		[ "$size" -gt $most ] && most=$size
	done
	echo "$1: at most $((most >> 20)) MiB of $2, $(ls "$1" | wc -l) pieces"
}

rm -f stop
cpus=$(getconf _NPROCESSORS_CONF)
limit=$((cpus * 4 * 4))
[ $limit -ge 48 ] || limit=48
busy & worker1=$!
busy & worker2=$!
for option in --switch-output=1h --switch-output=300ms; do
	"$kmemtraced" -q -o set -m 4 $option --max-disk=${limit}M 2>daemon.log &
	daemon=$!
	for _ in $(seq 100); do
		[ -d set ] && break
		sleep 0.05
	done
	below set $limit 15
	[ "$(ls set | head -1)" != piece.000001 ] || fail "$option: the first piece is still there: the disk was not full"
	stop_daemon
	[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
	cat daemon.log
	for piece in set/piece.*; do
		"$check" "$piece" >check.log 2>&1 && continue
		# the last resort, which is said
		grep -q "^kmemtraced: ${piece#set/} gets no checkpoint" daemon.log && grep -q ': 1 problem: ' check.log ||
			fail "kmemtrace-check: $(head -20 check.log)"
	done
	rm -r set
done
touch stop
wait $worker1 $worker2

"$kmemtraced" -q -o set -m 512 --switch-output=1h --max-disk=32M true 2>small.log
[ $? = 2 ] && grep -q 'less than four times the rings' small.log || fail "a limit below the rings: $(cat small.log)"
[ ! -e set ] || fail "a set was made nevertheless"
exit 0
