#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The functions: --functions, the manual and --help have the same ones, among them those of
# SystemTap's memory tapset; calls in --where, --by, --sum, --hist and -F; a column of an expression
# in each format; their errors.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
report=$builddir/kmemtrace-report

"$builddir/tests/mktrace" kmemtrace.data <"$srcdir/cli/events.trace" || exit 1
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
for name in vm_fault_contains mem_page_size bytes_to_string pages_to_string; do
	grep -qx "$name()" names || { echo "no function $name"; failed=1; }
done

show()
{
	echo "--- $*"
	"$report" "$@" 2>&1 | tr '\r' '~'
}

{
	show --functions
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
} >out
"$srcdir/compare.sh" "$srcdir/cli/report-functions.expected" out || failed=1
exit $failed
