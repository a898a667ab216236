#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2154 # ./test sets them
# The Debian packages build from the files of a release, and lintian finds no error and no warning. On a
# copy of this system that is thrown away they install, pass their tests, upgrade to a newer version,
# and leave no file when they are purged.
set -u
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

quietly()
{
	"$@" >"$scratch/log" 2>&1 || { tail -n 40 "$scratch/log"; exit 1; }
}

skip()
{
	echo "skipped: $*"
	exit 77
}

for tool in dpkg-buildpackage dh lintian; do
	command -v $tool >/dev/null ||
		skip "$tool is not installed: ./test installs it as root, on Debian"
done
quietly make -C "$builddir" distdir distdir="$scratch/source"
cd "$scratch/source" || exit 1
missing=$(dpkg-checkbuilddeps -P nocheck 2>&1) ||
	skip "packages are missing: ${missing#*dependencies: }"

version=$(sed -n 's/^AC_INIT(\[kmemtrace\], \[\([^]]*\)\].*/\1/p' configure.ac)
[ "$(dpkg-parsechangelog -S Version)" = "$version" ] ||
	{ echo "debian/changelog is not of version $version, as configure.ac is"; exit 1; }

quietly dpkg-source -Zgzip -b .
# Without optimization and debug information, and with the BPF programs that the other tests use:
# compiling them would take two thirds of the time.
mkdir -p build/debian/bpf
cp -p "$builddir"/bpf/*.bpf.o build/debian/bpf || exit 1
quietly env DEB_BUILD_OPTIONS="nocheck noopt noautodbgsym parallel=$jobs" DEB_CFLAGS_STRIP=-g \
	DPKG_DEB_COMPRESSOR_TYPE=gzip dpkg-buildpackage -us -uc -nc -b
cd .. || exit 1
# it leaves files there
TMPDIR=$scratch lintian --fail-on error,warning ./*.dsc ./*.changes || exit 1

# The same packages as version $newer.
newer=$version+newer
mkdir newer
for package in *.deb; do
	dpkg-deb -R "$package" tree
	sed -i -E "s/^(Version: |.*\(= )${version//./\\.}/\1$newer/" tree/DEBIAN/control
	quietly dpkg-deb --root-owner-group -Znone -b tree newer
	rm -rf tree
done

[ "$(id -u)" = 0 ] || skip "the packages were built and checked, but only root can install them"
# shellcheck disable=SC2016 # the shells that are started expand them
unshare -m "$top_srcdir/tests/build/debian-install.sh" "$scratch" "$newer"
