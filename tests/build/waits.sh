#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# waits.sh TREE: the scripts of tests/ wait with wait_for. Another line that sleeps has a comment with the reason,
# "# paced: ...". Prints each line that has none; exit status 1: there is one.
cd "$1/tests" || exit 2
! grep -nE '(^|[^-a-z_.])u?sleep +["$0-9]' cli/*.sh live/*.sh vm/*.sh vm/*.guest 2>/dev/null |
	grep -vE '# paced: .|^[^:]*:[0-9]+:[[:space:]]*#|^cli/cli.sh:' |
	sed 's/$/: wait with wait_for, or say why: # paced: .../' | grep .
