#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtrace-pack --anonymize: the copy of a capture of this kernel shows none of its addresses and
# not its host, and every view of it is the same.
. "$srcdir/live/live.sh"
. "$srcdir/cli/anonymized.sh"

# a short capture: the test makes each view of it, and of its copy
"$kmemtraced" -q -- sh -c 'ls -R /etc | sort | uniq >/dev/null' || fail "kmemtraced: exit $?"
"$pack" -u --anonymize -o copy kmemtrace.data || fail "exit status $?"
echo "$(addresses_of kmemtrace.data | wc -l) addresses"
shows_nothing_of kmemtrace.data copy || fail "the copy shows an address or a name"
reports_the_same kmemtrace.data copy json || fail "the copy is another capture"
"$pack" -u --anonymize=tasks -o without copy || fail "a copy of the copy: exit status $?"
shows_nothing_of kmemtrace.data without || fail "the copy without tasks shows an address or a name"
cut -d' ' -f5 kmemtrace.data/kernel/tasks | grep -x '....*' | sort -u >names
grep -qx sort names || fail "the capture has no task of the command"
cut -d' ' -f5 without/kernel/tasks | sort -u | comm -12 - names | grep . && fail "a task has its name"
exit 0
