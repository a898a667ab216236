#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The views sites, caches, sizes, cpus and nodes, and the summary: their text, and all keys and numbers of their tables
# as JSON with a line for each row. That each format shows each kind of cell is in unit/test_report.
. "$srcdir/cli/cli.sh"

"$mktrace" kmemtrace.data <"$srcdir/cli/views.trace" || exit 1
# Each row and each section of the header becomes one line.
join='/^  "[a-z]*": {$/{:section;N;/\n  },$/!b section;s/\n */ /g};/^    {$/{:row;N;/\n    },\{0,1\}$/!b row;s/\n */ /g}'
for view in summary sites caches sizes cpus nodes; do
	echo "--- $view" | tee -a json
	"$report" $view >out 2>&1 || echo "exit $?"
	sed '1,/^$/d' out
	[ $view != summary ] || continue
	"$report" $view --format=json >out 2>&1 || echo "exit $?" >>out
	sed "$join" out | sed '/^  "\(capture\|loss\)": /d' >>json
done >text
for format in text json; do
	compare "report-views-$format.expected" $format
done
awk 'length > 79' text >wide
[ -s wide ] && { echo "too wide:"; cat wide; failed=1; }
grep -n ' $' text && { echo "spaces at the end of a line"; failed=1; }
exit $failed
