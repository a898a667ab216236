# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh disable=SC2034,SC2154 # the tests use its variables; the build sets builddir, srcdir
# Sourced by every test that is a script, first of all: a scratch folder, in which the test runs and which is
# removed at its end, the names of the programs, and the functions that tests share.
set -u

scratch=$(mktemp -d "${TMPDIR:-/tmp}/kmemtrace-test.XXXXXX") || exit 1
at_end=''
trap 'end_test $?' EXIT
trap 'exit 1' HUP INT TERM
cd "$scratch" || exit 1

# For what is not in the scratch folder, as cgroups and sockets: ./test removes what has this name if the test is killed.
own_name=${KMT_TEST_RUN:-kmemtrace-test.$$}.$$

kmemtraced=$builddir/kmemtraced
report=$builddir/kmemtrace-report
check=$builddir/kmemtrace-check
pack=$builddir/kmemtrace-pack
mktrace=$builddir/tests/mktrace

# before_end COMMAND: an operation of eval, done when the test ends, in whatever way; the newest first.
before_end() {
	at_end="$1
$at_end"
}

end_test() { # end_test STATUS
	trap - EXIT
	eval "$at_end"
	cd /
	rm -rf "$scratch"
	exit "$1"
}

# one_object CAPTURE: a capture with one object of a slab cache
one_object() {
	"$mktrace" "$1" <<-END
		begin 100
		end 9000
		cpu 0 node 0
		symbol 0x1000 f
		cache a 0x9000 1000 1024
		calloc 1000 0 0x10000 a f
	END
}

# in_memory: goes to a folder in memory, if there is one: many files are made faster there
in_memory() {
	memory=$(mktemp -d "/dev/shm/$own_name.XXXXXX" 2>/dev/null) || return 0
	before_end "cd / && rm -rf '$memory'"
	cd "$memory" || exit 1
}

skip() {
	echo "skipped: $*"
	exit 77
}

fail() {
	echo "failed: $*"
	exit 1
}

# wrong WORD…: the test goes on, and ends with "exit $failed".
failed=0
wrong() {
	echo "wrong: $*"
	failed=1
}

need() { # need COMMAND …: skips where one is not installed
	for tool; do
		command -v "$tool" >/dev/null || skip "$tool is not installed"
	done
}

need_browser() { # sets $browser
	for browser in chromium chromium-browser google-chrome ""; do
		command -v "$browser" >/dev/null && break
	done
	[ -n "$browser" ] || skip "chromium is not installed"
	export TMPDIR="$scratch" # a browser leaves files there
}

need_tracer() {
	[ -x "$kmemtraced" ] || skip "kmemtraced was not built"
}

# compare EXPECTED OUTPUT: fails, and shows the difference, if the output is not that of the file in cli/. "make
# update-expected" sets KMEMTRACE_UPDATE_EXPECTED: the output then replaces the file, for review with git diff.
compare() {
	if [ -z "${KMEMTRACE_UPDATE_EXPECTED:-}" ]; then
		diff -u "$srcdir/cli/$1" "$2" || exit 1
	elif ! cmp -s "$srcdir/cli/$1" "$2"; then
		cp "$2" "$srcdir/cli/$1" && echo "updated $1"
	fi
}

hang=300 # seconds: a program that takes longer hangs, on the slowest machine too

# wait_for WHAT COMMAND…: until the command succeeds. A test waits with this function only: the limit finds
# what never happens. If the test has a daemon, and the daemon ends, it does not wait.
wait_for() {
	set -- "$(seconds)" "$@" # its own: the command may wait, too
	until poll "$@" 2>/dev/null; do
		if [ -n "${daemon:-}" ] && ! kill -0 "$daemon" 2>/dev/null && ! poll "$@" 2>/dev/null; then
			fail "$2: kmemtraced has ended: $(cat daemon.log)"
		fi
		[ $(($(seconds) - $1)) -lt $hang ] || fail "$2: not after $hang s: $(cat daemon.log screen 2>/dev/null)"
		sleep 0.05 # paced: this is wait_for
	done
}

poll() { # poll SINCE WHAT COMMAND…
	shift 2
	"$@"
}

seconds() { # since the machine started
	read -r uptime _ </proc/uptime
	echo "${uptime%.*}"
}

# runs_program PID: the shell's child runs its program, or has ended. Before, it is a shell that loses each signal
# for which the test has a trap.
runs_program() {
	! [ "/proc/$1/exe" -ef "/proc/$$/exe" ]
}

# halt PID: stops a process. kill(1) returns before that: a thread that makes a system call ends it first.
halt() {
	kill -STOP "$1" && wait_for "the stop of process $1" halted "$1"
}

halted() {
	! grep -hs '^State:' /proc/"$1"/task/*/status | grep -qv '[TZX] ('
}

value() { # value FILE KEY: of a line "KEY VALUE"
	awk -v key="$2" '$1 == key { print $2 }' "$1"
}

# same_slabs BEFORE AFTER HEAP: of each cache whose slabs are the same in two files of slabs(), both readings of
# kernel/heap have all slabs and objects. Prints the caches that differ.
same_slabs() {
	awk -v after="$2" '
NR == FNR { objects[$1] = $2; slabs[$1] = $3; next }
FILENAME == after { same[$1] = objects[$1] == $2 && slabs[$1] == $3 && $3; next }
$1 == "heap" { reading++; cache = 0 }
$1 == "cache" { name[reading, cache++] = $6; caches[reading] = cache }
$1 == "slab" { found[reading, $2]++; room[reading, $2] += $5 }
END {
	for (cache = 0; cache < caches[2]; cache++) {
		one = name[2, cache]
		if (!same[one] || seen[one]++)
			continue
		compared++
		if (found[2, cache] != slabs[one] || room[2, cache] != objects[one]) {
			print one ": " found[2, cache] " slabs, " room[2, cache] " objects, but " slabs[one] ", " objects[one]
			failed = 1
		}
	}
	if (compared < 15) { print "only " compared + 0 " caches had the same slabs before and after"; failed = 1 }
	exit failed
}' "$1" "$2" "$3"
}

slabs() { # "cache objects slabs" of /proc/slabinfo
	awk 'NR > 2 { print $1, $3, $15 }' /proc/slabinfo
}
