# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
# For tests of summaries and of kmemtrace-fleet.

# seal: makes a file of summaries of blocks that lack their last lines, in a directory of its own in the
# current one.
seal()
{
	local blocks file crc

	blocks=$(mktemp -d ./seal.XXXXXX) || return 1
	awk -v blocks="$blocks" '
		/^summary / { close(file); file = sprintf("%s/%06d", blocks, ++number) }
		{ print >file }'
	gzip -k "$blocks"/*
	echo "kmemtrace-summaries 1"
	gzip -lv "$blocks"/*.gz | awk -v blocks="$blocks" '$2 ~ /^[0-9a-f]+$/ && NF > 6 { print $2, $NF }' |
		while read -r crc file; do
			cat "$file"
			printf 'end %d %d\n' "$(wc -l <"$file")" "0x$crc"
		done
	rm -rf "$blocks"
}

# says STATUS TEXT ARGUMENT...: $fleet ends with this status, and prints the text
says()
{
	local expected=$1 text=$2 status

	shift 2
	"$fleet" "$@" >message 2>&1
	status=$?
	[ $status = "$expected" ] || wrong "$*: exit status $status, not $expected: $(cat message)"
	[ -z "$text" ] || grep -qF -- "$text" message || wrong "$*: no \"$text\": $(cat message)"
}
