#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Texts of perf script with lines that are easily misread: null pointers, no call site, names of
# tasks that look like events. Then texts none of whose events can be imported: the error names the
# first such line, and why.
. "$srcdir/cli/cli.sh"

# The task "app" has an event in each line of standard input.
app()
{
	nl -ba -n rz -w 9 | sed 's/^\(.........\)\t/    app  100 [000]    10.\1: kmem:/'
}

app >nil.txt <<'END'
kfree: call_site=foo+0x10 ptr=(nil)
kfree: call_site=foo+0x10 ptr=          (null)
kmalloc: call_site=foo+0x10 ptr=0xffff888100001000 bytes_req=64 bytes_alloc=64 gfp_flags=GFP_KERNEL|GFP_ZERO
kmalloc: call_site=foo+0x10 ptr=(nil) bytes_req=64 bytes_alloc=0 gfp_flags=0
kmalloc: call_site=foo+0x10 ptr=0xffff888100002000 bytes_req=64 bytes_alloc=64 gfp_flags=0xcc0
kmalloc_node: call_site=0 ptr=0xffff888100003000 bytes_req=64 bytes_alloc=64 gfp_flags=GFP_KERNEL node=1
kfree: call_site= ptr=0xffff888100003000
END
app >null.txt <<'END'
kfree: call_site=foo+0x10 ptr=          (null)
END
cat >comm.txt <<'END'
  test:.sh  1299 [001]  2886.040608000:  kmem:kmem_cache_alloc: call_site=getname_flags+0x47 ptr=0xffff888100001000 bytes_req=4096 bytes_alloc=4096 gfp_flags=GFP_KERNEL node=-1 accounted=false
  test:.sh  1299 [001]  2886.040708000:   kmem:kmem_cache_free: call_site=putname+0xa4 ptr=0xffff888100001000 name=names_cache
  my app [001]  1300 [001]  2886.050608000:  kmem:kmalloc: call_site=foo+0x47 ptr=0xffff888100002000 bytes_req=100 bytes_alloc=128 gfp_flags=GFP_KERNEL node=-1 accounted=false
  kmalloc: x  1301 [001]  2886.060608000:  kmem:kmalloc: call_site=foo+0x47 ptr=0xffff888100003000 bytes_req=100 bytes_alloc=128 gfp_flags=GFP_KERNEL node=-1 accounted=false
  kworker/u8:2-ev    77 [000]  2886.070608000:  kmem:kmalloc: call_site=foo+0x47 ptr=0xffff888100004000 bytes_req=100 bytes_alloc=128 gfp_flags=GFP_KERNEL node=-1 accounted=false
END
{
	for text in nil null comm; do
		echo "--- $text"
		"$builddir/kmemtrace-import" -o got $text.txt 2>&1
		"$check" got && "$report" events --format=csv -l 0 -i got 2>&1
	done
	rm -rf got got.old
	for lines in 'kfree: call_site=f+0x1 ptr=(____ptrval____)' 'kfree: call_site=f+0x1' \
		'kmalloc: call_site=f+0x1 ptr=0x1000 bytes_req=many bytes_alloc=8' \
		'kmalloc: call_site=f+0x1 ptr=0x1000 bytes_req=9 bytes_alloc=8' \
		'kfree: call_site=f+0x1 ptr=0x5' 'kfree: call_site=1 ptr=0x1000' \
		'mm_page_alloc: page=0x1 pfn=1 order=0 migratetype=0 gfp_flags=GFP_KERNEL'; do
		{ echo '# a comment'; echo "$lines" | app; echo "$lines" | app; } >text
		echo "--- $lines"
		"$builddir/kmemtrace-import" -o got text 2>&1 && echo imported
		sed 's/app  100/app-100/; s/kmem://' text >ftrace
		"$builddir/kmemtrace-import" --format=ftrace -o got ftrace 2>&1 && echo imported
	done
	echo 'app x 1.000000: kmem:kfree: call_site=f+0x1 ptr=0x1000' >text
	"$builddir/kmemtrace-import" -o got text 2>&1 && echo imported
	ls
} >out
compare import-perf-lines.expected out
