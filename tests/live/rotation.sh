#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A capture in pieces: every event is in one piece, once. Switches by age, by size and by SIGUSR2; a
# set goes on with the next number; the oldest pieces are removed.
. "$srcdir/live/live.sh"
need jq setsid

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

busy

# by age, on the events of a task that perf counts too
cat >load.sh <<-END
	"$builddir/tests/live/workload" fs 20000 . >truth
	until [ -e age/piece.000002 ]; do sleep 0.05; done # paced: pieces to compare
END
"$kmemtraced" -o age --switch-output=1s -- sh load.sh 2>daemon.log || fail "a set by age: $(cat daemon.log)"
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
for try in 1 2; do
	"$kmemtraced" -q -o ends$try --switch-output=300ms -d 0.9 || fail "a set that ends with a piece"
	piece=ends$try/$(ls ends$try | tail -1)
	[ "$(value $piece/kernel/status begin)" -le "$(value $piece/kernel/status end)" ] ||
		fail "$piece begins after its end: $(head -12 $piece/kernel/status)"
	"$report" slabinfo -i ends$try -l 0 --format=json | jq -S .slabinfo >growth.all
	"$report" slabinfo -i "$piece" -l 0 --format=json | jq -S .slabinfo >growth
	[ "$(jq length growth.all)" -ge 10 ] && cmp -s growth growth.all ||
		fail "the growth of $piece is not that of the set: $(diff growth growth.all | head -20)"
done

# as fast as it goes, with stacks, and with the memory of processes
start_set fast -p $load --switch-output=100ms --stacks --proc-mem=1
wait_for "fifteen pieces" has_piece fast 15
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
each_is_whole fast
records=0 lost=0
goes_on fast
for piece in fast/piece.*; do
	[ -s "$piece/kernel/process_memory" ] || fail "$piece has no memory of processes"
done

# by size and by signal; the set goes on with the next number; only three pieces stay
start_set kept -p $load --switch-output=4M --max-files=3 -m 2
wait_for "six pieces" has_piece kept 6
is_listed() { # the status is written once a second
	"$kmemtraced" --status --format=json | jq -e --arg dir "$PWD/kept" \
		'.daemons[] | select(.capture == $dir) | .pieces >= 3 and .disk_bytes > 2000000' >/dev/null
}
[ ! -e "/run/kmemtrace/status.$daemon" ] || wait_for "the pieces in --status" is_listed
"$kmemtraced" -o kept --switch-output=1h true 2>second.log && fail "a second kmemtraced took the set"
grep -q 'another program is writing it' second.log || fail "no message about the other: $(cat second.log)"
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
[ "$(ls kept | wc -l)" = 3 ] || fail "not three pieces: $(ls kept)"
each_is_whole kept
for piece in kept/piece.*; do
	[ -d "$piece/checkpoint" ] || fail "$piece has no checkpoint"
	size=$(cat "$piece"/cpu* | wc -c)
	# full rings come at once, before the switch and during it
	[ "$size" -le $((4 + 2 * 2 * $(getconf _NPROCESSORS_CONF) << 20)) ] || fail "$piece has $size bytes"
done
last=$(ls kept | tail -1)
start_set kept -p $load --switch-output=signal
next=$(printf '%06d' $((1${last#piece.} - 1000000 + 1)))
kill -USR2 $daemon
wait_for "the piece after SIGUSR2" has_piece kept $((1$next - 1000000 + 1))
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
[ "$(ls kept | wc -l)" = 5 ] || fail "not five pieces: $(ls kept)"
each_is_whole kept
[ ! -d "kept/piece.$next/checkpoint" ] || fail "the first piece of a run has a checkpoint"

# a capture that is split later: the growth of its last piece is that of the capture
"$kmemtraced" -q -o unsplit -d 0.8 || fail "a capture to split"
"$builddir/kmemtrace-pack" -q --split=350ms -o split unsplit || fail "kmemtrace-pack --split"
[ "$(ls split | wc -l)" -gt 1 ] || fail "one piece"
"$report" slabinfo -i unsplit -l 0 --format=json | jq -S .slabinfo >growth.all
"$report" slabinfo -i "split/$(ls split | tail -1)" -l 0 --format=json | jq -S .slabinfo >growth
[ "$(jq length growth.all)" -ge 10 ] && cmp -s growth growth.all ||
	fail "the growth of a split capture: $(diff growth growth.all | head -20)"

# an older capture is moved away
"$kmemtraced" -q -o plain true && "$kmemtraced" -q -o plain --switch-output=1h true ||
	fail "a set in the place of a capture"
checked plain.old
checked plain/piece.000001
exit 0
