#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# run.sh COMMAND…: runs one test, as ./test does. The test has a folder for temporary files of its own and, if root
# runs it, its own view of the mounts; when it ends, so do all processes that it has started. It fails if it
# takes more than $KMT_LIMIT seconds (600), or leaves a file behind. While tasks of this machine wait for a CPU, as the
# kernel counts it in /proc/pressure/cpu, a second counts as a quarter.
# $KMT_RESULTS: a file that gets a line: exit status, seconds, seconds of CPU time, name, log.
set -u
# shellcheck source=tests/clean.sh
. "$(dirname "$0")/clean.sh"
limit=${KMT_LIMIT:-600}
name=${1##*tests/}
name=${name%.sh}
run=${KMT_TEST_RUN:-kmt.$$.$(begin_of $$)}
temporary=$(mktemp -d "${TMPDIR:-/tmp}/XXXXXX") || exit 1
chmod 755 "$temporary" # tests have programs of other users
view=()
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	view=(unshare -m)
fi

# The processes that the test left: its process group, and processes that are not in it.
end_all()
{
	end_processes "KMT_TEST=$run:$name"
	kill -KILL -- "-$job" 2>/dev/null
	rm -rf --one-file-system "$temporary"
}
trap 'end_all; exit 143' HUP INT TERM

# Microseconds in which some task waited for a CPU.
pressure()
{
	sed -n 's/^some.* total=//p' /proc/pressure/cpu 2>/dev/null | grep . || echo 0
}

# Ends the test after its limit. Ends itself, if its sleep is ended as all other processes of the test are.
end_late()
{
	local from left=$limit

	from=$(pressure)
	while [ $left -gt 0 ]; do
		env KMT_TEST="$run:$name" KMT_TEST_RUN="$run" sleep "$left" || return # paced: until the limit
		left=$((limit - SECONDS + 3 * ($(pressure) - from) / 4000000))
	done
	: >"$temporary.late"
	kill -TERM -- "-$job"
	sleep 10 # paced: for its end
	kill -KILL -- "-$job"
}

set -m # a process group for the test
began=$EPOCHREALTIME
SECONDS=0
# --default-signal: nohup(1) ignores SIGHUP, which tests send
env --default-signal KMT_TEST="$run:$name" KMT_TEST_RUN="$run" TMPDIR="$temporary" "${view[@]}" "$@" </dev/null &
job=$!
end_late &
watcher=$!
{ wait $job; } 2>/dev/null # without its message
code=$?
ended=$EPOCHREALTIME
{ kill -KILL -- "-$watcher" && wait $watcher; } 2>/dev/null
set +m
if [ -e "$temporary.late" ]; then
	rm "$temporary.late"
	echo "failed: the test did not end within $limit s"
	code=124
fi
left=$(cd "$temporary" && find . -mindepth 1 | head -n 5 | xargs)
if [ $code = 0 ] && [ -n "$left" ]; then
	echo "failed: the test left files behind: $left"
	code=1
fi
end_all
if [ -n "${KMT_RESULTS:-}" ]; then
	times >"$temporary.times" # of this process, since a pipe has a process of its own
	used=$(awk 'NR == 2 { gsub(/[ms]/, " "); print $1 * 60 + $2 + $3 * 60 + $4 }' "$temporary.times")
	rm "$temporary.times"
	printf '%s %s %s %s %s\n' $code "$(awk "BEGIN { print $ended - $began }")" "$used" "$name" \
		"${KMT_LOG:-${builddir:-.}/tests/$name.log}" >>"$KMT_RESULTS"
fi
exit $code
