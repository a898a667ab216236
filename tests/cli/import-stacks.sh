#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Imports the stacks of allocations: those that perf script -g prints, also without offsets and with
# addresses of the file vmlinux, those of processes, which are left out, and those of ftrace.
. "$srcdir/cli/cli.sh"

cat >System.map <<'END'
c0000000003ce000 t .ext4_find_extent
c0000000003ce200 t .ext4_ext_drop_refs
c0000000003cf000 t .other
END
cat >vmlinux.txt <<'END'
jbd2/dm-9-8  7666 [000]  4666.621521: kmem:kmalloc: call_site=c0000000003ce108 ptr=0xc000000fcd646360 bytes_req=96 bytes_alloc=96 gfp_flags=GFP_NOFS|GFP_ZERO
                  27f1dc .__kmalloc (/boot/vmlinux)
                       0 [unknown] ([unknown])
                  3de108 .ext4_find_extent (/boot/vmlinux)
                   19568 .ret_from_kernel_thread (/boot/vmlinux)

jbd2/dm-9-8  7666 [000]  4666.621581: kmem:kfree: call_site=c0000000003ce208 ptr=0xc000000fcd646360
                  27f1dc .kfree (/boot/vmlinux)
                  3de108 .ext4_ext_drop_refs (/boot/vmlinux)

END
cat >offsets.txt <<'END'
# arch : x86_64
ls 7 [000] 5.000000001: kmem:kmem_cache_alloc: call_site=getname_flags.part.0+0x24 ptr=0xffff888100001000 name=names_cache bytes_req=4096 bytes_alloc=4096 gfp_flags=GFP_KERNEL node=-1
	ffffffff81638677 kmem_cache_alloc_noprof+0x227 ([kernel.kallsyms])
	ffffffff816cc5c4 getname_flags.part.0+0x24 ([kernel.kallsyms])
	ffffffff816b7472 add+0x42 (inlined)
	ffffffffc06b7473 dead+0x43 ([ext4])
	ffffffffc06b7474 beef+0x44 (/lib/modules/6.18.0/kernel/fs/jbd2/jbd2.ko.xz)
	ffffffff816b795d __x64_sys_openat+0x5d ([kernel.kallsyms])
	ffffffff821ef691 do_syscall_64+0x71 ([kernel.kallsyms])
	           f8090 __GI___libc_open+0xd0 (/usr/lib/x86_64-linux-gnu/libc.so.6)
	746174732f343338 [unknown] ([unknown])

ls 7 [000] 5.000000002: sched:sched_switch: prev_comm=ls
	ffffffff81638677 schedule+0x227 ([kernel.kallsyms])

ls 7 [000] 5.000000003: kmem:kmalloc: call_site=foo+0x10 ptr=0xffff888100002000 bytes_req=64 bytes_alloc=64 gfp_flags=GFP_KERNEL node=-1
ls 7 [000] 5.000000004: kmem:kmalloc: call_site=foo+0x10 ptr=0xffff888100003000 bytes_req=64 bytes_alloc=64 gfp_flags=GFP_KERNEL node=-1
	ffffffff816cc5c4 [unknown] ([unknown])
	ffffffff816cc5c4 foo+0x10 ([kernel.kallsyms])
END
cat >ftrace.txt <<'END'
              sh-18863   [000] ..... 76128.559929: kmalloc: call_site=tracepoint_add_func+0x10d/0x490 ptr=000000002da26e92 bytes_req=64 bytes_alloc=64 gfp_flags=GFP_KERNEL node=-1 accounted=false
              sh-18863   [000] ..... 76128.559990: <stack trace>
 => trace_event_raw_event_kmalloc
 => __kmalloc_noprof
 => tracepoint_add_func
 => tracepoint_probe_register
 => __x64_sys_write
 => do_syscall_64
              sh-18863   [000] ..... 76128.560000: kmalloc: call_site=fade+0x1/0x4 ptr=000000002da26e93 bytes_req=64 bytes_alloc=64 gfp_flags=GFP_KERNEL node=-1 accounted=false
              ls-18864   [001] ..... 76128.560001: kmalloc: call_site=f+0x1/0x4 [mod] ptr=000000002da26e94 bytes_req=64 bytes_alloc=64 gfp_flags=GFP_KERNEL node=-1 accounted=false
              sh-18863   [000] ..... 76128.560002: <stack trace>
 => fade
              ls-18864   [001] ..... 76128.560003: kernel_stack:         <stack trace >
=> add+0x7/0x9 (ffffffff81234567)
=> f+0x1/0x4 [mod] (ffffffff81234568)
=> caller (ffffffff81234569)
END
{
	for text in vmlinux offsets ftrace; do
		echo "--- $text"
		symbols=''
		[ $text != vmlinux ] || symbols=--symbols=System.map
		"$builddir/kmemtrace-import" $symbols -o got $text.txt 2>&1
		"$check" got && "$report" events --format=csv -l 0 --fields=event,site,stack -i got 2>&1
		cat got/kernel/stacks
		grep -E '^(sample|stacks)_' got/kernel/status
	done
	"$report" flame --format=folded -i got 2>&1
} >out
compare import-stacks.expected out
