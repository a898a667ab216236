#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The stacks of a trace.dat: each allocation has the stack that trace-cmd prints behind its event.
. "$srcdir/live/live.sh"
need trace-cmd jq

# recorded without trace-cmd record, which needs the function tracer
tracing=/sys/kernel/tracing/instances
instance=$tracing/$own_name
mkdir "$instance" 2>log || skip "no instance of ftrace can be made: $(cat log)"
before_end "[ ! -d $instance ] || rmdir $instance"
# of this shell and its children
echo 1 >"$instance/options/event-fork"
echo $$ >"$instance/set_event_pid"
for part in options/stacktrace events/kmem/kmalloc/enable events/kmem/kmem_cache_alloc/enable; do
	echo 1 >"$instance/$part" || skip "ftrace has no $part"
done
ls -lR /proc/self/task >out
echo 0 >"$instance/tracing_on"
trace-cmd extract -B "$own_name" -o trace.dat >log 2>&1 || skip "trace-cmd cannot extract: $(tail -n 1 log)"
"$builddir/kmemtrace-import" trace.dat >notes 2>&1 || {
	grep -q 'built without libtracecmd' notes && skip "kmemtrace-import was built without libtracecmd"
	fail "import: $(cat notes)"
}
checked

trace-cmd report trace.dat >printed 2>/dev/null
count() # count EXPRESSION: events of the capture
{
	"$report" count --where="$1" --format=json | jq .query.counted
}
allocations=$(grep -c -e ' kmalloc: ' -e ' kmem_cache_alloc: ' printed)
stacks=$(grep -c 'kernel_stack: ' printed)
# in stacks, not twice in one
grep -q 'lost 0,' notes || skip "ftrace lost events: $(head -n 1 notes)"
names=$(awk '/kernel_stack: / { wanted = 1 } wanted && /^=> getname_flags/ { count++; wanted = 0 } END { print count + 0 }' printed)
echo "$allocations allocations, $stacks stacks, $names with getname_flags"
[ "$stacks" -ge 100 ] && [ "$names" -ge 1 ] || skip "too few stacks"
[ "$(count 'name == "kmalloc" || name == "kmem_cache_alloc"')" = "$allocations" ] || fail "other allocations: $(cat notes)"
[ "$(count 'stack != null')" = "$stacks" ] || fail "$(count 'stack != null') allocations have a stack: $(cat notes)"
[ "$(count 'stack =~ "(^| )getname_flags"')" = "$names" ] ||
	fail "$(count 'stack =~ "(^| )getname_flags"') stacks have getname_flags"
exit 0
