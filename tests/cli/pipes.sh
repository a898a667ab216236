#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A pipe or a directory is in the place of a file of a capture: no program waits for it, and each
# ends with a documented exit status.
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
exit $failed
