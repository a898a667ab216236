#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# each-commit.sh BASE: builds each commit after BASE, with warnings as errors, and runs its unit tests. Prints a
# line for each; exit status 1: one does not build, or a test fails. All of them are built in one folder, one
# after the other, so each costs what it changes: build/each-commit, which stays for the next time. A commit that
# changes neither C nor what is made of make files has the programs of the one before, and is not built.
set -u
cd "$(dirname "$0")/../.." || exit 2
program=each-commit.sh
# shellcheck source=tests/setup.sh
. tests/setup.sh
[ $# -eq 1 ] && commits=$(git rev-list --reverse "$1..HEAD") || {
	echo "usage: tests/build/each-commit.sh BASE, as origin/main" >&2
	exit 2
}
[ -n "$commits" ] || { echo "no commit after $1"; exit 0; }
make_build
# shellcheck disable=SC2086 # a list
setup $packages_build $packages_quick
top=$PWD folder=$PWD/build/each-commit
[ -d "$folder/source" ] || git clone -q --shared . "$folder/source" || exit 2
cd "$folder/source" && git fetch -q "$top" HEAD || exit 2
use_ccache

build_and_test()
{
	bootstrap && configure_in "$folder/build" --enable-werror && make -C "$folder/build" -j"$(nproc)" all &&
		make -C "$folder/build" -j"$(nproc)" check TESTS="$(unit_tests)" LOG_COMPILER="$top/tests/run.sh"
}

unit_tests()
{
	# shellcheck disable=SC2016 # make's own
	printf 'include Makefile\nprint-tests:\n\t@printf "%%s\\n" $(TESTS)\n' |
		make -C "$folder/build" -s --no-print-directory -f - print-tests | grep '^tests/unit/' | xargs
}

failed=0
for commit in $commits; do
	git checkout -q --detach "$commit" || exit 2
	if [ -n "${built:-}" ] && ! git diff --name-only "$built" "$commit" | grep -qE '\.([chl]|am|ac|m4|in)$'; then
		echo "same $(git log -1 --format='%h %s' "$commit")"
		continue
	fi
	built=$commit
	if build_and_test >"$folder/log" 2>&1 </dev/null; then
		echo "ok   $(git log -1 --format='%h %s' "$commit")"
	else
		echo "FAIL $(git log -1 --format='%h %s' "$commit")"
		grep -E '^(FAIL|ERROR): |error:|Error [0-9]' "$folder/log" | head -n 20 | sed 's/^/    /'
		failed=1
	fi
done
exit $failed
