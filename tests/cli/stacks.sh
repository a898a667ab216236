#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The stacks of sampled allocations: each finds its event, and no other; its path begins at the entry
# into the kernel; packed, of another byte order or anonymized, a capture has the same paths.
. "$srcdir/cli/cli.sh"
command -v script >/dev/null || skip "script is not installed"
trace=$srcdir/cli/stacks.trace

events()
{
	$report "$1" events --format=json -F time,name,operation,syscall,stack,user_stack 2>/dev/null
}

for endian in little big; do
	{ echo "endian $endian"; cat "$trace"; } | "$mktrace" $endian || exit 1
	"$check" -q $endian || wrong "kmemtrace-check $endian"
	events $endian >$endian.json
done
cmp little.json big.json || wrong "the byte orders differ"
cp -r big packed
"$pack" -q packed || wrong "kmemtrace-pack"
cmp -s big/cpu0 packed/cpu0 && wrong "nothing is packed"
events packed | cmp - little.json || wrong "packed"
"$pack" -q --anonymize -o copy big || wrong "--anonymize"
"$check" -q copy || wrong "kmemtrace-check of the copy"
without_user() { sed 's/, "user_stack": .*//' "$@"; }
without_user little.json >kernel.json
events copy >copy.json
without_user copy.json | cmp - kernel.json || wrong "anonymized"
# names and files of processes are left out, and addresses have substitutes
[ "$(grep -c '"user_stack": "0x' copy.json)" = 2 ] || wrong "anonymized user stacks: $(cat copy.json)"
grep -E 'send_line|library' copy.json && wrong "the copy has an original name"
[ ! -e copy/kernel/user_symbols ] || wrong "the copy has kernel/user_symbols"
grep -E ' (a[1-6]|b1) | ffffffff81| 4010[14]| 7fff0000' copy/kernel/stacks && wrong "the copy has an original"

{
	cat little.json
	echo "flame --by=user_stack,stack"
	$report little flame --by=user_stack,stack --format=folded --where='user_stack != null' 2>/dev/null
	for view in "count --by=syscall --sum=bytes_alloc" "sites --by=stack" \
		"leaks --by=site --where=syscall==\"sendto\"" \
		"caches --where=syscall==\"work:flush_work_item\""; do
		echo "$view"
		# shellcheck disable=SC2086 # words
		$report little $view --format=csv 2>&1
	done
} >out
compare stacks.expected out

# The paths in the table of growth of the summary: in lines of any width, and as lists. The first screen of 80
# columns and 24 rows has all of the table. With fewer lines, the stack of leaks --by=comm,stack is below
# its row. A capture of which each allocation has a stack says "objects".
"$mktrace" paths <"$srcdir/cli/paths.trace" || exit 1
sed 's/^sampling .*/sampling 1/' "$srcdir/cli/paths.trace" | "$mktrace" all || exit 1
# terminal COLUMNS COMMAND: what it prints there
terminal()
{
	script -qec "stty cols $1 rows 60; LC_ALL=C NO_COLOR=1 $2" /dev/null </dev/null |
		tr -d '\r' | sed 's/\x1b\[[0-9;]*m//g'
}
{
	$report paths
	echo "--- with legend"
	$report paths --legend | sed -n '/^path/,/^What/p'
	echo "--- 200 columns"
	terminal 200 "$report paths" | sed -n '/^What grew/,/^$/p'
	echo "--- all"
	$report all | grep path
	echo "--- more rows, of the softirq"
	$report paths -l 1 --where='context == "softirq"' | sed -n '/^Growth/,/^others/p'
	echo "--- older"
	$report paths --older=500ms | grep path
	echo "--- profile"
	sed 's/^sampling .*/& profile=1/' "$srcdir/cli/paths.trace" | grep -v unsampled | "$mktrace" profiled || exit 1
	$report profiled 2>&1 | grep path
	echo "--- leaks"
	$report paths leaks --by=comm,stack | sed -n '/^comm/,/^$/p'
	echo "--- leaks, 200 columns"
	terminal 200 "$report paths leaks --by=comm,stack" | sed -n '/^comm/,/^$/p'
} >out
compare paths.expected out
{ $report paths; $report paths leaks --by=comm,stack; } >narrow
[ "$(sed '/^What is wasted/q' narrow | wc -l)" -le 24 ] || wrong "the table is longer than a screen: $(cat narrow)"
awk 'length > 79' narrow >wide
[ ! -s wide ] || wrong "too wide: $(cat wide)"
$report paths --format=json 2>/dev/null | tr -d ' \n' >json
grep -qF '"path":["sender","sendto","unix_dgram_sendmsg","__alloc_skb"],"path_objects":2,"stack_objects":3' json ||
	wrong "JSON: $(cat json)"
grep -qF '"path":null,"path_objects":0,"stack_objects":0' json || wrong "JSON without a stack: $(cat json)"

# two stacks whose id XOR the multiplied call site was equal
cat >same.trace <<'END'
cpu 0 node 0
sampling 524288
symbol 0xffffffff81001000 one
symbol 0xffffffff81002000 two
symbol 0xffffffff81003000 caller
stack 0xa1 0 one+16 caller+8
stack 0xe4ed4c74fcbb3351 0 two+32 caller+8
stack_of 1ms 0 0xffff888000001000 one+16 0xa1
alloc 2ms 0 0xffff888000001000 200/256 one+16
stack_of 3ms 0 0xffff888000002000 two+32 0xe4ed4c74fcbb3351
alloc 4ms 0 0xffff888000002000 200/256 two+32
END
"$mktrace" same <same.trace || exit 1
[ "$(events same | grep -o '"stack": "[a-z]*' | sort -u | wc -l)" = 2 ] || wrong "stacks: $(events same)"
exit $failed
