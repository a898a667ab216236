#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# keep.sh CAPTURES [KERNEL…]: makes fixtures of what the vm tests captured in guests and left in the
# folder vm-captures of their build: NAME.tar.xz in guests/, pruned. What cli/guests.sh then prints
# as new is to be looked at, and patched into guests/NAME.expected.
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
