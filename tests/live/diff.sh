#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Two captures of one load: the view diff shows nothing certain. With 10 % more messages, only the
# call site of the messages changed. By time, and for each pipe that the load opens.
. "$srcdir/live/live.sh"
need jq

load=
before_end '[ -z "$load" ] || { kill $load; wait $load; } 2>/dev/null'

opens() { # the load has begun, or has failed
	[ -s paced.log ] || [ "$(find /proc/$load/fd -lname 'pipe:*' | wc -l)" -ge 100 ]
}

capture() { # capture DIR MESSAGES: while the load runs
	"$builddir/tests/live/paced" 600 2000 "$2" 50 2>paced.log &
	load=$!
	wait_for "the load" opens
	[ ! -s paced.log ] || skip "the load cannot run here: $(cat paced.log)"
	"$kmemtraced" -q -p $load -d 3 -o "$1" 2>daemon.log || fail "kmemtraced: $(cat daemon.log)" # paced: the load
	kill $load
	wait $load
	load=
	dir=$1
	hidden=$(json '.loss | .lost + .skipped')
	# of 24,000 messages; loss makes the interval of a change wider
	[ "$hidden" -le 300 ] || skip "$hidden events were lost or skipped"
}

capture first 400
capture second 400
capture more 440

certain() { # certain DIR UNIT: the certain changes, one a line
	"$report" diff first "$1" --comm=paced "--normalise=$2" --format=json >diff.json || fail "diff: exit $?"
	[ "$(jq '.diff | length' diff.json)" -gt 20 ] || fail "the load is not in the captures: $(jq -c .diff diff.json)"
	jq -r '.diff[] | select(.certain) | "\(.state) \(.figure) \(.site | sub("\\+.*"; ""))"' diff.json | sort
}

pipes() { # pipes DIR: of the load, a second
	"$report" sites "$1" --site='^alloc_pipe_info' --format=json -l 1 | jq '.sites[0].allocations / .capture.duration_s'
}
pipe=$("$report" sites first --site='^alloc_pipe_info' --format=json -l 1 |
	jq -r '.sites[0].site | capture("(?<site>alloc_pipe_info\\+0x[0-9a-f]+)").site')
units=$pipe
speeds=$(for each in first second more; do pipes $each; done)
if echo "$speeds" | awk '{ if (!least || $1 < least) least = $1; if ($1 > most) most = $1 } END { exit most > 1.005 * least }'; then
	units="time $pipe"
else
	echo "note: no comparison by time: this machine ran the load at" $speeds "pipes a second"
fi

for unit in $units; do
	certain second "$unit" >same.txt
	[ ! -s same.txt ] || wrong "two captures of one load differ by $unit: $(cat same.txt)"
	certain more "$unit" >more.txt
	jq -r --arg unit "$unit" '.diff[] | select(.figure == "bytes_allocated") | select(.certain) |
		"\($unit): \(.site) \(.change_percent) %, certain from \(.change_low) to \(.change_high)"' diff.json
	grep -q '^grown bytes_allocated ' more.txt ||
		wrong "10 % more messages are not found by $unit: $(jq -c '.diff[] | select(.figure == "bytes_allocated")' diff.json)"
	if [ "$(awk '{ print $3 }' more.txt | sort -u | wc -l)" -gt 1 ] ||
		jq -e '.diff[] | select(.certain) | select(.change_percent < 5 or .change_percent > 15)' diff.json >/dev/null; then
		wrong "more than the messages differs by $unit: $(cat more.txt)"
	fi
done
"$report" diff first more --normalise="$pipe" --comm=paced --fail-if='allocated > +1%' >/dev/null 2>fail-if.log
[ $? = 1 ] || wrong "--fail-if: $(cat fail-if.log)"
"$report" diff first second --normalise="$pipe" --comm=paced --fail-if='allocated > +1%' --fail-if='live > +50%' >/dev/null 2>fail-if.log ||
	wrong "--fail-if of one load: $(cat fail-if.log)"
exit $failed
