#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The fields type_numallocs, type_numfrees, type_memalloced, type_memfreed, type_count, type_bytes:
# after each event of a small capture; at the end of real ones, they are what libmemstat counts.
. "$srcdir/cli/cli.sh"
print=$builddir/tests/memstat/print_types
[ -x "$print" ] || skip "libmemstat was not built: this build is linked statically"
for tool in jq xz; do
	command -v $tool >/dev/null || skip "$tool is not installed"
done

"$mktrace" small <"$srcdir/cli/events.trace" || exit 1
fields=time,name,type,outcome,type_numallocs,type_numfrees,type_memalloced,type_memfreed,type_count,type_bytes
{
	$report events small --format=json -F $fields
	# another CPU's events of the type are left out
	$report events small --format=csv --cpu=1 -F $fields | tr '\r' '~'
	$report events small --format=csv --time=0.000001,0.2 -F $fields | tr '\r' '~'
	# as dtmalloc's (mtsp->mts_numallocs - mtsp->mts_numfrees) at a malloc of the type
	$report count small --probes='dtmalloc::filp:malloc' --hist='type_numallocs - type_numfrees' \
		--max=type_bytes | sed '1,/^$/d'
} >out 2>&1
compare report-type-statistics.expected out

cp -r "$srcdir/data/sample" .
for kernel in 5.10-amd64 6.1-s390x 6.12-amd64; do
	xz -dc "$srcdir/data/guests/$kernel.tar.xz" | tar -xf - || exit 1
done
captures=0
for metadata in */metadata; do
	capture=$(dirname "$metadata")
	[ "$capture" != small ] || continue
	captures=$((captures + 1))
	# the last value of a type is its largest; a missed free is known when another type gets the
	# address, and the type may have no event after that
	$report count "$capture" --by=type --format=json -l 0 --where='type_numallocs > 0' \
		--max=type_numallocs,type_numfrees,type_memalloced,type_memfreed |
		jq -r '.count[] | select(.type != null and .type != "kmalloc-large") | [.type,
			.max_type_numallocs, .max_type_numfrees, .max_type_memalloced,
			.max_type_memfreed] | @tsv' >all
	# name, numallocs, numfrees, and the same times the bytes that an object takes; missed frees
	"$print" uma "$capture" | awk -F '\t' 'BEGIN { OFS = FS } $1 == "uma" && $5 > 0 {
		print $2, $5, $6, $4 * $5, $4 * $6, $11 }' >counted
	for of in counted all; do
		awk -F '\t' 'BEGIN { OFS = FS } NR == FNR { missed[$1] = $6; next }
			{ print $1, $2, missed[$1] ? "missed" : $3, $4, missed[$1] ? "missed" : $5 }' counted $of |
			sort >sorted.$of
	done
	[ "$(grep -vc missed sorted.counted)" -ge 20 ] || { echo "$capture: few types"; failed=1; }
	diff -u sorted.counted sorted.all || { echo "$capture: the library (-) and the fields (+) differ"; failed=1; }
done
[ $captures = 4 ] || { echo "$captures captures"; failed=1; }
exit $failed
