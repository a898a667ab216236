#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The process events of the view timeline in all formats, with filters, in slices that double, of
# probes that had no event; their sums are those of the view count; sums that overflow.
. "$srcdir/cli/cli.sh"
need jq

cat >trace <<-END
	kernel 6.12.0
	begin 1s
	end 2s
	symbol 0xffffffff81000000 caller
	cpu 0 node 0
	cpu 1 node 0
	task 10 10 sh
	task 20 20 nginx
	alloc 1000ms 0 0xffff888000100000 100/128 caller+0x10 task=10
	pagefault.return 1011ms 0 0x7f0000001008 0x555500001234 2 task=10
	pagefault.return 1012ms 1 0x7f0000002008 0x555500001234 2 task=20
	pagefault.return 1013ms 1 0x7f0000003008 0x555500001234 3 task=20
	pagefault.return 1014ms 1 0x7f0000004008 0x555500001234 1 task=20
	pagefault.return 1015ms 1 0x7f0000004008 0x555500001234 0 task=20
	mmap 1201ms 0 0 8192 task=20
	mmap 1202ms 0 0 0x8000000000000000 task=20
	munmap 1203ms 0 0x7f0000010000 4096 task=20
	brk 1204ms 0 0x555500100000 135168 task=10
	munmap 1405ms 0 0x7f0000010000 65536 task=20
	brk 1406ms 1 0x555500090000 -4096 task=20
	brk 1407ms 0 0 0 task=10
	pagefault 1500ms 0 0x7f0000001008 0x555500001234 0 task=10
	write_shared 1500ms 0 0x7f0000001008 task=10
	free 1600ms 0 0xffff888000100000 caller+0x20 task=10
	oom_kill 1650ms 1 10 task=20
	pagefault.return 1900ms 1 0x7f0000005008 0x555500001234 2 task=20
	complete yes
END
"$mktrace" kmemtrace.data <trace || exit 1
sed 's/complete yes/complete no/; /^end/d' trace | "$mktrace" cut || exit 1
# a brk of an unknown length, and large sums
sed -e 's/^brk 1407ms 0 0 0/brk 1407ms 0 0 unknown/' -e 's/ 8192 / 0x7fffffffffffffff /' \
	-e 's/^munmap 1203ms 0 0x7f0000010000 4096/mmap 1203ms 0 0 1/' trace |
	"$mktrace" large || exit 1
# recorded, without any event
grep -v '^pagefault\|^write_shared\|^mmap\|^munmap\|^brk\|^oom' trace >none
"$mktrace" slab <none || exit 1
{
	cat none
	echo 'probe vm.pagefault.return 0 0 software event'
	echo 'probe vm.mmap 0 0 tracepoint'
	echo 'no_probe vm.munmap there is no tracepoint'
	echo 'probe vm.oom_kill 0 0 tracepoint'
} | "$mktrace" zero || exit 1

# The slices with process events, without the columns of slab objects.
try()
{
	echo "--- $*"
	$report timeline --format=csv "$@" | tr -d '\r' | cut -d, -f1,2,15-19 |
		awk -F, 'NR == 1 || $3 || $4 || $5 || $6 || $7'
}
{
	$report timeline
	try
	try -i cut
	try -i large
	try --comm nginx
	try --time=0.2,0.4
	try --cpu 1
	try --older 1ms
	for capture in slab zero; do
		echo "--- $capture"
		$report $capture timeline --format=json -l 1 |
			jq -c '.timeline[] | [.minor_faults, .major_faults, .mmap_growth_bytes,
				.brk_growth_bytes, .oom_kills]'
	done
} >out 2>&1
compare report-timeline-process.expected out

# sums OPTION…: the sums of the slices, and those of the view count
sums()
{
	$report timeline -l 0 --format=json "$@" | jq -c '[.timeline[]] | [(map(.minor_faults) | add),
		(map(.major_faults) | add), (map(.mmap_growth_bytes) | add),
		(map(.brk_growth_bytes) | add), (map(.oom_kills) | add)]' >slices
	$report count --by=name,fault_type --sum=length --where='length == null || length < 1M' \
		--format=json "$@" | jq -c '.count |
		[(map(select(.fault_type == 2).count) | add), (map(select(.fault_type == 3).count) | add),
		(map(select(.name == "mmap").sum_length) | add) -
			(map(select(.name == "munmap").sum_length) | add),
		(map(select(.name == "brk").sum_length) | add),
		(map(select(.name == "oom_kill").count) | add)]' >counted
	diff slices counted || { echo "of $*: the view count (+) differs"; failed=1; }
}
sums -i kmemtrace.data
sums -i cut
sums --comm nginx
exit $failed
