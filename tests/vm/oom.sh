#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A machine of 256 MiB whose kernel holds more and more messages, until the kernel kills a process for
# lack of memory: the flight recorder survives, although it has more memory than the process that is
# killed; soon it says who holds the memory; its dump is whole, and agrees with what the
# kernel itself reports of slab memory.
# shellcheck source=tests/vm/vm.sh
. "$srcdir/vm/vm.sh"

kernel=${KMEMTRACE_KERNEL:-6.12-amd64}
look_up_fetched "$kernel"
command -v mkfs.ext4 >/dev/null || skip "mkfs.ext4 is not installed (Debian: e2fsprogs)"
for program in messages pages; do
	succeed "$triplet-gcc" -O2 -static -o $program "$srcdir/vm/$program.c"
done
truncate -s 64M disk
succeed mkfs.ext4 -q disk
MEMORY=256 DISK=$PWD/disk in_guest "$kernel" "$srcdir/vm/oom.guest" messages pages
cd "$kernel" || exit 1

# Killed in the guest: one process, and not kmemtraced.
read -r victim status <hog
[ "$status" = 137 ] || fail "no process was killed: $status"
sed 's/^\[ *\([0-9.]*\)\] */\1 /' dmesg >kernel
[ "$(grep -c 'Killed process' kernel)" = 1 ] || fail "not one was killed: $(grep Killed kernel)"
read -r daemon status <recorder
[ "$status" = 0 ] || fail "kmemtraced: exit status $status: $(cat messages)"
[ "$(cat adjusted)" = -900 ] || fail "kmemtraced has the OOM score $(cat adjusted)"
[ "$(cat command.adjusted)" = 0 ] || fail "its command has the OOM score $(cat command.adjusted)"
# pages_of PID: resident memory, as the kernel lists it in its report of the kill
pages_of()
{
	awk -v pid="$1" '/Tasks state/ { on = 1 } on { sub(/\[ */, "["); sub(/\[ *[0-9]+\]/, "& ");
		if ($2 == "[" pid "]") print $6 }' kernel
}
[ "$(pages_of "$daemon")" -gt "$(pages_of "$victim")" ] || fail "kmemtraced has less memory, $(pages_of \
	"$daemon") pages, than the killed process, $(pages_of "$victim"): this proves little"

# once, within a second of the kernel's report, and the time that the process just needed to take the memory,
# since this machine may be busy
grep "trigger 'oom'" messages >fired
[ "$(wc -l <fired)" = 1 ] || fail "it does not fire once: $(cat messages)"
late=$(awk 'FNR == NR { fired = $1; next } /Killed process/ { print fired - $1 }' fired kernel)
taken=$(awk -v begin="$(cat hog.begin)" '/Killed process/ { print $1 - begin }' kernel)
awk "BEGIN { exit !($late > -0.5 && $late < 1 + $taken) }" || fail "it fires after $late s, and the memory was taken in $taken s: $(cat messages)"
grep -q "killed process $victim (pages) for lack of memory; in all .* are live; .*; most by function: load_msg [0-9.]* MiB, .*; since the start 0 lost" fired ||
	fail "the message: $(cat fired)"

# the dump: whole, with the victim, and with each message
dump=$(echo watch.dump.*)
checked "$dump"
"$report" count -i "$dump" --probes=vm.oom_kill --by=victim --format=json |
	jq -r '.count[] | "\(.count) \(.victim)"' >victims
[ "$(cat victims)" = "1 pages (pid $victim)" ] || fail "the victim $victim: $(cat victims)"
read -r held _ <sent
"$report" sites -i "$dump" -s live_bytes --format=json |
	jq -r '.sites[0] | "\(.site | sub("\\+.*"; "")) \(.live_objects)"' >first
[ "$(cat first)" = "load_msg $held" ] || fail "$held messages are held; most memory has: $(cat first)"

# of_cache COLUMN: bytes of the cache that has most, in the kernel's table of unreclaimable slabs
of_cache()
{
	sed -n '/Unreclaimable slab info/,/Tasks state/s/\([0-9]\)KB/\1/gp' kernel |
		awk -v column="$1" '$3 > most { most = $3; value = $column } END { print value * 1024 }'
}
[ "$(of_cache 3)" -gt 0 ] || fail "the kernel has not listed its slabs: $(cat kernel)"
# "used" are its live objects; the free ones that a CPU holds, in one slab and in partial ones, count too
awk -v used="$(of_cache 3)" -v live=$((held * 1024)) 'BEGIN { exit !(used >= live && used < live + 200 * 1024) }' ||
	fail "$held messages are held, and the kernel counts $(of_cache 3) bytes of them"

# All slab pages are the live objects, those from before, and room that no object uses.
pages=$(sed -n 's/.*slab_reclaimable:\([0-9]*\) slab_unreclaimable:\([0-9]*\).*/\1 + \2/p' kernel | head -n 1)
slab=$(((pages) * 4096))
live=$(json "$dump" summary .totals.live_bytes)
before=$(awk '$1 == "sizes" { size[$2] = $4 } $1 == "slab" { if (++read[$3] == 2) sum += $5 * size[$3] }
	END { print sum }' "$dump/piece.000001/kernel/slabinfo")
"$report" -v -i "$dump" | tr -s ' \n' ' ' >summary
grep -q "older tracing began [0-9.]* s after boot; by /proc/slabinfo, [0-9]* objects were there already, in slabs of $before bytes: " summary ||
	fail "$before bytes were in slabs at the begin: $(cat summary)"
echo "the trigger fired after $late s (the memory was taken in $taken s); slab memory in the kernel's report: $slab; in the dump:" \
	"$live live bytes, and $before in slabs at the begin: together" \
	"$(awk "BEGIN { printf \"%.2f\", 100 * ($live + $before) / $slab }") % of it"
awk "BEGIN { exit !($live < $slab && $live + $before > 0.95 * $slab && $live + $before < 1.05 * $slab) }" ||
	fail "the dump and the kernel do not agree within 5 %"
exit 0
