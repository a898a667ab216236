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

# dates are those of the header: 2026-11-21T10:02:30.588290550Z is 0
same_time() { # same_time CAPTURE OPTION OPTION
	"$builddir/kmemtrace-report" -i "$1" sites -l 0 "$2" | sed '/^filters /,/^events /d' >"$work/by-date"
	"$builddir/kmemtrace-report" -i "$1" sites -l 0 "$3" | sed '/^filters /,/^events /d' >"$work/by-time"
	cmp "$work/by-date" "$work/by-time" || exit 1
	grep -q '^live ' "$work/by-date" || { echo "$2 shows nothing"; exit 1; }
}
same_time "$srcdir/data/sample" --at=2026-11-21T10:02:30.598290550Z --at=10ms
same_time "$srcdir/data/sample" --time=2026-11-21T10:02:30.59,2026-11-21T10:02:30.6 \
	--time=1709450ns,11709450ns
same_time "$srcdir/data/sample" --time=2026-11-21T10:02:30.59,11ms --time=1709450ns,11ms
"$builddir/kmemtrace-pack" -q --split=2ms -o "$work/set" "$srcdir/data/sample" || exit 1
same_time "$work/set" --at=2026-11-21T10:02:30.598290550Z --at=10ms
same_time "$work/set" --time=2026-11-21T10:02:30.59,2026-11-21T10:02:30.6 --time=1709450ns,11709450ns
grep -q '^pieces .* of ' "$work/by-date" || { echo "all pieces are read"; exit 1; }
"$builddir/kmemtrace-report" -i "$work/set" --at=2026-11-21T10:02 >"$work/before" || exit 1
grep -q 'the capture begins later, at 2026-11-21T10:02:30.588290550Z' "$work/before" || exit 1
"$builddir/kmemtrace-report" -i "$work/set" --at=2026-11-21T10:03 >"$work/behind" || exit 1
grep -q 'the capture ends at .* already' "$work/behind" || exit 1

"$builddir/kmemtrace-report" "$srcdir/data/sample" | sed 's/^./ &/' >"$work/example"
echo >>"$work/example"
sed '1,/^ \$ kmemtrace-report tests/d; /^kmemtrace-report(1) defines/,$d' "$top_srcdir/README" >"$work/shown"
diff -u "$work/example" "$work/shown"
