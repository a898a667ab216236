#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The HTML page without a browser: its figures are those of --format=json, also in a span of time and of
# a comparison; it requests nothing; no name in a capture becomes markup; it stays small.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/cli/cli.sh"
need jq
need xz

# block FILE NAME: the data of a view
block()
{
	sed -n "s|^<script type=\"application/json\" id=\"data-$2\">\(.*\)</script>\$|\1|p" "$1"
}

# same CAPTURE PAGE VIEW NAME OPTION…: each table of the page has the first rows of the JSON, and says
# how many there are. Of a tree it has the largest nodes.
same()
{
	local capture=$1 page=$2 view=$3 name=$4

	shift 4
	block "$page" "$name" >block
	"$report" "$view" "$@" --format=json -i "$capture" >json 2>message
	if grep -q '"refused"' block; then
		[ -s json ] && wrong "$capture, $name: the page leaves the view out, JSON does not"
		grep -qF -e "$(jq -r .refused block)" message || wrong "$capture, $name: $(cat block message)"
		return
	fi
	jq -rn --slurpfile page block --slurpfile json json --arg view "$view" '
		def same($what; $a; $b): if $a == $b then empty else "\($what): \($a) is not \($b)" end;
		($page[0].tables[] as $t | ($t.columns | map(.key)) as $keys
		| ($t.rows | map([$keys, .] | transpose | map({(.[0]): .[1]}) | add)) as $rows
		| ($json[0][$t.key] | map(. as $row | [$keys[] | {(.): $row[.]}] | add)) as $all
		| (if $view != "flame" then $all[:($rows | length)]
			elif $t.rows_made == ($rows | length) then $all
			else ($rows | map(.bytes) | min // 0) as $least | $all | map(select(.bytes >= $least))
			end) as $expected
		| same("\($t.key), rows"; $rows | length; $expected | length),
			same("\($t.key), rows before the cut"; $t.rows_made; $all | length),
			(range($rows | length) | same("\($t.key), row \(.)"; $rows[.]; $expected[.])),
			"compared \($rows | length)"),
		if $view == "summary" then ("report", "capture", "loss", "totals")
			| same(.; $page[0][.]; $json[0][.]) else empty end' >lines ||
		wrong "$capture, $name: $(cat message)"
	grep -v ^compared lines >differences && wrong "$capture, $name: $(head -n 4 differences)"
	compared=$((compared + $(awk '/^compared/ { sum += $2 } END { print sum + 0 }' lines)))
}

# span CAPTURE PAGE FIRST LAST: the sums of these slices are the figures of --time and --at.
span()
{
	local capture=$1 first=$3 last=$4 from until

	block "$2" spans >block
	from=$(jq -r ".tables[2].rows[$first][0] | if $first == 0 then \"\" else \"\(.)ns\" end" block)
	until=$(jq -r ".tables[2] | if $last == (.rows | length) - 1 then \"\" else
		\"\(.rows[$last][0] + .rows[$last][1])ns\" end" block)
	"$report" sites "--time=$from,$until" --format=json "$capture" >flows || return
	"$report" sites "--time=,$until" --format=json "$capture" >heap || return
	# [site, allocations, bytes] in the span
	jq -c --argjson first "$first" --argjson last "$last" '(.tables[0].rows | map({(.[0] | tostring): .[2]}) | add) as $site
		| [.tables[1].rows[] | select(.[1] >= $first and .[1] <= $last)]
		| group_by($site[.[0] | tostring])[] | [$site[.[0][0] | tostring], (map(.[2]) | add), (map(.[5]) | add)]
		| select(.[1] > 0)' block | sort >of.page
	jq -c '.sites[] | select(.allocations > 0) | [.address, .allocations, .bytes_allocated]' flows |
		sort >of.json
	cmp -s of.page of.json || wrong "$capture, slices $first to $last: $(diff of.page of.json | head -n 4)"
	[ -s of.json ] || [ "$first" -gt 0 ] || wrong "$capture, slices $first to $last: no allocation"
	# [site, live objects, bytes] at its end
	jq -c --argjson last "$last" '.tables[0].rows as $pairs | [$pairs[] | {site: .[2], objects: .[5], bytes: .[6]}]
		+ [.tables[1].rows[] | select(.[1] <= $last) | {site: $pairs[.[0]][2],
			objects: (.[2] - .[3] - .[4]), bytes: (.[5] - .[6])}]
		| group_by(.site)[] | [.[0].site, (map(.objects) | add), (map(.bytes) | add)]
		| select(.[1] != 0)' block | sort >of.page
	jq -c '.sites[] | select(.live_objects > 0) | [.address, .live_objects, .live_bytes]' heap | sort >of.json
	cmp -s of.page of.json || wrong "$capture, live after slice $last: $(diff of.page of.json | head -n 4)"
	[ "$(jq -c "[.tables[2].rows[$first:$last + 1][] | .[2,3,6]] | [_nwise(3)] | transpose | map(add)" block)" = \
		"$(jq -c '.totals | [.allocations, .frees, .failed]' flows)" ] ||
		wrong "$capture, slices $first to $last: other totals"
}

# whole CAPTURE PAGE: the rows of all pairs are there, and add up to the totals.
whole()
{
	block "$2" spans >block
	grep -q '"refused"' block && return
	"$report" sites --format=json -i "$1" >json || return
	[ "$(jq -c '[.tables[] | .rows_made == (.rows | length)] | unique' block)" = '[true]' ] ||
		wrong "$1: rows of the spans are missing"
	[ "$(jq -c '(.tables[0].rows | [map(.[5]), map(.[6])] | map(add // 0)) as $initial
		| .tables[1].rows | (map(.[2]) | add // 0), (map(.[5]) | add // 0),
			(map(.[2] - .[3] - .[4]) | add // 0) + $initial[0],
			(map(.[5] - .[6]) | add // 0) + $initial[1]' block)" = \
		"$(jq -c '.totals | .allocations, .bytes_allocated, .live_objects, .live_bytes' json)" ] ||
		wrong "$1: the spans do not add up to the totals"
}

# page CAPTURE: all checks
page()
{
	local capture=$1 view measure

	"$report" "--html=$1.html" "$capture" >out 2>err || wrong "$capture: exit status $?: $(cat err)"
	[ -s out ] && wrong "$capture: standard output: $(head -n 3 out)"
	for view in summary sites caches slabinfo census tracks allocinfo where sizes leaks lifetimes cpus nodes cgroups timeline probes findings; do
		same "$capture" "$1.html" $view $view
	done
	whole "$capture" "$1.html"
	by=--by=comm,module,caller_function,site,cache
	[ "$(block "$1.html" flame-live | jq .flame_totals.has_stacks)" = true ] && by=--by=comm,stack
	for measure in live peak allocated temporary leaked; do
		same "$capture" "$1.html" flame flame-$measure "$by" --bytes=$measure
	done
	sed '/^<script>/,$d; /^<style>/,/^<\/style>/d' "$1.html" | grep -v '^<script type="application/json"' |
		grep -nE '<[a-z][^>]*(src=|href="[^#])|@import|url\(' && wrong "$capture: a request"
	grep -qE "content=\"default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; script-src 'sha256-[A-Za-z0-9+/]{43}='; base-uri 'none'; form-action 'none'\"" \
		"$1.html" || wrong "$capture: no Content-Security-Policy"
	[ "$(wc -c <"$1.html")" -lt 2000000 ] || wrong "$capture: $(wc -c <"$1.html") bytes"
}

compared=0
ln -s "$srcdir/data/sample" sample
xz -dc "$srcdir/data/guests/6.1-s390x.tar.xz" | tar -xf - || exit 1
mv 6.1-s390x guest
xz -dc "$srcdir/data/guests/6.12-amd64.tar.xz" | tar -xf - || exit 1
mv 6.12-amd64 errors
"$mktrace" stacks <"$srcdir/cli/stacks.trace" || exit 1
"$mktrace" views <"$srcdir/cli/views.trace" || exit 1
"$mktrace" lossy <"$srcdir/cli/small.trace" || exit 1
"$pack" -q --split=20k -o set sample || exit 1
# the end is not known: the slices become wider while the capture is read
cp -r errors cut
sed -i -e 's/^complete yes/complete no/' -e '/^end /d' cut/kernel/status
# more sites and slices than the page shows
awk 'BEGIN {
	print "endian little\nbegin 1us\nsymbol 0xffffffff81000000 caller\ntask 10 10 task"
	for (slice = 0; slice < 200; slice++)
		for (site = 0; site < 160; site++) {
			time = slice * 1000 + site + 1000
			if (slice)
				printf "free %dus 0 0xffff8880%08x caller+0x8 task=10\n", time,
					((slice - 1) * 160 + site) * 256
			printf "alloc %dus 0 0xffff8880%08x 100/128 caller+0x%x task=10\n", time,
				(slice * 160 + site) * 256, 16 * (site + 1)
		}
	print "end 201000us\ncomplete yes"
}' | "$mktrace" dense || exit 1
# more nodes of a tree than the page shows, in no order
awk 'BEGIN {
	print "endian little\nbegin 1us\nsymbol 0xffffffff81000000 caller\ntask 10 10 task"
	for (site = 0; site < 500; site++)
		printf "alloc %dus 0 0xffff8880%08x %d/%d caller+0x%x task=10\n", 1000 + site, site * 65536,
			8 * (site * 7 % 500 + 1), 8 * (site * 7 % 500 + 1), 16 * (site + 1)
	print "end 201000us\ncomplete yes"
}' | "$mktrace" many || exit 1
cp -r stacks profiled
sed -i 's/^sample_interval.*/&\nprofile yes/' profiled/kernel/status
for capture in sample guest errors stacks profiled views lossy set cut dense many; do
	page $capture
done
[ "$(block dense.html spans | jq '.tables[0].rows[-1] | .[1] == null and .[4] > 10')" = true ] ||
	wrong "dense: $(block dense.html spans | jq -c '.tables[0].rows[-1]')"
[ "$(block many.html flame-allocated | jq '.tables[0] | .rows_made > 900 and (.rows | length | . > 500 and . <= 600)')" = true ] ||
	wrong "many: $(block many.html flame-allocated | jq -c '.tables[0] | [.rows_made, (.rows | length)]')"
[ "$(grep -c '"refused"' profiled.html)" = 9 ] || wrong "profiled: other views are left out"
[ "$(block lossy.html spans | jq '[.tables[3].rows[][2]] | add')" = \
	"$("$report" --format=json -i lossy | jq '.loss.lost')" ] || wrong "lossy: $(block lossy.html spans | jq -c '.tables[3].rows')"
[ $compared -gt 1500 ] || wrong "only $compared rows were compared"
for capture in sample guest errors set cut; do
	slices=$(block $capture.html spans | jq '.tables[2].rows | length')
	[ "$slices" -ge 10 ] || wrong "$capture: $slices slices"
	for ends in "0 $((slices - 1))" "0 $((slices / 2))" "$((slices / 3)) $((slices / 3 * 2))" \
		"$((slices / 2)) $((slices - 1))"; do
		# shellcheck disable=SC2086 # two numbers
		span $capture $capture.html $ends
	done
done

# The whole page twice is the same bytes; --format=html prints it.
"$report" --format=html sample >again || wrong "--format=html: exit status $?"
cmp -s again sample.html || wrong "--format=html differs from --html"
mkdir default
(cd default && "$report" --html ../sample 2>message) || wrong "--html: exit status $?"
cmp -s default/kmemtrace.html sample.html || wrong "kmemtrace.html differs: $(cat default/message)"
grep -q 'kmemtrace.html: written, [0-9]* kB' default/message || wrong "$(cat default/message)"

# The digests are those of the style and the script.
if command -v sha256sum base64 >/dev/null; then
	for part in style script; do
		digest=$(awk -v part=$part '$0 ~ "^<" part ">" { inside = 1; sub("^<" part ">", "") }
			$0 ~ "^</" part ">" { inside = 0 } inside' sample.html | sha256sum | cut -c1-64 |
			sed 's/../\\x&/g')
		# shellcheck disable=SC2059 # bytes
		digest=$(printf "$digest" | base64)
		grep -q "$part-src 'sha256-$digest'" sample.html || wrong "the digest of the $part: $digest"
	done
fi

# Each kind of finding has a sentence, and the man page has the same.
manual=$(sed -n -e '/^\.Fn /{s/^\.Fn \([a-z_]*\) *\(.*\)/\1()\2/;p;d;}' -e '/^\./!p' "$srcdir/../report/kmemtrace-report.1" |
	tr '\n' ' ')
block errors.html findings | jq -r '.kinds[]' >kinds
[ "$(wc -l <kinds)" = 10 ] || wrong "kinds of findings: $(cat kinds)"
while read -r sentence; do
	case $manual in
	*"${sentence%.}"*) ;;
	*) wrong "kmemtrace-report(1) does not say: $sentence" ;;
	esac
