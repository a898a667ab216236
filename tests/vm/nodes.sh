#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# On a machine with two NUMA nodes, memory_node and addr_to_node() are those of the kernel's own map of
# pages, and the view nodes counts what crosses: allocations and frees of the other node's memory.
# shellcheck source=tests/vm/vm.sh
. "$srcdir/vm/vm.sh"

kernel=${KMEMTRACE_KERNEL:-6.12-amd64}
succeed "$srcdir/vm/build-module.sh" "$kernel" "$srcdir/vm/nodes" module
NODES=2 in_guest "$kernel" "$srcdir/vm/nodes.guest" module/nodes.ko
cd "$kernel" || exit 1
checked capture
grep -q '^ok *memory *its NUMA nodes are known' doctor || fail "doctor: $(grep memory doctor)"

events()
{
	"$report" events -i capture --probes=vm.kmalloc_node --format=json "$@" \
		--where='comm == "insmod" && module == "[nodes]"'
}
sort truth >sorted
awk '{ n[$2]++ } END { exit !(n[0] == 15 && n[1] == 15) }' truth || fail "the module said: $(cat truth)"
events -F 'ptr,memory_node,requested_node,addr_to_node(ptr)' >found || fail "the report: exit $?"
jq -r '"\(.ptr[2:]) \(.memory_node)"' found | sort >nodes
[ -z "$(comm -13 sorted nodes)" ] && [ "$(comm -23 sorted nodes | wc -l)" -le "$(gaps capture)" ] ||
	fail "the nodes of the memory differ: $(diff sorted nodes)"
jq -e 'select(.memory_node != ."addr_to_node(ptr)" or .memory_node != .requested_node)' found &&
	fail "these objects lie on another node than requested"

# what crosses, from the events and from the view, which counts each event by itself
json capture nodes '.nodes[] | select(.node != null) | "\(.node) \(.other_node_memory)"' >view
"$report" count -i capture --by=node --format=json \
	--where='operation == "allocation" && outcome == "allocated" && memory_node != node' |
	jq -r '.count[] | "\(.node) \(.count // .events)"' >counted
diff <(sort view | grep -v ' 0$') <(sort counted) || fail "the view nodes differs from the events"
awk '{ sum += $2 } END { exit sum < 15 }' view || fail "no crossing was counted: $(cat view)"
exit 0
