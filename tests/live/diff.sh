#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Two captures of one load: the view diff shows nothing certain. With 10 % more messages, only the
# call site of the messages changed. By time, and for each pipe that the load opens.
# shellcheck disable=SC2154 # ./test sets builddir and srcdir
. "$srcdir/live/live.sh"
need jq
paced=$builddir/tests/live/paced
seconds=4
load=

finish() {
	[ -z "$load" ] || kill "$load" 2>/dev/null
	stop_daemon
	cd /
	rm -rf "$scratch"
}
trap finish EXIT

capture() { # capture DIR MESSAGES: while the load runs
	"$paced" $((seconds + 3)) 2000 "$2" 50 2>paced.log &
	load=$!
	sleep 0.3
	"$kmemtraced" -q -d $seconds -o "$1" 2>daemon.log || fail "kmemtraced: $(cat daemon.log)"
	kill $load 2>/dev/null || skip "the load cannot run here: $(cat paced.log)"
	wait $load 2>/dev/null
	load=
}

capture first 150
capture second 150
capture more 165
failed=0

compare() { # compare DIR OPTION…: the certain changes, one a line
	"$report" diff first "$1" --comm=paced "--normalise=$2" --format=json >diff.json || fail "diff: exit $?"
	[ "$(jq '.diff | length' diff.json)" -gt 20 ] || fail "the load is not in the captures: $(jq -c .diff diff.json)"
	jq -r '.diff[] | select(.certain) | "\(.state) \(.figure) \(.site | sub("\\+.*"; ""))"' diff.json | sort
}

for unit in time alloc_pipe_info+"$("$report" sites first --comm=paced --site='^alloc_pipe_info' --format=json -l 1 |
	jq -r '.sites[0].site | capture("\\+(?<offset>0x[0-9a-f]+)").offset')"; do
	compare second "$unit" >same.txt
	if [ -s same.txt ]; then
		echo "failed: two captures of one load differ by $unit: $(cat same.txt)"
		failed=1
	fi
	compare more "$unit" >more.txt
	jq -r --arg unit "$unit" '.diff[] | select(.figure == "bytes_allocated") | select(.certain) |
		"\($unit): \(.site) \(.change_percent) %, certain from \(.change_low) to \(.change_high)"' diff.json
	grep -q '^grown bytes_allocated ' more.txt || {
		echo "failed: 10 % more messages are not found by $unit: $(jq -c '.diff[] | select(.figure == "bytes_allocated")' diff.json)"
		failed=1
	}
	if [ "$(awk '{ print $3 }' more.txt | sort -u | wc -l)" -gt 1 ] ||
		jq -e '.diff[] | select(.certain) | select(.change_percent < 5 or .change_percent > 15)' diff.json >/dev/null; then
		echo "failed: more than the messages differs by $unit: $(cat more.txt)"
		failed=1
	fi
done
"$report" diff first more --comm=paced --fail-if='allocated > +1%' >/dev/null 2>fail-if.log
[ $? = 1 ] || { echo "failed: --fail-if: $(cat fail-if.log)"; failed=1; }
"$report" diff first second --comm=paced --fail-if='allocated > +1%' --fail-if='live > +50%' >/dev/null 2>fail-if.log ||
	{ echo "failed: --fail-if of one load: $(cat fail-if.log)"; failed=1; }
exit $failed
