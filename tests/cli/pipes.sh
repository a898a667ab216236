#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A pipe or a directory is in the place of a file of a capture: no program waits for it, and each
# ends with a documented exit status. Standard input, output or error may be closed.
. "$srcdir/cli/cli.sh"

# run STATUSES COMMAND…: the exit status is one of these
run()
{
	allowed=$1
	shift
	timeout "$hang" "$@" >out 2>&1
	status=$?
	case " $allowed " in
	*" $status "*) ;;
	*)
		echo "$file is a $kind: $*: exit status $status, not $allowed: $(head -n 5 out)"
		failed=1
		;;
	esac
}

for file in metadata cpu1 kernel/status kernel/symbols kernel/caches kernel/tasks kernel/gfp \
	kernel/topology; do
	for kind in pipe directory; do
		cp -r "$srcdir/data/sample" wrong
		rm "wrong/$file"
		if [ $kind = pipe ]; then
			mkfifo "wrong/$file"
		else
			mkdir "wrong/$file"
		fi
		run "0 2" "$report" -i wrong
		run "1 2" "$check" wrong
		run "0 2" "$check" --repair -o repaired wrong
		run "0 1 2" "$pack" -o packed wrong
		rm -rf wrong repaired* packed*
	done
done
file=input kind=pipe
mkfifo input
run 2 "$report" -i input
run 2 "$check" input
run 2 "$pack" input
run 2 "$builddir/kmemtrace-import" -o imported input

# no file gets the number of a standard file that is closed; to use that still fails
"$report" events -i - <>input >&- 2>&- &
reader=$!
numbers() {
	[ "$(readlink "/proc/$reader/fd/1") $(readlink "/proc/$reader/fd/2")" = "/dev/null /dev/null" ]
}
wait_for "the descriptors of a program that waits for its input" numbers
kill $reader
wait $reader 2>/dev/null
"$report" -i "$srcdir/data/sample" >&- 2>out
status=$?
[ $status = 2 ] && grep -q 'standard output' out || wrong "a closed standard output: exit $status: $(cat out)"
"$report" events -i - <&- >out 2>&1
status=$?
[ $status = 2 ] || wrong "a closed standard input: exit $status: $(cat out)"
exit $failed
