#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --max-disk: du never finds more in the set and its dumps, whatever the load, and the newest dump stays.
# --max-dumps keeps the newest ones; a dump that was renamed stays. What is left is whole.
. "$srcdir/live/live.sh"

busy() {
	while [ ! -e stop ] && [ -e "$scratch" ]; do
		ls -R /proc/self /sys/kernel/slab >/dev/null 2>&1
	done
}

# wait_for NUMBER PATTERN: until so many lines of daemon.log match
wait_for() {
	for _ in $(seq 400); do
		[ "$(grep -c -e "$2" daemon.log)" -ge "$1" ] && return
		kill -0 "$daemon" 2>/dev/null || break
		sleep 0.05
	done
	fail "not $1 of $2: $(cat daemon.log)"
}

# below MIB SECONDS: looks all the time, and asks for a dump every two seconds
below() {
	most=0 end=$(($(date +%s) + $2)) asked=0
	while [ "$(date +%s)" -lt $end ]; do
		if [ $(($(date +%s) / 2)) != $asked ]; then
			asked=$(($(date +%s) / 2))
			kill -USR2 $daemon 2>/dev/null || fail "kmemtraced has ended: $(cat daemon.log)"
		fi
		# shellcheck disable=SC2086 # several directories
		size=$(du -cs --block-size=1 set* 2>/dev/null | tail -1 | cut -f1)
		[ -n "$size" ] || continue
		[ "$size" -le $(($1 << 20)) ] || fail "$size bytes, more than $1 MiB: $(du -a set*)"
		[ "$size" -gt $most ] && most=$size
	done
	newest=$(ls -d set.dump.*Z | tail -1)
	echo "at most $((most >> 20)) MiB of $1, $(ls set | wc -l) pieces, $(ls -d set.dump.*Z | wc -l) dumps," \
		"$(grep -c 'max-disk leaves no room' daemon.log) removed, in the newest $(ls "$newest" | wc -l) pieces"
}

rm -f stop
cpus=$(getconf _NPROCESSORS_CONF)
limit=$((cpus * 4 * 8))
[ $limit -ge 96 ] || limit=96
busy & worker1=$!
busy & worker2=$!
"$kmemtraced" -q -o set -m 4 --overwrite=1h --max-disk=${limit}M 2>daemon.log &
daemon=$!
for _ in $(seq 100); do
	[ -d set ] && break
	sleep 0.05
done
sleep 1
below $limit 15
grep -q 'set.dump.[^ ]*: removed: --max-disk leaves no room for it' daemon.log ||
	fail "no dump was removed: the disk was not full: $(cat daemon.log)"
dumps=$(ls -d set.dump.*Z | wc -l)
[ "$dumps" -ge 1 ] || fail "no dump is left: $(cat daemon.log)"
wait_for 3 'has the last'
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
newest=$(sed -n 's/.*: \([^ ]*\) has the last .*/\1/p' daemon.log | tail -1)
[ -d "$newest" ] || fail "the newest dump, $newest, is gone: $(cat daemon.log)"
for piece in set/piece.* set.dump.*/piece.*; do
	"$check" "$piece" >check.log 2>&1 && continue
	# the last resort, which is said
	grep -q "${piece##*/} gets no checkpoint" daemon.log && grep -q ': 1 problem: ' check.log ||
		fail "kmemtrace-check: $(head -20 check.log; cat daemon.log; ls set set.dump*)"
done
touch stop
wait $worker1 $worker2

# a limit of the number, also for those of before and a removal that was interrupted
rm -r set set.dump.*
for name in 20240101T000000Z 20240101T000000Z.2 20240101T000000Z.10 mine; do
	mkdir set.dump.$name
done
mkdir -p set.dump.20200101T000000Z.removed/piece.000001
"$kmemtraced" -q -z -o set --overwrite=1h --max-dumps=2 2>daemon.log &
daemon=$!
wait_for 1 "$scratch/set.dump.20240101T000000Z: removed: --max-dumps=2: to keep a dump, rename it"
for number in 1 2 3; do
	sleep 1
	kill -USR2 $daemon
	wait_for $number 'has the last'
	if [ $number = 1 ]; then
		saved=$(ls -d set.dump.*Z | tail -1)
		mv "$saved" saved
	fi
done
wait_for 3 'removed: --max-dumps'
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
[ "$(grep -c removed daemon.log)" = 3 ] || fail "not three dumps were removed: $(cat daemon.log)"
[ "$(ls -d set.dump.* | wc -l)" = 3 ] && [ -d set.dump.mine ] || fail "the dumps: $(ls) $(cat daemon.log)"
for dump in set.dump.2*Z saved; do
	checked "$dump"
done
# the default
for number in $(seq 2 13); do
	mkdir set.dump.20240101T000000Z.$number
done
"$kmemtraced" -q -z -o set --overwrite=1h -d 0.5 2>daemon.log || fail "exit $?: $(cat daemon.log)"
[ "$(ls -d set.dump.2* | wc -l)" = 10 ] || fail "not ten dumps: $(ls)"
"$kmemtraced" -q -z -o set --overwrite=1h --max-dumps=0 -d 0.5 2>daemon.log || fail "exit $?: $(cat daemon.log)"
[ "$(ls -d set.dump.2* | wc -l)" = 10 ] || fail "not ten dumps: $(ls)"
"$kmemtraced" -q -o set -m 512 --overwrite=1h --max-disk=64M true 2>small.log
[ $? = 2 ] && grep -q 'less than eight times the rings' small.log || fail "a limit below the rings: $(cat small.log)"
exit 0
