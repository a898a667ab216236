#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Hostile tables of a capture cost time in proportion to their size. Each line of these tables cost a
# search through all others, and a gzip file of some kilobytes was inflated without a limit. Each
# program ends within six seconds of CPU time; it needed longer for each, or minutes.
. "$srcdir/cli/cli.sh"
if grep -q __asan_init "$report" || [ -e "$builddir/kmemtrace-report.foreign" ]; then
	echo "the sanitizers and an emulator are too slow to compare times"
	exit 77
fi
in_memory
ulimit -t 6

# run STATUS TABLE COMMAND…
run()
{
	local status

	"${@:3}" >out 2>err
	status=$?
	[ $status = "$1" ] && return
	echo "$2: ${*:3}: exit status $status, not $1: $(tail -n 1 err)"
	failed=1
}

fresh()
{
	rm -rf hostile
	cp -r "$srcdir/data/sample" hostile
}

fresh
awk 'BEGIN { for (i = 0; i < 150000; i++) print "slab " i " a 1 1\nread " i " " i + 1 }' \
	>hostile/kernel/slabinfo
run 0 "durations of snapshots" "$report" slabinfo hostile
awk 'BEGIN { for (i = 0; i < 80000; i++) print "slab " i " a 1 1\nsizes a 1 1" }' \
	>hostile/kernel/slabinfo
run 0 "sizes of caches" "$report" summary hostile

fresh
awk 'BEGIN {
	printf "alias kmalloc-8 last"
	for (i = 0; i < 800; i++)
		printf ",a%03d", i
	for (i = 0; i < 2000000; i++)
		printf ",a799"
	print ""
}' >>hostile/kernel/caches
run 0 "aliases of one cache" "$report" caches hostile

fresh
awk 'BEGIN {
	for (i = 10; i < 60000; i++)
		print "cpu " i " seen 0 recorded 0 lost 0 skipped 0 own 0"
}' >>hostile/kernel/status
(cd hostile && seq -f cpu%.0f 10 59999 | xargs touch)
run 1 "CPUs of the status" "$check" -q hostile

# Modules that all had the same addresses, one after the other.
fresh
awk -v n=60000 'BEGIN {
	for (i = 0; i < n; i++)
		printf "%08x t f%d [m]\n", 4096 + i * 8192, i
	for (i = 0; i < n; i++)
		print "# since " i + 1 "\n# modules\n# module 1000 4294967295 m" i
}' | gzip -1 >hostile/kernel/symbols
run 0 "modules at one address" "$report" hostile
grep -q 'symbols are missing (File too large): call sites are addresses' out ||
	{ echo "modules at one address: $(head -n 5 out)"; failed=1; }

# Symbols that inflate to more than the limit: there are none, and the report says why.
fresh
head -c 4000000 /dev/zero | tr '\0' '\n' | gzip -c >newlines
for ((i = 0; i < 500; i++)); do
	cat newlines
done >hostile/kernel/symbols
cp hostile/kernel/symbols many.gz
run 0 "symbols" "$report" hostile
grep -q 'symbols are missing (File too large): call sites are addresses' out ||
	{ echo "symbols: $(head -n 5 out)"; failed=1; }
echo "0 free 0 1 0x1000 0x2000" | "$builddir/tests/mkrelay" little . || exit 1
run 2 "symbols of an import" "$builddir/kmemtrace-import" -q --symbols=many.gz -o new cpu0.out
grep -q 'many.gz: has more than 64 MiB of text: it is not the symbols of a kernel' err ||
	{ echo "symbols of an import: $(cat err)"; failed=1; }
exit $failed
