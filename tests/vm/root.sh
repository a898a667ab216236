#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# root.sh KERNEL TOOLS FILE: writes a root file system to FILE, a tar file: systemd, busybox, and the
# programs that were built in TOOLS, installed as "make install" does. Needs no root.
# Exit status: 0: it is there, 2: an error, 77: systemd is not in the lab.
program=root.sh
# shellcheck source=tests/vm/lab.sh
. "$(dirname "$0")/lab.sh"

[ $# -eq 3 ] || wrong "usage: root.sh KERNEL TOOLS FILE"
look_up_fetched "$1"
tools=$2 file=$3
has_parts "$systemd" "${systemd_packages[@]}" || fetch "systemd-$arch"
work=$(mktemp -d "${TMPDIR:-/tmp}/kmemtrace-root.XXXXXX") || wrong "no scratch folder"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

cp -a "$systemd/root" "$work" || wrong "the root file system cannot be copied"
root=$work/root
DESTDIR=$root "$vm/build-static.sh" "$1" "$tools" install-strip || exit
cp "$home/busybox" "$root/bin/" || wrong "$home/busybox cannot be copied"
mkdir -p "$root"/{etc/systemd/system/{multi-user,sysinit}.target.wants,root,run,tmp}
chmod 1777 "$root/tmp"
echo 'root:x:0:0:root:/root:/bin/sh' >"$root/etc/passwd"
printf '%s\n' root:x:0: tty:x:5: systemd-journal:x:101: >"$root/etc/group"
printf '%s\n' ID=kmemtrace-guest 'PRETTY_NAME="a guest of kmemtrace"' >"$root/etc/os-release"
# a busy machine makes a guest slow
mkdir "$root/etc/systemd/system.conf.d"
printf '%s\n' '[Manager]' DefaultTimeoutStartSec=infinity DefaultTimeoutStopSec=infinity \
	>"$root/etc/systemd/system.conf.d/slow.conf"
echo 0123456789abcdef0123456789abcdef >"$root/etc/machine-id"
cp "$vm"/systemd/{early,guest}.service "$root/etc/systemd/system/" ||
	wrong "the guest's services cannot be copied"
# what such a guest does not need, and what takes long
for unit in systemd-{tmpfiles-setup,tmpfiles-setup-dev,tmpfiles-clean,sysusers,modules-load,random-seed}.service \
	systemd-{update-utmp,update-utmp-runlevel,user-sessions,machine-id-commit,journal-catalog-update}.service \
	systemd-{remount-fs,sysctl,logind,pstore,hwdb-update,update-done}.service \
	systemd-tmpfiles-clean.timer systemd-ask-password-{console,wall}.path ldconfig.service getty.target remote-fs.target \
	dev-{hugepages,mqueue}.mount sys-{kernel-debug,kernel-config,fs-fuse-connections}.mount; do
	ln -sf /dev/null "$root/etc/systemd/system/$unit"
done
rm -rf "$root/lib/systemd/system-generators"
ln -s ../guest.service "$root/etc/systemd/system/multi-user.target.wants/"
ln -s ../early.service /usr/local/lib/systemd/system/kmemtraced-boot.service \
	"$root/etc/systemd/system/sysinit.target.wants/"
ln -sf /lib/systemd/system/multi-user.target "$root/etc/systemd/system/default.target"
tar -C "$root" --owner=0 --group=0 -cf "$file" . || wrong "$file cannot be written"
