#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The HTML page of summaries without a browser: its figures are those of --format=json, also of samples,
# of several hosts, of merged files and of files with gaps; it requests nothing; no name becomes markup;
# it stays small, whatever the number of hosts, functions and intervals. KMEMTRACE_LONG=1: 1,000 hosts.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/cli/cli.sh"
need jq
compared=0
hosts=60
[ "${KMEMTRACE_LONG:-}" = 1 ] && hosts=1000

# block FILE NAME: the data of a view
block()
{
	sed -n "s|^<script type=\"application/json\" id=\"data-$2\">\(.*\)</script>\$|\1|p" "$1"
}

# same FILE PAGE VIEW NAME OPTION…: the table of the page has the first rows of the JSON, and says how many
# there are. Of a tree it has the largest nodes.
same()
{
	local file=$1 page=$2 view=$3 name=$4

	shift 4
	block "$page" "$name" >block
	"$report" "$view" "$@" --format=json "$file" >json 2>message
	jq -rn --slurpfile page block --slurpfile json json --arg view "$view" '
		def same($what; $a; $b): if $a == $b then empty else "\($what): \($a) is not \($b)" end;
		($page[0].tables[0] as $t | ($t.columns | map(.key)) as $keys
		| ($t.rows | map([$keys, .] | transpose | map({(.[0]): .[1]}) | add)) as $rows
		| ($json[0][$t.key] | map(. as $row | [$keys[] | {(.): $row[.]}] | add)) as $all
		| (if $view != "flame" then $all[:($rows | length)]
			elif $t.rows_made == ($rows | length) then $all
			else ($rows | map(.bytes) | min // 0) as $least | $all | map(select(.bytes >= $least))
			end) as $expected
		| same("rows"; $rows | length; $expected | length),
			same("rows before the cut"; $t.rows_made; $all | length),
			(range($rows | length) | same("row \(.)"; $rows[.]; $expected[.])),
			"compared \($rows | length)"),
		same("flame_totals"; $page[0].flame_totals; $json[0].flame_totals)' >lines ||
		wrong "$file, $name: $(cat message)"
	grep -v ^compared lines >differences && wrong "$file, $name: $(head -n 4 differences)"
	compared=$((compared + $(awk '/^compared/ { sum += $2 } END { print sum + 0 }' lines)))
}

# head_of FILE PAGE OPTION…: the sections and the lines of the report
head_of()
{
	local file=$1 page=$2

	shift 2
	block "$page" summaries >block
	"$report" --format=json "$@" "$file" >json 2>message
	jq -en --slurpfile page block --slurpfile json json '$page[0] as $page | $json[0] as $json
		| $page.report == $json.report and $page.totals == $json.totals
		and ($page.summaries | del(.hosts)) == ($json.summaries | del(.hosts))
		and $page.summaries.hosts == $json.summaries.hosts[:($page.summaries.hosts | length)]
		and ($page.summaries.hosts | length) > 0 and $page.host_count == ($json.summaries.hosts | length)
		and (($page.estimates == null) == ($json.summaries.sampling == null))' >/dev/null ||
		wrong "$file: the header: $(cut -c 1-300 block)"
	# the lines are those of the text, which escapes what is not ASCII
	"$report" -v -l 1 --no-pager "$@" "$file" 2>/dev/null | sed '/^$/q' | tr -s ' \n' ' ' >text
	jq -r '.lines[] | .[1]' block | LC_ALL=C grep -v '[^ -~]' | while IFS= read -r line; do
		grep -qF -e "$(printf '%s' "$line" | tr -s ' ')" text || echo "$line"
	done >differences
	[ ! -s differences ] || wrong "$file: the text does not say: $(head -n 3 differences)"
}

# points_of FILE PAGE OPTION…: the points of the picture are the rows of the timeline, or sums of them, and
# the gaps between them.
points_of()
{
	local file=$1 page=$2

	shift 2
	block "$page" time >block
	"$report" timeline --format=json "$@" "$file" >json 2>message
	jq -rn --slurpfile page block --slurpfile json json '
		def same($what; $a; $b): if $a == $b then empty else "\($what): \($a) is not \($b)" end;
		$page[0].tables[0] as $t | ($t.columns | map(.key)) as $keys
		| ($t.rows | map([$keys, .] | transpose | map({(.[0]): .[1]}) | add)) as $points
		| ($json[0].timeline | sort_by(.time_ns + .duration_ns)) as $rows
		| (reduce ($rows | sort_by(.time_ns))[] as $row ({until: 0, gap: 0}; (([0, $row.time_ns - .until] | max) as $gap
			| .gap += $gap
			| .until = ([.until, $row.time_ns + $row.duration_ns] | max))) | .gap) as $gap
		| same("intervals"; $points | map(.intervals) | add; $rows | length),
		same("uncovered"; $page[0].uncovered_ns; $gap),
		(("allocations", "frees", "lost", "duration_ns") as $key
			| same($key; $points | map(.[$key]) | add; $rows | map(.[$key]) | add)),
		same("most live"; $points | map(.live_most) | max; $rows | map(.live_bytes) | max),
		same("least live"; $points | map(.live_least) | min; $rows | map(.live_bytes) | min),
		if ($points | length) == ($rows | length) then range($rows | length) as $i
			| $points[$i] as $point | $rows[$i] as $row
			| same("point \($i)"; [$point.to_ns, $point.allocations, $point.frees, $point.live_most, $point.live_least,
				$point.lost, $point.summaries_most, $point.summaries_least, $point.live_upper_bound];
				[$row.time_ns + $row.duration_ns, $row.allocations, $row.frees, $row.live_bytes, $row.live_bytes,
				$row.lost, $row.summaries, $row.summaries, $row.live_upper_bound])
		else empty end,
		if ($points | length) > 2500 then "\($points | length) points" else empty end' >lines ||
		wrong "$file, points: $(cat message)"
	[ ! -s lines ] || wrong "$file: $(head -n 4 lines)"
}

# page FILE NAME OPTION…: all checks
page()
{
	local file=$1 page=$2.html

	shift 2
	"$report" "--html=$page" "$@" "$file" >out 2>err || grep -q 'skipped it' err ||
		wrong "$file: exit status $?: $(cat err)"
	[ -s out ] && wrong "$file: standard output: $(head -n 3 out)"
	head_of "$file" "$page" "$@"
	points_of "$file" "$page" "$@"
	for view in sites caches leaks timeline; do
		same "$file" "$page" $view $view "$@"
	done
	same "$file" "$page" flame flame-live --bytes=live "$@"
	same "$file" "$page" flame flame-allocated --bytes=allocated "$@"
	sed '/^<script>/,$d; /^<style>/,/^<\/style>/d' "$page" | grep -v '^<script type="application/json"' |
		grep -nE '<[a-z][^>]*(src=|href="[^#])|@import|url\(' && wrong "$page: a request"
	grep -qE "content=\"default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; script-src 'sha256-[A-Za-z0-9+/]{43}='; base-uri 'none'; form-action 'none'\"" \
		"$page" || wrong "$page: no Content-Security-Policy"
	[ "$(grep -c '<script' "$page")" = 9 ] || wrong "$page: $(grep -c '<script' "$page") scripts"
	grep -qF "$scratch" "$page" && wrong "$page: the path of the file"
	[ "$(wc -c <"$page")" -lt 2000000 ] || wrong "$page: $(wc -c <"$page") bytes"
}

# end FILE: adds the last line of a block.
end()
{
	printf 'end %d %s\n' "$(wc -l <"$1")" "$(gzip -c "$1" | tail -c 8 | head -c 4 |
		od -An -tu1 | awk '{ printf "%.0f", $1 + 256 * ($2 + 256 * ($3 + 256 * $4)) }')" >>"$1"
}

