#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kill -9 at random moments while pieces are switched, checkpoints made and pieces removed: every
# finished piece is whole, the others can be repaired, and the next kmemtraced goes on. 4 times, or
# 100 with KMEMTRACE_LONG=1. KMEMTRACE_SEED repeats the moments.
. "$srcdir/live/live.sh"
need setsid pgrep

# whole PIECE: passes the check; but its checkpoint may not have been made yet
whole() {
	"$check" "$1" >check.log 2>&1 && return
	[ ! -d "$1/checkpoint" ] && grep -q ': 1 problem: ' check.log &&
		grep -q 'the checkpoint of .* is missing' check.log || fail "kmemtrace-check: $(head -20 check.log)"
	late=$((late + 1))
}

has_stream() {
	find "$1" -name 'cpu*' -size +0 | grep -q .
}

begin_random
busy
kills=4
[ -n "${KMEMTRACE_LONG-}" ] && kills=100
switched=0 cut=0 late=0
for round in $(seq $kills); do
	start_set set -p $load --switch-output=150ms --max-files=8
	group=$daemon first=$(newest_piece set)
	# after 1 to 5 more pieces, when kmemtraced has begun one, or writes it, or ends it
	wait_for "more pieces" has_piece set $((1${first##*.} - 1000000 + 1 + round % 5))
	sleep "$(random $round 0.15)" # paced: the moment of the kill
	stop_daemon KILL
	wait_for "the end of the keeper" all_ended $group
	for status in set/piece.*/kernel/status; do
		grep -q '^complete yes' "$status" || continue
		whole "${status%/kernel/status}"
		switched=$((switched + 1))
	done
	# at most the last two are not finished; they are repaired
	left=0
	for piece in set/piece.*; do
		[ -d "$piece" ] || continue
		grep -q '^complete no' "$piece/kernel/status" 2>/dev/null || continue
		ls "$piece"/cpu* >/dev/null 2>&1 || continue
		left=$((left + 1))
		cp -r "$piece" damaged
		"$check" --repair damaged >repair.log 2>&1 || fail "round $round: repair of $piece: $(cat repair.log)"
		whole damaged
		rm -r damaged damaged.damaged
	done
	[ $left -le 2 ] || fail "round $round: $left pieces are not finished: $(ls set)"
	cut=$((cut + left))
	# the next run leaves them as they are
	for piece in set/piece.*; do
		grep -q '^complete no' "$piece/kernel/status" 2>/dev/null && rm -r "$piece"
	done
done
[ $switched -gt $kills ] || fail "only $switched finished pieces in $kills rounds"
echo "$kills kills: $switched finished pieces were whole, $cut were repaired; $late times, a checkpoint had not been made yet"

# the checkpoint of a piece can be made later
start_set set -p $load --switch-output=100ms
piece=$(newest_piece set)
wait_for "a second piece" has_piece set $((1${piece##*.} - 1000000 + 1))
stop_daemon
[ "$status" = 0 ] || fail "the last run: exit $status: $(cat daemon.log)"
piece=$(newest_piece set)
for other in set/piece.*; do
	checked "$other"
done
[ -d "$piece/checkpoint" ] || fail "$piece has no checkpoint"
rm -r "$piece/checkpoint"
mkdir "$piece/checkpoint.new" set/.next.000999
"$kmemtraced" -q -o set --switch-output=1h true 2>daemon.log || fail "the run after: $(cat daemon.log)"
[ -d "$piece/checkpoint" ] || fail "the missing checkpoint was not made: $(cat daemon.log)"
[ ! -e set/.next.000999 ] && [ ! -e "$piece/checkpoint.new" ] || fail "left behind: $(ls -A set "$piece")"
checked "$piece"

# a set that was repaired where it is goes on, with the damaged piece kept
start_set set -p $load --switch-output=1h
last=$(newest_piece set) group=$daemon
wait_for "a stream" has_stream "$last"
stop_daemon KILL
wait_for "the end of the keeper" all_ended $group
"$check" --repair set >repair.log 2>&1 || fail "the repair of the set: $(cat repair.log)"
[ -d "$last.damaged" ] || fail "$last was not repaired: $(cat repair.log)"
"$kmemtraced" -q -o set --switch-output=1h true 2>daemon.log || fail "after the repair: $(cat daemon.log)"
[ "$(ls -d set/piece.?????? | tail -1)" != "$last" ] || fail "no piece after the repair: $(ls set)"
[ -d "$last.damaged" ] || fail "the damaged piece is gone: $(ls set)"
