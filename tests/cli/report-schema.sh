#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The JSON of each view, of the view diff and of captures of every kind is valid by the schema file, which
# allows no key or type that it does not have.
. "$srcdir/cli/cli.sh"
for tool in jsonschema jq xz; do
	command -v $tool >/dev/null || skip "$tool is not installed (Debian: python3-jsonschema, jq, xz-utils)"
done
schema=$top_srcdir/report/kmemtrace-report.schema.json
mkdir json

for name in 6.1-armhf 6.1-s390x 6.12-amd64; do
	xz -dc "$srcdir/data/guests/$name.tar.xz" | tar -xf - || exit 1
done
cp -r "$srcdir/data/sample" sample
for name in small stacks views findings-whole vocabulary process; do
	"$mktrace" $name <"$srcdir/cli/$name.trace" || exit 1
done
cp -r stacks profiled
sed -i 's/^sample_interval.*/&\nprofile yes/' profiled/kernel/status
"$builddir/kmemtrace-import" -q -o imported "$srcdir/data/perf-script.txt" 2>/dev/null
"$pack" -q --split=2ms -o set sample || exit 1

"$report" --help | sed -n '/^Views:/,/^$/s/^  \([a-z]*\) .*/\1/p' | grep -vx -e diff -e events >views.list
for capture in 6.1-armhf 6.1-s390x 6.12-amd64 sample small stacks views findings-whole vocabulary process profiled \
	imported set set/piece.000002; do
	while read -r view; do
		name=json/${capture//\//-}-$view.json
		"$report" "$view" --format=json -l 5 "$capture" >"$name" 2>/dev/null || rm "$name"
	done <views.list
done
"$report" count --by=event,site,type --sum=bytes_req --hist=bytes_req --where='bytes_req > 1' --format=json sample >json/count.json
"$report" sites --by=comm --time=1ms,5ms --format=json sample >json/by.json
"$report" diff --format=json sample 6.12-amd64 >json/diff.json
"$report" diff --by=type --normalise=events --format=json 6.1-armhf 6.12-amd64 >json/diff-events.json
for view in summary sites caches leaks timeline flame; do
	"$report" $view --format=json "$srcdir/cli/report-summaries.kms" >json/summaries-$view.json || exit 1
done
number=$(find json -size +0 | wc -l)
echo "$number documents"
[ "$number" -ge 150 ] || { echo "there are too few"; exit 1; }

options=()
for document in json/*.json; do
	options+=(-i "$document")
done
jsonschema "${options[@]}" "$schema" >out 2>&1 || { head -c 3000 out; exit 1; }

# a view that replaces the description of a column says the same
jq -r '.. | objects | select(has("$ref")) | .description // empty' "$schema" | sort -u >descriptions
while read -r text; do
	grep -rqF "\"$text\"" "$top_srcdir"/report/{views,summaries} || { echo "no view says: $text"; failed=1; }
done <descriptions

# what it refuses
for change in '.loss.lost = "none"' 'del(.loss.lost)' '.more = 1' '.capture.more = 1' '.caches[0].more = 1' '.schema = 3'; do
	jq "$change" json/sample-caches.json >wrong.json
	jsonschema -i wrong.json "$schema" >out 2>&1 && { echo "valid: $change"; failed=1; }
done
for change in 'del(.summaries.missing)' '.summaries.more = 1' '.totals.more = 1' '.leaks[0].more = {}'; do
	jq "$change" json/summaries-leaks.json >wrong.json
	jsonschema -i wrong.json "$schema" >out 2>&1 && { echo "valid: $change"; failed=1; }
done
exit $failed