done <kinds

# Filters reach the page; another view, or options of one table, do not.
"$report" --cpu=0 --html=filtered.html sample 2>/dev/null || wrong "--cpu: exit status $?"
same "sample" filtered.html sites sites --cpu=0
[ "$(block filtered.html summary | jq -c .report.filters)" = '["cpu 0"]' ] || wrong "no filter in the header"
"$report" --where='bytes_req > 100' --html=filtered.html sample 2>/dev/null || wrong "--where: exit status $?"
same "sample" filtered.html caches caches --where='bytes_req > 100'
for option in sites --by=cache -s=frees "-l 5" --bytes=peak; do
	# shellcheck disable=SC2086 # an option and its value
	"$report" --html=no.html $option sample >out 2>err
	[ $? = 2 ] || wrong "--html $option: exit status $?"
	grep -q -e '--html: \(the page\|takes filters\)' err || wrong "--html $option: $(cat err)"
done
"$report" --html=/nowhere/no.html sample 2>err
[ $? = 2 ] || wrong "a file that cannot be made"
grep -q '/nowhere/no.html: No such file' err || wrong "$(cat err)"
[ ! -e no.html ] || wrong "a page was written"

# comparison NAME A B OPTION…: the page has each row and section of the JSON.
comparison()
{
	local name=$1

	shift
	"$report" diff "$@" "--html=$name.html" 2>err || wrong "diff $*: exit status $?: $(cat err)"
	"$report" diff "$@" --format=json >json 2>err || wrong "diff $*: $(cat err)"
	block "$name.html" diff >block
	jq -en --slurpfile page block --slurpfile json json '$page[0] as $page | $json[0] as $json
		| (["comparison", "a", "b"] | all($page[.] == $json[.])) and ($page.lines | length > 5) and
		([$page.tables[] | (.columns | map(.key)) as $keys | {(.key): (.rows |
			map([$keys, .] | transpose | map({(.[0]): .[1]}) | add))}] | add) as $tables
		| $tables.totals == $json.totals and $tables.diff == $json.diff and ($tables.diff | length > 20)' \
		>/dev/null || wrong "diff $*: the page differs"
	[ "$(wc -c <"$name.html")" -lt 2000000 ] || wrong "$name: $(wc -c <"$name.html") bytes"
}
comparison kernels guest errors
comparison caches errors sample --by=module,function,cache --normalise=events
comparison paths stacks profiled --by=stack
"$report" diff guest errors --format=html | cmp -s - kernels.html || wrong "diff --format=html differs from --html"
"$report" diff guest guest --html=same.html --fail-if='live > +0%' 2>err || wrong "diff --fail-if: $? $(cat err)"
"$report" diff sample errors --html=fails.html --normalise=events --fail-if='live < 1' 2>err
[ $? = 2 ] && grep -q -- '--fail-if' err || wrong "a wrong condition: $(cat err)"
for option in -s=change "-l 5" -F=site; do
	# shellcheck disable=SC2086 # an option and its value
	"$report" diff guest errors --html=no.html $option >out 2>err
	[ $? = 2 ] && grep -q -e '--html: takes filters' err || wrong "diff --html $option: $(cat err)"
