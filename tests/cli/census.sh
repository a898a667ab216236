#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The view census: counted by hand from two readings of the slab allocator; without one; and with filters, which it
# refuses.
. "$srcdir/cli/cli.sh"
need jq

# Four slabs of a: 3, 1, 1 and 0 of 4 objects are given; one of b, with 2 of 3; c has no slab any more.
one_object a.capture || exit 1
cat >a.capture/kernel/heap <<END
heap 200 300
cache 0xb000 1024 1000 0 c
cache 0x9000 1024 1000 0 a
slab 0 0x50000 4096 4 7
slab 1 0x10000 4096 4 8
end 2
heap 8000 8100
cache 0x9000 1024 1000 0 a
cache 0xa000 1200 1192 8 b
slab 0 0x10000 4096 4 8
slab 0 0x20000 4096 4 e
slab 0 0x30000 4096 4 d
slab 0 0x40000 4096 4 f
slab 1 0x60000 4096 3 4
end 5
END
"$report" census -i a.capture --format=json >found.json || fail "census: exit $?"
jq -c '.census[] | [.cache, .size, .given_objects, .given_bytes, .given_growth_objects, .given_growth_bytes, .slabs,
	.slab_bytes, .slab_spare_bytes, .slabs_below_quarter, .slabs_below_half, .slabs_below_three_quarters]' found.json >found
cat >expected <<END
["(all)",null,7,7520,3,3424,5,20480,8192,1,3,4]
["a",1024,5,5120,2,2048,4,16384,8192,1,3,3]
["b",1200,2,2400,2,2400,1,4096,0,0,0,1]
END
diff expected found || fail "the census differs from what was counted by hand"
jq -e '.census[0].slab_full_percent | . > 36.8 and . < 36.9' found.json >/dev/null || fail "7 of 19 is not 36.8 %: $(cat found.json)"
# the slabs from 0x40000 on lie on node 1; the node of the last one is not known
"$mktrace" nodes.capture <<END || exit 1
begin 100
end 9000
cpu 0 node 0
cpu 1 node 1
memory 0 0 0x3ffff
memory 1 0x40000 0x5ffff
symbol 0x1000 f
cache a 0x9000 1000 1024
calloc 1000 0 0x10000 a f
END
cp a.capture/kernel/heap nodes.capture/kernel/
"$report" census -i nodes.capture --format=json | jq -c '.census_nodes[] | [.node, .given_objects, .given_bytes, .slabs, .slab_bytes]' >found
cat >expected <<END
[null,2,2400,1,4096]
[0,5,5120,3,12288]
[1,0,0,1,4096]
END
diff expected found || fail "the nodes differ from what was counted by hand"
"$report" census -i nodes.capture | grep -q 'Slabs by NUMA node' || fail "no table of the nodes"
"$report" census -i a.capture | grep -q 'NUMA' && fail "a table of one node"
# the view caches has the same: of 16 objects of a, 5 are given out
"$report" caches -i a.capture --format=json | jq -c '.caches[] | [.cache, .slab_bytes, .slab_full_percent, .slab_free_bytes]' >found
echo '["a",16384,31.25,11264]' | diff - found || fail "the view caches differs from the census"
"$report" census -i a.capture --legend | grep -q 'spare' || fail "no legend"

# a has a new object in each of two new slabs, and b two in another
"$report" -v -i a.capture | tr -s ' \n' '  ' | grep -q ' 4 objects were allocated without an event: 4 of them are allocated at the end, events freed 0 ' ||
	fail "the summary: $("$report" -v -i a.capture)"
# c had one, which is gone; with the object of the event and two from before, these are the 7 that are given out
"$report" -v -i a.capture | tr -s ' \n' '  ' >text
grep -q ' had given out 4 objects, 4096 bytes, in slabs of 8192 bytes; <= 2 of them, <= 2048 bytes, are left at the end: ' text ||
	fail "older: $(cat text)"
grep -q ' slabs 20480 bytes at the end, 36.8% of their objects given out; 8192 bytes would come back ' text ||
	fail "slabs: $(cat text)"
"$report" -i a.capture --format=json | jq -e '.totals | .older_objects == 2 and .older_bytes == 2048' >/dev/null ||
	fail "older_objects or older_bytes is wrong"
unseen() { "$report" -i a.capture --format=json | jq .totals.unseen_allocations; }
[ "$(unseen)" = 4 ] || fail "totals.unseen_allocations is $(unseen)"

# a list of free objects of a was not read, then a slab of b: what is given is an upper bound
bounds() { "$report" census -i a.capture --format=json | jq -c '[.census[] | select(.given_upper_bound) | .cache] | sort'; }
[ "$(bounds)" = '[]' ] || fail "upper bounds: $(bounds)"
cp a.capture/kernel/heap heap
sed -i '/^heap 8000/,$s/^cache 0xb.*//; /^heap 8000/,$s/^slab 0 0x10000/unsure 0\n&/' a.capture/kernel/heap
[ "$(bounds)" = '["(all)","a"]' ] || fail "upper bounds with a list that was not read: $(bounds)"
"$report" census -i a.capture | grep -q '^a .* <=5 ' || fail "no <=: $("$report" census -i a.capture)"
sed '/^heap 8000/,$s/^slab 1 0x60000 4096 3 4/slab 1 0x60000 4096 3 ?/' heap >a.capture/kernel/heap
[ "$(bounds)" = '["(all)","b"]' ] || fail "upper bounds with an unknown slab: $(bounds)"
cp heap a.capture/kernel/heap

sed -i '/^heap 200/,/^end/d' a.capture/kernel/heap
"$report" census -i a.capture --format=json | jq -e '.census | length == 3 and all(.given_growth_objects == null)' >/dev/null ||
	fail "one reading has no growth"
[ "$(unseen)" = null ] || fail "one reading: totals.unseen_allocations is $(unseen)"
rm a.capture/kernel/heap
"$report" census -i a.capture >text 2>&1 || fail "without a reading: exit $?"
grep -q 'no reading of the slab allocator: kmemtraced --doctor says' text || fail "without a reading: $(cat text)"
"$report" census -i a.capture --cache=a >text 2>&1
[ $? = 2 ] && grep -q 'without filters' text || fail "with a filter: $(cat text)"
