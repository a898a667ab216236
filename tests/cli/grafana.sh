#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The dashboard for ClickHouse: each of its queries is run as Grafana would, on a fleet of which the sums
# are known; growth, live bytes and the missing intervals are those of the files.
. "$srcdir/cli/cli.sh"
[ -x "$builddir/kmemtrace-ship" ] || skip "this build has no kmemtrace-ship (no libcurl)"
need jq
# shellcheck source=tests/fleet/clickhouse.sh
. "$srcdir/fleet/clickhouse.sh"
clickhouse_need
before_end clickhouse_stop_all
dashboard=$srcdir/../fleet/grafana/kmemtrace-clickhouse.json

# answer PANEL: the rows of its query, as JSON, each on a line
answer()
{
	local sql

	sql=$(jq -r --argjson id "$1" '.panels[] | select(.id == $id) | .targets[0].rawSql' "$dashboard" |
		sed -e "s/\$__fromTime/toDateTime($from)/g; s/\$__toTime/toDateTime($to)/g; s/\$__interval_s/600/g" \
			-e "s/\${host:singlequote}/'host0','host1','host2'/g; s/\${role:singlequote}/'web'/g; s/\${by}/code/g")
	case $sql in *'$'*) wrong "panel $1 has a variable that Grafana does not know: $sql" ;; esac
	curl -s -m 60 --noproxy '*' --data-binary "$sql FORMAT JSON" \
		"http://127.0.0.1:${clickhouse_ports[0]}/?database=fleet&output_format_json_quote_64bit_integers=0" >answer
	jq -c '.data[]' answer 2>/dev/null || wrong "panel $1: $(head -c 600 answer): $sql"
}

clickhouse_start 0 "$scratch/0" || exit 1
mkdir files
for i in 0 1 2; do
	"$builddir/tests/fleet/make_summaries" host$i 0 59 60 >files/$i.kms
done
# one summary is missing
awk '/^summary / { number++ } number != 30' files/1.kms >less
mv less files/1.kms
"$builddir/kmemtrace-ship" --state=state --init --to="clickhouse://127.0.0.1:${clickhouse_ports[0]}/fleet" files >said 2>&1 ||
	wrong "not shipped: $(cat said)"
from=$(awk '$1 == "summary" { printf "%.0f\n", $2 / 1e9; exit }' files/0.kms)
to=$((from + 3600))

[ "$(jq '.panels | length' "$dashboard")" = 9 ] || wrong "not nine panels"
for panel in 1 2 3 4 5 6 7 8 9; do
	[ -n "$(answer $panel)" ] || wrong "panel $panel has no rows"
done
# The values of the files, with awk.
growth=$(awk '$1 == "code" { sum += $7 - $8 } END { printf "%.0f", sum }' files/*.kms)
[ "$growth" != 0 ] || wrong "nothing grows in the files"
[ "$(answer 6 | jq -s 'map(.growth) | add')" = "$(awk '$1 == "code" { grown[$2] += $7 - $8 } END {
	for (name in grown) print grown[name] }' files/*.kms | sort -nr | head -n 50 | awk '{ sum += $1 } END { printf "%.0f", sum }')" ] ||
	wrong "the growth is $(answer 6 | jq -s 'map(.growth) | add')"
[ "$(answer 6 | jq -s -c 'map([.growing_hosts, .hosts]) | unique')" = '[[3,3]]' ] || wrong "hosts: $(answer 6 | head -3)"
[ "$(answer 7 | jq -r '"\(.hosts) \(.growth)"')" = "3 $growth" ] || wrong "by kernel: $(answer 7), not $growth"
[ "$(answer 1 | jq -c '[.hosts, .intervals, .missing]')" = '[3,179,1]' ] || wrong "hosts: $(answer 1)"
[ "$(answer 2 | jq .recorded)" = "$(awk '$1 == "bound" { sum += $2 } END { print sum }' files/*.kms)" ] || wrong "events: $(answer 2)"
last=$(answer 5 | jq -s -r 'map(.time) | max')
[ "$(answer 5 | jq -s --arg last "$last" 'map(select(.time == $last).live) | add')" = "$(for i in files/*.kms; do
	awk '$1 == "summary" { delete live } $1 == "code" { live[$2] += $13 } END { for (name in live) print live[name] }' "$i"
done | sort -nr | awk '{ if (NR <= 30) sum += $1 } END { printf "%.0f", sum }')" ] || wrong "live: $(answer 5 | tail -n 12)"
exit $failed
