#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The cgroups of tasks: a process that moves is split at the moment, a cgroup that is gone keeps its
# name, and views split by cgroup and container; a capture without the table has neither. Anonymized,
# the groups are the same, without a name of the original.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
report=$builddir/kmemtrace-report
id=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef

wrong()
{
	echo "wrong: $*"
	failed=1
}

"$builddir/tests/mktrace" data <<-END || exit 1
	begin 1us
	symbol 0xffffffff81000000 caller
	symbol 0xffffffff81001000 _etext
	task 10 10 server
	task 11 10 worker
	task 12 12 cron
	alloc 10us 0 0xffff888000001000 100/128 caller+0x10 task=10
	alloc 11us 0 0xffff888000002000 100/128 caller+0x10 task=11
	alloc 12us 0 0xffff888000003000 200/256 caller+0x10 task=12
	alloc 13us 0 0xffff888000004000 200/256 caller+0x10 task=13
	alloc 20us 0 0xffff888000005000 100/128 caller+0x10 task=10
	free 21us 1 0xffff888000005000 caller+0x20 task=12
	alloc 22us 0 0xffff888000006000 100/128 caller+0x10 task=11
	alloc 30us 0 0xffff888000007000 300/512 caller+0x10 task=10
	alloc 31us 0 0xffff888000008000 300/512 caller+0x10 task=11 node=-4097
	end 1ms
END
# that node is any node in a softirq
echo "context all" >>data/kernel/status
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
"$builddir/kmemtrace-check" -q data || wrong "kmemtrace-check"
"$builddir/kmemtrace-pack" -q --anonymize -o copy data || wrong "--anonymize"
grep -E 'docker|cron|0123456789ab' copy/kernel/cgroups && wrong "the copy has an original"
cp -r data missing
rm missing/kernel/cgroups
{
	for view in "events -F time,operation,cgroup,container" "count --by=container --sum=bytes_alloc" \
		"sites --by=cgroup" "leaks --by=cgroup" "sites --where=cgroup==\"/\"" \
		"sites --by=container"; do
		echo "--- $view"
		# shellcheck disable=SC2086 # words
		$report data $view --format=csv 2>&1
	done
	echo "--- anonymized"
	cat copy/kernel/cgroups
	$report copy count --by=container --sum=bytes_alloc --format=csv
	echo "--- without the table"
	$report missing count --by=cgroup,container --format=csv 2>&1
} >out
"$srcdir/compare.sh" "$srcdir/cli/cgroups.expected" out || failed=1
exit $failed
