#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2154 # ./test sets them
# The tarball builds, passes some of its offline tests, installs and uninstalls by itself. tarball.sh finds
# files that are missing in it: so the other tests would pass too.
set -eu
rm -f "$builddir"/kmemtrace-*.tar.xz
# they use files of the source folders, which are read-only, and write in the build folder
tests=(tests/cli/sample.sh tests/cli/guests.sh tests/cli/import-perf.sh tests/cli/stacks.sh
	tests/unit/test_capture tests/unit/test_metadata)
make -C "$builddir" -j"$jobs" distcheck \
	DISTCHECK_CONFIGURE_FLAGS=CFLAGS=-O0 TESTS="${tests[*]}"
