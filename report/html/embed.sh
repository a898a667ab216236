#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# embed.sh NAME HTML STYLE SCRIPT...: prints the HTML of a page, its style, and all scripts as one, as
# strings of C, and the hashes of the style and the script, which are all that the page allows a browser
# to run.
set -eu
LC_ALL=C
export LC_ALL
name=$1 html=$2 style=$3
shift 3
script=$(mktemp)
trap 'rm -f "$script"' EXIT
cat "$@" >"$script"

# literal NAME FILE
literal()
{
	printf '\t.%s =\n' "$1"
	sh "$(dirname "$0")/literal.sh" "$2"
	printf '\t\t,\n'
}

# hash NAME FILE: the SHA-256 of the file in base64, as a Content-Security-Policy names it
hash()
{
	octal=$(sha256sum "$2" | awk '
		function digit(at) { return index("0123456789abcdef", substr($1, at, 1)) - 1 }
		{ for (i = 1; i < 64; i += 2) printf "\\%03o", 16 * digit(i) + digit(i + 1) }')
	# shellcheck disable=SC2059 # the format is the bytes
	printf '\t.%s = "sha256-%s",\n' "$1" "$(printf "$octal" | base64)"
}

echo '/* Made by embed.sh. */'
echo '#include "config.h"'
echo
echo '#include "report/html/page.h"'
echo
echo "const struct page_text $name = {"
literal html "$html"
literal style "$style"
literal script "$script"
hash style_hash "$style"
hash script_hash "$script"
echo '};'
