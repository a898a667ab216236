#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A call site that leaks an object now and then, among a million correct events, is first in the
# leaks view.
# shellcheck source=tests/vm/vm.sh
. "$srcdir/vm/vm.sh"

echo "leak 125" >planted
[ ${#guests[@]} -gt 0 ] || skip "the lab has no kernel of this machine's architecture"
for kernel in "${guests[@]}"; do
	in_guest "$kernel" "$srcdir/vm/capture.guest" planted
	events=$(json "$kernel/capture" leaks .totals.allocations)
	first=$(json "$kernel/capture" leaks '.leaks[0] | "\(.live_objects) \(.site)"')
	[[ $first == "125 plant_leak+"*" [plant]" ]] || fail "$kernel: the first leak is" \
		"not plant_leak, with 125 objects: $(json "$kernel/capture" leaks '.leaks[:3]')"
	[ "$events" -ge 500000 ] || fail "$kernel: only $events allocations: this proves little"
	echo "$kernel: $release: the leak was found among $events allocations"
done
exit 0
