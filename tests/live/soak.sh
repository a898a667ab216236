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
	exec 3>&- 5>&-
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

# The load waits until both capture.
mkfifo go numbers answers
for _ in 1 2; do
	sh -c 'read -r _; exec "$@"' sh "$builddir/tests/live/steady" $rate 50 <go >>steady.log 2>&1 &
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
"$kmemtraced" -p $processes --rescue -z -o set -m 64 --switch-output=$((seconds * 1000 / 30))ms \
	--max-disk=${limit}M "$@" --trigger-command='echo "$KMEMTRACE_TRIGGER" >>fired' 2>daemon.log 3>&- 4<&- &
daemon=$!
began whole.log $other whole
began daemon.log $daemon set
exec 5>go
printf '\n\n' >&5

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
	echo "$at $(awk '$1 == "VmRSS:" { print $2 }' /proc/$daemon/status)" >>memory
	disk=$(du -s --block-size=1M set 2>/dev/null | cut -f1)
	[ "$disk" -gt $most ] && most=$disk
	[ "$disk" -le "$limit" ] || fail "the set has $disk MiB, more than $limit"
	sleep 0.5
done
echo 0 >&3
read -r held <&4
exec 5>&-
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
for capture in set whole; do
	"$report" count -i $capture --by=event,site,cache,context --sum=bytes_alloc --format=json >out ||
		fail "no report count of $capture"
	jq -S '.count | map(select(.context == "task")) | sort_by(.event, .site, .cache)' out >$capture.count
	jq -c '.loss | {recorded, lost, skipped}' out >$capture.loss
	for view in sites caches; do
		"$report" $view -i $capture --where='context == "task"' --format=json >out || fail "no report $view of $capture"
		jq ".$view | sort_by(.site, .cache)" out >$capture.rows
		jq -c '.[] | [.site, .cache, .allocations, .bytes_requested, .bytes_allocated, .failed]' $capture.rows >$capture.$view
		jq -c '.[] | [.frees, .live_objects]' $capture.rows >$capture.$view.live
	done
done
echo "$pieces pieces, at most $most MiB of $limit: $(cat set.loss); continuous: $(cat whole.loss)"
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
# The resident memory rises when more events wait in memory than ever before, since kmemtraced was not
# scheduled; it rises in steps, which end at the size of that room. A leak rises without an end.
awk -v seconds="$seconds" '$1 * 2 > seconds {
		if (!n++)
			first = last = $2
		still = $2 == last ? still + 1 : 0
		steps += $2 != last
		longest = still > longest ? still : longest
		last = $2
	}
	END {
		printf "VmRSS in the second half: %d to %d kB, %d steps; no step in %.0f %% of the time at one go\n",
			first, last, steps, 100 * longest / n
		exit !(last <= first + 4096 && longest * 4 >= n)
	}' memory || fail "the memory grows: $(cat memory)"
exit 0
