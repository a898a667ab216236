#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kill -9 at random moments while a flight recorder switches pieces and writes dumps: of kmemtraced alone,
# or with all of its processes. Each finished piece and dump is whole, the pieces that were cut off can be
# repaired, and the next kmemtraced goes on and finishes the dump with all pieces that were in it. 6 times,
# or 100 with KMEMTRACE_LONG=1. KMEMTRACE_SEED repeats the moments.
. "$srcdir/live/live.sh"
need setsid pgrep

seed=${KMEMTRACE_SEED:-$$}
echo "KMEMTRACE_SEED=$seed"
kills=6
[ -n "${KMEMTRACE_LONG-}" ] && kills=100
trap 'rm -f working; kill -9 -"$daemon" 2>/dev/null; cd /; rm -rf "$scratch"' EXIT

busy() {
	while [ -e working ]; do
		ls -R /proc/self /sys/kernel/slab >/dev/null 2>&1
	done
}

random() { # random NUMBER MOST: seconds below MOST; NUMBER: of the draw in this round
	awk -v seed="$seed$round$1" -v most="$2" 'BEGIN { srand(seed); printf "%.4f", most * rand() }'
}

# whole PIECE: passes the check; but its checkpoint may not have been made yet
whole() {
	"$check" "$1" >check.log 2>&1 && return
	[ ! -d "$1/checkpoint" ] && grep -q ': 1 problem: ' check.log &&
		grep -q 'the checkpoint of .* is missing' check.log ||
		fail "round $round: kmemtrace-check: $(head -20 check.log)"
	late=$((late + 1))
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

touch working
busy &
worker=$!
left='' pieces=0 cut=0 late=0 dumps=0 repaired=0 removed=0 begun=0 again=0
: >left.list
for round in $(seq $kills); do
	before=$(ls set 2>/dev/null | tail -1)
	setsid "$kmemtraced" -q -z -o set --overwrite=1200ms 2>daemon.log &
	daemon=$!
	for _ in $(seq 400); do # it writes a piece
		newest=$(ls set 2>/dev/null | tail -1)
		[ "$newest" != "$before" ] && [ -s "set/$newest/kernel/tasks" ] && break
		kill -0 $daemon 2>/dev/null || fail "round $round: kmemtraced has ended: $(cat daemon.log)"
		sleep 0.02
	done
	sleep "$(random 1 1.5)"
	kill -USR2 $daemon || fail "round $round: kmemtraced has ended: $(cat daemon.log)"
	sleep "$(random 2 0.5)"
	kill -0 $daemon 2>/dev/null || fail "round $round: kmemtraced has ended: $(cat daemon.log)"
	if [ $((round % 3)) = 0 ]; then
		kill -9 $daemon # a dump that has begun goes on
	else
		kill -9 -$daemon
	fi
	wait $daemon 2>/dev/null
	for _ in $(seq 1000); do
		pgrep -g $daemon >/dev/null || break
		sleep 0.01
	done
	pgrep -g $daemon >/dev/null && fail "round $round: processes are left: $(pgrep -l -g $daemon)"
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
[ $cut -gt 0 ] || fail "no piece was cut off"
[ $dumps -gt 0 ] || fail "no dump was finished before the kill"

# the next one finishes the last dump too, and one that a kill leaves for sure; also without --overwrite
round=last
planned=set.dump.20200101T000000Z
first=$(grep -l '^complete yes' set/piece.*/kernel/status | head -1 | sed 's|set/||; s|/kernel/status||')
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
"$kmemtraced" -q -o set --switch-output=1h -d 0.2 2>daemon.log || fail "the last run: exit $? $(cat daemon.log)"
check_left
[ "$(find . -maxdepth 1 -name '*.new' | wc -l)" = 3 ] || fail "directories with other names: $(ls)"
grep -q "^kmemtraced: live > 2G: $scratch/$planned has the last 1 piece: kmemtraced was killed" daemon.log ||
	fail "the trigger is not named: $(cat daemon.log)"
grep -q "$planned.2.new: removed: .* had no piece" daemon.log || fail "the empty one: $(cat daemon.log)"
[ ! -e "$planned/.request" ] || fail "left in the dump: $(ls -A $planned)"
echo "$kills kills: $pieces finished pieces were whole, $cut were repaired, $late checkpoints were missing;" \
	"$dumps dumps were whole, $begun were cut off, $again of them again: $repaired were finished later, $removed had no piece"
rm working
wait $worker
exit 0
