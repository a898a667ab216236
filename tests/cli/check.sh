#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtrace-check: consistent captures and streams, damaged ones, one that is still being written, and
# wrong usage.
. "$srcdir/cli/cli.sh"

try()
{
	"$check" "$@" >stdout 2>stderr
	status=$?
	echo "--- $* -> $status"
	cat stdout stderr
}
flip()
{
	byte=$(od -An -tu1 -j "$2" -N 1 "$1")
	# shellcheck disable=SC2059 # the format is the byte
	printf "\\$(printf %o $((byte ^ 1)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

"$mktrace" kmemtrace.data <"$srcdir/cli/small.trace" || exit 1
"$mktrace" exact <"$srcdir/cli/exact.trace" || exit 1
sed 's/complete yes/complete no/' "$srcdir/cli/exact.trace" |
	"$mktrace" unfinished || exit 1
{ cat "$srcdir/cli/exact.trace"; echo "raw 1010ms 0 77"; } | "$mktrace" odd || exit 1
for copy in cut flipped missing future nostatus metadata kept tables nometadata; do
	cp -r exact $copy
done
truncate -s 500 cut/cpu1
flip flipped/cpu0 300
rm missing/cpu1
sed 's/kmt_format = 1/kmt_format = 2/' exact/metadata >future/metadata
rm nostatus/kernel/status
sed 's/u32 requested/u64 requested/' exact/metadata >metadata/metadata
rm kept/kernel/gfp
echo "0000000000000000 T hidden" >kept/kernel/symbols
rm tables/kernel/gfp tables/kernel/tasks
sed -i 's/complete yes/complete no/' tables/kernel/status
rm nometadata/metadata
cp exact/cpu1 stream
mkdir empty
echo "no capture" >file
: >nothing
mkfifo pipe
{
	try
	try -q exact
	try -v exact
	try exact kmemtrace.data
	try unfinished
	try odd
	try cut
	try flipped
	try missing
	try nostatus
	try metadata
	try kept
	try tables
	try nometadata
	exec 9<unfinished/metadata
	flock 9
	try unfinished
	try --repair unfinished
	exec 9<&-
	try exact/cpu0
	try stream
	try cut/cpu1
	try -q flipped/cpu0 exact
	try future
	try nowhere
	try empty
	try file
	try nothing
	try pipe
	try nowhere exact
	try --bogus
	try -o out exact
	try --repair -o "" exact
	try ""
	try --list -v
	try --list exact
	try --list
	"$check" exact >/dev/full
	echo "to a full disk -> $?"
} >out 2>&1
compare check.expected out
"$check" --list | sed 's/ .*//' | sort >listed
sed -n '/^\.Sh CHECKS/,/^\.Sh REPAIR/s/^\.It //p' "$top_srcdir/check/kmemtrace-check.1" | sort | diff listed - ||
	wrong "kmemtrace-check(1) has other checks"
exit $failed
