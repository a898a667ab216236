#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2154 # ./test sets them
# The man pages are right mdoc, and each tells every option that its program's --help tells.
set -u
failed=0
cd "$top_srcdir" || exit 1

for page in */kmemtrace*.[1-8]; do
	# -W style would ask for things of BSD's own
	mandoc -T lint -W warning "$page" || failed=1
	program=$(basename "${page%.*}")
	[ -x "$builddir/$program" ] || continue
	text=$(mandoc -T ascii "$page" | sed 's/.\x08//g')
	while read -r option; do
		grep -qE -- "$option([^a-z-]|\$)" <<<"$text" && continue
		echo "$page: does not tell $option"
		failed=1
	done < <("$builddir/$program" --help | grep -oE -- '--[a-z][a-z-]+' | sort -u)
done
exit $failed
