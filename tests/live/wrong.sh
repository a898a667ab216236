#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Wrong options, targets and privileges: kmemtraced prints a message on stderr, ends with exit status
# 2, and leaves older captures alone.
. "$srcdir/live/live.sh"

refused() { # refused PATTERN ARGUMENT…: kmemtraced refuses, with a message that matches PATTERN
	pattern=$1
	shift
	timeout 300 "$kmemtraced" "$@" >out 2>err </dev/null
	code=$?
	[ $code = 2 ] || fail "kmemtraced $*: exit $code, not 2: $(cat out err)"
	grep -q "$pattern" err || fail "kmemtraced $*: does not say '$pattern': $(cat err)"
	[ -s out ] && fail "kmemtraced $*: wrote to stdout: $(cat out)"
	echo "kmemtraced $*: $(head -1 err)"
}

refused 'above 0' -d 0
refused 'above 0' -d -1
refused 'above 0' -d soon
refused 'above 0' -d 1e400
refused 'above 0' -d 1x
refused 'above 0' -d 0ms
refused '1 to 512' -m 0
refused '1 to 512' -m 513
refused '1 to 512' -m lots
refused '1 to 512' -m 1G
refused '1 to 512' -m 1500k
refused 'above 0' -p 0
refused 'above 0' -p 1,
refused 'above 0' -p x
refused 'no probe is named "vm.kfre": did you mean vm.kfree' --probes=vm.kfre
refused 'no probe is named ""' --probes=vm.brk,
refused 'did you mean dtmalloc:::malloc' --probes=dtmaloc:::malloc
refused 'needs slab events' --probes='vm.mmap,vm.page*' --publish=stats
refused 'cannot be used with a command' -L ls
refused 'nrecognized option' --bogus
refused 'invalid option' -Z
refused 'requires an argument' -o
refused 'cannot be run' -- ./no-such-command
refused 'PATH' -- no-such-command-anywhere
refused 'cannot be run' -- /etc/passwd
[ -e kmemtrace.data ] && fail "a refused command left a capture behind"

echo text >file
refused 'not a directory' -d 1 -o file
mkdir other && echo text >other/precious
refused 'left alone' -d 1 -o other
[ -s other/precious ] || fail "a file that does not belong to a capture was removed"
refused 'cannot be written\|No such file' -d 1 -o no/such/folder
refused 'cannot be written\|cannot be made' -d 1 -o /proc/kmemtrace.data

[ -e /proc/4194303 ] || refused 'no such process' -d 1 -p 4194303
# the oldest thread of a process with several, which will not end now
thread=$(ps -eLo pid=,tid= --sort=start_time | awk '$1 != $2 { print $2; exit }')
[ -z "$thread" ] || refused "is a thread of process" -d 1 -p "$thread"
refused 'cannot be used with a command' --doctor ls
refused 'cannot be used with --no-rescue' --rescue --no-rescue
refused 'cannot be used with --no-rescue' -p $$ --no-rescue --rescue -d 1
"$kmemtraced" --doctor >/dev/full 2>err
[ $? = 2 ] || fail "--doctor to a full disk: not 2"
grep -q 'standard output' err || fail "--doctor to a full disk: $(cat err)"
[ -e kmemtrace.data ] && fail "a refused command left a capture behind"

# an older capture is renamed to .old, and .old is replaced only if it is a capture
"$kmemtraced" -q -d 0.2 || fail "exit $?"
uuid=$(grep uuid kmemtrace.data/metadata)
"$kmemtraced" -q -d 0.2 || fail "exit $?"
[ "$(grep uuid kmemtrace.data.old/metadata)" = "$uuid" ] || fail "the older capture is not in .old"
"$kmemtraced" -q -d 200ms -m 4M || fail "a third capture: exit $?"
echo text >kmemtrace.data.old/precious
refused 'in the way' -d 1
[ -s kmemtrace.data.old/precious ] || fail "a foreign file was removed"
checked kmemtrace.data.old
checked kmemtrace.data

# without the right to load programs
if command -v setpriv >/dev/null; then
	chmod 777 "$scratch"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$kmemtraced" -o "$scratch/user" -d 1 >out 2>err
	code=$?
	if [ $code = 126 ]; then
		echo "note: another user cannot run $kmemtraced here"
	else
		[ $code = 2 ] || fail "without root: exit $code: $(cat err)"
		grep -q 'root' err || fail "without root: $(cat err)"
		echo "without root: $(cat err)"
	fi
fi

