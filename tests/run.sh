#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# run.sh COMMAND…: runs one test, as ./test does. The test has a folder for temporary files of its own and, if root
# runs it, its own view of the mounts; when it ends, so do all processes that it has started. It fails if it
# takes more than $KMT_LIMIT seconds (600), or leaves a file behind.
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

set -m # a process group for the test
began=$EPOCHREALTIME
env KMT_TEST="$run:$name" KMT_TEST_RUN="$run" TMPDIR="$temporary" \
	timeout --foreground -k 10 "$limit" "${view[@]}" "$@" </dev/null &
job=$!
wait $job
code=$?
ended=$EPOCHREALTIME
set +m
case $code in
124 | 137) echo "failed: the test did not end within $limit s" ;;
esac
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
