#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Options of --publish that are wrong, alone or together, are refused before anything is done.
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
	wrong --no-capture
	wrong --publish-group=0
	wrong --publish-objects=5
	wrong --publish-base
	wrong --publish=
	wrong --publish=f --no-capture -o cap
	wrong --publish=f --no-capture -z
	wrong --publish=f --publish-group=
	wrong --publish=f --publish-group=no-such-group
	wrong --publish=f --publish-group=-1
	wrong --publish=f --publish-group=4294967295
	wrong --publish=f --publish-objects=0
	wrong --publish=f --publish-objects=1k
	wrong --publish=f --publish-objects=4294967296
} >out
"$srcdir/compare.sh" "$srcdir/cli/publish-wrong.expected" out || exit 1
[ "$(ls)" = out ] || { echo "left behind: $(ls)"; exit 1; }
