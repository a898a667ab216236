#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The text report takes the width of the terminal: names are on the line of their numbers if they
# fit. On a terminal of less than 80 columns, and without one, lines have fewer than 80 columns.
. "$srcdir/cli/cli.sh"
command -v script >/dev/null || skip "script (bsdutils) is not installed"

# on_terminal COLUMNS: the report sites on a terminal of this width.
on_terminal()
{
	script -qec "stty cols $1; '$builddir/kmemtrace-report' sites -i '$srcdir/data/sample'" \
		/dev/null </dev/null | tr -d '\r' | sed 's/\x1b\[[0-9;]*m//g'
}
longest()
{
	awk '{ if (length > most) most = length } END { print most }' "$1"
}

on_terminal 200 >wide
on_terminal 80 >narrow
on_terminal 40 >narrowest
"$report" sites -i "$srcdir/data/sample" >file
grep -qE '^mas_preallocate\+0x3ef/0x430 +196 ' wide ||
	{ echo "200 columns, but a name has a line of its own:"; cat wide; exit 1; }
[ "$(longest wide)" -lt 200 ] || { echo "more than 199 columns:"; cat wide; exit 1; }
diff -u file narrow || exit 1
diff -u file narrowest || exit 1
[ "$(longest file)" -lt 80 ] || { echo "more than 79 columns:"; cat file; exit 1; }
