#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --by: each kind of group divides the same objects, has its own names, and its columns add up to the
# totals; so do the tables of all other views.
. "$srcdir/cli/cli.sh"

"$mktrace" kmemtrace.data <"$srcdir/cli/views.trace" || exit 1
"$mktrace" unnamed <"$srcdir/cli/unnamed.trace" || exit 1

# sum FILE ARRAY KEY: of the rows of a table, or of the totals.
sum()
{
	awk -v array="^  \"$2\": [[{]" -v key="\"$3\":" '
		$0 ~ array { inside = 1 }
		/^  []}]/ { inside = 0 }
		inside && $1 == key { sum += $2 }
		END { printf "%d\n", sum }' "$1"
}

# same WHAT VALUE EXPECTED
same()
{
	[ "$2" -eq "$3" ] || { echo "$1: $2 instead of $3"; failed=1; }
}

for by in site function module cache size task cpu node gfp; do
	echo "--- $by"
	"$report" sites --by=$by --format=csv -s $by | cut -d, -f1-4
done | tr '\r' '~' >out
compare report-groups.expected out

for capture in kmemtrace.data unnamed "$srcdir/data/sample"; do
	"$report" -i "$capture" --format=json >whole || exit 1
	for by in site function module cache size task cpu node gfp; do
		"$report" sites -i "$capture" --by=$by --format=json >part || exit 1
		grep -q "\"by\": \"$by\"" part || { echo "$by: not in the report"; failed=1; }
		for key in allocations failed missed_frees bytes_requested bytes_allocated \
			live_objects live_bytes cross_cpu_frees temporary; do
			same "$by $key" "$(sum part sites $key)" "$(sum whole totals $key)"
		done
		same "$by frees" "$(sum part sites frees)" \
			$(($(sum whole totals frees) - $(sum whole totals frees_unmatched)))
	done

	for key in allocations failed missed_frees bytes_requested bytes_allocated live_objects \
		live_bytes frees_unmatched; do
		same "caches $key" "$(sum whole caches $key)" "$(sum whole totals $key)"
	done
	for view in cpus nodes; do
		"$report" $view -i "$capture" --format=json >part || exit 1
		for key in allocations failed bytes_allocated frees frees_unmatched; do
			same "$view $key" "$(sum part $view $key)" "$(sum whole totals $key)"
		done
		same "$view crossings" "$(sum part crossings frees)" \
			$(($(sum whole totals frees) - $(sum whole totals frees_unmatched)))
		cross=cross_${view%s}_frees
		same "$view freed by others" "$(sum part $view freed_by_other_$view)" \
			"$(sum part crossing_sites "$cross")"
		same "$view frees of others" "$(sum part $view frees_of_other_$view)" \
			"$(sum part crossing_sites "$cross")"
		[ $view = nodes ] || same "crossing sites" "$(sum part crossing_sites "$cross")" \
			"$(sum whole totals cross_cpu_frees)"
	done

	"$report" leaks -i "$capture" --format=json >part || exit 1
	same "leaks objects" "$(sum part leaks live_objects)" "$(sum whole totals live_objects)"
	same "leaks bytes" "$(sum part leaks live_bytes)" "$(sum whole totals live_bytes)"
	"$report" lifetimes -i "$capture" --format=json >part || exit 1
	same "lifetimes" "$(sum part lifetimes frees)" \
		$(($(sum whole totals frees) - $(sum whole totals frees_unmatched)))
	"$report" timeline -i "$capture" --format=json >part || exit 1
	for key in allocations failed frees frees_unmatched missed_frees bytes_allocated; do
		same "timeline $key" "$(sum part timeline $key)" "$(sum whole totals $key)"
	done
	same "the peak" "$(sum part peak live_bytes)" "$(sum whole totals peak_bytes)"

	"$report" sizes -i "$capture" --format=json >part || exit 1
	"$report" caches -i "$capture" --cache='^(dma-)?kmalloc-' \
		--format=json >kmalloc || exit 1
	for table in sizes classes; do
		same "$table objects" "$(sum part $table objects)" "$(sum kmalloc totals allocations)"
		for key in bytes_requested bytes_allocated; do
			same "$table $key" "$(sum part $table $key)" "$(sum kmalloc totals $key)"
		done
		same "$table waste" "$(sum part $table bytes_wasted)" \
			$(($(sum kmalloc totals bytes_allocated) - $(sum kmalloc totals bytes_requested)))
	done
done

# These modules have one FNV-1a hash. The last address is that of the function, XOR the hashes of the names of
# the function and of no module: with these hashes, both were one site.
cat >same.trace <<'END'
cpu 0 node 0
symbol 0xffffc0000000 one ext4
symbol 0xffffc0001000 two si?=35n8$rtgkOV
symbol 0xffff81000000 victim_function
symbol 0xffff81000100 other
alloc 1000 0 0xffff88000000 50/64 one+0x10
alloc 1001 0 0xffff88001000 50/64 two+0x10
alloc 1002 0 0xffff88002000 50/64 0xffff81000010
alloc 1003 0 0xffff88003000 5000/8192 0x8186d956bfae4d23
END
"$mktrace" same <same.trace || exit 1
for by in module site function; do
	"$report" sites -i same --by=$by --format=json | jq -c '.sites[].allocations' | sort | uniq -c | tr -s ' '
done >out
printf ' 4 1\n 4 1\n 4 1\n' >expected
diff -u expected out || wrong "names with one hash"
exit $failed
