#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The tutorial of kmemtrace(1), command by command, as it stands there.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
page=$top_srcdir/cli/kmemtrace.1
sed -n '/^\.Sh TUTORIAL/,/^\.Sh EXIT/p' "$page" |
	awk '/^\.Ed/ { inside = 0 } inside; /^\.Bd -literal/ { inside = 1 }' | sed 's/\\e$/\\/' >commands
[ "$(wc -l <commands)" -ge 15 ] || fail "the tutorial has $(wc -l <commands) commands"
export PATH="$builddir:$PATH"
while read -r command; do
	sh -c "$command" >out 2>&1 </dev/null
	status=$?
	echo "\$ $command: exit $status, $(wc -l <out) lines"
	[ $status = 0 ] || fail "exit $status: $command: $(cat out)"
	case $command in
	*'>second.svg') [ -s second.svg ] || fail "no picture" ;;
	*--html=*) [ -s first.html ] || fail "no page" ;;
	*report*) [ "$(wc -l <out)" -ge 5 ] || fail "$command: only $(cat out)" ;;
	esac
done <commands
exit 0
