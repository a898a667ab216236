#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The owners of the memory of this machine: the rows add up to MemTotal, and files in memory, and huge pages if this user
# can make some, are in their rows.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
need jq

FILE=$((64 << 20))
HUGE=16

shared=/dev/shm/$(basename "$PWD").$$
pages=/proc/sys/vm/nr_hugepages
before=$(cat $pages 2>/dev/null || echo 0)
before_end 'rm -f "$shared"'
before_end 'echo "$before" 2>/dev/null >$pages'
# huge: as many more huge pages; the kernel can have no room for them
cat >load <<END
head -c $FILE /dev/zero >$shared || exit
echo $((before + HUGE)) 2>/dev/null >$pages
cat $pages 2>/dev/null >pages
true
END
[ -d /dev/shm ] && [ "$(stat -f -c %T /dev/shm)" = tmpfs ] || skip "/dev/shm is not a tmpfs"
"$kmemtraced" -q -o where.capture -- sh load || fail "capture: exit $?"
"$report" where -i where.capture --format=json >where.json || fail "where: exit $?"
total=$(awk '$1 == "MemTotal:" { printf "%.0f", $2 * 1024 }' /proc/meminfo)
jq -r '.where[] | "\(.owner) \(.ram_bytes) \(.ram_error_bytes) \(.growth_bytes)"' where.json >rows
cat rows
[ "$(awk '{ sum += $2 } END { printf "%.0f", sum }' rows)" = "$total" ] || fail "the rows do not add up to $total bytes"
# value OWNER COLUMN
value()
{
	awk -v owner="$1" -v column="$2" '$1 == owner { print $column }' rows
}
[ "$(value unexplained 2)" -ge "-$(value unexplained 3)" ] || fail "the counters overlap by more than the error"
grown=$(value shared 4)
wrong=$((2 * $(value shared 3) + (4 << 20))) # of both readings; other programs use a little
[ "$grown" -ge $((FILE - wrong)) ] && [ "$grown" -le $((FILE + wrong)) ] ||
	fail "a file of $FILE bytes in memory: shared grew by $grown +- $wrong"
huge=$(awk '$1 == "Hugepagesize:" { printf "%.0f", $2 * 1024 }' /proc/meminfo)
made=$(($(cat pages) - before))
if [ "$made" -gt 0 ]; then
	[ "$(value hugetlb 4)" = $((made * huge)) ] || fail "$made huge pages: hugetlb grew by $(value hugetlb 4)"
fi

# now, and how it changes; another user sees slab as one row
kmemtrace=$builddir/kmemtrace
"$kmemtrace" where -d 0.2 --format=json >now.json || fail "kmemtrace where: exit $?"
jq -r '.where[] | "\(.owner) \(.ram_bytes) \(.ram_error_bytes) \(.growth_bytes)"' now.json >rows
[ "$(awk '{ sum += $2 } END { printf "%.0f", sum }' rows)" = "$total" ] || fail "now: the rows do not add up to $total bytes"
[ "$(value shared 2)" -ge "$FILE" ] || fail "now: $(value shared 2) bytes of files in memory"
jq -e '.where | all(.growth_bytes != null)' now.json >/dev/null || fail "now: no growth"
"$kmemtrace" where >text || fail "kmemtrace where: exit $?"
grep -q '^memory  *of .* of RAM, .* free and .* +- .* unexplained' text || fail "kmemtrace where: $(cat text)"
"$kmemtrace" where true >text 2>&1
[ $? -eq 2 ] && grep -q 'cannot be used with a command' text || fail "with a command: $(cat text)"
if [ "$(id -u)" = 0 ]; then
	chmod 711 . && setpriv --reuid=65534 --regid=65534 --clear-groups "$builddir/kmemtraced" --memory --format=csv >user.csv ||
		fail "another user: exit $?"
	grep -q '^slab,slab,' user.csv || fail "another user: $(cat user.csv)"
fi
exit 0
