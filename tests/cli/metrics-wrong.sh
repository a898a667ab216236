#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Options of --metrics that are wrong, alone or together, are refused before anything is done.
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
	wrong --metrics=
	wrong --metrics=f
	wrong --metrics=d.prom/f
	wrong --metrics-top=5
	wrong --metrics-interval=5
	wrong --metrics=f.prom --metrics-top=0
	wrong --metrics=f.prom --metrics-top=8193
	wrong --metrics=f.prom --metrics-interval=99ms
	wrong --metrics=f.prom --metrics-interval=often
	wrong --metrics=f.prom --count
	wrong --metrics=f.prom --probes=vm.pagefault
	wrong --metrics=f.prom --no-capture -z
	wrong --metrics=f.prom --no-capture --stacks
	wrong --profile --no-capture
	wrong --metrics=f.prom --profile --user-stacks --no-capture
	wrong --publish=f --no-details --profile
} >out
"$srcdir/compare.sh" "$srcdir/cli/metrics-wrong.expected" out || exit 1
[ "$(ls)" = out ] || { echo "left behind: $(ls)"; exit 1; }
