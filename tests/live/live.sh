# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Sourced by the live tests: a scratch folder, checks that skip the test, and helper functions.
set -u

scratch=$(mktemp -d "${TMPDIR:-/tmp}/kmemtrace-live.XXXXXX") || exit 1
trap 'stop_daemon; cd /; rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
cd "$scratch" || exit 1

# one capture at a time: live tests count what this kernel does
exec 9>"$builddir/live.lock"
flock 9 2>/dev/null || true

daemon=
kmemtraced=$builddir/kmemtraced
check=$builddir/kmemtrace-check
report=$builddir/kmemtrace-report

skip() {
	echo "skipped: $*"
	exit 77
}

fail() {
	echo "failed: $*"
	exit 1
}

need() { # need COMMAND …: skips where one is not installed
	for tool; do
		command -v "$tool" >/dev/null || skip "$tool is not installed"
	done
}

[ -x "$kmemtraced" ] || skip "kmemtraced was not built"
"$kmemtraced" --doctor >doctor.log 2>&1 || skip "no capture is possible here: $(grep '^NO' doctor.log | head -1)"

# start_daemon OPTION…: in the background; returns once it captures
start_daemon() {
	rm -rf kmemtrace.data
	"$kmemtraced" "$@" 2>daemon.log &
	daemon=$!
	for _ in $(seq 100); do
		# the first task is written after all programs are attached
		[ -s kmemtrace.data/kernel/tasks ] && return
		kill -0 $daemon 2>/dev/null || break
		sleep 0.05
	done
	fail "kmemtraced did not start: $(cat daemon.log)"
}

stop_daemon() { # stop_daemon [SIGNAL]: sets $status to its exit status
	[ -n "$daemon" ] || return 0
	kill -"${1:-INT}" "$daemon" 2>/dev/null
	wait "$daemon" 2>/dev/null
	status=$?
	daemon=
}

# starved ARGUMENT…: runs kmemtraced, and stops and continues it all the time, so that a small ring
# overflows for sure; returns its exit status. Not before its programs are attached: the kernel gives
# up loading a program when a signal comes.
starved() {
	"$kmemtraced" "$@" &
	daemon=$!
	while kill -0 $daemon 2>/dev/null &&
		! find /proc/$daemon/fd -lname 'anon_inode:bpf*link' 2>/dev/null | grep -q .; do
		sleep 0.02
	done
	while kill -0 $daemon 2>/dev/null; do
		sleep 0.1
		kill -STOP $daemon 2>/dev/null
		sleep 0.05
		kill -CONT $daemon 2>/dev/null
	done
	wait $daemon
	status=$?
	daemon=
	return $status
}

json() { # json FILTER: one value of the report on the capture
	"$report" -i "${dir:-kmemtrace.data}" --format=json | jq -r "$1"
}

checked() { # kmemtrace-check finds nothing wrong in the capture
	"$check" "$@" >check.log 2>&1 || fail "kmemtrace-check: $(head -20 check.log)"
}

value() { # value FILE KEY: of a line "KEY VALUE"
	awk -v key="$2" '$1 == key { print $2 }' "$1"
}
