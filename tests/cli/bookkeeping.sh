#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The objects of the slab allocator itself do not compete with those that grow: summary and leaks have one row
# of them, so that the rows still add up; sites marks their call sites; --site shows them.
. "$srcdir/cli/cli.sh"
need jq

{
	cat <<-END
		begin 1us
		symbol 0xffffffff81000000 caller
		symbol 0xffffffff81001000 memcg_alloc_slab_cgroups.isra.0
		symbol 0xffffffff81002000 alloc_slab_obj_exts
		symbol 0xffffffff81003000 kmem_cache_create_usercopy
		symbol 0xffffffff81004000 _etext
		task 10 10 server
	END
	i=0
	while [ $i -lt 40 ]; do
		echo "alloc $((10 + i))ms 0 $(printf 0x%x $((0x88800000 + i * 4096))) 100/128 caller+0x10 task=10"
		echo "alloc $((10 + i))ms 0 $(printf 0x%x $((0x98800000 + i * 4096))) 1000/1024 alloc_slab_obj_exts+0x10 task=10"
		i=$((i + 1))
	done
	cat <<-END
		alloc 60ms 0 0xa8800000 2000/2048 memcg_alloc_slab_cgroups.isra.0+0x10 task=10
		alloc 61ms 0 0xa8900000 300/512 kmem_cache_create_usercopy+0x10 task=10
		end 100ms
	END
} >trace
"$mktrace" data trace || exit 1

rest() { # without the header
	sed '1,/^$/d'
}

{
	$report data | rest
	$report leaks data | rest
	$report leaks data --by=function --format=csv -F function,live_objects,live_bytes,damage_bytes
	$report leaks data --site=slab --format=csv -F site,live_objects,live_bytes
	$report data --site=slab | rest
	$report sites data | rest
	$report sites data --by=function --format=csv -F function,bookkeeping
} >out
compare bookkeeping.expected out
for view in "" leaks; do
	$report $view data --format=json >json
	jq -e '(.growth // .leaks) as $rows | ([$rows[].live_objects] | add) == .totals.live_objects and
		([$rows[].live_bytes] | add) == .totals.live_bytes' json >/dev/null || fail "the rows of $view do not add up"
done
exit 0
