#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtraced is killed at random moments of its start and its capture, while tasks allocate: packed
# and not, publishing and not. Each capture that is left can be read and repaired, and has every
# record of the packets that were finished before the kill; the older capture stays; the next start
# removes everything else. KMEMTRACE_LONG=1: 200 kills, not 6. KMEMTRACE_SEED repeats the moments.
# shellcheck disable=SC2154 # live.sh sets the names of the programs and its folder
. "$srcdir/live/live.sh"
need jq flock
kills=${KMEMTRACE_LONG:+200}
kills=${kills:-6}
begin_random
packets=$builddir/tests/live/packets
published=$scratch/published/memstat
mkdir place published

uuid_of() { # of a capture, or nothing
	awk '/uuid = / { print $3; exit }' "$1/metadata" 2>/dev/null
}

whole_records() { # in the whole packets of a capture's streams
	local sum=0 stream

	for stream in "$1"/cpu*; do
		[ -e "$stream" ] || continue
		sum=$((sum + $("$packets" "$stream"))) || fail "packets: $stream"
	done
	echo $sum
}

has_records() {
	[ "$(whole_records "$1")" -gt 0 ]
}

# The capture that a kill left, and what was finished before, in snap
check_cut() {
	local before recorded code stream

	"$check" place/capture >check.log 2>&1
	code=$?
	[ $code = 1 ] || fail "kill $n: kmemtrace-check of a killed capture: exit $code: $(head -3 check.log)"
	grep -q 'the capture was cut off' check.log || fail "kill $n: check does not say that it was cut off: $(head -3 check.log)"
	for stream in snap/cpu*; do
		[ -e "$stream" ] || continue
		cmp -s -n "$(stat -c %s "$stream")" "$stream" "place/capture/${stream##*/}" ||
			fail "kill $n: ${stream##*/} lost bytes that it had before the kill"
	done
	rm -rf repaired
	"$check" --repair -o repaired place/capture >repair.log 2>&1 || fail "kill $n: repair: exit $?: $(cat repair.log)"
	checked repaired
	before=$(whole_records snap)
	recorded=$(dir=repaired json .loss.recorded)
	[ "$recorded" -ge "$before" ] || fail "kill $n: $recorded of $before finished records were repaired"
	[ "$before" = 0 ] || with_records=$((with_records + 1))
	finished=$((finished + before))
}

guard_ended() { # it has locked the capture that it gives another name after a kill
	for folder in place/capture place/capture.new.*; do
		! [ -d "$folder" ] || flock -n "$folder" true || return
	done
}

snap() { # a copy; from inside, since the folder may get another name
	rm -rf snap
	(cd place/capture && cp -r . ../../snap) 2>/dev/null
}

busy
# most kills shall come during the start, however busy this machine is
begin=$(date +%s%N)
"$kmemtraced" -q -o unused true || fail "without a kill: exit $?"
span=$(awk -v ns=$(($(date +%s%N) - begin)) 'BEGIN { print 1.5 * ns / 1e9 }')
began=0 starting=0 nothing=0 left_over=0 with_records=0 finished=0 older=
for ((n = 1; n <= kills; n++)); do
	options=
	[ $((n % 2)) = 0 ] || options=-z
	[ $((n / 2 % 2)) = 0 ] || options="$options --publish=$published"
	# shellcheck disable=SC2086 # several options
	"$kmemtraced" -q $options -o place/capture 2>daemon.log &
	daemon=$!
	sleep "$(random $n "$span")" # paced: the moment of the kill
	[ $n != 1 ] || wait_for "a capture" has_records place/capture # one has begun for sure
	snap
	was=$(uuid_of snap)
	stop_daemon KILL
	[ $status = 137 ] || fail "kill $n: exit $status before the kill: $(cat daemon.log)"
	wait_for "the guard" guard_ended
	uuid=$(uuid_of place/capture)
	if [ -n "$uuid" ] && [ "$uuid" != "$older" ]; then
		began=$((began + 1))
		[ "$was" = "$uuid" ] || rm -rf snap # of the older capture
		check_cut
		[ -z "$older" ] || [ "$(uuid_of place/capture.old)" = "$older" ] || fail "kill $n: the older capture is gone"
		older=$uuid
	else
		starting=$((starting + 1))
		[ -z "$older" ] || [ "$uuid" = "$older" ] || [ "$(uuid_of place/capture.old)" = "$older" ] ||
			fail "kill $n: the start lost the older capture"
		if [ -z "$(find place -maxdepth 1 -name 'capture.new.*')" ]; then
			nothing=$((nothing + 1))
		else
			left_over=$((left_over + 1))
		fi
	fi
done

"$kmemtraced" -q --publish="$published" -o place/capture true 2>err || fail "after the kills: exit $?: $(cat err)"
checked place/capture
left=$(find place published \( -name '*.new.*' -o -name .reserve -o -path '*/published/*' \))
[ -z "$left" ] || fail "the next start left: $left"
echo "$kills kills: $began captures were cut off, $with_records of them with $finished finished" \
	"records; $starting in the start: $left_over left a directory, $nothing did not"
[ $with_records -gt 0 ] || fail "no capture had begun"
exit 0
