#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Fields of allocations in the views that show objects: --by with several fields, --where, and -F with
# the columns of a table; figures equal to those that jq computes from the events; wrong options.
. "$srcdir/cli/cli.sh"
need jq

"$mktrace" kmemtrace.data <"$srcdir/cli/views.trace" || exit 1
"$mktrace" events <"$srcdir/cli/events.trace" || exit 1
# the users of some tasks, as a capture with uids has them
sed 's/^task 10 10/user 1000\n&/; s/^task 20/user 0\n&/' "$srcdir/cli/views.trace" |
	"$mktrace" users || exit 1
printf 'user 1000 ann\\x1b[1m\nuser 7 mail\n' >>users/kernel/tasks
# try ARGUMENT…: the report below the lines about the capture
try()
{
	echo "--- $*"
	$report "$@" 2>&1 | sed -e '/^capture/,/^$/d' -e '/^Try /,/^information/d' | tr '\r' '~'
}
{
	try sites --by=site,comm
	try sites ./events --by=comm,tid,requested_node --format=csv
	try sites --by='bytes_req / 512,cpu != 0' -F 'bytes_req / 512,cpu != 0,allocations' -s allocations
	try leaks --by=cache,comm --where='cpu != 0'
	try lifetimes --by=comm,cpu --where='comm == "sh"'
	try caches --where='gfp_flags & GFP_ATOMIC == GFP_ATOMIC' -F cache,allocations,bytes_req -s bytes_req
	try timeline --where='module == "[ether]" && bytes_req < 10000' --format=csv -l 12
	try sites --by=task -F comm,tid,live_objects,bytes_alloc -s bytes_alloc
	try sites --by=task -F comm,pid,tid,live_objects --format=csv
	try sites --by=pid,gfp -F gfp,pid,allocations -s -pid,gfp -l 3
	try findings --where='comm == null' -F kind,task,pid,tid,comm,count --format=csv
	try count --by=comm,cpu -F count,comm -s comm
	try sites ./users --by=uid,comm --format=csv -F uid,comm,allocations
	try count ./users --by=alloc_uid,uid --where='operation == "free"' --format=csv
	try sites ./users --by=user,uid -F user,uid,allocations
	try count ./users --by=user --where='user =~ "^ann" || user == "0"' --format=csv
	"$pack" -q --anonymize=tasks -o anonymized users || failed=1
	try leaks ./anonymized --by=uid -F uid,live_objects --format=csv
	cat users/kernel/tasks
	grep user anonymized/kernel/tasks
	echo "--- json"
	$report leaks --by=site,comm -l 1 --format=json --where='comm == "cat"' | jq -c .report,.leaks
	for wrong in "sites --by=age,comm" "sites --by=site,freed_by" "sites --by=bytes_requested,comm" \
		"leaks --by=comm,comm" "leaks --by=comm,cmm" "sites --by=comm," "caches --by=comm" \
		"caches --where=freed_by=='x'" "timeline --where=age>4ms" "slabinfo --where=cpu==0" \
		"caches -F cahe" "caches -F cache,cache" "caches -F cache," "sites --where=cpu"; do
		try $wrong
	done
} >out
compare report-objects.expected out

# Allocations by jq, of all but kmemtraced's own.
for capture in kmemtrace.data events "$srcdir/data/sample"; do
	$report events -i "$capture" --format=json 2>/dev/null >list || exit 1
	keys='comm: .[0].comm, cpu: .[0].cpu, cache: .[0].cache'
	$report sites -i "$capture" --by=comm,cpu,cache --format=json |
		jq -S '.sites | map({ comm, cpu, cache, allocations, failed, bytes_allocated }) | sort' >ours
	jq -S -s "map(select(.outcome == \"allocated\" or .outcome == \"failed\")) |
		group_by([.comm, .cpu, .cache]) | map({ $keys,
		allocations: map(select(.outcome == \"allocated\")) | length,
		failed: map(select(.outcome == \"failed\")) | length,
		bytes_allocated: map(.bytes_allocated // 0) | add }) | sort" list >theirs
	[ "$(jq length theirs)" -ge 3 ] || { echo "$capture: few groups"; failed=1; }
	diff -u theirs ours >differences || { head -30 differences; echo "$capture: --by differs"; failed=1; }
	# the parts of --where add up to the whole
	for view in sites leaks lifetimes timeline caches; do
		for where in true 'cpu == 0 && bytes_req > 64' '!(cpu == 0 && bytes_req > 64)' \
			'(cpu == 0 && bytes_req > 64) == null'; do
			$report $view -i "$capture" --where="$where" --format=json | jq -c .totals
		done >totals
		jq -s -e '[.[0], (.[1:] | map(del(.peak_bytes, .peak_time_ns)) |
			{ allocations: map(.allocations) | add, frees: map(.frees) | add,
			failed: map(.failed) | add, live_bytes: map(.live_bytes) | add,
			bytes_allocated: map(.bytes_allocated) | add })] |
			.[1] == (.[0] | { allocations, frees, failed, live_bytes, bytes_allocated })' \
			totals >/dev/null || { cat totals; echo "$capture: $view: the parts differ"; failed=1; }
	done
	# an expression selects what the option selects
	for pair in '--cpu=1:cpu == 1' '--min-size=100:bytes_req >= 100' '--comm=sh:comm == "sh"' \
		'--cache=^kmalloc:type =~ "^kmalloc"' '--site=alloc:site =~ "alloc"'; do
		$report sites -i "$capture" "${pair%%:*}" --format=json | jq -S '.sites, .totals.allocations' >ours
		$report sites -i "$capture" --where="${pair#*:}" --format=json |
			jq -S '.sites, .totals.allocations' >theirs
		cmp -s ours theirs || { echo "$capture: $pair: another selection"; failed=1; }
	done
done
exit $failed
