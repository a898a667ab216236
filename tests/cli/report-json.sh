#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The JSON report: all keys of its header, exact numbers, and the rows of the summary, one a line. For
# those of sites and caches, see report-views.sh.
. "$srcdir/cli/cli.sh"

"$mktrace" kmemtrace.data <"$srcdir/cli/small.trace" || exit 1
"$report" --format=json >all 2>&1 || exit 1
sed '/^  "\(sites\|caches\)"/,/^  \]/{/^    /d};/^    {$/{:row;N;/\n    },\{0,1\}$/!b row;s/\n */ /g}' all >out
compare report-json.expected out

# Names are not trusted to be UTF-8.
sed 's/^kernel.*/kernel 6.12.0@/' "$srcdir/cli/small.trace" | tr @ '\377' >odd.trace
"$mktrace" odd <odd.trace || exit 1
"$report" -i odd --format=json >out || exit 1
grep -q '"kernel": "6.12.0\\uFFFD"' out || { grep kernel out; exit 1; }
"$report" -i odd >out || exit 1
grep -qF '6.12.0\xff' out || { cat out; exit 1; }
