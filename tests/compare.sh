#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# compare.sh EXPECTED OUTPUT: shows how the output of a test differs from the file of the tree, and
# fails if it does. "make update-expected" sets KMEMTRACE_UPDATE_EXPECTED: then the output replaces
# the file, for review with git diff.
if [ -n "${KMEMTRACE_UPDATE_EXPECTED:-}" ]; then
	cmp -s "$1" "$2" || { cp "$2" "$1" && echo "updated ${1##*/}"; }
else
	diff -u "$1" "$2"
fi
