#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The summary is one screen of 80 x 24 for captures of each kind, if names fit their lines and no finding
# is certain, with at most five lines before the first table, in a pipe and on terminals of 80 and 200
# columns. The curve has blocks only on a terminal in a UTF-8 locale. A text that is longer than
# the terminal goes to the pager, and nothing else does.
. "$srcdir/cli/cli.sh"
for tool in script xz; do
	command -v $tool >/dev/null || skip "$tool is not installed"
done

# on_terminal COLUMNS ROWS LOCALE COMMAND: what the command prints there, without colors.
on_terminal()
{
	script -qec "stty cols $1 rows $2; LC_ALL=$3 $4" /dev/null </dev/null |
		tr -d '\r' | sed 's/\x1b\[[0-9;]*m//g'
}

LC_ALL=C
export LC_ALL
unset PAGER LESS
"$mktrace" views.data <"$srcdir/cli/views.trace" || exit 1
"$mktrace" damage.data <"$srcdir/cli/small.trace" || exit 1
for guest in "$srcdir"/data/guests/*.tar.xz; do
	xz -dc "$guest" | tar -xf - || exit 1
done
for capture in views.data damage.data "$srcdir/data/sample" [5-9].*; do
	"$report" "$capture" >out || wrong "$capture: exit status $?"
	# names that are too long have a line of their own, and so has each certain finding, below a title
	more=$(sed '1,/^$/d' out | grep -vc '  *[^ ]\|^$\|^Nothing\|^No ')
	more=$((more + $(sed -n '/^What is wrong/,/^$/p' out | wc -l)))
	[ "$(wc -l <out)" -le $((24 + more)) ] || wrong "$capture: $(wc -l <out) lines: $(cat out)"
	[ "$(sed '/^$/q' out | wc -l)" -le 6 ] || wrong "$capture: the header: $(sed '/^$/q' out)"
	awk 'length > 79' out >wide
	[ ! -s wide ] || wrong "$capture: too wide: $(cat wide)"
	! grep -n ' $' out || wrong "$capture: spaces at the end of a line"
	! LC_ALL=C grep -n '[^ -~]' out || wrong "$capture: not ASCII in a pipe"
	for section in '^capture ' '^quality ' '^live ' '^waste .*; findings: ' '^more '; do
		grep -q "$section" out || wrong "$capture: no line $section"
	done
done

{
	"$report" views.data
	echo "--- 200 columns"
	on_terminal 200 60 C "'$report' '$srcdir/data/sample'"
	echo "--- with legend"
	"$report" --legend views.data | sed '1,/^What crosses/d'
	echo "--- more rows"
	"$report" -l 1 views.data | sed '1,/^$/d'
} >shown 2>&1
compare glance.expected shown

# printf prints the blocks, which this file does not have
block=$(printf '\342\226\210')
on_terminal 80 60 C.UTF-8 "'$report' '$srcdir/data/sample'" >utf8
grep -q "^over time .*$block" utf8 || wrong "no blocks on a terminal with UTF-8: $(cat utf8)"
on_terminal 80 60 C "'$report' '$srcdir/data/sample'" >ascii
! LC_ALL=C grep -n '[^ -~]' ascii || wrong "not ASCII in the C locale"

paged()
{
	on_terminal 80 "$1" C "PAGER='sed s/^/PAGED:/' '$report' $2 '$srcdir/data/sample'" >out
	grep -c '^PAGED:' out
}
[ "$(paged 20 summary)" -gt 20 ] || wrong "no pager for a text that is longer than the terminal: $(cat out)"
[ "$(paged 60 summary)" = 0 ] || wrong "a pager for a text that is shorter than the terminal: $(cat out)"
[ "$(paged 20 --no-pager)" = 0 ] || wrong "a pager with --no-pager: $(cat out)"
[ "$(paged 20 events)" = 0 ] || wrong "a pager for a stream: $(head out)"
[ "$(paged 20 --format=json)" = 0 ] || wrong "a pager for JSON: $(head out)"
[ "$(PAGER='sed s/^/PAGED:/' "$report" "$srcdir/data/sample" | grep -c '^PAGED:')" = 0 ] || wrong "a pager in a pipe"
for pager in cat '' /nowhere/pager; do
	on_terminal 80 20 C "PAGER='$pager' '$report' '$srcdir/data/sample'" >out
	grep -q '^quality ' out && grep -q '^more ' out || wrong "PAGER=$pager: $(cat out)"
done
on_terminal 80 20 C "PAGER=true '$report' '$srcdir/data/sample'; echo exit \$?" >out
grep -qx 'exit 0' out || wrong "a pager that reads nothing: $(cat out)"
exit $failed
