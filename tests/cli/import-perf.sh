#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Imports a real text of perf script: the events view shows each line with the values of the text.
# Then cases that the real text lacks: hashed pointers, no CPU, bad lines, old kernels.
. "$srcdir/cli/cli.sh"
text=$srcdir/data/perf-script.txt

"$builddir/kmemtrace-import" "$text" >notes 2>&1 || { cat notes; exit 1; }
"$check" >check || { cat check; exit 1; }
"$report" events --format=csv -l 0 >report 2>errors || { cat errors; exit 1; }

# both as: cpu tid event pointer requested allocated gfp site
awk '/ kmem:/ {
	for (at = 1; $at !~ /^\[/; at++)
		;
	cpu = $at; gsub(/[][]/, "", cpu)
	event = $(at + 2); gsub(/kmem:|:/, "", event)
	delete value
	for (i = at + 3; i <= NF; i++) {
		split($i, pair, "=")
		value[pair[1]] = pair[2]
	}
	sub(/\(nil\)/, "0x0", value["ptr"])
	print cpu + 0, $(at - 1), event, value["ptr"], value["bytes_req"], value["bytes_alloc"],
		value["gfp_flags"], value["call_site"]
}' "$text" >expected
awk -F, '!/^#/ && $1 ~ /^[0-9]/ {
	free = $6 ~ /free/
	print $2, $3, $6, $9, free ? "" : $10, free ? "" : $11, $13, $15
}' report >got
[ "$(grep -c ' kmem:' "$text")" -eq "$(wc -l <expected)" ] && [ -s expected ] || exit 1
diff -u expected got || exit 1

# times are in the order of the lines, and differ from those by a microsecond at most
awk '/ kmem:/ { for (at = 1; $at !~ /^\[/; at++); split($(at + 1), t, "[.:]"); print t[1] t[2] }' \
	"$text" >line-times
awk -F, '!/^#/ && $1 ~ /^[0-9]/ { print $1 }' report | paste -d " " line-times - | awk '
	NR == 1 { base = $1 }
	$2 <= last && NR > 1 { print "goes back: " $0; bad = 1 }
	$2 < ($1 - base) * 1000 || $2 >= ($1 - base) * 1000 + 1000 { print "moved: " $0; bad = 1 }
	{ last = $2 }
	END { exit bad }' || exit 1
lost=$(awk '/PERF_RECORD_LOST/ { lost += $NF } END { print lost }' "$text")
grep -q "lost $lost," notes && grep -q "lost $lost," check || { cat notes check; exit 1; }
"$report" | grep -q '^capture   vm: Linux 6.18.44-fc-v669 x86_64' || exit 1

cat >odd.txt <<'END'
# a comment with kmem:kfree: in it
two words   7/8   [002] 5.000001: kmem:kmalloc: call_site=f+0x1/0x20 [some_mod] ptr=00000000abcdef01 bytes_req=10 bytes_alloc=16 gfp_flags=GFP_KERNEL
	ffffffff81000000 stack+0x1 ([kernel.kallsyms])

two words   7/8   [002] 5.000001: kmem:kfree: (g+0x2) call_site=g+0x2 ptr=00000000abcdef01
old 9 5.000002: kmem:kmem_cache_alloc_node: call_site=ffffffff81234567 ptr=0xffff880000001000 bytes_req=20 bytes_alloc=24 gfp_flags=GFP_KERNEL|GFP_ZERO node=1
old 9 [000] 5.000002: kmem:kmem_cache_free: call_site=ffffffff81234568 ptr=0xffff880000001000
old 9 [000] 5.000003: kmem:mm_page_alloc: page=0x1 pfn=1 order=0 migratetype=0 gfp_flags=GFP_KERNEL
old 9 [000] 5.000003: sched:sched_switch: prev_comm=kmem: prev_pid=1
old 9 [000] 5.000004: kmem:kfree: call_site=h+0x3 ptr=(____ptrval____)
old 9 [000] 5.000005: kmem:kmalloc: call_site=h+0x3 ptr=0xffff880000002000 bytes_req=1
old nine [000] 5.000006: kmem:kfree: call_site=h+0x3 ptr=0xffff880000002000
old 9 [000] 5.000007000: PERF_RECORD_LOST lost 3
old 9 [000] 5.000008000: kmem:kfree: call_site=h+0x3 ptr=0xffff880000003000
old 9 [000] 5.000008100: kmem:kfree: call_site=h+0x40c04 [far_mod] ptr=0xffff880000003000
old 9 [000] 5.000008200: kmem:kfree: call_site=h+0xba532 [far_mod] ptr=0xffff880000003000
END
printf '%s\n' 'ffffffff81234000 T first' 'ffffffff81234568 t second' 'c0001000 t far' >symbols
{
	"$builddir/kmemtrace-import" --format=perf --symbols=symbols -o odd odd.txt 2>&1
	"$check" odd
	"$report" events --format=csv -l 0 -i odd 2>&1
	cat odd/kernel/caches odd/kernel/gfp odd/kernel/tasks
} >out
compare import-perf.expected out
