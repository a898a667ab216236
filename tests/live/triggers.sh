#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Triggers fire within a second of a load that grows by a known number of objects, once, and again after
# the condition was false; an OOM kill in a cgroup names its victim. In the journal they have fields.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
need jq unshare
[ "$(id -u)" = 0 ] || skip "needs root, for a /run of its own"
if [ -z "${KMEMTRACE_OWN_RUN-}" ]; then
	unshare -m mount -t tmpfs tmpfs /run 2>out || skip "no file system can be mounted: $(cat out)"
	exec 9>&-
	KMEMTRACE_OWN_RUN=1 unshare -m sh -c 'mount -t tmpfs -o mode=755 run /run && exec sh "$0"' "$srcdir/live/triggers.sh"
	exit
fi
listener='' group=''
trap 'stop_daemon; kill $listener 2>/dev/null; [ -z "$group" ] || rmdir "$group"; cd /; rm -rf "$scratch"' EXIT
mkfifo numbers answers

begin_load() {
	"$builddir/tests/live/descriptors" <numbers >answers 2>load.log &
	load=$!
	exec 3>numbers 4<answers
	hold 0
}

hold() { # hold NUMBER: of eventfds
	echo "$1" >&3
	read -r held <&4 || skip "$(cat load.log)"
	[ "$held" = "$1" ] || fail "the load holds $held, not $1"
}

end_load() {
	exec 3>&- 4<&-
	wait $load
}

ready() { # kmemtraced captures
	for _ in $(seq 200); do
		"$kmemtraced" --status >/dev/null && return
		kill -0 "$daemon" 2>/dev/null || break
		sleep 0.05
	done
	fail "kmemtraced did not start: $(cat daemon.log)"
}

fired() { # fired PATTERN: how many messages have it
	grep -c "$1" daemon.log
}

# within NUMBER PATTERN: in the next second there are so many of these messages
within() {
	since=$(date +%s%N)
	while [ "$(fired "$2")" -lt "$1" ]; do
		[ $(($(date +%s%N) - since)) -lt 1000000000 ] || fail "not $1 of $2 in a second: $(cat daemon.log)"
		sleep 0.02
	done
	echo "$2: after $((($(date +%s%N) - since) / 1000000)) ms"
}

# A file of an eventfd has 5000 objects of filp: each at least 184 bytes.
"$kmemtraced" -q --no-capture --trigger='live(filp) > 800k' --trigger='growth(cache:filp) > 800k/3s' \
	--trigger='live(function:alloc_empty_file) > 800k' --trigger='live > 500G' \
	--trigger='live(filp) > 64M' --trigger-pause=0 2>daemon.log &
daemon=$!
ready
begin_load
sleep 0.5
[ -s daemon.log ] && fail "before the load: $(cat daemon.log)"
hold 5000
within 1 "trigger 'live(filp) > 800k': .* are live; in all .*; most by cache: .*filp"
within 1 "trigger 'growth(cache:filp) > 800k/3s': .* more than 3 s ago"
within 1 "trigger 'live(function:alloc_empty_file) > 800k'"
grep -o '[0-9]* lost' daemon.log | grep -qv '^0 lost' && skip "events were lost: $(cat daemon.log)"
sleep 4
[ "$(fired .)" = 3 ] || fail "they do not fire once: $(cat daemon.log)"
hold 10
sleep 3.5
[ "$(fired .)" = 3 ] || fail "they fire while the load shrinks: $(cat daemon.log)"
hold 5000
within 2 "trigger 'live(filp) > 800k'"
within 2 "trigger 'growth(cache:filp) > 800k/3s'"
sleep 0.5
[ "$(fired .)" = 6 ] || fail "they do not fire once more: $(cat daemon.log)"
sleep 1
"$kmemtraced" --status --format=json >list
[ "$(jq -r '.daemons[0].fired' list)" = 6 ] || fail "--status: $(cat list)"
jq -r '.daemons[0].trigger' list | grep -q "^20..-..-..T..:..:..Z trigger '.* are live" || fail "--status: $(cat list)"
end_load
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"

