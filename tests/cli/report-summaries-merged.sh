#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A report on the merged summaries of a capture has the figures of the report on the capture: by function,
# by module and by slab cache, for the captures of the tests, in one interval and in many.
. "$srcdir/cli/cli.sh"
need xz
export LC_ALL=C
figures=allocations,frees,missed_frees,failed,bytes_allocated,live_objects,live_bytes

for archive in "$srcdir"/data/guests/*.tar.xz; do
	xz -dc "$archive" | tar -xf - || exit 1
done
cp -r "$srcdir/data/sample" sample
for name in exact views findings-whole small; do
	"$mktrace" $name <"$srcdir/cli/$name.trace" || exit 1
done

# rows PATH VIEW KEY MORE ARGUMENT...: the rows of a view, each with all figures. Names that summaries
# do not have are one row; a row of a capture may have frees of older objects only. The last column is
# live_upper_bound: summaries do not know which cache a lost event was of.
rows()
{
	"$report" "$1" "$2" --format=csv -F "$3,$figures$4" "${@:5}" 2>err | tr -d '\r' |
		awk -F, 'NR > 1 && $2 + $3 + $4 + $5 + $7 {
			name = $1 ~ /^0x/ || $1 == "unknown" ? "(unknown)" : $1
			for (i = 2; i < NF; i++) sum[name, i] += $i
			names[name] = NF }
			END { for (name in names) {
				line = name
				for (i = 2; i < names[name]; i++) line = line "," sum[name, i]
				print line } }' | sort
}

# same CAPTURE VIEW KEY MORE ARGUMENT...
same()
{
	local capture=$1

	shift
	rows "$capture" "$@" >captured
	rows merged "$@" >summed
	[ -s captured ] || { echo "$capture $*: no rows"; failed=1; }
	diff captured summed || { echo "$capture $*"; failed=1; }
}

captures=0
for metadata in */metadata; do
	capture=${metadata%/metadata}
	for interval in 60s 1ms; do
		"$builddir/kmemtrace-merge" -q -f -i $interval -o merged "$capture" || exit 1
		same "$capture" sites function ,cross_cpu_frees --by=function
		same "$capture" sites module ,cross_cpu_frees --by=module
		same "$capture" caches cache ''
	done
	captures=$((captures + 1))
done
echo "$captures captures"
[ $captures -ge 12 ] || failed=1
exit $failed
