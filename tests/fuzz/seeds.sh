#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# seeds.sh DIR: makes a folder of seeds for each fuzz target in DIR: captures of mktrace and of the
# kernels in tests/data/guests, each with every operation of the target, and the inputs in
# tests/fuzz/found, with which a target once failed. $builddir was configured with --enable-fuzz.
set -u
: "${builddir:?}" "${srcdir:?}"
mkdir -p "$1" && cd "$1" || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mkseed=$builddir/tests/fuzz/mkseed
targets="capture clickhouse details elf expression gfp helpers names one_file options packed perf proc relay ring state stats_file"
targets+=" stream summaries symbols tables topology trace_cmd"
# shellcheck disable=SC2086 # a list
mkdir -p $targets || exit 2

# byte NUMBER…: writes bytes.
byte()
{
	local number

	for number; do
		# shellcheck disable=SC2059 # an octal number
		printf "\\$(printf %03o "$number")"
	done
}

# put TARGET NAME [NUMBER…]: writes a seed: these bytes, then standard input.
put()
{
	local target=$1 name=$2

	shift 2
	{ byte "$@"; cat; } >"$target/$name"
}

# The operations of fuzz_capture.c: check, repair, pack, unpack, pack in place, libmemstat,
# anonymize, each view.
operations=("0" "1" "1" "2 0" "2 1" "2 2" "3 1" "3 2" "7 0" "7 3")
for view in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do
	# a format, groups and a filter, of which there are 4, 10 and 8
	operations+=("4 $view $((view % 4 + 32)) $((view % 10)) $((view % 8))"
		"5 $view $(((view + 1) % 4)) 0 $((view * 8))")
done

count=0
# add NAME CAPTURE EVERY: the seeds of one capture.
add()
{
	local name=$1 capture=$2 every=$3 number=0 operation table

	count=$((count + 1))
	"$mkseed" capture "$capture" >"$work/archive" || exit 2
	for operation in "${operations[@]}"; do
		# of the guests, which are long, every fifth
		# shellcheck disable=SC2086 # a list
		[ $((number % every)) != $((count % every)) ] ||
			put capture "$name-$number" $operation $((number % 2 * 2)) <"$work/archive"
		number=$((number + 1))
	done
	for number in 4 13 72; do
		[ $((number % every)) != $((count % every)) ] || put stream "$name-$number" $number <"$work/archive"
	done
	number=0
	for table in kernel/caches kernel/tasks kernel/status kernel/slabinfo none metadata; do
		[ ! -e "$capture/$table" ] || head -n 60 "$capture/$table" | put tables "$name-$number" $number
		number=$((number + 1))
	done
	for number in 0 1 9 5 17; do
		{ zcat -f "$capture/kernel/symbols" | sed -n '1,40p;/^#/p'; } 2>/dev/null |
			put symbols "$name-$number" $number 16 4 0 0 255 255 255 255
	done
	[ ! -e "$capture/kernel/gfp" ] || put gfp "$name" 240 1 2 3 4 0 0 0 0 <"$capture/kernel/gfp"
	[ ! -e "$capture/kernel/topology" ] || put topology "$name" 2 <"$capture/kernel/topology"
	"$mkseed" stats "$capture" "$work/stats" >"$work/published" || exit 2
	for number in 0 1; do
		put stats_file "$name-$number" $number <"$work/published"
	done
	# nothing before 12 reads, then another slot is current
	{ cat "$work/published"; byte 128 128 128 128 128 128 128 128 128 128 128 128 \
		4 1 2 0 2 0 0 0 0 0 0 0; } | put stats_file "$name-2" 0
	# removed and cut off, then another file
	{ cat "$work/published"; byte 128 128 128 9 0 0 0 0 0 0 0 0 0 0 0 128 128 0 0 0 0 9 0 0 0 0 0 0 \
		0 128 2 0 0 0 0 0 0 0 0 0 0 0; } | put stats_file "$name-3" 0
}

