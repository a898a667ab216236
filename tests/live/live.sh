# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh disable=SC2034,SC2154 # the tests use its variables; the build sets builddir, srcdir
# Sourced by the live tests: what cli.sh gives, and a kmemtraced in the background, loads whose events are
# counted, and places of this machine with names that no other test has.
. "$srcdir/cli/cli.sh"

# A test that changes what others measure is alone for a while: a CPU is offline; or a program is on a tracepoint
# by perf, and perf gives no counter of any process the events that interrupt it.
begin_alone() { # waits for the other live tests of this machine; these wait until end_alone, or for the test's end
	change_lock -x
}

end_alone() {
	change_lock -s
}

change_lock() {
	! { true 2>/dev/null <&7; } || flock -w 600 $1 7 || skip "other live tests did not end in ten minutes"
}

if [ -d /sys/devices/system/cpu ] && command -v flock >/dev/null; then
	exec 7</sys/devices/system/cpu
fi
change_lock -s
daemon='' # its process, or nothing
[ -x "$kmemtraced" ] || skip "kmemtraced was not built"
"$kmemtraced" --doctor >doctor.log 2>&1 || skip "no capture is possible here: $(grep '^NO' doctor.log | head -1)"
before_end stop_daemon

own_folder() { # own_folder NAME [OPTION]: a file system in memory, which is unmounted at the end
	mkdir -p "$1"
	mount -t tmpfs ${2:+-o "$2"} tmpfs "$1" 2>/dev/null || return
	before_end "umount -l '$scratch/$1'"
}

# start_daemon OPTION…: in the background; returns when it captures into kmemtrace.data
start_daemon() {
	rm -rf kmemtrace.data
	"$kmemtraced" "$@" 2>daemon.log &
	daemon=$!
	wait_for "the begin of the capture" captures kmemtrace.data
}

captures() { # captures DIR: all programs of the daemon are attached, since DIR has the first task
	[ -s "$1/kernel/tasks" ]
}

stop_daemon() { # stop_daemon [SIGNAL]: sets $status to its exit status
	[ -n "$daemon" ] || return 0
	wait_for "kmemtraced" runs_program "$daemon"
	kill -"${1:-INT}" "$daemon" 2>/dev/null
	kill -CONT "$daemon" -"$daemon" 2>/dev/null # if the test has stopped it
	wait "$daemon" 2>/dev/null
	status=$?
	daemon=
}

message() { # message NUMBER PATTERN: daemon.log has at least so many lines that match
	[ "$(grep -c -e "$2" daemon.log)" -ge "$1" ]
}

wait_for_message() { # wait_for_message NUMBER PATTERN
	wait_for "$1 of the message \"$2\"" message "$1" "$2"
}

# starved ARGUMENT…: runs kmemtraced, and stops and continues it all the time, so that a small ring
# overflows for sure; returns its exit status. Not before its programs are attached: the kernel gives
# up loading a program when a signal comes.
starved() {
	"$kmemtraced" "$@" &
	daemon=$!
	while kill -0 $daemon 2>/dev/null &&
		! find /proc/$daemon/fd -lname 'anon_inode:bpf*link' 2>/dev/null | grep -q .; do
		sleep 0.02 # paced: kmemtraced may end
	done
	while kill -0 $daemon 2>/dev/null; do
		sleep 0.1 # paced: the load
		kill -STOP $daemon 2>/dev/null
		sleep 0.05 # paced: the load
		kill -CONT $daemon 2>/dev/null
	done
	wait $daemon
	status=$?
	daemon=
	return $status
}

# start_set SET OPTION…: pieces in the background, by a process group of its own; returns when it captures into
# a new piece
start_set() {
	before=$(newest_piece "$1")
	setsid "$kmemtraced" -q -o "$@" 2>daemon.log &
	daemon=$!
	wait_for "the first piece of $1" captures_after "$1" "$before"
}

newest_piece() { # newest_piece SET: its path, or nothing
	find "$1" -maxdepth 1 -name 'piece.??????' 2>/dev/null | sort | tail -1
}

captures_after() { # captures_after SET PIECE
	newest=$(newest_piece "$1")
	[ "$newest" != "$2" ] && captures "$newest"
}

has_piece() { # has_piece SET NUMBER: that piece has begun, or a later one
	newest=$(newest_piece "$1")
	[ "${newest##*.}" -ge "$2" ]
}

