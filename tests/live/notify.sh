#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtraced as a service of Type=notify: it is ready when the first event can be recorded, it keeps the
# watchdog quiet, and it says that it stops, or why it fails; also while its privileges are restricted.
# Its command does not get the variables.
. "$srcdir/live/live.sh"
need jq
opens=1000
listener=
before_end '[ -z "$listener" ] || kill $listener'

# listen SOCKET: the messages go to the file messages
listen() {
	[ -z "$listener" ] || kill $listener
	rm -f socket messages
	"$builddir/tests/live/listen" "$1" $opens >messages 2>listener.log &
	listener=$!
	sent 1 listens
}

has_sent() { # has_sent NUMBER PATTERN: so many messages match, or there will be no more
	[ "$(grep -c "$2" messages)" -ge "$1" ] || ! kill -0 $listener
}

sent() { # sent NUMBER PATTERN: waits until so many messages match
	wait_for "$1 messages $2" has_sent "$1" "$2"
	kill -0 $listener || fail "the listener ended: $(cat listener.log)"
}

for socket in "$scratch/socket" "@$own_name"; do
	listen "$socket"
	# the shell becomes kmemtraced, so its process id is that of the watchdog; the few events of one process fit
	# into any ring
	NOTIFY_SOCKET=$socket WATCHDOG_USEC=400000 sh -c \
		'WATCHDOG_PID=$$ exec "$0" -q -o capture -p $1' "$kmemtraced" $listener 2>daemon.log &
	daemon=$!
	sent 1 ' READY=1$'
	sent 6 ' WATCHDOG=1$'
	sent 1 ' STATUS=[0-9]* events, 0 lost, [0-9]* skipped, [0-9.]* MiB on disk, [0-9.]* MiB free$'
	ready=$daemon
	stop_daemon TERM
	[ "$status" = 0 ] || fail "$socket: exit $status: $(cat daemon.log)"
	sent 1 ' STOPPING=1$'
	[ "$(grep -v listens messages | grep -cv "^$ready ")" = 0 ] || fail "$socket: another process sent: $(cat messages)"
	[ "$(grep -c READY messages) $(grep -c STOPPING messages)" = "1 1" ] || fail "$socket: $(cat messages)"
	[ "$(tail -n 1 messages)" = "$ready STOPPING=1" ] || fail "$socket: the last message: $(cat messages)"
	checked capture
	# all of them, from the first after the message
	got=$("$report" count capture --format=json \
		--where="tid == $listener && operation == \"allocation\" && type == \"filp\"" | jq .query.counted)
	skipped=$(value capture/kernel/status skipped)
	[ "$got" -le $opens ] && [ $((got + skipped)) -ge $opens ] || fail "$socket: after READY=1, $opens files were opened; $got are in the capture, $skipped skipped"
	echo "$socket: $(grep -c WATCHDOG messages) messages for the watchdog, $got of $opens events"
	rm -rf capture
done

# the command has no variables; a watchdog of another process gets no messages
cat >command <<'END'
env | grep -e NOTIFY -e WATCHDOG
sleep 0.2 # paced: ten times the interval of the other process
END
listen "$scratch/socket"
NOTIFY_SOCKET=$scratch/socket WATCHDOG_USEC=20000 WATCHDOG_PID=1 \
	"$kmemtraced" -q -o capture -- sh command >variables 2>daemon.log ||
	fail "with a command: exit $?: $(cat daemon.log)"
[ -s variables ] && fail "the command has these variables: $(cat variables)"
sent 1 'STOPPING=1'
grep -q 'READY=1' messages || fail "with a command: not ready: $(cat messages)"
grep 'WATCHDOG' messages && fail "messages for the watchdog of process 1"

# a failure
listen "$scratch/socket"
NOTIFY_SOCKET=$scratch/socket "$kmemtraced" -q -o missing/capture 2>daemon.log
[ $? = 2 ] || fail "without the directory: no failure"
sent 1 ' STATUS=missing/capture: .* | ERRNO=2$'
grep READY messages && fail "ready, and failed at the start"
: >file
NOTIFY_SOCKET=$scratch/socket "$kmemtraced" -q -o capture2 -- ./file 2>daemon.log
sent 1 ' STATUS=\./file: cannot be run: .* | ERRNO=13$'

# nothing listens: a message, and the capture is made
kill $listener
listener=
rm socket
for name in "$scratch/socket" "vsock:2:1" relative / "/$(printf '%0150d' 1)"; do
	NOTIFY_SOCKET=$name "$kmemtraced" -q -d 0.1 -o capture 2>daemon.log ||
		fail "NOTIFY_SOCKET=$name: exit $?: $(cat daemon.log)"
	grep -qF "kmemtraced: NOTIFY_SOCKET=$name: no messages can be sent there: " daemon.log ||
		fail "NOTIFY_SOCKET=$name: $(cat daemon.log)"
done
exit 0