# Several hosts, losses, a missing summary, names with escapes; with filters.
cp "$srcdir/cli/report-summaries.kms" some.kms
mkdir -p dir/summaries
cp some.kms dir/summaries/merged.kms
page some.kms some
page dir dir
cmp -s some.html dir.html || wrong "the directory has another page"
page some.kms filtered --site='^getname$' --cache=names
[ "$(block filtered.html summaries | jq -c .report.filters)" = '["site ~ ^getname$","cache ~ names"]' ] ||
	wrong "no filter in the header: $(block filtered.html summaries | jq -c .report.filters)"
grep -qF '<title>kmemtrace: 2 hosts, 2025-11-25T11:59:50 to 2025-11-25T12:03:00 UTC</title>' some.html ||
	wrong "$(grep title some.html)"
"$report" --format=html some.kms | cmp -s - some.html || wrong "--format=html differs from --html"
(cd dir && "$report" --html ../some.kms 2>message) || wrong "--html: exit status $?"
cmp -s dir/kmemtrace.html some.html || wrong "kmemtrace.html differs: $(cat dir/message)"

# Time that no summary covers.
awk '/^summary 1764072060/ { skips = 1 } !skips { print } /^end/ { skips = 0 }' some.kms >gap.kms
page gap.kms gap
[ "$(block gap.html time | jq -c '[.gaps, .uncovered_ns]')" = '[1,60000000000]' ] ||
	wrong "gap: $(block gap.html time | jq -c '[.gaps, .uncovered_ns]')"
