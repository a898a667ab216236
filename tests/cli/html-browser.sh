#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The HTML page in a browser: its tables show the data, sorting, searching, the brush, the sliders, the
# tree and links work, with the pointer and the keyboard; there is no error and no request. The same of
# the page of a comparison. A flame graph as a picture, zoomed and searched. KMEMTRACE_LONG=1: the largest capture has 40 million events.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/cli/cli.sh"
need_browser
need node
need xz

ln -s "$srcdir/data/sample" sample
xz -dc "$srcdir/data/guests/6.1-s390x.tar.xz" | tar -xf - || exit 1
mv 6.1-s390x guest
"$mktrace" lossy <"$srcdir/cli/small.trace" || exit 1
"$mktrace" stacks <"$srcdir/cli/stacks.trace" || exit 1
cp -r stacks profiled
sed -i 's/^sample_interval.*/&\nprofile yes/' profiled/kernel/status
"$pack" -q --split=20k -o set sample || exit 1
"$srcdir/cli/html-hostile.sh" hostile || exit 1
events=1000000 live=100000 order=--random # half of the events have a call site of their own
[ -z "${KMEMTRACE_ROUNDS-}" ] || events=$((KMEMTRACE_ROUNDS * 300)) live=$((KMEMTRACE_ROUNDS * 30)) # sanitizers are slow
[ -z "${KMEMTRACE_LONG-}" ] || events=40000000 order= # a kernel has thousands of call sites, not 20 million
# shellcheck disable=SC2086 # an option or none
"$builddir/bench/generate" $order $events $live large || exit 1
xz -dc "$srcdir/data/guests/6.12-amd64.tar.xz" | tar -xf - || exit 1
cp -r guest guest2

# browse PAGE SCRIPT ARGUMENT...
browse()
{
	local page=$1 script=$2

	shift 2
	node "$srcdir/cli/$script" "$browser" "$scratch/profile" "$scratch/$page" "$report" "$@" \
		>out 2>&1 || failed=1
	sed "s/^/$page: /" out
}

for capture in sample guest 6.12-amd64 lossy stacks profiled set hostile large; do
	"$report" --html=$capture.html $capture 2>err || { cat err; failed=1; }
	browse $capture.html html-browser.js "$scratch/$capture"
done
for capture in sample guest hostile; do
	"$report" flame --bytes=allocated --format=svg $capture >$capture.svg 2>err || { cat err; failed=1; }
	browse $capture.svg html-browser-svg.js "$scratch/$capture"
done
while read -r name a b option; do
	# shellcheck disable=SC2086 # at most one option
	"$report" diff --html=$name.html "$a" "$b" $option 2>err || { cat err; failed=1; }
	# shellcheck disable=SC2086 # at most one option
	browse $name.html html-browser-diff.js "$scratch/$a" "$scratch/$b" $option
done <<-END
	diff-kernels guest 6.12-amd64
	diff-caches sample 6.12-amd64 --by=module,function,cache
	diff-same guest guest2
	diff-stacks stacks profiled --by=stack
	diff-hostile sample hostile --normalise=events
END
exit $failed
