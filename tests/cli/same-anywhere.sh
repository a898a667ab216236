#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# All programs print the same, byte by byte, for a capture on another machine: for a user without
# privileges, from a read-only folder, without /sys, kallsyms, modules and headers, with another
# locale, time zone and kernel name. This test compares every view in every format and the check.
set -u

# Prints every report of the captures in the current folder.
print_reports()
{
	for capture in *; do
		for view in summary sites caches slabinfo sizes leaks lifetimes cpus nodes cgroups timeline probes events \
			findings; do
			for format in text json csv; do
				echo "--- $capture $view $format"
				"$work/bin/kmemtrace-report" $view -i "$capture" --format=$format
				echo "exit status $?"
			done
		done
		echo "--- $capture check"
		"$work/bin/kmemtrace-check" -v --heap "$capture"
		echo "exit status $?"
	done
}

# Runs in mount and UTS namespaces of its own. Hides all facts about the kernel and the distribution;
# /etc has the linker's configuration only. Then prints the reports as an unprivileged user.
# shellcheck disable=SC2317 # called by its name
on_another_machine()
{
	set -e
	for gone in /sys /boot /lib/modules /usr/src /usr/include /var/lib; do
		[ ! -d "$gone" ] || mount -t tmpfs none "$gone"
	done
	for gone in /proc/kallsyms /proc/modules /proc/version /proc/slabinfo; do
		[ ! -e "$gone" ] || mount --bind /dev/null "$gone"
	done
	mkdir "$work/etc"
	cp -r /etc/ld.so.* "$work/etc"
	mount --bind "$work/etc" /etc
	hostname another
	mount --bind "$work/captures" "$work/captures"
	mount -o remount,bind,ro "$work/captures"
	cd "$work/captures"
	if touch here 2>/dev/null; then
		echo "the captures can be written"
		exit 1
	fi
	exec setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all \
		--inh-caps=-all setarch --uname-2.6 env -i PATH=/usr/bin:/bin work="$work" \
		HOME=/nowhere TERM=vt52 COLUMNS=40 LANG=tr_TR.UTF-8 LC_ALL=de_DE.UTF-8 \
		LOCPATH="$work/locales" TZ=XYZ-14:30 sh "$work/script" print_reports
}

skip()
{
	echo "skipped: $*"
	exit 77
}

if [ $# -gt 0 ]; then
	"$1"
	exit
fi
work=$(mktemp -d) || exit 1
export work
trap 'rm -rf "$work"' EXIT

for tool in unshare setpriv setarch mount; do
	command -v $tool >/dev/null || skip "$tool is needed (util-linux)"
done
[ "$(id -u)" -eq 0 ] || skip "only root can hide /sys and /proc/kallsyms from a program"
unshare --mount --uts mount -t tmpfs none /sys 2>"$work/why" ||
	skip "/sys cannot be hidden here: $(cat "$work/why")"

mkdir "$work/captures" "$work/bin" "$work/locales"
# a locale with decimal commas, if localedef can make it
localedef -i de_DE -f UTF-8 "$work/locales/de_DE.UTF-8" >/dev/null 2>&1
cp "$0" "$work/script"
cp "$builddir"/kmemtrace-report* "$builddir"/kmemtrace-check* "$work/bin"
for metadata in "$top_srcdir"/tests/data/*/metadata; do
	cp -r "${metadata%/*}" "$work/captures"
done
"$builddir/tests/mktrace" "$work/captures/events" <"$srcdir/cli/events.trace" || exit 1
"$builddir/tests/mktrace" "$work/captures/views" <"$srcdir/cli/views.trace" || exit 1
chmod -R a+rX,a-w "$work/captures"
chmod a+rx "$work"

(cd "$work/captures" && LC_ALL=C print_reports) >"$work/here" 2>&1
unshare --mount --uts sh "$work/script" on_another_machine >"$work/there" 2>&1
cmp "$work/here" "$work/there" || {
	diff "$work/here" "$work/there" | head -n 20
	exit 1
}
# the compared output contains reports, and these have symbols
grep '^exit status' "$work/here" | grep -v '[01]$' && exit 1
sed -n '/^--- sample sites csv/,/^exit/p' "$work/here" >"$work/sites"
grep -q '^kmem_cache\|^[a-z_]*+0x[0-9a-f]*/0x[0-9a-f]*,' "$work/sites" ||
	{ echo "no symbols in the sample's sites"; exit 1; }
if grep '^0x' "$work/sites"; then
	echo "these sites of the sample have no symbol"
	exit 1
fi
sed -n '/^--- events sites csv/,/^exit/p' "$work/here" | grep -q '^driver_call+0x8 \[driver\],' ||
	{ echo "a function of a module is not named with its module"; exit 1; }
exit 0
