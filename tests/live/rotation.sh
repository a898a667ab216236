#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A capture in pieces: every event is in one piece, once. Switches by age, by size and by SIGUSR2; a
# set goes on with the next number; the oldest pieces are removed.
. "$srcdir/live/live.sh"
need jq

busy() { # allocates until the file stop exists, or the test has ended
	while [ ! -e stop ] && [ -e "$scratch" ]; do
		ls -R /proc/self /sys/kernel/slab >/dev/null 2>&1
	done
}

# wait_for_piece SET NUMBER: until the piece has begun, or a later one
wait_for_piece() {
	for _ in $(seq 400); do
		last=$(find "$1" -maxdepth 1 -name 'piece.*' 2>/dev/null | sort | tail -1)
		[ -n "$last" ] && [ "$((1${last##*.}))" -ge "$((1$2))" ] && return
		kill -0 "$daemon" 2>/dev/null || break
		sleep 0.05
	done
	fail "$1/piece.$2 did not begin: $(cat daemon.log)"
}

# start_set SET OPTION…
start_set() {
	"$kmemtraced" -o "$@" 2>daemon.log &
	daemon=$!
}

# each_is_whole SET: each piece passes the check alone, and its checkpoint is there
each_is_whole() {
	for piece in "$1"/piece.*; do
		checked "$piece"
		grep -q '^complete yes' "$piece/kernel/status" || fail "$piece is not complete"
	done
	[ -z "$(find "$1" -name '.next*' -o -name 'checkpoint.new')" ] || fail "left in $1: $(ls -A "$1")"
}

# goes_on SET: the streams of all pieces, one behind the other, have each number once
goes_on() {
	for stream in "$1"/piece.000001/cpu*; do
		"$builddir/tests/live/pieces" "${stream##*cpu}" "$1"/piece.* >numbers ||
			fail "$stream: $(cat numbers)"
		records=$((records + $(value numbers records)))
		lost=$((lost + $(value numbers lost)))
	done
}

rm -f stop
busy & worker1=$!
busy & worker2=$!

# by age, on the events of a task that perf counts too
"$kmemtraced" -o age --switch-output=1s -- "$builddir/tests/live/workload" fs 150000 . >truth 2>daemon.log ||
	fail "a set by age: $(cat daemon.log)"
pieces=$(ls age | wc -l)
[ "$pieces" -ge 2 ] || fail "only $pieces pieces"
each_is_whole age
records=0 lost=0
goes_on age
grep -q "age: $records events, $lost lost" daemon.log ||
	fail "the streams have $records events, $lost lost, but: $(tail -1 daemon.log)"
[ "$lost" = 0 ] || echo "note: $lost events were lost"
[ "$("$report" -i age --format=json | jq .loss.recorded)" = "$records" ] || fail "the report on the set has other events"
fired=0 counted=0
for event in kmalloc kfree kmem_cache_alloc kmem_cache_free; do
	fired=$((fired + $(value truth $event)))
	for piece in age/piece.*; do
		"$builddir/tests/live/count" "$piece" "$(value truth task)" "$(value truth begin)" "$(value truth end)" >part ||
			fail "$piece cannot be counted"
		counted=$((counted + $(value part $event)))
	done
done
skipped=$(cat age/piece.*/kernel/status | awk '$1 == "skipped" { sum += $2 } END { print sum }')
echo "$pieces pieces: perf $fired events of a task, recorded $counted, lost $lost and skipped $skipped in all"
[ $counted -le $fired ] && [ $((fired - counted)) -le $((lost + skipped)) ] ||
	fail "perf counted $fired events, the pieces have $counted"

# The growth by /proc/slabinfo since tracing began: each piece has it alone, the last as the set.
for piece in age/piece.*; do
	"$report" slabinfo -i $piece -l 0 --format=json | jq -S .slabinfo >growth
	[ "$(jq '[.[] | select(.unobserved_objects != null)] | length' growth)" -ge 10 ] ||
		fail "$piece is not compared with /proc/slabinfo: $(head -c 300 growth)"
