#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# fetch.sh [NAME…]: downloads what is not in the lab yet, of the named kernels of the table: each with the
# headers to build modules for it, a busybox, and the libraries that a static kmemtraced of its
# architecture needs; and of systemd-ARCH, for guests that run services. Without names: of all. The tests
# call it for what they miss. Packages are extracted, never installed. Needs no root.
# Exit status: 0: all are in the lab, 77: not all can be downloaded, 2: another error.
# A folder in the lab is not replaced: to fetch a newer one, remove its folder. It is downloaded again if
# the list of the modules, libraries or packages that are needed has grown. A folder in the lab is
# complete; several processes can call this at the same time.
set -o pipefail
program=fetch.sh
# shellcheck source=tests/vm/lab.sh
. "$(dirname "$0")/lab.sh"
# shellcheck source=tests/vm/apt.sh
. "$(dirname "$0")/apt.sh"

# shellcheck disable=SC2046 # a list
[ $# -gt 0 ] || set -- $(kernels) systemd-amd64

# find_missing NAME…: sets missing, sysroots and systemds, with their archs and suites.
find_missing()
{
	local name

	missing=() archs=() suites=(bookworm)
	declare -gA sysroots=() systemds=()
	for name; do
		if [[ $name == systemd-* ]]; then
			has_parts "$lab/$name" "${systemd_packages[@]}" && continue
			systemds[$name]=$lab/$name
			archs+=("${name#systemd-}")
			continue
		fi
		look_up "$name"
		# sid has the architectures that bookworm lacks
		has_parts "$sysroot" "${libraries[@]}" ||
			{ sysroots[$arch]=${libraries[*]} && archs+=("$arch") && suites+=(sid); }
		[ -z "$release" ] || continue
		missing+=("$name")
		archs+=("$arch")
		suites+=("$suite")
	done
	[ ${#archs[@]} -gt 0 ]
}

failed=()
work=
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM
find_missing "$@" && lock_lab && find_missing "$@" || exit 0

failed() # WHAT REASON: continue without it
{
	echo "$1 cannot be downloaded: $2"
	failed+=("$1")
}

# The packages with the image and the modules. Newer packages linux-image-* only depend on others.
images_of()
{
	if grep -qxF "linux-binary-$1" "$work/binaries"; then
		echo "linux-binary-$1 linux-modules-$1"
	else
		echo "linux-image-$1"
	fi
}

# The C library that the build tools of newer suites need is newer than that of the machines that run them.
newer_suites='^(trixie|sid)$'
tool_libraries=(libc6 libelf1t64 zlib1g libzstd1)

# The packages of a kernel; and the packages on which its headers depend: the headers of all
# flavours, and the tools that run on this machine.
packages_of()
{
	local images

	images=$(images_of "$1")
	echo "${images// /:$arch }:$arch linux-headers-$1:$arch busybox-static:$arch"
	[[ ! $suite =~ $newer_suites ]] || echo "${tool_libraries[*]/%/:$native/$suite}"
}

twins_of()
{
	dpkg-deb -f "$work"/debs/linux-headers-"$1"_*.deb Depends |
		grep -oE 'linux-(headers|kbuild)-[^ ,]+' | sed "s/^linux-kbuild.*/&:$native/"
}

# The programs in the folder run with the libraries that are extracted beside them: each becomes a
# script that calls the loader of these libraries.
use_tool_libraries() # FOLDER/usr/lib
{
	local loader program

	loader=$(cd "$1" && echo */ld-linux*.so.*)
	find "$1"/linux-kbuild-* -type f -perm -u+x | while read -r program; do
		[ "$(head -c 4 "$program" | tail -c 3)" = ELF ] || continue
		mv "$program" "$program.elf"
		cat >"$program" <<END
#!/bin/sh
program=\$(realpath "\$0")
libraries=\${program%%/linux-kbuild-*}
exec "\$libraries/$loader" --library-path "\$libraries/${loader%/*}" --argv0 "\$0" "\$0.elf" "\$@"
END
		chmod +x "$program"
	done
}

# fetch_kernel NAME: makes the folder in $work and then moves it, so that a folder is complete.
fetch_kernel()
{
	local into=$work/$1 package image twin module

	look_up "$1"
	release=${releases[$1]}
	for package in $(images_of "$release"); do
		[ "${package#linux-modules}" != "$package" ] ||
			apt_extract "$package:$arch" "$into/package" --wildcards '*/vmlinu[xz]*'
		[ "${package#linux-binary}" != "$package" ] ||
			apt_extract "$package:$arch" "$into/package" --wildcards \
				'*/kernel/drivers/virtio/*' '*/kernel/drivers/block/*' \
				'*/kernel/fs/*' '*/kernel/lib/*' '*/kernel/crypto/*'
	done
	image=$(find "$into/package" -name 'vmlinu[xz]*')
	[ -f "$image" ] || wrong "$package has no image of a kernel, or several: $image"
	mv "$image" "$into/image"
	mkdir "$into/modules"
	for module in "${guest_modules[@]}"; do
		find "$into/package" -name "$module.ko*" -exec mv -t "$into/modules" {} +
	done
	find "$into/modules" -name '*.xz' -exec unxz {} + ||
		wrong "the modules of $package are damaged"
	apt_extract "busybox-static:$arch" "$into/package" --wildcards '*/bin/busybox'
	find "$into/package" -name busybox -exec mv {} "$into/busybox" \;
	rm -r "${into:?}/package"
	apt_extract "linux-headers-$release" "$into/headers"
	for twin in $(twins_of "$release"); do
		# kernels of one release share them
		[ -d "$work/$twin" ] || apt_extract "${twin%:*}" "$work/$twin"
		cp -al "$work/$twin/." "$into/headers" || wrong "$into/headers cannot be made"
	done
	if [[ $suite =~ $newer_suites ]]; then
		for package in "${tool_libraries[@]}"; do
			apt_extract "$package:$native/$suite" "$into/headers"
		done
		use_tool_libraries "$into/headers/usr/lib"
	fi
	# it has paths where the headers of this and of all flavours would be installed
	# shellcheck disable=SC2016 # make's own
	sed -i -e 's#^include */usr/src/#include $(dir $(lastword $(MAKEFILE_LIST)))../#' \
		-e 's#^KBUILD_OUTPUT *=.*#KBUILD_OUTPUT := $(CURDIR)#' \
		"$into/headers/usr/src/linux-headers-$release/Makefile"
	echo "$release" >"$into/release"
	list_parts "$into" "${guest_modules[@]}" || wrong "$into cannot be written"
	rm -rf "$home"
	mv -T "$into" "$home" || wrong "$home cannot be made"
	echo "$1: $release was fetched into $home ($(du -sh "$home" | cut -f 1))"
}

# fetch_sysroot ARCH: headers, static libraries and files of pkg-config.
fetch_sysroot()
{
	local into=$work/sysroot-$1 library

	for library in ${sysroots[$1]}; do
		apt_extract "$library:$1" "$into" --wildcards './usr/include/*' '*.a' '*.pc'
	done
	# shellcheck disable=SC2086 # a list
	list_parts "$into" ${sysroots[$1]} || wrong "$into cannot be written"
	rm -rf "$lab/sysroot-$1"
	mv -t "$lab" "$into" || wrong "$lab/sysroot-$1 cannot be made"
	echo "$1: static libraries were fetched into $lab/sysroot-$1"
}

# packages_of_systemd ARCH: with all on which they depend
packages_of_systemd()
{
	apt-get install -s -qq --no-install-recommends "${systemd_packages[@]/%/:$1}" |
		awk -v arch=":$1" '/^Inst / { sub(/:.*/, "", $2); print $2 (/\[all\]/ ? "" : arch) }' |
		xargs
}

# fetch_systemd systemd-ARCH: a root file system without a shell.
fetch_systemd()
{
	local into=$work/$1 package

	for package in $(packages_of_systemd "${1#systemd-}"); do
		apt_extract "$package" "$into/root" --exclude='./usr/share/doc' \
			--exclude='./usr/share/locale' --exclude='./usr/share/man'
	done
	list_parts "$into" "${systemd_packages[@]}" || wrong "$into cannot be written"
	rm -rf "${systemds[$1]}"
	mv -T "$into" "${systemds[$1]}" || wrong "${systemds[$1]} cannot be made"
	echo "$1 was fetched into ${systemds[$1]} ($(du -sh "${systemds[$1]}" | cut -f 1))"
}

# download_all WHAT=PACKAGES…: downloads all at once; if that fails, one WHAT after another. Reports
# each WHAT that cannot be downloaded, and drops its release.
download_all()
{
	local each all

	mapfile -t all < <(printf '%s\n' "${@#*=}" | tr ' ' '\n' | sort -u)
	[ $# -eq 0 ] || apt_try "${all[@]}" && return
	for each; do
		# shellcheck disable=SC2086 # a list
		apt_try ${each#*=} && continue
		failed "${each%%=*}" "$(apt_warning)"
		unset "releases[${each%%=*}]" "sysroots[${each%%=*}]" "systemds[${each%%=*}]"
	done
}

apt_prepare "${archs[*]}" "${suites[*]}"
declare -A releases=()
apt-cache search --names-only '^linux-image-[0-9]' | cut -d ' ' -f 1 | sort -V >"$work/images"
apt-cache search --names-only '^linux-binary-[0-9]' | cut -d ' ' -f 1 >"$work/binaries"
lists=()
for name in "${missing[@]}"; do
	look_up "$name"
	image=$(grep -E "$package" "$work/images" | tail -n 1)
	if [ -n "$image" ]; then
		releases[$name]=${image#linux-image-}
		lists+=("$name=$(packages_of "${releases[$name]}")")
	else
		failed "$name" "the mirror's $suite has no package like $package"
	fi
done
for name in "${!sysroots[@]}"; do
	lists+=("$name=${sysroots[$name]// /:$name }:$name")
done
for name in "${!systemds[@]}"; do
	lists+=("$name=$(packages_of_systemd "${name#systemd-}")")
done
download_all "${lists[@]}"
lists=()
for name in "${!releases[@]}"; do
	lists+=("$name=$(twins_of "${releases[$name]}" | xargs)")
done
download_all "${lists[@]}"

for name in "${!releases[@]}"; do
	fetch_kernel "$name"
done
for name in "${!sysroots[@]}"; do
	fetch_sysroot "$name"
done
for name in "${!systemds[@]}"; do
	fetch_systemd "$name"
done
[ ${#failed[@]} -eq 0 ] || could_not "some cannot be downloaded, see above: ${failed[*]}"
