#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The CSV report: the table alone with CR LF; losses are printed on standard error.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

sed 's/ probe driver/ a,"b" driver/; s/ probe+/ a,"b"+/' "$srcdir/cli/small.trace" >quoted.trace
"$builddir/tests/mktrace" kmemtrace.data <quoted.trace || exit 1
"$builddir/kmemtrace-report" --format=csv -s failed,site 2>err | tr '\r' '~' >out
cat err >>out
"$srcdir/compare.sh" "$srcdir/cli/report-csv.expected" out