[ "$(block some.html time | jq .gaps)" = 0 ] || wrong "some.kms has a gap"

# Hosts with intervals of different lengths: a long one covers the time between short ones.
for times in "alpha 0 0 60" "alpha 1 120 180" "alpha 2 400 460" "beta 0 30 200"; do
	read -r host interval begin until <<<"$times"
	cat >part <<-END
		summary $((1764072000 + begin))000000000 $((1764072000 + until))000000000 $((1764072000 + until))000000000 1
		source $host 6f1c 1 $interval $interval
		cost 1 1
		bound 40 0 0 0 0 0 0
		code f kernel kmalloc-64 100 60 6400 3840 0 0 0 40 2560
	END
	end part
	cat part >>parts
done
{ echo "kmemtrace-summaries 1"; cat parts; } >lengths.kms
page lengths.kms lengths
[ "$(block lengths.html time | jq -c '[.gaps, .uncovered_ns, .overlapping]')" = '[1,200000000000,1]' ] ||
	wrong "lengths: $(block lengths.html time | jq -c '[.gaps, .uncovered_ns, .overlapping]')"
[ "$(block lengths.html time | jq -c '[.tables[0].rows[] | .[0:2] | map(. / 1000000000)]')" = \
	'[[0,60],[60,180],[180,200],[400,460]]' ] || wrong "lengths: $(block lengths.html time | jq -c .tables[0].rows)"

# Samples: the interval of the sum of one row is that of the row.
cat >sampled <<'END'
summary 1764072000000000000 1764072060000000000 1764072060000000000 1
source alpha 6f1c 1 0 0
cost 1 1
bound 40 0 0 0 0 65536 0
code f kernel kmalloc-64 1000 600 6400000 3840000 0 0 0 400 2560000 419430400000 167772160000
END
end sampled
{ echo "kmemtrace-summaries 1"; cat sampled; } >sampled.kms
page sampled.kms sampled
[ "$(block sampled.html summaries | jq -c .estimates)" = "$("$report" caches --format=json sampled.kms |
	jq -c '.caches[0] | {bytes_allocated_low, bytes_allocated_high, live_bytes_low, live_bytes_high}')" ] ||
	wrong "estimates: $(block sampled.html summaries | jq -c .estimates)"
grep -qF '<title>kmemtrace: alpha, ' sampled.html || wrong "$(grep title sampled.html)"

# Names that are markup stay data. A long list of functions and of intervals is cut.
mark='</script><script>alert(1)</script><img/src=x/onerror=alert(2)>&lt;\xe2\x80\xa8\xff'
cat >hostile <<END
summary 1764072000000000000 1764072060000000000 1764072060000000000 1
source $mark 6f1c 1 0 0
host $mark x86_64 4 8589934592 100000000 50000000 $mark
cost 1 1
bound 40 0 0 0 0 0 0
code $mark $mark $mark 1000 600 6400000 3840000 0 0 0 400 2560000
END
end hostile
{ echo "kmemtrace-summaries 1"; cat hostile; } >hostile.kms
page hostile.kms hostile
for name in summaries sites caches leaks flame-live flame-allocated; do
	block hostile.html $name | grep -q 'script>' && wrong "$name has markup"
	block hostile.html $name | grep -qF 'script\u003e\u003cscript\u003ealert(1)' || wrong "$name lacks the name"
