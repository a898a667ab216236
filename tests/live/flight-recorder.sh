#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --overwrite keeps the last pieces, and a trigger or SIGUSR2 writes them as a dump: whole, with all events
# up to the trigger, once for triggers that fire together, while recording goes on without a loss. The
# command gets the path.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
need jq
mkfifo numbers answers

hold() { # hold NUMBER: of eventfds
	echo "$1" >&3
	read -r held <&4 || skip "$(cat load.log)"
	[ "$held" = "$1" ] || fail "the load holds $held, not $1"
}

# wait_for NUMBER PATTERN: until so many lines of daemon.log match
wait_for() {
	for _ in $(seq 400); do
		[ "$(grep -c -e "$2" daemon.log)" -ge "$1" ] && return
		kill -0 "$daemon" 2>/dev/null || break
		sleep 0.05
	done
	fail "not $1 of $2: $(cat daemon.log)"
}

# counted CAPTURE: the files that the load allocated
counted() {
	"$report" count "$1" --format=json \
		--where="tid == $load && operation == \"allocation\" && type == \"filp\"" | jq .query.counted
}

# shellcheck disable=SC2016 # for the shell of the command
"$kmemtraced" -q -o recorder --overwrite=4s --trigger='live(filp) > 800k' --trigger='live(cache:filp) > 700k' \
	--trigger-command='echo "$KMEMTRACE_TRIGGER: $KMEMTRACE_PATH" >>commands; ls >>pieces' 2>daemon.log &
daemon=$!
for _ in $(seq 200); do
	[ -d recorder/piece.000012 ] && break
	sleep 0.05
done
[ -d recorder/piece.000012 ] || fail "no twelve pieces of half a second: $(ls recorder) $(cat daemon.log)"
[ -e recorder/piece.000001 ] && fail "the first piece is kept: $(ls recorder)"
"$builddir/tests/live/descriptors" <numbers >answers 2>load.log &
load=$!
exec 3>numbers 4<answers
hold 5000
since=$(date +%s%N)
wait_for 1 'has the last [0-9]* pieces'
echo "a dump after $((($(date +%s%N) - since) / 1000000)) ms"
dump=$(sed -n 's/.*: \([^ ]*\) has the last .* pieces$/\1/p' daemon.log | head -1)
[ "$dump" = "$(echo "$scratch"/recorder.dump.20*Z)" ] || fail "the dump: $(ls) $(cat daemon.log)"
checked "$dump"
pieces=$(find "$dump" -mindepth 1 -maxdepth 1 -name 'piece.*' | wc -l)
# on a busy machine old pieces wait for checkpoints
{ [ "$pieces" -ge 8 ] && [ "$pieces" -le 12 ]; } || fail "the dump has $pieces pieces: $(ls "$dump")"
got=$(counted "$dump")
[ "$got" -ge 5000 ] || fail "5000 files are held, and $got are in the dump"
for piece in "$dump"/piece.*; do
	[ -d "$piece/checkpoint" ] || fail "no checkpoint: $(ls "$piece")"
	[ -e "$piece/checkpoint.new" ] && fail "half a checkpoint: $(ls "$piece")"
done
# both triggers have fired at once, or have a dump each
for _ in $(seq 100); do
	[ "$(wc -l <commands)" = 2 ] && break
	sleep 0.05
done
for trigger in 'live(filp) > 800k' 'live(cache:filp) > 700k'; do
	path=$(sed -n "s/^$trigger: //p" commands)
	[ -d "$path" ] && grep -q " $path has the last" daemon.log || fail "the command: $(cat commands daemon.log)"
done
[ "$(wc -l <commands)" = 2 ] || fail "two triggers, and these commands: $(cat commands)"

listed() { # listed NAME: of this kmemtraced in --status; "" without write access to /run
	"$kmemtraced" --status --format=json | jq -r ".daemons[] | select(.pid == $daemon) | .$1"
}

# --status names it
written=$(grep -c 'has the last' daemon.log)
for _ in $(seq 60); do
	[ "$(listed dumps)" = "$written" ] && break
	sleep 0.05
done
dump=$(sed -n 's/.*: \([^ ]*\) has the last .* pieces$/\1/p' daemon.log | tail -1)
if [ -e "/run/kmemtrace/status.$daemon" ]; then
	[ "$(listed dumps) $(listed last_dump)" = "$written $dump" ] || fail "--status: $("$kmemtraced" --status)"
	listed last_dump_trigger | grep -qx 'live(.*filp) > [78]00k' || fail "--status: $("$kmemtraced" --status)"
	since=$(date -u -d "$(listed last_dump_time)" +%s) || fail "the time: $("$kmemtraced" --status)"
	[ $(($(date +%s) - since)) -le 60 ] || fail "the time: $("$kmemtraced" --status)"
	[ "$(listed dump_failure)" = null ] || fail "a failure: $("$kmemtraced" --status)"
	"$kmemtraced" --status | grep -q "last dump: $dump" || fail "as text: $("$kmemtraced" --status)"
fi

# SIGUSR2: another dump, without a command; recording goes on
before=$(grep -c 'has the last' daemon.log)
kill -USR2 "$daemon"
wait_for $((before + 1)) 'has the last'
for _ in $(seq 60); do
	[ "$(listed last_dump_trigger)" = SIGUSR2 ] && break
	[ -e "/run/kmemtrace/status.$daemon" ] || break
	sleep 0.05
done
[ ! -e "/run/kmemtrace/status.$daemon" ] || [ "$(listed dumps)" = $((before + 1)) ] ||
	fail "--status after SIGUSR2: $("$kmemtraced" --status)"
grep -q 'SIGUSR2: .* has the last' daemon.log || fail "no dump at SIGUSR2: $(cat daemon.log)"
hold 6000
exec 3>&- 4<&-
wait $load
since=$(date +%s)
stop_daemon
[ $(($(date +%s) - since)) -lt 20 ] || fail "it does not end: $(cat daemon.log)"
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
[ "$(wc -l <commands)" = 2 ] || fail "a command at SIGUSR2: $(cat commands)"
for set in recorder recorder.dump.*; do
	checked "$set"
done
got=$(counted recorder)
[ "$got" -ge 1000 ] || fail "after the dumps 1000 files are opened, and $got are recorded"
find . -maxdepth 1 -name '*.new' | grep . && fail "half a dump is left"

# the rest of a run that ends while the dump waits; with a size
"$kmemtraced" -q -o sized --overwrite=800k --trigger='live > 1' -d 1 2>daemon.log || fail "exit $?: $(cat daemon.log)"
[ "$(echo sized.dump.*)" != 'sized.dump.*' ] || fail "no dump: $(cat daemon.log)"
checked sized
pieces=$(find sized -mindepth 1 -maxdepth 1 -name 'piece.*' | wc -l)
[ "$pieces" -le 8 ] || fail "more than eight pieces: $(ls sized)"
exit 0
