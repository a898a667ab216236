#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The man page and the bash completion have every option of --help, and the completion has no other.
. "$srcdir/cli/cli.sh"

# completion PROGRAM: the words that it offers for --
completion()
{
	bash -uc '. "$1"; COMP_WORDS=("$2" --); COMP_CWORD=1; _kmemtrace; printf "%s\n" "${COMPREPLY[@]}"' \
		bash "$top_srcdir/cli/kmemtrace.bash-completion" "$builddir/$1"
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
done
exit $failed
