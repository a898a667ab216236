#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# embed.sh HTML STYLE SCRIPT...: prints the page's HTML, its style, and all scripts as one, as strings
# of C, and the hashes of the style and the script, which are all that the page allows a browser to
# run.
set -eu
LC_ALL=C
export LC_ALL
html=$1 style=$2
shift 2
script=$(mktemp)
trap 'rm -f "$script"' EXIT
cat "$@" >"$script"

# literal NAME FILE
literal()
{
	if grep -q '[^ -~	]' "$2"; then
		echo "$2: a character is not ASCII: write it as an escape" >&2
		exit 1
	fi
	printf 'const char %s[] =\n' "$1"
	sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/	/\\t/g' -e 's/^/\t"/' -e 's/$/\\n"/' "$2"
	printf '\t;\n\n'
}

# hash NAME FILE: the SHA-256 of the file in base64, as a Content-Security-Policy names it
hash()
{
	octal=$(sha256sum "$2" | awk '
		function digit(at) { return index("0123456789abcdef", substr($1, at, 1)) - 1 }
		{ for (i = 1; i < 64; i += 2) printf "\\%03o", 16 * digit(i) + digit(i + 1) }')
	# shellcheck disable=SC2059 # the format is the bytes
	printf 'const char %s[] = "sha256-%s";\n\n' "$1" "$(printf "$octal" | base64)"
}

echo '/* Made by embed.sh. */'
echo '#include "config.h"'
echo
echo '#include "report/html/page.h"'
echo
literal page_html "$html"
literal page_style "$style"
literal page_script "$script"
hash page_style_hash "$style"
hash page_script_hash "$script"
