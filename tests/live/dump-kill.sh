#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kill -9 at random moments while a flight recorder switches pieces and writes dumps: of kmemtraced alone,
# or with all of its processes. Each finished piece and dump is whole, the pieces that were cut off can be
# repaired, and the next kmemtraced goes on and finishes the dump with all pieces that were in it. 4 times,
# or 100 with KMEMTRACE_LONG=1. KMEMTRACE_SEED repeats the moments.
. "$srcdir/live/live.sh"
need setsid pgrep

kills=4
[ -n "${KMEMTRACE_LONG-}" ] && kills=100

# whole PIECE: passes the check; but its checkpoint may not have been made yet
whole() {
	"$check" "$1" >check.log 2>&1 && return
	[ ! -d "$1/checkpoint" ] && grep -q ': 1 problem: ' check.log &&
		grep -q 'the checkpoint of .* is missing' check.log ||
		fail "round $round: kmemtrace-check: $(head -20 check.log)"
	late=$((late + 1))
}

dump_began() {
	[ -n "$(find . -maxdepth 1 -name 'set.dump.*.new')" ] || message 1 'has the last'
}

# run_of PIECE: the id of the run that wrote it
run_of() {
	grep -a -m 1 'uuid = ' "$1/metadata" 2>&1 | tr -dc 0-9a-f-
}

# The dumps that the kill left were finished, with all pieces that were in them; or are so when the next one
# was killed too soon.
check_left() {
	for dump in $left; do
		now=$dump
		[ -e "$dump.new" ] && now=$dump.new
		[ $round = last ] && [ $now != $dump ] && fail "$now is still there: $(ls -A "$now") $(cat daemon.log)"
		grep "^$dump " left.list >pieces.list
		while read -r _ piece inode run; do
			[ "$(stat -c %i "$now/$piece/metadata" 2>&1)" = "$inode" ] && continue
			# the first one may be another copy, which got its checkpoint in the set
			[ -d "$now/$piece/checkpoint" ] && [ "$(run_of "$now/$piece")" = "$run" ] ||
				fail "round $round: $now has lost $piece: $(cat daemon.log)"
		done <pieces.list
		if [ $now != $dump ]; then
			again=$((again + 1))
		elif [ -d "$dump" ]; then
			"$check" "$dump" >check.log 2>&1 || fail "round $round: a finished dump: $(head -20 check.log)"
			repaired=$((repaired + 1))
		else
			removed=$((removed + 1))
		fi
	done
}

begin_random
busy
left='' pieces=0 cut=0 late=0 dumps=0 repaired=0 removed=0 begun=0 again=0
: >left.list
for round in $(seq $kills); do
	start_set set -z -p $load --overwrite=1200ms
	group=$daemon first=$(newest_piece set)
	wait_for "a finished piece" has_piece set $((1${first##*.} - 1000000 + 1 + round % 5))
	kill -USR2 "$daemon"
	if [ $round = 1 ]; then
		wait_for_message 1 'has the last' # one dump is finished for sure
	else
		[ $((round % 3)) = 2 ] || wait_for "the begin of a dump" dump_began
		sleep "$(random $round 0.1)" # paced: the moment of the kill
	fi
	kill -0 "$daemon" || fail "round $round: kmemtraced has ended: $(cat daemon.log)"
	[ $((round % 3)) = 0 ] || kill -9 -$group # else, a dump that has begun goes on
	stop_daemon KILL
	wait_for "the end of all processes" all_ended $group
	check_left

	for dump in set.dump.*Z; do
		[ -d "$dump" ] || continue
		"$check" "$dump" >check.log 2>&1 || fail "round $round: $dump: $(head -20 check.log)"
		dumps=$((dumps + 1))
		rm -r "$dump"
	done
	# shellcheck disable=SC2013 # the names have no blanks
	for piece in $(grep -l '^complete yes' set/piece.*/kernel/status | sed 's|/kernel/status||'); do
		whole "$piece"
		pieces=$((pieces + 1))
	done
	for piece in $(grep -l '^complete no' set/piece.*/kernel/status | sed 's|/kernel/status||'); do
		find "$piece" -maxdepth 1 -name 'cpu*' | grep -q . || continue
		rm -rf damaged damaged.damaged
		cp -r "$piece" damaged
		"$check" --repair damaged >repair.log 2>&1 || fail "round $round: repair of $piece: $(cat repair.log)"
		whole damaged
		cut=$((cut + 1))
	done
	left=$(find . -maxdepth 1 -name 'set.dump.*.new' | sed 's|^\./||; s|\.new$||')
	[ -z "$left" ] || begun=$((begun + $(echo "$left" | wc -l)))
	for dump in $left; do
		for piece in "$dump".new/piece.*; do
			[ -d "$piece" ] && echo "$dump ${piece##*/} $(stat -c %i "$piece/metadata") $(run_of "$piece")"
		done
	done >left.list
done
[ $pieces -gt $kills ] || fail "only $pieces finished pieces"
[ $dumps -gt 0 ] || fail "no dump was finished before the kill"

# the next one finishes the last dump too, and one that a kill leaves for sure; also without --overwrite
round=last
planned=set.dump.20200101T000000Z
for piece in set/piece.*; do
	first=${piece#set/}
	grep -q '^complete yes' "$piece/kernel/status" && "$check" "$piece" >check.log 2>&1 && break
done
mkdir "$planned.new" "$planned.new/.next.000001" "$planned.2.new"
cp -r "set/$first" "$planned.new/$first"
printf 'pieces 1 %d\ntrigger live > 2G\n' "$((1${first#piece.} - 1000000))" >"$planned.new/.request"
"$check" "$planned.new" >check.log 2>&1 || fail "a copy of a piece: $(head -20 check.log)"
[ -z "$left" ] || left="$left
"
left="$left$planned
$planned.2"
echo "$planned $first $(stat -c %i "$planned.new/$first/metadata") $(run_of "$planned.new/$first")" >>left.list
mkdir other.dump.20200101T000000Z.new set.dump.20200101T000000.new set.dump.mine.new
"$kmemtraced" -q -o set --switch-output=1h true 2>daemon.log || fail "the last run: exit $? $(cat daemon.log)"
check_left
[ "$(find . -maxdepth 1 -name '*.new' | wc -l)" = 3 ] || fail "directories with other names: $(ls)"
grep -q "^kmemtraced: live > 2G: $scratch/$planned has the last 1 piece: kmemtraced was killed" daemon.log ||
	fail "the trigger is not named: $(cat daemon.log)"
grep -q "$planned.2.new: removed: .* had no piece" daemon.log || fail "the empty one: $(cat daemon.log)"
[ ! -e "$planned/.request" ] || fail "left in the dump: $(ls -A $planned)"
echo "$kills kills: $pieces finished pieces were whole, $cut were repaired, $late checkpoints were missing;" \
	"$dumps dumps were whole, $begun were cut off, $again of them again: $repaired were finished later, $removed had no piece"
exit 0
