#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Which figures of the views timeline and flame, and of the page's time slices, are upper bounds: exactly
# those that count an object of a cache whose frees are known to be missing. This model computes it again
# from the events that the view events lists, and from the view slabinfo.
. "$srcdir/cli/cli.sh"
need jq
marked=0

report()
{
	"$report" "$@" 2>/dev/null | tr -d '\r'
}

# Reads the model and lines that begin with a cache: are its frees known to be missing?
# shellcheck disable=SC2016 # of awk
is_missing='FILENAME == ARGV[1] { if ($1 == "cache") missing[$2]; if ($1 == "all") all = 1; next }
	{ print $1, (all || $1 in missing ? "true" : "false") }'

# model: reads the caches with unobserved frees, or "all", and the events, twice. Prints "cache NAME" of each
# cache with missing frees; "time NS true" if objects of such caches are live from then on; and "peak SITE"
# and "live SITE" of the sites that have such objects at the peak and at the end.
model()
{
	awk -F, '
		function bounded(cache) { return all || cache in missing }
		FILENAME == ARGV[1] { if ($1 == "all") all = 1; else missing[$1]; next }
		FNR == 1 { pass++; for (i = 1; i <= NF; i++) at[$i] = i; split("", cache_of); next }
		{ address = $at["pointer"]; outcome = $at["outcome"] }
		# The address was allocated again: its free was missed.
		pass == 1 && outcome == "allocated" {
			if (address in cache_of) missing[cache_of[address]]
			cache_of[address] = $at["cache"]
		}
		pass == 1 && outcome == "freed" { delete cache_of[address] }
		pass == 2 && (outcome == "freed" || outcome == "allocated") && address in cache_of {
			if (bounded(cache_of[address])) { live_of[site_of[address]]--; bound-- }
			bytes -= bytes_of[address]
			delete cache_of[address]
		}
		pass == 2 && outcome == "allocated" {
			cache_of[address] = $at["cache"]
			site_of[address] = $at["site"]
			bytes_of[address] = $at["bytes_allocated"]
			bytes += bytes_of[address]
			if (bounded($at["cache"])) { live_of[site_of[address]]++; bound++ }
			if (bytes > most) {
				most = bytes
				split("", at_peak)
				for (site in live_of) if (live_of[site]) at_peak[site]
			}
		}
		pass == 2 { print "time " $at["time_ns"] " " (bound > 0 ? "true" : "false") }
		END {
			for (cache in missing) print "cache " cache
			for (site in at_peak) print "peak " site
			for (site in live_of) if (live_of[site]) print "live " site
			if (all) print "all"
		}' missing events.csv events.csv >model
}

# same WHAT: the files want and got.
same()
{
	sort -u want >want.sorted
	sort -u got >got.sorted
	marked=$((marked + $(wc -l <want.sorted)))
	diff want.sorted got.sorted >difference || { wrong "$*"; head -n 10 difference; }
}

# try CAPTURE FILTER…
try()
{
	report events -i "$@" --format=csv -l 0 >events.csv
	: >missing
	grep -q '^wanted ' "$1/kernel/status" && echo all >missing
	[ $# = 1 ] && report slabinfo -i "$1" --format=json |
		jq -r '.slabinfo[]? | select(.unobserved_objects != null and .unobserved_objects < 0) | .cache' >>missing
	model

	report timeline -i "$@" --format=json >timeline.json
	jq -r '.timeline[] | "\(.time_ns + .duration_ns) \(.live_upper_bound)"' timeline.json >rows
	awk 'FILENAME == ARGV[1] { if ($1 == "time") { time[++count] = $2; is[count] = $3 } next }
		{ end[FNR] = $1; rows = FNR }
		END {
			for (i = 1; i <= rows; i++) {
				while (at < count && (i == rows || time[at + 1] < end[i])) at++
				print end[i], (at ? is[at] : "false")
			}
		}' model rows >want
	cp rows got
	same "rows of the timeline of $*"
	sed -n 's/^peak //p' model >want
	jq -r '.peak[] | select(.live_upper_bound) | .site' timeline.json >got
	same "peak of $*"

	for measure in live peak; do
		report flame -i "$@" --by=site --bytes=$measure --format=json >flame.json
		sed -n "s/^$measure //p" model >want
		jq -r '.flame[] | select(.upper_bound) | .function' flame.json >got
		same "flame of $*, $measure"
	done
	for measure in live peak leaked; do
		report flame -i "$@" --by=module,caller_function,site,cache --bytes=$measure --format=json >flame.json
		jq -r '.flame[] | select(.depth == 3) | "\(.function) \(.upper_bound)"' flame.json >got
		awk "$is_missing" model got >want
		same "caches in the flame of $*, $measure"
		# a parent is an upper bound if a child is, and so is the total
		jq -r '.flame_totals.upper_bound, ([.flame[] | select(.depth == 3) | .upper_bound] | any)' \
			flame.json | uniq | wc -l >got
		echo 1 >want
		same "total of the flame of $*, $measure"
		jq -r '.flame[] | select(.depth < 3) | .path + ";" + " \(.upper_bound)"' flame.json >got
		jq -r '.flame as $all | .flame[] | select(.depth < 3) | .path + ";" | . as $path |
			"\($path) \([$all[] | select(.depth == 3 and (.path | startswith($path))) | .upper_bound] | any)"' \
			flame.json >want
		same "parents in the flame of $*, $measure"
	done

	report -i "$@" --format=html >page.html
	sed -n 's|^<script type="application/json" id="data-spans">\(.*\)</script>$|\1|p' page.html |
		jq -r '.tables[0] | ([.columns[].key] | index("live_upper_bound")) as $bound |
			([.columns[].key] | index("cache")) as $cache |
			.rows[] | select(.[$cache] != null) | "\(.[$cache]) \(.[$bound])"' >got
	[ -s got ] || wrong "no pairs of $*"
	awk "$is_missing" model got >want
	same "pairs of the page of $*"
}

for name in live slabinfo views vocabulary; do
	"$mktrace" $name <"$srcdir/cli/$name.trace" || exit 1
	try $name
done
{ echo "wanted 10"; cat "$srcdir/cli/slabinfo.trace"; } | "$mktrace" filtered || exit 1
try filtered
try live --time=2,3.9
try live --time=,5
if command -v xz >/dev/null; then
	for name in 6.12-amd64 6.1-s390x; do
		xz -dc "$srcdir/data/guests/$name.tar.xz" | tar -xf - || exit 1
		try $name
	done
	try 6.12-amd64 --time=0,0.19
	try 6.12-amd64 --cache=plant
fi
[ $marked -gt 200 ] || wrong "only $marked figures"
exit $failed
