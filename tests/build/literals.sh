#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# literals.sh FILE…: string literals that go on in the next line: grep does not find such a message. A literal may
# end with its sentence or its line. SQL is not looked at. Exit status: 1 if there is one.
grep -LwE 'SELECT|CREATE|INSERT INTO|ORDER BY|GROUP BY|PRIMARY KEY|UNION ALL|LEFT JOIN' "$@" | xargs -r awk '
	FNR > 1 && open && /^[ \t]*"/ {
		print FILENAME ":" FNR ": a string literal goes on: write it in one line, however long"
		failed = 1
	}
	{ open = /"$/ && !/([.] |\\[nv]|\\x?[0-9a-fA-F]+)"$/ }
	END { exit failed }'
