#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The view allocinfo: what source lines hold and how it grew; with one reading; without; with filters, which it refuses;
# and in a copy that is anonymized.
. "$srcdir/cli/cli.sh"
need jq

one_object a.capture || exit 1
"$report" allocinfo -i a.capture >text 2>&1 || fail "without readings: exit $?"
grep -q 'vm.mem_profiling' text || fail "without readings, it does not say what to do: $(cat text)"
cat >a.capture/kernel/allocinfo <<'END'
read 200
line 4096 1 mm/a.c:10 alloc_a
line 512 2 mm/gone.c:5 alloc_gone
read 8900
line 1052672 257 mm/a.c:10 alloc_a
line 64 1 drivers/b.c:7 alloc_b plant
inexact -32 0 mm/c.c:1 alloc_c
END
"$report" allocinfo -i a.capture --format=json >found.json || fail "allocinfo: exit $?"
jq -c '.allocinfo[] | [.place, .function, .module, .objects, .bytes, .growth_objects, .growth_bytes, .exact]' found.json >found
cat >expected <<'END'
["mm/a.c:10","alloc_a",null,257,1052672,256,1048576,true]
["drivers/b.c:7","alloc_b","plant",1,64,1,64,true]
["mm/gone.c:5","alloc_gone",null,0,0,-2,-512,true]
["mm/c.c:1","alloc_c",null,0,-32,0,-32,false]
END
diff expected found || fail "the view differs"
"$report" allocinfo -i a.capture >text || fail "the text: exit $?"
grep -q '^mm/a.c:10  *alloc_a .* 257 1.00M  *+256 +1.00M$' text || fail "the text: $(cat text)"
"$report" summary -v -i a.capture | tr -s '\n ' ' ' >text
grep -qF 'allocinfo by /proc/allocinfo, 3 source lines hold memory; most mm/a.c:10 alloc_a, 1052672 bytes; grown most mm/a.c:10 alloc_a, 1048576 bytes: see' \
	text || fail "no line of the summary: $(cat text)"
"$report" allocinfo -i a.capture --cache=a >text 2>&1
[ $? -eq 2 ] && grep -q 'without filters' text || fail "a filter: $(cat text)"
"$pack" --anonymize -o b.capture a.capture >out 2>&1 || fail "anonymize: exit $?: $(cat out)"
"$report" allocinfo -i b.capture --format=json | jq -c '.allocinfo' >of_copy
jq -c '.allocinfo' found.json | diff - of_copy || fail "the anonymized copy differs"
# the kernel has the whole path of a module that was built elsewhere
echo 'line 8 1 /home/someone/secret/drv.c:9 f m' >>a.capture/kernel/allocinfo
"$pack" --anonymize -o c.capture a.capture >out 2>&1 || fail "anonymize: exit $?: $(cat out)"
grep -q '^line 8 1 drv.c:9 f m$' c.capture/kernel/allocinfo || fail "the path of a source: $(cat c.capture/kernel/allocinfo)"
sed -i '/secret/d' a.capture/kernel/allocinfo
sed -i '1,/read 8900/{/read 8900/!d}' a.capture/kernel/allocinfo
"$report" allocinfo -i a.capture --format=json | jq -e '.allocinfo | length == 3 and all(.growth_bytes == null)' >/dev/null ||
	fail "one reading has no growth"
exit 0
