#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The kernel debugs some of its slab caches, so that their objects are larger than their classes.
. "$srcdir/cli/cli.sh"
need jq
"$mktrace" data <"$srcdir/cli/debugged.trace" || exit 1
"$check" data >check.log || fail "$(cat check.log)"
{
	"$report" -v data | grep -A 1 '^debugging'
	"$report" -v caches data -s cache
	"$report" caches data --format=json | jq -c '.totals | {bytes_requested, bytes_allocated, bytes_debug, bytes_wasted}'
	"$report" caches data --format=json | jq -c '.caches[] | [.cache, .object_size, .size, .debug_size, .bytes_wasted]'
	"$report" sites data --format=json | jq -c '.sites[] | [.site, .cache, .bytes_wasted, .live_waste, .peak_waste]'
	"$report" sizes data --format=json | jq -c '.sizes[] | [.cache, .size, .from_bytes, .to_bytes, .bytes_wasted, .live_waste]'
} >found 2>&1
compare debugged.expected found

# a copy without the names of the machine keeps these facts
"$builddir/kmemtrace-pack" -q --anonymize -o copy data || fail "kmemtrace-pack: exit $?"
for capture in data copy; do
	"$report" caches $capture --format=json | jq -c '[.totals.bytes_debug, (.caches[] | [.cache, .size, .debug_size])]' >$capture.figures
done
grep -q 'kmalloc-4k",4480,384' data.figures && cmp data.figures copy.figures || fail "the anonymized copy: $(cat copy.figures)"

# a capture of an earlier kmemtraced has no sizes of the classes: they are named by what an object takes
sed -i '/^debug /d; s/^\(kmalloc [^ ]*\) .*/\1/' data/kernel/caches
[ "$("$report" caches data --format=json | jq -r '[.caches[].cache] | sort | join(" ")')" = \
	"filp kmalloc-192 kmalloc-256 kmalloc-4480 kmalloc-large" ] || fail "without sizes: $("$report" -v caches data)"

# a line that is not of this cache, and sizes that no slab has, change no figure
"$mktrace" hostile <"$srcdir/cli/debugged.trace" || exit 1
sed -i 's/^debug filp .*/debug filp 400 ZU/; s/^kmalloc kmalloc-64 .*/kmalloc kmalloc-64 300 192/' hostile/kernel/caches
"$report" caches hostile --format=json | jq -e '[.caches[] | .bytes_wasted] as $wasted | .totals.bytes_wasted == ($wasted | add) and
	all(.caches[]; .bytes_wasted <= .bytes_allocated) and
	(.caches[] | select(.cache == "filp") | .debug_size == 0 and .bytes_wasted == 280)' >/dev/null ||
	fail "hostile sizes: $("$report" -v caches hostile)"