# add_packed NAME CAPTURE: packs the capture.
add_packed()
{
	local name=$1 capture=$2 number stream

	"$builddir/kmemtrace-pack" -q "$capture" || exit 2
	"$builddir/kmemtrace-pack" -q -o "$work/$name.kmt" "$capture" || exit 2
	head -c 60000 "$work/$name.kmt" | put one_file "$name-cut" 0
	put one_file "$name" 1 <"$work/$name.kmt"
	rm "$work/$name.kmt"
	"$mkseed" capture "$capture" | put capture "$name-packed" 0 2
	"$mkseed" capture "$capture" | put capture "$name-unpacked" 2 1 2
	for stream in "$capture"/cpu*; do
		for number in 0 1; do
			"$mkseed" packed "$stream" $number >"packed/$name-${stream##*/}-$number" ||
				rm "packed/$name-${stream##*/}-$number"
		done
	done
}

for trace in "$srcdir"/cli/*.trace "$srcdir"/data/sites.trace; do
	name=$(basename "$trace" .trace)
	"$builddir/tests/mktrace" "$work/$name" "$trace" || exit 2
	add "$name" "$work/$name" 1
	add_packed "$name" "$work/$name"
	rm -rf "${work:?}/$name"
done
# without xz, the captures of other kernels are missing
if command -v xz >/dev/null; then
	for guest in "$srcdir"/data/guests/*.tar.xz; do
		name=$(basename "$guest" .tar.xz)
		xz -dc "$guest" | tar -C "$work" -xf - || exit 2
		add "$name" "$work/$name" 5
		add_packed "$name" "$work/$name"
		rm -rf "${work:?}/$name"
	done
fi

for format in "$srcdir"/data/formats/*/kmalloc.format; do
	name=$(basename "${format%/*}")
	put gfp "$name" 241 1 2 3 4 0 0 0 0 <"$format"
done
echo 'GFP_KERNEL|__GFP_ZERO|0x10' | put gfp bits 3 1 2 3 4 0 0 0 0
number=0
while read -r expression; do
	for how in 0 1 2 3 6; do
		printf '%s' "$expression" | put expression "$number-$how" $how
	done
	number=$((number + 1))
done <<-'END'
	bytes_req > 4k && comm == "sh" || !(age >= 1.5ms)
	gfp_flags & __GFP_ZERO | GFP_KERNEL != 0x100, site =~ "^[a-z]+\[(ext4|x)\]$"
	ptr % 4096 == 0xffff888000001000 - -1 * (time - alloc_time) / 3us, null == pid
	bytes_alloc - bytes_req, 0, 1k, 64
	bytes_to_string(bytes_alloc) == pages_to_string(proc_mem_rss_pid(pid) + 1), mem_page_size( )
	vm_fault_contains(3, VM_FAULT_MAJOR) || proc_mem_age() > 1ms || proc_mem_string() =~ 'rss'
	name,ptr,caller_function,call_site,gfp_flag_name,type,size,zindx,cross_cpu,alloc_comm
END
printf 'kmemtrace-stream 1\nreplace kernel/tasks 9\ntask 1 0 \nappend cpu0 3\nabctime 5\nend\n' | put stream raw 128
mkdir -p "$work/top/kernel" && ln -s /nowhere "$work/top/link" && mkfifo "$work/top/pipe"
tar -C "$work" -cf - top | put one_file hostile 1
echo x >"$work/top/$(printf '%0150d' 0)"
rm "$work/top/link"
tar -C "$work" --format=pax -cf - top | put one_file pax 1
tar -C "$work" --format=gnu -cf - top | put one_file gnu 1
echo '(gfp_t)((1UL << 3) | ~0x10U) - 5 + -(2 & 7) ^ 0xff >> 2, ' | put gfp expression 2 1 2 3 4 0 0 0 0
put details text <<'END'
details 1
moment 20 10 - 0
cache 1 kmalloc-64
site 2 f+0x1/0x2
pair 3 2 1 9 4 90 40
lifetimes 3 0:1 31:3
process 4 77 8 4 80 40 sh 3
comm 3 9 4 90 40 sh
cgroup 3 9 4 90 40 /
scan 15
live 3 5 45 8 10
ages 3 7:5
held 3 4 5 50
sampling 64 128
stack 0 9 4 90 40 8 7 3 2 -
stack 5 9 4 90 40 8 7 3 2 f\x20<\x20g\x20<\x20read
syscall 2 9 4 90 40 8 7 3 2 read
unlisted 1 0
end
END
printf '0-3,8,4710-4712\n' | put topology list 1
printf '0-7\n0-3,5\n0-1\n2-3\n4\n5\n6\n' | put topology sysfs 12
cat >"$work/slabinfo" <<-END
	slabinfo - version: 2.1
	# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> : tunables
	dentry              1000   1050    192   21    1 : tunables    0    0    0 : slabdata     50     50      0
	kmalloc-64           640    704     64   64    1 : tunables    0    0    0 : slabdata     11     11      0
