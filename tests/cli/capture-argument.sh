#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Every program takes a capture as a plain argument; kmemtrace-report distinguishes it
# from the name of a view.
. "$srcdir/cli/cli.sh"

"$mktrace" kmemtrace.data <"$srcdir/cli/small.trace" || exit 1
"$mktrace" other <"$srcdir/cli/exact.trace" || exit 1
cp -r other leaks

report()
{
	"$report" "$@"
}
report -i other leaks >expected
[ -s expected ] || exit 1

# same ARGUMENT...: prints the leaks of the capture "other"
same()
{
	report "$@" >out 2>&1
	diff expected out || { echo "kmemtrace-report $*: another report"; failed=1; }
}
same other leaks
same leaks other
same leaks ./other
same leaks "$scratch/other"
same leaks ./leaks
same leaks leaks/
same -i leaks leaks
same leaks --format=text other
same --input=leaks leaks

# the default of all is kmemtrace.data
report leaks >default
report leaks kmemtrace.data | cmp - default || failed=1
cmp -s default expected && { echo "the default is another capture"; failed=1; }

# refused ARGUMENT...: with exit status 2 and a message
refused()
{
	"$report" "$@" >out 2>errors
	[ $? = 2 ] && [ ! -s out ] && [ -s errors ] || { echo "$*: not refused"; failed=1; }
}
refused other kmemtrace.data
refused -i other kmemtrace.data
refused kmemtrace.data -i other
refused leaks leaks
refused absent
refused ./absent
refused ""

"$check" -q other || failed=1
"$pack" -q other || failed=1
"$check" -q other || failed=1
exit $failed
