#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The text report: header, totals, tables, the legend, colors, and the sites in the order of sort keys, cut.
. "$srcdir/cli/cli.sh"

"$mktrace" kmemtrace.data <"$srcdir/cli/small.trace" || exit 1
{
	"$report"
	echo "exit $?"
	"$report" findings --possible | sed -n '/^kind/,$p'
	for sort in site -site +bytes_allocated -live_bytes,+site failed; do
		echo "--- $sort"
		"$report" sites -l 3 -s "$sort" -F site | sed -n '/^site/,/^$/p'
	done
} >out 2>&1
awk 'length > 79' out >wide
[ -s wide ] && { echo "too wide:"; cat wide; exit 1; }
echo "--- color" >>out
"$report" --color=always -l 1 | sed -n '1,5p' | tr '\033' '^' >>out
compare report-text.expected out
