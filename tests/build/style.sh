#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2154 # ./test sets them
# The style rules that a program can check: licence lines, the width and number of lines of C files,
# the format of C, the banned words, and which folder includes which.
set -u
failed=0
cd "$top_srcdir" || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

report_error()
{
	echo "$*"
	failed=1
}

mapfile -t folders < <(sed -E '/^#/d; s/ *:.*//; s,/.*,,' tests/build/folders | sort -u)

# Licence, width, length.
while read -r file; do
	head -n 3 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause' ||
		report_error "$file: no SPDX line"
	[[ $file == *.[ch] ]] || continue
	# a literal may be as long as it is
	wide=$(expand -t 8 "$file" | sed -E 's/"([^"\\]|\\.)*"/""/g' | awk 'length > 100 { print FNR; exit }')
	[ -z "$wide" ] || report_error "$file:$wide: over 100 columns"
	[ "$(wc -l <"$file")" -le 700 ] || report_error "$file: over 700 lines"
done < <(find "${folders[@]}" tests debian m4 pictures demo test configure.ac Makefile.am -name '*.[ch]' \
	-o -name '*.sh' -o -name '*.am' -o -name '*.m4' -o -name demo -o -name test \
	-o -name configure.ac | grep -v -e '^m4/lt' -e '^m4/libtool')
for file in README NEWS CONTRIBUTING; do
	wide=$(awk 'length > 80 { print FNR; exit }' "$file")
	[ -z "$wide" ] || report_error "$file:$wide: over 80 columns"
