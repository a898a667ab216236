#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2154 # ./test sets them
# valgrind reports no error in the offline tools and libmemstat: for complete captures of both byte
# orders, for captures that are cut off, damaged, repaired or missing, and in the library's tests.
# helgrind reports no data race in threads that read one capture with libmemstat.
set -u
command -v valgrind >/dev/null || { echo "valgrind is not installed"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# quiet "STATUS…" TOOL ARGUMENT…: valgrind reports no error, and the exit status is one of these.
quiet()
{
	local allowed=$1 status=0

	shift
	valgrind -q --error-exitcode=99 --leak-check=full \
		"$builddir/$1" "${@:2}" >"$scratch/out" 2>"$scratch/err" || status=$?
	[[ " $allowed " == *" $status "* ]] && ! grep -q '^==' "$scratch/err" && return
	echo "$*: exit status $status, not $allowed"
	head -n 20 "$scratch/out" "$scratch/err"
	failed=1
}

# make_capture little|big: makes a small capture with all kinds of events and tables.
make_capture()
{
	local endian=$1

	"$builddir/tests/mktrace" "$scratch/$endian" <<-END || exit 1
		endian $endian
		begin 1us
		symbol 0xffffffff81000000 caller
		symbol 0xffffffff81001000 next some_module
		cache some_cache 0xffff888000001000 100 128
		alias some_cache other_cache,third_cache
		task 100 100 a_task
		cpu 0 node 0
		cpu 1 node 0
		gfp 0xcc0 GFP_KERNEL
		alloc 10us 0 0xffff888000100000 100/128 caller+0x10 task=100 gfp=0xcc0
		free 20us 1 0xffff888000100000 caller+0x20 task=100
		calloc 30us 0 0xffff888000200000 some_cache next+0x10 task=100
		lose 0 3
		free 40us 0 0xffff888000300000 caller+0x20
		raw 50us 1 200
		flush
		cfree 60us 1 0xffff888000200000 some_cache next+0x20
		alloc 70us 1 0 100/0 caller+0x10
		skip 2
		end 100us
		complete yes
	END
}

# A copy without a status, and with half a stream.
cut_off()
{
	local size

	cp -r "$1" "$2"
	rm "$2/kernel/status"
	size=$(stat -c %s "$2/cpu0")
	truncate -s $((size / 2 + 13)) "$2/cpu0"
}

# A copy with wrong bytes in a packet and wrong lines in the tables.
damage()
{
	local table

	cp -r "$1" "$2"
	printf '\377\001\377' | dd of="$2/cpu0" bs=1 seek=250 conv=notrunc status=none
	for table in status caches tasks gfp topology; do
		printf 'cpu 99999999999999999999 -1 \\x\ncache zz\nalias\n0x\n' >>"$2/kernel/$table"
	done
	head -c 200 "$1/kernel/symbols" >"$2/kernel/symbols"
}

# check_capture CAPTURE: runs the programs on the capture, packed, cut off, damaged and repaired
check_capture()
{
	local whole=$1 format view bad

	cut_off "$whole" "$scratch/cut"
	damage "$whole" "$scratch/damaged"
	quiet "0 1" kmemtrace-check -v "$whole"
	for format in text json csv; do
		quiet 0 kmemtrace-report -i "$whole" --format=$format
	done
	for view in sites caches sizes leaks lifetimes cpus nodes timeline probes events findings; do
		quiet 0 kmemtrace-report $view -i "$whole"
	done
	quiet 0 kmemtrace-report sites -i "$whole" --by=task --pid=0-99999 --site=. --cache=. \
		--cpu=0-3 --max-size=1M --time=1us,1h --older=1us
	quiet 0 tests/memstat/print_types all "$whole"
	quiet 0 tests/memstat/print_types malloc "$whole" 2000000
	quiet 0 kmemtrace-pack -o "$scratch/packed" "$whole"
	quiet 0 kmemtrace-report -i "$scratch/packed"
	damage "$scratch/packed" "$scratch/packed.damaged"
	quiet 1 kmemtrace-pack --anonymize=tasks -o "$scratch/packed.copy" "$scratch/packed.damaged"
	quiet 1 kmemtrace-pack --unpack "$scratch/packed.damaged"
	rm -rf "$scratch"/packed*
	for bad in "$scratch/cut" "$scratch/damaged"; do
		quiet 1 tests/memstat/print_types all "$bad"
		quiet 1 kmemtrace-check -v "$bad"
		quiet "0 1" kmemtrace-report -i "$bad"
		quiet "0 1" kmemtrace-check --repair -o "$scratch/repaired" "$bad"
		quiet "0 1" kmemtrace-check "$scratch/repaired"
		rm -rf "$scratch/repaired"
	done
}

# check_others: imports, what is missing, and the library's tests
check_others()
{
	quiet 0 kmemtrace-pack -o "$scratch/packed" "$top_srcdir/tests/data/sample"
for capture in "$top_srcdir/tests/data/sample" "$scratch/packed"; do
	[ -x "$builddir/tests/memstat/read_many" ] || break
	if ! valgrind -q --tool=helgrind --error-exitcode=99 "$builddir/tests/memstat/read_many" \
		"$capture" 24 8 >"$scratch/out" 2>&1; then
		echo "helgrind: read_many $capture:"
		head -n 40 "$scratch/out"
		failed=1
	fi
done
mkdir "$scratch/relay"
	"$builddir/tests/mkrelay" big "$scratch/relay" <"$top_srcdir/tests/cli/import-kmemtrace.relay" || exit 1
	quiet 0 kmemtrace-import -o "$scratch/imported" "$scratch"/relay/cpu*.out
	quiet 0 kmemtrace-import -o "$scratch/imported" "$top_srcdir/tests/data/perf-script.txt"
	quiet 2 kmemtrace-import -o "$scratch/imported" "$top_srcdir/README"
	quiet 2 kmemtrace-check "$scratch/none"
	quiet 2 kmemtrace-report -i "$scratch/none"
	quiet 2 kmemtrace-report --no-such-option
	for test in "$builddir"/tests/unit/test_memstat_*; do
		[[ $(basename "$test") == *.* ]] || quiet 0 "tests/unit/$(basename "$test")"
	done
}

# run_alone NAME FUNCTION ARGUMENT…: with a scratch folder of its own, at the same time as others
run_alone()
{
	(
		scratch=$scratch/$1
		mkdir "$scratch" || exit
		"${@:2}"
		exit $failed
	) >"$scratch/$1.log" 2>&1 &
	names+=("$1")
	pids+=($!)
}

make_capture little
make_capture big
names=() pids=()
for metadata in "$scratch"/{little,big}/metadata "$top_srcdir"/tests/data/*/metadata; do
	[ -e "$metadata" ] || continue
	whole=$(dirname "$metadata")
	run_alone "check-$(basename "$whole")" check_capture "$whole"
done
run_alone others check_others
for i in "${!pids[@]}"; do
	wait "${pids[i]}" || failed=1
	cat "$scratch/${names[i]}.log"
done
exit $failed
