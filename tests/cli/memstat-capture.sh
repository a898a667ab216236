#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# libmemstat and kmemtrace-report show the same counters for every cache and every function that
# calls kmalloc(), for real captures of nine kernels, at their end and at a time in between. A query
# of a cut or damaged capture fails with one of the documented errors.
. "$srcdir/cli/cli.sh"
print=$builddir/tests/memstat/print_types
[ -x "$print" ] || skip "libmemstat was not built: this build is linked statically"
for tool in jq xz; do
	command -v $tool >/dev/null || skip "$tool is not installed"
done
rows=0

# Adds up types of one name: the report has one row for a name, and the library has several types
# whose names end with "#2" and so on.
add_up()
{
	awk -F '\t' '
		{ name = $2; sub(/#[0-9]+$/, "", name); sub(/#[0-9]+ \[/, " [", name) }
		{ key = $1 "\t" name; for (i = 3; i <= NF; i++) sum[key, i] += $i; keys[key] = NF }
		END {
			for (key in keys) {
				line = key
				for (i = 3; i <= keys[key]; i++)
					line = line sprintf("\t%.0f", sum[key, i])
				print line
			}
		}' | sort
}

# report VIEW CAPTURE OPTION…: rows of kmemtrace-report in the columns of print_types, then the bytes
# that the objects of a cache, and the live ones, take in its slabs
report()
{
	view=$1 capture=$2
	shift 2
	"$report" "$view" -i "$capture" --format=json -l 0 "$@" >json || return
	case $view in
	caches) jq -r '.caches[] | select(.cache != "kmalloc-large" and .allocations + .failed > 0) |
		["uma", .cache, .object_size // 0, .size // 0, .allocations, .frees + .missed_frees,
		.live_objects, .allocations * (.object_size // 0),
		(.frees + .missed_frees) * (.object_size // 0), .failed, .missed_frees, .bytes_allocated, .live_bytes] |
		@tsv' json ;;
	sites) jq -r '.sites[] |
		["malloc", .function, 0, 0, .allocations, .frees + .missed_frees, .live_objects,
		.bytes_allocated, .bytes_allocated - .live_bytes, .failed, .missed_frees, 0, 0] | @tsv' json ;;
	esac
}

# compare CAPTURE [NS]
compare()
{
	at=
	[ $# -eq 1 ] || at=--at=${2}ns
	"$print" all "$1" ${2:+"$2"} >printed || { echo "$1: exit status $?"; cat printed; failed=1; return; }
	{
		report caches "$1" ${at:+"$at"} &&
			report sites "$1" --by=function --cache='^(dma-)?kmalloc' ${at:+"$at"}
	} >reported || { echo "$1: kmemtrace-report $at fails"; failed=1; }
	# a type that has only unmatched frees has no counters yet
	grep -vE '^(lost|unobserved) ' printed | awk -F '\t' 'BEGIN { OFS = FS }
		$5 + $10 > 0 { print $0, $4 * $5, $4 * $7 }' | add_up >left
	add_up <reported >right
	diff -u right left || { echo "$1 $at: the report (-) and the library (+) differ"; failed=1; }
	rows=$((rows + $(wc -l <left)))
	jq -r '.loss.unobserved[]?' json | sort >right
	sed -n 's/^unobserved //p' printed | sort | diff -u right - ||
		{ echo "$1: other unobserved paths than the report (-)"; failed=1; }
	bound=$(jq .loss.lost+.loss.skipped+.totals.unknown json)
	# then events may be counted for another cache
	grep -q '^names_lost [1-9]' "$1/kernel/status" && bound=unknown
	grep -qx "lost $bound" printed || { echo "$1: $(tail -n 1 printed), not $bound"; failed=1; }
}

cp -r "$srcdir/data/sample" .
for fixture in "$srcdir"/data/guests/*.tar.xz; do
	xz -dc "$fixture" | tar -xf - || exit 1
done
count=0
for metadata in */metadata; do
	capture=$(dirname "$metadata")
	compare "$capture"
	"$report" -i "$capture" --format=json -l 1 >json
	compare "$capture" "$(jq '.capture.duration_s * 1e9 / 3 | floor' json)"
	count=$((count + 1))
done
[ $count -ge 9 ] || { echo "only $count captures"; failed=1; }
[ $rows -ge 1000 ] || { echo "only $rows rows were compared"; failed=1; }

# With lost events, skipped events and records of an unknown id.
"$mktrace" lossy <<-END || exit 1
	begin 1us
	symbol 0xffffffff81000000 caller
	cache some_cache 0xffff888000001000 100 128
	alloc 10us 0 0xffff888000100000 100/128 caller+0x10
	lose 0 3
	calloc 20us 1 0xffff888000200000 some_cache caller+0x20
	alloc 30us 0 0xffff888000100000 100/128 caller+0x10
	raw 50us 1 200
	alloc 60us 1 0 100/128 caller+0x10
	alloc 70us 1 0xffff888000400000 8000000/8388608 caller+0x10
	skip 2
	end 100us
	complete yes
END
compare lossy
[ "$bound" = 6 ] || { echo "lossy: the bound is $bound, not 6"; failed=1; }

# A query of one allocator gives the same types as a query of both.
for kind in malloc uma; do
	"$print" $kind sample >one
	"$print" all sample | grep -e "^$kind" -e '^lost' -e '^unobserved' | diff -u - one ||
		{ echo "$kind differs from its part of all"; failed=1; }
done

# expect ERROR…: the last query failed with one of these errors
expect()
{
	for error; do
		grep -q "^print_types: $error: " err && [ $status -eq 1 ] && return
	done
	echo "$where: exit status $status, not one of: $*"
	cat err
	failed=1
}

# Cut at 40 offsets, and damaged there; at fewer if $KMEMTRACE_STRIDE is larger than 1.
size=$(stat -c %s sample/cpu1)
step=$((size / 40 * ${KMEMTRACE_STRIDE:-1}))
at=7
while [ $at -lt "$size" ]; do
	cp "$srcdir/data/sample/cpu1" sample/cpu1
	truncate -s $at sample/cpu1
	"$print" all sample >out 2>err
	status=$? where="cut at $at"
	expect "KVM short read"
	grep -qx 'lost unknown' out || { echo "$where: $(tail -n 1 out)"; failed=1; }
	cp "$srcdir/data/sample/cpu1" sample/cpu1
	printf '\125' | dd of=sample/cpu1 bs=1 seek=$at conv=notrunc status=none
	if ! cmp -s sample/cpu1 "$srcdir/data/sample/cpu1"; then
		"$print" all sample >out 2>err
		status=$? where="damaged at $at"
		expect "KVM short read" "Data format error"
	fi
	at=$((at + step))
done
exit $failed
