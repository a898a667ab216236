#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The owners of the memory of this machine: the rows add up to MemTotal, and a file in memory is in its row, of a capture and
# now.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
need jq

FILE=$((64 << 20))

in_memory
[ "$(stat -f -c %T .)" = tmpfs ] || skip "no folder in memory"
kmemtrace=$builddir/kmemtrace
total=$(awk '$1 == "MemTotal:" { printf "%.0f", $2 * 1024 }' /proc/meminfo)
echo "head -c $FILE /dev/zero >file" >load

# rows_of REPORT: the rows of where, which add up
rows_of()
{
	jq -r '.where[] | "\(.owner) \(.ram_bytes) \(.ram_error_bytes) \(.growth_bytes)"' "$1" >rows
	[ "$(awk '{ sum += $2 } END { printf "%.0f", sum }' rows)" = "$total" ] || fail "$1: the rows do not add up to $total bytes"
}

value() # value OWNER COLUMN
{
	awk -v owner="$1" -v column="$2" '$1 == owner { print $column }' rows
}

# Other programs use files in memory, too: one round without them is enough. A file in no row or in two fails in each.
found=''
for round in 1 2 3 4 5; do
	rm -rf file "$scratch/where.capture"
	"$kmemtraced" -q -o "$scratch/where.capture" -- sh load || fail "capture: exit $?" # not in memory itself
	"$report" where -i "$scratch/where.capture" --format=json >where.json || fail "where: exit $?"
	rows_of where.json
	grown=$(value shared 4) wrong=$((2 * $(value shared 3)))
	echo "round $round: a file of $FILE bytes: shared grew by $grown +- $wrong; unexplained: $(value unexplained 2) +- $(value unexplained 3)"
	[ "$grown" -ge $((FILE - wrong)) ] && [ "$grown" -le $((FILE + wrong)) ] &&
		[ "$(value unexplained 2)" -ge "-$(value unexplained 3)" ] && found=yes && break
done
[ -n "$found" ] || fail "the file is not in its row, or the counters overlap by more than the error: $(cat rows)"

# now, and how it changes
"$kmemtrace" where -d 0.2 --format=json >now.json || fail "kmemtrace where: exit $?"
rows_of now.json
[ "$(value shared 2)" -ge "$FILE" ] || fail "now: $(value shared 2) bytes of files in memory"
jq -e '.where | all(.growth_bytes != null)' now.json >/dev/null || fail "now: no growth"
"$kmemtrace" where >text || fail "kmemtrace where: exit $?"
grep -q '^memory  *of .* of RAM, .* free and .* +- .* unexplained' text || fail "kmemtrace where: $(cat text)"
"$kmemtrace" where true >text 2>&1
[ $? -eq 2 ] && grep -q 'cannot be used with a command' text || fail "with a command: $(cat text)"
"$kmemtrace" where >/dev/full 2>text
[ $? -eq 2 ] && grep -q 'No space left' text || fail "on a full disk: $(cat text)"

# another user sees slab as one row
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	cp "$kmemtraced" daemon && chmod 711 .
	setpriv --reuid=65534 --regid=65534 --clear-groups ./daemon --memory --format=csv >user.csv || fail "another user: exit $?"
	grep -q '^slab,slab,' user.csv || fail "another user: $(cat user.csv)"
fi
exit 0