# busy: the task $load allocates all the time, until the test ends. With "-p $load" a capture has its events only,
# however much other tasks allocate.
busy() {
	while [ -e /proc/$$ ]; do
		read -r line </proc/self/stat
	done &
	load=$!
	before_end "kill $load"
}

# begin_random: prints the seed of the random moments, which KMEMTRACE_SEED repeats
begin_random() {
	seed=${KMEMTRACE_SEED:-$$}
	echo "KMEMTRACE_SEED=$seed"
}

random() { # random NUMBER MOST: seconds below MOST, others for each number
	awk -v seed="$seed$1" -v most="$2" 'BEGIN { srand(seed); rand(); printf "%.4f", most * rand() }'
}

all_ended() { # all_ended GROUP: no process of the process group is left
	! pgrep -g "$1" >/dev/null
}

json() { # json FILTER: one value of the report on the capture
	"$report" -i "${dir:-kmemtrace.data}" --format=json | jq -r "$1"
}

checked() { # kmemtrace-check finds nothing wrong in the capture
	"$check" "$@" >check.log 2>&1 || fail "kmemtrace-check: $(head -20 check.log)"
}

# begin_files: a process that holds as many eventfds as hold says, an object of the cache filp each; $load
begin_files() {
	[ -p numbers ] || mkfifo numbers answers
	"$builddir/tests/live/descriptors" <numbers >answers 2>load.log &
	load=$!
	exec 3>numbers 4<answers
}

hold() { # hold NUMBER: of eventfds
	echo "$1" >&3
	read -r held <&4 || skip "$(cat load.log)"
	[ "$held" = "$1" ] || fail "the load holds $held, not $1"
}

end_files() {
	exec 3>&- 4<&-
	wait $load
}

# begin_bpftrace CONDITION KEY EVENT…: counts these events of kmem for which the condition holds, by the key,
# into the file traced; returns when its probes are attached, since each saw a task of a name of its own.
begin_bpftrace() {
	condition=$1 key=$2 seen=seen$$ last=last$$ code=''
	shift 2
	events=$*
	for event; do
		code="$code tracepoint:kmem:$event { if (comm == \"$seen\") { printf(\"saw $event\\n\"); }
			if (comm == \"$last\") { exit(); }
			if ($condition) { @[$key] = count(); } }"
	done
	# a shell that makes a pipe has events of each kind; the program true has none on a quiet machine
	cp "$(command -v sh)" "$seen"
	cp "$(command -v sh)" "$last"
	begin_alone
	bpftrace -B line -e "$code" >traced 2>&1 &
	tracer=$!
	before_end "kill $tracer 2>/dev/null"
	wait_for "the probes of bpftrace" attached
}

attached() {
	kill -0 $tracer || skip "bpftrace: $(cat traced)"
	"./$seen" -c ': | :'
	for event in $events; do
		grep -q "^saw $event$" traced || return
	done
}

# It overlooks a signal that comes before it waits for events.
tracer_ends() {
	"./$last" -c ': | :'
	! [ -e /proc/$tracer ] || grep -q '^State:.*Z' /proc/$tracer/status
}

end_bpftrace() {
	wait_for "the end of bpftrace" tracer_ends
	wait $tracer
	end_alone
	sed -i '/^saw /d' traced
}

# own_run: executes the test again, with a /run of its own, which keeps the folders of the test that are below /run
own_run() {
	[ -z "${KMEMTRACE_OWN_RUN-}" ] || return 0
	need unshare
	unshare -m mount -t tmpfs tmpfs /run 2>out || skip "no file system can be mounted: $(cat out)"
	KMEMTRACE_OWN_RUN=1 unshare -m sh -c '
		exec 3<"$1" 4<"$2" 5<"$3"
		set -- "$(readlink -f "$1")" "$(readlink -f "$2")" "$(readlink -f "$3")"
		mount -t tmpfs -o mode=755 run /run || exit
		for fd in 3 4 5; do
			case $1 in
			/run/*) mkdir -p "$1" && mount -c --bind /proc/self/fd/$fd "$1" || exit ;;
			esac
			shift
		done
		exec 3<&- 4<&- 5<&-
		exec "$0"' "$srcdir/live/${0##*/}" "${TMPDIR:-/tmp}" "$top_srcdir" "$builddir"
	exit
}
