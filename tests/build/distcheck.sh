#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2154 # ./test sets them
# The tarball builds, passes its offline tests, installs and uninstalls by itself, and no file of
# the source folders is missing in it.
set -eu
rm -f "$builddir"/kmemtrace-*.tar.xz
# the tests run to find missing files: few rounds are enough
KMEMTRACE_ROUNDS=100 KMEMTRACE_STRIDE=5 make -C "$builddir" -j"$jobs" distcheck \
	DISTCHECK_CONFIGURE_FLAGS=CFLAGS=-O0 TESTS="$offline_tests"

cd "$top_srcdir"
folders=$(find . -mindepth 1 -maxdepth 1 -type d ! -name '.git' ! -name build ! -name build-aux \
	! -name autom4te.cache ! -name 'kmemtrace.data*')
# shellcheck disable=SC2086 # a list
find $folders -type f ! -name '*~' ! -name '.*.sw?' ! -name '*.orig' ! -name '*.rej' |
	sed 's,^\./,,' | sort >"$builddir/source.list"
tar -tf "$builddir"/kmemtrace-*.tar.xz | sed 's,^[^/]*/,,' | sort >"$builddir/tarball.list"
if comm -23 "$builddir/source.list" "$builddir/tarball.list" | grep .; then
	echo "these files are not in the tarball: list them in a Makemodule.am"
	exit 1
fi
