#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The man page and the bash completion have every option of --help, and the completion has no other. The man page
# has every output format. A value outside of the range of an option is refused with the option, the value, the
# range and the units; the man page has the range.
. "$srcdir/cli/cli.sh"

# completion PROGRAM: the words that it offers for --
completion()
{
	bash -uc '. "$1"; COMP_WORDS=("$2" --); COMP_CWORD=1; _kmemtrace; printf "%s\n" "${COMPREPLY[@]}"' \
		bash "$top_srcdir/cli/kmemtrace.bash-completion" "$builddir/$1"
}

# refuses OPTION VALUE: with exit status 2 and a sentence that has the option, the value, the range and the units
refuses()
{
	"$builddir/$program" "$1=$2" >out 2>&1 </dev/null
	status=$?
	named=$letter
	[ "$letter" = - ] && named=$1
	[ $status = 2 ] && [ "$(grep -cF -e "$program: $named: \"$2\" is not a" out)" = 1 ] || wrong "$program $1=$2: exit $status: $(cat out)"
	case $least in
	- | 1ns | 1) ;;
	*) grep -qE -e "(from|at least) $least( |:|$)" out || wrong "$program $1=$2: no $least: $(cat out)" ;;
	esac
	[ "$most" = - ] || grep -qE -e "to $most( |:|,|$)" out || wrong "$program $1=$2: no $most: $(cat out)"
	[ "$kind" = number ] || grep -q -e ': use .*number' out || wrong "$program $1=$2: no units: $(cat out)"
}

# next BY VALUE: 101ms of 100ms and 1
next()
{
	unit=${2##*[0-9]}
	echo "$((${2%"$unit"} + $1))$unit"
}

# described LIMIT: the text of the option in the man page has it; not a limit of "above 0" or of 32 bits
described()
{
	case $1 in
	- | 1 | 1ns | 4294967295) ;;
	*) grep -qw -e "$1" text || wrong "$page: $name: does not say $1" ;;
	esac
}

for program in kmemtraced kmemtrace-check kmemtrace-fleet kmemtrace-import kmemtrace-merge kmemtrace-pack kmemtrace-report \
	kmemtrace-ship kmemtrace-top; do
	case $program in
	kmemtraced | kmemtrace-ship | kmemtrace-top) [ -x "$builddir/$program" ] || continue ;;
	esac
	page=$(ls "$top_srcdir"/*/$program.[18] "$top_srcdir"/*/*/$program.[18] 2>/dev/null)
	"$builddir/$program" --help >help || exit 1
	grep -oE -e '--[a-z][a-z-]+' help | sort -u >options
	[ -s options ] || { echo "$program: --help has no option"; failed=1; }
	completion $program | sort -u >completed
	while read -r option; do
		grep -qE "Fl Fl ${option#--}( |\$)" "$page" ||
			{ echo "$page does not have $option"; failed=1; }
		grep -qxF -e "$option" completed ||
			{ echo "completion of $program lacks $option"; failed=1; }
	done <options
	while read -r option; do
		grep -qxF -e "$option" options ||
			{ echo "completion of $program has $option, which --help does not have"; failed=1; }
	done <completed
	grep -oE '^ +-[a-zA-Z?]' help | tr -d ' -' | while read -r letter; do
		grep -qF "Fl $letter" "$page" || [ "$letter" = "?" ] ||
			{ echo "$page does not have -$letter"; exit 1; }
	done || failed=1

	"$builddir/$program" --list-options >listed || wrong "$program --list-options: exit $?"
	while IFS='	' read -r name letter _ kind least most words; do
		sed -n "/^\.It .*Fl Fl ${name#--}\( \|\$\)/,/^\.\(It Fl\|El\)/{/^\.It/!p;}" "$page" >text
		case $kind in
		choice)
			[ "$name" = --format ] || continue
			for word in $(echo "$words" | tr '|' ' '); do
				grep -qw -e "$word" text || wrong "$page: $name: does not say $word"
			done
			continue
			;;
		number | duration | age | size) ;;
		*) continue ;;
		esac
		described "$least"
		described "$most"
		refuses "$name" ''
		refuses "$name" nothing
		[ "$least" = - ] || refuses "$name" "$(next -1 "$least")"
		[ "$most" = - ] || refuses "$name" "$(next 1 "$most")"
	done <listed
done
exit $failed
