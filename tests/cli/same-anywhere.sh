#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# All programs print the same, byte by byte, for a capture on another machine: for a user without
# privileges, from a read-only folder, without /sys, kallsyms, modules and headers, with another
# locale, time zone and kernel name. This test compares every view in every format and the check.

# It calls itself, with a function, as another user and on another machine.
[ $# -gt 0 ] || . "$srcdir/cli/cli.sh"

# Prints every report of the captures in the current folder.
print_reports()
{
	for capture in *; do
		for view in summary sites caches slabinfo sizes leaks lifetimes cpus nodes cgroups timeline probes events \
			findings; do
			for format in text json csv; do
				echo "--- $capture $view $format"
				"$scratch/bin/kmemtrace-report" $view -i "$capture" --format=$format
				echo "exit status $?"
			done
		done
		echo "--- $capture check"
		"$scratch/bin/kmemtrace-check" -v --heap "$capture"
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
	mkdir "$scratch/etc"
	cp -r /etc/ld.so.* "$scratch/etc"
	mount --bind "$scratch/etc" /etc
	hostname another
	mount --bind "$scratch/captures" "$scratch/captures"
	mount -o remount,bind,ro "$scratch/captures"
	cd "$scratch/captures"
	if touch here 2>/dev/null; then
		echo "the captures can be written"
		exit 1
	fi
	exec setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all \
		--inh-caps=-all setarch --uname-2.6 env -i PATH=/usr/bin:/bin scratch="$scratch" \
		HOME=/nowhere TERM=vt52 COLUMNS=40 LANG=tr_TR.UTF-8 LC_ALL=de_DE.UTF-8 \
		LOCPATH="$scratch/locales" TZ=XYZ-14:30 sh "$scratch/script" print_reports
}

if [ $# -gt 0 ]; then
	"$1"
	exit
fi
export scratch

for tool in unshare setpriv setarch mount; do
	command -v $tool >/dev/null || skip "$tool is needed (util-linux)"
done
[ "$(id -u)" -eq 0 ] || skip "only root can hide /sys and /proc/kallsyms from a program"
unshare --mount --uts mount -t tmpfs none /sys 2>"$scratch/why" ||
	skip "/sys cannot be hidden here: $(cat "$scratch/why")"

mkdir "$scratch/captures" "$scratch/bin" "$scratch/locales"
# a locale with decimal commas, if localedef can make it
localedef -i de_DE -f UTF-8 "$scratch/locales/de_DE.UTF-8" >/dev/null 2>&1
cp "$srcdir/cli/same-anywhere.sh" "$scratch/script"
cp "$builddir"/kmemtrace-report* "$builddir"/kmemtrace-check* "$scratch/bin"
for metadata in "$top_srcdir"/tests/data/*/metadata; do
	cp -r "${metadata%/*}" "$scratch/captures"
done
"$mktrace" "$scratch/captures/events" <"$srcdir/cli/events.trace" || exit 1
"$mktrace" "$scratch/captures/views" <"$srcdir/cli/views.trace" || exit 1
chmod -R a+rX,a-w "$scratch/captures"
chmod a+rx "$scratch"

(cd "$scratch/captures" && LC_ALL=C print_reports) >"$scratch/here" 2>&1
unshare --mount --uts sh "$scratch/script" on_another_machine >"$scratch/there" 2>&1
cmp "$scratch/here" "$scratch/there" || {
	diff "$scratch/here" "$scratch/there" | head -n 20
	exit 1
}
# the compared output contains reports, and these have symbols
grep '^exit status' "$scratch/here" | grep -v '[01]$' && exit 1
sed -n '/^--- sample sites csv/,/^exit/p' "$scratch/here" >"$scratch/sites"
grep -q '^kmem_cache\|^[a-z_]*+0x[0-9a-f]*/0x[0-9a-f]*,' "$scratch/sites" ||
	{ echo "no symbols in the sample's sites"; exit 1; }
if grep '^0x' "$scratch/sites"; then
	echo "these sites of the sample have no symbol"
	exit 1
fi
sed -n '/^--- events sites csv/,/^exit/p' "$scratch/here" | grep -q '^driver_call+0x8 \[driver\],' ||
	{ echo "a function of a module is not named with its module"; exit 1; }
exit 0
