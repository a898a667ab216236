#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The view slabinfo in all formats; with a lost event, which may be of any cache; with filters, of
# captures that cannot be compared, and of one of an older version.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

trace=$srcdir/cli/slabinfo.trace
"$builddir/tests/mktrace" kmemtrace.data <"$trace" || exit 1
sed 's/^complete/lose 0 2\n&/' "$trace" | "$builddir/tests/mktrace" lossy || exit 1
sed 's/ held=.*//; s/ until=.*//' "$trace" | "$builddir/tests/mktrace" older || exit 1
{ echo "wanted 10"; cat "$trace"; } | "$builddir/tests/mktrace" filtered || exit 1
grep -v '^slab 1900ms' "$trace" | "$builddir/tests/mktrace" one || exit 1
grep -v '^slab 1s' "$trace" | "$builddir/tests/mktrace" two || exit 1

view()
{
	echo "--- $*"
	"$builddir/kmemtrace-report" slabinfo "$@" 2>&1 || echo "exit $?"
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
	view --time 1,1.5
	view --pid 10 --format=json
} >out
"$srcdir/compare.sh" "$srcdir/cli/report-slabinfo.expected" out
