#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Recordings with a damaged byte, and recordings that are cut off: an import that ends with 0 or 1
# makes a capture in which kmemtrace-check finds no problem, and one that ends with 1 says what it
# left out. One that ends with 2 leaves no capture. $KMEMTRACE_STRIDE=1 damages each byte.
. "$srcdir/cli/cli.sh"
# each import waits until its capture is on disk
in_memory

# import FILE WHAT: the import of a damaged file.
import()
{
	local status

	timeout "$hang" "$builddir/kmemtrace-import" -q -o out "$1" >said 2>&1
	status=$?
	case $status in
	0) [ ! -s said ] || wrong "$2: ends with 0, and says: $(head -n 1 said)" ;;
	1) grep -q '^kmemtrace-import: damaged: ' said || wrong "$2: ends with 1, and does not say why" ;;
	2) [ -s said ] && [ ! -e out ] || wrong "$2: ends with 2, without a word or with a capture" ;;
	*) wrong "$2: exit status $status: $(tail -n 1 said)" ;;
	esac
	if [ -e out ]; then
		"$check" out >found 2>&1 ||
			wrong "$2: ends with $status; then kmemtrace-check: $(head -n 1 found)"
		rm -rf out
	fi
	statuses[status]=$((${statuses[status]-0} + 1))
}

# damage FILE STRIDE: the damaged byte is xor-ed, and the file is cut in front of it.
damage()
{
	local file=$1 stride=$2 size at value byte name=damaged-${1##*/}

	[ "${KMEMTRACE_STRIDE-}" != 1 ] || stride=1
	size=$(stat -c %s "$file")
	statuses=()
	for ((at = 0; at < size; at += stride)); do
		byte=$(od -An -tu1 -j $at -N 1 "$file")
		for value in 1 32 128 255; do
			[ $value = $((1 << at % 8)) ] || [ $value = $((255 * (at % 2))) ] || continue
			cp "$file" "$name"
			# shellcheck disable=SC2059 # an octal number
			printf "\\$(printf %o $((byte ^ value)))" |
				dd of="$name" bs=1 seek=$at conv=notrunc status=none
			import "$name" "$file: byte $at is $((byte ^ value))"
		done
		head -c $at "$file" >"$name"
		import "$name" "$file: cut off at $at"
	done
	echo "$file: imports that ended with 0: ${statuses[0]-0}, with 1: ${statuses[1]-0}," \
		"with 2: ${statuses[2]-0}"
	[ "${statuses[0]-0}" -gt 0 ] && [ "${statuses[1]-0}" -gt 0 ] && [ "${statuses[2]-0}" -gt 0 ] ||
		wrong "$file: not every exit status came"
}

# One event with an impossible value each: it is counted as lost.
{
	echo "0 alloc 0 1 0x1000 0x2000 8 8 0 -1"
	echo "0 alloc 0 2 0x1000 0x3000 9 8 0 -1"
	echo "0 free 0 3 0x5 0x2000"
	echo "0 free 0 4 0x1000 0xfff"
	echo "0 free 0 5 0x1000 0xfffffffffffffff0"
	echo "0 free 0 6 0x1000 16"
	echo "0 free 0 7 0x1000 0x2000"
} | "$builddir/tests/mkrelay" little . || exit 1
"$builddir/kmemtrace-import" -q -o out cpu0.out >said 2>&1
[ $? = 1 ] || wrong "impossible values: the import does not end with 1"
echo "kmemtrace-import: damaged: events with an impossible address or size: 4: counted as lost" |
	diff - said || wrong "impossible values"
echo "out: ok: 3 records of 1 CPU, lost 4, skipped 0" >expected
"$check" out | diff expected - || wrong "impossible values: the capture"
rm -rf out

cp "$srcdir/data/perf-script.txt" perf.txt
rm cpu0.out
for ((i = 0; i < 40; i += 2)); do
	echo "0 alloc $((i % 3)) $i 0x1000 0x$((i + 2))000 8 8 0 -1 feature 1 text"
	echo "0 free $((i % 3)) $((i + 1)) 0x1000 0x$((i + 2))000"
done | "$builddir/tests/mkrelay" big . || exit 1
damage perf.txt 1009
gunzip -c "$srcdir/data/ftrace.txt.gz" | head -n 150 >ftrace.txt
damage ftrace.txt 1013
damage cpu0.out 41
if "$builddir/kmemtrace-import" -q -o out "$srcdir/data/trace.dat" 2>said; then
	rm -rf out
	cp "$srcdir/data/trace.dat" trace.dat
	chmod u+w trace.dat
	# libtracecmd reads this one without an end
	cp trace.dat endless.dat
	printf '\0' | dd of=endless.dat bs=1 seek=25203 conv=notrunc status=none
	import endless.dat "endless.dat"
	damage trace.dat 397
else
	grep 'built without libtracecmd' said || wrong "trace.dat: $(cat said)"
fi
exit $failed