done
grep -qF '<title>kmemtrace: &lt;/script&gt;' hostile.html || wrong "$(grep title hostile.html)"

awk 'BEGIN {
	print "summary 1764072000000000000 1764072060000000000 1764072060000000000 1"
	print "source alpha 6f1c 1 0 0\ncost 1 1\nbound 40 0 0 0 0 0 0"
	name = sprintf("%100s", ""); gsub(" ", "<", name)
	for (i = 1; i <= 5000; i++)
		printf "code %s%d %s cache-%d 1000 600 6400000 3840000 0 0 0 %d %d\n", name, i, name, i, i, 64 * i
}' >long
end long
{ echo "kmemtrace-summaries 1"; cat long; } >long.kms
page long.kms long
[ "$(block long.html sites | jq '.tables[0] | .rows_made == 5000 and (.rows | length) < 1000')" = true ] ||
	wrong "long: $(block long.html sites | jq '.tables[0] | .rows_made, (.rows | length)')"

# A merged capture, and merged fleets: 24 hours, and one host in many intervals.
"$builddir/kmemtrace-merge" -q -i 1ms -o merged "$srcdir/data/sample" || wrong "merge: exit status $?"
page merged sample
"$builddir/tests/fleet/hosts" --hosts=$hosts data >planted || exit 1
"$builddir/kmemtrace-merge" -q -o fleet data
[ -s fleet/summaries/merged.kms ] || wrong "no merged fleet"
page fleet fleet
[ "$(block fleet.html summaries | jq .host_count)" = $hosts ] || wrong "fleet: $(block fleet.html summaries | jq .host_count) hosts"
[ "$(block fleet.html summaries | jq .summaries.missing)" -gt 0 ] || wrong "fleet: no summary is missing"
"$builddir/tests/fleet/hosts" --hosts=1 --hours=24 --interval=10 many >planted || exit 1
"$builddir/kmemtrace-merge" -q -o seconds many
page seconds seconds
[ "$(block seconds.html time | jq '.tables[0].rows | map(.[2]) | max > 2')" = true ] || wrong "seconds: no point of several"
[ "$(block seconds.html timeline | jq '.tables[0].rows_made > 8000')" = true ] || wrong "seconds: few intervals"
[ $compared -gt 1500 ] || wrong "only $compared rows were compared"

# Options of one view are refused; a loss and a damaged file give the exit status.
for option in sites --by=cache -s=frees "-l 5" --bytes=allocated; do
	# shellcheck disable=SC2086 # an option and its value
	"$report" --html=no.html $option some.kms >out 2>err
	[ $? = 2 ] || wrong "--html $option: exit status $?"
	grep -q -e '--html: \(the page\|takes filters\)' err || wrong "--html $option: $(cat err)"
done
"$report" --html=no.html --gfp=GFP_KERNEL some.kms 2>err
[ $? = 2 ] && [ ! -e no.html ] || wrong "a filter that needs events: $(cat err)"
"$report" --html=loss.html --max-loss=1 some.kms 2>err
[ $? = 1 ] || wrong "--max-loss: $(cat err)"
sed '0,/^code getname/s//code getnamE/' some.kms >damaged.kms
"$report" --html=damaged.html damaged.kms 2>err
[ $? = 1 ] && [ "$(block damaged.html summaries | jq .summaries.damaged)" = 1 ] || wrong "damaged: $(cat err)"
"$report" --html=/nowhere/no.html some.kms 2>err
[ $? = 2 ] && grep -q '/nowhere/no.html: No such file' err || wrong "a file that cannot be made: $(cat err)"
exit $failed
