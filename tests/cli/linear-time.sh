#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Hostile tables of a capture cost CPU time in proportion to their size. Each line of these tables cost a search
# through all others once: four times the lines took sixteen times as long. A gzip file of some kilobytes was
# inflated without a limit: it ends with a message.
. "$srcdir/cli/cli.sh"
if grep -q __asan_init "$report" || [ -e "$builddir/kmemtrace-report.foreign" ]; then
	skip "the sanitizers and an emulator are too slow to compare times"
fi
in_memory
ulimit -t $hang

# run STATUS WHAT COMMAND…: sets used to its CPU time, in milliseconds
run()
{
	local status TIMEFORMAT='%3U %3S'

	{ time "${@:3}" >out 2>err; } 2>used
	status=$?
	used=$(awk '{ printf "%d", ($1 + $2) * 1000 }' used)
	[ $status = "$1" ] || wrong "$2: ${*:3}: exit status $status, not $1: $(tail -n 1 err)"
}

# linear STATUS WHAT LINES COMMAND…: the function $table puts a table of so many lines into the capture. Four times
# the lines take four times as long; up to eight times, since other programs may slow down the longer run;
# and up to a second in addition, for what does not depend on the table.
linear()
{
	local status=$1 what=$2 lines=$3 quarter

	shift 3
	for lines in $((lines / 4)) "$lines"; do
		rm -rf hostile
		cp -r "$srcdir/data/sample" hostile
		$table "$lines"
		quarter=${used:-0}
		run "$status" "$what" "$@"
	done
	echo "$what: $quarter ms, and $used ms for four times the lines"
	[ "$used" -le $((quarter * 8 + 1000)) ] || wrong "$what: the time grows faster than the lines"
}

durations()
{
	seq 0 "$1" | awk '{ print "slab " $1 " a 1 1\nread " $1 " " $1 + 1 }' >hostile/kernel/slabinfo
}
table=durations linear 0 "durations of snapshots" 150000 "$report" slabinfo hostile

sizes()
{
	seq 0 "$1" | awk '{ print "slab " $1 " a 1 1\nsizes a 1 1" }' >hostile/kernel/slabinfo
}
table=sizes linear 0 "sizes of caches" 80000 "$report" summary hostile

aliases()
{
	awk -v n="$1" 'BEGIN {
		printf "alias kmalloc-8 last"
		for (i = 0; i < 800; i++)
			printf ",a%03d", i
		for (i = 0; i < n; i++)
			printf ",a799"
		print ""
	}' >>hostile/kernel/caches
}
table=aliases linear 0 "aliases of one cache" 2000000 "$report" caches hostile

cpus()
{
	seq 10 "$1" | sed 's/.*/cpu & seen 0 recorded 0 lost 0 skipped 0 own 0/' >>hostile/kernel/status
	(cd hostile && seq -f cpu%.0f 10 "$1" | xargs touch)
}
table=cpus linear 1 "CPUs of the status" 60000 "$check" -q hostile

# slab caches of a checkpoint, each searched in those before it
counts()
{
	rm -rf set
	"$pack" -q --split=20k -o set "$srcdir/data/sample"
	{ sed '/^end/d' set/piece.000002/checkpoint/state
		seq "$1" | sed 's/.*/counted 1 1 1 1 c&/'
		echo end; } >state
	mv state set/piece.000002/checkpoint/state
}
table=counts linear 0 "slab caches of a checkpoint" 16000 "$report" summary -i set/piece.000002
counts 200000
run 2 "200000 slab caches of a checkpoint" "$report" summary -i set/piece.000002
grep -q 'checkpoint/state is damaged' err || wrong "200000 slab caches of a checkpoint: $(cat err)"

# paths that are not observed, listed for a finding that is possible since they are not
paths()
{
	rm -rf hostile
	cp -r possible hostile
	seq 1 "$1" | sed 's/.*/unobserved p& x/' >>hostile/kernel/status
}
"$mktrace" possible <<'END' || exit 1
cpu 0 node 0
symbol 0xffff81000000 f
alloc 1ms 0 0xffff88000000 50/64 f+1
free 2ms 0 0xffff88000000 f+1
free 3ms 0 0xffff88000000 f+1
END
table=paths linear 0 "unobserved paths" 240000 "$report" findings -i hostile --format=json

# pairs of an address and a call site that had one hash, as long as it had no seed
keys()
{
	local i hash

	for ((i = 0; i < $1; i++)); do
		hash=$(((0xffff88000000 + i * 64) * 0x9e3779b97f4a7c15))
		printf 'alloc %d 0 0x%x 50/64 0x%x\n' $((1000 + i)) $((0xffff88000000 + i * 64)) \
			$((hash ^ (hash >> 32 & 0xffffffff) ^ 0x1234567))
	done >trace
	rm -rf hostile
	{ echo 'cpu 0 node 0'; cat trace; } | "$mktrace" hostile || exit 1
}
table=keys linear 0 "keys of groups" 80000 "$report" count -i hostile --by=ptr,call_site --format=csv

