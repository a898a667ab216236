#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The view leaks in all formats; at an earlier time, with --older, and by other groups.
. "$srcdir/cli/cli.sh"

"$mktrace" kmemtrace.data <"$srcdir/cli/live.trace" || exit 1
# The table without its legend.
try()
{
	echo "--- $*"
	"$report" leaks "$@" | sed '1,/^$/d' | sed '/^$/q'
}
{
	"$report" leaks | sed '1,/^$/d'
	try --at 5
	try --time 2,5
	try --older 3s
	try --by cache
	try -s live_bytes -l 1
	try --comm absent
	echo "--- csv"
	"$report" leaks --format=csv | tr '\r' '~'
	echo "--- json"
	"$report" leaks --format=json | sed -n '/^  "leaks": \[/,$p'
} >out 2>&1
compare report-leaks.expected out

# All kinds of groups add up to the live objects.
sample=$srcdir/data/sample
live=$("$report" -i "$sample" sites --format=json |
	awk -F'[:,] *' '/"totals"/ { on = 1 } on && /"live_/ { print $2 } /"live_bytes"/ { exit }')
for by in site function module cache size task cpu node gfp; do
	sum=$("$report" -i "$sample" leaks --by $by --format=csv |
		awk -F, 'NR > 1 { objects += $3; bytes += $4 } END { print objects; print bytes }')
	if [ -z "$sum" ] || [ "$sum" != "$live" ]; then
		echo "by $by: $sum, but live are $live"
		exit 1
	fi
done
