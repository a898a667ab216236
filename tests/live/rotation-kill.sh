#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kill -9 at random moments while pieces are switched, checkpoints made and pieces removed: every
# finished piece is whole, the others can be repaired, and the next kmemtraced goes on. 10 times, or
# 100 with KMEMTRACE_LONG=1.
. "$srcdir/live/live.sh"

busy() {
	while [ ! -e stop ] && [ -e "$scratch" ]; do
		ls -R /proc/self /sys/kernel/slab >/dev/null 2>&1
	done
}

# whole PIECE: passes the check; but its checkpoint may not have been made yet
whole() {
	"$check" "$1" >check.log 2>&1 && return
	if [ ! -d "$1/checkpoint" ] && grep -q ': 1 problem: ' check.log &&
		grep -q 'the checkpoint of .* is missing' check.log; then
		late=$((late + 1))
	else
		fail "kmemtrace-check: $(head -20 check.log)"
	fi
}

finished() {
	grep -l '^complete yes' set/piece.*/kernel/status 2>/dev/null | sed 's|/kernel/status||'
}

rm -f stop
busy & worker=$!
kills=10
[ -n "${KMEMTRACE_LONG-}" ] && kills=100
switched=0 cut=0 late=0
for round in $(seq $kills); do
	"$kmemtraced" -q -o set --switch-output=150ms --max-files=8 2>daemon.log &
	daemon=$!
	# 0.2 to 1.7 s
	sleep "$(awk -v seed="$round$$" 'BEGIN { srand(seed); printf "%.4f", 0.2 + 1.5 * rand() }')"
	kill -0 $daemon 2>/dev/null || fail "round $round: kmemtraced has ended: $(cat daemon.log)"
	stop_daemon KILL
	for _ in $(seq 100); do # the keeper ends with it
		pgrep -f "kmemtraced -q -o set --switch-output=150ms" >/dev/null || break
		sleep 0.01
	done
	[ -e set ] || continue
	for piece in $(finished); do
		whole "$piece"
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
[ $cut -gt 0 ] || fail "no piece was cut off"
echo "$kills kills: $switched finished pieces were whole, $cut were repaired; $late times, a checkpoint had not been made yet"

# the checkpoint of a piece can be made later
before=$(ls set | tail -1)
"$kmemtraced" -q -o set --switch-output=100ms -d 2 2>daemon.log || fail "the last run: $(cat daemon.log)"
piece=$(ls -d set/piece.* | tail -1)
[ "${piece#set/}" != "$before" ] || fail "no new piece: $(ls set)"
for other in set/piece.*; do
	checked "$other"
done
[ -d "$piece/checkpoint" ] || fail "$piece has no checkpoint"
rm -r "$piece/checkpoint"
mkdir "$piece/checkpoint.new" set/.next.000999
"$kmemtraced" -q -o set --switch-output=1h -d 1 2>daemon.log || fail "the run after: $(cat daemon.log)"
[ -d "$piece/checkpoint" ] || fail "the missing checkpoint was not made: $(cat daemon.log)"
[ ! -e set/.next.000999 ] && [ ! -e "$piece/checkpoint.new" ] || fail "left behind: $(ls -A set "$piece")"
checked "$piece"

# a set that was repaired where it is goes on, with the damaged piece kept
piece=$(ls -d set/piece.* | tail -1)
"$kmemtraced" -q -o set --switch-output=1h 2>daemon.log &
daemon=$!
for _ in $(seq 100); do
	last=$(ls -d set/piece.* | tail -1)
	[ "$last" != "$piece" ] && [ -s "$last/cpu0" ] && break
	sleep 0.1
done
stop_daemon KILL
"$check" --repair set >repair.log 2>&1 || fail "the repair of the set: $(cat repair.log)"
[ -d "$last.damaged" ] || fail "$last was not repaired: $(cat repair.log)"
"$kmemtraced" -q -o set --switch-output=1h -d 0.5 2>daemon.log || fail "after the repair: $(cat daemon.log)"
[ "$(ls -d set/piece.?????? | tail -1)" != "$last" ] || fail "no piece after the repair: $(ls set)"
[ -d "$last.damaged" ] || fail "the damaged piece is gone: $(ls set)"
touch stop
wait $worker
exit 0
