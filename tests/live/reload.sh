#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# SIGHUP lets kmemtraced read its configuration file again, while its privileges are restricted and
# after an editor has replaced the file: triggers change; what cannot change is named; an error changes
# nothing; and no event is lost meanwhile. Without a file, SIGHUP ends the capture.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
need jq
umask 022
mkdir etc

# write LINE…: as an editor that replaces the file
write() {
	printf '%s\n' "$@" >etc/new
	mv etc/new etc/conf
}

added() { # added TEXT: daemon.log has a new line with it, which the file added then has
	tail -n +$((lines + 1)) daemon.log >added
	grep -qF -e "$1" added
}

# reload TEXT: sends SIGHUP, and waits for the message with this text, while the load allocates 100 objects more
reload() {
	lines=$(wc -l <daemon.log)
	kill -HUP "$daemon"
	held=$((held + 100))
	hold $held
	wait_for "the message $1" added "$1"
}

write '# comment' 'quiet' 'trigger = live > 900G' 'trigger-pause = 1' 'output = kmemtrace.data' 'ring-size = 16'
begin_files
hold 0
# only events of this load: they fit into any ring
start_daemon --config=etc/missing --config=etc/conf --metrics-interval=5 --metrics=m.prom -p $load
reload 'etc/conf: read again: nothing has changed'
write 'quiet' 'trigger = live > 900G' 'trigger = live > 1' 'trigger-pause = 1' 'output = kmemtrace.data' 'ring-size = 16'
reload 'etc/conf: read again: trigger changed'
reload 'etc/conf: read again: nothing has changed'
wait_for_message 1 "trigger 'live > 1': "
reload 'etc/conf: read again: nothing has changed'
[ "$(grep -c "trigger 'live > 1': " daemon.log)" = 1 ] || fail "the trigger fires again: $(cat daemon.log)"

# the command line has the interval; the others need a restart
write 'trigger = live > 1' 'trigger-pause = 2' 'output = other' 'pack' 'metrics-interval = 9'
reload 'etc/conf: read again: trigger, trigger-pause changed; these change at the next start only: output, ring-size, pack, quiet'

# wrong files
refused() { # refused MESSAGE: and then nothing is changed
	reload "$1"
	grep -qF 'the file is not used, and nothing changes' added || fail "no hint: $(cat added)"
}
write 'trigger = live > 1' 'trigger = lost > 1'
refused 'etc/conf:2: trigger: character 8: "1" is not a share'
write 'trigger = oom'
refused 'etc/conf:1: trigger: OOM kills are recorded only if'
write 'triggre = live > 1'
refused 'etc/conf:1: "triggre" is not the name of an option: did you mean trigger?'
write 'trigger-pause = x'
refused 'etc/conf:1: trigger-pause: "x" is not a duration up to 1d: use seconds'
write 'summaries-keep'
refused 'etc/conf:1: summaries-keep: needs a value: summaries-keep = AGE'
write 'summaries-keep ='
refused 'etc/conf:1: summaries-keep: the value is empty'
# also of options that a restart needs: it would refuse the file
write 'output'
refused 'etc/conf:1: output: needs a value: output = DIR'
write 'quiet = yes'
refused 'etc/conf:1: quiet: takes no value'
write 'max-samples = some'
refused 'etc/conf:1: max-samples: "some" is not a number of samples a second from 0 to 4294967295'
write 'doctor'
refused 'etc/conf:1: doctor: can be used on the command line only'
write 'trigger'
refused 'etc/conf:1: trigger: needs a value'
chmod 666 etc/conf
refused 'its group or others can write it'
rm etc/conf
refused 'No such file'
write 'trigger = live > 1' 'trigger-pause = 2' 'output = kmemtrace.data' 'ring-size = 16' 'quiet'
reload 'etc/conf: read again: nothing has changed'
kill -0 "$daemon" || fail "it has ended: $(cat daemon.log)"
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
checked kmemtrace.data
# a kernel without the name has 0 of them
counted=$("$report" count --where="tid == $load && operation == \"allocation\" && function =~ \"eventfd\"" --format=json |
	jq .query.counted)
skipped=$(json .loss.skipped)
echo "allocated $held, recorded $counted, skipped $skipped"
[ "$(json .loss.lost)" = 0 ] || fail "$(json .loss.lost) events are lost"
[ "$counted" = 0 ] || { [ "$counted" -le $held ] && [ $((counted + skipped)) -ge $held ]; } ||
	fail "$held objects were allocated, and $counted recorded"

# without a trigger of live bytes at the start, they are not known
write 'quiet' 'output = kmemtrace.data'
start_daemon --config=etc/conf
write 'quiet' 'output = kmemtrace.data' 'trigger = live > 1'
refused 'etc/conf:3: trigger: live bytes are known only if'
write 'quiet' 'output = kmemtrace.data' 'trigger = lost > 90%'
reload 'etc/conf: read again: trigger changed'
stop_daemon

start_daemon -q
stop_daemon HUP
[ "$(value kmemtrace.data/kernel/status stopped)" = SIGHUP ] || fail "without a file: $(cat kmemtrace.data/kernel/status)"
exit 0
