#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --overwrite keeps the last pieces, and a trigger or SIGUSR2 writes them as a dump: whole, with all events
# up to the trigger, once for triggers that fire together, while recording goes on without a loss. The
# command gets the path.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
need jq setsid

# counted CAPTURE: the files that the load allocated
counted() {
	"$report" count "$1" --format=json \
		--where="tid == $load && operation == \"allocation\" && type == \"filp\"" | jq .query.counted
}

# The load alone is recorded: no event of it is lost on a busy machine.
begin_files
begin=$(date +%s)
# shellcheck disable=SC2016 # for the shell of the command
start_set recorder --overwrite=1600ms -p $load --trigger='live(filp) > 800k' --trigger='live(cache:filp) > 700k' \
	--trigger-command='echo "$KMEMTRACE_TRIGGER: $KMEMTRACE_PATH" >>commands; ls >>pieces'
wait_for "twelve pieces of 200 ms" has_piece recorder 12
wait_for "the removal of the first piece" [ ! -e recorder/piece.000001 ]
hold 5000
wait_for_message 1 'has the last [0-9]* pieces'
dump=$(sed -n 's/.*: \([^ ]*\) has the last .* pieces$/\1/p' daemon.log | head -1)
[ "$dump" = "$(echo "$scratch"/recorder.dump.20*Z)" ] || fail "the dump: $(ls) $(cat daemon.log)"
checked "$dump"
pieces=$(find "$dump" -mindepth 1 -maxdepth 1 -name 'piece.*' | wc -l)
newest=$(newest_piece "$dump") oldest=$(ls -d "$dump"/piece.* | head -1)
# more than 8 while old pieces wait for their checkpoints
[ "$pieces" -ge 8 ] && [ "$pieces" = $((1${newest##*.} - 1${oldest##*.} + 1)) ] ||
	fail "the dump has $pieces pieces: $(ls "$dump")"
got=$(counted "$dump")
[ "$got" -ge 5000 ] || fail "5000 files are held, and $got are in the dump"
for piece in "$dump"/piece.*; do
	[ -d "$piece/checkpoint" ] || fail "no checkpoint: $(ls "$piece")"
	[ -e "$piece/checkpoint.new" ] && fail "half a checkpoint: $(ls "$piece")"
done
# both triggers have fired at once, or have a dump each
two_commands() {
	[ "$(wc -l <commands)" -ge 2 ]
}
wait_for "both commands" two_commands
for trigger in 'live(filp) > 800k' 'live(cache:filp) > 700k'; do
	path=$(sed -n "s/^$trigger: //p" commands)
	[ -d "$path" ] && grep -q " $path has the last" daemon.log || fail "the command: $(cat commands daemon.log)"
done
[ "$(wc -l <commands)" = 2 ] || fail "two triggers, and these commands: $(cat commands)"

listed() { # listed NAME VALUE: --status says so of this kmemtraced
	"$kmemtraced" --status --format=json |
		jq -e --arg value "$2" ".daemons[] | select(.pid == $daemon) | (.$1 | tostring) == \$value" >status.json
}

# --status names the last one, of one trigger or of each; without write access to /run there is none
dumps() { # their paths, the newest last
	sed -n 's/.*: \([^ ]*\) has the last .* pieces$/\1/p' daemon.log
}
listed_all() {
	listed dumps "$(dumps | sort -u | wc -l)"
}
listed_last() { # sets $dump
	dump=$(dumps | tail -1)
	listed last_dump "$dump"
}
if [ -e "/run/kmemtrace/status.$daemon" ]; then
	wait_for "the dump in --status" listed_last
	wait_for "the number of dumps in --status" listed_all
	status=$("$kmemtraced" --status --format=json | jq -c ".daemons[] | select(.pid == $daemon)")
	echo "$status" | jq -r .last_dump_trigger | grep -qx 'live(.*filp) > [78]00k' || fail "--status: $status"
	since=$(date -u -d "$(echo "$status" | jq -r .last_dump_time)" +%s) || fail "the time: $status"
	[ "$since" -ge $begin ] && [ "$since" -le "$(date +%s)" ] || fail "the time: $status"
	listed dump_failure null || fail "a failure: $status"
	"$kmemtraced" --status | grep -q "last dump: $dump" || fail "as text: $("$kmemtraced" --status)"
fi

# SIGUSR2: another dump, without a command; recording goes on
before=$(grep -c 'has the last' daemon.log)
kill -USR2 "$daemon"
wait_for_message $((before + 1)) 'has the last'
if [ -e "/run/kmemtrace/status.$daemon" ]; then
	wait_for "SIGUSR2 in --status" listed last_dump_trigger SIGUSR2
	wait_for "the number of dumps after SIGUSR2" listed_all
fi
grep -q 'SIGUSR2: .* has the last' daemon.log || fail "no dump at SIGUSR2: $(cat daemon.log)"
hold 6000
stop_daemon # it has the pipe of the load open
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
end_files
[ "$(wc -l <commands)" = 2 ] || fail "a command at SIGUSR2: $(cat commands)"
for set in recorder recorder.dump.*; do
	checked "$set"
done
got=$(counted recorder)
[ "$got" -ge 1000 ] || fail "after the dumps 1000 files are opened, and $got are recorded"
pieces=$(ls recorder | wc -l)
[ "$pieces" -le 9 ] || fail "more than eight pieces and the last: $(ls recorder)"
find . -maxdepth 1 -name '*.new' | grep . && fail "half a dump is left"

# the rest of a run that ends while the dump waits; with a size
"$kmemtraced" -q -o sized --overwrite=800k --trigger='live > 1' -d 1 2>daemon.log || fail "exit $?: $(cat daemon.log)"
[ "$(echo sized.dump.*)" != 'sized.dump.*' ] || fail "no dump: $(cat daemon.log)"
checked sized
pieces=$(find sized -mindepth 1 -maxdepth 1 -name 'piece.*' | wc -l)
[ "$pieces" -le 8 ] || fail "more than eight pieces: $(ls sized)"
exit 0
