#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Triggers fire when a load has grown by a known number of objects, once, and again after the condition
# was false; an OOM kill in a cgroup names its victim. In the journal they have fields.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
need jq flock
own_run

# begin OPTION…: in the background
begin() {
	: >daemon.log
	"$kmemtraced" -q "$@" 2>>daemon.log &
	daemon=$!
	wait_for "the status" status_is .pid >list
}

fired() { # fired PATTERN: how many messages have it
	grep -c "$1" daemon.log
}

status_is() { # status_is FILTER: of jq, for this kmemtraced
	"$kmemtraced" --status --format=json | jq -e ".daemons[0] | $1"
}

# the cache of the object that an eventfd has of its own, and its size
begin_files
hold 0
start_daemon -q -p $load
hold 100
stop_daemon
"$report" count --by=cache --sum=bytes_alloc --where='caller_function == "do_eventfd" && operation == "allocation"' \
	--format=json >eventfds
cache=$(jq -r '.count[0].cache' eventfds)
bytes=$(jq -r '.count[0] | .sum_bytes_alloc / .count' eventfds)
[ "$bytes" -gt 0 ] || fail "no objects of eventfds: $(jq -c .count eventfds)"
hold 0

most=$((bytes * 4000))
begin -p $load --no-capture --trigger="live($cache) > $most" --trigger="growth(cache:$cache) > $most/3s" \
	--trigger="live(function:do_eventfd) > $most" --trigger='live > 500G' \
	--trigger='live(filp) > 64M' --trigger-pause=0
hold 3000
sleep 1.5 # paced: kmemtraced compares once a second
[ -s daemon.log ] && fail "before the load: $(cat daemon.log)"
hold 8000
wait_for_message 1 "trigger 'live($cache) > $most': .* are live; .*; in all .*; most by cache: .*$cache"
wait_for_message 1 "trigger 'growth(cache:$cache) > $most/3s': .* more than \\(3 s ago\\|at the start, [0-9.]* s ago\\); grew most in the last [0-9.]* s: do_eventfd [0-9.]* [KMG]iB ([0-9.]* [A-Za-z]*/s)"
wait_for_message 1 "trigger 'live($cache) > $most': .*; held most by function: do_eventfd [0-9.]* [KMG]iB.*; by process: not known without --publish; in all"
wait_for_message 1 "trigger 'live(function:do_eventfd) > $most'"
grep -o '[0-9]* lost' daemon.log | grep -qv '^0 lost' && skip "events were lost: $(cat daemon.log)"
sleep 4 # paced: the growth is that of 3 seconds
[ "$(fired .)" = 3 ] || fail "they do not fire once: $(cat daemon.log)"
hold 10
sleep 4 # paced: the same
[ "$(fired .)" = 3 ] || fail "they fire while the load shrinks: $(cat daemon.log)"
hold 5000
wait_for_message 2 "trigger 'live($cache) > $most'"
wait_for_message 2 "trigger 'growth(cache:$cache) > $most/3s'"
wait_for_message 2 "trigger 'live(function:do_eventfd) > $most'"
wait_for "six triggers in the status" status_is '.fired == 6' >list
[ "$(fired .)" = 6 ] || fail "they do not fire once more: $(cat daemon.log)"
status_is '.trigger | test("^20..-..-..T..:..:..Z trigger .* are live")' >list || fail "--status: $(cat list)"
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"

# with --publish, the processes that hold the objects are known, as of the last look at them
hold 10
begin -p $load --no-capture --publish=stats --trigger="live($cache) > $most" --trigger="growth(cache:$cache) > $most/1m"
hold 3000
sleep 2.5 # paced: kmemtraced looks at the live objects once a second
hold 8000
wait_for_message 1 "trigger 'live($cache) > $most': .*; held most by process, [0-9.]* s ago: [^;]*(pid $load) [0-9.]* [KMG]iB"
wait_for_message 1 "trigger 'growth(cache:$cache) > $most/1m': .* more than at the start, [0-9.]* s ago; grew most in the last"
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"

