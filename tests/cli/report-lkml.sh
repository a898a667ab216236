#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The format lkml: ASCII of less than 75 columns in each view, without the name of the host, with the
# losses, the filters and the paths that were not observed.
. "$srcdir/cli/cli.sh"

sample=$srcdir/data/sample
{
	for view in sites leaks caches; do
		echo "== $view =="
		"$report" $view -i "$sample" --format=lkml -l 3 || wrong "$view: exit status $?"
	done
	{ echo "wanted 12"; echo "wanted 13"; cat "$srcdir/cli/small.trace"; } |
		"$mktrace" lossy || exit 1
	echo "== lossy =="
	"$report" sites -i lossy --format=lkml --min-size=1 || wrong "lossy: exit status $?"
} 2>&1 | sed "s/^report    kmemtrace-report [0-9.]*:/report    kmemtrace-report VERSION:/" >out
compare report-lkml.expected out

for view in summary sites caches slabinfo sizes leaks lifetimes cpus nodes cgroups timeline flame probes findings; do
	"$report" $view -i "$sample" --format=lkml >view 2>&1 || wrong "$view: exit status $?"
	awk 'length > 74' view | grep . && wrong "$view: these lines are too long"
	LC_ALL=C grep -q '[^ -~]' view && wrong "$view is not ASCII"
	grep -q 'vm: ' view && wrong "$view names the host"
	grep -q ' = ' view && wrong "$view has a legend: $(grep ' = ' view)"
	grep -q '^kernel    Linux 6.18.44' view || wrong "$view does not name the kernel"
	grep -q '^lost      0$' view || wrong "$view does not print the losses"
done
[ "$("$report" sites -i "$sample" --format=lkml | grep -c '+0x')" = 10 ] || wrong "it has not 10 rows"
"$report" events -i "$sample" --format=lkml >said 2>&1 && wrong "the view events has the format"
grep -q -- '--format=lkml: the view events has no table' said || wrong "events: $(cat said)"
exit $failed
