#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The columns: the manual and the JSON schema have those of --list-columns. The manual names each column
# of a view in the part about this view, and the schema in each table of the view.
. "$srcdir/cli/cli.sh"
need jq

page=$top_srcdir/report/kmemtrace-report.1
schema=$top_srcdir/report/kmemtrace-report.schema.json
$report --list-columns=mdoc >list || exit 1
$report --list-columns=json-schema >defs || exit 1
if [ -n "${KMEMTRACE_UPDATE_EXPECTED:-}" ]; then
	sed -i -e '/^\.\\" columns: begin/,/^\.\\" columns: end/{//!d;}' \
		-e '/^\.\\" columns: begin/r list' "$page"
	sed -i -e '/^ "\$defs": {$/r defs' -e '/^ "\$defs": {$/,/^ }$/d' "$schema"
fi
sed -n '/^\.\\" columns: begin/,/^\.\\" columns: end/{//!p;}' "$page" >manual
diff -u manual list || wrong "kmemtrace-report(1) differs from --list-columns=mdoc"
sed -n '/^ "\$defs": {$/,/^ }$/p' "$schema" | diff -u - defs || wrong "the schema differs from --list-columns=json-schema"
$report --list-columns | sed -n 's/^\([a-z0-9_]*\) (.*/\1/p' >names
[ "$(wc -l <names)" -ge 150 ] || wrong "only $(wc -l <names) columns"
jq -r '."$defs" | keys_unsorted[]' "$schema" | diff - names || wrong "--list-columns has other columns"
# the completion of -s has the columns of the view sites
$report sites --format=csv "$srcdir/data/sample" | sed -n '1s/\r$//; 1y/,/\n/; 1p' >header
$report --list-options | sed -n 's/^--sort\t.*\t//p' | tr '|' '\n' | diff - header || wrong "the completion of -s differs"

$report --help | sed -n '/^Views:/,/^$/s/^  \([a-z]*\) .*/\1/p' | grep -vx -e summary -e count -e events -e diff >views
while read -r view; do
	grep -qx "\.It Cm $view" "$page" || wrong "kmemtrace-report(1) does not list the view $view"
	sed -n "/^\.Ss \(.*, \)\?$view\(,.*\)\?\$/,/^\.Ss /p" "$page" | sed -n '/^\.Cm /p' | tr -c 'a-z0-9_' '\n' >described
	$report "$view" --format=json "$srcdir/data/sample" >document
	jq -r '[.[] | arrays[] | objects | keys[]] | unique[]' document | grep -vxF -e live_upper_bound -f described >missing
	[ ! -s missing ] || wrong "the view $view of kmemtrace-report(1) has no $(tr '\n' ' ' <missing)"
	jq -r --slurpfile schema "$schema" 'to_entries[] | select(.value | arrays) | .key as $table | .value[] |
		keys[] | select($schema[0].properties[$table].items.properties[.] | not) | "\($table).\(.)"' document |
		sort -u >missing
	[ ! -s missing ] || wrong "the JSON schema has no $(tr '\n' ' ' <missing)"
done <views
exit $failed