END
put tables proc 4 <"$work/slabinfo"
printf 'heap 1 2\ncache 0x1000 64 64 0 a\nslab 0 0x10000 4096 64 01f\nend 1\nheap 3 4\nend 0\n' >"$work/heap"
put tables heap 10 <"$work/heap"
printf 'read kfence 5\ntrack kfence 2 180 10 20 7 190 kmalloc-96 f+0x1/0x2\\x20[m] g+0x1/0x2\n' >"$work/tracks"
put tables tracks 11 <"$work/tracks"
printf 'kfence-#0: 0x1-0x2, size=90, cache=a\n\nallocated by task 1 on cpu 0 at 1.000001s (2.000001s ago):\n f+0x1/0x2\n' >"$work/tracks"
put tables kfence 11 <"$work/tracks"
printf '   12 f+0x1/0x2 [m] waste=12/1 age=1/2/3 pid=1-2 cpus=0\n        g+0x1/0x2\n        f+0x1/0x2 [m]\n' >"$work/tracks"
put tables slub 11 <"$work/tracks"
printf 'read 5\nline -512 3 a.c:12 f m\nread 7\ninexact 64 1 b.c:13 f\n' >"$work/allocinfo"
put tables allocinfo 12 <"$work/allocinfo"
printf 'allocinfo - version: 1.0\n# <size>\n 8 2 a.h:7 [m] func:f accurate:no \n 8 2 a.h:7 [m] func:f \n' >"$work/allocinfo"
put tables proc_allocinfo 12 <"$work/allocinfo"
printf 'read 5 4096\nowner free 1024 64\nread 7 4096\nowner slab 512 0\n' >"$work/where"
put tables where 13 <"$work/where"
printf 'MemTotal: 64 kB\nMemFree: 8 kB\nSlab: 4 kB\nvm stats threshold: 3\n a 1 2 3 4 1 : t 1 2 3 : s 2 2 0\n0x1-0x2 8192 dup_task_struct+0x1 pages=4\n' >"$work/where"
put tables proc_where 13 <"$work/where"
put tables process_memory 6 <<-END
	statm 10 100 4 3 2 1 5
	statm 12 101 7 6 5 4 3
	reading 99 102
	gone 10 200
	reading 199 201
END

# modules that come, go and move
cat >"$work/symbols" <<-END
	00001000 T _text
	00001100 T _etext
	bf000000 t a_one [a]
	bf010000 t b_one [b]
	# modules
	# module bf010000 8192 b
	# module bf000000 16384 a
	# since 100
	# modules
	# module bf004000 8192 c
	# module bf000000 16384 a
	bf004000 t c_one [c]
	# since 200
	# modules
	# module 0 0 d
	# module bf004000 4096 e
	bf000000 t e_one [e]
END
for number in 0 1 9 36 241; do
	put symbols "modules-$number" $number 8 0 0 191 0 0 0 0 <"$work/symbols"
done

head -n 60 "$srcdir/data/perf-script.txt" >perf/whole
tail -n 60 "$srcdir/data/perf-script.txt" >perf/end
gunzip -c "$srcdir/data/ftrace.txt.gz" | head -n 60 >perf/ftrace
gunzip -c "$srcdir/data/trace-cmd-report.txt.gz" | head -n 60 >perf/report
for text in vmlinux offsets ftrace; do
	sed -n "/^cat >$text.txt/,/^END/{//d;p}" "$srcdir/cli/import-stacks.sh" >perf/stacks-$text
