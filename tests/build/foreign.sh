#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2154 # ./test sets them
# The offline tools are built for a 64-bit big-endian machine and for a 32-bit one, and pass
# their tests there: their programs run in qemu's emulation of one process. The libraries are
# Debian's, downloaded once and extracted, never installed.
set -u
program=foreign.sh
# shellcheck source=tests/vm/lab.sh
. "$top_srcdir/tests/vm/lab.sh"
# shellcheck source=tests/vm/apt.sh
. "$top_srcdir/tests/vm/apt.sh"

# By Debian's name of the architecture: the triplet of its compiler, its emulator, and the class and
# byte order of its ELF files.
declare -A triplets=([s390x]=s390x-linux-gnu [armhf]=arm-linux-gnueabihf)
declare -A emulators=([s390x]=qemu-s390x [armhf]=qemu-arm)
declare -A kinds=([s390x]="2 2" [armhf]="1 1")
machines=(s390x armhf)
libraries=(zlib1g-dev libdeflate-dev libjansson-dev libcmocka-dev libcmocka0)

# Tests that the emulation need not run: what they check is the same on each machine, as the pages and
# the sums of summaries, whose figures other tests compare; and signals and the memory of a process, some
# of which are of the emulation.
left_out="cli/import-damaged.sh cli/mistyped.sh cli/progress.sh cli/report-again.sh
	cli/front.sh cli/glance.sh cli/html.sh cli/html-browser.sh cli/html-summaries.sh
	cli/html-summaries-browser.sh cli/one-file.sh cli/report-schema.sh
	cli/report-fields.sh cli/report-filters.sh cli/report-leaks-rank.sh
	cli/report-summaries-merged.sh cli/report-threads.sh
	cli/report-width.sh cli/same-anywhere.sh unit/test_process_memory
	unit/test_stop"

# On the 32-bit machine only the scripts run whose programs read or write numbers of another size.
# s390x runs the others.
scripts_32="cli/anonymized.sh cli/check.sh cli/guests.sh cli/hostile-names.sh cli/import-perf.sh
	cli/memstat-capture.sh cli/pack.sh cli/process-events.sh cli/repair.sh cli/report-count.sh
	cli/report-csv.sh cli/report-json.sh cli/report-leaks.sh cli/sample.sh cli/stacks.sh"

scratch=$(mktemp -d)
work=$scratch # of apt.sh
trap 'rm -rf "$scratch" "$work"' EXIT
failed=0

for arch in "${machines[@]}"; do
	for tool in "${triplets[$arch]}-gcc" "${emulators[$arch]}"; do
		command -v "$tool" >/dev/null ||
			could_not "$tool is not installed: ./test installs it as root"
	done
	[ -d "/usr/${triplets[$arch]}/lib" ] ||
		could_not "/usr/${triplets[$arch]}/lib, the C library of $arch, is not there:" \
			"./test installs it as root"
done

sysroot_of()
{
	echo "$lab/offline-$1"
}

