#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtrace-pack --anonymize: no address and no name of the original is in the copy, and each view
# shows the same. Captures of other kernels, of both byte orders and word sizes, packed and raw; three of
# them; all with ./test all, unless $KMEMTRACE_STRIDE is larger than 1.
. "$srcdir/cli/cli.sh"
need xz
. "$srcdir/cli/anonymized.sh"

# run STATUS COMMAND...: writes its output to the file said
run()
{
	local expected=$1 status

	shift
	"$builddir/$1" "${@:2}" >said 2>&1
	status=$?
	[ $status = "$expected" ] || wrong "$*: exit status $status, not $expected: $(cat said)"
}

says()
{
	grep -qF -- "$1" said || wrong "it does not say \"$1\" but: $(cat said)"
}

# Each capture. The raw copy has its packets at the same offsets: even the check says the same.
cp -r "$srcdir/data/sample" sample
host_of sample | grep -q . || wrong "the sample has no host"
names="sample 6.1-armhf 6.12-s390x"
[ "${KMT_TIER-}" != all ] || [ "${KMEMTRACE_STRIDE:-1}" -gt 1 ] ||
	names="$names 5.10-amd64 6.1-amd64 6.1-arm64 6.1-s390x 6.12-amd64 6.12-arm64"
for name in $names; do
	formats=json
	case $name in
	sample | 6.12-s390x) formats="json text csv" ;;
	esac
	[ $name = sample ] || xz -dc "$srcdir/data/guests/$name.tar.xz" | tar -xf - || exit 1
	# the hosts of these captures have no name
	sed -i 's/hostname = "(none)"/hostname = "secret.example.net"/' $name/metadata
	run 0 kmemtrace-pack -u --anonymize -o $name.plain $name
	shows_nothing_of $name $name.plain || failed=1
	reports_the_same $name $name.plain "$formats" || failed=1
	[ $name = sample ] || continue
	# packed or not, from a packed capture or not
	cp -r sample small
	run 0 kmemtrace-pack -q small
	run 0 kmemtrace-pack --anonymize -o small.copy small
	says "small.copy: 6445 events, packed"
	[ $(($(cat small.copy/cpu* | wc -c) * 10)) -lt "$(cat sample/cpu* | wc -c)" ] ||
		wrong "the copy is not packed"
	run 0 kmemtrace-pack -u -q -o small.plain small.copy
	shows_nothing_of sample small.plain || failed=1
	reports_the_same sample small.plain json || failed=1
done

# Two copies of a capture have no address in common, and a copy can be copied again.
run 0 kmemtrace-pack -u -q --anonymize -o other.plain sample
shows_nothing_of sample.plain other.plain || failed=1
run 0 kmemtrace-pack -u -q --anonymize -o second.plain sample.plain
shows_nothing_of sample.plain second.plain || failed=1
shows_nothing_of sample second.plain || failed=1
reports_the_same sample second.plain json || failed=1
[ "$(host_of second.plain)" = anonymized ] || wrong "the host is called $(host_of second.plain)"

# Names of tasks stay, unless they are asked for: equal names then have equal substitutes.
cmp -s sample/kernel/tasks sample.plain/kernel/tasks || wrong "the tasks changed"
run 0 kmemtrace-pack -u -q --anonymize=tasks -o tasks.plain sample
[ "$(cut -d' ' -f1-4 sample/kernel/tasks)" = "$(cut -d' ' -f1-4 tasks.plain/kernel/tasks)" ] ||
	wrong "the tasks have other ids or times"
cut -d' ' -f5 sample/kernel/tasks >old
cut -d' ' -f5 tasks.plain/kernel/tasks >new
grep -vq '^task-[0-9]*$' new && wrong "a task is called $(grep -v '^task-[0-9]*$' new | head -1)"
[ "$(sort -u old | wc -l) $(sort -u new | wc -l)" = \
	"$(paste old new | sort -u | wc -l) $(paste old new | sort -u | wc -l)" ] ||
	wrong "names and substitutes do not correspond"
