#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2154 # ./test sets them
# The man pages are valid mdoc. cli/options.sh checks that they have every option.
set -u
failed=0
cd "$top_srcdir" || exit 1

for page in */kmemtrace*.[1-8] */*/kmemtrace*.[1-8] live/memstat/*.3; do
	# -W style would also require conventions of BSD manuals
	mandoc -T lint -W warning "$page" || failed=1
done
exit $failed
