#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# perf script prints each event with the print format of its kernel: lines in the print formats of
# several kernels give the same capture, except for fields that a kernel does not record.
. "$srcdir/cli/cli.sh"

# print EVENT PTR REQUESTED ALLOCATED GFP CACHE: prints its line, if this kernel has the event
print()
{
	[ -e "$formats/$1.format" ] || return
	seconds=$((seconds + 1))
	awk -v head="task 7 [001] $seconds.000000000: kmem:$1: " -v pointer="$2" -v requested="$3" \
		-v allocated="$4" -v gfp="$5" -v cache="$6" '/^print fmt: / {
		split($0, part, "\"")
		line = part[2]
		sub(/call_site=%pS/, "call_site=a_function+0x1c/0x40 [some_module]", line)
		sub(/ptr=%p/, "ptr=" pointer, line)
		sub(/bytes_req=%zu/, "bytes_req=" requested, line)
		sub(/bytes_alloc=%zu/, "bytes_alloc=" allocated, line)
		sub(/gfp_flags=%s/, "gfp_flags=" gfp, line)
		sub(/node=%d/, "node=2", line)
		sub(/accounted=%s/, "accounted=false", line)
		sub(/name=%s/, "name=" cache, line)
		if (line ~ /%/) {
			print "not known: " line >"/dev/stderr"
			exit 1
		}
		print head line
	}' "$formats/$1.format" || exit 1
}

for formats in "$srcdir"/data/formats/*; do
	[ -e "$formats/kmem_cache_alloc.format" ] || continue
	seconds=0
	{
		print kmalloc 0xffff888000001000 100 128 "GFP_KERNEL|__GFP_ZERO" ""
		print kmalloc_node 0xffff888000002000 200 256 GFP_NOWAIT ""
		print kfree 0xffff888000001000 "" "" "" ""
		print kmem_cache_alloc 0xffff888000003000 192 200 GFP_KERNEL_ACCOUNT two_words
		print kmem_cache_alloc_node 0xffff888000004000 64 64 GFP_ATOMIC dentry
		print kmem_cache_free 0xffff888000003000 "" "" "" two_words
		print kmem_cache_free 0xffff888000005000 "" "" "" dentry
		print kfree '(nil)' "" "" "" ""
	} >lines
	echo "=== ${formats##*/}"
	"$builddir/kmemtrace-import" -q -o data lines || exit 1
	"$check" data || exit 1
	"$report" events --format=csv -l 0 -i data |
		tr -d '\r' | cut -d , -f 1,6,7,9-17
	sed -n '/^cache/p' data/kernel/caches
	"$report" findings --format=csv -i data | tr -d '\r' | sed 1d
done >out
[ "$(grep -c === out)" -eq 5 ] || { cat out; exit 1; }
compare import-layouts.expected out
