#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Each error in a configuration file is refused with the file, the line, and the name that was probably
# meant; so is a file that others can write. Options of the command line win.
. "$srcdir/cli/cli.sh"
need_tracer
umask 022

run() { # run OPTION…
	echo "\$ kmemtraced $*"
	"$kmemtraced" "$@" true 2>&1 | grep -v '^Try'
	"$kmemtraced" "$@" true >/dev/null 2>&1
	echo "exit $?"
}

wrong() { # wrong TEXT [OPTION…]: the text is the file
	printf '%b' "$1" >conf
	printf '%s\n' "--- $1"
	shift
	run --config=conf "$@"
}
{
	wrong 'durations = 5\n'
	wrong '# a comment\n\n  \t\n  quiet\nprofle\n'
	wrong 'nothing-like-it = 1\n'
	wrong '--duration = 5\n'
	wrong 'd = 5\n'
	wrong '= 5\n'
	wrong 'duration 5\n'
	wrong 'duration\n'
	wrong 'duration =\n'
	wrong 'duration = soon\n'
	wrong 'duration = 5\r\nquiet = yes\r\n'
	wrong 'quiet = yes\n'
	wrong 'quiet\npublish =\n'
	wrong 'ring-size = 7M\nring-size = 1000\n'
	wrong 'max-samples = some\n'
	wrong 'publish-group = no-such-group\n'
	wrong 'count\nby = comn\n'
	wrong 'count\nformat = jsn\n'
	wrong 'config = other\n'
	wrong 'doctor\n'
	wrong 'help\n'
	wrong 'no-capture\n'
	wrong 'profile\n' --stacks
	wrong 'publish-objects = 5\n' -o x
	wrong 'duration = 5\nquiet\0verbose\n'
	# options of the command line win: this value is not parsed
	wrong 'duration = soon\nno-capture\n' -d 1
	wrong 'count\nby = age\n' --by=missed_site
	# the first file that exists
	echo 'durations = 5' >second
	run --config=missing --config=second --config=conf
	run --config=missing
	run --config=missing --config=gone
	run --config=
	mkdir folder
	run --config=folder
	chmod 646 second
	run --config=second
	chmod 664 second
	run --config=second
} >out
compare config.expected out
if [ "$(id -u)" = 0 ]; then
	chmod 644 second
	chown 65534 second
	"$kmemtraced" --config=second >out 2>&1 && { echo "a file of another user is read"; exit 1; }
	grep -q 'second: .* belongs to another user' out || { echo "a file of another user: $(cat out)"; exit 1; }
fi
exit 0