# a name that the kernel does not have is reported, until it has events
"$kmemtraced" -q --no-capture --trigger='growth(cache:filpp) > 1M/10m' --trigger='live(alloc_empty_file) > 500G' \
	2>daemon.log &
daemon=$!
ready
grep -qx "kmemtraced: trigger 'growth(cache:filpp) > 1M/10m': no slab cache has this name now: did you mean filp?" daemon.log ||
	fail "a mistyped name: $(cat daemon.log)"
[ "$(wc -l <daemon.log)" = 1 ] || fail "a known name is reported: $(cat daemon.log)"
"$kmemtraced" --status --format=json >list
[ "$(jq -r '.daemons[0].unknown_names' list)" = "growth(cache:filpp) > 1M/10m: no slab cache has this name now: did you mean filp?" ] ||
	fail "--status: $(cat list)"
stop_daemon

# in the journal, with a profile, while privileges are restricted; nothing on standard error
mkdir -p /run/systemd/journal
"$builddir/tests/live/listen" /run/systemd/journal/socket 0 >messages 2>listener.log &
listener=$!
for _ in $(seq 100); do
	grep -q listens messages && break
	sleep 0.05
done
: >daemon.log
JOURNAL_STREAM=$(stat -c %d:%i daemon.log) "$kmemtraced" -q --profile=4k --max-samples=0 --no-capture \
	--trigger='live(filp) > 800k' 2>>daemon.log &
daemon=$!
ready
begin_load
# a standard deviation of the estimate is 5 % of that: 819,200 bytes are 8 of them away
hold 8000
for _ in $(seq 20); do
	grep -q TRIGGER messages && break
	sleep 0.05
done
end_load
stop_daemon
kill $listener
grep -q "^$(awk '/TRIGGER/ { print $1 }' messages) MESSAGE=trigger 'live(filp) > 800k': about .* | PRIORITY=4 | SYSLOG_IDENTIFIER=kmemtraced | KMEMTRACE_TRIGGER=live(filp) > 800k | KMEMTRACE_LOST=0 | KMEMTRACE_SKIPPED=[0-9]*" messages ||
	fail "the journal: $(cat messages daemon.log)"
[ -s daemon.log ] && fail "beside the journal: $(cat daemon.log)"

# an OOM kill in a cgroup of version 1
[ -e /sys/fs/cgroup/memory/memory.limit_in_bytes ] || { echo "no OOM kill: no cgroup of version 1 for memory"; exit 0; }
# shellcheck disable=SC2016 # for the shell of the command
"$kmemtraced" -q -o capture --trigger=oom --trigger-pause=30 \
	--trigger-command='sleep 1; echo "$KMEMTRACE_TRIGGER $KMEMTRACE_VICTIM $KMEMTRACE_VICTIM_NAME" >command.log;
		"$0" -c "echo killed; exit 9"' 2>daemon.log &
daemon=$!
ready
group=/sys/fs/cgroup/memory/kmemtrace-test-$$
mkdir $group
echo 8M >$group/memory.limit_in_bytes
for kill in 1 2; do
	# shellcheck disable=SC2016 # for the inner shell
	sh -c 'echo $$ >"$0/cgroup.procs"; exec tail /dev/zero' $group 2>/dev/null &
	victim=$!
	wait $victim
	[ $? = 137 ] || fail "no OOM kill"
	[ $kill = 2 ] || within 1 "trigger 'oom': the kernel killed process $victim (tail) for lack of memory; in all .* are live; .*; since the start"
	[ $kill = 2 ] || first=$victim
done
sleep 0.5
[ "$(fired "trigger 'oom': the")" = 1 ] || fail "it fires in its pause: $(cat daemon.log)"
stop_daemon
# the command still ran when the capture ended
[ "$(cat command.log)" = "oom $first tail" ] || fail "the command: $(cat command.log daemon.log)"
[ "$(tail -n 1 daemon.log | sed 's/.*: //')" = "exit status 9" ] || fail "its exit status: $(cat daemon.log)"
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
checked capture
victims=$("$report" count capture --probes=vm.oom_kill --by=victim --format=json | jq -r '.query.counted')
[ "$victims" = 2 ] || fail "the capture has $victims of 2 OOM kills"
echo "process $first was named"
exit 0
