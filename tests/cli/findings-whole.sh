#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The findings view in text, which lists certain findings and with --possible all, and in JSON; and the certainty of findings in a capture that was cut off and
# repaired, in one without its status file, and after very many other frees.
. "$srcdir/cli/cli.sh"

findings() { # findings CAPTURE OPTION…
	capture=$1
	shift
	"$report" findings -i "$capture" "$@"
	code=$?
	[ $code = 0 ] || echo "exit $code"
}

certainty() { # certainty CAPTURE: the certainty and reasons of each finding
	findings "$1" --format=csv | tr -d '\r' | awk -F, 'NR > 1 { print $1 ": " $2 " (" $4 " of " $3 ") " $NF }'
}

# A double free with COUNT other frees in between, all in one page.
long_ago()
{
	cat <<-END
	begin 1s
	symbol 0xffffffff81000000 alloc_a
	alloc 1000000100 0 0xffff888000100000 60/64 alloc_a task=1
	free 1000000200 0 0xffff888000100000 alloc_a task=1
	END
	awk -v count="$1" 'BEGIN { for (i = 0; i < count; i++) {
		address = sprintf("0xffff8880%08x", 2097152 + i * 64)
		printf "alloc %d 0 %s 60/64 alloc_a task=1\n", 1000001000 + i * 20, address
		printf "free %d 0 %s alloc_a task=1\n", 1000001010 + i * 20, address
	} }'
	echo "free 1900000000 0 0xffff888000100000 alloc_a task=1"
}

# An old kernel reports the free of the first of two objects at one address with a long delay: if the
# address was forgotten meanwhile, the third free is not a double free.
delayed_report()
{
	cat <<-END
	kernel 5.10.0
	begin 1s
	symbol 0xffffffff81000000 alloc_a
	END
	awk -v count="$1" 'BEGIN {
		object = "0xffff888000100000"
		time = 1000000000
		for (i = 0; i < count + 1000; i++) {
			if (i == 1000) {
				print "ualloc", time += 10, 0, object, "64/64 alloc_a task=1"
				print "ualloc", time += 10, 1, object, "64/64 alloc_a task=1"
				print "cfree", time += 10, 1, object, "0 alloc_a task=1"
			}
			other = sprintf("0xffff8880%08x", 2097152 + i * 64)
			print "ualloc", time += 10, 0, other, "64/64 alloc_a task=1"
			print "cfree", time += 10, 0, other, "0 alloc_a task=1"
		}
		print "cfree", time += 10, 0, object, "0 alloc_a task=1"
		print "cfree", time += 10, 0, object, "0 alloc_a task=1"
	}'
}

sed '/^lose/d; /^path krealloc/d' "$srcdir/cli/findings-whole.trace" >sure.trace
$mktrace whole <"$srcdir/cli/findings-whole.trace" || exit 1
sed 's/^complete yes/complete no/' sure.trace | $mktrace cut || exit 1
$mktrace nostatus <sure.trace || exit 1
rm nostatus/kernel/status
cp -r cut repaired
"$check" -q --repair repaired >repair.log 2>&1 # finds the short allocation
# Events after the end, while the programs are detached, are not checked: of the two frees to another
# cache and the two allocations that are too short, only those at the end are findings.
$mktrace after <<-END || exit 1
	begin 1s
	symbol 0xffffffff81000000 alloc_a
	symbol 0xffffffff81000200 free_a
	cache plant 0xffff888000010000 60 64
	cache other 0xffff888000010100 60 64
	calloc 1001ms 0 0xffff888000100000 plant alloc_a+0x10
	calloc 1002ms 0 0xffff888000100040 plant alloc_a+0x10
	alloc  1003ms 0 0xffff888000101000 64/64 alloc_a+0x10
	cfree  1010ms 0 0xffff888000100000 other free_a+0x10
	alloc  1010ms 0 0xffff888000101040 100/64 alloc_a+0x10
	cfree  1011ms 0 0xffff888000100040 other free_a+0x10
	alloc  1012ms 0 0xffff888000101080 100/64 alloc_a+0x10
	complete yes
END
sed -i 's/^end .*/end 1010000000/' after/kernel/status
{
	echo "--- text"
	findings whole | sed -n '/^Certain/,$p'
	echo "--- all"
	findings whole --possible | sed -n '/^kind /,$p'
	echo "--- selected"
	findings whole --cpu 63 | sed -n '/^Certain/,$p'
	echo "--- json"
	findings whole --format=json | sed -n '/^  "findings"/,$p'
	for capture in cut nostatus repaired; do
		echo "--- $capture"
		certainty $capture
	done
	echo "--- after the end"
	findings after --format=csv | tr -d '\r'
	for count in 65535 65536; do
		echo "--- $count other frees in between"
		long_ago $count | $mktrace $count || exit 1
		certainty $count
	done
	for count in 65000 66000; do
		echo "--- $count other frees before the delayed one"
		delayed_report $count | $mktrace delayed$count || exit 1
		certainty delayed$count
	done
} >out 2>&1
compare findings-whole.expected out
