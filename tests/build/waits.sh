#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# waits.sh TREE: the scripts of tests/ wait with wait_for. Another line that sleeps has a comment with the reason,
# "# paced: ...", behind it or in the line before. Prints each line that has none; exit status 1: there is one.
cd "$1/tests" || exit 2
shopt -s nullglob
awk '
	/(^|[^-a-z_.])u?sleep +["$0-9]/ && !/^[[:space:]]*#/ && !/# paced: ./ && before !~ /# paced: ./ {
		print FILENAME ":" FNR ": wait with wait_for, or say why, # paced: ...:" $0
		found = 1
	}
	{ before = $0 }
	END { exit found }
' cli/*.sh live/*.sh vm/*.sh vm/*.guest
