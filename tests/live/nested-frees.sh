#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Backup programs record frees that interrupt a free; no free is recorded twice, and every free is
# still accounted for.
. "$srcdir/live/live.sh"
status_file=kmemtrace.data/kernel/status

mkdir folder
mount -t tmpfs tmpfs folder 2>/dev/null && trap 'umount "$scratch/folder"; stop_daemon; cd /; rm -rf "$scratch"' EXIT
grep -q '^limited nested frees' doctor.log && skip "no backup programs here: $(sed -n 's/^limited nested frees *//p' doctor.log)"

capture() { # capture WORKLOAD ROUNDS OPTION…: sets the variables below
	name=$1 rounds=$2
	shift 2
	"$kmemtraced" -q "$@" -- "$builddir/tests/live/workload" "$name" "$rounds" folder >truth 2>workload.log
	code=$?
	[ $code = 77 ] && skip "$(cat workload.log)"
	[ $code = 0 ] || fail "$name: exit $code: $(cat workload.log)"
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
	echo "$name $*: seen $seen, from_backup $from_backup, skipped $skipped ($(per_million "$skipped" "$seen") of a million); in the task: perf counted $fired = recorded $recorded + lost $(value counted lost) + $missing"
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

per_million() {
	awk -v n="$1" -v of="$2" 'BEGIN { printf "%.1f", n * 1e6 / of }'
}

# both ROUNDS OPTION…: captures dir and fs, and sums the counts
both() {
	rounds=$1
	shift
	capture dir "$rounds" "$@"
	all_from_backup=$from_backup all_skipped=$skipped all_seen=$seen
	capture fs $((rounds / 2)) "$@"
	all_from_backup=$((all_from_backup + from_backup)) all_skipped=$((all_skipped + skipped))
	all_seen=$((all_seen + seen))
}

# if no interrupt nested a free, repeat with a longer load
for rounds in 100000 300000 600000; do
	both $rounds
	with=$(per_million $all_skipped $all_seen)
	[ $all_from_backup -gt 0 ] && break
done
[ "$all_from_backup" -gt 0 ] || skip "no free interrupted another on this machine"
grep -qx 'rescue yes' $status_file || fail "status: $(grep '^rescue' $status_file)"
[ "$(value $status_file rescue_off)" = 0 ] || echo "note: the in-flight marks found no free slot on $(value $status_file rescue_off) CPUs"

# without backup programs, the kernel skips more events
for rounds in 100000 300000 600000; do
	both $rounds --no-rescue
	without=$(per_million $all_skipped $all_seen)
	[ $all_from_backup = 0 ] || fail "--no-rescue: $all_from_backup records from backup programs"
	[ $all_skipped -ge 100 ] && break
done
grep -q '^rescue no --no-rescue' $status_file || fail "--no-rescue: $(grep '^rescue' $status_file)"
echo "skipped of a million events: $without without backup programs, $with with them"
if [ "$all_skipped" -ge 100 ]; then
	awk -v a="$without" -v b="$with" 'BEGIN { exit !(b < a) }' || fail "backup programs do not help"
else
	echo "note: too few to compare"
fi

# with -p, backup programs are attached only with --rescue
"$kmemtraced" -q -p $$ -d 0.2 || fail "-p: exit $?"
checked
grep -q '^rescue no with -p, backup programs need --rescue' $status_file || fail "-p: $(grep '^rescue' $status_file)"
sh -c 'while :; do read -r line </proc/self/stat; done' &
"$kmemtraced" -q -p $! --rescue -d 1
code=$?
kill $!
[ $code = 0 ] || fail "-p --rescue: exit $code"
checked
grep -qx 'rescue yes' $status_file || fail "-p --rescue: $(grep '^rescue' $status_file)"
"$kmemtraced" -q --rescue -d 1 || fail "--rescue: exit $?"
checked
grep -qx 'rescue yes' $status_file || fail "--rescue: $(grep '^rescue' $status_file)"
"$kmemtraced" --doctor -p $$ | grep -q '^limited nested frees.*--rescue' || fail "--doctor -p does not say so"
"$kmemtraced" --doctor -p $$ --rescue | grep -q '^ok      nested frees' || fail "--doctor -p --rescue does not say so"
"$kmemtraced" --doctor --no-rescue | grep -q '^limited nested frees.*--no-rescue' || fail "--doctor --no-rescue does not say so"
exit 0
