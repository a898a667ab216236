#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# keep.sh CAPTURES [KERNEL…]: makes the fixtures guests/NAME.tar.xz. Input: the captures of guests,
# which the vm tests leave in the folder vm-captures of their build. The captures are pruned. Then
# update guests/NAME.expected by "make update-expected", and review it with git diff.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
captures=$1
shift
[ $# -gt 0 ] || set -- $(cd "$captures" && ls)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for kernel; do
	rm -rf "$work/$kernel"
	cp -r "$captures/$kernel/planted" "$work/$kernel"
	"$here/prune.sh" "$work/$kernel" >/dev/null
	tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -cf - "$kernel" |
		xz -9e >"$here/guests/$kernel.tar.xz"
	touch "$here/guests/$kernel.expected"
	ls -l "$here/guests/$kernel.tar.xz"
done
