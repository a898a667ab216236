#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Options of kmemtraced --count that are wrong, alone or together, are refused before anything is
# done; so is a field that only a capture can give.
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
	wrong --by=comm
	wrong --where='pid == 1'
	wrong --sum=bytes_req
	wrong --count-groups=5
	wrong --format=json
	wrong --count -o cap
	wrong --count -z
	wrong --count -m 4
	wrong --count --publish=f
	wrong --count --proc-mem
	wrong --count --by=comn
	wrong --count --by=age
	wrong --count --by=comm,alloc_site
	wrong --count --where='time < 1s'
	wrong --count --where=pid
	wrong --count --max=ptr
	wrong --count --probes=dtmalloc::dentry:free
	wrong --count=missed_site
	wrong --count --sum=comm
	wrong --count --linear=bytes_req,0,10
	wrong --count --count-groups=0
	wrong --count --count-groups=16777217
	wrong --count --format=xml
} >out
"$srcdir/compare.sh" "$srcdir/cli/count-wrong.expected" out || exit 1
[ "$(ls)" = out ] || { echo "left behind: $(ls)"; exit 1; }
