#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The fields: --list-fields, the manual and --help have the same ones; each name and alias is a
# column, a group and a value in an expression; the names of SystemTap's memory tapset for the
# allocator and of dtmalloc are among them.
. "$srcdir/cli/cli.sh"
need jq

"$mktrace" kmemtrace.data <"$srcdir/cli/events.trace" || exit 1
# the manual
$report --list-fields=mdoc >list || exit 1
page=$top_srcdir/report/kmemtrace-report.1
if [ -n "${KMEMTRACE_UPDATE_EXPECTED:-}" ]; then
	sed -i -e '/^\.\\" fields: begin/,/^\.\\" fields: end/{//!d;}' -e '/^\.\\" fields: begin/r list' "$page"
fi
sed -n '/^\.\\" fields: begin/,/^\.\\" fields: end/{//!p;}' "$page" >manual
diff -u manual list || { echo "kmemtrace-report(1) differs from --list-fields"; failed=1; }
# the help, and the completion of -F
$report --list-fields | sed -n 's/^\([a-z][a-z_]*\).*/\1/p' >names
[ "$(wc -l <names)" -ge 30 ] || { echo "only $(wc -l <names) fields"; failed=1; }
$report --help | sed -n '/^Fields of events/,/^$/{/^  /p;}' | tr -s ' ' '\n' | sed '/^$/d' >helped
diff -u names helped || { echo "--help differs"; failed=1; }
$report --list-options | sed -n 's/^--fields\t.*\t//p' | tr '|' '\n' >completed
diff -u names completed || { echo "the completion differs"; failed=1; }

# each name and alias
$report --list-fields | sed -n 's/^\([a-z][a-z_,]*\) (.*/\1/p' | tr , '\n' >all
while read -r name; do
	$report events -F "$name" --format=json >json 2>/dev/null &&
		[ "$(head -n 1 json | jq -r keys[0])" = "$name" ] ||
		{ echo "-F $name: $(head -n 1 json)"; failed=1; }
	$report count --by="$name" --count="$name" --where="$name == null || $name == $name" \
		--format=json >json || failed=1
	[ "$(jq '[.count[].count] | add' json)" = "$(jq .query.counted json)" ] &&
		[ "$(jq .query.excluded json)" = 0 ] ||
		{ echo "--by=$name: $(jq -c .query json)"; failed=1; }
done <all
# both documents: the values of the tapset's probes of the allocator, and dtmalloc's arguments
for name in name ptr caller_function call_site gfp_flags gfp_flag_name bytes_req bytes_alloc task \
	type size zindx; do
	grep -qx $name all || { echo "no field $name"; failed=1; }
done
{
	$report --list-fields
	for format in text json csv; do
		echo "--- $format"
		$report events --format=$format 2>/dev/null \
			-F name,ptr,caller_function,call_site,gfp_flags,gfp_flag_name,bytes_req,bytes_alloc,task,type,size,zindx |
			tr '\r' '~'
	done
	echo "--- the others"
	$report events --format=json 2>/dev/null \
		-F time,cpu,node,requested_node,tid,pid,comm,thread,operation,outcome,from_backup,site,module,age,freed_by
	$report events --format=json 2>/dev/null --where='operation != "allocation" || missed_site != null' \
		-F operation,alloc_site,alloc_time,alloc_cpu,alloc_node,alloc_tid,alloc_pid,alloc_comm,cross_cpu,temporary,missed_site
	echo "--- threads of a process, in contexts"
	"$mktrace" threads <<-END || exit 1
		begin 1us
		symbol 0xffffffff81000000 caller
		symbol 0xffffffff81001000 _etext
		task 10 10 server
		task 11 10 worker
		alloc 10us 0 0xffff888000001000 100/128 caller+0x10 task=10
		alloc 11us 0 0xffff888000002000 100/128 caller+0x10 task=11
		alloc 12us 0 0xffff888000003000 100/128 caller+0x10 task=12
		alloc 13us 0 0xffff888000004000 100/128 caller+0x10 task=11 node=-4097
		end 1ms
	END
	# that node is any node in a softirq
	echo "context all" >>threads/kernel/status
	$report threads count --by=process --format=csv
	for wrong in "-Fcpuu" "-Fcpu," "-F," "--list-fields=xml" "--where=bytes_req>"; do
		echo "--- events $wrong"
		$report events "$wrong" 2>&1
		echo "exit $?"
	done
} >out
compare report-fields.expected out
exit $failed
