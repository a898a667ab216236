#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --max-memory bounds each program that reads captures: 10 kB of packed records that become 20 MB of
# live objects. With any limit a program ends without a crash; it prints its whole result, or says
# that the limit is too low and ends with 2. The default is half of the memory of this machine.
. "$srcdir/cli/cli.sh"

grep -q __asan_init "$report" &&
	{ echo "the address sanitizer reserves terabytes: there is no limit"; exit 77; }
[ ! -e "$builddir/kmemtrace-report.foreign" ] ||
	{ echo "qemu's emulation of a process ignores the limit"; exit 77; }

awk 'BEGIN {
	print "begin 1s\nend 100s\nsymbol 0xffff81000000 keep"
	for (i = 0; i < 200000; i++)
		printf "alloc %dns 0 0xffff8%08x 64/64 keep+0x10 task=1\n", 1e9 + i * 10, i * 64
}' >many.trace
"$mktrace" many many.trace && "$pack" -q many || exit 1
[ "$(stat -c %s many/cpu0)" -lt 12000 ] || wrong "many/cpu0 is not small"
cp -r many cut && rm cut/kernel/status && truncate -s -20 cut/cpu0
{
	for ((i = 0; i < 20000; i++)); do
		printf 'task%d %d [000] %d.000000000: kmem:kmalloc: call_site=f%d+0x10 ptr=0xffff8880%08x bytes_req=64 bytes_alloc=64 gfp_flags=GFP_KERNEL\n' \
			$i $((i + 1)) $((i + 1)) $i $((i * 64))
	done
} >perf.txt
printf 'ffffffff81000000 T keep\nffffffff81001000 T last\n' >System.map

hint='Cannot allocate memory: the limit is [0-9]+ (bytes|MiB): allow more with --max-memory=SIZE$'

# bounded LEAST PROGRAM ARGUMENT…: the program needs at least LEAST bytes. The limit grows until it
# has the same result as without one.
bounded()
{
	local least=$1 without status bytes=100000

	shift
	rm -rf written
	"$builddir/$1" --max-memory=0 "${@:2}" >good 2>good.err
	without=$?
	for (( ; ; bytes += bytes / 4)); do
		rm -rf written
		"$builddir/$1" --max-memory=$bytes "${@:2}" >out 2>err
		status=$?
		if [ $status = $without ] && cmp -s out good && cmp -s err good.err; then
			break
		elif [ $status != 2 ] || ! tail -n 1 err | grep -qE "$hint"; then
			wrong "$*: with $bytes bytes: exit status $status: $(tail -n 1 err)"
		elif [ -e written ]; then
			wrong "$*: with $bytes bytes: it failed, and there is an output"
		fi
		[ $bytes -lt 1000000000 ] || { wrong "$*: is never enough"; break; }
	done
	[ $bytes -ge $least ] || wrong "$*: $bytes bytes are enough: is there a limit?"
}

bounded 16000000 kmemtrace-report summary many
bounded 16000000 kmemtrace-report findings --format=json --threads=4 many
bounded 16000000 kmemtrace-report lifetimes many
bounded 500000 kmemtrace-report events --format=csv "$srcdir/data/sample"
bounded 500000 kmemtrace-check many
bounded 16000000 kmemtrace-check --heap many
bounded 500000 kmemtrace-check --repair -o written cut
bounded 500000 kmemtrace-pack -q -u -o written many
bounded 2000000 kmemtrace-import -q --symbols=System.map -o written perf.txt

# The default, as the kernel reports it of a program that waits for the reader of its output.
kilobytes=$(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo)
expected=$((kilobytes / 2048 * 1048576))
inherited=$(awk '/^Max data size/ { print $4 }' /proc/self/limits)
mkfifo pipe
"$report" events many >pipe &
program=$!
exec 3<pipe
read -r _ <&3
default=$(awk '/^Max data size/ { print $4 }' /proc/$program/limits)
exec 3<&-
wait $program
if [ "$inherited" != unlimited ] || grep -qs '[0-9]' /sys/fs/cgroup/memory.max \
	"/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)/memory.max"; then
	[ "$default" -le "$expected" ] || wrong "the default is $default, above $expected"
else
	[ "$default" = "$expected" ] || wrong "the default is $default, not $expected"
fi

for value in "" x 1x -1 1.5G 99999999999G 18446744073709551615; do
	"$report" --max-memory="$value" many >out 2>err
	[ $? = 2 ] && grep -q "^kmemtrace-report: --max-memory: \"$value\" is not a size" err ||
		wrong "--max-memory=$value: $(head -n 1 err)"
done
exit $failed
