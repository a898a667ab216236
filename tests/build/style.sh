#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2154 # ./test sets them
# What can be seen of the style: a licence line in every file of code, no line of C over 100
# columns, none over 80 in what people read in a terminal, no file of C over 700 lines.
set -u
failed=0
cd "$top_srcdir" || exit 1

complain()
{
	echo "$*"
	failed=1
}

while read -r file; do
	head -n 3 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause' ||
		complain "$file: no SPDX line"
	[[ $file == *.[ch] ]] || continue
	wide=$(expand -t 8 "$file" | awk 'length > 100 { print FNR; exit }')
	[ -z "$wide" ] || complain "$file:$wide: over 100 columns"
	[ "$(wc -l <"$file")" -le 700 ] || complain "$file: over 700 lines"
done < <(find base cli kernel capture analysis stats bpf tracer report repair check import pack memstat bench tests m4 demo test configure.ac \
	Makefile.am -name '*.[ch]' -o -name '*.sh' -o -name '*.am' -o -name '*.m4' -o -name demo \
	-o -name test -o -name configure.ac | grep -v -e '^m4/lt' -e '^m4/libtool')
if clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
	# shellcheck disable=SC2046 # no name has a space
	clang-format --dry-run -Werror $(find base cli kernel capture analysis stats bpf tracer report repair check import pack memstat bench tests -name '*.[ch]') ||
		failed=1
else
	echo "note: no clang-format 14: the format was not looked at"
fi
for file in README NEWS CONTRIBUTING; do
	wide=$(awk 'length > 80 { print FNR; exit }' "$file")
	[ -z "$wide" ] || complain "$file:$wide: over 80 columns"
done
exit $failed