done
cp "$srcdir/data/trace.dat" trace_cmd/whole
for endian in little big; do
	mkdir "$work/$endian" &&
		"$builddir/tests/mkrelay" $endian "$work/$endian" <"$srcdir/cli/import-kmemtrace.relay" ||
		exit 2
	for file in "$work/$endian"/*; do
		cat "$file"
		printf '\0\0FILE\0'
	done >"relay/$endian"
done
# the example of the manual, as lines and as a whole block
summary=$(sed -n '/^summary 1795/,/^end /p' "$srcdir/../fleet/summary/kmemtrace-summaries.5")
printf '%s\n%s\n' "$summary" "$summary" | put summaries blocks 1
printf '%s' "${summary%end *}" | put summaries lines 0
put summaries hosts 0 <<-'END'
	summary 1 2 3 2
	source h b 1 2 3
	source i - 1 2 3
	bound 1 2 3 4 5 6 1
	comm - 1 2 3 4 5 6 7 8 9 1e9 2.5
	cgroup /a\x20 1 2 3 4 5 6 7 8 9
	code a b c 1 2 3 4 5 6 7 8 9 1 2 3
END
printf 'host\tn\td\tt\nString\tUInt64\tFloat64\tString\nweb\t7\t1.5\ta\\tb\n\\N\t0\t\\N\t\n' | put clickhouse rows 0
printf 'Code: 60, e.displayText() = DB::Exception: Table f.x does not exist., e.what() = DB::Exception' |
	put clickhouse error 5
printf 'clickhouses://a.example,[::1]:9000,10.0.0.1:8123/fleet' | put clickhouse url 2
printf '# a file\nuser fleet\npassword a b c\n' | put clickhouse credentials 3

printf '# comment\nnumber = 8\nsize = 4k\n\nduration=1.5s\nchoice = yes\npath = /x\nage = 2h\ntext\n' | put options config 0
number=1
for value in x /x auto 30 all 1.5s 10m 2h 64M; do
	printf '%s' "$value" | put options "value-$number" $number
	number=$((number + 1))
done
number=0
for value in 'live > 2G' 'live(dentry) > 500M' 'growth(function:__alloc_file) > 100M/10m' 'lost > 0.1%/1m' 'oom'; do
	number=$((number + 1))
	printf '%s' "$value" | put options "trigger-$number" 15
done

printf 'kmemtrace-ship 1\nto clickhouse://server:8123/fleet\nsource h b 1 2 3\nrollup 5 6\nend\n' | put state ship 0
printf 'format 1\nbegin 9\nsince 5\nobjects 1\nlost 1 2 3\nskipped unknown\nmissed_frees 3 x\ncounted 1 2 3 4 y\nfirst_event 0 7\nlast_allocation 0 ffff0000\nend\n' |
	put state checkpoint 2
{ printf 'credentials user fleet\npassword x\n'; printf '\0\0FILE\0'; printf 'file 000001.kms.a'; } | put state messages 3

printf 'sent 5\ndropped 2\nwaiting_bytes 300\nlast_sent 2026-01-01T00:01:00Z\nfailing_since 2026-01-01T00:02Z\nfailed a\\x20b\n' |
	put helpers status 0
head -c 540 /dev/zero | put helpers report 1
for number in 0 1 2 3; do
	{ byte $number 0 0 0 5 0 0 0 1 0 0 0 2 0 0 0 1 0 0 0; head -c 420 /dev/zero; } | put helpers "answer-$number" 2
done
head -c 20000 /dev/zero | put helpers trigger-answer 3
# prepare a piece and end it, make room, begin a dump and end it
for number in 0 1 6; do
	byte 0 0 0 0 4 0 0 0 0 0 0 0 0 0 0 0 1 0 0 0 3 0 0 0 0 0 0 0 0 0 0 0 \
		2 0 0 0 0 0 0 0 0 16 0 0 0 0 0 0 3 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 \
		4 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 | put helpers "requests-$number" 4 $number
done
head -c 8000 /dev/zero | tr '\0' '\1' | put helpers triggers 5 1
# name_message KIND SIZE NAME: a struct kmt_message, and the path of a cgroup.
name_message()
{
	printf '\0\0FILE\0'
	byte 0 "$1" 0 0 0 7 0 0 0 9 0 0 0 0 0 0 0 7 0 0 0 0 0 0 0 5 0 0 0 0 0 0 0 1 0 0 0 "$2" 0 0 0
	printf %s "$3"
	head -c $((64 - ${#3})) /dev/zero
	[ "$1" != 7 ] || { printf %s "/$3"; head -c $((1023 - ${#3})) /dev/zero; }
}
# the answer about a function; each kind of message, twice; two stacks; a mapping and a fork
{
	printf 'function 1 10 20 f\n'
	for kind in 1 2 3 4 5 6 7 8 9 7 3; do
		name_message $kind 64 "a $kind"
	done
	for count in 0 3; do
		printf '\0\0FILE\0'
		byte 1 $((count + 1)) 0 0 0 0 0 0 0 8 0 0 0 0 0 0 0 $count 0 0 0 $count 0 0 0 0 16 0 0 0 0 0 0 \
			8 16 0 0 0 0 0 0 16 16 0 0 0 0 0 0
	done
	printf '\0\0FILE\0'
	byte 2 10 0 0 0 0 0 0 0 3 0 0 0 3 0 0 0 0 16 0 0 0 0 0 0 0 16 0 0 0 0 0 0 0 0 0 0 0 0 0 0 \
		8 0 0 0 1 0 0 0 5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 5 0 0 0 0 0 0 0
	printf /bin/x
	printf '\0\0FILE\0'
	byte 2 7 0 0 0 0 0 0 0 4 0 0 0 3 0 0 0 4 0 0 0 3 0 0 0 9 0 0 0 0 0 0 0
} >"$work/messages"
put names messages 0 <"$work/messages"
put names published 1 <"$work/messages"
sed -n 1,40p /proc/self/maps | put proc maps 2 0 0 0 0 0 0 0 0
for number in 0 4; do
	printf '0::/a b\n4:cpu,memory:/c (deleted)\n4:memory:/d\n30 23 0:26 / /sys/fs/cgroup rw - cgroup2 none rw\n31 23 0:27 / /sys\\040x rw - cgroup none rw,memory\n' |
		put proc "cgroups-$number" 3 $number 0 0 0 0 0 0 0
done
{ sed -n '1,30p' "$work/symbols"; echo '00002000 t f	[m]'; } | put proc symbols 0 0 0 0 0 0 0 0 0
printf 'nf_nat 57344 2 nft_nat, Live 0xffffffffc0a00000 (E)\next4 983040 1 - Loading 0xffffffffc0900000\n' |
	put proc modules 1 0 0 0 0 0 0 0 0

echo 'int f(void) { return 1; } int main(void) { return f(); }' >"$work/f.c"
if cc -g0 -o "$work/f" "$work/f.c" 2>/dev/null; then
	put elf program 0 16 0 0 0 0 0 0 41 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 <"$work/f"
fi
# a free and a long record
{ byte 5 0 0 0 0 0 0 0 0 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
	byte 9 0 0 0 0 0 0 0 2 6 255 255 0 0 0 0
	head -c 32 /dev/zero
	byte 9 0 0 0 0 0 0 0 19 7 255 255 1 0 0 0
	head -c 80 /dev/zero; } | put ring records
# samples: a free, and a long record with a free behind it
for how in 128 129; do
	for room in 0 1; do
		{ byte 9 0 0 0 0 0 0 0 2 6 255 255 3 0 0 0
			head -c 32 /dev/zero
			printf '\0\0FILE\0'
			byte 9 0 0 0 0 0 0 0 19 7 255 255 1 0 0 0
			head -c 40 /dev/zero
			byte 9 0 0 0 0 0 0 0 2 6 255 255 4 0 0 0
			head -c 32 /dev/zero; } | put ring "samples-$how-$room" $how $room 5
	done
done
for target in $targets; do
	for found in "$srcdir/fuzz/found/$target"-*; do
		[ ! -e "$found" ] || cp "$found" "$target/${found##*/}"
	done
done
