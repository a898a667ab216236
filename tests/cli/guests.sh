#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Real captures of other kernels, of both byte orders and word sizes, with all that was planted there:
# they are read here as the machines themselves read them (vm/ compares the two), with their symbols,
# modules and names.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
command -v xz >/dev/null || { echo "xz is not installed"; exit 77; }
code=0 count=0

# explain KERNEL: the words whole, of what is long its sum
explain()
{
	"$builddir/kmemtrace-check" --heap "$1" && return 9
	[ $? = 1 ] || return
	"$builddir/kmemtrace-report" -i "$1" -l 12 || return
	"$builddir/kmemtrace-report" findings -i "$1" -l 0 || return
	for view in sites caches leaks timeline events; do
		"$builddir/kmemtrace-report" $view -i "$1" --format=json -l 0 >json || return
		echo "$view: $(wc -l <json) lines of JSON, $(cksum <json)"
	done
}

for fixture in "$srcdir"/data/guests/*.tar.xz; do
	kernel=$(basename "$fixture" .tar.xz)
	xz -dc "$fixture" | tar -xf - || exit 1
	explain "$kernel" >"$kernel.said" || { echo "$kernel: exit status $?"; tail -n 5 "$kernel.said"; code=1; }
	"$srcdir/compare.sh" "$srcdir/data/guests/$kernel.expected" "$kernel.said" || code=1
	grep -q '\[plant\]' "$kernel.said" || { echo "$kernel: the module is not named"; code=1; }
	grep -q '^kmalloc kmalloc-256$' "$kernel/kernel/caches" ||
		{ echo "$kernel: kmalloc's caches are not told: make the fixtures anew"; code=1; }
	count=$((count + 1))
done
[ $count -ge 7 ] || { echo "only $count captures"; exit 1; }
exit $code
