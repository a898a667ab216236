#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Programs in the style of FreeBSD programs compile without warnings as C99, C11 and C++11. They
# show known counters of a capture, rates computed with the caller slots, and errors.
. "$srcdir/cli/cli.sh"
[ -e "$builddir/libmemstat.so" ] ||
	{ echo "libmemstat was not built: this build is linked statically"; exit 77; }

# a program must load the sanitizers before a library that was built with them
sanitizers=
nm -D "$builddir/libmemstat.so" | grep -q __asan_init && sanitizers=-fsanitize=address,undefined
echo 'int main(void) { return 0; }' >nothing.c
# shellcheck disable=SC2086 # none or one
"${CC:-cc}" $sanitizers -o nothing nothing.c -L"$builddir" -lmemstat >log 2>&1 || {
	grep -q incompatible log && { echo "libmemstat is for another machine than ${CC:-cc}"; exit 77; }
	cat log
	exit 1
}

for capture in exact small; do
	"$mktrace" $capture <"$srcdir/cli/$capture.trace" || exit 1
done
cp -r exact cut
truncate -s 500 cut/cpu1
KMEMTRACE_MEMSTAT=nothing # a file that does not exist
export KMEMTRACE_MEMSTAT

try()
{
	program=$1
	shift
	echo "--- $program $*"
	"./$program" "$@" 2>&1
	echo "-> $?"
}

# run COMPILER OPTION…
run()
{
	for program in like_vmstat like_netstat; do
		# shellcheck disable=SC2086 # none or one
		"$@" $sanitizers -Wall -Wextra -Werror -pedantic -I"$top_srcdir/live/memstat" -o $program \
			"$srcdir/memstat/$program.c" -L"$builddir" -lmemstat \
			-Wl,-rpath,"$builddir" ||
			{ echo "$program: does not compile with $*"; failed=1; return; }
	done
	{
		try like_vmstat -m small
		try like_vmstat -z small
		try like_vmstat -m cut
		try like_vmstat -z nowhere
		try like_vmstat -z
		try like_netstat small 2 filp kmalloc-128 alloc_pipe_info "probe [driver]" none
		try like_netstat - 1 filp
	} >out
	compare memstat-freebsd.expected out ||
		{ echo "this is the output of the programs compiled with $*"; failed=1; }
}

run "${CC:-cc}" -std=c99
run "${CC:-cc}" -std=gnu11
cxx=${CXX:-g++}
if command -v "$cxx" >/dev/null; then
	run "$cxx" -std=c++11 -x c++
elif [ $failed = 0 ]; then
	echo "no C++ compiler: install g++"
	failed=77
fi
exit $failed
