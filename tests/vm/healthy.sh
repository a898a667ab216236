#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A kernel without memory bugs, whose paths are all observed and which is busy before, during and
# after the capture, has no certain finding.
# shellcheck source=tests/vm/vm.sh
. "$srcdir/vm/vm.sh"

looked=0
[ ${#guests[@]} -gt 0 ] || skip "the lab has no kernel of this machine's architecture"
for kernel in "${guests[@]}"; do
	in_guest "$kernel" "$srcdir/vm/healthy.guest"
	checked "$kernel/capture"
	unobserved=$(json "$kernel/capture" findings '.loss.unobserved | join(", ")')
	certain=$(json "$kernel/capture" findings '[.findings[] | select(.certainty == "certain")]')
	possible=$(json "$kernel/capture" findings '[.findings[] | select(.certainty == "possible").count] | add // 0')
	events=$(json "$kernel/capture" findings .loss.recorded)
	[ "$certain" = "[]" ] || fail "$kernel: certain in a healthy kernel: $certain"
	[ "$events" -ge 20000 ] || fail "$kernel: only $events events: this proves little"
	# what is not observed makes all of them only possible
	[ -n "$unobserved" ] || looked=$((looked + 1))
	echo "$kernel: $release: 0 certain, $possible possible findings in $events events;" \
		"not observed: ${unobserved:-nothing}"
done
[ $looked -gt 0 ] || skip "of no kernel all paths are observed"
exit 0
