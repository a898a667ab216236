#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The view slabinfo in all formats; with a lost event, which may be of any cache; with filters, of
# captures that cannot be compared, and of one of an older version. The summary has a line of it, and
# live of a cache that grew less than its events say is an upper bound, unless filters are set.
. "$srcdir/cli/cli.sh"

trace=$srcdir/cli/slabinfo.trace
"$mktrace" kmemtrace.data <"$trace" || exit 1
sed 's/^complete/lose 0 2\n&/' "$trace" | "$mktrace" lossy || exit 1
sed 's/ held=.*//; s/ until=.*//' "$trace" | "$mktrace" older || exit 1
{ echo "wanted 10"; cat "$trace"; } | "$mktrace" filtered || exit 1
grep -v '^slab 1900ms' "$trace" | "$mktrace" one || exit 1
grep -v '^slab 1s' "$trace" | "$mktrace" two || exit 1

view()
{
	echo "--- $*"
	"$report" -v slabinfo "$@" 2>&1 || echo "exit $?"
}
{
	view | sed '1,/^$/d'
	view -s cache --format=csv | tr '\r' '~'
	view -l 2 --format=json | sed '/^  "capture"/,/^  "totals"/d'
	for capture in lossy older two; do
		view -i $capture -s cache --format=csv | cut -d, -f1,3,6,8-
	done
	for capture in filtered one; do
		view -i $capture | sed '1,/^$/d'
	done
	for capture in kmemtrace.data lossy older filtered; do
		"$report" -v summary -i $capture | sed -n '/^events/,/^$/p'
	done
	"$report" -v caches -s cache -l 3 | sed '1,/^$/d'
	"$report" leaks -s address --by=cache --format=csv | cut -d, -f1,3,4,20-
	"$report" -v caches -s cache --cache=bulk | sed -n '/^live/,/^bulk/p'
	view --time 1,1.5
	view --pid 10 --format=json
} >out
compare report-slabinfo.expected out

# the memory of slabs at the end, of used and of free objects; unknown of a window that ends before
row() { # row EXPECTED OPTION…
	expected=$1
	shift
	got=$("$report" caches --format=csv -F cache,slab_bytes,slab_full_percent,slab_free_bytes --cache='^filp$' "$@" 2>&1 |
		tr -d '\r' | sed 1d)
	[ "$got" = "$expected" ] || fail "caches $*: $got, not $expected"
}
row filp,51200,51.500000,24832
row filp,51200,51.500000,24832 --pid=10
row filp,,, --time=,1
row filp,,, -i one
"$report" caches -s slab_free_bytes | grep -q '^filp .* 24\.2K ' || fail "-s slab_free_bytes: $("$report" caches -s slab_free_bytes)"

# much memory in slabs that are nearly empty is an answer
"$report" | grep '^slabs' && fail "the slabs are full"
cp -r kmemtrace.data fragile
printf 'sizes fragile 192 192\nslab 1900000000 fragile 1848 20727\n' >>fragile/kernel/slabinfo
[ "$("$report" fragile | grep '^slabs')" = "slabs     fragile: 3.80M of slabs, at most 9% full, so 3.46M free in them" ] ||
	fail "the summary: $("$report" fragile | head)"
exit 0
