#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Options of --switch-output that are wrong, alone or together, are refused before anything is done;
# so is a directory that is neither a set nor a capture.
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
	for value in '' 100 10 1.5M 1T M m 5x 1h5 -1s 99ms 0s 63k 10000000000000000000G; do
		wrong --switch-output=$value
	done
	wrong --max-files=5
	wrong --max-disk=1G
	wrong --switch-output=1h --max-files=0
	wrong --switch-output=1h --max-files=1000000
	wrong --switch-output=1h --max-disk=31M
	wrong --switch-output=1h --max-disk=1h
	wrong --switch-output=1h --count
	wrong --switch-output=1h --no-capture --publish=f
	wrong --switch-output=1h -o -
	mkdir set
	mkdir set/piece.000001 set/other
	wrong --switch-output=1h -o set
	rmdir set/other
	chmod 777 set
	wrong --switch-output=1h -o set
	chmod 700 set
	wrong -o set
	rm -r set
} >out
"$srcdir/compare.sh" "$srcdir/cli/rotation-wrong.expected" out || exit 1
[ "$(ls)" = out ] || { echo "left behind: $(ls)"; exit 1; }
