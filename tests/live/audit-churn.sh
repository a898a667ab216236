#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The slab allocator is read beside loads that change its lists all the time, and a CPU that goes and comes: no object
# that a process holds is taken for dead, and few of the process's seem live that it does not hold.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
need jq taskset
begin_alone

ROUNDS=25
KEEP=3000
# a load gives up its objects on a path without an event; the kernel frees them later, a batch of each CPU at a time, and
# those of a grace period
LATE=$((1000 * $(nproc)))

register=$builddir/tests/live/register
"$register" 1 1 </dev/null >kept 2>register.log || skip "$(cat register.log)"
churn() { # until the test ends
	while [ -e /proc/$$ ]; do
		"$register" 20000 500 </dev/null >/dev/null 2>&1
		find /proc/self /sys/kernel -maxdepth 3 >/dev/null 2>&1
	done &
	before_end "kill $!"
}
churn
churn
switch=/sys/devices/system/cpu/cpu1/online
if [ -w $switch ] && [ "$(cat $switch)" = 1 ]; then
	while [ -e /proc/$$ ]; do
		echo 0
		sleep 0.7 # paced: the CPU is away during some readings
		echo 1
		sleep 0.7 # paced: and there during others
	done >$switch 2>/dev/null &
	switcher=$!
	before_end "kill $switcher; echo 1 >$switch"
else
	echo "cpu1 cannot be taken offline"
fi
complaints() {
	dmesg 2>/dev/null | grep -cE 'WARNING|BUG|lockup|stall'
}
before=$(complaints)

mkfifo keep
held=0 most=0
for round in $(seq $ROUNDS); do
	name=hold$$.$round
	cp "$register" "$name"
	rm -f kept
	start_daemon -q
	"./$name" 3000 $KEEP <keep >kept 2>register.log &
	holder=$!
	exec 8>keep
	wait_for "the load" [ -s kept ]
	stop_daemon
	exec 8>&-
	wait $holder
	[ "$status" = 0 ] || fail "round $round: exit $status: $(cat daemon.log)"
	checked
	[ -s kmemtrace.data/kernel/heap ] || skip "$("$kmemtraced" --doctor | grep allocator)"
	found=$("$report" caches --format=json -l 0 --comm="$name" -i kmemtrace.data |
		jq '[.caches[] | select(.cache == "eventpoll_epi" or (.aliases // [] | index("eventpoll_epi"))) | .live_objects] | add // 0')
	lost=$(json '.loss | .lost + .skipped')
	[ $((found + lost)) -ge $KEEP ] || fail "round $round: the process holds $KEEP objects, and $found are live"
	[ "$found" -le $((KEEP + LATE)) ] || fail "round $round: the process holds $KEEP objects, and $found seem live"
	unknown=$("$report" census --format=json -i kmemtrace.data | jq '.census[0] | 100 * .slabs_unknown < .slabs')
	[ "$unknown" = true ] || fail "round $round: more than a hundredth of the slabs changed while they were read"
	held=$((held + KEEP))
	[ "$found" -le "$most" ] || most=$found
	rm -f "$name"
done
echo "$held objects held in $ROUNDS captures: none was taken for dead; at most $most of $KEEP seemed live in one"
[ "$(complaints)" -le "$before" ] || fail "the kernel complains: $(dmesg | tail -n 50)"
