#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2154 # ./test sets them
# The programs that read the formats of the view flame show the same totals as it: pprof of Debian's
# Go, and speedscope (a package of npm): its importers in node, and itself in Chromium. Both are
# downloaded once and extracted, never installed.
set -u
srcdir=$top_srcdir/tests
tools=${KMEMTRACE_TOOLS:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/kmemtrace/tools}
go=golang-1.19-go
pprof=$tools/$go/usr/lib/go-1.19/pkg/tool/pprof
speedscope=$tools/speedscope/package/dist/release
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
missing=()

wrong()
{
	echo "wrong: $*"
	failed=1
}

fetch_pprof()
{
	(cd "$scratch" && apt-get download -qq $go && mkdir go && dpkg-deb -x $go*.deb go) \
		>"$scratch/log" 2>&1 || return 1
	mkdir -p "${pprof%/*}" && cp "$scratch"/go/usr/lib/go-1.19/pkg/tool/*/pprof "$pprof"
}

fetch_speedscope()
{
	(cd "$scratch" && npm pack --silent speedscope@1.25.0 && tar -xzf speedscope-*.tgz) \
		>"$scratch/log" 2>&1 || return 1
	mkdir -p "$tools/speedscope" && cp -r "$scratch/package" "$tools/speedscope/"
}

[ -x "$pprof" ] || fetch_pprof ||
	missing+=("pprof cannot be downloaded: $(grep -m 1 . "$scratch/log")")
if ! command -v node >/dev/null; then
	missing+=("node is not installed, so the importers of speedscope are not run")
elif ! [ -d "$speedscope" ] && ! fetch_speedscope; then
	missing+=("speedscope cannot be downloaded: $(grep -m 1 . "$scratch/log")")
fi

cd "$scratch" || exit 1
"$builddir/tests/mktrace" exact <"$srcdir/cli/flame.trace" || exit 1
sed "s/^sampling 1$/sampling 524288/" "$srcdir/cli/flame.trace" |
	"$builddir/tests/mktrace" sampled || exit 1
cp -r "$srcdir/data/sample" plain

# flame CAPTURE OPTION...
flame()
{
	"$builddir/kmemtrace-report" flame "$@" 2>/dev/null
}

# total NAME CAPTURE OPTION...: objects or bytes
total()
{
	flame "${@:2}" --format=json |
		awk -F'[:,] *' '/"flame_totals"/ { on = 1 } on && /"'"$1"'"/ { print $2; exit }'
}

# The sum of the flat bytes of all functions, in pprof -top.
check_pprof()
{
	local capture=$1 which=$2 type=$3 sum

	flame "$capture" --bytes="$which" --format=pprof >profile.pb.gz
	sum=$("$pprof" -top -unit=B -nodefraction=0 -nodecount=100000 -sample_index="$type" \
		profile.pb.gz 2>/dev/null | awk 'on { sum += $1 } /^ *flat +flat%/ { on = 1 } END { print sum + 0 }')
	[ "$sum" = "$(total bytes "$capture" --bytes="$which")" ] ||
		wrong "pprof -top shows $sum $which bytes of $capture"
	"$pprof" -raw profile.pb.gz >raw || wrong "pprof -raw of $capture"
	# lines of samples: the values, then the locations
	sum=$(awk -v type="$type" '/^Samples:/ { getline; for (i = 1; i <= NF; i++)
			if (index($i, type "/") == 1) column = i; next }
		/^Locations/ { exit }
		column && /^ +[0-9-]+ .*:/ { sum += $column } END { print sum + 0 }' raw)
	[ "$sum" = "$(total bytes "$capture" --bytes="$which")" ] ||
		wrong "pprof -raw has $sum $which bytes of $capture"
}

# speedscope's importers, on the three formats
check_speedscope()
{
	local capture=$1 which=$2 bytes objects

	for format in speedscope folded pprof; do
		flame "$capture" --bytes="$which" --format=$format >"profile.$format"
	done
	bytes=$(total bytes "$capture" --bytes="$which")
	objects=$(total objects "$capture" --bytes="$which")
	printf '%s\n' "profile.speedscope: $bytes" "profile.speedscope: $objects" \
		"profile.folded: $bytes" "profile.pprof: $bytes" >expected
	node "$srcdir/build/speedscope-totals.js" "$speedscope" profile.speedscope profile.folded \
		profile.pprof >imported 2>errors
	diff -u expected imported || wrong "speedscope: $which bytes of $capture: $(tail -n 3 errors)"
}

# show_profile MILLISECONDS: the texts of speedscope's page with profile.js, once the browser's own clock has run so long
show_profile()
{
	TMPDIR=$scratch timeout 300 chromium --headless=new --no-sandbox --disable-gpu --use-gl=angle \
		--use-angle=swiftshader --enable-unsafe-swiftshader --allow-file-access-from-files \
		--user-data-dir="$scratch/browser" --virtual-time-budget="$1" --dump-dom \
		"file://$speedscope/index.html#localProfilePath=$scratch/profile.js&view=sandwich" \
		2>errors | sed 's/<[^>]*>/\n/g'
}

# speedscope itself, in a browser: its table of functions has the totals of the report
check_browser()
{
	local format text sum budget

	for format in speedscope folded pprof; do
		flame exact --bytes=allocated --format=$format >profile
		echo "speedscope.loadFileFromBase64('profile', '$(base64 -w 0 profile)')" >profile.js
		# the browser's clock runs ahead of a page that is loaded slowly, beside other load: then it gets more time
		for budget in 8000 32000 128000; do
			text=$(show_profile $budget)
			! grep -qx __alloc_skb <<<"$text" || break
		done
		# each row: total, self, name
		sum=$(awk '/^[0-9,.]+ ?[KMG]?B? \(.*%\)$/ { number[++n] = $0; next }
			NF && n == 2 { self = number[2]; sub(/ \(.*/, "", self); gsub(/,/, "", self)
				if (sub(/ KB$/, "", self)) self *= 1024
				sum += self; n = 0 }
			END { print sum + 0 }' <<<"$text")
		[ "$sum" = "$(total bytes exact --bytes=allocated)" ] ||
			wrong "speedscope in chromium shows $sum bytes of $format: $(tail -n 3 errors)"
		[ $format != speedscope ] ||
			grep -qxF "$(total bytes exact --bytes=allocated) bytes allocated by stack - speedscope" <<<"$text" ||
			wrong "speedscope in chromium does not show the title"
		grep -qx __alloc_skb <<<"$text" || wrong "speedscope in chromium shows no functions of $format"
	done
}

for capture in exact sampled plain; do
	for which in live:inuse_space allocated:alloc_space peak:peak_space temporary:temporary_space \
		leaked:leaked_space; do
		[ ! -x "$pprof" ] || check_pprof "$capture" "${which%:*}" "${which#*:}"
	done
	! [ -d "$speedscope" ] || ! command -v node >/dev/null || check_speedscope $capture allocated
done
! [ -d "$speedscope" ] || ! command -v node >/dev/null || check_speedscope exact peak
if ! command -v chromium >/dev/null; then
	missing+=("chromium is not installed, so speedscope is not opened in a browser")
elif [ -d "$speedscope" ]; then
	check_browser
fi
[ $failed -eq 0 ] || exit 1
[ ${#missing[@]} -eq 0 ] || { printf 'skipped: %s\n' "${missing[@]}"; exit 77; }