# a stream that appends to a table of slab caches, without events: each frame had the whole table read again
frames()
{
	local i name

	echo 'kmemtrace-stream 1'
	for name in metadata kernel/status kernel/symbols kernel/gfp kernel/topology; do
		echo "replace $name $(wc -c <"hostile/$name")"
		cat "hostile/$name"
	done
	echo "append kernel/caches $(($1 * 10))"
	yes 'kmalloc a' | head -n "$1"
	for name in cpu0 cpu1; do
		echo "append $name 64"
		head -c 64 "hostile/$name"
	done
	echo 'time 0'
	for ((i = 0; i < $1 / 50; i++)); do
		printf 'append kernel/caches 1\n\ntime 0\n'
	done
	echo end
} >stream
stream()
{
	"$report" events -i - <stream
}
table=frames linear 0 "frames of a stream" 60000 stream

# pieces that each have the stream of another CPU
pieces()
{
	rm -rf many
	"$pack" -q --split=20k -o set-of-3 "$srcdir/data/sample"
	mkdir many
	seq "$1" | while read -r i; do
		piece=many/piece.$(printf %06d "$i")
		mkdir "$piece"
		sed "s/kmt_piece = .*/kmt_piece = $i;/" set-of-3/piece.000003/metadata >"$piece/metadata"
		cp -l set-of-3/piece.000003/cpu0 "$piece/cpu$i"
	done
	rm -rf set-of-3
}
table=pieces linear 0 "pieces with another CPU each" 1000 "$report" summary -i many

# modules that all had the same addresses, one after the other
modules()
{
	awk -v n="$1" 'BEGIN {
		for (i = 0; i < n; i++)
			printf "%08x t f%d [m]\n", 4096 + i * 8192, i
		for (i = 0; i < n; i++)
			print "# since " i + 1 "\n# modules\n# module 1000 4294967295 m" i
	}' | gzip -1 >hostile/kernel/symbols
}
table=modules linear 0 "modules at one address" 60000 "$report" -v hostile
too_large='symbols are missing (File too large): call sites are addresses'
grep -q "$too_large" out || wrong "modules at one address: $(head -n 5 out)"

# one summary of many runs
# shellcheck source=tests/cli/summaries.bash
. "$srcdir/cli/summaries.bash"
summary()
{
	printf 'summary 1000000000 2000000000 2000000000 1\n'
	cat
	printf 'cost 1 1\nbound 1 0 0 0 0 0 0\ncode f kernel c 1 0 64 0 0 0 0 1 64\n'
}
descending()
{
	seq "$1" -1 1 | sed 's/.*/source h b & 0 0/' | summary | seal >hostile.kms
}
table=descending linear 0 "runs in descending order" 160000 "$report" hostile.kms
unknown()
{
	seq "$1" | sed 's/.*/source h b & 1 1/' | summary | seal >hostile.kms
}
table=unknown linear 0 "runs without their first summary" 160000 "$report" --time=0,1d hostile.kms

# summaries of many hosts after the live figures
later()
{
	python3 - "$1" <<'END'
import sys, zlib
with open("hostile.kms", "w") as file:
    file.write("kmemtrace-summaries 1\n")
    for i in range(int(sys.argv[1]) + 1):
        end = (i + 2) * 10**9
        hosts = ["a", "b", "c", "d"] if i == 0 else [f"h{i}"]
        lines = [f"summary {end - 10**9} {end} {end} {len(hosts)}"] + [f"source {h} b 1 0 0" for h in hosts]
        lines += ["cost 1 1", "bound 1 0 0 0 0 0 0", "code f kernel c 1 0 64 0 0 0 0 1 64"]
        text = "".join(line + "\n" for line in lines)
        file.write(f"{text}end {len(lines)} {zlib.crc32(text.encode())}\n")
END
}
if command -v python3 >/dev/null; then
	table=later linear 0 "hosts after the live figures" 24000 "$report" hostile.kms
	grep -q 24000 out || wrong "hosts after the live figures: $(head -n 12 out)"
fi

# symbols that inflate to more than the limit: there are none, and the report says why
head -c 4000000 /dev/zero | tr '\0' '\n' | gzip -c >newlines
for ((i = 0; i < 500; i++)); do
	cat newlines
done >hostile/kernel/symbols
cp hostile/kernel/symbols many.gz
run 0 "symbols" "$report" -v hostile
grep -q "$too_large" out || wrong "symbols: $(head -n 5 out)"
echo "0 free 0 1 0x1000 0x2000" | "$builddir/tests/mkrelay" little . || exit 1
run 2 "symbols of an import" "$builddir/kmemtrace-import" -q --symbols=many.gz -o new cpu0.out
grep -q 'many.gz: has more than 64 MiB of text: it is not the symbols of a kernel' err ||
	wrong "symbols of an import: $(cat err)"
exit $failed
