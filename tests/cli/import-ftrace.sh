#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Imports a real text of ftrace and one of trace-cmd report, whose format it finds: the events view
# shows each line with the values of the text. Then cases that these texts lack: other options and
# clocks of ftrace, other formats of a line, lost events, buffers, odd names of tasks.
. "$srcdir/cli/cli.sh"

# show TEXT: imports it, and compares each event: cpu tid event pointer requested allocated gfp site
show()
{
	"$builddir/kmemtrace-import" "$1" >notes 2>&1 || { cat notes >&2; exit 1; }
	"$check" >check || { cat check >&2; exit 1; }
	"$report" events --format=csv -l 0 >report 2>errors || { cat errors >&2; exit 1; }
	awk '/ call_site=/ {
		for (at = 1; $at !~ /^\[/; at++)
			;
		cpu = $at; gsub(/[][]/, "", cpu)
		tid = $(at - 1); sub(/.*-/, "", tid)
		while ($at !~ /^(kmalloc|kfree|kmem_cache_alloc|kmem_cache_free):$/)
			at++
		event = $at; sub(/:/, "", event)
		delete value
		for (i = at + 1; i <= NF; i++) {
			split($i, pair, "=")
			value[pair[1]] = pair[2]
		}
		pointer = value["ptr"]
		sub(/\(nil\)/, "0x0", pointer); sub(/^0x0*/, "", pointer); sub(/^0*/, "", pointer)
		sub(/\/.*/, "", value["call_site"])
		print cpu + 0, tid, event, "0x" (pointer == "" ? 0 : pointer), value["bytes_req"],
			value["bytes_alloc"], value["gfp_flags"], value["call_site"]
	}' "$1" >expected
	awk -F, '!/^#/ && $1 ~ /^[0-9]/ {
		free = $6 ~ /free/
		if ($15 ~ /[+].*[+]/)
			sub(/[+]0x0$/, "", $15) # far behind its symbol
		print $2, $3, $6, $9, free ? "" : $10, free ? "" : $11, $13, $15
	}' report >got
	diff -u expected got >&2 || exit 1
	grep -v '^note: addresses' notes
	"$report" sites -v | grep -E '^(allocated|live)' | sed 's/;.*//'
}

gunzip -c "$srcdir/data/ftrace.txt.gz" >trace.txt
gunzip -c "$srcdir/data/trace-cmd-report.txt.gz" >report.txt
printf '%s\n' '  <idle>-0     [001] d.h1.   504.000001: sched_waking: comm=a pid=1' \
	'# entries-in-buffer/entries-written: 15/105   #P:2' \
	'         a-1-77    [001] .....   504.000002: kfree: call_site=f+0xA/0xB [mod] ptr=          (null)' >bare.txt
# tests/data has the first buffer of a recording of trace-cmd; here is a second, with the same event
cat >odd.txt <<'END'
CPU:1 [LOST 5 EVENTS]
            sh-11      [001] ..... 10.000001: sched_waking: comm=a pid=1
            sh-11      (  10) [001] ..... 10.000002: kmalloc: call_site=f+0xA/0xB0 [mod] (-21) ptr=0xffff888100001000 (-13) bytes_req=0x28 (40) bytes_alloc=0x40 (64) gfp_flags=0xcc0 (3264) node=0xffffffff (-1)
            sh-11      (-------) [001] d.h1. 10.000003: kmem_cache_alloc_node: call_site=g+0x1/0x9 ptr=ffff888100002000 name=vm_area_struct bytes_req=0x18 (24) bytes_alloc=0x20 (32) gfp_flags=0xcc0 (3264) node=0x1 (1) accounted=(1)
             x y-z-12 [000] 10.000004: kfree:                (f+0x1d) call_site=f+0x1d ptr=          (null)
   kmalloc: 1.0: -13   [000] .....    10.000005: kfree: call_site=0xffffffff81234567 ptr=ffff888100001000
         <...>-14    [000] .....    10.000006000: kfree: call_site=ffffffff81234568 ptr=(nil)
          <idle>-0     [000] d.s1.    10.000006500: kmem_cache_free: call_site=g+0x2/0x9 ptr=0xffff888100002000 name=vm_area_struct
CPU:0 [7 EVENTS DROPPED]
CPU:0 [LOST EVENTS]
      sh-15        1d.h2. 10.000007: kfree: call_site=g+0x3 ptr=(nil)
      sh-15        1d.h2. 12us+: kfree: call_site=g+0x3 ptr=(nil)
 => kfree
 => do_exit
            sh-11      [001] ..... 10.000008: kfree_skb: call_site=f ptr=0xffff888100001000
            sh-11      [001] ..... 10.000009: mm_page_free: page=00000000 pfn=0x1 order=0
            sh-11      [001] ..... 10.000010: tracing_mark_write: kmalloc: call_site=f ptr=0x1000
            sh-11      [001] .....     7612852: kfree: call_site=g+0x4 ptr=(____ptrval____)
            sh-nine    [001] ..... 10.000012: kfree: call_site=g+0x4 ptr=(nil)
            sh-11      [001] kfree: call_site=g+0x4 ptr=(nil)
            sh-11      [001] ..... 10.000013: kmalloc: call_site=g+0x4 ptr=0xffff888100003000 bytes_req=40 bytes_alloc=
CPU:1 [LOST 2 EVENTS]
            sh-11      [001] ..... 10.000014: kfree: call_site=g+0x4 ptr=(ni
END
sed 's/$/\r/' odd.txt | head -n 8 >crlf.txt
{
	echo 'cpus=1'
	echo 'imp:              sh-11    [000] 10.000001: kfree:                (g+0x1) call_site=g+0x1 ptr=(nil)'
	echo '                  sh-11    [000] 10.000001: kfree:                (g+0x1) call_site=g+0x1 ptr=(nil)'
	echo 'imp: 0123456789abcde-11    [000] 10.000002: kfree:                (g+0x1) call_site=g+0x1 ptr=(nil)'
} >buffers.txt
{
	echo '            sh-11    [000] ..... 16: kfree: call_site=g+0x1 ptr=(nil)'
	echo '            sh-11    [000] ..... 16: kfree: call_site=g+0x1 ptr=(nil)'
} >jiffies.txt
echo '            sh-11    [000] ..... kfree: call_site=g+0x1 ptr=(nil)' >untimed.txt
{
	show trace.txt
	show report.txt
	for text in bare crlf odd buffers jiffies untimed; do
		echo "--- $text"
		rm -rf got
		"$builddir/kmemtrace-import" -o got $text.txt 2>&1
		[ ! -e got ] || { "$check" got && "$report" events --format=csv -l 0 -i got 2>&1; }
	done
} >out
compare import-ftrace.expected out
