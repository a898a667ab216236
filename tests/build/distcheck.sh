#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2154 # ./test sets them
# The tarball builds, passes some of its offline tests, installs and uninstalls by itself, and no file
# of the source folders is missing in it: so the other tests would pass too.
set -eu
rm -f "$builddir"/kmemtrace-*.tar.xz
# they use files of the source folders, which are read-only, and write in the build folder
tests=(tests/cli/sample.sh tests/cli/guests.sh tests/cli/import-perf.sh tests/cli/stacks.sh
	tests/unit/test_capture tests/unit/test_metadata)
make -C "$builddir" -j"$jobs" distcheck \
	DISTCHECK_CONFIGURE_FLAGS=CFLAGS=-O0 TESTS="${tests[*]}"

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
