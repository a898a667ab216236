#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# run.sh TARGET [OPTION…]: runs a fuzz target for $FUZZ_SECONDS, from the seeds of the build, with
# libFuzzer's options. Fails if an input crashes, hangs, leaks or takes more than 1 GB: the input then
# is in the folder fuzz-failed of the build. $FUZZ_CORPUS: a folder in which inputs that found
# something new are kept from run to run. $FUZZ_SEED: libFuzzer's random numbers begin with it; 0 for
# others in each run. coverage.sh prints what was run.
set -u
: "${builddir:?}"
target=$1
shift
seconds=${FUZZ_SECONDS:-10}
# every input writes files: in memory they take less time
for memory in /dev/shm "${TMPDIR:-/tmp}"; do
	[ -w "$memory" ] && break
done
TMPDIR=$(mktemp -d "$memory/kmemtrace-fuzz-XXXXXX") || exit 1
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
corpus=${FUZZ_CORPUS:-$TMPDIR}/corpus-$target
failed=$builddir/fuzz-failed
profiles=$builddir/fuzz-coverage
mkdir -p "$corpus" "$failed" "$profiles" || exit 1
rm -f "$profiles/$target".*

export ASAN_OPTIONS=quarantine_size_mb=8:malloc_context_size=12:allocator_may_return_null=1
limits=(-timeout=20 -rss_limit_mb=1024)
if [ "$target" = trace_cmd ]; then
	# libtracecmd asks for as much memory as a damaged file says: it gets none, as in
	# kmemtrace-import with its limit of memory
	ASAN_OPTIONS+=:max_allocation_size_mb=256
	limits+=(-malloc_limit_mb=1000000)
fi

LLVM_PROFILE_FILE="$profiles/$target.profraw" "$builddir/tests/fuzz/fuzz_$target" \
	"${limits[@]}" -max_total_time="$seconds" -seed="${FUZZ_SEED:-1}" -entropic=0 -print_final_stats=1 \
	-artifact_prefix="$failed/$target-" "$@" "$corpus" "$builddir/fuzz-seeds/$target" \
	>"$TMPDIR/log" 2>&1
code=$?
if [ $code != 0 ]; then
	grep -a -v '^#' "$TMPDIR/log" | tail -n 60
	echo "exit status $code; the input is in $failed: run fuzz_$target with it"
	exit 1
fi
if [ "$target" = trace_cmd ]; then
	FUZZ_COVERAGE=1 LLVM_PROFILE_FILE="$profiles/$target.%m.profraw" \
		"$builddir/tests/fuzz/fuzz_$target" "${limits[@]}" -runs=100 -entropic=0 \
		-artifact_prefix="$failed/$target-" "$corpus" "$builddir/fuzz-seeds/$target" >/dev/null 2>&1
fi
grep -a -E 'INITED|DONE|number_of_executed_units|peak_rss' "$TMPDIR/log"
grep -a -q INITED "$TMPDIR/log" || { echo "the target did not run"; exit 1; }
