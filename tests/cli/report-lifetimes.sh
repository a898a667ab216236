#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The view lifetimes in all formats: rows of powers of two, with the empty ones between.
. "$srcdir/cli/cli.sh"

"$mktrace" kmemtrace.data <"$srcdir/cli/live.trace" || exit 1
{
	"$report" lifetimes | sed '1,/^$/d'
	echo "--- by task"
	"$report" lifetimes --by task | sed '1,/^$/d' | sed '/^$/q'
	echo "--- csv"
	"$report" lifetimes --format=csv -s -from_ns,site | tr '\r' '~'
	echo "--- json"
	"$report" lifetimes --format=json --site fill |
		sed -n '/^  "lifetimes": \[/,$p'
	echo "--- none"
	"$report" lifetimes --site keep | sed '1,/^$/d'
} >out 2>&1
compare report-lifetimes.expected out

# All kinds of groups include all frees whose allocation is known.
sample=$srcdir/data/sample
frees=$("$report" -i "$sample" sites --format=json |
	awk -F'[:,] *' '/"totals"/ { on = 1 } on && /"frees"/ { frees = $2 }
		on && /"frees_unmatched"/ { print frees - $2; exit }')
for by in site module cache task cpu gfp; do
	sum=$("$report" -i "$sample" lifetimes --by $by --format=csv |
		awk -F, 'NR > 1 { frees += $6 } END { print frees }')
	if [ -z "$sum" ] || [ "$sum" != "$frees" ]; then
		echo "by $by: $sum frees, not $frees"
		exit 1
	fi
done

# Of the ages at the frees that the view events lists, at least 99 % are up to p99, which is at most the
# window or the longest age; so is the last row of the view lifetimes.
within()
{
	window=$("$report" timeline -i "$@" --format=csv | tr -d '\r' |
		awk -F, 'NR == 2 { from = $1 } { to = $1 + $2 } END { print to - from }')
	for view in events sites lifetimes; do
		"$report" $view -i "$@" --format=csv -l 0 | tr -d '\r' >$view.csv
	done
	awk -F, -v window="$window" '
		FNR == 1 { file++; for (i = 1; i <= NF; i++) at[$i] = i; next }
		file == 1 && $at["outcome"] == "freed" {
			site = $at["alloc_site"]; age[site, ++count[site]] = $at["age_ns"]
			if ($at["age_ns"] + 0 > longest[site]) longest[site] = $at["age_ns"] + 0
		}
		file == 2 && $at["lifetime_p99_ns"] != "" {
			site = $at["site"]; p99 = $at["lifetime_p99_ns"]; up_to = 0
			for (i = 1; i <= count[site]; i++) up_to += (age[site, i] + 0 <= p99 + 0)
			if (up_to < 0.99 * count[site]) print site ": " up_to " up to " p99
			if (p99 > window && p99 > longest[site]) print site ": p99 " p99 ", window " window
			checked++
		}
		file == 3 {
			site = $at["site"]; to = $at["to_ns"]
			if (to > window && to > longest[site]) print site ": to " to ", window " window
		}
		END { if (!checked) print "no site" }' events.csv sites.csv lifetimes.csv >wrong || exit 1
	[ ! -s wrong ] || { echo "of $*"; cat wrong; exit 1; }
}
within kmemtrace.data
within kmemtrace.data --time=4,6
within "$sample"
command -v xz >/dev/null || exit 0
xz -dc "$srcdir/data/guests/6.12-amd64.tar.xz" | tar -xf - || exit 1
within 6.12-amd64
within 6.12-amd64 --time=0.05,0.2
