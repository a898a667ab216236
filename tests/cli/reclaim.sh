#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The objects that the kernel frees when memory is short: by the lines of the capture, of kmalloc() by
# the GFP flags; without either it is not known.
. "$srcdir/cli/cli.sh"
need jq
"$mktrace" data <<-END || exit 1
	begin 1us
	symbol 0xffffffff81000000 caller
	symbol 0xffffffff81000100 other
	symbol 0xffffffff81001000 _etext
	gfp 0x10 __GFP_RECLAIMABLE
	gfp 0x1 __GFP_DMA
	gfp 0xcc0 GFP_KERNEL
	cache dentry 0xffff888100000100 192 192
	cache filp 0xffff888100000200 256 256
	cache later 0xffff888100000300 100 128
	reclaim dentry 1
	reclaim filp 0
	calloc 10us 0 0xffff888000001000 dentry caller+0x10 task=10
	calloc 11us 0 0xffff888000002000 dentry caller+0x10 task=10
	cfree 12us 0 0xffff888000002000 dentry caller+0x20 task=10
	calloc 13us 0 0xffff888000003000 filp caller+0x10 task=10
	alloc 14us 0 0xffff888000004000 60/64 caller+0x10 task=10 gfp=0xcd0
	alloc 15us 0 0xffff888000005000 60/64 caller+0x10 task=10 gfp=0xcc0
	alloc 16us 0 0xffff888000006000 60/64 caller+0x10 task=10 gfp=0xcd1
	alloc 17us 0 0xffff888000010000 9000/16384 caller+0x10 task=10 gfp=0xcd0
	free 18us 0 0xffff888000004000 caller+0x20 task=10
	alloc 19us 0 0xffff888000007000 30/32 caller+0x10 task=10 gfp=0xcd0
	calloc 20us 0 0xffff888000008000 later other+0x10 task=10
	calloc 21us 0 0xffff888000009000 dentry other+0x10 task=10
	free 22us 0 0xffff888000ff0000 caller+0x20 task=10
	end 1ms
END
"$check" -q data || fail "kmemtrace-check"

# rows VIEW KEY…: the values of each row
rows() {
	local view=$1

	shift
	"$report" "$view" data --format=json | jq -c "[.$view[] | [.$(printf '%s' "$1")$(printf ', .%s' "${@:2}")]] | sort[]"
}

figures() {
	echo "--- caches"
	rows caches cache reclaimable
	echo "--- sites"
	rows sites site live_bytes reclaimable_bytes
	echo "--- leaks"
	rows leaks site live_bytes reclaimable_bytes
	echo "--- count"
	"$report" count data --by=reclaimable --sum=bytes_alloc --format=csv
	echo "--- events"
	"$report" events data --where='reclaimable' -F operation,type,reclaimable --format=csv
	echo "--- selected"
	"$report" caches data --where='reclaimable' --format=csv -F cache,live_bytes
	"$report" caches data --where='!reclaimable' --format=csv -F cache,live_bytes
	"$report" leaks data --by=reclaimable --format=csv -F reclaimable,live_bytes,reclaimable_bytes
}
{
	figures
	echo "=== text"
	"$report" caches data | sed -n '/^cache/,$p'
	"$report" leaks data | grep -A 4 '^caller'
	echo "=== a capture without the lines and without names of flags"
	sed -i '/^reclaim_account/d' data/kernel/caches
	rm data/kernel/gfp
	figures
} >found 2>&1
compare reclaim.expected found

# Growth: a reclaimable site counts 1/16 of its bytes, and two rows of five are of such sites at most.
{
	echo "begin 1us"
	for site in 1 2 3 4 5 6 7 8; do
		echo "symbol 0xffffffff81000${site}00 site$site"
	done
	echo "symbol 0xffffffff81001000 _etext"
	echo "cache dentry 0xffff888100000100 192 192"
	echo "cache filp 0xffff888100000200 256 256"
	echo "reclaim dentry 1"
	echo "reclaim filp 0"
	time=10 object=0
	# site:cache:objects
	for made in 1:dentry:99 2:dentry:90 3:dentry:80 4:filp:9 5:filp:3 6:filp:2 7:filp:1; do
		IFS=: read -r site cache count <<<"$made"
		for ((i = 0; i < count; i++)); do
			printf 'calloc %dus 0 0x%x %s site%d+0x10 task=10\n' $((time++)) \
				$((0xffff888000001000 + 512 * object++)) "$cache" "$site"
		done
	done
	echo "end 1ms"
} | "$mktrace" grown || exit 1
found=$("$report" grown --format=json | jq -r '.growth[] | "\(.site[:5]) \(.live_objects) \(.growth_pattern)"')
[ "$found" = "site4 9 burst
site1 99 reclaimable
site2 90 reclaimable
site5 3 burst
site6 2 burst" ] || fail "what grew: $found"
"$report" grown | grep -q '^others *81 ' || fail "the others: $("$report" grown)"
