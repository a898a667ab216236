#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A kernel that does not name the slab cache of an allocation, nor always that of a free: the output
# of each program, which is the same for the other byte order.
. "$srcdir/cli/cli.sh"

say()
{
	echo "--- $*"
	"$@" | tr '\r' '~'
}
say_all()
{
	say "$report" -v caches
	say "$report" sites --by=cache --format=csv
	say "$report" -v events
	"$report" events --format=json | grep -E 'unmatched|null-free'
	say "$report" -v findings --possible
	say "$report" -v sites --cache=^dentry
	say "$report" caches --cache=^unnamed-184/ --format=csv
	"$report" --format=json | grep -w unnamed_allocations
	"$check" kmemtrace.data
	echo "exit $?"
	"$check" -v --heap kmemtrace.data
	echo "exit $?"
}
# names that do not depend on the folder
report=kmemtrace-report check=kmemtrace-check
PATH=$builddir:$PATH
for endian in little big; do
	rm -rf kmemtrace.data
	{ echo "endian $endian"; cat "$srcdir/cli/unnamed.trace"; } |
		"$mktrace" kmemtrace.data || exit 1
	say_all 2>&1 | sed "s/$endian-endian/ANY-endian/" >$endian
done
compare unnamed.expected little
diff -u little big || exit 1

# An allocation of less than the requested size, and one with a cache at address 0.
"$mktrace" odd <<'END' || exit 1
begin 0
symbol 0xffff81000000 caller
ualloc 1000 0 0xffff00200000 200/192 caller+4
ualloc 1001 0 0 200/192 caller+4
calloc 1002 0 0xffff00201000 0 caller+4
cfree  1003 0 0xffff00201000 0 caller+4
complete yes
END
"$check" odd >out && exit 1
diff -u - out <<'END'
odd/cpu0: byte 224: 192 bytes allocated, 200 requested
odd/cpu0: byte 320: a slab cache at the impossible address 0x0
odd: 2 problems: 4 records of 1 CPU, lost 0, skipped 0, own 0
END
