#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The rules of the findings: one small trace for each finding, and for correct use.
. "$srcdir/cli/cli.sh"

# Writes each trace, after the common lines of its file, to a file: 01, 02, …; and their names to
# the file names.
split()
{
	awk '/^=== / { file = sprintf("%02d", ++count); print substr($0, 5) >"names"
			printf "%s", common >file; next }
		!count { common = common $0 "\n"; next }
		{ print >file }' "$1"
}

# A case and its first finding become one line; further findings, and the message about losses, have lines of their own.
one_line()
{
	awk '/^=== / { if (line) print line; line = substr($0, 5); next }
		/^kind,/ { next }
		{ sub(/^kmemtrace-report: [0-9]*.data: /, ""); line = line (line ~ /=> / ? "\n\t" : " => ") $0 }
		END { print line }'
}

status=0
for traces in kinds certainty; do
	mkdir $traces && cd $traces && split "$srcdir/cli/findings-$traces.traces" || exit 1
	number=0 fields=kind,certainty,count,certain
	[ $traces = certainty ] || fields=$fields,alloc_site,free_site,other_site,cache,free_cache,bytes_requested,bytes_allocated,gfp,first_case
	while read -r name; do
		number=$((number + 1))
		trace=$(printf '%02d' $number)
		echo "=== $name"
		"$mktrace" "$trace.data" <"$trace" &&
			"$report" findings -i "$trace.data" --format=csv -F "$fields,because"
		code=$?
		[ $code = 0 ] || echo "exit $code"
	done <names 2>&1 | tr -d '\r' | one_line >out
	cd ..
	compare "findings-$traces.expected" $traces/out || status=1
done
exit $status
