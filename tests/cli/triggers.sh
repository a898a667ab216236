#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Wrong triggers are refused with the column, also in a configuration file, before anything is done.
. "$srcdir/cli/cli.sh"
need_tracer
umask 022

wrong() {
	echo "\$ kmemtraced $*"
	"$kmemtraced" "$@" true 2>&1 | grep -v '^Try'
	"$kmemtraced" "$@" true >/dev/null 2>&1
	echo "exit $?"
}
{
	wrong --trigger=
	wrong --trigger='life > 2G'
	wrong --trigger='live < 2G'
	wrong --trigger='live > 2.5G'
	wrong --trigger='live > 2G/10m'
	wrong --trigger='growth(dentry) > 100M'
	wrong --trigger='growth(dentry) > 100M/10ms'
	wrong --trigger='lost > 0.1'
	wrong --trigger='skipped(dentry) > 1%'
	wrong --trigger='oom > 1'
	wrong --trigger='live > 1' --trigger='live > x'
	wrong --trigger-pause=5
	wrong --trigger=oom --trigger-pause=never
	wrong --trigger=oom --trigger-pause=25h
	wrong --trigger-command=true
	wrong --trigger=oom --trigger-command=
	wrong --trigger-full=5 --profile
	wrong --trigger='lost > 1%' --trigger-full=5
	wrong --trigger='lost > 1%' --trigger-full=5 --profile --no-capture
	wrong --trigger='lost > 1%' --trigger-full=never --profile
	wrong --trigger='lost > 1%' --trigger-full=0 --profile
	wrong --trigger=oom -p 1
	wrong --trigger=oom --count
	wrong --trigger='live > 1' --probes=vm.mmap
	wrong --trigger=oom --no-capture -z
	wrong --trigger='lost > 1%' --publish-objects=5
	set --
	while [ $# -lt 17 ]; do
		set -- "$@" --trigger='lost > 1%'
	done
	wrong "$@"
	wrong --overwrite=511k
	wrong --overwrite=700ms
	wrong --overwrite=100
	wrong --overwrite=1m --switch-output=1m
	wrong --overwrite=1m --max-files=3
	wrong --overwrite=1m --no-capture --trigger=oom
	wrong --overwrite=1m --count
	wrong --switch-output=1m --max-dumps=3
	wrong --overwrite=1m --max-dumps=x
	wrong --switch-output=1m --in-memory
	printf 'quiet\ntrigger = lost > 1%%\ntrigger = oom now\n' >conf
	wrong --config=conf
	rm conf
} >out
compare triggers.expected out
[ "$(ls)" = out ] || { echo "left behind: $(ls)"; exit 1; }
