#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# debian-install.sh SCRATCH NEWER: the second part of debian.sh, as root in a mount namespace of its
# own. Installs SCRATCH/*.deb, runs the tests in SCRATCH/source/debian/tests, installs
# SCRATCH/newer/*.deb of version NEWER, then removes and purges the packages. All this is done in an
# overlay, so that the system itself does not change.
set -u
scratch=$1
newer=$2
packages=(kmemtraced kmemtrace-tools libmemstat-dev libmemstat3)
unit=/etc/systemd/system/multi-user.target.wants/kmemtraced.service
cd "$scratch" || exit 1

fail()
{
	echo "$*"
	exit 1
}

skip()
{
	echo "skipped: the packages were built and checked, but not installed: $*"
	exit 77
}

inside()
{
	chroot "$scratch/root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C \
		DEBIAN_FRONTEND=noninteractive "$@"
}

# step COMMAND…: runs it on the copy; prints what it printed if it fails.
step()
{
	inside "$@" >log 2>&1 || { cat log; fail "on the copy of the system this fails: $*"; }
}

mkdir over root
{ mount --make-rprivate / && mount -t tmpfs -o mode=755 over over && mkdir over/files over/work &&
	mount -t overlay -o "lowerdir=/,upperdir=$PWD/over/files,workdir=$PWD/over/work" root root &&
	mount -t proc proc root/proc && mount --rbind /sys root/sys && mount --rbind /dev root/dev &&
	mount -t tmpfs -o mode=1777 tmp root/tmp && mount -t tmpfs -o mode=755 run root/run; } >log 2>&1 ||
	skip "the system cannot be copied: $(tail -n 1 log)"
inside dpkg-query -W dpkg >log 2>&1 || skip "the copy of the system is not whole: $(tail -n 1 log)"
# the index of all man pages takes seconds each time
rm -f root/var/lib/man-db/auto-update
inside dpkg --purge "${packages[@]}" >log 2>&1
mkdir root/tmp/debs && mount --bind . root/tmp/debs || exit 1

# The files and folders that the installation has added to the system, except for the administration of
# dpkg, of groups and of the linker.
added()
{
	local path

	find over/files -mindepth 1 ! -type c -printf '%P\n' | while read -r path; do
		case $path in
		var/lib/dpkg/* | var/log/* | var/cache/*) ;;
		etc/ld.so.cache | etc/group* | etc/gshadow* | etc/passwd* | etc/shadow*) ;;
		etc/.pwd.lock) ;;
		*) [ -e "/$path" ] || [ -L "/$path" ] || echo "$path" ;;
		esac
	done
}

expect_version()
{
	local package

	for package in "${packages[@]}"; do
		# shellcheck disable=SC2016 # dpkg-query's own
		[ "$(inside dpkg-query -W -f '${db:Status-Status} ${Version}' "$package")" = "installed $1" ] ||
			fail "$package is not installed as version $1"
	done
}

added >before
step sh -c 'dpkg -i /tmp/debs/*.deb'
expect_version "${newer%+newer}"
[ -z "$(inside dpkg --audit)" ] || fail "dpkg --audit: $(inside dpkg --audit)"
for program in kmemtrace kmemtraced kmemtrace-check kmemtrace-import kmemtrace-merge kmemtrace-pack kmemtrace-report kmemtrace-top; do
	step $program --version
done
step getent group kmemtrace
grep -q . <(added) || fail "the installation added nothing: the copy of the system is wrong"
[ ! -L root$unit ] || fail "the service is enabled by the installation"

for test in source/debian/tests/*; do
	name=${test##*/}
	[ "$name" != control ] || continue
	mkdir -p "root/tmp/$name"
	inside sh -c "cd /tmp/debs/source && AUTOPKGTEST_TMP=/tmp/$name debian/tests/$name" >log 2>&1
	case $? in
	0) ;;
	77) echo "debian/tests/$name: $(tail -n 1 log)" ;;
	*) tail -n 20 log; fail "debian/tests/$name fails" ;;
	esac
done

# an administrator's choice
step systemctl enable kmemtraced
step sh -c 'dpkg -i /tmp/debs/newer/*.deb'
expect_version "$newer"
[ -L root$unit ] || fail "the upgrade has disabled the service"

step dpkg --remove "${packages[@]}"
! inside sh -c 'command -v kmemtraced kmemtrace-report' || fail "programs remain after the removal"
step dpkg --purge "${packages[@]}"
# shellcheck disable=SC2016 # dpkg-query's own
inside dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null | grep -v not-installed &&
	fail "these packages remain"
added | diff before - >log || { cat log; fail "these files are there before (<), and after (>), the purge"; }
exit 0
