#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtrace-import: each wrong usage gives a message and exit status 2 and leaves no file behind;
# random bytes do not crash it.
. "$srcdir/cli/cli.sh"

try()
{
	"$builddir/kmemtrace-import" "$@" >said 2>&1
	echo "--- $* -> $?"
	sed '/^Try/d; /^information/d' said
}

mkdir in
echo "0 free 0 1 0x1000 0x2000" | "$builddir/tests/mkrelay" little in || exit 1
cp in/cpu0.out in/cpu9.out
echo "no recording" >in/text
printf 'PERFILE2 and more' >in/perf.data
: >in/nothing
echo "x 1 [000] kmem:kfree: call_site=f+0x1 ptr=0x10" >in/untimed
echo "x 1 [000] 1.000000: kmem:mm_page_free: page=0x1" >in/pages
echo "x 1 [70000] 1.000000: kmem:kfree: call_site=f+0x1 ptr=0x1000" >in/far
printf '\027\010\104tracing6' >in/trace.dat
mkfifo in/pipe
mkdir full
echo mine >full/file
cp -r in before
{
	try
	try -o
	try -o "" in/text
	try --format=lttng in/text
	try in/none
	try in
	try in/pipe
	try --symbols=in in/cpu0.out
	try in/nothing
	try in/text
	try in/perf.data
	try --format=kmemtrace in/text
	try --format=perf in/text
	try --format=ftrace in/text
	try in/untimed
	try in/pages
	try in/far
	try in/untimed in/pages
	try in/cpu0.out in/untimed
	try in/cpu0.out in/cpu0.out
	try -o full in/cpu0.out
	try -o in/none/data in/cpu0.out
	ls
} >out
compare import-wrong.expected out
try --format=trace-cmd in/trace.dat >out
grep -q -e '-> 2$' out && [ "$(wc -l <out)" -eq 2 ] || { cat out; exit 1; }
diff -r --no-dereference in before --exclude=pipe || exit 1

# Pseudo-random bytes, the same in every run.
awk 'BEGIN {
	seed = 7
	for (i = 0; i < 3000; i++) {
		seed = (seed * 1103515245 + 12345) % 2147483648
		byte = int(seed / 65536) % 256
		print i % 5 == 0 ? byte % 3 : i % 5 == 2 ? byte % 64 : byte
	}
}' >numbers
for round in 1 2 3 4 5 6 7 8; do
	{ echo "0 free 0 1 0x1000 0x2000"; echo "1 alloc 0 2 0x1000 0x2000 8 8 0 -1"; } |
		"$builddir/tests/mkrelay" big . || exit 1
	tail -n +$((round * 300)) numbers | head -n 300 | tr '\n' ' ' |
		sed 's/^/1 bytes /' | "$builddir/tests/mkrelay" big . || exit 1
	"$builddir/kmemtrace-import" --format=kmemtrace -o odd cpu1.out cpu0.out >said 2>&1
	status=$?
	[ $status -eq 1 ] || { echo "round $round: exit status $status"; cat said; exit 1; }
	"$check" -q odd || exit 1
	tr '\000-\011\013-\037' '  ' <cpu1.out | sed 's/^/x 1 [000] 1.0000: kmem:kfree: ptr=/' \
		>odd.txt
	printf '\nx 1 [000] 1.000000: kmem:kfree: call_site=f+0x1 ptr=0x1000\n' >>odd.txt
	sed 's/x 1/x-1/; s/kmem://' odd.txt >odd-ftrace.txt
	for text in odd odd-ftrace; do
		"$builddir/kmemtrace-import" -o odd $text.txt >said 2>&1
		status=$?
		[ $status -eq 1 ] || { echo "$text, round $round: exit status $status"; cat said; exit 1; }
		"$check" -q odd || exit 1
	done
done
