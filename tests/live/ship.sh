#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtraced --ship-to: whatever the server does, kmemtraced goes on and writes its summaries, memory and
# disk have a bound, the log has one line for each change, --status says since when and why; and once the
# server is well, it gets each summary. KMEMTRACE_LONG=1: waits also for the timeout of a
# slow server, and is wrong in the other ways of cli/ship.sh.
# shellcheck disable=SC2154 # live.sh sets the names of the programs and its folder
. "$srcdir/live/live.sh"
need jq python3 openssl
[ -x "$builddir/kmemtrace-ship" ] || skip "this build has no kmemtrace-ship (no libcurl)"
[ "$(id -u)" = 0 ] || skip "only root can start a process of another user"
make_summaries=$builddir/tests/fleet/make_summaries
host=$(uname -n)
unset KMEMTRACE_CLICKHOUSE_USER KMEMTRACE_CLICKHOUSE_PASSWORD

# start_fake FOLDER [CERTIFICATE]: sets port
start_fake() {
	mkdir -p "$1"
	echo ok >"$1/mode"
	python3 "$srcdir/fleet/fake_server.py" "$@" 2>"$1/errors" &
	before_end "kill $! 2>/dev/null"
	wait_for "the port of the fake server" [ -e "$1/port" ]
	port=$(cat "$1/port")
}

# start OPTION…: with summaries each second in the folder sums
start() {
	"$kmemtraced" --no-capture --summaries=1 --summaries-dir="$scratch/sums" --ship-max-wait=500ms "$@" 2>daemon.log &
	daemon=$!
	wait_for "the start" started
}

started() {
	grep -q 'Seccomp:.2' /proc/$daemon/status && [ -n "$(shippers)" ]
}

# shippers: the processes of kmemtrace-ship that this kmemtraced has
shippers() {
	for middle in $(pgrep -P "$daemon"); do
		pgrep -P "$middle" -f '^kmemtrace-ship --descriptors'
	done
}

state() { # state FILTER: of kmemtraced --status
	"$kmemtraced" --status --format=json 2>/dev/null |
		jq -r ".daemons[] | select(.pid == $daemon) | .not_shipping |= (. // \"\") | $1" 2>&1
}

is() { # is FILTER: true
	[ "$(state "$1")" = true ]
}

await() { # await FILTER: until it is true
	wait_for "$1" is "$1"
}

# The status is written once a second, as the summaries: the newest may always be on its way.
await_sent() {
	written=$(state .summaries)
	await ".not_shipping == \"\" and .shipped >= $written"
}

no_shipper() {
	! pgrep -f "^kmemtrace-ship --descriptors --to=$url" >others
}

# stop_sent WHAT: kmemtraced ends, and nothing waits, for which it gives kmemtrace-ship 4 seconds
stop_sent() {
	begin=$SECONDS
	stop_daemon
	[ "$status" = 0 ] || fail "$1: exit $status: $(cat daemon.log)"
	sent_all "$1" 4
}

sent_all() { # sent_all WHAT SECONDS: since $begin, it had so much time
	grep -q ': sent [1-9][0-9]* summaries, 0 dropped, 0 bytes of files wait$' daemon.log && return
	[ $((SECONDS - begin)) -lt "$2" ] || skip "$1: this machine is too slow to send within 4 s: $(cat daemon.log)"
	fail "$1: the result: $(cat daemon.log)"
}

