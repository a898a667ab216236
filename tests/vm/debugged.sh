#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A kernel that debugs its slab caches, in each way and in all, or that does not merge them, clears what
# it frees, or has a KFENCE sample each millisecond: kmalloc's caches have the kernel's names, by the size
# that was requested; the bytes for debugging do not count as waste; and slabinfo shows no object that no
# event made.
# $KMEMTRACE_KERNEL: another kernel of the table.
# shellcheck source=tests/vm/vm.sh
. "$srcdir/vm/vm.sh"

kernel=${KMEMTRACE_KERNEL:-7-amd64}
ways=("slub_debug=FZPU" "slub_debug=U" "slub_debug=Z,kmalloc-96,plant_filled" "slub_debug=P" "slub_debug=F"
	"slab_nomerge" "init_on_free=1 kfence.sample_interval=1")

# debug CACHE: the bytes for debugging of an object of the cache, by the files of the kernel
debug_of()
{
	awk -v cache="$1" '$1 == cache { print $4 + $5 + $6 + $7 ? $3 - $2 : 0 }' caches
}

# The stacks of the leak that the kernel keeps are those of the view tracks.
check_tracks()
{
	local expected found

	"$report" tracks -i capture --format=json -l 0 >tracks.json || fail "$1: tracks: exit $?"
	expected=$(awk '/plant_leak/ && $1 ~ /^[0-9]+$/ { print $1 }' traces)
	found=$(jq -r '.tracks[] | select(.source == "slub" and .cache == "kmalloc-96" and (.site | startswith("plant_leak+"))) |
		.objects' tracks.json)
	[ "$found" = "$expected" ] || fail "$1: the kernel keeps the stack of $expected leaked objects, tracks has $found"
	case $1 in
	*FZPU | *=U)
		[ "$found" = 20 ] || fail "$1: 20 objects were leaked, tracks has $found"
		jq -e '.tracks | length > 100 and all(.source == "slub") and (map(select(.path | length > 3)) | length > 100)' \
			tracks.json >/dev/null || fail "$1: few stacks: this proves nothing"
		;;
	*kfence*)
		grep -q 'allocated by task' kfence || fail "$1: KFENCE has no object: this proves nothing"
		jq -e '.tracks | length > 10 and all(.source == "kfence" and .age_max_ns != null and (.path | length > 1))' \
			tracks.json >/dev/null || fail "$1: tracks of KFENCE: $(jq -c '.tracks[:3]' tracks.json)"
		;;
	*) jq -e '.tracks == []' tracks.json >/dev/null || fail "$1: tracks of a kernel that keeps none" ;;
	esac
	echo "$1: tracks: $(jq -c '[.tracks | length, (map(.objects) | add)]' tracks.json)"
}

check_way()
{
	local wrong waste expected flags debug

	checked capture
	# a class is the smallest of the kernel's for the request; those of cgroups and DMA have other names
	"$report" sizes -i capture --format=json -l 0 >sizes.json || fail "$1: sizes: exit $?"
	wrong=$(jq -r '.sizes[] | "\(.cache) \(.from_bytes) \(.to_bytes)"' sizes.json |
		awk 'NR == FNR { if ($1 ~ /^kmalloc-[0-9]+[kM]?$/) size[$1] = $2; next }
			$1 !~ /^kmalloc-[0-9]/ { next }
			!($1 in size) || $3 > size[$1] { print; next }
			{ for (name in size) if (size[name] < size[$1] && size[name] >= $2 && $2) print $0, "not", name }' caches -)
	[ -z "$wrong" ] || fail "$1: wrong classes: $wrong"
	[ "$(jq '.sizes | length' sizes.json)" -gt 20 ] || fail "$1: few requests: this proves nothing"
	# 20 objects of 72 bytes, in a class of 96
	waste=$(json capture sizes '.class_sites[] | select(.site | startswith("plant_leak+")) |
		"\(.cache) \(.live_waste)"')
	[ "$waste" = "kmalloc-96 480" ] || fail "$1: the leak: $waste"
	for cache in kmalloc-96 plant_filled; do
		debug=$(json capture caches ".caches[] | select(.cache == \"$cache\") | .debug_size")
		expected=$(debug_of $cache)
		[ "$debug" = "$expected" ] || fail "$1: $cache: $debug bytes for debugging, the kernel says $expected"
	done
	"$report" -v -i capture | grep '^debugging' >debugging
	flags=$(awk '$1 == "kmalloc-96" { print ($7 ? "F" : "") ($4 ? "Z" : "") ($5 ? "P" : "") ($6 ? "U" : "") }' caches)
	if [ -n "$flags" ]; then
		tr -s '\n ' ' ' <debugging | grep -qF "slab_debug=$flags" ||
			fail "$1: the header does not say slab_debug=$flags: $(cat debugging)"
	else
		[ ! -s debugging ] || fail "$1: nothing is debugged: $(cat debugging)"
	fi
	# what the leak and the full cache hold was seen
	wrong=$(json capture slabinfo '.slabinfo[] | select(.cache == "kmalloc-96" or .cache == "plant_filled") |
		select((.unobserved_objects // 0) != 0) | "\(.cache) \(.unobserved_objects)"')
	[ -z "$wrong" ] || fail "$1: slabinfo shows objects that no event made: $wrong"
	check_tracks "$1"
	echo "$1: kmalloc-96 has $(debug_of kmalloc-96) bytes for debugging; $(wc -l <caches) caches of kmalloc"
}

look_up_fetched "$kernel"
succeed "$srcdir/vm/build-module.sh" "$kernel" "$srcdir/vm/plant" module
for way in "${ways[@]}"; do
	rm -rf "$kernel"
	PARAMETERS=$way in_guest "$kernel" "$srcdir/vm/debugged.guest" module/plant.ko "$srcdir/vm/capture.guest"
	(cd "$kernel" && check_way "$way") || exit
done
exit 0
