#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A long capture in pieces beside a continuous one of the same events: a load of a known rate, ten
# triggers that fire once each. Nothing is lost, memory stays, the disk limit holds, each piece is whole,
# and the set has the figures of the continuous capture. KMEMTRACE_LONG=1: 30 minutes with a piece each
# minute, at a million events a second. KMEMTRACE_SECONDS=N: another time.
. "$srcdir/live/live.sh"
need jq

if [ -n "${KMEMTRACE_LONG-}" ]; then
	seconds=${KMEMTRACE_SECONDS:-1800}
else
	seconds=${KMEMTRACE_SECONDS:-15}
fi
rate=56000 # eventfds a second of each of two processes: nine events each
limit=$((400 + seconds * 2)) # MiB: 2 bytes for each of a million events a second, and the rings
[ "$(df --output=avail --block-size=1M . | tail -1)" -gt $((limit * 2)) ] || skip "needs $((limit * 2)) MiB of disk"
size=$(awk '$1 == "filp" { print $4 }' /proc/slabinfo)
[ -n "$size" ] || skip "/proc/slabinfo has no filp"
trap 'stop_all; cd /; rm -rf "$scratch"' EXIT
load='' second='' other=''

stop_all() {
	exec 3>&- 5>&- 6>&-
	kill $load $second 2>/dev/null
	[ -z "$other" ] || kill -INT "$other" 2>/dev/null
	stop_daemon
	[ -z "$other" ] || wait "$other"
	other=
}

# began LOG PID DIR: the daemon captures
began() {
	for _ in $(seq 200); do
		find "$3" -path '*/kernel/tasks' -size +0 2>/dev/null | grep -q . && return
		kill -0 "$2" 2>/dev/null || break
		sleep 0.05
	done
	fail "kmemtraced did not start: $(cat "$1")"
}

# The load waits until both capture. Each process has a pipe of its own: it runs until that is closed.
mkfifo go1 go2 numbers answers
for pipe in go1 go2; do
	sh -c 'read -r _; exec "$@"' sh "$builddir/tests/live/steady" $rate 50 <$pipe >>steady.log 2>&1 &
	load="$load $!"
done
"$builddir/tests/live/descriptors" <numbers >answers 2>>load.log &
second=$!
exec 3>numbers 4<answers

processes=$(echo $load $second | tr ' ' ,)

set --
held=100
for _ in 1 2 3 4 5 6 7 8 9 10; do # thresholds between the numbers of objects that the load will hold
	next=$((held * 3 / 2))
	set -- "$@" --trigger="live(filp) > $(((held * 2 + (next - held) + 100 * 2) * size / 2))"
	steps="${steps-} $next"
	held=$next
done
"$kmemtraced" -p $processes --rescue -z -o whole -m 64 2>whole.log 3>&- 4<&- &
other=$!
OUTSTANDING=$scratch/outstanding LD_PRELOAD=$builddir/tests/faults/outstanding.so \
	"$kmemtraced" -p $processes --rescue -z -o set -m 64 --switch-output=$((seconds * 1000 / 30))ms \
	--max-disk=${limit}M "$@" --trigger-command='echo "$KMEMTRACE_TRIGGER" >>fired' 2>daemon.log 3>&- 4<&- &
daemon=$!
began whole.log $other whole
began daemon.log $daemon set
exec 5>go1 6>go2
echo >&5
echo >&6

begin=$(date +%s)
at=0 most=0
while at=$(($(date +%s) - begin)) && [ $at -lt "$seconds" ]; do
	kill -0 $daemon 2>/dev/null || fail "kmemtraced has ended: $(cat daemon.log)"
	due=$((at * 30 / seconds)) # the last step is at a third of the time
	step=0
	for number in $steps; do
		step=$((step + 1))
		[ $step -eq $due ] || continue
		echo "$number" >&3
		read -r held <&4
	done
	echo "$at $(awk '$1 == "VmRSS:" { print $2 }' /proc/$daemon/status)" \
		"$(($(od -An -t u8 outstanding.$daemon) / 1024))" >>memory
	disk=$(du -s --block-size=1M set 2>/dev/null | cut -f1)
	[ "$disk" -gt $most ] && most=$disk
	[ "$disk" -le "$limit" ] || fail "the set has $disk MiB, more than $limit"
	sleep 0.5
done
echo 0 >&3
read -r held <&4
exec 5>&- 6>&-
wait $load
exec 3>&- 4<&-
wait $second
sleep 1
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
kill -INT $other
wait $other || fail "the continuous capture: $(cat whole.log)"
other=
tail -qn 1 daemon.log whole.log

# the triggers fire once each, in order
[ "$(wc -l <fired)" = 10 ] && [ "$(sort -u fired | wc -l)" = 10 ] || fail "not ten triggers: $(cat fired daemon.log)"

# each piece is whole
for piece in set/piece.*; do
	checked "$piece"
