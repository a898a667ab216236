#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A healthy kernel, whose paths are all observed and which is busy from before the capture until
# after it, has nothing that is certainly wrong.
# shellcheck source=tests/vm/vm.sh
. "$srcdir/vm/vm.sh"

for kernel in "${guests[@]}"; do
	in_guest "$kernel" "$srcdir/vm/healthy.guest"
	checked "$kernel"
	unobserved=$(json "$kernel" findings '.loss.unobserved | join(", ")')
	certain=$(json "$kernel" findings '[.findings[] | select(.certainty == "certain")]')
	possible=$(json "$kernel" findings '[.findings[] | select(.certainty == "possible").count] | add // 0')
	events=$(json "$kernel" findings .loss.recorded)
	[ "$certain" = "[]" ] || fail "$kernel: certain in a healthy kernel: $certain"
	[ "$events" -ge 20000 ] || fail "$kernel: only $events events: this proves little"
	# what is not observed would make all of them only possible
	[ -z "$unobserved" ] || skip "$kernel: not observed: $unobserved"
	echo "$kernel: $release: 0 certain, $possible possible findings in $events events"
done
exit 0
