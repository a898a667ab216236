#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Imports a real trace.dat: the events view shows each event with the values that trace-cmd prints,
# and its counters are those that trace-cmd printed when it was recorded.
. "$srcdir/cli/cli.sh"
data=$srcdir/data/trace.dat

"$builddir/kmemtrace-import" "$data" >notes 2>&1 || {
	cat notes
	grep -q 'built without libtracecmd' notes || exit 1
	echo "skipped: kmemtrace-import was built without libtracecmd: install libtracecmd-dev," \
		"libtracefs-dev and libtraceevent-dev, and configure again"
	exit 77
}
"$check" >check || { cat check; exit 1; }
grep -q 'kmt_page_size = 4096;' kmemtrace.data/metadata || fail "not the page size of the recording"
"$report" events --format=csv -l 0 >report 2>errors || { cat errors; exit 1; }
awk -F, '!/^#/ && $1 ~ /^[0-9]/ {
	free = $6 ~ /free/
	sub(/\/.*/, "", $15)
	print $2, $3, $6, $9, free ? "" : $10, free ? "" : $11, $13, $15
}' report >got

# The counters: the events of each kind, and the requested bytes.
awk '{ count[$3]++; asked += NF == 8 ? $5 : 0 } END {
	print count["kmalloc"], count["kfree"], count["kmem_cache_alloc"],
		count["kmem_cache_free"], asked
}' got >counters
echo "530 1437 447 848 711830" | diff -u - counters || exit 1

# A file that is cut off or damaged is refused or imported. No crash, and no file is left behind.
size=$(wc -c <"$data")
for at in 0 1 9 11 40 100 500 1000 4000 8191 8192 9000 12000 16384 20000 25000 30000; do
	[ $at -lt "$size" ] || continue
	head -c $at "$data" >cut.dat
	cp "$data" odd.dat
	chmod u+w odd.dat
	printf '\377\377\377\377\377\377\377\177' | dd of=odd.dat bs=1 seek=$at conv=notrunc 2>dd.log
	for file in cut.dat odd.dat; do
		"$builddir/kmemtrace-import" --format=trace-cmd -o damaged $file >said 2>&1
		status=$?
		case $status in
		0 | 1) "$check" -q damaged || exit 1 ;;
		2) [ -s said ] || { echo "$file at $at: said nothing"; exit 1; } ;;
		*) echo "$file at $at: exit status $status"; cat said; exit 1 ;;
		esac
		rm -rf damaged damaged.old
		[ -z "$(find . -name 'damaged*')" ] || { ls; exit 1; }
	done
done

command -v trace-cmd >/dev/null || {
	echo "note: trace-cmd is not installed: the events were counted, not compared"
	exit 0
}
trace-cmd report "$data" 2>/dev/null | awk '/ call_site=/ {
	for (at = 1; $at !~ /^\[[0-9]*\]$/; at++)
		;
	cpu = $at; gsub(/[][]/, "", cpu)
	task = $(at - 1); sub(/.*-/, "", task)
	event = $(at + 2); sub(/:/, "", event)
	delete value
	for (i = at + 3; i <= NF; i++) {
		split($i, pair, "=")
		value[pair[1]] = pair[2]
	}
	sub(/\(nil\)/, "0x0", value["ptr"])
	print cpu + 0, task, event, value["ptr"], value["bytes_req"], value["bytes_alloc"],
		value["gfp_flags"], value["call_site"]
}' >expected
diff -u expected got
