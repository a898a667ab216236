#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2154 # ./test sets them
# No file of the source folders is missing in a release, so that what passes here passes there. distcheck.sh
# builds one.
set -eu
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch" && rm -rf "$scratch"' EXIT
make -s -C "$builddir" distdir distdir="$scratch/release" >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }

cd "$top_srcdir"
folders=$(find . -mindepth 1 -maxdepth 1 -type d ! -name '.git' ! -name build ! -name build-aux \
	! -name autom4te.cache ! -name 'kmemtrace.data*')
# shellcheck disable=SC2086 # a list
find $folders -type f ! -name '*~' ! -name '.*.sw?' ! -name '*.orig' ! -name '*.rej' |
	sed 's,^\./,,' | sort >"$scratch/source.list"
(cd "$scratch/release" && find . -type f) | sed 's,^\./,,' | sort >"$scratch/release.list"
if comm -23 "$scratch/source.list" "$scratch/release.list" | grep .; then
	echo "these files are not in a release: list them in a Makemodule.am"
	exit 1
fi
