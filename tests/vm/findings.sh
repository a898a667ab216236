# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # kernel.sh, which sources it, sets them
# Each bug that is planted in a kernel is found, as often as it was planted, at its call sites, and
# with the expected certainty; correct code leads to no finding. Sourced.

write_planted()
{
	cat >planted <<'END'
right-kfree 20
right-cache 20
right-typesafe 20
right-kfree-rcu 100
right-bulk 10
right-kfree-bulk 10
right-handover 30
right-large 3
right-krealloc 10
right-mempool 10
right-nothing 5
kmalloc-freed-to-cache 3
wrong-cache 4
cache-object-kfreed 5
double-free 6
interior-free 7
unknown-free 8
overlap 9
missed-free 10
short-allocation 11
failed-allocation 12
END
}

# Does the capture list that path as not observed?
unobserved()
{
	grep -q "^unobserved $1" planted/kernel/status
}

# Is the guest's kernel older than this version?
is_before()
{
	[ "$(printf '%s\n' "$release" "$1" | sort -V | head -n 1)" != "$1" ]
}

# kind, certainty, count; the functions of the allocation, of the free and of the other event
expect_wrong()
{
	local sure=certain kfreed

	# events on paths that are not observed may explain all but an event that is wrong by itself
	! unobserved '' || sure=possible
	# SLOB, gone since 6.4, had no kfree() of a cache's object
	kfreed=$sure
	is_before 6.4 || kfreed=legal
	sort >expected <<END
cache-object-kfreed $kfreed 5 cache_kfreed plant_cache_kfreed -
double-free $sure 6 double_free plant_double_free plant_first_free
failed-allocation legal 12 plant_failed - -
interior-free $sure 7 interior_free plant_interior_free -
kmalloc-freed-to-cache $sure 3 kmalloc_to_cache plant_kmalloc_to_cache -
missed-free possible 10 plant_missed_first - plant_missed_free
overlap $sure 9 plant_overlap - overlap
short-allocation certain 11 plant_short - -
unknown-free $sure 8 - plant_unknown_free -
wrong-cache $sure 4 wrong_cache plant_wrong_cache -
END
	# 7.2 warns of the wrong cache and leaks the object, before the tracepoint: see expect_right
	is_before 7.0 || sed -i '/^kmalloc-freed-to-cache /d' expected
	# in these, the cache is wrong: some kernels' events do not have the cache
	grep -q '^cache ' planted/kernel/caches || sed -i -E '/^(unknown-free|wrong-cache) /d' expected
}

# function; objects allocated, freed, freed on another CPU (if that is certain), missed frees. If the
# path is not observed, a missed free is found only when its address is used again: "*".
# kmalloc_to_cache leaks its objects on 7.2.
expect_right()
{
	local bulk_frees="160 - 0" bulk="right_bulk 160 160 - 0" rcu="100 - 0" leaked=

	! unobserved kmem_cache_free_bulk || bulk_frees="0 - *" bulk="right_bulk 160 0 - *"
	! unobserved kmem_cache_alloc_bulk || bulk=
	! unobserved kfree_rcu-batched || rcu="* - *"
	is_before 7.0 || leaked="kmalloc_to_cache 3 0 - 0"
	grep . >expected-right <<END
$leaked
$bulk
right_cache 20 20 - 0
right_hand_out 30 30 30 0
right_kfree 20 20 - 0
right_kfree_bulk 160 $bulk_frees
right_kfree_rcu 100 $rcu
right_krealloc 20 20 - 0
right_large 9 9 - 0
right_typesafe 20 20 - 0
END
}

# allowed_gaps CAPTURE TIMES: how many events the capture lost, and how many the kernel skipped in
# spans that overlap these times: a file with two numbers, in seconds.
allowed_gaps()
{
	awk -v times="$(cat "$2")" '
		BEGIN { split(times, time) }
		$1 == "cpu" { for (i = 3; i < NF; i += 2) if ($i == "lost") gaps += $(i + 1) }
		$1 == "skip" && $2 < (time[2] + 0.02) * 1e9 && $3 > time[1] * 1e9 { gaps += $4 }
		END { print gaps + 0 }' "$1/kernel/status"
}

