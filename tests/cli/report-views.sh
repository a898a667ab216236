#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The views sites, caches, sizes, cpus and nodes, and the summary: their tables in all formats.
. "$srcdir/cli/cli.sh"

"$mktrace" kmemtrace.data <"$srcdir/cli/views.trace" || exit 1
for format in text json csv; do
	for view in summary sites caches sizes cpus nodes; do
		echo "--- $view"
		"$report" $view --format=$format >out 2>&1 || echo "exit $?"
		case $format in
		text) sed '1,/^$/d' out ;;
		json) sed '/^  "capture"/,/^  "totals"/d' out ;;
		csv) tr '\r' '~' <out ;;
		esac
	done >"views-$format"
	compare "report-views-$format.expected" "views-$format" || failed=1
done
awk 'length > 79' views-text >wide
[ -s wide ] && { echo "too wide:"; cat wide; failed=1; }
grep -n ' $' views-text && { echo "spaces at the end of a line"; failed=1; }
exit $failed
