#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The real capture of the tree passes kmemtrace-check, its report is as expected, and README shows the
# output of the report.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

"$builddir/kmemtrace-check" "$srcdir/data/sample" >"$work/check" || {
	cat "$work/check"
	exit 1
}
"$builddir/kmemtrace-report" -i "$srcdir/data/sample" -l 0 >"$work/report" || exit 1
"$srcdir/compare.sh" "$srcdir/cli/sample.expected" "$work/report" || exit 1

"$builddir/kmemtrace-report" sites "$srcdir/data/sample" -s live_bytes -l 2 |
	sed '/^site = /,$d; s/^./ &/' >"$work/example"
sed '1,/^ \$ kmemtrace-report sites/d; /^kmemtrace-report(1) defines/,$d' "$top_srcdir/README" >"$work/shown"
diff -u "$work/example" "$work/shown"
