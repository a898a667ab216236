#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The view diff: functions of Linux 6.1 and 6.12 are matched, on machines of both byte orders and word
# sizes; a capture does not differ from itself, whole, packed or in pieces; a part of a set, and
# estimates, are compared; conditions end with exit status 1.
. "$srcdir/cli/cli.sh"
need xz
need jq

for guest in 6.1-amd64 6.12-amd64 6.1-s390x 6.12-s390x 6.1-armhf; do
	xz -dc "$srcdir/data/guests/$guest.tar.xz" | tar -xf - || exit 1
done

# pairs A B: how the call sites of the test module and some of the kernel are matched
pairs()
{
	echo "--- $*"
	"$report" diff "$@" --format=json | jq -r '.comparison | "\(.rows) rows, \(.matched_by_offset) by the nearest offset, only in A \(.only_a), only in B \(.only_b)"'
	"$report" diff "$@" --format=json | jq -r '.diff[] | select(.figure == "allocations") |
		if .matched == "none" then "only in \(if .state == "new" then "B" else "A" end): \(.site // .function)"
		elif .matched == "offset" then "\(.site): \(.name_in_b)"
		else empty end' | sort
}
{
	"$report" diff 6.1-amd64 6.12-amd64 -l 10
	"$report" diff 6.1-s390x 6.12-s390x --by=function -l 5 --normalise=events
	"$report" -v diff 6.1-amd64 6.1-s390x --by=cache -l 5 --normalise='right_large [plant]'
	pairs 6.1-amd64 6.12-amd64
	pairs 6.1-armhf 6.12-s390x --by=function
	"$report" diff 6.1-amd64 6.12-amd64 --by=module,comm --format=csv -l 4
} >out 2>&1
compare report-diff.expected out
sed '/^---/,$d' out | awk 'length > 79' >wide
[ -s wide ] && wrong "too wide: $(cat wide)"

# same A B [OPTION...]: nothing differs
same()
{
	"$report" diff "$@" --format=json >same.json || wrong "diff $*: exit status $?"
	jq -e '(.diff | length > 5) and ([.diff[], .totals[] | .state] | unique == ["same"]) and
		all(.diff[], .totals[]; .change == 0 and (.certain | not))' same.json >/dev/null ||
		wrong "diff $*: $(jq -c '.diff[] | select(.state != "same")' same.json | head -3)"
}
"$pack" -q 6.12-amd64 -o packed || exit 1
"$pack" -q --split=300ms 6.12-amd64 -o pieces || exit 1
for by in site function module cache task cpu gfp size comm,cache site,comm; do
	same 6.12-amd64 6.12-amd64 --by=$by
done
same 6.12-amd64 packed --normalise=events
same 6.12-amd64 pieces
same -i packed pieces --normalise=getname_flags

# With --older the peak is not known; columns are chosen by their keys.
"$report" diff 6.1-amd64 6.12-amd64 --older=1ms --format=json |
	jq -e '.totals[] | select(.figure == "peak_bytes") | .state == null and .a == null' >/dev/null ||
	wrong "the peak with --older"
"$report" diff 6.1-amd64 6.12-amd64 --by=comm,site -F comm,b -s b --format=csv -l 1 | grep -q '^comm,b' ||
	wrong "the columns of -F"

# A piece is one of the captures; its figures are those of the report on it.
piece=$(find pieces -name 'piece.*' | sort | sed -n 3p)
"$report" diff "$piece" 6.12-amd64 --format=json >piece.json || wrong "a piece: exit status $?"
"$report" sites "$piece" --format=json >sites.json
[ "$(jq '.totals[] | select(.figure == "live_bytes").a' piece.json)" = "$(jq .totals.live_bytes sites.json)" ] ||
	wrong "a piece: live bytes $(jq '.totals[] | select(.figure == "live_bytes").a' piece.json)"

