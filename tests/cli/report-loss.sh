#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --max-loss: 9 of 22 events are lost or skipped; and the reports of captures that are
# filtered, without events, cut off, still being written, ended by an error, short of tables, or
# repaired.
. "$srcdir/cli/cli.sh"

"$mktrace" lossy <"$srcdir/cli/small.trace" || exit 1
"$mktrace" exact <"$srcdir/cli/exact.trace" || exit 1
{ echo "wanted 12"; echo "wanted 13"; cat "$srcdir/cli/exact.trace"; } |
	"$mktrace" filtered || exit 1
printf 'unobserved kfree_bulk it fires no tracepoint\nunobserved krealloc\n' \
	>>filtered/kernel/status
printf 'begin 1s\nend 2s\nlose 0 0\ncomplete yes\n' | "$mktrace" none || exit 1
sed 's/complete yes/complete no/' "$srcdir/cli/exact.trace" |
	"$mktrace" cut || exit 1
{ echo "wanted 12"; cat "$srcdir/cli/exact.trace"; } | "$mktrace" one || exit 1
for copy in stopped tables hidden metadata nostatus; do
	cp -r exact $copy
done
cp -r lossy tail
sed -i 's/^stopped .*/stopped small\/cpu0: No space left on device/' stopped/kernel/status
rm tables/kernel/*
echo "0000000000000000 T hidden" >hidden/kernel/symbols
: >metadata/metadata
rm nostatus/kernel/status
truncate -s -20 tail/cpu0 tail/cpu1
for copy in metadata nostatus tail; do
	"$check" -q --repair $copy || exit 1
done

try()
{
	"$report" -v "$@" 2>&1 >/dev/null
	echo "$*: exit $?"
}
{
	try -i lossy --max-loss=0
	try -i lossy --max-loss=40.5
	try -i lossy --max-loss=41
	try --max-loss=0 -i exact
	try --max-loss=0 -i cut
	for capture in filtered none cut; do
		echo "--- $capture"
		"$report" -v -i $capture -l 1 >report 2>&1
		echo "exit $?"
		sed '/^site = /,$d' report
	done
	# 30 of 1000 events were skipped; the records are of samples
	"$mktrace" profiled <<-END || exit 1
		sampling 1000 profile=1
		symbol 0xffffffff81000000 caller
		alloc 10us 0 0xffff888000001000 200/256 caller+0x10 task=10
		free 13us 0 0xffff888000001000 caller+0x20 task=12
		end 1ms
	END
	sed -i 's/^skipped 0$/skipped 30/' profiled/kernel/status
	echo "counted 0 600 370 5000" >>profiled/kernel/status
	try -i profiled --max-loss=2.9
	try -i profiled --max-loss=3
	exec 9<cut/metadata
	flock 9
	echo "--- cut, being written"
	"$report" -v -i cut | sed -n '/^time/,/^events/p'
	"$report" -i cut --format=json | grep '"state"\|"complete"'
	exec 9<&-
	for capture in one stopped tables hidden metadata nostatus tail; do
		echo "--- $capture"
		"$report" -v -i $capture | sed '/^allocated/,$d'
		"$report" -i $capture --format=json |
			grep '"word_bits"\|"start"\|"state"\|"stopped"\|"skipped\|"own_known"\|"unsized_events"'
	done
} >out
compare report-loss.expected out
