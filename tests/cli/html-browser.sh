#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The HTML page in a browser: its tables show the data, sorting, searching, the brush, the sliders, the
# tree and links work, with the pointer and the keyboard; there is no error and no request.
# shellcheck disable=SC2154 # ./test sets builddir
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
for browser in chromium chromium-browser google-chrome ""; do
	command -v "$browser" >/dev/null && break
done
[ -n "$browser" ] || { echo "chromium is not installed"; exit 77; }
command -v node >/dev/null || { echo "node is not installed"; exit 77; }
command -v xz >/dev/null || { echo "xz is not installed"; exit 77; }
failed=0

ln -s "$srcdir/data/sample" sample
xz -dc "$srcdir/data/guests/6.1-s390x.tar.xz" | tar -xf - || exit 1
mv 6.1-s390x guest
"$builddir/tests/mktrace" lossy <"$srcdir/cli/small.trace" || exit 1
"$builddir/tests/mktrace" stacks <"$srcdir/cli/stacks.trace" || exit 1
cp -r stacks profiled
sed -i 's/^sample_interval.*/&\nprofile yes/' profiled/kernel/status
"$builddir/kmemtrace-pack" -q --split=20k -o set sample || exit 1
"$srcdir/cli/html-hostile.sh" hostile || exit 1
for capture in sample guest lossy stacks profiled set hostile; do
	"$builddir/kmemtrace-report" --html=$capture.html $capture 2>err || { cat err; failed=1; }
	node "$srcdir/cli/html-browser.js" "$browser" "$builddir/kmemtrace-report" "$work/$capture" \
		"$work/$capture.html" "$work/profile" >out 2>&1 || { sed "s/^/$capture: /" out; failed=1; }
done
exit $failed
