#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Whether a cache is reclaimable is what the running kernel says; the dentries of names that do not
# exist are, and kmemtraced --count knows it without a capture.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
need jq

slab=/sys/kernel/slab
[ -r $slab/dentry/reclaim_account ] || skip "$slab cannot be read"

cat >load <<-'END'
	i=0
	while [ $i -lt 2000 ]; do
		[ -e "$1/none-$i" ] && exit 1
		i=$((i + 1))
	done
	read -r line </proc/self/status
END
"$kmemtraced" -q -- sh load "$scratch" || fail "kmemtraced"
checked

"$report" caches --format=json | jq -r '.caches[] | "\(.cache) \(.reclaimable)"' >caches
while read -r cache reclaimable; do
	[ -r "$slab/$cache/reclaim_account" ] || continue
	case $(cat "$slab/$cache/reclaim_account") in
	1) expected=true ;;
	*) expected=false ;;
	esac
	[ "$reclaimable" = $expected ] || wrong "$cache: reclaimable is $reclaimable, of the kernel $expected"
	echo $expected
done <caches >compared
grep -qx true compared || fail "no reclaimable cache was compared: $(cat caches)"
grep -qx false compared || fail "no other cache was compared: $(cat caches)"

"$report" sites --comm=sh --where='type == "dentry"' --format=json >dentries
jq -e '[.sites[].live_bytes] | add > 2000 * 100' dentries >/dev/null || skip "this kernel keeps no names that do not exist"
jq -e 'all(.sites[]; .live_bytes == .reclaimable_bytes)' dentries >/dev/null || wrong "dentries: $(cat dentries)"

"$kmemtraced" -q --count --by=type,reclaimable --where='operation == "allocation"' --format=json \
	-- sh load "$scratch" >counted || fail "kmemtraced --count"
jq -e 'all(.count[] | select(.type == "dentry"); .reclaimable)
	and any(.count[]; .type == "dentry")
	and all(.count[] | select(.type == "filp"); .reclaimable == false)' counted >/dev/null ||
	wrong "--count: $(cat counted)"
exit $failed
