#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The cgroups of tasks: a process that moves is split at the moment, a cgroup that is gone keeps its
# name, and views split by cgroup and container; a capture without the table has neither. Anonymized,
# the groups are the same, without a name of the original.
. "$srcdir/cli/cli.sh"
id=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef

"$mktrace" data <<-END || exit 1
	begin 1us
	symbol 0xffffffff81000000 caller
	symbol 0xffffffff81001000 _etext
	task 10 10 server
	task 11 10 worker
	task 12 12 cron
	gfp 0x400000 __GFP_ACCOUNT
	gfp 0xcc0 GFP_KERNEL
	cache dentry 0xffff888100000100 192 192
	cache buffer_head 0xffff888100000200 104 104
	cache unknown 0xffff888100000300 104 104
	alloc 10us 0 0xffff888000001000 100/128 caller+0x10 task=10
	alloc 11us 0 0xffff888000002000 100/128 caller+0x10 task=11
	alloc 12us 0 0xffff888000003000 200/256 caller+0x10 task=12
	alloc 13us 0 0xffff888000004000 200/256 caller+0x10 task=13
	calloc 14us 0 0xffff88800000f000 dentry caller+0x30 task=10
	alloc 20us 0 0xffff888000005000 100/128 caller+0x10 task=10
	free 21us 1 0xffff888000005000 caller+0x20 task=12
	alloc 22us 0 0xffff888000006000 100/128 caller+0x10 task=11
	alloc 30us 0 0xffff888000007000 300/512 caller+0x10 task=10
	alloc 31us 0 0xffff888000008000 300/512 caller+0x10 task=11 node=-4097
	calloc 40us 0 0xffff888000009000 dentry caller+0x30 task=10 gfp=0xcc0
	calloc 41us 0 0xffff88800000a000 buffer_head caller+0x30 task=10 gfp=0xcc0
	calloc 42us 0 0xffff88800000b000 buffer_head caller+0x30 task=10 gfp=0x400cc0
	calloc 43us 0 0xffff88800000c000 unknown caller+0x30 task=10 gfp=0xcc0
	calloc 44us 0 0xffff88800000d000 dentry caller+0x30 task=10 node=-4097
	calloc 45us 0 0xffff88800000e000 dentry caller+0x30 task=13
	alloc 46us 0 0xffff888000010000 300/512 caller+0x10 task=10 gfp=0x400cc0
	end 1ms
END
# that node is any node in a softirq
echo "context all" >>data/kernel/status
sed -i "s/ dentry\$/& accounted/; s/ buffer_head\$/& unaccounted/" data/kernel/caches
cat >data/kernel/cgroups <<-END
	cgroup 1 0 /
	cgroup 40 0 /system.slice/docker-$id.scope
	cgroup 41 0 /system.slice/cron.service
	member 10 0 1
	member 11 0 1
	member 12 0 41
	process 10 20000 40
	gone 40 25000
	member 11 30000 41
END
"$check" -q data || wrong "kmemtrace-check"
"$pack" -q --anonymize -o copy data || wrong "--anonymize"
grep -E 'docker|cron|0123456789ab' copy/kernel/cgroups && wrong "the copy has an original"
# sampled allocations of 256 bytes, which are 1 in 4.4
"$mktrace" profiled <<-END || exit 1
	sampling 1000 profile=1
	symbol 0xffffffff81000000 caller
	symbol 0xffffffff81001000 _etext
	gfp 0x400000 __GFP_ACCOUNT
	stack 0xa1 0 caller+0x10
	stack_of 10us 0 0xffff888000001000 caller+0x10 0xa1 task=10
	alloc 10us 0 0xffff888000001000 200/256 caller+0x10 task=10 gfp=0x400000
	stack_of 11us 0 0xffff888000002000 caller+0x10 0xa1 task=10
	alloc 11us 0 0xffff888000002000 200/256 caller+0x10 task=10 gfp=0x400000
	stack_of 12us 0 0xffff888000003000 caller+0x10 0xa1 task=10
	alloc 12us 0 0xffff888000003000 200/256 caller+0x10 task=10
	free 13us 0 0xffff888000001000 caller+0x20 task=12
	stack_of 14us 0 0xffff888000004000 caller+0x10 0xa1 task=12
	alloc 14us 0 0xffff888000004000 200/256 caller+0x10 task=12
	end 1ms
END
echo "context all" >>profiled/kernel/status
sed 's/^member 10 0 1$/member 10 0 40/' data/kernel/cgroups >profiled/kernel/cgroups
cp -r data missing
rm missing/kernel/cgroups
cp -r data uncharged
echo uncharged >>uncharged/kernel/cgroups
"$check" -q uncharged || wrong "kmemtrace-check uncharged"
"$pack" -q --anonymize -o uncharged-copy uncharged || wrong "--anonymize uncharged"
{
	for view in "events -F time,operation,cgroup,container,charged,type" "count --by=container --sum=bytes_alloc" \
		"sites --by=cgroup" "leaks --by=cgroup" "sites --where=cgroup==\"/\"" \
		"sites --by=container" "leaks --by=cgroup,charged -F cgroup,charged,live_objects,live_bytes"; do
		echo "--- $view"
		# shellcheck disable=SC2086 # words
		$report data $view --format=csv 2>&1
	done
	for view in cgroups "cgroups --where=charged -s allocations" "cgroups --by=cpu" "cgroups -l 1 --time=25us,1ms"; do
		echo "--- $view"
		# shellcheck disable=SC2086 # words
		$report data $view 2>&1 | sed '/^capture/,/^$/d; /^Try /,$d'
	done
	echo "--- cgroups, all known, in JSON"
	$report data cgroups --format=json --where='charged != null' | sed -n '/"cgroups": /,$p'
	echo "--- anonymized"
	cat copy/kernel/cgroups
	sed -n "s/^cache [^ ]* //p" copy/kernel/caches
	$report copy count --by=container --sum=bytes_alloc --format=csv
	echo "--- without a memory controller"
	grep uncharged uncharged-copy/kernel/cgroups
	$report uncharged count --by=charged --format=csv
	echo "--- estimates"
	$report profiled cgroups --format=csv
	$report profiled cgroups | sed '/^capture/,/^$/d; /^$/,$d'
	$report profiled count --by=operation,comm --sum=bytes_alloc --count=age --format=csv
	$report profiled count --sum=bytes_alloc,age --avg=bytes_req --min=cpu --max=age |
		sed '/^capture/,/^$/d'
	$report profiled count --comm=absent --sum=bytes_alloc --sum=age --format=csv
	echo "--- without the table"
	$report missing cgroups --format=csv 2>&1
	$report missing count --by=cgroup,container --format=csv 2>&1
} >out
# what a cgroup is charged for, but no event reports, is named
[ "$($report data cgroups | grep '^not shown')" = 'not shown memory without events, as vmalloc and page tables: see memory.stat' ] ||
	wrong "not shown: $($report data cgroups | head)"
compare cgroups.expected out
exit $failed
