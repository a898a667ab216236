#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# -p caches untraced tasks by their stacks: if a thread of a traced process gets the stack of an
# untraced task that has just ended, it is recorded from its first event on.
. "$srcdir/live/live.sh"
rounds=100
mkfifo go

one() { # one ALSO: with more processes than that of the threads, or none
	also=$1
	"$builddir/tests/live/stacks" $rounds <go >truth 2>stacks.log &
	traced=$!
	exec 3>go
	start_daemon -q -p "$traced$also"
	echo >&3
	exec 3>&-
	wait $traced
	code=$?
	stop_daemon
	[ $code = 77 ] && skip "$(cat stacks.log)"
	[ $code = 0 ] || fail "stacks: exit $code: $(cat stacks.log)"
	[ "$status" = 0 ] || fail "-p $traced$also: exit $status"
	checked
	fired=0 missing=0 threads=0
	# shellcheck disable=SC2046 # the task, begin and end of each thread
	"$builddir/tests/live/count" kmemtrace.data $(cut -d ' ' -f 1-3 truth) >counted ||
		fail "the capture cannot be counted"
	# each thread has a line of names and counts
	xargs -n 16 <counted | paste -d ' ' truth - >compared
	while read -r task _ _ kmalloc kfree alloc free \
		_ got_kmalloc _ got_kfree _ got_alloc _ got_free _ lost _; do
		[ $((got_alloc + lost)) -gt 0 ] ||
			fail "thread $task: nothing was recorded, perf counted $alloc allocations"
		for event in "kmalloc $kmalloc $got_kmalloc" "kfree $kfree $got_kfree" \
			"kmem_cache_alloc $alloc $got_alloc" "kmem_cache_free $free $got_free"; do
			# shellcheck disable=SC2086 # three words
			set -- $event
			[ "$3" -le "$2" ] ||
				fail "thread $task: $1: $3 were recorded, only $2 happened"
			fired=$((fired + $2)) missing=$((missing + $2 - $3))
		done
		missing=$((missing - lost)) threads=$((threads + 1))
	done <compared
	skipped=$(value kmemtrace.data/kernel/status skipped)
	echo "-p $traced$also: $threads threads: perf $fired, $missing are missing, skipped $skipped in all tasks"
	[ $threads = $rounds ] || fail "$threads of $rounds threads were counted"
	[ $missing -le "$skipped" ] || fail "$missing are missing, the kernel skipped only $skipped"
}

one ""
one ",$$"
# as kernels that lack what this one has
export KMEMTRACED_WITHOUT=fetch
one ""
exit 0
