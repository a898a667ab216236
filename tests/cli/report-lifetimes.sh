#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The view lifetimes in all formats: rows of powers of two, with the empty ones between.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

"$builddir/tests/mktrace" kmemtrace.data <"$srcdir/cli/live.trace" || exit 1
{
	"$builddir/kmemtrace-report" lifetimes | sed '1,/^$/d'
	echo "--- by task"
	"$builddir/kmemtrace-report" lifetimes --by task | sed '1,/^$/d' | sed '/^$/q'
	echo "--- csv"
	"$builddir/kmemtrace-report" lifetimes --format=csv -s -from_ns,site | tr '\r' '~'
	echo "--- json"
	"$builddir/kmemtrace-report" lifetimes --format=json --site fill |
		sed -n '/^  "lifetimes": \[/,$p'
	echo "--- none"
	"$builddir/kmemtrace-report" lifetimes --site keep | sed '1,/^$/d'
} >out 2>&1
"$srcdir/compare.sh" "$srcdir/cli/report-lifetimes.expected" out || exit 1

# All kinds of groups include all frees whose allocation is known.
sample=$srcdir/data/sample
frees=$("$builddir/kmemtrace-report" -i "$sample" sites --format=json |
	awk -F'[:,] *' '/"totals"/ { on = 1 } on && /"frees"/ { frees = $2 }
		on && /"frees_unmatched"/ { print frees - $2; exit }')
for by in site module cache task cpu gfp; do
	sum=$("$builddir/kmemtrace-report" -i "$sample" lifetimes --by $by --format=csv |
		awk -F, 'NR > 1 { frees += $6 } END { print frees }')
	if [ -z "$sum" ] || [ "$sum" != "$frees" ]; then
		echo "by $by: $sum frees, not $frees"
		exit 1
	fi
done