done
[ "$(wc -l <README)" -lt 200 ] || report_error "README: 200 lines or more"
for file in pictures/*.png; do
	grep -q "\b${file#pictures/}" README || report_error "$file: README does not name it"
	[ "$(stat -c %s "$file")" -le 102400 ] || report_error "$file: larger than 100 KB"
done

# The files that were changed since all had the right format.
formatted=build/formatted
changed=()
[ ! -e $formatted ] || [ .clang-format -nt $formatted ] || changed=(-newer $formatted)
if clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
	touch "$scratch/now"
	find "${folders[@]}" tests -name '*.[ch]' "${changed[@]}" -exec clang-format --dry-run -Werror {} + || failed=1
	[ $failed = 1 ] || [ ! -d build ] || mv "$scratch/now" $formatted
else
	echo "note: clang-format 14 is not installed: the format of C files was not checked"
fi

# Words that readers did not understand at once: "known, named, reported" are clearer than "told",
# "no one" than "nobody", "again" than "anew", "still" than "all the same".
banned='\b(un)?told\b|\btells?\b|\bnobody\b|\bwhoever\b|\banew\b|\bthereof\b|\ball the same\b'
banned+='|\bsuch a one\b|(?<!there )\bis no (?!longer|more)\b|\bof what\b'
mapfile -t texts < <(find "${folders[@]}" tests debian m4 demo test configure.ac Makefile.am README NEWS \
	CONTRIBUTING .ci -type f ! -path 'tests/data/*' ! -path 'm4/l*.m4' ! -name style.sh)
while read -r line; do
	report_error "banned word: $line"
done < <(grep -nPi "$banned" "${texts[@]}" /dev/null)

# A comment begins with its subject, which is no clause. (Not checked: comments of the HTML pages.)
clause='^\s*(/\*| \*|//|#) ?(What|Those|One that|Who|Whoever) '
while read -r line; do
	report_error "a comment begins with a clause: $line"
done < <(grep -nP "$clause" "${texts[@]}" /dev/null | grep -v '^[^:]*\.js:')
printf ' * %s\n' 'Those that wait.' | grep -qP "$clause" || report_error "a planted clause was not found"

# The folders that each folder includes.
tests/build/includes.sh . "$PWD/tests/build/folders" || failed=1

# expect_refusal TEXT: includes.sh refuses the planted tree, and says TEXT.
expect_refusal()
{
	if tests/build/includes.sh "$scratch/tree" "$PWD/tests/build/folders" >"$scratch/out" ||
		! grep -q "$1" "$scratch/out"; then
		report_error "includes.sh does not refuse a planted fault: $1"
		cat "$scratch/out"
	fi
}

mkdir -p "$scratch/tree/base" "$scratch/tree/kernel"
echo '#include "kernel/b.h"' >"$scratch/tree/base/a.c"
expect_refusal 'base/ may not include kernel/'
echo '#include "base/b.h"' >"$scratch/tree/base/a.c"
echo '#include "base/a.h"' >"$scratch/tree/base/b.h"
expect_refusal 'include each other in a circle'
echo '#include "base/c.h"' >"$scratch/tree/base/b.h"
mkdir "$scratch/tree/tracer"
echo '#include "tracer/session.h"' >"$scratch/tree/tracer/pieces.c"
expect_refusal 'pieces.c includes tracer/session.h: only the files tracer/session\* may'
echo '#include "tracer/keeper_work.h"' >"$scratch/tree/tracer/pieces.c"
expect_refusal 'only the files tracer/keeper\* may'
echo '#include "tracer/pieces_work.h"' >"$scratch/tree/tracer/pieces.c"
tests/build/includes.sh "$scratch/tree" "$PWD/tests/build/folders" ||
	report_error "includes.sh refuses a tree without a fault"

# The scripts of tests/ wait for conditions.
tests/build/waits.sh . || failed=1
mkdir -p "$scratch/tree/tests/cli"
echo 'sleep 5' >"$scratch/tree/tests/cli/planted.sh"
! tests/build/waits.sh "$scratch/tree" >/dev/null || report_error "waits.sh does not find a planted sleep"

# Messages are whole.
find "${folders[@]}" -name '*.[ch]' -exec tests/build/literals.sh {} + || failed=1
printf '\tprintf("the file "\n\t       "is empty");\n' >"$scratch/tree/base/planted.c"
! tests/build/literals.sh "$scratch/tree/base/planted.c" >/dev/null ||
	report_error "literals.sh does not find a planted literal that goes on"

# Each name has one place. The functions of the planted module stand in the stacks that tests expect.
find "${folders[@]}" tests -name '*.[ch]' ! -path 'bpf/*' ! -path 'tests/vm/plant/*' -exec tests/build/names.sh {} + || failed=1
cat >"$scratch/tree/base/1.c" <<'END'
struct it {
};

int read_it(void)
{
}

static int read(void)
{
}

__attribute__((format(printf, 1, 2))) static int
print_it(const char *format, ...)
{
}
END
for copy in 2 3 4; do
	cp "$scratch/tree/base/1.c" "$scratch/tree/base/$copy.c"
done
tests/build/names.sh "$scratch"/tree/base/[1-4].c >"$scratch/out"
for fault in ': read_it() is at ' ': struct it is at ' ': read() needs ' 'print_it() is in more than three files'; do
	grep -qF "$fault" "$scratch/out" || report_error "names.sh does not find a planted fault: $fault"
done

# Each row of tests/tiers is of a test, a tier and a build. ./test ends if a test has no row.
while read -r pattern tier build; do
	case $tier:$build in
	quick:* | core:* | all:*) ;;
	*) report_error "tests/tiers: $pattern: no such tier: $tier" ;;
	esac
	case $build in
	sanitizers | plain | fuzz | own) ;;
	*) report_error "tests/tiers: $pattern: no such build: $build" ;;
	esac
	case $pattern in
	*[*]) ;;
	vm/*[0-9]-*)
		grep -q "^${pattern#vm/} " tests/vm/kernels || report_error "tests/tiers: no such kernel: $pattern"
		;;
	*) [ -e "tests/$pattern.sh" ] || [ -e "tests/$pattern.c" ] || report_error "tests/tiers: no such test: $pattern" ;;
	esac
done < <(grep '^[a-z]' tests/tiers)

# CONTRIBUTING names each folder of the tree.
for folder in "${folders[@]}"; do
	grep -qE "^ {4}([a-z]+/ )?$folder/ " CONTRIBUTING || report_error "CONTRIBUTING does not describe $folder/"
done
exit $failed
