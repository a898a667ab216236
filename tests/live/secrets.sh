#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The values of a configuration file that other users cannot read are nowhere where they can: in no file, message,
# answer or list of arguments. The file of the user and the password stays closed, too.
# shellcheck disable=SC2154 # live.sh sets the names of the programs and its folder
. "$srcdir/live/live.sh"
need setpriv
own_run
chmod 755 "$scratch"
mkfifo go

echo hidden-$$ >marker
mkdir -m 700 summaries
(umask 077 && printf 'user hidden-%s\npassword hidden-%s\n' $$ $$ >credentials)
cat >private.conf <<END
quiet
publish = $scratch/published/memstat
trigger = live > 1
trigger-command = read -r line <go; exit 9; : hidden-$$
summaries = 1h
summaries-dir = summaries
END
[ ! -x "$builddir/kmemtrace-ship" ] || cat >>private.conf <<END
ship-to = clickhouse://127.0.0.1:9/kmemtrace
ship-credentials = credentials
END

# begin MODE: of the file; kmemtraced runs, and the shell with the command waits
begin() {
	chmod "$1" private.conf
	start_daemon --config=private.conf
	wait_for_message 1 "trigger 'live > 1': "
	wait_for "the command" pgrep -P "$(pgrep -d , -P "$daemon")" -x sh >/dev/null
	wait_for "the status" listed
}

listed() {
	"$kmemtraced" --status >status && grep -q 'trigger-command=' status
}

finish() {
	echo >go
	wait_for_message 1 "^kmemtraced: trigger 'live > 1': --trigger-command: exit status 9\$"
	stop_daemon
	[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
}

begin 600
grep -alf marker /proc/[0-9]*/cmdline 2>/dev/null >found && fail "arguments: $(cat found)"
grep -rlf marker /run /dev/shm published kmemtrace.data summaries status daemon.log >found 2>/dev/null &&
	fail "files: $(cat found)"
setpriv --reuid=65534 --regid=65534 --clear-groups grep -alf marker /proc/[0-9]*/environ 2>/dev/null >found &&
	fail "variables: $(cat found)"
grep -q -- '--trigger-command=\.\.\. ' status || fail "the options: $(cat status)"
grep -q -- '--quiet' status || fail "an option without a value: $(cat status)"
finish
grep -rlf marker /run published kmemtrace.data summaries daemon.log >found 2>/dev/null && fail "at the end: $(cat found)"

# others can read it: they see the values
begin 644
grep -qf marker status || fail "of a public file: $(cat status)"
grep -alf marker /proc/[0-9]*/cmdline 2>/dev/null >found && fail "arguments: $(cat found)"
finish
grep -qf marker daemon.log && fail "a message: $(cat daemon.log)"

# no file is public in a directory that others cannot reach
mkdir -m 700 closed
mkdir -m 755 closed/open
printf '%s\n' quiet 'trigger = live > 1' "trigger-command = : hidden-$$" >closed/open/conf
chmod 644 closed/open/conf
start_daemon --config=closed/open/conf
wait_for "the status" listed
grep -q -- '--trigger-command=\.\.\.' status || fail "in a closed directory: $(cat status)"
stop_daemon

# a line with an error
echo "trigger-comand hidden-$$" >private.conf
chmod 600 private.conf
"$kmemtraced" --config=private.conf >out 2>&1
[ $? = 2 ] || fail "a wrong line: $(cat out)"
grep -qf marker out && fail "a wrong line: $(cat out)"
grep -q '"trigger-comand ..." is not the name of an option' out || fail "a wrong line: $(cat out)"
exit 0
