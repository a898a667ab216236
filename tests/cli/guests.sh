#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Real captures of other kernels, of both byte orders and word sizes, with the errors that the test
# module planted. The reports are as expected, with the symbols, modules and names of these machines;
# tests/vm compares them with the reports of the machines themselves.
. "$srcdir/cli/cli.sh"
need xz
count=0

# explain KERNEL: the summary in full, a line for each finding, long JSON as a checksum
explain()
{
	"$check" --heap "$1" && return 9
	[ $? = 1 ] || return
	"$report" -v -i "$1" -l 12 || return
	"$report" findings --possible -i "$1" -l 0 --format=csv \
		-F kind,certainty,count,alloc_site,free_site,other_site,cache,free_cache | tr -d '\r' || return
	for view in sites caches leaks timeline events findings; do
		"$report" $view -i "$1" --format=json -l 0 >json || return
		echo "$view: $(wc -l <json) lines of JSON, $(cksum <json)"
	done
}

# The header of the text: the events of kmemtraced are those that are left out, without the frees by other
# tasks, and those that are not left out.
check_own()
{
	# shellcheck disable=SC2046 # numbers
	set -- "$1" $("$report" -v -i "$1" sites | tr -s '\n ' '  ' | sed "s/.*; \([0-9]*\) of \
the recorded are.* left out \([0-9]*\) events: kmemtraced's own allocations (\([0-9]*\)) and their frees \
(\([0-9]*\), \([0-9]*\) of them by other tasks), but not \([0-9]*\) other events\{0,1\} of kmemtraced;.*/\1 \2 \3 \4 \
\5 \6/")
	[ $# = 7 ] || { echo "$1: no numbers of kmemtraced's events"; failed=1; return; }
	[ "$3" = $(($4 + $5)) ] || { echo "$1: left out $3, not $4 + $5"; failed=1; }
	[ "$2" = $(($3 - $6 + $7)) ] || { echo "$1: $2 events of kmemtraced, not $3 - $6 + $7"; failed=1; }
}

for fixture in "$srcdir"/data/guests/*.tar.xz; do
	kernel=$(basename "$fixture" .tar.xz)
	xz -dc "$fixture" | tar -xf - || exit 1
	explain "$kernel" >"$kernel.explained" || { echo "$kernel: exit status $?"; tail -n 5 "$kernel.explained"; failed=1; }
	(compare "../data/guests/$kernel.expected" "$kernel.explained") || failed=1
	check_own "$kernel"
	grep -q '\[plant\]' "$kernel.explained" || { echo "$kernel: the module is not named"; failed=1; }
	grep -q '^kmalloc kmalloc-256$' "$kernel/kernel/caches" ||
		{ echo "$kernel: kmalloc's caches are missing: rebuild the fixtures"; failed=1; }
	count=$((count + 1))
done
[ $count -ge 7 ] || { echo "only $count captures"; exit 1; }
exit $failed
