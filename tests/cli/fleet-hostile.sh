#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtrace-fleet: a host whose summaries have figures that no host can have does not stop the answers about
# the others. A load refuses such summaries; a store that has them since an earlier version answers.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/cli/cli.sh"
fleet=$builddir/kmemtrace-fleet
# shellcheck source=tests/cli/summaries.bash
. "$srcdir/cli/summaries.bash"
need python3
python3 -c 'import sqlite3' 2>/dev/null || skip "python3 has no sqlite3"

# summary NUMBER BEGIN END ROWS BYTES: of the host evil, with so many rows of so many bytes
summary()
{
	printf 'summary %s %s %s 1\nsource evil b 1 %s %s\nhost k x 1 1 1 1 -\ncost 1 1\nbound 2 0 0 0 0 0 0\n' \
		"$2" "$3" "$3" "$1" "$1"
	seq "$4" | sed "s/.*/code f& kernel c 2 0 $5 0 0 0 0 2 100/"
}

"$fleet" --db=store init 2>message || {
	cat message
	grep -q 'built without SQLite' message && exit 77
	exit 1
}
"$builddir/tests/fleet/hosts" --hosts=6 --interval=1800 --rows=6 data >/dev/null || exit 1
says 0 'summaries loaded' --db=store load data

# 146 years, and a day and a nanosecond; a day is possible
for number in 0 1 2; do
	summary $number 1 4611686018427387903 1 100
done | seal >years.kms
says 1 'its interval is longer than a day' --db=store load years.kms
says 1 '3 summaries are not loaded' --db=store load years.kms
summary 0 1800000000000000000 1800086400000000001 1 100 | seal >long.kms
says 1 'its interval is longer than a day' --db=store load long.kms
# rows of a kind: one is possible, all together are not
summary 0 1800000000000000000 1800086400000000000 1100 9007199254740991 | seal >rows.kms
says 1 'a figure that no host can have' --db=store load rows.kms
cp store other
summary 0 1800000000000000000 1800086400000000000 1 9007199254740991 | seal >possible.kms
says 0 '1 summaries loaded' --db=other load possible.kms

# A store of an earlier version has taken them: its host-00003 has long intervals and large figures.
cp store evil
python3 - <<'END' || exit 1
import sqlite3
db = sqlite3.connect("evil")
of_host = "(SELECT id FROM stored_intervals WHERE run_id IN (SELECT id FROM runs WHERE host = 'host-00003'))"
db.execute(f"UPDATE stored_intervals SET \"begin\" = 1, until = (1 << 62) - 1, recorded = 1 << 62, "
           f"cpu_ns = 1 << 62 WHERE id IN {of_host}")
db.execute(f"UPDATE stored_figures SET allocated = 1 << 62 WHERE interval_id IN {of_host}")
db.commit()
END
for question in top growth outliers versions hosts "history host-00003" "history host-00002" \
	"top --by=comm --format=json" "sql SELECT(1)"; do
	# shellcheck disable=SC2086 # words
	"$fleet" --db=evil --partial $question >out 2>message || wrong "$question: exit status $?: $(cat message)"
	[ -s out ] || wrong "$question: no answer"
done
says 0 'a figure of 9223372036854775807 stands for that or more' --db=evil --partial top
says 0 '9223372036854775807,' --db=evil --partial --format=csv top
says 0 9223372036854775807 --db=evil --partial --format=csv sql \
	"SELECT SUM(allocated) FROM figures WHERE host = 'host-00003'"
# the host is named, and can be dropped
says 0 'host-00003: it has an interval of more than a day' --db=evil --partial growth
says 2 'drop takes a time, or else --host' --db=evil drop
says 2 'drop takes a time, or else --host' --db=evil --host=host-00003 drop 30d
says 2 'filters and formats are for questions' --db=evil --host=host-00003 --kernel=k drop
says 2 'no host has the name host-00009' --db=evil --host=host-00003,host-00009 drop
says 0 'all rows of host-00003 are dropped' --db=evil --host=host-00003 drop
"$fleet" --db=others load -q data/host-0000[!3].kms || wrong "load of the others"
for query in "SELECT * FROM intervals ORDER BY host, run, number" \
	"SELECT * FROM figures ORDER BY host, run, number, kind, function, module, cache"; do
	for name in evil others; do
		"$fleet" --db=$name --partial --format=csv sql "$query" >$name.rows 2>/dev/null
	done
	[ "$(wc -l <others.rows)" -gt 200 ] && cmp -s evil.rows others.rows || wrong "drop: other rows are left"
done
says 0 '48 summaries loaded' --db=evil load data/host-00003.kms

# sums of other columns, in all ways that a user may ask for
for query in "1;SUM(a) FROM (SELECT 1 AS a UNION ALL SELECT NULL)" ";SUM(a) FROM (SELECT NULL AS a)" \
	"-3;SUM(a) FROM (SELECT -1 AS a UNION ALL SELECT -2)" "2.500000;SUM(a) FROM (SELECT 1 AS a UNION ALL SELECT 1.5)" \
	"-9223372036854775807;SUM(a) FROM (SELECT -9223372036854775807 AS a)" \
	"7;SUM(a) FROM (SELECT 9223372036854775807 AS a UNION ALL SELECT 7 UNION ALL SELECT -9223372036854775807)"; do
	expected=${query%%;*}
	"$fleet" --db=store --partial --format=csv sql "SELECT ${query#*;}" >out 2>message
	[ "$(tail -n 1 out | tr -d '\r')" = "$expected" ] || wrong "${query#*;}: $(cat out message)"
done
"$fleet" --db=store --partial --format=csv sql "SELECT group_concat(s, ' ') AS s FROM (SELECT SUM(a) OVER (ROWS 1 PRECEDING)
	AS s FROM (SELECT 9223372036854775807 AS a UNION ALL SELECT -1 UNION ALL SELECT 5))" >out 2>message
grep -qE '^(9223372036854775807 9223372036854775806 4|-1 4 9223372036854775807)' out || wrong "windows: $(cat out message)"

# values that are no number of the output stay as they are
for value in 18446744073709551615 9223372036854775807 -9223372036854775808 007 0x10 1e999 -0 0 -1 '' 1e; do
	"$fleet" --db=store --partial --format=csv sql "SELECT '$value' AS v, 1 AS one" >out 2>message
	# CSV has a quote before a text that a spreadsheet takes for a formula
	[ "$(tail -n 1 out | tr -d "\r'")" = "$value,1" ] || wrong "$value: $(cat out message)"
	"$fleet" --db=store --partial --format=json sql "SELECT '$value' AS v, 1 AS one" >out 2>message ||
		wrong "$value as JSON: $(cat message)"
	grep -qE "\"v\": \"?$value\"?," out || wrong "$value as JSON: $(grep '"v"' out)"
done
for query in "1.500000;SELECT 1.5 AS v UNION ALL SELECT 2;2.000000" "text;SELECT 1.5 AS v UNION ALL SELECT '007';007" \
	"inexact;SELECT 1.5 AS v UNION ALL SELECT 9007199254740993;9007199254740993"; do
	"$fleet" --db=store --partial --format=csv sql "$(cut -d ';' -f 2 <<<"$query")" >out 2>message
	[ "$(tail -n 1 out | tr -d '\r')" = "${query##*;}" ] || wrong "$query: $(cat out message)"
done
exit $failed
