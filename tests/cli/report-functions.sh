#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The functions: --functions, the manual and --help have the same ones, among them those of
# SystemTap's memory tapset; calls in --where, --by, --sum, --hist and -F; a column of an expression
# in each format; their errors.
. "$srcdir/cli/cli.sh"

"$mktrace" kmemtrace.data <"$srcdir/cli/events.trace" || exit 1
# the manual
$report --functions=mdoc >list || exit 1
page=$top_srcdir/report/kmemtrace-report.1
if [ -n "${KMEMTRACE_UPDATE_EXPECTED:-}" ]; then
	sed -i -e '/^\.\\" functions: begin/,/^\.\\" functions: end/{//!d;}' \
		-e '/^\.\\" functions: begin/r list' "$page"
fi
sed -n '/^\.\\" functions: begin/,/^\.\\" functions: end/{//!p;}' "$page" >manual
diff -u manual list || { echo "kmemtrace-report(1) differs from --functions"; failed=1; }
# the help
$report --functions | sed -n 's/^\([a-z_]*(\).*/\1)/p' >names
$report --help | sed -n '/^Functions of expressions/,/^$/{/^  /p;}' | tr -s ' ' '\n' | sed '/^$/d' >helped
diff -u names helped || { echo "--help differs"; failed=1; }
for name in vm_fault_contains mem_page_size bytes_to_string pages_to_string proc_mem_size \
	proc_mem_size_pid proc_mem_rss proc_mem_rss_pid proc_mem_shr proc_mem_shr_pid proc_mem_txt \
	proc_mem_txt_pid proc_mem_data proc_mem_data_pid proc_mem_string proc_mem_string_pid; do
	grep -qx "$name()" names || { echo "no function $name"; failed=1; }
done

show()
{
	echo "--- $*"
	"$report" "$@" 2>&1 | tr '\r' '~'
}

# events of process 10 at 1 s, and 1 s + 100 ns to 600 ns
cat >kmemtrace.data/kernel/process_memory <<-END
	statm 10 999999000 100 50 20 3 40
	statm 12 999999001 7 6 5 4 3
	statm 13 999999002 0 0 0 0 0
	reading 999998999 999999003
	reading 999999990 999999999
	future 1 2 3
	statm 10 1000000101 25600 51 20 3 41
	gone 13 1000000102
	reading 1000000090 1000000103
	gone 10 1000000650
	statm 10 1000000700 1
END
{
	show --functions
	show events -F 'time_ns,pid,proc_mem_size(),proc_mem_rss(),proc_mem_shr(),proc_mem_txt(),proc_mem_data(),proc_mem_age(),proc_mem_string()' \
		--format=json
	show events --lines=4 -F 'time_ns,proc_mem_size_pid(10),proc_mem_rss_pid(12),proc_mem_shr_pid(12),proc_mem_txt_pid(12),proc_mem_data_pid(12),proc_mem_age_pid(10),proc_mem_string_pid(12),proc_mem_rss_pid(13),proc_mem_rss_pid(14),proc_mem_rss_pid(-1)' \
		--format=json
	show count --by='pid,proc_mem_rss()' --max='proc_mem_size() * mem_page_size(),proc_mem_age()' \
		--where='proc_mem_data() > 2'
	show count --by='bytes_to_string(bytes_alloc),bytes_alloc % mem_page_size() == 0' \
		--sum='bytes_alloc / mem_page_size()' --hist='mem_page_size() / bytes_alloc' \
		--where='bytes_to_string(bytes_alloc) != "   16" && mem_page_size() > 1k'
	for format in text json csv; do
		show events --format=$format --lines=3 \
			-F 'time_ns,name,bytes_to_string(bytes_alloc),vm_fault_contains(cpu, VM_FAULT_SIGBUS), cpu + 1 ,"say \"a\", b",comm == "sh",gfp_flags & __GFP_ZERO,null,bytes_alloc - bytes_req > 10 && comm != "kmemtraced" || cpu == 1'
	done
	show count --by='pages_to_string(bytes_req)'
	show count --sum='bytes_to_string(cpu)'
	show count --linear='cpu,0,mem_page_size(),1'
	show events -F 'name,bytes_to_strin(cpu)'
	show events -F 'name,vm_fault_contains(cpu,)'
	show --functions=xml
	"$mktrace" process.data <"$srcdir/cli/process.trace"
	show probes process.data
	show probes --format=csv process.data
	show probes --format=json process.data | sed -n '/^  "probes": /,$p'
	printf 'no_slab\nno_probe vm.brk refused\nlose 0 1\n' | "$mktrace" none.data
	show probes none.data
	printf 'no_slab\nlose 0 1\n' | "$mktrace" empty.data
	show probes empty.data
	show probes --where='proc_mem_age() > 1s'
} >out
compare report-functions.expected out
exit $failed