done

# Names that are markup stay data.
"$srcdir/cli/html-hostile.sh" hostile || exit 1
page hostile
comparison markup errors hostile --normalise=events
[ "$(grep -c '<script' markup.html)" = 2 ] || wrong "the comparison: another script"
for name in sites caches leaks findings summary spans; do
	block hostile.html $name | grep -q 'script>' && wrong "$name has markup"
	block hostile.html $name | grep -qF 'script\u003e\u003cscript\u003ealert(1)' || wrong "$name lacks the name"
done
[ "$(grep -c '<script' hostile.html)" = "$(grep -c '<script' sample.html)" ] || wrong "another script"
grep -qF '<title>kmemtrace: Linux ' errors.html || wrong "a host without a name: $(grep title errors.html)"
grep -qF '<title>kmemtrace: &lt;/script&gt;' hostile.html || wrong "$(grep title hostile.html)"

# A page that cannot be written leaves the older one.
cp hostile.html whole.html
(trap '' XFSZ && ulimit -f 1 && exec "$report" --html=hostile.html hostile 2>err)
[ $? = 2 ] && grep -q 'hostile.html: File too large' err || wrong "a page that is too large: $(cat err)"
cmp whole.html hostile.html || wrong "the older page is gone"
[ ! -e hostile.html.new ] || wrong "a part of a page is left"
exit $failed
