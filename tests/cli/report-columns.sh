#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The columns: the JSON schema has those of --list-columns.
. "$srcdir/cli/cli.sh"
need jq

schema=$top_srcdir/report/kmemtrace-report.schema.json
$report --list-columns=json-schema >defs || exit 1
if [ -n "${KMEMTRACE_UPDATE_EXPECTED:-}" ]; then
	sed -i -e '/^ "\$defs": {$/r defs' -e '/^ "\$defs": {$/,/^ }$/d' "$schema"
fi
sed -n '/^ "\$defs": {$/,/^ }$/p' "$schema" | diff -u - defs || wrong "the schema differs from --list-columns=json-schema"
$report --list-columns | sed -n 's/^\([a-z0-9_]*\) (.*/\1/p' >names
[ "$(wc -l <names)" -ge 150 ] || wrong "only $(wc -l <names) columns"
jq -r '."$defs" | keys_unsorted[]' "$schema" | diff - names || wrong "--list-columns has other columns"
exit $failed
