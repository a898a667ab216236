#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The view slabinfo on this kernel: a cache that grows by a known number of observed objects has none
# on unobserved paths, a cache whose frees are not observed has them; and the view's numbers agree
# with /proc/slabinfo, read and subtracted here. Without readings of the allocator, which say more.
. "$srcdir/live/live.sh"
need jq

FILES=20000
own_folder folder || skip "no tmpfs can be mounted"
[ -r /proc/slabinfo ] || skip "/proc/slabinfo cannot be read"
[ -r /sys/kernel/slab/shmem_inode_cache/objs_per_slab ] || skip "no shmem_inode_cache"

# Files of tmpfs stay; the processes make the kernel use its maple trees, where it frees in bulk or
# into sheaves.
touch=touch$$ # as no other task is named
cp "$(command -v touch)" $touch
cat >load.sh <<E2
cat /proc/slabinfo >before
date -u +%Y-%m-%dT%H:%M:%S.%N >begun
(cd folder && seq $FILES | xargs ../$touch)
for i in \$(seq 300); do ls / >/dev/null; done
find /proc -maxdepth 3 >/dev/null 2>&1
date -u +%Y-%m-%dT%H:%M:%S.%N >ended
cat /proc/slabinfo >after
E2
"$kmemtraced" -q --no-audit -- sh load.sh || fail "kmemtraced: exit $?"
checked
"$report" slabinfo --format=csv -l 0 2>/dev/null | tr -d '\r' >view || fail "slabinfo: exit $?"
caches() { # caches FILE OPTION…: a line "cache allocations frees unmatched" each
	file=$1
	shift
	"$report" caches --format=json -l 0 "$@" >caches.json || fail "caches: exit $?"
	jq -r '.caches[] | "\(.cache) \(.allocations) \(.frees) \(.frees_unmatched)"' caches.json >"$file"
}
caches caches.all
# of the time between a reading of kmemtraced and one of our own
caches caches.begin --time=",$(cat begun)"
caches caches.end --time="$(cat ended),"
"$report" summary -v | sed -n '/^events/,/^Growth/p' >summary || fail "summary: exit $?"

# The columns of the view follow from kernel/slabinfo and from each other.
begin=$(value kmemtrace.data/kernel/status begin)
last=$(awk '$1 == "slab" { print $2 }' kmemtrace.data/kernel/slabinfo | tail -n 1)
awk -F , -v begin="$begin" -v last="$last" '
function wrong(what) { print $1 ": " what ": " $0; failed = 1 }
FILENAME != "view" {
	split($0, word, " ")
	if (word[1] == "slab" && word[2] == begin) growth[word[3]] -= word[4]
	if (word[1] == "slab" && word[2] == last) growth[word[3]] += word[4]
	next
}
FNR == 1 { next }
{
	rows++
	if ($3 != growth[$1]) wrong("grew by " growth[$1])
	if ($6 != "" && $6 != $4 - $5) wrong("observed is not " $4 - $5)
	if ($6 != "" && $8 != $3 - $6) wrong("the difference is not " $3 - $6)
	if ($6 != "" && $9 != "" && ($9 > 0 || $10 < 0)) wrong("the error")
	if ($6 != "" && $9 != "" && $11 != ($8 < $9 || $8 > $10 ? $8 : 0)) wrong("unobserved")
	if ($11 > 0) allocated += $11
	if ($11 < 0) freed -= $11
}
END {
	if (rows < 10) { print "only " rows + 0 " rows"; failed = 1 }
	print allocated + 0, freed + 0 >"sums"
	exit failed
}' kmemtrace.data/kernel/slabinfo view || fail "the view does not follow from kernel/slabinfo"

# The summary has the same sums, and live may be wrong by at least the allocations.
read -r allocated freed <sums
if [ $((allocated + freed)) = 0 ]; then
	grep -q '^slabinfo  /proc/slabinfo shows no unobserved' summary ||
		fail "the summary: $(cat summary)"
else
	grep -q "^slabinfo  $allocated allocations and $freed frees were not" summary ||
		fail "not $allocated allocations and $freed frees: $(cat summary)"
fi
error=$(json .totals.live_error_objects)
[ "$error" -ge "$allocated" ] || fail "live may be wrong by $error, and $allocated are missing"

# tmpfs: each file is an object, and every one is observed.
read -r growth observed low high unobserved <<E2
$(awk -F , '$1 == "shmem_inode_cache" { print $3, $6, $9, $10, $11 }' view)
E2
lost=$(json '.loss.lost + .loss.skipped')
made=$("$report" count --where="cache == \"shmem_inode_cache\" && operation == \"allocation\" && comm == \"$touch\"" \
	--format=json | jq .query.counted)
echo "shmem_inode_cache: $made of $FILES files: growth $growth, observed $observed, error $low to $high; lost or skipped $lost"
[ "$made" -le $FILES ] && [ "$made" -ge $((FILES - lost)) ] || fail "$made of $FILES files"
[ "$unobserved" = 0 ] || fail "$unobserved were not observed"
[ $((high - low)) -lt $((FILES / 10)) ] || skip "the error is too large: $low to $high"

# The view's unobserved objects are those of our own readings: growth - (allocations - frees).
awk -F , -v lost="$lost" '
function abs(x) { return x < 0 ? -x : x }
FILENAME != "view" {
	split($0, word, " ")
	if (FILENAME == "before" || FILENAME == "after")
		growth[word[1]] += FILENAME == "before" ? -word[2] : word[2]
	else if (FILENAME == "caches.all")
		events[word[1]] = word[2] - word[3] - word[4]
	else
		meanwhile[word[1]] += word[2] + word[3] + word[4]
	next
}
FNR > 1 && $11 != "" && $11 != 0 {
	ours = growth[$1] - events[$1]
	print $1 ": not observed: " $11 ", by our own readings " ours ", events between the readings: " meanwhile[$1] + 0
	if (abs(ours - $11) > $10 - $9 + abs($11) / 10 + meanwhile[$1] + lost) failed = 1
}
END { exit failed }' before after caches.all caches.begin caches.end view >ours || fail "the view differs: $(cat ours)"
cat ours

# A cache with many missed frees: slabinfo shows frees that were not observed, live is a bound.
missed=$(awk -F , '$1 == "maple_node" { print $7 }' view)
range=$(awk -F , '$1 == "maple_node" && $9 != "" { print $10 - $9 }' view)
[ "${missed:-0}" -gt $((2 * ${range:-1000000})) ] || skip "all frees of maple_node are observed: $missed missed"
awk -F , '$1 == "maple_node" && $11 < 0' view | grep -q . ||
	fail "maple_node: $missed missed frees, not seen in slabinfo: $(grep ^maple_node view)"
"$report" caches -l 0 | grep -A 1 '^maple_node' | grep -q '<=[0-9]' ||
	fail "live of maple_node is not printed as an upper bound"
[ "$(json '[.caches[] | select(.cache == "maple_node") | .live_upper_bound] | first')" = true ] ||
	fail "live_upper_bound of maple_node"
