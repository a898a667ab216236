#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Mistyped options, values and views: each program names the word that was probably meant.
. "$srcdir/cli/cli.sh"

try()
{
	program=$1
	shift
	"$builddir/$program" "$@" >stdout 2>stderr </dev/null
	echo "--- $program $* -> $?"
	sed -e '/^Try /d' -e '/^information/d' -e 's/ possibilities.*//' stderr
	cat stdout
}
{
	for program in kmemtrace-report kmemtrace-check kmemtrace-merge kmemtrace-pack kmemtrace-import; do
		try $program --outptu=x
		try $program --hepl
		try $program --versoin
		try $program --nothing-like-it
	done
	# an abbreviation that fits several options is ambiguous
	try kmemtrace-report --m=1
	# the value of an option is not an option, and neither is what follows --
	try kmemtrace-report -i --inptu
	try kmemtrace-report --input --inptu
	try kmemtrace-check -qo --output
	try kmemtrace-check -- --outptu
	try kmemtrace-report --input
	try kmemtrace-report leak
	try kmemtrace-report sites --by=sizes
	try kmemtrace-report --by=cmm,cpu leaks
	try kmemtrace-report --format=jsn
	try kmemtrace-report --color=allways
	try kmemtrace-report -s live_byte
	try kmemtrace-report sites -s -live
	try kmemtrace-import --format=tracecmd file
} >out
diff -u "$srcdir/cli/mistyped.expected" out
