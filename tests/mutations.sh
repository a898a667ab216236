#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mutations.sh [WORD…]: plants the mistakes of the table "mutations", all or those whose names contain one of the
# words, one after the other into a copy of the tree, and runs the tests of unit/ and cli/ that need neither a browser
# nor a server: those that the row names first, then all, until one fails. Exit status 1: no test failed for one of
# them, or a row does not fit the source any more.
# $KMEMTRACE_MUTATIONS: a folder for the copy and its build, which stay there for the next run.
set -u
top=$(cd "$(dirname "$0")/.." && pwd) || exit 2
folder=${KMEMTRACE_MUTATIONS:-$(mktemp -d "${TMPDIR:-/tmp}/kmemtrace-mutations.XXXXXX")} || exit 2
[ -n "${KMEMTRACE_MUTATIONS:-}" ] || trap 'rm -rf "$folder"' EXIT
trap 'exit 2' HUP INT TERM
mkdir -p "$folder/tmp" "$folder/build" || exit 2
tree=$folder/tree
export builddir=$folder/build top_srcdir=$tree srcdir=$tree/tests TMPDIR=$folder/tmp
export CCACHE_BASEDIR=$folder CCACHE_NOHASHDIR=1
export -n KMEMTRACE_MUTATIONS
left_out='/(html.*|clickhouse|fleet-clickhouse|grafana|linear-time|memory-limit)\.sh$'

die() {
	echo "mutations: $*" >&2
	exit 2
}

build() {
	make -s -j2 -C "$builddir" "$@" >"$folder/log" 2>&1
}

run() { # run TEST: a test that hangs has failed, too
	local shell=''

	[[ $1 == *.sh ]] && shell=$(sed -n '1s/^#! *//p' "$tree/$1")
	(cd "$builddir" && timeout -k 5 300 $shell "${shell:+$tree/}$1") >"$folder/log.${1##*/}" 2>&1
	local status=$?
	[ $status = 0 ] || [ $status = 77 ] || { echo "$1" >>"$folder/failed" && return 255; }
}
export -f run
export tree folder

prepare() {
	mkdir -p "$tree" && cd "$top" &&
		git ls-files -z | xargs -0 cp -Pu --preserve=mode --parents -t "$tree" && cd "$tree" || return
	[ -f configure ] || autoreconf -fi || return
	[ -f "$builddir/Makefile" ] || (cd "$builddir" &&
		"$tree/configure" CC="$(command -v ccache) gcc" CFLAGS='-g -O1') || return
	make -s -j2 -C "$builddir" all && make -s -j2 -C "$builddir" check TESTS= || return
}

# The first test that fails is in $folder/failed then. 1: the source does not compile.
find_failure() { # find_failure TEST,TEST…
	local test

	for test in ${1//,/ }; do
		case $test in
		-) continue ;;
		*.sh) build all tests/mktrace || return ;;
		*) build "tests/$test" || return ;;
		esac
		run "tests/$test" || return 0
	done
	build all && build check TESTS= || return
	xargs -P2 -I{} bash -c 'run {}' <"$folder/tests" 2>/dev/null
	return 0
}

is_chosen() { # is_chosen NAME WORD…
	local name=$1 word

	shift
	[ $# = 0 ] && return
	for word; do
		[[ $name != *"$word"* ]] || return 0
	done
	return 1
}

prepare >"$folder/log" 2>&1 || die "the copy of the tree cannot be built: $(tail -n 5 "$folder/log")"
printf 'print-tests:\n\t@echo $(TESTS)\n' | make -s -C "$builddir" -f Makefile -f - print-tests | tr ' ' '\n' |
	grep -E '(^|/)tests/(unit|cli)/' | sed 's,^.*/tests/,tests/,' | grep -vE "$left_out" >"$folder/tests"
[ -s "$folder/tests" ] || die "the build names no tests"

status=0
while read -r name file tests change <&3; do
	[[ $name == [a-z]* ]] && is_chosen "$name" "$@" || continue
	cp "$tree/$file" "$folder/saved" && sed -i "$change" "$tree/$file" || die "$name: wrong row"
	: >"$folder/failed"
	if cmp -s "$tree/$file" "$folder/saved"; then
		echo "NOTHING CHANGED $name" && status=1
	elif ! find_failure "$tests"; then
		echo "DOES NOT BUILD $name: $(grep -m 1 error: "$folder/log")" && status=1
	elif [ -s "$folder/failed" ]; then
		echo "caught $name by $(head -n 1 "$folder/failed")"
	else
		echo "NOT CAUGHT $name" && status=1
	fi
	cp "$folder/saved" "$tree/$file"
done 3<"$top/tests/mutations"
exit $status