# Estimates: of a profile against itself, with the interval of its samples.
"$mktrace" profile <<'END' || exit 1
begin 1s
end 2s
sampling 4096 profile=1
cpu 0 node 0
symbol 0xffffffff81000000 caller
symbol 0xffffffff81001000 work
stack 1 0 caller+8 work+8
stack_of 1100ms 0 0xffff00100000 caller+8 1
alloc 1100ms 0 0xffff00100000 1000/1024 caller+8 task=7
complete yes
END
"$report" diff profile profile --format=json |
	jq -e '.diff[] | select(.figure == "bytes_allocated") |
		.state == "same" and .a > 1024 and .change_high > 4000 and .change_low < -4000' >/dev/null ||
	wrong "a profile: $("$report" diff profile profile --format=json | jq -c .diff)"

# load SITE COUNT SIZE LEAK: COUNT allocations of SITE in two seconds, of which each LEAKth stays
load()
{
	awk -v site="$1" -v count="$2" -v size="$3" -v leak="$4" 'BEGIN {
		for (i = 0; i < count; i++) {
			time = 1e9 + i * 2e9 / count
			object = sprintf("0xff%06x%08x", size, 4096 * (i + 1))
			printf "%.0f alloc %.0f 0 %s %d/%d %s+0x10 task=7\n", time, time, object, size, size, site
			if (i % leak)
				printf "%.0f free %.0f 0 %s done+0x10 task=7\n", time + 1000, time + 1000, object
		}
	}'
}
# capture DIR COUNT LEAK: leaky makes COUNT objects of 64 bytes, plain always the same
capture()
{
	{
		printf '%s\n' "begin 1s" "end 3s" "cpu 0 node 0" "task 7 7 load" \
			"symbol 0xffffffff81000000 leaky" "symbol 0xffffffff81001000 plain" \
			"symbol 0xffffffff81002000 done" "has kmalloc-64" "has kmalloc-128"
		{
			load leaky "$2" 64 "$3"
			load plain 2000 128 2001
		} | sort -n | cut -d' ' -f2-
		echo "complete yes"
	} | "$mktrace" "$1" || exit 1
}
capture before 4000 10
capture after 5000 8
capture again 4000 10
"$report" diff before after --format=json |
	jq -c '[.diff[] | select(.certain) | [.site, .figure, .state]] | sort[]' >certain
"$report" diff before again --format=json | jq -c '.diff[] | select(.certain)' >>certain
# try STATUS CONDITION...: the exit status, and a message for each condition that holds
try()
{
	local expected=$1 status

	shift
	"$report" diff before after "$@" >/dev/null 2>said
	status=$?
	echo "$* -> $status" && cat said
	[ $status = "$expected" ] || wrong "$*: exit status $status, not $expected"
}
{
	echo "certain, before and after; then nothing, in two runs of one load"
	cat certain
	try 1 --fail-if='live > +10%'
	try 0 --fail-if='live > +80%'
	try 1 --fail-if='live(leaky) > +10%'
	try 1 --fail-if='live(kmalloc-64) > +10%' --by=comm
	try 1 --fail-if='live(leaky) > +10%' --by=comm
	try 1 --fail-if='allocations(leaky+0x10) > +100' --fail-if='live(plain) > 0'
	try 0 --fail-if='allocated(plain) > +1%'
	try 0 --fail-if='waste > +1%'
	try 1 --fail-if='live > +10%' --normalise=plain
	try 2 --fail-if='live(nothing) > +10%'
	try 2 --fail-if='live(cache:leaky) > +10%'
	try 2 --fail-if='growth > 10%'
	try 2 --fail-if='increase > 10%'
	try 2 --fail-if='live > 10 percent'
	try 2 --normalise=nothing
	try 2 --normalise=
	try 2 -s nothing
	try 2 -F site,nothing
	try 2 -i third
	try 2 --by=comm,site -F comm,nothing
	try 2 --by=colour
	"$report" diff before
	"$report" diff before missing
	"$report" sites before after
	"$report" sites before --fail-if='live > 1'
	"$report" diff -i - before
} >conditions 2>&1
compare report-diff-conditions.expected conditions
exit $failed
