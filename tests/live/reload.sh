#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# SIGHUP lets kmemtraced read its configuration file again, while its privileges are restricted and
# after an editor has replaced the file: triggers change; what cannot change is named; an error changes
# nothing; and no event is lost meanwhile. Without a file, SIGHUP ends the capture.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
umask 022
mkdir etc

# write LINE…: as an editor that replaces the file
write() {
	printf '%s\n' "$@" >etc/new
	mv etc/new etc/conf
}

# reload TEXT: sends SIGHUP, and waits for the message with this text
reload() {
	lines=$(wc -l <daemon.log)
	kill -HUP "$daemon"
	for _ in $(seq 200); do
		tail -n +$((lines + 1)) daemon.log >added
		grep -qF -e "$1" added && return
		kill -0 "$daemon" 2>/dev/null || break
		sleep 0.02
	done
	fail "no message $1: $(cat daemon.log)"
}

write '# comment' 'quiet' 'trigger = live > 900G' 'trigger-pause = 1' 'output = kmemtrace.data' 'ring-size = 16'
start_daemon --config=etc/missing --config=etc/conf --metrics-interval=5 --metrics=m.prom
reload 'etc/conf: read again: nothing has changed'
write 'quiet' 'trigger = live > 900G' 'trigger = live > 1' 'trigger-pause = 1' 'output = kmemtrace.data' 'ring-size = 16'
reload 'etc/conf: read again: trigger changed'
reload 'etc/conf: read again: nothing has changed'
reload "trigger 'live > 1': "
[ "$(grep -c "trigger 'live > 1': " daemon.log)" = 1 ] || fail "the trigger fires again: $(cat daemon.log)"

# the command line has the interval; the others need a restart
write 'trigger = live > 1' 'trigger-pause = 2' 'output = other' 'pack' 'metrics-interval = 9'
reload 'etc/conf: read again: trigger, trigger-pause changed; these change at the next start only: output, ring-size, pack, quiet'

# wrong files
wrong() { # wrong MESSAGE: and then nothing is changed
	reload "$1"
	grep -qF 'the file is not used, and nothing changes' added || fail "no hint: $(cat added)"
}
write 'trigger = live > 1' 'trigger = lost > 1'
wrong 'etc/conf:2: trigger: character 8: "1" is not a share'
write 'trigger = oom'
wrong 'etc/conf:1: trigger: OOM kills are recorded only if'
write 'triggre = live > 1'
wrong 'etc/conf:1: "triggre" is not the name of an option'
write 'trigger-pause = x'
wrong 'etc/conf:1: trigger-pause: needs a duration'
write 'trigger'
wrong 'etc/conf:1: trigger: needs a value'
chmod 666 etc/conf
wrong 'its group or others can write it'
rm etc/conf
wrong 'No such file'
write 'trigger = live > 1' 'trigger-pause = 2' 'output = kmemtrace.data' 'ring-size = 16' 'quiet'
reload 'etc/conf: read again: nothing has changed'
kill -0 "$daemon" || fail "it has ended: $(cat daemon.log)"
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
checked kmemtrace.data
grep -q ' lost 0,' check.log || fail "events are lost: $(cat check.log)"

# without a trigger of live bytes at the start, they are not known
write 'quiet' 'output = kmemtrace.data'
start_daemon --config=etc/conf
write 'quiet' 'output = kmemtrace.data' 'trigger = live > 1'
wrong 'etc/conf:3: trigger: live bytes are known only if'
write 'quiet' 'output = kmemtrace.data' 'trigger = lost > 90%'
reload 'etc/conf: read again: trigger changed'
stop_daemon

start_daemon -q
stop_daemon HUP
[ "$(value kmemtrace.data/kernel/status stopped)" = SIGHUP ] || fail "without a file: $(cat kmemtrace.data/kernel/status)"
exit 0
