#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The library exports exactly the functions that memstat.h declares, and libmemstat(3) documents
# all functions and constants of memstat.h.
. "$srcdir/cli/cli.sh"
[ -e "$builddir/libmemstat.so.3" ] ||
	{ echo "libmemstat was not built: this build is linked statically"; exit 77; }
header=$top_srcdir/live/memstat/memstat.h
page=$top_srcdir/live/memstat/libmemstat.3

sed 's,/\*.*\*/,,' "$header" | grep -oE '^[a-z].*[ *]memstat_[a-z0-9_]+\(' |
	grep -oE 'memstat_[a-z0-9_]+\(' | tr -d '(' | sort >"$scratch/declared"
[ "$(wc -l <"$scratch/declared")" -ge 50 ] ||
	{ echo "only these are found in $header:"; cat "$scratch/declared"; exit 1; }
# unlike nm, readelf reads libraries of any architecture
readelf -W --dyn-syms "$builddir/libmemstat.so.3" |
	awk '$4 != "SECTION" && $7 != "UND" && $7 != "ABS" && $1 ~ /^[0-9]+:/ { sub(/@.*/, "", $8); print $8 }' |
	sort >"$scratch/exported"
readelf -d "$builddir/libmemstat.so.3" | grep -q 'soname: \[libmemstat.so.3\]' ||
	{ echo "the library is not libmemstat.so.3"; failed=1; }
diff -u "$scratch/declared" "$scratch/exported" ||
	{ echo "the header and the library differ"; failed=1; }

# a program that uses a later function says so to the dynamic linker, which refuses an older library
for symbol in memstat_mtl_set_base@@LIBMEMSTAT_3 memstat_get_coverage@@LIBMEMSTAT_3.1; do
	readelf -W --dyn-syms "$builddir/libmemstat.so.3" | awk '{ print $8 }' | grep -qxF $symbol ||
		{ echo "the library does not export $symbol"; failed=1; }
done

while read -r function; do
	[ "$(grep -cE "^\.(Fn|Fo) $function( |\$)" "$page")" -ge 1 ] ||
		{ echo "$page: SYNOPSIS lacks $function"; failed=1; }
	[ "$(grep -cE "(Fn|Fo|Nm) $function( |\$)" "$page")" -ge 2 ] ||
		{ echo "$page does not say what $function does"; failed=1; }
done <"$scratch/declared"
grep -oE '^#define [A-Z_]+ ' "$header" | cut -d' ' -f2 | while read -r constant; do
	[ "$constant" = MEMSTAT_H ] || grep -qE "Dv $constant( |\$)" "$page" ||
		{ echo "$page does not document $constant"; exit 1; }
done || failed=1
grep -oE '(Fn|Fo) memstat_[a-z0-9_]+' "$page" | cut -d' ' -f2 | sort -u |
	comm -23 - "$scratch/declared" | while read -r unknown; do
	echo "$page documents $unknown, which memstat.h does not declare"
	exit 1
done || failed=1
exit $failed
