#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Captures of a later version, with each kind of unknown content that kmemtrace-capture(5) allows.
# Content that can be ignored changes no report; other content is refused, or counted as unknown.
. "$srcdir/cli/cli.sh"

# make DIR: the first packet of cpu0 is empty, 112 bytes; the next have one record, 160 bytes.
make()
{
	"$mktrace" "$1" <<-'TRACE' || exit 1
		endian little
		begin 1s
		end 2s
		own 99
		symbol 0xc1000000 alloc_a
		symbol 0xc1000100 alloc_b a_module
		cache dentry 0xc0010000 192 192
		alias dentry filp
		task 10 10 sh
		gfp 0xcc0 GFP_KERNEL
		cpu 0 node 0
		cpu 1 node 1
		path kmalloc observed
		alloc 1001ms 0 0xc0100000 100/128 alloc_a+0x20 task=10 gfp=0xcc0
		calloc 1002ms 1 0xc0200000 dentry alloc_b+0x8 task=10
		flush
		free 1003ms 0 0xc0100000 alloc_b+0x80
		flush
		free 1004ms 0 0xc0100000 alloc_b+0x88
	TRACE
	cp "$1/metadata" metadata
	sed -i 's/tracer_version = "[^"]*"/tracer_version = "9.1"/' "$1/metadata"
}

own_version()
{
	cp metadata "$1/metadata"
}

# put FILE OFFSET BYTE…: writes the bytes, which are in octal.
put()
{
	put_file=$1 put_offset=$2
	shift 2
	# shellcheck disable=SC2059 # the format is the bytes
	printf "$(printf '\\%s' "$@")" |
		dd of="$put_file" bs=1 seek="$put_offset" conv=notrunc 2>/dev/null
}

# seal FILE OFFSET SIZE: corrects the CRC-32 of the packet there; gzip writes it, little-endian.
seal()
{
	put "$1" $(($2 + 108)) 0 0 0 0
	# shellcheck disable=SC2046 # four words
	put "$1" $(($2 + 108)) $(tail -c +$(($2 + 1)) "$1" | head -c "$3" | gzip -c | tail -c 8 |
		head -c 4 | od -An -to1)
}

run()
{
	tool=$1
	shift
	"$builddir/$tool" "$@" >stdout 2>stderr
	status=$?
	echo "--- $tool $* -> $status"
	cat stdout stderr
}

# same NAME: kmemtrace-report prints the same as before, without an error.
same()
{
	for view in summary sites caches events findings; do
		for capture in base "$1"; do
			"$report" $view --format=json -i "$capture" \
				>"report.$capture" 2>&1
		done
		diff report.base "report.$1" || echo "$view of $1 differs"
	done
	run kmemtrace-check "$1"
	anonymize "$1"
}

# anonymize NAME: the copy lacks all that this version does not know, and says so.
anonymize()
{
	run kmemtrace-pack -q -u --anonymize -o copy "$1" >said
	LC_ALL=C sort said # the order of the files is that of the directory
	[ "$status" = 2 ] && return
	for capture in base copy; do
		"$report" sites --format=json -i $capture |
			sed '/"address":/d; /"host":/d; /"start":/d' >"report.$capture"
	done
	[ "${2-}" ] || diff report.base report.copy || echo "the copy of $1 differs"
	find copy | grep -e later -e lore -e index
	grep -a -r -e more -e colour -e wind -e socket -e '8 bytes' -e soon -e sweet -e face copy
	gzip -dc copy/kernel/symbols | grep -e more -e section -e taken -e later
	rm -rf copy copy.old
}

header()
{
	sed '/^Call sites/,$d'
}

