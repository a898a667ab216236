#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Imports relay files of a kmemtrace kernel exactly, in both byte orders, with numbers that wrap
# around, gaps, features, damage and an incomplete record.
. "$srcdir/cli/cli.sh"

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
	"$check" little.data
	"$report" -v events -i little.data -l 0
	sed -n '/^cache/p' little.data/kernel/caches
	grep -e '^begin' -e '^end' -e '^cpu' -e '^lost_span' little.data/kernel/status
	try --format=kmemtrace -o damaged.data damaged-little/cpu0.out
	"$report" -v events -i damaged.data -l 0 | sed -n '/free\|kmalloc/p'
	mv little/cpu0.out one
	mv little/cpu1.out two
	try -o named.data two one
	try -q -o twice.data damaged-little/cpu0.out big/cpu0.out
} >out
compare import-kmemtrace.expected out

# The other byte order gives the same capture, except for the byte order in the metadata.
try -q -o big.data big/cpu2.out big/cpu1.out big/cpu0.out >out || exit 1
try -q -o damaged-big.data damaged-big/cpu0.out >>out || exit 1
for endian in little big; do
	"$report" --format=json -i $endian.data >$endian.json || exit 1
	grep -q "\"endian\": \"$endian\"" $endian.json || { cat $endian.json; exit 1; }
	"$report" events --format=json -l 0 -i $endian.data >>$endian.json ||
		exit 1
done
sed -i '/"endian": /d' little.json big.json
diff -u little.json big.json || exit 1
for capture in damaged.data damaged-big.data; do
	"$report" events --format=csv -l 0 -i $capture >$capture.csv || exit 1
done
diff -u damaged.data.csv damaged-big.data.csv || exit 1

# An older capture is moved to DIR.old.
try -q -o big.data big/cpu1.out big/cpu0.out >out || exit 1
[ -e big.data.old/metadata ] && [ ! -e big.data/cpu2 ] || { ls -R; exit 1; }

# Reports print sequence numbers of events instead of times. Options add symbols and a release.
cat >System.map <<'END'
c0101000 T alloc_a
c0102000 t alloc_b
c0103000 T free_a
c0104000 D data_a
END
gzip -c System.map >System.map.gz
cat >of-cache <<'END'
0 alloc 2 10 0xc0101010 0xc7100000 4096 4096 0x20 -1
0 alloc 0 11 0xc0101020 0xc7002000 100 128 0x20 -1
0 free 0 12 0xc0103010 0xc7100000
0 alloc 1 18 0xc0102030 0xc7003000 60 64 0x20 -1
END
"$builddir/tests/mkrelay" big . <of-cache || exit 1
{
	for map in System.map System.map.gz; do
		try -q --symbols=$map -o mapped cpu0.out
		gzip -dc mapped/kernel/symbols
	done
	sed -n '/^env/,/^}/p; /^clock/,/^}/p' mapped/metadata | sed '/tracer_[mv]/d'
	for view in timeline leaks lifetimes "findings --possible"; do
		echo "=== $view"
		# shellcheck disable=SC2086 # words
		"$report" -v $view -i mapped | sed '/^$/q'
		# shellcheck disable=SC2086 # words
		"$report" -v $view -i mapped | sed '1,/^$/d; / = /,$d'
		# shellcheck disable=SC2086 # words
		"$report" $view --format=csv -i mapped 2>&1 | sed 1q
	done
	"$check" -v mapped
	"$report" leaks --format=json -i mapped | grep 'events\|time\|_s"'
	for release in 6.3.9 6.4.0-rc1; do
		try -q --release=$release -o mapped cpu0.out
		"$report" -v findings --possible -i mapped | grep '^capture\|^cache-object\|since: '
	done
	try --release=newest cpu0.out | sed 2q
	try --symbols=none -o none cpu0.out
	try --symbols=of-cache -o none cpu0.out
	sed 's/^c01...../00000000/' System.map >hidden
	try --symbols=hidden -o none cpu0.out
	head -c 40 System.map.gz >cut.gz
	try --symbols=cut.gz -o none cpu0.out
	ls -d none* 2>/dev/null
} >out
compare import-kmemtrace-messages.expected out
