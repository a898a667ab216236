#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Kernels before 5.16 report a free after the address was allocated again: each free must be matched
# with its own object, in every view and in both byte orders, and the parts of a capture must add up.
. "$srcdir/cli/cli.sh"
PATH=$builddir:$PATH

say()
{
	echo "--- $*"
	"$@" 2>messages | tr '\r' '~'
	cat messages
}
say_all()
{
	say kmemtrace-report findings --possible
	say kmemtrace-report sites --format=csv
	say kmemtrace-report sites --format=csv --older=10ms
	say kmemtrace-report sites --format=csv --time=0.02,0.7
	say kmemtrace-report caches --format=csv
	say kmemtrace-report -v cpus
	say kmemtrace-report timeline --format=csv
	say kmemtrace-report timeline --format=csv --older=10ms
	say kmemtrace-report leaks --format=csv
	say kmemtrace-report lifetimes --format=csv
	say kmemtrace-report events
	say kmemtrace-check --heap kmemtrace.data
}
for endian in little big; do
	rm -rf kmemtrace.data
	sed "s/^endian .*/endian $endian/" "$srcdir/cli/delayed-frees.trace" |
		"$mktrace" kmemtrace.data || exit 1
	say_all 2>&1 | sed "s/$endian-endian/ANY-endian/" >$endian
done
compare delayed-frees.expected little
diff -u little big || exit 1

# sums FILTER…: allocations, frees, missed frees, live objects
sums()
{
	kmemtrace-report sites -l 0 --format=csv "$@" | tr -d '\r' | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
		NR > 1 { a += $column["allocations"]; f += $column["frees"]
			m += $column["missed_frees"]; l += $column["live_objects"] }
		END { print a + 0, f + 0, m + 0, l + 0; exit a != f + m + l }'
}
sums >whole || exit 1
for part in --site='^first' --site='^second'; do
	sums "$part" || exit 1
done | awk '{ for (i = 1; i <= 4; i++) sum[i] += $i }
	END { print sum[1], sum[2], sum[3], sum[4] }' >parts
diff -u whole parts || exit 1
for part in --cpu=0 --cpu=1; do
	sums "$part" || exit 1
done | awk '{ for (i = 1; i <= 4; i++) sum[i] += $i }
	END { print sum[1], sum[2], sum[3], sum[4] }' >parts
diff -u whole parts
