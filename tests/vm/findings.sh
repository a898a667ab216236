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

check_findings()
{
	local others gaps

	expect_wrong
	expect_right
	# "plant_short+0x14/0x20 [plant]" -> plant_short; a missed free in right_* is expected
	# shellcheck disable=SC2016 # jq's own
	json planted findings '.findings[] |
		[.alloc_site, .free_site, .other_site | . // ""] as $sites |
		select(any($sites[]; endswith(" [plant]")) or any(.cache, .free_cache;
			. // "" | startswith("plant_"))) | [.kind, .certainty, .count,
			($sites[] | sub("\\+0x.*"; "") | if . == "" then "-" else . end)] |
		join(" ")' | sort >found
	! unobserved '' || sed -i '/^missed-free possible [0-9]* right_/d' found
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
	if ! { diff -u expected found && diff -u expected-right found-right; } >difference; then
		gaps=$(sed -n -e 's/^skipped //p' -e 's/^raised \([0-9]*\) .*/\1/p' \
			-e 's/^cpu .* lost \([0-9]*\) .*/\1/p' planted/kernel/status | paste -sd+)
		[ $((gaps)) -gt 0 ] || fail "planted (-) and found (+): $(cat difference)"
		cat difference
		skip "three captures have lost or skipped events, or clamped times: is this machine busy?"
	fi
	others=$(json planted findings '.findings[] | select(.certainty == "certain") |
		select([.alloc_site, .free_site, .other_site | . // ""] |
			any(endswith(" [plant]")) | not)')
	[ -z "$others" ] || fail "certain findings that were not planted: $others"
	# a size that is smaller than requested breaks the format, too
	tail -n 2 here/check | grep -q ': 11 problems: ' || fail "kmemtrace-check: $(cat here/check)"
	echo "what was planted was found: $(cut -d ' ' -f 2 found | sort | uniq -c | xargs)"
}
