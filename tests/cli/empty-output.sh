#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# An output for a program that has no row: a message says why. A text says it itself; no finding and no
# unobserved growth are answers.
. "$srcdir/cli/cli.sh"
need jq

"$mktrace" freed <<-END || exit 1
	begin 1us
	symbol 0xffffffff81000010 work
	cache filp 0xffff888100000200 232 256
	calloc 11us 0 0xffff888000002000 filp 0xffffffff81000010 task=10
	cfree 12us 0 0xffff888000002000 filp 0xffffffff81000010 task=10
	end 1ms
END
printf 'begin 1us\nend 1ms\n' | "$mktrace" nothing || exit 1
: >nothing/cpu0

says() # says MESSAGE CAPTURE OPTION…: the only message of kmemtrace-report
{
	message=${1:+kmemtrace-report: $2: the output is empty: $1}
	shift
	"$report" "$@" 2>err >out || fail "$*: exit $?: $(cat err)"
	[ "$(cat err)" = "$message" ] || fail "$*: says '$(cat err)', not '$message'"
}

for format in json csv; do
	for view in sites caches leaks lifetimes; do
		says 'the capture has no events' nothing $view --format=$format
	done
	says 'the capture has no events' nothing count --by=comm --format=$format
	says 'no allocation was selected' freed sites --comm=nosuch --format=$format
	says 'no event was selected' freed count --by=comm --where='comm == "nosuch"' --format=$format
	says 'no event was selected' freed events --where='comm == "nosuch"' --format=$format
	says 'no object is live at the end' freed leaks --format=$format
	says '' freed findings --format=$format
	says '' freed sites --format=$format
done
for format in folded svg pprof speedscope; do
	says 'the capture has no events' nothing flame --format=$format
	says 'no allocation was selected' freed flame --comm=nosuch --format=$format
	says '' freed flame --bytes=allocated --format=$format
done
for format in folded svg speedscope; do
	says 'no selected object is live at the end: --bytes=allocated shows all paths' freed flame --format=$format
done
says 'no event was selected' freed events --where='comm == "nosuch"'
for view in sites leaks flame; do
	says '' freed $view --comm=nosuch
done

# a profile of pprof has the allocated bytes, and begins with them where nothing is live
says '' freed flame --format=pprof
zcat <out | "$builddir/tests/pprof_text" >profile || fail "no profile"
grep -qx 'default alloc_space' profile || fail "the default type: $(cat profile)"
exit 0
