#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The work of an interrupt is not that of the task that it interrupted: each view and each filter by
# comm, pid, uid, user, thread or task gives it to the interrupt. current_comm and tid are those of
# the interrupted task. A capture without contexts says so.
. "$srcdir/cli/cli.sh"

# nodes: any, in a task; any, in a softirq (-4097), in a hard interrupt (-8193), in an NMI (-12289)
cat >trace <<-END
	begin 1us
	symbol 0xffffffff81000000 caller
	symbol 0xffffffff81001000 _etext
	task 10 10 nginx
	task 12 12 cron
	alloc 10us 0 0xffff888000001000 100/128 caller+0x10 task=10
	alloc 11us 0 0xffff888000002000 200/256 caller+0x20 task=10 node=-4097
	alloc 12us 0 0xffff888000003000 200/256 caller+0x20 task=12 node=-4097
	alloc 13us 0 0xffff888000004000 500/512 caller+0x30 task=10 node=-8193
	alloc 14us 0 0xffff888000005000 1000/1024 caller+0x40 task=12 node=-12289
	alloc 15us 0 0xffff888000006000 2000/2048 caller+0x50 task=12
	free 20us 0 0xffff888000001000 caller+0x60 task=12
	free 21us 0 0xffff888000002000 caller+0x60 task=12
	end 1ms
END
"$mktrace" contexts trace || exit 1
sed 's/ node=.*//' trace | "$mktrace" unknown || exit 1
sed 's/ node=-8193\| node=-12289//' trace | "$mktrace" softirqs || exit 1
echo "context all" >>contexts/kernel/status
echo "context softirq" >>softirqs/kernel/status

try() {
	echo
	echo "\$ kmemtrace-report $*"
	report "$@" 2>&1 || fail "exit $?: $*"
}

report() {
	"$report" "$@"
}

{
	for by in comm pid tid thread current_comm task; do
		try sites contexts --by="$by" --format=csv -F "$by,allocations,bytes_alloc,live_bytes" -s "+$by"
	done
	try sites contexts --by=task -F task,pid,tid,comm,context,allocations --format=csv -s +task
	try leaks contexts --by=comm --format=csv -F comm,live_objects,live_bytes -s +comm
	try flame contexts --by=comm --bytes=allocated --format=folded
	for where in 'comm == "nginx"' 'comm == "softirq"' 'pid == 12' 'uid == null' \
		'current_comm == "nginx"' 'context == "hardirq"'; do
		try count contexts --where="$where" --format=csv -F count
	done
	try count contexts --by=alloc_comm,alloc_pid,alloc_tid --where='operation == "free"' --format=csv
	for filter in --comm=nginx --comm=softirq --comm=nmi --pid=10 '--pid=12 --comm=softirq'; do
		# shellcheck disable=SC2086 # two options
		try sites contexts $filter --by=task --format=csv -F task,allocations -s +task
	done
	for capture in unknown softirqs; do
		try sites $capture --by=comm -F comm,allocations -s +comm
		try sites $capture --comm=softirq --by=task --format=csv -F task,allocations
	done
	report sites contexts --by=comm | grep contexts: && fail "all contexts are known"
	report sites unknown | grep contexts: && fail "no task is asked for"
} >out
compare interrupts.expected out
exit 0
