#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Options of --summaries that are wrong, alone or together, are refused before anything is done.
# shellcheck disable=SC2154 # ./test sets builddir and srcdir
set -u
kmemtraced=$builddir/kmemtraced
[ -x "$kmemtraced" ] || { echo "skipped: kmemtraced was not built"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

wrong() {
	echo "\$ kmemtraced $*"
	"$kmemtraced" "$@" true 2>&1 | grep -v '^Try'
	"$kmemtraced" "$@" true >/dev/null 2>&1
	echo "exit $?"
}
{
	wrong --summaries=
	wrong --summaries=0
	wrong --summaries=999ms
	wrong --summaries=25h
	wrong --summaries=often
	wrong --summaries --summaries-dir=
	wrong --summaries --summaries-keep=23h
	wrong --summaries --summaries-keep=7
	wrong --summaries --summaries-keep=ever
	wrong --summaries --role=
	wrong --summaries --role=-
	wrong --summaries-dir=d
	wrong --summaries-keep=7d
	wrong --role=web
	wrong --summaries --count
	wrong --summaries --probes=vm.pagefault
	wrong --summaries --no-capture -z
	wrong --summaries --no-capture --stacks
	wrong --summaries --no-details
} >out
"$srcdir/compare.sh" "$srcdir/cli/summaries-wrong.expected" out || exit 1
[ "$(ls)" = out ] || { echo "left behind: $(ls)"; exit 1; }
