#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# fetch.sh [KERNEL…]: downloads the kernels of the table (all, if none is named) that are not here
# yet, with the headers to build modules for them and a busybox: extracted, never installed.
# Needs no root. Exit status: 0 they are here, 77 they cannot be had here, 2 something is wrong.
# What is here stays as it is: to fetch a newer one, remove its folder.
set -o pipefail
program=fetch.sh
# shellcheck source=tests/vm/lab.sh
. "$(dirname "$0")/lab.sh"

[ $# -gt 0 ] || mapfile -t wanted < <(kernels)
wanted+=("$@")
missing=()
for name in "${wanted[@]}"; do
	look_up "$name"
	if [ -n "$release" ]; then
		echo "$name: $release is in $home"
	else
		missing+=("$name")
	fi
done
[ ${#missing[@]} -gt 0 ] || exit 0

for tool in apt-get apt-cache dpkg dpkg-deb unxz; do
	command -v $tool >/dev/null || could_not "kernels come as Debian packages, and $tool is" \
		"not installed: copy $lab from a machine that has it"
done
work=$(mkdir -p "$lab" && mktemp -d "$lab/.fetch.XXXXXX") ||
	wrong "$lab cannot be written: set KMEMTRACE_LAB to a folder that can"
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
native=$(dpkg --print-architecture)

complaint()
{
	grep '^[WE]:' "$work/log" | head -n 1
}

# A package list of our own, so that this machine's packages stay as they are.
prepare_apt()
{
	local mirror name archs=("$native") suites=(bookworm)

	mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
		/etc/apt/sources.list.d/*.sources 2>/dev/null | grep -v '^ *#' |
		grep -oE 'https?://[^ ]+/debian/?( |$)' | head -n 1 | tr -d ' ')
	[ -n "$mirror" ] || could_not "/etc/apt names no mirror of Debian: add one, or copy $lab" \
		"from a machine that has it"
	for name in "${missing[@]}"; do
		look_up "$name"
		archs+=("$arch")
		suites+=("$suite")
	done
	mapfile -t archs < <(printf '%s\n' "${archs[@]}" | sort -u)
	mapfile -t suites < <(printf '%s\n' "${suites[@]}" | sort -u)
	mkdir -p "$work"/{lists/partial,archives/partial,debs}
	: >"$work/status"
	for suite in "${suites[@]}"; do
		echo "deb [arch=$(IFS=, && echo "${archs[*]}")" \
			"signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
			"$mirror $suite main"
	done >"$work/sources.list"
	cat >"$work/apt.conf" <<END
Dir::State "$work";
Dir::State::status "$work/status";
Dir::Cache "$work";
Dir::Etc::SourceList "$work/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
APT::Architecture "$native";
APT::Architectures { $(printf '"%s"; ' "${archs[@]}")};
APT::Sandbox::User "";
Acquire::Languages "none";
END
	export APT_CONFIG=$work/apt.conf
	# it succeeds, with a complaint, where it got nothing
	apt-get update -qq >"$work/log" 2>&1
	[ -z "$(complaint)" ] || could_not "the package lists of $mirror cannot be had: is there" \
		"a network? $(complaint)"
}

# extract PACKAGE INTO [PATH…]: all of it, or these paths of it.
extract()
{
	local deb=$1 into=$2

	shift 2
	mkdir -p "$into"
	dpkg-deb --fsys-tarfile "$work/debs/$deb"_*.deb | tar -x -C "$into" "$@" ||
		wrong "the package $deb cannot be extracted into $into: is the disk full?"
}

# fetch NAME: made aside and then moved, so that what is there is whole.
fetch()
{
	local into=$work/$1 image headers twins deb

	look_up "$1"
	image=$(apt-cache search --names-only "$package" | cut -d ' ' -f 1 | sort -V | tail -n 1)
	[ -n "$image" ] || could_not "the mirror's $suite has no package like $package"
	release=${image#linux-image-}
	headers=linux-headers-$release
	# the headers of all flavours, and the tools that run on this machine
	mapfile -t twins < <(apt-cache show "$headers:$arch" | sed -n 's/^Depends: //p' |
		head -n 1 | grep -oE 'linux-(headers|kbuild)-[^ ,]+')
	rm -f "$work"/debs/*
	# shellcheck disable=SC2046 # a list
	(cd "$work/debs" && apt-get download -qq "$image:$arch" "$headers:$arch" \
		"busybox-static:$arch" $(printf '%s\n' "${twins[@]}" |
			sed "s/^linux-kbuild.*/&:$native/")) >"$work/log" 2>&1 ||
		could_not "the packages of $release cannot be downloaded: $(complaint)"

	# of all its modules only the disk through which a guest sends files back
	extract "$image" "$into/package" --wildcards './boot/vmlinu?-*' \
		'*/kernel/drivers/virtio/virtio*' '*/kernel/drivers/block/virtio_blk*'
	mv "$into"/package/boot/vmlinu?-"$release" "$into/image" ||
		wrong "$image has no image in /boot"
	mkdir "$into/modules"
	find "$into/package" -name '*.ko*' -exec mv -t "$into/modules" {} +
	find "$into/modules" -name '*.xz' -exec unxz {} + || wrong "the modules of $image are damaged"
	extract busybox-static "$into/package" ./bin/busybox
	mv "$into/package/bin/busybox" "$into/busybox"
	rm -r "${into:?}/package"
	for deb in "$headers" "${twins[@]}"; do
		extract "$deb" "$into/headers"
	done
	# it names the headers of all flavours by their path where they are installed
	# shellcheck disable=SC2016 # make's own
	sed -i 's#^include */usr/src/#include $(dir $(lastword $(MAKEFILE_LIST)))../#' \
		"$into/headers/usr/src/$headers/Makefile"
	echo "$release" >"$into/release"
	rm -rf "$home"
	mv "$into" "$home" || wrong "$home cannot be made"
	echo "$1: $release was fetched into $home ($(du -sh "$home" | cut -f 1))"
}

prepare_apt
for name in "${missing[@]}"; do
	fetch "$name"
done