# The server has each summary that was written, once in effect, and no other.
has_all() {
	cut -f 3,4 fake/rows | awk -F '\t' 'NF == 2' | sort -u | wc -l >found
	cat sums/*.kms | grep -c '^end ' | diff - found >/dev/null ||
		fail "$1: the server has $(cat found) summaries of $(cat sums/*.kms | grep -c '^end ')"
}

start_fake fake
url=clickhouse://127.0.0.1:$port/fleet

# The process has no privilege, and the password is in no list of arguments and no environment.
printf 'user fleet\npassword hidden word\n' >secret
chmod 600 secret
start --ship-to="$url" --ship-credentials=secret
shipper=$(shippers)
await '.shipped >= 2'
[ "$(cut -d ' ' -f 1 fake/users | sort -u)" = fleet ] && grep -q '^fleet hidden word$' fake/users ||
	fail "the password: $(sort -u fake/users)"
grep -qa hidden /proc/"$shipper"/cmdline /proc/"$shipper"/environ /proc/$daemon/cmdline && fail "the password can be seen"
[ "$(awk '$1 == "Uid:" { print $2, $3, $4, $5 }' /proc/"$shipper"/status)" = \
	"65534 65534 65534 65534" ] || fail "the user: $(grep Uid /proc/"$shipper"/status)"
grep -E '^Cap(Inh|Prm|Eff|Amb):' /proc/"$shipper"/status | grep -qv 0000000000000000 &&
	fail "it has capabilities: $(grep Cap /proc/"$shipper"/status)"
[ "$(awk '$1 == "Groups:" { print NF }' /proc/"$shipper"/status)" = 1 ] || fail "it has groups"
[ "$(stat -c %a:%u sums/"$host".*.kms | sort -u)" = 600:0 ] || fail "others can read the summaries"
find /proc/"$shipper"/fd -lname '*/sums*' ! -lname '*.kms' ! -lname '*/ship/*' | grep -q . && fail "it has other files"

# Whatever the server does: one line, a state, and kmemtraced goes on.
# goes_wrong MODE SENTENCE
goes_wrong() {
	written=$(state .summaries)
	echo "$1" >fake/mode
	await "(.not_shipping | test(\"^since 20[-0-9T:]*Z: 127.0.0.1:$port: $2\")) and
		.summaries >= $written + 2 and .ship_waiting_bytes > 0"
	[ "$(grep -c ": $2" daemon.log)" = 1 ] || fail "$1: not one line: $(cat daemon.log)"
	[ "$(state .ship_dropped)" = 0 ] || fail "$1: some were dropped"
}
goes_wrong 500 'the server failed with HTTP 500'
goes_wrong redirect 'it answers with a redirect, HTTP 302'
goes_wrong endless 'the answer has more than 1048576 bytes'
goes_wrong resets 'the server closed the connection too early'
[ -e fake/followed ] && fail "a redirect was followed"
[ "$(awk '$1 == "VmHWM:" { print $2 }' /proc/"$shipper"/status)" -lt 65536 ] ||
	fail "memory: $(grep VmHWM /proc/"$shipper"/status)"
if [ -n "${KMEMTRACE_LONG:-}" ]; then
	goes_wrong nonsense 'the answer is not HTTP'
	goes_wrong full 'the server failed with HTTP 507: it has no space left'
	goes_wrong disk 'the server refused: Cannot reserve 1.00 MiB'
	echo slow >fake/mode
	await '.not_shipping | test("no whole answer in time")'
fi
echo ok >fake/mode
await_sent
[ "$(grep -c 'the server answers again' daemon.log)" = 1 ] || fail "not one line: $(cat daemon.log)"

# It is started again when it dies, with one line; a signal for all processes does not end it.
# No batch is on its way then: its rows would be sent again, since nothing says that the server has them.
before_end 'kill -CONT $daemon 2>/dev/null'
halt $daemon
accepted() { # the state has the run and the number of the last summary
	cat sums/*.kms | awk '$1 == "source" { run = $4; last = $6 } END { print "^source .* " run " [0-9]* " last "$" }' >newest
	find sums/ship -type f ! -name '*.new' -exec cat {} + | grep -q -f newest # .new: it is not the state yet
}
wait_for "the newest summary in the state" accepted
kill -TERM "$shipper"
kill -KILL "$shipper"
kill -CONT $daemon
wait_for_message 1 'kmemtrace-ship was ended by signal 9'
wait_for "the next kmemtrace-ship" started
await_sent
[ "$(grep -c 'was ended by signal 9' daemon.log)" = 1 ] || fail "not one line: $(cat daemon.log)"
shipper=$(shippers)
kill -TERM "$shipper"
written=$(state .shipped)
await ".shipped > $written"
[ "$(shippers)" = "$shipper" ] || fail "SIGTERM ended kmemtrace-ship before kmemtraced"
stop_sent "the end"
has_all "at the end"
no_shipper || fail "kmemtrace-ship goes on"
[ "$(stat -c %a:%u sums/ship)" = 700:65534 ] || fail "the state: $(stat -c %a:%u sums/ship)"

# A slow server does not keep kmemtraced; the next run sends what is left, and nothing twice.
echo slow >fake/mode
start --ship-to="$url"
await '.summaries >= 3'
begin=$SECONDS
stop_daemon
[ "$status" = 0 ] || fail "slow: exit $status: $(cat daemon.log)"
[ $((SECONDS - begin)) -le 120 ] || fail "the end took $((SECONDS - begin)) s"
grep -q 'sent 0 summaries, 0 dropped, [1-9][0-9]* bytes of files wait' daemon.log || fail "the result: $(cat daemon.log)"
echo ok >fake/mode
before=$(wc -l <fake/rows)
written=$(cat sums/*.kms | grep -c -E '^(code|cgroup|comm|end) ')
start --ship-to="$url"
await '.shipped >= 4'
kill -TERM "$(shippers)" # as a signal for all processes
stop_sent "the next run"
has_all "in the next run"
sort fake/rows | uniq -d >twice
[ ! -s twice ] || fail "$(wc -l <twice) rows were sent twice: $(head -n 3 twice); $(cat daemon.log)"
[ "$(wc -l <fake/rows)" -gt "$before" ] && [ "$written" -gt 0 ] || fail "nothing was sent"

# With the capabilities that kmemtraced-ship.conf gives to the service, and without them.
bounded() { # bounded CAPABILITIES OPTION…
	caps=$1 begin=$SECONDS
	shift
	setpriv --bounding-set "-all,+bpf,+perfmon,+syslog$caps" --inh-caps -all --no-new-privs \
		"$kmemtraced" --no-capture --summaries=1 --summaries-dir="$scratch/sums" "$@" 2>daemon.log
}
if setpriv --bounding-set -all,+bpf,+perfmon,+syslog true 2>/dev/null; then
	bounded ,+chown,+kill,+setgid,+setuid --ship-to="$url" -d 2.5 || fail "as a service: $(cat daemon.log)"
	sent_all "as a service" 6
	has_all "as a service"
	bounded '' --ship-to="$url" -d 2.5 && fail "as a service without the network: $(cat daemon.log)"
	grep -q 'root without CAP_SETUID and CAP_SETGID, and kmemtrace-ship may not be root' daemon.log ||
		fail "as a service without the network: $(cat daemon.log)"
else
	echo "note: this setpriv knows no CAP_BPF: not tried as a service"
fi

# Away for ever: the oldest files make room, and what they had is counted.
rm -rf sums
mkdir -m 755 sums
for day in 1 2 3; do
	"$make_summaries" "$host" $((5 * day)) $((5 * day + 4)) 2000 >"sums/$host.$(date -u -d "$day days ago" +%Y-%m-%d).kms"
done
chmod 600 sums/*
echo 500 >fake/mode
start --ship-to="$url" --summaries-max-disk=1M
await '.ship_dropped >= 5'
await '.summaries >= 5'
dropped=$(state .ship_dropped)
[ $((dropped % 5)) = 0 ] || fail "$dropped were dropped"
[ "$(cat sums/*.kms | wc -c)" -le 1048576 ] || fail "the disk: $(ls -l sums)"
[ "$(grep -c 'kmemtrace-ship: .*was removed with 5 summaries that no server has' daemon.log)" = $((dropped / 5)) ] ||
	fail "the lines: $(cat daemon.log)"
# kmemtraced is killed: the others end
stop_daemon KILL
wait_for "the end of kmemtrace-ship after kmemtraced was killed" no_shipper

# A certificate that no authority has signed; then the right one, by SIGHUP's next start.
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
	-keyout key -out certificate 2>/dev/null
cat certificate key >both
rm -rf sums
start_fake secure both
start --ship-to="clickhouses://localhost:$port/fleet"
await '.not_shipping | test("its certificate cannot be verified")'
stop_daemon
[ "$status" = 0 ] || fail "TLS: exit $status: $(cat daemon.log)"
chmod 644 certificate
chmod 711 "$scratch"
start --ship-to="clickhouses://localhost:$port/fleet" --ship-ca=certificate
await '.shipped >= 2'
stop_daemon

# SIGHUP reads the password again; the address is for the next start.
rm -rf sums fake/users
port=$(cat fake/port)
echo ok >fake/mode
umask 022
printf 'ship-to = %s\nship-credentials = secret\n' "$url" >conf
start --config=conf
await '.shipped >= 1'
printf 'user fleet\npassword another word\n' >secret
printf 'ship-to = %s\nship-credentials = secret\n' "${url}2" >conf
kill -HUP $daemon
wait_for "the new password" grep -q '^fleet another word$' fake/users
grep -qF 'these change at the next start only: ship-to' daemon.log || fail "ship-to: $(cat daemon.log)"
grep -q 'was ended by signal\|has ended with' daemon.log && fail "the restart looks like a failure: $(cat daemon.log)"
stop_daemon

# Options that cannot work are refused at the start.
refused() { # refused TEXT OPTION…
	text=$1
	shift
	"$kmemtraced" -q --no-capture --summaries-dir=sums -d 0.1 "$@" 2>err && fail "not refused: $*"
	grep -qF -e "$text" err || fail "not refused for $text: $(cat err)"
}
refused '--ship-to: needs --summaries' --publish=p --ship-to="$url"
refused '--ship-ca: needs --ship-to' --summaries --ship-ca=certificate
refused '--ship-to: the address of a server begins with clickhouse://' --summaries --ship-to=http://a/b
refused '--ship-to: a user and a password do not belong in the address' --summaries --ship-to=clickhouse://a:hidden@b/c
grep -q hidden err && fail "a password in a message: $(cat err)"
refused '--ship-user root: sending summaries needs no privilege' --summaries --ship-to="$url" --ship-user=root
refused '--ship-user no-such-user: there is no such user' --summaries --ship-to="$url" --ship-user=no-such-user
chmod 644 secret
refused 'other users may read or write it (mode 644)' --summaries --ship-to="$url" --ship-credentials=secret
exit 0
