#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Each event that perf counted in a task was recorded, lost, or skipped by the kernel: in three
# workloads, with the default ring and with one that is far too small; and again with the variants
# of the programs for kernels that have fewer features.
. "$srcdir/live/live.sh"
need jq

mkdir folder
mount -t tmpfs tmpfs folder 2>/dev/null && trap 'umount "$scratch/folder"; stop_daemon; cd /; rm -rf "$scratch"' EXIT

one() { # one WORKLOAD ROUNDS OPTION…
	name=$1 rounds=$2
	shift 2
	run=$kmemtraced
	[ $# = 0 ] || run=starved
	$run -q "$@" -- "$builddir/tests/live/workload" "$name" "$rounds" folder >truth 2>workload.log
	code=$?
	[ $code = 77 ] && skip "$(cat workload.log)"
	[ $code = 0 ] || fail "$name: exit $code: $(cat workload.log)"
	checked
	"$builddir/tests/live/count" kmemtrace.data "$(value truth task)" "$(value truth begin)" \
		"$(value truth end)" >counted || fail "$name: the capture cannot be counted"

	fired=0 recorded=0
	for event in kmalloc kfree kmem_cache_alloc kmem_cache_free; do
		fired=$((fired + $(value truth $event)))
		recorded=$((recorded + $(value counted $event)))
	done
	# the task's losses have no time: of lost, up to outside came before begin or after end
	lost=$(value counted lost) outside=$(value counted lost_outside)
	skipped=$(value counted skipped)
	missing=$((fired - recorded - lost))
	echo "$name $*: perf $fired = recorded $recorded + lost $lost (of them outside of the window: $outside at most) + $missing, of skipped $skipped in all tasks"
	[ $fired -ge "$((rounds))" ] || fail "$name: perf counted only $fired events"
	[ $missing -ge $((-outside)) ] || [ -n "$perf_misses" ] ||
		fail "$name: $((-missing)) events more than perf counted, of which $outside can be outside of the window"
	[ $missing -le "$skipped" ] || fail "$name: $missing events are missing, the kernel skipped only $skipped"
	total_lost=$((total_lost + lost))
	same_as_report "$name"
}

# same_as_report NAME: the view count has the recorded events of the task; those that it may lack are
# frees of kmemtraced's own objects, and second reports of one allocation.
same_as_report() {
	begin=$(awk '$1 == "begin" { print $2 }' kmemtrace.data/kernel/status)
	$report count --by=name --format=json --where="tid == $(value truth task) &&
		time >= $(($(value truth begin) - begin))ns && time <= $(($(value truth end) - begin))ns" \
		>report.json || fail "$1: the view count failed"
	left_out=$(jq '.totals | .own_frees + .repeated' report.json)
	for event in kmalloc kfree kmem_cache_alloc kmem_cache_free; do
		shown=$(jq --arg name $event '[.count[] | select(.name == $name).count] | add // 0' report.json)
		[ "$shown" -le "$(value counted $event)" ] &&
			[ "$((shown + left_out))" -ge "$(value counted $event)" ] ||
			fail "$1: count has $shown events $event of $(value counted $event) that were recorded; $left_out were left out"
	done
	echo "$1: kmemtrace-report count agrees; $left_out events of all tasks are left out"
}

perf_misses=
total_lost=0
one fs 60000
one dir 60000
one skb 100000
[ $total_lost = 0 ] || echo "note: the usual ring lost $total_lost events on this machine"
total_lost=0
one fs 200000 -m 1
one dir 200000 -m 1
one skb 300000 -m 1
[ $total_lost -gt 0 ] || fail "the small ring lost nothing: this proves nothing"

for lack in btf fetch btf,fetch; do
	export KMEMTRACED_WITHOUT=$lack
	# without BTF, perf does not get events that interrupt a field program: the vm tests check
	# the counts of such kernels with ftrace
	perf_misses=${lack#fetch}
	total_lost=0
	one fs 60000
	[ "$(grep -c '^cache ' kmemtrace.data/kernel/caches)" -ge 10 ] ||
		fail "without $lack: the slab caches have no names"
	[ $total_lost = 0 ] || echo "note: without $lack: $total_lost lost with the usual ring"
	total_lost=0
	for _ in 1 2 3; do # on a busy machine, the ring may be large enough
		one skb 300000 -m 1
		[ $total_lost = 0 ] || break
	done
	[ $total_lost -gt 0 ] || fail "without $lack: the small ring lost nothing: this proves nothing"
done
exit 0
