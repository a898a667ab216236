#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# literal.sh FILE: prints the file as a string of C.
set -eu
LC_ALL=C
export LC_ALL
if grep -q '[^ -~	]' "$1"; then
	echo "$1: a character is not ASCII: write it as an escape" >&2
	exit 1
fi
sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/	/\\t/g' -e 's/^/\t\t"/' -e 's/$/\\n"/' "$1"
