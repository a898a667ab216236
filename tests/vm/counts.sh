#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What ftrace counted in a task of other kernels is what was recorded of it, lost of it, or
# skipped by the kernel.
# shellcheck source=tests/vm/vm.sh
. "$srcdir/vm/vm.sh"

value()
{
	awk -v key="$2" '$1 == key { print $2 }' "$1"
}

for kernel in "${guests[@]}"; do
	in_guest "$kernel" "$srcdir/vm/counts.guest"
	checked "$kernel"
	"$builddir/tests/live/count" "$kernel/capture" "$(cat "$kernel/task")" 0 \
		18446744073709551615 >counted || fail "$kernel: the capture cannot be counted"
	lost=$(value counted lost) skipped=$(value counted skipped) missing=0 fired=0
	for event in kmalloc kfree kmem_cache_alloc kmem_cache_free; do
		truth=$(value "$kernel/truth" $event) recorded=$(value counted $event)
		[ "$truth" -ge 600 ] || fail "$kernel: ftrace counted only $truth of $event"
		[ "$recorded" -le "$truth" ] ||
			fail "$kernel: $event: $recorded were recorded, only $truth happened"
		fired=$((fired + truth)) missing=$((missing + truth - recorded))
	done
	echo "$kernel: $release: ftrace counted $fired: $missing are missing, lost" \
		"$lost, skipped $skipped in all tasks"
	[ $missing -ge "$lost" ] || fail "$kernel: $lost lost, but only $missing are missing"
	[ $missing -le $((lost + skipped)) ] ||
		fail "$kernel: $missing are missing, lost $lost, skipped only $skipped"
done
exit 0