# difference EXPECTED FOUND: files with lines of a name and numbers. Prints by how much the numbers of
# a column are too low, or too high, added up over all lines; of the column that differs most.
difference()
{
	awk '{ sign = NR == FNR ? 1 : -1; lines[$1]
	       for (i = 2; i <= NF; i++) sum[$1, i] += sign * $i
	       columns = NF > columns ? NF : columns }
	     END { for (i = 2; i <= columns; i++) {
			missing = more = 0
			for (line in lines) {
				if (sum[line, i] > 0) missing += sum[line, i]
				else more -= sum[line, i]
			}
			if (missing > most) most = missing
			if (more > most) most = more
		   }
		   print most + 0 }' "$1" "$2"
}

# Each event that is not in the capture may change a number of a line by one; and a finding may be
# possible only that would be certain. Nothing else may differ.
check_difference()
{
	local gaps file

	gaps=$(allowed_gaps planted planted-times)
	[ "$gaps" -gt 0 ] || fail "planted (-) and found (+): $(cat differences)"
	for file in expected found; do
		awk '{ print $1 ":" $4 ":" $5 ":" $6, $3 }' $file >$file-counts
		awk '$2 == "certain" { print $1, $4, $5, $6 }' $file | sort >$file-certain
	done
	[ -z "$(comm -13 expected-certain found-certain)" ] ||
		fail "found with too much certainty, planted (-) and found (+): $(cat differences)"
	[ "$(difference expected-counts found-counts)" -le "$gaps" ] &&
		[ "$(difference expected-right found-right)" -le "$gaps" ] ||
		fail "more than the $gaps lost or skipped events can change differs between the" \
			"planted (-) and found (+): $(cat differences)"
	echo "the $gaps lost or skipped events at that time explain: $(grep '^[-+][^-+]' differences |
		xargs)"
}

check_findings()
{
	local others short problems

	expect_wrong
	expect_right
	# "plant_short+0x14/0x20 [plant]" -> plant_short; a missed free in right_* is expected. A path
	# that is not observed may free an object of the kernel, and right_* get its address: that object
	# is marked "other".
	# shellcheck disable=SC2016 # jq's own
	json planted findings '.findings[] |
		[.alloc_site, .free_site, .other_site | . // ""] as $sites |
		select(any($sites[]; endswith(" [plant]")) or any(.cache, .free_cache;
			. // "" | startswith("plant_"))) | [.kind, .certainty, .count,
			($sites[] | sub("\\+0x.*"; "") | if . == "" then "-" else . end)] |
		if .[0] == "missed-free" and ($sites[0] | endswith(" [plant]") | not)
			then .[3] = "other" else . end |
		join(" ")' | sort >found
	! unobserved '' || sed -i -E '/^missed-free possible [0-9]+ (right_|other - right_)/d' found
	json planted sites '[.sites[] |
		select(.site | test("^(right_.*|kmalloc_to_cache\\+.*) \\[plant\\]$")) |
		.site |= sub("\\+0x.*"; "")] | group_by(.site)[] |
		[.[0].site, (map(.allocations) | add), (map(.frees) | add),
			if .[0].site == "right_hand_out" then map(.cross_cpu_frees) | add else "-" end,
			(map(.missed_frees) | add)] | join(" ")' |
		awk 'NR == FNR { expected[$1] = $0; next }
			{ split(expected[$1], field)
			  for (i in field) if (field[i] == "*") $i = "*"
			  print }' expected-right - | sort >found-right
	! is_before 7.0 || sed -i '/^kmalloc_to_cache /d' found-right
	{ diff -u expected found && diff -u expected-right found-right; } >differences ||
		check_difference
	others=$(json planted findings '.findings[] | select(.certainty == "certain") |
		select([.alloc_site, .free_site, .other_site | . // ""] |
			any(endswith(" [plant]")) | not)')
	[ -z "$others" ] || fail "certain findings that were not planted: $others"
	# a size that is smaller than requested breaks the format, too
	short=$(awk '$1 == "short-allocation" { sum += $3 } END { print sum + 0 }' found)
	problems=$(sed -n 's/.*: \([0-9]*\) problems: .*/\1/p' here/check)
	[ "$problems" = "$short" ] || fail "kmemtrace-check, not $short problems: $(cat here/check)"
	echo "what was planted was found: $(cut -d ' ' -f 2 found | sort | uniq -c | xargs)"
}
