#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --max-loss: 9 of 22 events are lost or skipped; and what a report says of a filtered capture,
# one without events, and one that was cut off.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

"$builddir/tests/mktrace" lossy <"$srcdir/cli/small.trace" || exit 1
"$builddir/tests/mktrace" exact <"$srcdir/cli/exact.trace" || exit 1
{ echo "wanted 12"; echo "wanted 13"; cat "$srcdir/cli/exact.trace"; } |
	"$builddir/tests/mktrace" filtered || exit 1
printf 'unobserved kfree_bulk it fires no tracepoint\nunobserved krealloc\n' >>filtered/kernel/status
printf 'begin 1s\nend 2s\nlose 0 0\ncomplete yes\n' | "$builddir/tests/mktrace" none || exit 1
sed 's/complete yes/complete no/' "$srcdir/cli/exact.trace" | "$builddir/tests/mktrace" cut || exit 1

try()
{
	"$builddir/kmemtrace-report" "$@" 2>&1 >/dev/null
	echo "$*: exit $?"
}
{
	try -i lossy --max-loss=0
	try -i lossy --max-loss=40.5
	try -i lossy --max-loss=41
	try --max-loss=0 -i exact
	for capture in filtered none cut; do
		echo "--- $capture"
		"$builddir/kmemtrace-report" -i $capture -l 1 >report 2>&1
		echo "exit $?"
		sed '/^site = /,$d' report
	done
} >out
diff -u "$srcdir/cli/report-loss.expected" out
