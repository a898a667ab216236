#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# includes.sh TREE TABLE: reads every #include of the tree's own headers. Fails if a folder includes
# a folder that the table does not allow, if files include each other in a circle, or if a file
# includes a header that is for other files: X_work.h is for the files X*, and session.h for the
# files session* and kmemtraced.c. A .c file and the header of its name are one node of that graph.
set -u
tree=$1
table=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$tree" || exit 1

# each line: FILE HEADER
while read -r folder; do
	grep -HoE '^#include "[^"]+"' "$folder"/*.[ch] 2>/dev/null
done < <(sed -E '/^#/d; s/ *:.*//' "$table") |
	sed -E 's/:#include "([^"]+)"/ \1/' >"$scratch/includes"
[ -s "$scratch/includes" ] || { echo "$tree: no #include was found"; exit 1; }

awk -v table="$table" '
function folder_of(file) { sub(/\/[^\/]*$/, "", file); return file }
BEGIN {
	while ((getline line <table) > 0) {
		if (line ~ /^#/ || split(line, part, / *: */) < 3)
			continue
		count = split(part[2], list, " ")
		known[part[1]] = 1
		for (i = 1; i <= count; i++)
			allowed[part[1], list[i]] = 1
	}
}
$2 ~ /_work\.h$|^tracer\/session\.h$/ {
	owner = $2
	sub(/(_work)?\.h$/, "", owner)
	if (index($1, owner) != 1 && ($1 " " $2) != "tracer/kmemtraced.c tracer/session.h") {
		print $1 " includes " $2 ": only the files " owner "* may"
		failed = 1
	}
}
{
	from = folder_of($1)
	to = folder_of($2)
	if (!($2 ~ /\//) || to == from || !(to in known) || (from, to) in allowed ||
	    (from, $2) in allowed)
		next
	print $1 " includes " $2 ": " from "/ may not include " to "/"
	failed = 1
}
END { exit failed }' "$scratch/includes"
status=$?

# A node is a path without its ending; tsort names the nodes of each circle.
awk '$2 ~ /\// {
	sub(/\.bpf\.[ch]$|\.[ch]$/, "", $1)
	sub(/\.bpf\.h$|\.h$/, "", $2)
	if ($1 != $2)
		print $1, $2
}' "$scratch/includes" | sort -u | tsort >/dev/null 2>"$scratch/circles"
if [ -s "$scratch/circles" ]; then
	sed -e 's/^tsort: -: input contains a loop:/these files include each other in a circle:/' \
		-e 's/^tsort: /    /' "$scratch/circles"
	status=1
fi
exit $status