done
"$report" slabinfo -i age -l 0 --format=json | jq -S .slabinfo >growth.all
cmp -s growth growth.all || fail "the growth of the last piece is not that of the set: $(diff growth growth.all | head -20)"

# The last piece has the end, also if the capture ends when a piece does.
for try in 1 2 3 4; do
	"$kmemtraced" -q -o ends$try --switch-output=300ms -d 1.5 || fail "a set that ends with a piece"
	piece=ends$try/$(ls ends$try | tail -1)
	[ "$(value $piece/kernel/status begin)" -le "$(value $piece/kernel/status end)" ] ||
		fail "$piece begins after its end: $(head -12 $piece/kernel/status)"
	"$report" slabinfo -i ends$try -l 0 --format=json | jq -S .slabinfo >growth.all
	"$report" slabinfo -i "$piece" -l 0 --format=json | jq -S .slabinfo >growth
	[ "$(jq length growth.all)" -ge 10 ] && cmp -s growth growth.all ||
		fail "the growth of $piece is not that of the set: $(diff growth growth.all | head -20)"
done

# as fast as it goes, with stacks, and with the memory of processes
start_set fast --switch-output=100ms --stacks --proc-mem=1 -q
wait_for_piece fast 000030
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
each_is_whole fast
records=0 lost=0
goes_on fast
for piece in fast/piece.*; do
	[ -s "$piece/kernel/process_memory" ] || fail "$piece has no memory of processes"
done

# by size and by signal; the set goes on with the next number; only three pieces stay
start_set kept --switch-output=16M --max-files=3 -q
wait_for_piece kept 000006
sleep 1.5 # the status is written once a second
"$kmemtraced" --status --format=json | jq -e --arg dir "$PWD/kept" \
	'.daemons[] | select(.capture == $dir) | .pieces >= 3 and .disk_bytes > 8000000' >/dev/null ||
	fail "--status: $("$kmemtraced" --status)"
"$kmemtraced" -o kept --switch-output=1h -d 1 2>second.log && fail "a second kmemtraced took the set"
grep -q 'another program is writing it' second.log || fail "no message about the other: $(cat second.log)"
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
[ "$(ls kept | wc -l)" = 3 ] || fail "not three pieces: $(ls kept)"
each_is_whole kept
for piece in kept/piece.*; do
	[ -d "$piece/checkpoint" ] || fail "$piece has no checkpoint"
	size=$(cat "$piece"/cpu* | wc -c)
	[ "$size" -lt 40000000 ] || fail "$piece has $size bytes"
done
last=$(ls kept | tail -1)
start_set kept --switch-output=signal -q
next=$(printf '%06d' $((1${last#piece.} - 1000000 + 1)))
wait_for_piece kept "$next"
sleep 0.5
kill -USR2 $daemon
wait_for_piece kept "$(printf '%06d' $((1$next - 1000000 + 1)))"
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
[ "$(ls kept | wc -l)" = 5 ] || fail "not five pieces: $(ls kept)"
each_is_whole kept
[ ! -d "kept/piece.$next/checkpoint" ] || fail "the first piece of a run has a checkpoint"

# a capture that is split later: the growth of its last piece is that of the capture
"$kmemtraced" -q -o unsplit -d 1 || fail "a capture to split"
"$builddir/kmemtrace-pack" -q --split=350ms -o split unsplit || fail "kmemtrace-pack --split"
[ "$(ls split | wc -l)" -gt 1 ] || fail "one piece"
"$report" slabinfo -i unsplit -l 0 --format=json | jq -S .slabinfo >growth.all
"$report" slabinfo -i "split/$(ls split | tail -1)" -l 0 --format=json | jq -S .slabinfo >growth
[ "$(jq length growth.all)" -ge 10 ] && cmp -s growth growth.all ||
	fail "the growth of a split capture: $(diff growth growth.all | head -20)"

touch stop
wait $worker1 $worker2

# an older capture is moved away
"$kmemtraced" -q -o plain -d 0.2 && "$kmemtraced" -q -o plain --switch-output=1h -d 0.2 ||
	fail "a set in the place of a capture"
checked plain.old
checked plain/piece.000001
exit 0
