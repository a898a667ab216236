#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Relay files of a kmemtrace kernel import exactly, in both byte orders, with numbers that wrap
# around, gaps, features, damage and half a record.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

try()
{
	"$builddir/kmemtrace-import" "$@" 2>&1
	echo "--- $* -> $?"
}

for endian in little big; do
	mkdir $endian damaged-$endian
	"$builddir/tests/mkrelay" $endian $endian <"$srcdir/cli/import-kmemtrace.relay" || exit 1
	{
		echo "0 free 0 1 0x1000 0x2000"
		echo "0 bytes 0 0 0 0 0 0 0 0 9 8 7 6 5 4 3 2 1"
		echo "0 alloc 0 2 0x1000 0x3000 8 8 0 -1"
		echo "0 free 0 3 0x1000 0x3000"
		echo "0 alloc 0 4 0x1000 0x4000 8 8 0 -1"
		echo "0 cut 13"
	} | "$builddir/tests/mkrelay" $endian damaged-$endian || exit 1
done
{
	try -o little.data little/cpu0.out little/cpu1.out little/cpu2.out
	"$builddir/kmemtrace-check" little.data
	"$builddir/kmemtrace-report" events -i little.data -l 0
	sed -n '/^cache/p' little.data/kernel/caches
	grep -e '^begin' -e '^end' -e '^cpu' -e '^lost_span' little.data/kernel/status
	try --format=kmemtrace -o damaged.data damaged-little/cpu0.out
	"$builddir/kmemtrace-report" events -i damaged.data -l 0 | sed -n '/free\|kmalloc/p'
	mv little/cpu0.out one
	mv little/cpu1.out two
	try -o named.data two one
	try -q -o twice.data damaged-little/cpu0.out big/cpu0.out
} >out
diff -u "$srcdir/cli/import-kmemtrace.expected" out || exit 1

# The other byte order says the same, but what it is.
try -q -o big.data big/cpu2.out big/cpu1.out big/cpu0.out >out || exit 1
try -q -o damaged-big.data damaged-big/cpu0.out >>out || exit 1
grep -q 'version = "big-endian' big.data/metadata || { cat big.data/metadata; exit 1; }
for capture in little.data big.data; do
	"$builddir/kmemtrace-report" --format=json -i $capture >$capture.json || exit 1
	"$builddir/kmemtrace-report" events --format=json -l 0 -i $capture >>$capture.json || exit 1
done
diff -u little.data.json big.data.json || exit 1
for capture in damaged.data damaged-big.data; do
	"$builddir/kmemtrace-report" events --format=csv -l 0 -i $capture >$capture.csv || exit 1
done
diff -u damaged.data.csv damaged-big.data.csv || exit 1

# An older capture is kept.
try -q -o big.data big/cpu1.out big/cpu0.out >out || exit 1
[ -e big.data.old/metadata ] && [ ! -e big.data/cpu2 ] || { ls -R; exit 1; }
