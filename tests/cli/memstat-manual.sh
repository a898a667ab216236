#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The example of libmemstat(3), copied from the page, and the prototypes of FreeBSD's header compile
# without warnings as C99, C11 and C++11, link with the library and run: with a statistics file, and
# without one.
. "$srcdir/cli/cli.sh"
[ -e "$builddir/libmemstat.so" ] ||
	{ echo "libmemstat was not built: this build is linked statically"; exit 77; }
page=$top_srcdir/live/memstat/libmemstat.3

# a program must load the sanitizers before a library that was built with them
sanitizers=
nm -D "$builddir/libmemstat.so" 2>/dev/null | grep -q __asan_init &&
	sanitizers=-fsanitize=address,undefined
echo 'int main(void) { return 0; }' >"$scratch/nothing.c"
# shellcheck disable=SC2086 # none or one
"${CC:-cc}" $sanitizers -o "$scratch/nothing" "$scratch/nothing.c" -L"$builddir" -lmemstat \
	>"$scratch/log" 2>&1 || {
	grep -q incompatible "$scratch/log" &&
		{ echo "libmemstat is for another machine than ${CC:-cc}"; exit 77; }
	cat "$scratch/log"
	exit 1
}

# The first literal text of the section is the program.
sed -n '/^\.Sh EXAMPLES/,/^\.Ed/{/^\.Bd/,/^\.Ed/{/^\./d; s/\\e/\\/g; p;};}' "$page" >"$scratch/example.c"
grep -q memstat_mtl_find "$scratch/example.c" || { echo "$page has no example"; exit 1; }
cp "$top_srcdir/tests/memstat/prototypes.c" "$scratch"

"$mktrace" "$scratch/capture" <<-END || exit 1
	cache dentry 0xffff888003c41a00 192 192
	calloc 10us 0 0xffff888002000000 dentry 0xffffffff81000000
	calloc 20us 1 0xffff888002000100 dentry 0xffffffff81000000
	cfree 30us 1 0xffff888002000000 dentry 0xffffffff81000000
	calloc 40us 1 0xffff888002000200 dentry 0xffffffff81000000
END
mkfifo "$scratch/until" "$scratch/ready" || exit 1
"$builddir/tests/memstat/publish" "$scratch/capture" "$scratch/published" <"$scratch/until" >"$scratch/ready" &
exec 9>"$scratch/until"
read -r word <"$scratch/ready"
[ "$word" = ready ] || { echo "nothing is published"; exit 1; }

# runs NAME FILE STATUS OUTPUT: runs a program with FILE as the statistics file
runs()
{
	KMEMTRACE_MEMSTAT=$2 "$scratch/$1" >"$scratch/out" 2>&1
	result=$?
	[ $result = "$3" ] && [ "$(cat "$scratch/out")" = "$4" ] && return
	echo "$1, with $2: exit status $result:"
	cat "$scratch/out"
	failed=1
}

# compile COMPILER OPTION…
compile()
{
	for name in example prototypes; do
		# shellcheck disable=SC2086 # none or one
		"$@" $sanitizers -Wall -Wextra -Werror -pedantic -I"$top_srcdir/live/memstat" \
			-o "$scratch/$name" "$scratch/$name.c" -L"$builddir" -lmemstat \
			-Wl,-rpath,"$builddir" ||
			{ echo "$name: does not compile with $*"; failed=1; return; }
	done
	runs example "$scratch/published" 0 "dentry: 3 allocated, 2 still in use"
	none="$scratch/none: nothing is published there: start with 'kmemtraced --publish=$scratch/none'"
	runs example "$scratch/none" 1 "example: $none, as root"
	runs prototypes "$scratch/none" 0 ""
}

compile "${CC:-cc}" -std=c99
compile "${CC:-cc}" -std=gnu11
cxx=${CXX:-g++}
if command -v "$cxx" >/dev/null; then
	compile "$cxx" -std=c++11 -x c++
elif [ $failed = 0 ]; then
	echo "no C++ compiler: install g++"
	failed=77
fi
exec 9>&-
wait
exit $failed