[ "$(sort -u new | wc -l)" -gt 5 ] || wrong "the sample has few tasks"

# The name of the host, and an address, in other names.
cp -r sample named
sed -i 's/hostname = "[^"]*"/hostname = "orange"/; s/kernel_release = "/&orange-/' named/metadata
printf 'task 4999999 0 4999999 sh-orange\n' >>named/kernel/tasks
printf 'statm 1 5 4 3 2 1 9\nreading 4 6\ngone 1 8\n' >named/kernel/process_memory
printf 'heap 1 2\ncache 0x4000 192 192 0 dentry\nslab 0 0xffff888012345000 4096 21 0f\nend 1\n' >named/kernel/heap
printf 'memory 0 0x0 0xffffffffffffffff\nmemory 1 0x1000 0x1fff\n' >>named/kernel/topology
address=$(sed -n 's/^cache 0x\([0-9a-f]*\) .*/\1/p' named/kernel/caches | head -1)
flags='reclaim_account dentry 1
reclaim_account filp 0'
printf '%s\n' "kmalloc of_$address" "$flags" >>named/kernel/caches
run 1 kmemtrace-pack -u --anonymize -o named.plain named
says "named/metadata: 1 name has the host name in it, and stays"
cmp named/kernel/process_memory named.plain/kernel/process_memory || failed=1
[ "$(sed 's/0x[0-9a-f]*/ADDRESS/' named/kernel/heap)" = "$(sed 's/0x[0-9a-f]*/ADDRESS/' named.plain/kernel/heap)" ] ||
	wrong "the slabs are $(cat named.plain/kernel/heap)"
grep -q 'ffff888012345000\|0x4000' named.plain/kernel/heap && wrong "addresses of kernel/heap stay"
[ "$(grep memory named.plain/kernel/topology)" = "memory 0 0x0 0xffffffffffffffff" ] ||
	wrong "the nodes of the memory are $(grep memory named.plain/kernel/topology)"
says "named/kernel/tasks: 1 name has the host name in it, and stays"
grep -qx 'kmalloc of_eeee[0-9a-f]\{12\}' named.plain/kernel/caches ||
	wrong "the cache is called $(grep of_ named.plain/kernel/caches)"
[ "$(grep '^reclaim' named.plain/kernel/caches)" = "$flags" ] ||
	wrong "the flags of caches changed: $(cat named.plain/kernel/caches)"
grep -q "$address" -r named.plain && wrong "a name has the address $address in it"
run 1 kmemtrace-pack -u --anonymize=tasks -o named.plain named
grep -q tasks said && wrong "names of tasks were replaced, but: $(cat said)"

# Bytes that are not packets are left out, and so is the message of an error.
cp -r sample damaged
printf 'hole' | dd of=damaged/cpu0 bs=1 seek=300 conv=notrunc 2>/dev/null
head -c 5000 /dev/zero | tr '\0' x >>damaged/cpu1
sed -i 's,^stopped .*,stopped /home/user/x: File too large,' damaged/kernel/status
run 1 kmemtrace-pack -u --anonymize -o damaged.plain damaged
says "bytes are not packets: they are left out"
grep -q xxx damaged.plain/cpu1 && wrong "damaged bytes were copied"
grep -q '^stopped an error$' damaged.plain/kernel/status || wrong "$(grep stopped damaged.plain/kernel/status)"
shows_nothing_of sample damaged.plain || failed=1
run 0 kmemtrace-check --repair damaged.plain
run 0 kmemtrace-check damaged.plain

# Wrong usage changes nothing.
run 2 kmemtrace-pack --anonymize sample
says "--anonymize needs -o DIR"
run 2 kmemtrace-pack --anonymize=names -o out sample
says "\"names\" is not one of tasks"
run 2 kmemtrace-pack --anonymize -o sample sample
says "is the capture itself"
[ -e out ] && wrong "a wrong command made a capture"
diff -r "$srcdir/data/sample" sample || wrong "the original changed"
exit $failed
