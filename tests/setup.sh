# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# The common part of ./test, ./demo and bench/run: the Debian packages that they need, how to install these,
# and how to build a configuration. They source this file with $program set.

# A build of everything needs these:
packages_build="autoconf automake make gcc libc6-dev pkg-config clang
	libbpf-dev libelf-dev libcap-ng-dev libseccomp-dev zlib1g-dev libdeflate-dev
	libjansson-dev libncurses-dev libsqlite3-dev libcurl4-gnutls-dev"
# "./test quick" needs these besides (g++: C++ programs use memstat.h too; xz-utils: captures of
# other machines; tmux: a terminal).
packages_quick="libcmocka-dev g++ xz-utils mandoc jq procps clang-format tmux"
# "./test" needs these besides (linux-perf and bpftrace: independent counts; prometheus: reads the metrics; systemd: judges
# the unit; qemu-system, cpio and e2fsprogs: other kernels; trace-cmd and its libraries: recordings that
# kmemtrace-import reads; python3-jsonschema: checks JSON; python3 and openssl: servers that are wrong, for
# kmemtrace-ship).
packages_core="linux-perf bpftrace babeltrace2 prometheus prometheus-node-exporter systemd
	qemu-system-x86 cpio e2fsprogs trace-cmd libtracecmd-dev libtracefs-dev libtraceevent-dev
	python3-jsonschema python3 openssl"
# "./test all" needs these besides (libclang-rt and llvm: libFuzzer, and the coverage; qemu-system of other
# machines: their kernels; qemu-user: the offline tools on them; compilers: both; debhelper and lintian: our
# own packages; spin: the models).
packages_all="libclang-rt-dev llvm valgrind qemu-system-arm qemu-system-misc
	qemu-system-ppc qemu-user gcc-s390x-linux-gnu libc6-dev-s390x-cross
	gcc-arm-linux-gnueabihf libc6-dev-armhf-cross gcc-aarch64-linux-gnu libc6-dev-arm64-cross
	gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross
	debhelper lintian spin"
# "./test all" needs these besides, if they can be installed: a web browser, and its driver.
packages_browser="chromium nodejs"
# The same: a store of fleets. The tests start servers of their own; no service is started.
packages_clickhouse="clickhouse-server curl"
# bench/run measures these, or reads its results with them.
packages_bench="linux-perf bpftrace trace-cmd jq"

# setup PACKAGE…: installs the missing packages, or names them and exits with 2.
setup()
{
	local package output missing=""

	if ! command -v dpkg-query >/dev/null; then
		echo "$program: dpkg-query is missing, so this system is not Debian:" \
			"using the packages that are installed"
		return
	fi
	for package in "$@"; do
		case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
		installed) ;;
		*) missing="$missing $package" ;;
		esac
	done
	[ -n "$missing" ] || return 0
	if [ "$(id -u)" -ne 0 ]; then
		echo "$program: packages are missing: install them as root:" \
			"apt-get install --no-install-recommends$missing" >&2
		exit 2
	fi
	echo "$program: installing:$missing"
	# shellcheck disable=SC2086 # a list
	output=$(apt_install $missing 2>&1 || { sleep 5; apt_install $missing 2>&1; }) || {
		echo "$output" >&2
		echo "$program: apt-get could not install:$missing" >&2
		exit 2
	}
}

# setup_browser: tries to install it; without it, the tests that need it are skipped.
setup_browser()
{
	local output

	command -v chromium >/dev/null && command -v node >/dev/null && return
	command -v dpkg-query >/dev/null && [ "$(id -u)" -eq 0 ] || return 0
	echo "$program: installing: $packages_browser"
	# shellcheck disable=SC2086 # a list
	output=$(apt_install $packages_browser 2>&1) || echo "$output" | tail -n 3
}

# setup_clickhouse: tries to install it; without it, the tests that need it are skipped.
setup_clickhouse()
{
	local output

	PATH=$PATH:/usr/sbin command -v clickhouse-server >/dev/null && command -v curl >/dev/null &&
		return
	command -v dpkg-query >/dev/null && [ "$(id -u)" -eq 0 ] || return 0
	echo "$program: installing: $packages_clickhouse"
	# the package starts a service where a policy does not forbid it
	# shellcheck disable=SC2086 # a list
	output=$(apt_install $packages_clickhouse 2>&1) || {
		echo "$output" | tail -n 3
		return 0
	}
	[ ! -d /run/systemd/system ] || systemctl disable -q --now clickhouse-server 2>/dev/null
	return 0
}

apt_install()
{
	apt-get update -qq &&
		RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
			-o Dpkg::Use-Pty=0 "$@"
}

# Makes the folder of all builds. If root makes it, other users cannot write to it.
make_build()
{
	mkdir -p build 2>/dev/null && [ -w build ] && return
	echo "$program: cannot write to $PWD/build: remove it, or run as its owner" >&2
	exit 2
}

# Makes configure if it is missing or older than its sources.
bootstrap()
{
	if [ -f configure ] && [ -f Makefile.in ] && [ -f config.h.in ] &&
		[ -z "$(find . -path ./build -prune -o \
			\( -name '*.am' -o -name configure.ac -o -path './m4/*.m4' \) \
			-newer configure -print)" ]; then
		return
	fi
	autoreconf -fi
}

# use_ccache: where it is installed; a build in another folder then costs little
use_ccache()
{
	[ -d /usr/lib/ccache ] || return 0
	export PATH=/usr/lib/ccache:$PATH CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
}

# configure_in DIR OPTION…: configures in DIR, unless DIR was configured with the same options.
configure_in()
{
	local top=$PWD dir=$1

	shift
	mkdir -p "$dir" || return
	if [ -f "$dir/Makefile" ] && [ ! configure -nt "$dir/config.status" ] &&
		[ "$(cat "$dir/options" 2>/dev/null)" = "$*" ]; then
		return
	fi
	(cd "$dir" && "$top/configure" "$@") && echo "$*" >"$dir/options"
}
