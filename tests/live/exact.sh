#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Each event that perf counted in a task was recorded, lost, or skipped by the kernel: in three
# workloads, with the default ring and with one that is far too small; and again with the variants
# of the programs for kernels that have fewer features. On a kernel without memory bugs there is no
# certain finding in these captures, also where events were lost.
. "$srcdir/live/live.sh"
need jq

mkdir folder
own_folder folder || echo "note: no file system in memory can be mounted"

one() { # one WORKLOAD ROUNDS [starve]: starve makes events faster than a small ring is emptied
	name=$1 rounds=$2
	# shellcheck disable=SC2086 # two words, or none
	"$kmemtraced" -q ${3:+-m 1} -- "$builddir/tests/live/workload" "$name" "$rounds" folder ${3:-} \
		>truth 2>workload.log
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
	echo "$*: perf $fired = recorded $recorded + lost $lost (of them outside of the window: $outside at most) + $missing, of skipped $skipped in all tasks"
	[ $fired -ge "$((rounds))" ] || fail "$name: perf counted only $fired events"
	[ $missing -ge $((-outside)) ] || [ -n "$perf_misses" ] ||
		fail "$name: $((-missing)) events more than perf counted, of which $outside can be outside of the window"
	[ $missing -le "$skipped" ] || fail "$name: $missing events are missing, the kernel skipped only $skipped"
	[ -z "${3:-}" ] || [ "$lost" -gt 0 ] || fail "$name: the small ring lost nothing"
	same_as_report "$name"
	healthy "$name"
}

# same_as_report NAME: the view count has the recorded events of the task; those that it may lack are
# frees of kmemtraced's own objects, and second reports of one allocation.
same_as_report() {
	begin=$(value kmemtrace.data/kernel/status begin)
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

# healthy NAME: no certain finding, and the summary says so: it lists no others
healthy() {
	"$report" findings --format=json -l 0 >findings.json || fail "$1: the view findings failed"
	jq -c '.findings | group_by(.certainty, .kind)[] | [.[0].certainty, .[0].kind, (map(.count) | add)]' findings.json
	certain=$(jq -c '.findings[] | select(.certain > 0 or .certainty == "certain")' findings.json)
	[ -z "$certain" ] || fail "$1: certainly wrong: $certain"
	"$report" >summary || fail "$1: the summary failed"
	grep -q '^waste .*; findings: 0 certain, ' summary || fail "$1: the summary has findings: $(grep '^waste' summary)"
}

perf_misses=
for starve in '' starve; do
	one fs 8000 $starve
	one dir 24000 $starve
	one skb 120000 $starve
done

begin_alone # without BTF, the programs get the events by perf
for lack in btf fetch btf,fetch; do
	export KMEMTRACED_WITHOUT=$lack
	echo "without $lack:"
	# without BTF, perf does not get events that interrupt a field program: the vm tests check
	# the counts of such kernels with ftrace
	perf_misses=${lack#fetch}
	one fs 2000
	[ "$(grep -c '^cache ' kmemtrace.data/kernel/caches)" -ge 10 ] ||
		fail "without $lack: the slab caches have no names"
	one skb 120000 starve
done
exit 0