done
pieces=$(ls set | wc -l)
[ "$pieces" -ge 25 ] || fail "only $pieces pieces"

# The same figures. Each of the two skips other events in interrupts, those inside an event, which may be
# frees of the tasks' objects: they are counted, and bound the difference; what the tasks did is equal.
figures_of() { # figures_of CAPTURE: into files of its own, since two run at once
	"$report" count -i $1 --by=event,site,cache,context --sum=bytes_alloc --format=json >$1.out ||
		fail "no report count of $1"
	jq -S '.count | map(select(.context == "task") | del(.lower_bound)) | sort_by(.event, .site, .cache)' $1.out >$1.count
	jq -c '.loss | {recorded, lost, skipped}' $1.out >$1.loss
	# a bound has a reason
	jq -e '.loss.lost + .loss.skipped > 0 or all(.count[]; .lower_bound | not)' $1.out >/dev/null ||
		fail "$1: lower bounds without a loss: $(jq -c .loss $1.out)"
	for view in sites caches; do
		"$report" $view -i $1 --where='context == "task"' --format=json >$1.out || fail "no report $view of $1"
		jq ".$view | sort_by(.site, .cache)" $1.out >$1.rows
		jq -c '.[] | [.site, .cache, .allocations, .bytes_requested, .bytes_allocated, .failed]' $1.rows >$1.$view
		jq -c '.[] | [.frees, .live_objects]' $1.rows >$1.$view.live
	done
}
(figures_of set) &
set=$!
(figures_of whole) &
whole=$!
wait $set || exit 1
wait $whole || exit 1
echo "$pieces pieces, at most $most MiB of $limit: $(cat set.loss); continuous: $(cat whole.loss)"
jq -e ".recorded >= $((rate * 2 * 9 * seconds * 9 / 10))" set.loss >/dev/null || fail "the load was too slow: $(cat steady.log)"
[ "$(jq length set.count)" -ge 10 ] && [ "$(wc -l <set.sites)" -ge 10 ] || fail "nothing was compared: $(cat set.count)"
for figures in count sites caches; do
	cmp -s set.$figures whole.$figures || fail "$figures: $(diff set.$figures whole.$figures | head -20)"
done
skipped=$(cat set.loss whole.loss | jq -s 'map(.skipped) | add')
jq -s -e "(.[0].recorded - .[1].recorded | fabs) <= $skipped and .[0].lost + .[1].lost == 0" set.loss whole.loss \
	>/dev/null || fail "lost, or not the same events"
for view in sites caches; do
	differ=$(paste -d, set.$view.live whole.$view.live | jq -s -R 'split("\n") | map(select(length > 0) | "[\(.)]" | fromjson |
		(.[0][0] - .[1][0] | fabs), (.[0][1] - .[1][1] | fabs)) | add')
	echo "$view: $(wc -l <set.$view) rows are equal; frees and live objects differ by $differ, $skipped were skipped"
	[ "$differ" -le $((2 * skipped)) ] || fail "$view: $(diff set.$view.live whole.$view.live | head -20)"
done
# The least of each of five parts of the second half: events that wait in memory, since kmemtraced was not
# scheduled, are gone again in it, a leak is not. A leak grows from part to part. What grows once, by a new
# largest burst, does not: its buffers are kept for the next one. So a leak grows in at least three of the
# four steps, and by more than the room, which is less than a packet each piece, also in the short form. The C
# library keeps memory for later, so the resident memory needs a long time to be flat.
flat() { # flat NAME COLUMN [ROOM]: in kB; without ROOM only prints
	awk -v seconds="$seconds" -v name="$1" -v column="$2" -v room="${3-}" '$1 * 2 > seconds {
			y = $column
			list[n++] = y
			sum_x += $1; sum_y += y; xx += $1 * $1; xy += $1 * y
		}
		END {
			for (part = 0; part < 5; part++)
				for (i = int(n * part / 5); i < int(n * (part + 1) / 5); i++)
					if (!least[part] || list[i] < least[part])
						least[part] = list[i]
			printf "%s in the second half, the least of each fifth: %d %d %d %d %d kB; slope %.3f kB/s\n", name,
				least[0], least[1], least[2], least[3], least[4],
				(n * xy - sum_x * sum_y) / (n * xx - sum_x ^ 2)
			for (part = 1; part < 5; part++)
				steps += least[part] > least[part - 1]
			leaks = steps >= 3 && least[4] > least[0] + room
			exit !(n >= 5 && least[4] > 0 && (room == "" || !leaks))
		}' memory
}
room=512
[ -z "${KMEMTRACE_LONG-}" ] || room=64 # in 15 minutes a larger burst has its buffers long before
flat "outstanding bytes" 3 $room || fail "malloc() gives more than free() takes: $(cat memory)"
if [ -n "${KMEMTRACE_LONG-}" ]; then
	flat VmRSS 2 256 || fail "the memory grows: $(cat memory)"
else
	flat VmRSS 2
fi
exit 0
