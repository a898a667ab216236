#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --max-dumps keeps the newest dumps, also of runs before; a dump that was renamed stays. What is left is whole.
. "$srcdir/live/live.sh"
need setsid

for name in 20240101T000000Z 20240101T000000Z.2 20240101T000000Z.10 mine; do
	mkdir set.dump.$name
done
# a removal that was interrupted
mkdir -p set.dump.20200101T000000Z.removed/piece.000001
busy
start_set set -z -p $load --overwrite=1h --max-dumps=2
wait_for_message 1 "$scratch/set.dump.20240101T000000Z: removed: --max-dumps=2: to keep a dump, rename it"
for number in 1 2 3; do
	kill -USR2 "$daemon"
	wait_for_message $number 'has the last'
	[ $number != 1 ] || mv "$(ls -d set.dump.2*Z | tail -1)" saved
done
wait_for_message 3 'removed: --max-dumps'
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
[ "$(grep -c removed daemon.log)" = 3 ] || fail "not three dumps were removed: $(cat daemon.log)"
[ "$(ls -d set.dump.* | wc -l)" = 3 ] && [ -d set.dump.mine ] || fail "the dumps: $(ls) $(cat daemon.log)"
for dump in set.dump.2* saved; do
	checked "$dump"
done
# the default
for number in $(seq 2 13); do
	mkdir set.dump.20240101T000000Z.$number
done
"$kmemtraced" -q -z -o set --overwrite=1h true 2>daemon.log || fail "exit $?: $(cat daemon.log)"
[ "$(ls -d set.dump.2* | wc -l)" = 10 ] || fail "not ten dumps: $(ls)"
"$kmemtraced" -q -z -o set --overwrite=1h --max-dumps=0 true 2>daemon.log || fail "exit $?: $(cat daemon.log)"
[ "$(ls -d set.dump.2* | wc -l)" = 10 ] || fail "not ten dumps: $(ls)"
