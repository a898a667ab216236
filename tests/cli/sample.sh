#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The real capture of the tree passes kmemtrace-check, its report is as expected, and README shows the
# output of the report.
. "$srcdir/cli/cli.sh"

"$check" "$srcdir/data/sample" >"$scratch/check" || {
	cat "$scratch/check"
	exit 1
}
"$report" -i "$srcdir/data/sample" -l 0 >"$scratch/report" || exit 1
compare sample.expected "$scratch/report"

# dates are those of the header: 2026-11-21T10:02:30.588290550Z is 0
same_time() { # same_time CAPTURE OPTION OPTION
	"$report" -i "$1" sites -v -l 0 "$2" | sed '/^filters /,/^events /d' >"$scratch/by-date"
	"$report" -i "$1" sites -v -l 0 "$3" | sed '/^filters /,/^events /d' >"$scratch/by-time"
	cmp "$scratch/by-date" "$scratch/by-time" || exit 1
	grep -q '^live ' "$scratch/by-date" || { echo "$2 shows nothing"; exit 1; }
}
same_time "$srcdir/data/sample" --at=2026-11-21T10:02:30.598290550Z --at=10ms
same_time "$srcdir/data/sample" --time=2026-11-21T10:02:30.59,2026-11-21T10:02:30.6 \
	--time=1709450ns,11709450ns
same_time "$srcdir/data/sample" --time=2026-11-21T10:02:30.59,11ms --time=1709450ns,11ms
"$pack" -q --split=2ms -o "$scratch/set" "$srcdir/data/sample" || exit 1
same_time "$scratch/set" --at=2026-11-21T10:02:30.598290550Z --at=10ms
same_time "$scratch/set" --time=2026-11-21T10:02:30.59,2026-11-21T10:02:30.6 --time=1709450ns,11709450ns
grep -q '^pieces .* of ' "$scratch/by-date" || { echo "all pieces are read"; exit 1; }
"$report" -i "$scratch/set" --at=2026-11-21T10:02 >"$scratch/before" || exit 1
grep -q 'the capture begins later, at 2026-11-21T10:02:30.588290550Z' "$scratch/before" || exit 1
"$report" -i "$scratch/set" --at=2026-11-21T10:03 >"$scratch/behind" || exit 1
grep -q 'the capture ends at .* already' "$scratch/behind" || exit 1

"$report" "$srcdir/data/sample" | sed 's/^./ &/' >"$scratch/example"
echo >>"$scratch/example"
sed '1,/^ \$ kmemtrace-report tests/d; /^kmemtrace-report(1) defines/,$d' "$top_srcdir/README" >"$scratch/shown"
diff -u "$scratch/example" "$scratch/shown"
