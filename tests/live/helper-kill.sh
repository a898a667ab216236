#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Each process that works for kmemtraced is killed: a message, --status and the exit status say so, with the
# right reason, and the capture is consistent.
# shellcheck disable=SC2154 # live.sh sets the names of the programs and its folder
. "$srcdir/live/live.sh"
need jq
own_run

capabilities() { # capabilities PID: the effective ones
	awk '/^CapEff/ { print $2 }' "/proc/$1/status"
}
own=$(capabilities $$)

# child CAPABILITIES: the one process of the daemon that has these; at the start the guard has them all; sets $child
child() {
	child=
	for process in $(pgrep -P "$daemon"); do
		[ "$(capabilities "$process")" != "$1" ] || child="$child$process "
	done
	[ "$child" ] && [ "$child" = "${child%% *} " ] && child=${child% }
}

# kill_child WHAT CAPABILITIES
kill_child() {
	wait_for "$1" child "$2"
	kill -KILL "$child"
}

status_is() { # status_is FILTER: of jq, for this kmemtraced
	"$kmemtraced" --status --format=json | jq -e ".daemons[0] | $1" >/dev/null
}

ended() { # ended STATUS PATTERN: stops the daemon, which ends with this status; the last message matches
	stop_daemon
	[ "$status" = "$1" ] || fail "exit $status, not $1: $(cat daemon.log)"
	tail -n 1 daemon.log | grep -q "$2" || fail "the last message: $(cat daemon.log)"
}

# dumps and commands
dumps='the process that writes dumps and runs the commands of triggers: ended by signal 9 (Killed)'
start_set flight --overwrite=4M --trigger='live > 100G' --trigger-command='touch fired; :'
kill_child "the process for dumps" "$own"
wait_for_message 1 "^kmemtraced: $dumps: kmemtraced goes on without them: restart it"
kill -USR2 "$daemon"
wait_for_message 1 "^kmemtraced: trigger 'SIGUSR2': its dump and its command are left out: $dumps\$"
wait_for "the failure in --status" status_is ".dump_failure | contains(\"$dumps\")"
ended 2 "^kmemtraced: $dumps\$"
! grep 'too many' daemon.log || fail "a wrong reason"
checked flight
[ -z "$(ls -d flight.dump* 2>/dev/null)" ] || fail "a dump: $(ls -d flight.dump*)"

# pieces
start_set set --switch-output=1h
kill_child "the keeper" 0000000000000000
wait "$daemon"
status=$?
daemon=
[ $status = 2 ] || fail "without a keeper: exit $status: $(cat daemon.log)"
grep -q '^kmemtraced: the process that keeps the pieces: ended by signal 9 (Killed)$' daemon.log || fail "$(cat daemon.log)"
checked set

# functions of processes, which a report finds itself: CAP_DAC_READ_SEARCH and CAP_SYS_PTRACE
start_daemon -q --stacks=1k --user-stacks
find / -xdev -maxdepth 3 >/dev/null # its allocations have stacks
kill_child "the process that finds names" 0000000000080004
ended 0 '^kmemtraced: the functions of processes have no names: the process that finds them was killed$'
checked kmemtrace.data

# kmemtrace-ship: its summaries wait for the next start
if [ -x "$builddir/kmemtrace-ship" ]; then
	mkdir -m 700 summaries
	start_daemon -q --summaries=1h --summaries-dir=summaries --ship-to=clickhouse://127.0.0.1:9/kmemtrace
	# CAP_SETUID, CAP_SETGID and CAP_KILL
	kill_child "the process of kmemtrace-ship" 00000000000000e0
	ship='the process that starts kmemtrace-ship: ended by signal 9 (Killed): restart kmemtraced'
	wait_for_message 1 "^kmemtraced: --ship-to: $ship: kmemtraced goes on"
	wait_for "the failure in --status" status_is ".not_shipping | contains(\"$ship\")"
	ended 0 .
	checked kmemtrace.data
fi
exit 0
