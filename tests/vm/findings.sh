#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Everything wrong that is planted in a kernel is found, as often as it was planted, where it was
# planted, and with the certainty that it deserves; nothing that is right is.
# shellcheck source=tests/vm/vm.sh
. "$srcdir/vm/vm.sh"

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

# kind, certainty, count; the functions that allocated, freed and did the other part of it
expect_wrong()
{
	local kfreed=legal

	# SLOB, gone since 6.4, had no kfree() of a cache's object
	[[ $1 != 6.1-* ]] || kfreed=certain
	sort >expected <<END
cache-object-kfreed $kfreed 5 cache_kfreed plant_cache_kfreed -
double-free certain 6 double_free plant_double_free plant_first_free
failed-allocation legal 12 plant_failed - -
interior-free certain 7 interior_free plant_interior_free -
kmalloc-freed-to-cache certain 3 kmalloc_to_cache plant_kmalloc_to_cache -
missed-free possible 10 plant_missed_first - plant_missed_free
overlap certain 9 plant_overlap - overlap
short-allocation certain 11 plant_short - -
unknown-free certain 8 - plant_unknown_free -
wrong-cache certain 4 wrong_cache plant_wrong_cache -
END
}

# function; objects allocated, freed, of these on another CPU (where that is certain), freed unseen
cat >expected-right <<'END'
right_bulk 160 160 - 0
right_cache 20 20 - 0
right_hand_out 30 30 30 0
right_kfree 20 20 - 0
right_kfree_bulk 160 160 - 0
right_kfree_rcu 100 100 - 0
right_krealloc 20 20 - 0
right_large 9 9 - 0
right_typesafe 20 20 - 0
END

# Puts side by side what was planted and what was found of it; 1: it is not the same.
look()
{
	local kernel=$1

	expect_wrong "$kernel"
	# "plant_short+0x14/0x20 [plant]" -> plant_short
	# shellcheck disable=SC2016 # jq's own
	json "$kernel" findings '.findings[] |
		[.alloc_site, .free_site, .other_site | . // ""] as $sites |
		select(any($sites[]; endswith(" [plant]")) or any(.cache, .free_cache;
			. // "" | startswith("plant_"))) | [.kind, .certainty, .count,
			($sites[] | sub("\\+0x.*"; "") | if . == "" then "-" else . end)] |
		join(" ")' | sort >found
	json "$kernel" sites '[.sites[] | select(.site | test("^right_.* \\[plant\\]$")) |
		.site |= sub("\\+0x.*"; "")] | group_by(.site)[] |
		[.[0].site, (map(.allocations) | add), (map(.frees) | add),
			if .[0].site == "right_hand_out" then map(.cross_cpu_frees) | add else "-" end,
			(map(.missed_frees) | add)] | join(" ")' >found-right
	diff -u expected found && diff -u expected-right found-right
}

raised() # records whose time was raised: what rests on their order is only possible
{
	sed -n 's/^raised \([0-9]*\) .*/\1/p' "$1/capture/kernel/status"
}

for kernel in "${guests[@]}"; do
	for try in 1 2 3; do
		in_guest "$kernel" "$srcdir/vm/capture.guest" planted
		look "$kernel" >difference && break
		gaps=$(($(json "$kernel" summary '.loss.lost + .loss.skipped') + $(raised "$kernel")))
		[ "$gaps" != 0 ] || fail "$kernel: planted (-) and found (+):" "$(cat difference)"
		echo "$kernel: capture $try: $gaps events were lost, skipped or out of order:" \
			"$(grep -e '^[-+][^-+]' difference)"
		[ "$try" -lt 3 ] || skip "$kernel: each of three captures has lost, skipped or raised" \
			"events: is this machine busy?"
	done

	others=$(json "$kernel" findings '.findings[] | select(.certainty == "certain") |
		select([.alloc_site, .free_site, .other_site | . // ""] |
			any(endswith(" [plant]")) | not)')
	[ -z "$others" ] || fail "$kernel: nobody planted this, but it is certain: $others"
	# what breaks the format, too: a size that is less than was asked for
	"$check" "$kernel/capture" >check.log
	tail -n 1 check.log | grep -q ': 11 findings: ' || fail "$kernel: kmemtrace-check:" \
		"$(tail -n 20 check.log)"
	echo "$kernel: $release: what was planted was found, and nothing else"
done
exit 0
