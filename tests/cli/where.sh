#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The view where: owners, what they leave unexplained, and growth; with one reading; without; with filters, which it
# refuses.
. "$srcdir/cli/cli.sh"
need jq

one_object a.capture || exit 1
"$report" where -i a.capture >text 2>&1 || fail "without readings: exit $?"
grep -q 'no reading of the memory of the machine' text || fail "without readings: $(cat text)"
cat >a.capture/kernel/where <<'END'
read 200 1048576000
owner free 524288000 4096
owner processes 104857600 4096
owner shared 0 4096
owner hugetlb 0 0
read 8900 1048576000
owner free 419430400 8192
owner processes 209715200 4096
owner shared 1048576 4096
owner hugetlb 0 0
owner later_kind 2097152 100
END
"$report" where -i a.capture --format=json >found.json || fail "where: exit $?"
jq -c '.where[] | [.owner, .owner_text, .ram_bytes, .ram_error_bytes, .ram_percent, .growth_bytes, .how]' found.json >found
cat >expected <<'END'
["free","free",419430400,8192,40,-104857600,"MemFree"]
["unexplained","unexplained",416284672,16484,39.7,-3145728,"MemTotal - all others"]
["processes","processes",209715200,4096,20,104857600,"AnonPages"]
["later_kind","later_kind",2097152,100,0.2,null,null]
["shared","tmpfs, shared memory",1048576,4096,0.1,1048576,"Shmem"]
END
diff expected found || fail "the view differs"
[ "$(jq '[.where[].ram_bytes] | add' found.json)" = 1048576000 ] || fail "the rows do not add up"
"$report" where -i a.capture >text || fail "the text: exit $?"
grep -q '^free  *400M 8.00K  *40.0  *-100M MemFree' text || fail "the text: $(cat text)"
"$report" summary -v -i a.capture | tr -s '\n ' ' ' >text
grep -qF 'memory of 1000M of RAM, 400M free and 397M +- 16.1K unexplained at the end: see kmemtrace-report where' text ||
	fail "no line of the summary: $(cat text)"
"$report" where -i a.capture --cache=a >text 2>&1
[ $? -eq 2 ] && grep -q 'without filters' text || fail "a filter: $(cat text)"
"$pack" --anonymize -o b.capture a.capture >out 2>&1 || fail "anonymize: exit $?: $(cat out)"
"$report" where -i b.capture --format=json | jq -c '.where' >of_copy
jq -c '.where' found.json | diff - of_copy || fail "the anonymized copy differs"
# the counters of the owners overlap
sed -i 's/^owner free 419430400/owner free 1048576000/' a.capture/kernel/where
"$report" where -i a.capture --format=json | jq -e '.where[] | select(.owner == "unexplained") | .ram_bytes < 0' >/dev/null ||
	fail "owners that overlap"
sed -i '1,/^read 8900/{/^read 8900/!d}' a.capture/kernel/where
"$report" where -i a.capture --format=json | jq -e '.where | all(.growth_bytes == null)' >/dev/null ||
	fail "one reading has no growth"
exit 0
