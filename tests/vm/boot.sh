#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# boot.sh KERNEL OUTDIR SCRIPT [FILE…]: boots a kernel of the table under qemu, in software, with a
# busybox and these files in /t, runs the script there as root, and copies the files that it writes
# to /out into OUTDIR, and the console into OUTDIR/console. A FILE named init becomes the first process
# instead. Needs no root.
# Exit status: that of the script; 2: the guest did not finish, 77: it cannot be booted here.
# Environment: SECONDS_MOST (1500) for the whole run, without the time that the guest waited for a CPU of
# a busy machine; qemu may use 300 s of CPU time between two lines on the console; MEMORY (1024 MiB), CPUS
# (2), NODES (1): with 2, each NUMA node has half of the memory and one CPU; DISK: a file, the second
# disk, /dev/vdb; PARAMETERS of the kernel.
set -o pipefail
program=boot.sh
# shellcheck source=tests/vm/lab.sh
. "$(dirname "$0")/lab.sh"

[ $# -ge 3 ] || wrong "usage: boot.sh KERNEL OUTDIR SCRIPT [FILE…]"
look_up_fetched "$1"
out=$2 script=$3
shift 3
for tool in "${machine%% *}" cpio setpriv; do
	command -v "$tool" >/dev/null ||
		could_not "$tool is not installed (Debian: qemu-system-x86, qemu-system-arm," \
			"qemu-system-misc, qemu-system-ppc, cpio, util-linux)"
done
work=$(mktemp -d "${TMPDIR:-/tmp}/kmemtrace-boot.XXXXXX") || could_not "no scratch folder"
qemu=''
trap '[ -z "$qemu" ] || { kill -KILL $qemu; wait $qemu; } 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM

modules=$work/root/lib/modules/$release
mkdir -p "$out" "$work/root"/{dev,t} "$modules"
# copy FILE… INTO
copy()
{
	cp -rL "$@" || could_not "the guest's files cannot be copied: is the disk full?"
}

copy "$home/busybox" "$vm/init" "$work/root"
copy "$vm/guest.sh" "$work/root/t"
copy "$home"/modules/* "$modules"
[ $# -eq 0 ] || copy "$@" "$work/root/t"
copy "$script" "$work/root/t/main.sh"
(cd "$work/root" && find . | cpio -o -H newc --quiet -R 0:0 | gzip -1) >"$work/initrd" ||
	wrong "the guest's initramfs cannot be made"
truncate -s 4G "$work/disk"

# The seconds that the thread of qemu that waited longest was ready to run, but had no CPU.
waited()
{
	cat /proc/$qemu/task/*/schedstat 2>/dev/null |
		awk '$2 > most { most = $2 } END { printf "%d", most / 1000000000 }'
}

# Waits for the end of the guest, and sets reason and ends it if that takes too long.
watch()
{
	local most=${SECONDS_MOST:-1500} hertz size last='' at=0 cpu fields begin=$SECONDS seconds

	hertz=$(getconf CLK_TCK)
	reason=
	while read -r fields 2>/dev/null <"/proc/$qemu/stat"; do
		read -ra fields <<<"${fields##*) }"
		[ "${fields[0]}" != Z ] || return
		cpu=$(((fields[11] + fields[12]) / hertz)) size=$(stat -c %s "$work/console")
		[ "$size" = "$last" ] || last=$size at=$cpu
		seconds=$((SECONDS - begin))
		[ $seconds -lt "$most" ] || [ $((seconds - $(waited))) -lt "$most" ] ||
			reason="did not finish within $seconds s, $cpu s of CPU time, $(waited) s without a CPU"
		[ $((cpu - at)) -lt 300 ] || reason="printed nothing for 300 s of CPU time"
		[ -z "$reason" ] || break
		sleep 0.3 # paced: it looks at the CPU time now and then
	done
	kill -KILL $qemu 2>/dev/null
}

nodes=()
if [ "${NODES:-1}" = 2 ]; then
	for node in 0 1; do
		nodes+=(-object "memory-backend-ram,id=m$node,size=$((${MEMORY:-1024} / 2))M"
			-numa "node,nodeid=$node,memdev=m$node,cpus=$node")
	done
fi

second=()
[ -z "${DISK:-}" ] || second=(-drive "file=$DISK,format=raw,if=virtio,cache=unsafe")

# no_timer_check: on a busy machine, kernels of amd64 find that the timer does not tick
boot()
{
	# shellcheck disable=SC2086 # a command
	setpriv --pdeathsig KILL $machine -nodefaults -display none \
		-no-reboot -m "${MEMORY:-1024}" -smp "${CPUS:-2}" "${nodes[@]}" -kernel "$home/image" \
		-initrd "$work/initrd" -drive "file=$work/disk,format=raw,if=virtio,cache=unsafe" "${second[@]}" \
		-append "console=$console rdinit=/init panic=-1 quiet no_timer_check ${PARAMETERS:-}" \
		</dev/null >"$work/console" 2>&1 &
	qemu=$!
	watch
	{ wait $qemu; } 2>/dev/null
	code=$?
	qemu=
}

boot
if [ -n "$reason" ] && [ ! -s "$work/console" ]; then
	echo "boot.sh: $release $reason: it did not come to its first process; it is started again" >&2
	boot
fi
tr -d '\r' <"$work/console" >"$out/console"
rm -f "$out/status"
tar -xf "$work/disk" -C "$out" 2>/dev/null
if [ ! -s "$out/status" ]; then
	tail -n 20 "$out/console" >&2
	wrong "$release ${reason:-ended before the script was done (qemu: $code)}: the end of its console" \
		"is above, all of it is in $out/console"
fi
exit "$(cat "$out/status")"