# --doctor prints why the kernel refuses a program
if command -v setpriv >/dev/null; then
	setpriv --bounding-set=-all,+bpf --inh-caps=-all "$kmemtraced" --doctor >out 2>&1
	if grep -q '^NO      programs' out; then
		grep -q "^        libbpf: prog '.*': .*: Operation not permitted" out ||
			fail "--doctor without CAP_PERFMON gives no reason of libbpf: $(cat out)"
	else
		echo "note: with CAP_BPF only, no program was refused: $(grep '^NO' out)"
	fi
fi
"$kmemtraced" --doctor >out
grep -q '^ok      cpu numbers' out || fail "--doctor does not verify CPU numbers: $(cat out)"
! grep libbpf out || fail "--doctor prints reasons of libbpf, but all programs were loaded"

# without BTF a capture is possible, and --doctor and the status say what is missing
mkdir empty
if unshare -m true 2>/dev/null; then
	unshare -m sh -c 'mount --bind empty /sys/kernel/btf && "$1" --doctor && exec "$@" -q -d 0.3 -o none' \
		sh "$kmemtraced" >out 2>err || fail "without BTF: exit $?: $(cat out err)"
	grep -q '^limited btf ' out || fail "without BTF: --doctor does not say so: $(cat out)"
	checked none
	grep -q '^unobserved kmem_cache_alloc_bulk .*BTF' none/kernel/status ||
		fail "without BTF: nothing is unobserved: $(cat none/kernel/status)"
	rm -r none
	# if neither BTF nor kallsyms can be read, any path may exist
	unshare -m sh -c 'mount --bind empty /sys/kernel/btf && mount --bind /dev/null /proc/kallsyms &&
		exec "$@"' sh "$kmemtraced" -q -d 0.3 -o none 2>err || fail "without names: exit $?: $(cat err)"
	grep -q '^unobserved sheaf-prefill ' none/kernel/status ||
		fail "without names: the status does not list all paths: $(cat none/kernel/status)"
	rm -r none
	# the size of a file of /sys is that of a page: here of 64 KiB
	mkdir -p slab/kmalloc-64
	echo 64 >slab/kmalloc-64/object_size && cp slab/kmalloc-64/object_size slab/kmalloc-64/objs_per_slab
	truncate -s 64K slab/kmalloc-64/*
	with_slab='mount --bind slab /sys/kernel/slab && exec "$@"'
	unshare -m sh -c "$with_slab" sh "$kmemtraced" -q -d 0.3 -o none 2>err ||
		fail "files of 64 KiB in /sys: exit $?: $(cat err)"
	rm -r none
	# where they cannot be read, no capture is possible, and --doctor says so
	truncate -s 1M slab/kmalloc-64/object_size
	unshare -m sh -c "$with_slab" sh "$kmemtraced" -q -d 0.3 -o none 2>err
	[ $? = 2 ] && grep -q '/sys/kernel/slab: File too large$' err || fail "files of 1 MiB in /sys: $(cat err)"
	unshare -m sh -c "$with_slab" sh "$kmemtraced" --doctor >out
	[ $? = 1 ] && grep -q '^NO      slabinfo     /sys/kernel/slab: File too large$' out ||
		fail "files of 1 MiB in /sys: --doctor: $(cat out)"
fi
KMEMTRACED_WITHOUT=bogus "$kmemtraced" -d 1 -o none 2>err
[ $? = 2 ] || fail "KMEMTRACED_WITHOUT=bogus: $(cat err)"
grep -q 'must be btf, fetch, btf,fetch, or context' err || fail "KMEMTRACED_WITHOUT=bogus: $(cat err)"
# in a PID namespace, process ids differ from those of the kernel's events
if unshare -pf --mount-proc true 2>/dev/null; then
	unshare -pf --mount-proc "$kmemtraced" -d 1 -o none >out 2>err
	code=$?
	[ $code = 2 ] || fail "in a PID namespace: exit $code: $(cat err)"
	grep -q 'PID namespace' err || fail "in a PID namespace: $(cat err)"
	[ -e none ] && fail "in a PID namespace: left a directory behind"
	echo "in a PID namespace: $(cat err)"
fi

# kmemtraced raises a low soft limit of open files; the command gets the old limit
limit=$(ulimit -Sn 20 && "$kmemtraced" -q -o few.data -- sh -c 'ulimit -Sn') || fail "with 20 files: exit $?"
[ "$limit" = 20 ] || fail "the command's limit of files is $limit"
checked few.data
exit 0