make base
{
	echo "=== a higher format"
	cp -r base format
	sed -i 's/kmt_format = 1/kmt_format = 2/' format/metadata
	run kmemtrace-report -i format
	run kmemtrace-check format
	run kmemtrace-check --repair format
	run kmemtrace-pack format
	sed -i 's/tracer_version = "[^"]*"/tracer_version = "\\033[31m"/' format/metadata
	run kmemtrace-check format

	echo "=== metadata: other fields"
	cp -r base fields
	sed -i 's/^\(env {\)/\1 kmt_colour = "b = 1; kmt_format = 3"; kmt_speed = 7; /
		s/^\(trace {\)/\1 taste = sweet; /' fields/metadata
	echo 'event { name = "kmalloc_soon"; id = 200; stream_id = 0; fields := struct { u64 a; }; };' \
		>>fields/metadata
	same fields

	echo "=== files"
	cp -r base files
	mkdir files/kernel/later
	echo much | tee files/kernel/later/table >files/kernel/lore
	echo hidden >files/.index
	same files

	echo "=== lines and words of tables"
	cp -r base lines
	sed -i 's/^\(cpu .*\)$/\1 guessed 7/; s/^begin .*/& monotonic/
		s/^\(skipped\|ring_bytes\|raised\) .*/& 5 6/; 1i colour blue\n' lines/kernel/status
	printf 'wind north 3\nlost_colour 1\n\n' >>lines/kernel/status
	sed -i 's/$/ more words/; 1i partial 0xc0010000 0 1 1 dentry' lines/kernel/caches
	sed -i 's/$/ more words/; 1i thread 10 0 11 bash' lines/kernel/tasks
	sed -i 's/$/ more words/; 1i bad 0xcc0\nface GFP_FACE\n# 1' lines/kernel/gfp
	sed -i 's/$/ more words/; 1i socket 0 cpu 0 node 3' lines/kernel/topology
	zcat base/kernel/symbols 2>/dev/null >symbols || cat base/kernel/symbols >symbols
	{
		echo "# taken twice"
		sed 's/$/ more words/' symbols
		echo "0000000000000000000000000c1000000 t long"
		echo "c1000000 section alloc_a"
		echo "c1000008 ? later"
	} | gzip -c >lines/kernel/symbols
	same lines

	echo "=== the same, cut off: a repair leaves lines out and says so"
	sed -i 's/^complete yes/complete no/' lines/kernel/status
	cp -r files/kernel/lore files/kernel/later lines/kernel
	run kmemtrace-check --repair -o repaired lines
	run kmemtrace-check repaired
	diff -rq lines/kernel repaired/kernel
	grep -e colour -e wind repaired/kernel/status

	echo "=== longer records"
	cp -r base longer
	head -c 272 base/cpu0 >longer/cpu0
	echo "8 bytes" >>longer/cpu0
	tail -c +273 base/cpu0 >>longer/cpu0
	put longer/cpu0 233 7
	put longer/cpu0 152 100 5 0 0 0 0 0 0 100 5
	seal longer/cpu0 112 168
	same longer
	run kmemtrace-check longer/cpu0

	for word in codec version; do
		echo "=== a packet of another $word"
		cp -r base $word
		if [ $word = codec ]; then
			put $word/cpu0 216 5
			# in an unknown codec, the content may end at any bit
			put $word/cpu0 152 67
		else
			put $word/cpu0 218 2
		fi
		run kmemtrace-check $word # the CRC-32 is wrong: damage
		seal $word/cpu0 112 160
		run kmemtrace-report -i $word
		run kmemtrace-report events --format=csv -i $word
		run kmemtrace-check $word
		run kmemtrace-check $word/cpu0
		cp -r $word before
		run kmemtrace-check --repair $word
		run kmemtrace-pack $word
		run kmemtrace-pack -u -o unpacked $word
		anonymize $word
		rm $word/metadata before/metadata
		run kmemtrace-check --repair $word
		diff -r before $word && rm -r before
		put $word/cpu0 10 0 # the packet after damage is found
		run kmemtrace-check $word/cpu0
	done

	echo "=== a status of a higher format"
	cp -r base status
	sed -i 's/^format 1/format 2/' status/kernel/status
	run kmemtrace-report -i status | header
	run kmemtrace-check --heap status
	run kmemtrace-check --repair status
	anonymize status
	truncate -s -8 status/cpu1
	run kmemtrace-check status
	run kmemtrace-check --repair status
	own_version status # this version writes no such format: damage
	run kmemtrace-check status
	run kmemtrace-check --repair status

	echo "=== records of other kinds"
	cp -r base kinds
	put kinds/cpu0 232 310
	seal kinds/cpu0 112 160
	run kmemtrace-report -i kinds --max-loss=33 | header
	run kmemtrace-report events -i kinds --max-loss=20
	run kmemtrace-report findings --format=csv -i kinds
	run kmemtrace-report --format=json -i kinds | grep '"unknown"\|"recorded"'
	anonymize kinds differs
	run kmemtrace-check -v --heap kinds
	run kmemtrace-check kinds/cpu0
	run kmemtrace-check --repair kinds
	truncate -s -8 kinds/cpu1
	run kmemtrace-check --repair kinds
	own_version kinds
	run kmemtrace-check kinds
	run kmemtrace-report -v -i kinds | sed -n '/^events/,/^allocated/p'
} >out 2>&1
compare future.expected out
