# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154 # lab.sh, sourced before, has could_not and wrong
# Downloads and extracts Debian packages of any architecture and suite; never installs them. Sourced;
# needs $lab, and $work, which lock_lab makes and the caller removes. Needs no root.

native=$(dpkg --print-architecture 2>/dev/null)

apt_warning()
{
	grep '^[WE]:' "$work/log" | head -n 1
}

# lock_lab: makes $work, a folder in the lab. Only one process has one at a time: it removes those of
# processes that were killed.
lock_lab()
{
	mkdir -p "$lab" 2>/dev/null && { exec 7>"$lab/.lock"; } 2>/dev/null ||
		could_not "$lab cannot be written: set KMEMTRACE_LAB to a folder that can"
	flock -n 7 || {
		echo "waiting: another process downloads into $lab"
		flock -w 1500 7 || could_not "another process has downloaded into $lab for 25 minutes"
	}
	rm -rf "$lab"/.locked.*
	work=$(mktemp -d "$lab/.locked.XXXXXX") || could_not "$lab cannot be written: is the disk full?"
}

# apt_update MIRROR ARCHS SUITE…: downloads the package lists of these suites; 1: some are missing.
apt_update()
{
	local mirror=$1 archs=$2 suite

	shift 2
	for suite; do
		echo "deb [arch=$archs" \
			"signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
			"$mirror $suite main"
	done >"$work/sources.list"
	# apt-get succeeds, with a warning, even if it got nothing
	apt-get update -qq >"$work/log" 2>&1
	[ -z "$(apt_warning)" ]
}

# apt_prepare "ARCH…" "SUITE…": makes a separate package list, so that this machine's packages do not
# change, from those of the suites that the mirror has.
apt_prepare()
{
	local archs list suites suite tool mirror had=()

	for tool in apt-get apt-cache dpkg dpkg-deb unxz; do
		command -v $tool >/dev/null || could_not "packages of Debian are needed, and" \
			"$tool is not installed: copy $lab from a machine that has it"
	done
	mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
		/etc/apt/sources.list.d/*.sources 2>/dev/null | grep -v '^ *#' |
		grep -oE 'https?://[^ ]+/debian/?( |$)' | head -n 1 | tr -d ' ')
	[ -n "$mirror" ] || could_not "/etc/apt names no mirror of Debian: add one, or copy $lab" \
		"from a machine that has it"
	# shellcheck disable=SC2086 # lists
	mapfile -t archs < <(printf '%s\n' "$native" $1 | sort -u)
	# shellcheck disable=SC2086
	mapfile -t suites < <(printf '%s\n' $2 | sort -u)
	mkdir -p "$work"/{lists/partial,archives/partial,debs}
	: >"$work/status"
	# packages that several suites have come from the suite that has our cross compilers
	printf '%s\n' 'Package: *' 'Pin: release n=bookworm' 'Pin-Priority: 900' >"$work/preferences"
	cat >"$work/apt.conf" <<END
Dir::State "$work";
Dir::State::status "$work/status";
Dir::Cache "$work";
Dir::Etc::SourceList "$work/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "$work/preferences";
Dir::Etc::PreferencesParts "/dev/null";
APT::Architecture "$native";
APT::Architectures { $(printf '"%s"; ' "${archs[@]}")};
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::Check-Valid-Until "false"; // a mirror that stands still has kernels too, and they are signed
Acquire::Retries "2";
Acquire::http::Timeout "60";
END
	export APT_CONFIG=$work/apt.conf
	list=$(IFS=, && echo "${archs[*]}")
	apt_update "$mirror" "$list" "${suites[@]}" && return
	for suite in "${suites[@]}"; do
		if apt_update "$mirror" "$list" "$suite"; then
			had+=("$suite")
		else
			echo "the package lists of $suite cannot be downloaded: $(apt_warning)"
		fi
	done
	if [ ${#had[@]} -eq 0 ] || ! apt_update "$mirror" "$list" "${had[@]}"; then
		could_not "the package lists of the mirror in /etc/apt cannot be downloaded:" \
			"is there a network? $(apt_warning)"
	fi
}

# apt_try PACKAGE:ARCH…: downloads into $work/debs; 1: not possible, apt_warning prints the reason.
apt_try()
{
	(cd "$work/debs" && apt-get download -qq "$@") >"$work/log" 2>&1
}

# apt_download WHAT PACKAGE:ARCH…: replaces the content of $work/debs by these packages.
apt_download()
{
	local what=$1

	shift
	rm -f "$work"/debs/*
	apt_try "$@" || could_not "the packages of $what cannot be downloaded: $(apt_warning)"
}

# apt_extract PACKAGE[:ARCH][/SUITE] INTO [PATH…]: extracts all of it, or these paths (arguments of tar).
# If the package was downloaded from two suites, takes the newest with a SUITE, else the oldest.
apt_extract()
{
	local package=${1%/*} into=$2 order=-V deb arch file

	[ "$package" = "$1" ] || order=-Vr
	deb=${package%:*}
	arch=${package#"$deb"}
	shift 2
	mkdir -p "$into"
	file=$(printf '%s\n' "$work/debs/$deb"_*"${arch/:/_}".deb | sort $order | head -n 1)
	dpkg-deb --fsys-tarfile "$file" | tar -x -C "$into" "$@" ||
		could_not "the package $deb cannot be extracted into $into: is the disk full?"
}