find_missing() # sets missing
{
	local arch

	missing=()
	for arch in "${machines[@]}"; do
		has_parts "$(sysroot_of "$arch")" "${libraries[@]}" || missing+=("$arch")
	done
	[ ${#missing[@]} -gt 0 ]
}

# Made in another folder and then moved, so that an existing folder is complete.
fetch_libraries()
{
	local arch missing library

	find_missing && lock_lab && find_missing || return
	apt_prepare "${missing[*]}" bookworm
	for arch in "${missing[@]}"; do
		apt_download "the libraries of $arch" "${libraries[@]/%/:$arch}"
		for library in "${libraries[@]}"; do
			apt_extract "$library" "$work/$arch"
		done
		list_parts "$work/$arch" "${libraries[@]}" || wrong "$work/$arch cannot be written"
		rm -rf "$(sysroot_of "$arch")"
		mv -T "$work/$arch" "$(sysroot_of "$arch")" ||
			wrong "$(sysroot_of "$arch") cannot be made: is the disk full?"
	done
	exec 7>&- # of lock_lab
}

# list_of DIR VARIABLE: prints the words of a variable in the Makefile of a configured folder, one a
# line.
list_of()
{
	# shellcheck disable=SC2016 # make's own
	printf 'include Makefile\nprint-list:\n\t@printf "%%s\\n" $(%s)\n' "$2" |
		make -C "$1" -s --no-print-directory -f - print-list
}

# build_for ARCH DIR
build_for()
{
	local triplet=${triplets[$1]} root include folder

	root=$(sysroot_of "$1")
	include="-I$root/usr/include -I$root/usr/include/$triplet"
	folder=$root/usr/lib/$triplet
	# shellcheck disable=SC2046 # a list
	mkdir "$2" && cd "$2" &&
		"$top_srcdir/configure" --host="$triplet" --enable-werror --disable-tracer \
			--without-libtracecmd CFLAGS=-O1 CPPFLAGS=-DTEST_READS=100000 \
			ZLIB_CFLAGS="$include" ZLIB_LIBS="$folder/libz.a" \
			LIBDEFLATE_CFLAGS="$include" LIBDEFLATE_LIBS="$folder/libdeflate.a" \
			JANSSON_CFLAGS="$include" JANSSON_LIBS="$folder/libjansson.a" \
			CMOCKA_CFLAGS="$include" \
			CMOCKA_LIBS="$folder/libcmocka.so.0 -Wl,-rpath,$folder" &&
		: what scripts start over and over starts faster without shared libraries &&
		make -j"$jobs" LDFLAGS=-static $(list_of . bin_PROGRAMS) tests/mktrace tests/mkrelay &&
		make -j"$jobs" check TESTS=
}

# wrap DIR EMULATOR TRIPLET: replaces each foreign program by a script that runs it in the emulator.
wrap()
{
	local file

	find "$1" -type f -perm -u+x ! -name '*.o' ! -name '*.so*' | while read -r file; do
		[ "$(head -c 4 "$file" | tail -c 3)" = ELF ] || continue
		mv "$file" "$file.foreign"
		cat >"$file" <<-END
			#!/bin/sh
			exec $2 -L /usr/$3 -0 "\$0" "\$0.foreign" "\$@"
		END
		chmod +x "$file"
	done
}

# run_tests ARCH DIR: prints the tests that are left out, and the totals; writes the log of each test that
# failed to a file.
run_tests()
{
	local arch=$1 dir=$2 test name list=() same=() out=0 passed=0 bad=0

	while read -r test; do
		name=${test#tests/}
		if [[ " $left_out " =~ [[:space:]]"$name"[[:space:]] ]]; then
			same+=("$name")
			out=$((out + 1))
		elif [[ ${kinds[$arch]} == "1 "* && $name == cli/* &&
			! " $scripts_32 " =~ [[:space:]]"$name"[[:space:]] ]]; then
			out=$((out + 1))
		else
			list+=("$test")
		fi
	done < <(list_of "$dir" TESTS)
	echo "$arch: left out, since they do not depend on the machine: ${same[*]}"
	# fewer rounds, here and above, and each fifth byte or offset damaged: the emulation is slow
	KMEMTRACE_ROUNDS=100 KMEMTRACE_STRIDE=5 make -C "$dir" -j"$jobs" -k check TESTS="${list[*]}" LOG_COMPILER="timeout -k 10 600" \
		SH_LOG_COMPILER="timeout -k 10 600" AM_COLOR_TESTS=no </dev/null >"$dir/check.log" 2>&1
	for test in "${list[@]}"; do
		name=${test#tests/}
		case $(sed -n 's/^:test-result: //p' "$dir/${test%.sh}.trs" 2>/dev/null) in
		PASS*) passed=$((passed + 1)) ;;
		SKIP*)
			out=$((out + 1))
			echo "$arch: $name is left out: $(grep -v -e '^SKIP ' -e '^$' \
				"$dir/${test%.sh}.log" | tail -n 1)"
			;;
		*)
			bad=$((bad + 1))
			{
				echo "$arch: $name failed:"
				sed 's/^/    /' "$dir/${test%.sh}.log" 2>/dev/null || cat "$dir/check.log"
			} >>"$scratch/failures"
			;;
		esac
	done
	echo "$arch: $((passed + bad)) tests ran: $passed passed, $bad failed; $out left out"
	[ "$bad" -eq 0 ] && [ "$passed" -gt 0 ]
}

fetch_libraries
unset APT_CONFIG
for arch in "${machines[@]}"; do
	dir=$scratch/build-$arch
	if ! (build_for "$arch" "$dir") >"$scratch/log" 2>&1; then
		tail -n 40 "$scratch/log"
		echo "$arch: the offline tools do not build"
		failed=1
		continue
	fi
	wrap "$dir" "${emulators[$arch]}" "${triplets[$arch]}"
	# of an ELF file: the class (1: 32 bits, 2: 64), and the byte order (1: little, 2: big)
	kind=$(od -An -tu1 -j 4 -N 2 "$dir/kmemtrace-report.foreign" | xargs)
	[ "$kind" = "${kinds[$arch]}" ] || {
		echo "$arch: kmemtrace-report is of kind $kind, not ${kinds[$arch]}"
		failed=1
	}
	run_tests "$arch" "$dir" || failed=1
done
# last: ./test shows the end of the log of a failure once more
cat "$scratch/failures" 2>/dev/null
exit $failed
