#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# -p caches untraced tasks by their stacks: if a thread of a traced process gets the stack of an
# untraced task that has just ended, it is recorded from its first event on.
. "$srcdir/live/live.sh"
rounds=150

one() { # one ALSO: with more processes than that of the threads, or none
	also=$1
	rm -f go
	"$builddir/tests/live/stacks" $rounds go >truth 2>stacks.log &
	traced=$!
	start_daemon -q -p "$traced$also"
	touch go
	wait $traced
	code=$?
	stop_daemon
	[ $code = 77 ] && skip "$(cat stacks.log)"
	[ $code = 0 ] || fail "stacks: exit $code: $(cat stacks.log)"
	[ "$status" = 0 ] || fail "-p $traced$also: exit $status"
	checked
	fired=0 missing=0 threads=0
	while read -r task begin end kmalloc kfree alloc free; do
		"$builddir/tests/live/count" kmemtrace.data "$task" "$begin" "$end" >counted ||
			fail "the capture cannot be counted"
		# one process instead of one for each value: there are hundreds of threads
		eval "$(sed -nE 's/^([a-z_]+) ([0-9]+)$/counted_\1=\2/p' counted)"
		[ "$counted_kmem_cache_alloc" -gt 0 ] ||
			fail "thread $task: nothing was recorded, perf counted $alloc allocations"
		for event in "kmalloc $kmalloc" "kfree $kfree" "kmem_cache_alloc $alloc" "kmem_cache_free $free"; do
			eval "recorded=\$counted_${event% *}"
			truth=${event#* }
			[ "$recorded" -le "$truth" ] ||
				fail "thread $task: ${event% *}: $recorded were recorded, only $truth happened"
			fired=$((fired + truth)) missing=$((missing + truth - recorded))
		done
		missing=$((missing - counted_lost)) threads=$((threads + 1))
	done <truth
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