# a name that the kernel does not have is reported, until it has events
begin -p $load --no-capture --trigger='growth(cache:filpp) > 1M/10m' --trigger='live(alloc_empty_file) > 500G'
unknown='growth(cache:filpp) > 1M/10m'
missing='no slab cache has this name now: did you mean filp?'
grep -qx "kmemtraced: trigger '$unknown': $missing" daemon.log || fail "a mistyped name: $(cat daemon.log)"
[ "$(wc -l <daemon.log)" = 1 ] || fail "a known name is reported: $(cat daemon.log)"
status_is ".unknown_names == \"$unknown: $missing\"" >list || fail "--status: $(cat list)"
stop_daemon

# in the journal, with a profile, while privileges are restricted; nothing on standard error
mkdir -p /run/systemd/journal
"$builddir/tests/live/listen" /run/systemd/journal/socket 0 >messages 2>listener.log &
listener=$!
before_end "kill $listener 2>/dev/null"
wait_for "the journal" grep -q listens messages
hold 0
JOURNAL_STREAM=$(stat -c %d:%i daemon.log)
export JOURNAL_STREAM
begin -p $load --profile=4k --max-samples=0 --no-capture --trigger='live(filp) > 800k'
# a standard deviation of the estimate is 5 % of that: 819,200 bytes are 8 of them away
hold 8000
wait_for "the trigger in the journal" grep -q TRIGGER messages
stop_daemon
kill $listener # both have the input of the load open, too
end_files
unset JOURNAL_STREAM
grep -q "^$(awk '/TRIGGER/ { print $1 }' messages) MESSAGE=trigger 'live(filp) > 800k': about .* | PRIORITY=4 | SYSLOG_IDENTIFIER=kmemtraced | KMEMTRACE_TRIGGER=live(filp) > 800k | KMEMTRACE_LOST=0 | KMEMTRACE_SKIPPED=[0-9]*" messages ||
	fail "the journal: $(cat messages daemon.log)"
[ -s daemon.log ] && fail "beside the journal: $(cat daemon.log)"

# OOM kills in a cgroup of version 1. This kmemtraced sees each OOM kill: so only one such test runs at a time.
[ -e /sys/fs/cgroup/memory/memory.limit_in_bytes ] || { echo "no OOM kill: no cgroup of version 1 for memory"; exit 0; }
group=/sys/fs/cgroup/memory/$own_name
mkdir "$group" || skip "no OOM kill: no cgroup can be made"
before_end "rmdir '$group'"
echo 8M >"$group/memory.limit_in_bytes"
exec 9</sys/fs/cgroup/memory
flock -w 100 9 || skip "another test waits for OOM kills"
# shellcheck disable=SC2016 # for the shell of the command
begin -o capture --trigger=oom --trigger-pause=3600 \
	--trigger-command='
		sleep 1 # paced: the command is slow
		echo "$KMEMTRACE_TRIGGER $KMEMTRACE_VICTIM $KMEMTRACE_VICTIM_NAME" >command.log;
		"$0" -c "echo killed; exit 9"'
kill_one() { # sets $victim
	# shellcheck disable=SC2016 # for the inner shell
	sh -c 'echo $$ >"$0/cgroup.procs"; exec tail /dev/zero' "$group" 2>/dev/null &
	victim=$!
	wait $victim
	[ $? = 137 ] || fail "no OOM kill"
}
kill_one
first=$victim
wait_for_message 1 "trigger 'oom': the kernel killed process"
grep -q "killed process $first " daemon.log || skip "another process had no memory: $(cat daemon.log)"
wait_for_message 1 "trigger 'oom': the kernel killed process $first (tail) for lack of memory; in all .* are live; .*; since the start"
kill_one
stop_daemon
exec 9<&-
[ "$(fired "trigger 'oom': the")" = 1 ] || fail "it fires in its pause: $(cat daemon.log)"
# the command still ran when the capture ended
[ "$(cat command.log)" = "oom $first tail" ] || fail "the command: $(cat command.log daemon.log)"
[ "$(tail -n 1 daemon.log | sed 's/.*: //')" = "exit status 9" ] || fail "its exit status: $(cat daemon.log)"
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
checked capture
victims=$("$report" count capture --probes=vm.oom_kill --by=victim --format=json |
	jq --arg first "tail (pid $first)" --arg second "tail (pid $victim)" \
		'[.count[] | select(.victim == $first or .victim == $second) | .count] | add')
[ "$victims" = 2 ] || fail "the capture has $victims of 2 OOM kills"
echo "process $first was named"
exit 0
