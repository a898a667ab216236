#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Backup programs record frees that interrupt a free; no free is recorded twice, and every free is
# still accounted for.
. "$srcdir/live/live.sh"
status_file=kmemtrace.data/kernel/status

own_folder folder
grep -q '^limited nested frees' doctor.log && skip "no backup programs here: $(sed -n 's/^limited nested frees *//p' doctor.log)"

reached() { # the load has this name then
	kill -0 $load || skip "$(cat workload.log)"
	[ "$(cat /proc/$load/comm)" = "$1" ]
}

# The load alone is recorded, with what interrupts do in it.
capture() { # capture WORKLOAD ROUNDS OPTION…: sets the variables below
	name=$1 rounds=$2
	shift 2
	rm -f go
	mkfifo go
	"$builddir/tests/live/workload" "$name" "$rounds" folder wait <go >truth 2>workload.log &
	load=$!
	exec 3>go
	wait_for "the load" reached ready
	start_daemon -q -p $load "$@"
	echo >&3
	wait_for "the end of the load" reached 'done'
	stop_daemon
	[ "$status" = 0 ] || fail "$name: exit $status: $(cat daemon.log)"
	echo >&3
	exec 3>&-
	wait $load || fail "$name: exit $?: $(cat workload.log)"
	checked
	"$builddir/tests/live/doubles" kmemtrace.data >doubled || fail "$name: the capture cannot be read"
	"$builddir/tests/live/count" kmemtrace.data "$(value truth task)" "$(value truth begin)" \
		"$(value truth end)" >counted || fail "$name: the capture cannot be counted"
	from_backup=$(value $status_file rescued) skipped=$(value $status_file skipped)
	seen=$(awk '$1 == "cpu" { n += $4 } END { print n }' $status_file)
	lost=$(awk '$1 == "cpu" { n += $8 } END { print n }' $status_file)

	fired=0 recorded=0
	for event in kmalloc kfree kmem_cache_alloc kmem_cache_free; do
		fired=$((fired + $(value truth $event)))
		recorded=$((recorded + $(value counted $event)))
	done
	missing=$((fired - recorded - $(value counted lost)))
	echo "$name $*: seen $seen, from_backup $from_backup, skipped $skipped; in the task: perf counted $fired = recorded $recorded + lost $(value counted lost) + $missing"
	[ $missing -ge 0 ] || fail "$name: $((-missing)) events more than perf counted"
	[ $missing -le "$skipped" ] || fail "$name: $missing events are missing, the kernel skipped only $skipped"
	spans=$(awk '$1 == "skip" { n += $4 } END { print n + 0 }' $status_file)
	[ "$spans" = "$skipped" ] || fail "$name: skipped $skipped, by the spans $spans"
	parts=$(awk '$1 == "cpu" { n += $14 } END { print n }' $status_file)
	[ "$parts" = "$from_backup" ] || fail "$name: from_backup $from_backup, sum of the CPUs $parts"
	[ "$(value doubled doubles)" = 0 ] || fail "$name: recorded twice: $(grep -v '^unseen' doubled | head -20)"
	[ "$lost" != 0 ] || [ "$(value doubled from_backup)" = "$from_backup" ] ||
		fail "$name: from_backup $from_backup, but $(value doubled from_backup) records"
}

# the loads until an interrupt has nested a free, at most 8 times
for round in 1 2 3 4 5 6 7 8; do
	[ $round = 1 ] || echo "no free was nested: again, $round"
	capture dir 40000 --rescue
	[ "$from_backup" = 0 ] || break
done
[ "$from_backup" -gt 0 ] || skip "no free interrupted another on this machine"
grep -qx 'rescue yes' $status_file || fail "status: $(grep '^rescue' $status_file)"
[ "$(value $status_file rescue_off)" = 0 ] || echo "note: the in-flight marks found no free slot on $(value $status_file rescue_off) CPUs"
capture fs 20000 --rescue

capture dir 20000 --no-rescue
[ "$from_backup" = 0 ] || fail "--no-rescue: $from_backup records from backup programs"
grep -q '^rescue no --no-rescue' $status_file || fail "--no-rescue: $(grep '^rescue' $status_file)"

# with -p, backup programs are attached only with --rescue
"$kmemtraced" -q -p $$ true || fail "-p: exit $?"
checked
grep -q '^rescue no with -p, backup programs need --rescue' $status_file || fail "-p: $(grep '^rescue' $status_file)"
sh -c 'while :; do read -r line </proc/self/stat; done' &
load=$!
before_end "kill $load"
start_daemon -q -p $load --rescue
has_records() {
	find kmemtrace.data -name 'cpu*' -size +0 | grep -q .
}
wait_for "frees of the load" has_records
stop_daemon
[ "$status" = 0 ] || fail "-p --rescue: exit $status: $(cat daemon.log)"
checked
grep -qx 'rescue yes' $status_file || fail "-p --rescue: $(grep '^rescue' $status_file)"
"$kmemtraced" -q --rescue true || fail "--rescue: exit $?"
checked
grep -qx 'rescue yes' $status_file || fail "--rescue: $(grep '^rescue' $status_file)"
"$kmemtraced" --doctor -p $$ | grep -q '^limited nested frees.*--rescue' || fail "--doctor -p does not say so"
"$kmemtraced" --doctor -p $$ --rescue | grep -q '^ok      nested frees' || fail "--doctor -p --rescue does not say so"
"$kmemtraced" --doctor --no-rescue | grep -q '^limited nested frees.*--no-rescue' || fail "--doctor --no-rescue does not say so"
exit 0
