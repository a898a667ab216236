#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The CSV report: the table alone with CR LF; losses are printed on standard error.
. "$srcdir/cli/cli.sh"

sed 's/ probe driver/ a,"b" driver/; s/ probe+/ a,"b"+/' "$srcdir/cli/small.trace" >quoted.trace
"$mktrace" kmemtrace.data <quoted.trace || exit 1
"$report" --format=csv -s failed,site 2>err | tr '\r' '~' >out
cat err >>out
compare report-csv.expected out
