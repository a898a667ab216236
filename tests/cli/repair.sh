#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --repair: its output and its result. Only damaged packets are lost, all of their events are counted
# as lost, and the original is unchanged.
. "$srcdir/cli/cli.sh"

try()
{
	"$check" "$@" >stdout 2>stderr
	status=$?
	echo "--- $* -> $status"
	cat stdout stderr
}
# The line of losses in the report, and the count of babeltrace2, if it is installed.
loss()
{
	"$check" -q "$1" || return
	"$report" -v -i "$1" | grep '^events'
	command -v babeltrace2 >/dev/null || return 0
	babeltrace2 "$1" >events 2>warnings || { cat warnings; return; }
	lost=$("$report" -v -i "$1" | sed -n 's/^events.* lost \([0-9]*\) .*/\1/p')
	discarded=$(awk '/discarded/ { n += $4 } END { print n + 0 }' warnings)
	[ "$lost" = "$discarded" ] || echo "$1: lost $lost, babeltrace2 says $discarded"
}

"$mktrace" exact <"$srcdir/cli/exact.trace" || exit 1
sed 's/complete yes/complete no/' "$srcdir/cli/exact.trace" |
	"$mktrace" unfinished || exit 1
echo 'slab 900000000 dentry 70 84' >exact/kernel/slabinfo
echo 'statm 12 900000000 5 4 3 2 1' >exact/kernel/process_memory
for copy in cut head gone metadata nostatus twice again; do
	cp -r exact $copy
done
truncate -s 500 cut/cpu1
dd if=/dev/zero of=head/cpu0 bs=1 seek=8 count=8 conv=notrunc 2>/dev/null
rm gone/cpu1
: >metadata/metadata
rm -r nostatus/kernel
cat exact/cpu0 >>twice/cpu0
{ head -c 300 exact/cpu0; tail -c +304 exact/cpu0; } >again/cpu0
mkdir empty
{
	try --repair exact
	cp -r cut verbose
	try --repair -v verbose
	for capture in unfinished cut head gone metadata nostatus twice; do
		try --repair $capture
		loss $capture
	done
	try --repair -o repaired again
	loss repaired
	try --repair -o repaired again
	try --repair -q again/
	truncate -s 700 again/cpu0
	try --repair again
	loss again
	try --repair again
	try --repair nowhere
	try --repair empty
	try --repair exact again
} >out 2>&1
ls -d -- * | sed 's/^/file /' | grep -v 'std\|events\|warnings' >>out
cmp cut/cpu0 cut.damaged/cpu0 && [ "$(stat -c %s cut.damaged/cpu1)" -eq 500 ] || exit 1
for capture in cut head again; do
	cmp exact/kernel/slabinfo $capture/kernel/slabinfo &&
		cmp exact/kernel/process_memory $capture/kernel/process_memory || exit 1
done
compare repair.expected out
