#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2154 # ./test sets them
# The thread sanitizer reports no data race in the tests with several threads: lists of libmemstat in
# several threads and their shared size classes, threads that read one capture, a publisher with
# several readers, the publisher's queue, and streams that are prefetched.
set -u
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
tests="test_memstat_threads test_memstat_zones test_publish test_stats_file_threads test_queue
	test_prefetch test_merge"

# The sanitizer needs an address range that a kernel with strong address randomization may have
# used.
if setarch -R true 2>/dev/null; then
	fixed="setarch -R"
else
	fixed=
fi

# The sanitizer must find the race in this program.
cat >"$scratch/race.c" <<-END
	#include <pthread.h>
	static int shared;
	static void *add(void *unused)
	{
		for (int i = 0; i < 100000; i++)
			shared++;
		return unused;
	}
	int main(void)
	{
		pthread_t thread;

		pthread_create(&thread, NULL, add, NULL);
		add(NULL);
		pthread_join(thread, NULL);
		return 0;
	}
END
"${CC:-gcc}" -g -fsanitize=thread -pthread -o "$scratch/race" "$scratch/race.c" ||
	{ echo "${CC:-gcc} has no thread sanitizer: install libtsan"; exit 77; }
$fixed "$scratch/race" >"$scratch/log" 2>&1
if ! grep -q 'WARNING: ThreadSanitizer: data race' "$scratch/log"; then
	tail -n 3 "$scratch/log"
	echo "the thread sanitizer finds no race here where there is one"
	exit 77
fi

mkdir "$scratch/build"
cd "$scratch/build" || exit 1
# shellcheck disable=SC2086 # a list
{
	"$top_srcdir/configure" --disable-tracer --enable-werror --without-libtracecmd \
		CFLAGS="-g -O1 -fsanitize=thread -DTEST_READS=20000" &&
		make -j"$jobs" ${tests//test_/tests/unit/test_} tests/memstat/read_many
} >"$scratch/log" 2>&1 || { tail -n 40 "$scratch/log"; exit 1; }
for test in $tests; do
	if ! TSAN_OPTIONS=halt_on_error=1 $fixed "tests/unit/$test" >"$scratch/log" 2>&1; then
		echo "$test:"
		head -n 60 "$scratch/log"
		failed=1
	elif ! grep -q PASSED "$scratch/log"; then
		echo "$test tested nothing:"
		cat "$scratch/log"
		failed=1
	fi
done
# the sanitizer does not see libdeflate's own accesses: see valgrind.sh for these
"$builddir/kmemtrace-pack" -q -o "$scratch/packed" "$top_srcdir/tests/data/sample" || exit 1
for capture in "$top_srcdir/tests/data/sample" "$scratch/packed"; do
	if ! TSAN_OPTIONS=halt_on_error=1 $fixed tests/memstat/read_many "$capture" 200 >"$scratch/log" 2>&1; then
		echo "read_many $capture:"
		head -n 60 "$scratch/log"
		failed=1
	fi
done
exit $failed
