#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# This kernel's verifier accepts the programs for other kernels.
. "$srcdir/live/live.sh"

"$builddir/tests/live/loads" >loads.log 2>&1
code=$?
[ $code = 77 ] && skip "BPF programs cannot be loaded here"
[ $code = 0 ] || fail "$(tail -n 40 loads.log)"
cat loads.log
exit 0
