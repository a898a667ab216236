#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtraced -- COMMAND: the command has its own input, output, priority and exit status; a signal
# ends the capture, which is complete.
. "$srcdir/live/live.sh"
need jq

"$kmemtraced" -q -- sh -c 'cat; exit 7' <<END >out
words
END
[ $? = 7 ] || fail "the exit status 7 was not passed on"
[ "$(cat out)" = words ] || fail "the command's output is not its own: $(cat out)"
checked
"$kmemtraced" -q sh -c 'kill -TERM $$'
code=$?
[ $code = 143 ] || fail "a command that a signal ended: exit $code, not 143"
timeout 300 "$kmemtraced" -q -d 1000 -- true || fail "true: exit $?: it went on after the command had ended"
"$kmemtraced" -q -- ls -d / >out || fail "options of the command were taken as ours"
[ "$(cat out)" = / ] || fail "ls -d / printed $(cat out)"
nice=$("$kmemtraced" -q -- nice)
[ "$nice" = "$(nice)" ] || fail "the command runs at nice $nice"

for signal in INT TERM HUP USR1 ALRM RTMIN+1; do
	start_daemon
	stop_daemon $signal
	[ "$status" = 0 ] || fail "SIG$signal: exit $status: $(cat daemon.log)"
	checked
	grep -q "^stopped SIG$signal\$" kmemtrace.data/kernel/status || fail "SIG$signal: $(cat kmemtrace.data/kernel/status)"
	[ "$(json .capture.complete)" = true ] || fail "SIG$signal: the capture is not complete"
	[ "$(wc -l <daemon.log)" = 1 ] || fail "SIG$signal: more than one line: $(cat daemon.log)"
	grep -Eq ': [0-9]+ events, [0-9]+ lost, [0-9]+ skipped, [0-9]+ bytes, [0-9.]+ s$' daemon.log ||
		fail "SIG$signal: the last line is: $(cat daemon.log)"
done

# a signal that comes while the capture is being set up ends it too, at whatever time it comes
for delay in 0 0.01 0.05; do
	"$kmemtraced" -q 2>daemon.log &
	daemon=$!
	sleep $delay # paced: the moment of the signal
	stop_daemon TERM
	# 143: the signal came before kmemtraced had installed its handlers; 2: before the capture began
	[ "$status" = 0 ] || [ "$status" = 143 ] ||
		{ [ "$status" = 2 ] && [ "$(cat daemon.log)" = "kmemtraced: SIGTERM came before the capture began" ]; } || fail "an early SIGTERM: exit $status: $(cat daemon.log)"
done

# after the duration, kmemtraced waits for the command; a signal then stops the command
rm -rf kmemtrace.data
"$kmemtraced" -q -d 0.1 -- sh -c 'echo $$ >pid; exec sleep 300' 2>daemon.log & # paced: a signal ends it
daemon=$!
ended() { # the capture is complete
	grep -q '^complete yes' kmemtrace.data/kernel/status && kill -0 "$(cat pid)"
}
wait_for "the end of the capture" ended
stop_daemon TERM
[ "$status" = 143 ] || fail "SIGTERM after the duration: exit $status: $(cat daemon.log)"
! kill -0 "$(cat pid)" 2>/dev/null || fail "SIGTERM after the duration: the command went on"

begin=$(date +%s%N)
"$kmemtraced" -d 0.5 2>log || fail "-d 0.5: exit $?"
most=$((($(date +%s%N) - begin) / 1000000))
[ "$(json ".capture.duration_s * 1000 | . >= 500 and . <= $most")" = true ] ||
	fail "-d 0.5 took $(json .capture.duration_s) s, of $most ms in all"
"$kmemtraced" -q -d 0.2 2>log || fail "-q: exit $?"
[ -s log ] && fail "-q is not quiet: $(cat log)"
"$kmemtraced" --doctor >log || fail "--doctor: exit $?"
grep -q '^A capture is possible' log || fail "--doctor: $(cat log)"
exit 0
