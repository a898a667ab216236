#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# During a capture kmemtraced has only the privileges that it needs: /proc shows so, and each of its
# threads tries what it must not be able to do. The command has all privileges of the caller.
. "$srcdir/live/live.sh"
need setpriv
[ "$(id -u)" = 0 ] || skip "needs root, to have privileges that are given up"

privileges() # privileges FILE: of a thread, as /proc shows them
{
	awk '/^(CapInh|CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs|Seccomp):/ {
		printf "%s%s", space, $2; space = " " } END { print "" }' "$1"
}

# The command, and a signal for a command that has become another user
privileges /proc/self/status >expected
"$kmemtraced" -q -- cat /proc/self/status >status
privileges status >privileges
diff expected privileges || fail "the command does not have the privileges of the caller"
mkdir outside published
"$kmemtraced" -q -- sh -c 'cat /etc/passwd >outside/copy' || fail "the command: exit $?"
cmp /etc/passwd outside/copy || fail "the command cannot write a file"
rm outside/copy
# paced: until the test ends it
"$kmemtraced" -q -- setpriv --reuid=65534 --clear-groups sh -c 'echo >&3; exec sleep 300' \
	3>started 2>daemon.log & # paced: a signal ends it
daemon=$!
wait_for "the command of another user" test -s started
stop_daemon TERM
[ "$status" = 143 ] || fail "SIGTERM for another user's command: exit $status: $(cat daemon.log)"

grep -q '^ok      confinement' doctor.log || skip "$(grep confinement doctor.log)"
echo text >outside/there
preload=$builddir/tests/live/escape.so
[ -s "$preload" ] || fail "$preload was not built"
INSIDE=$scratch/kmemtrace.data OUTSIDE=$scratch/outside ESCAPES=$scratch/escapes \
	LD_PRELOAD=$preload "$kmemtraced" -q --publish=published/memstat --metrics=published/kmemtrace.prom 2>daemon.log &
daemon=$!
tried() { # tried THREADS: have tried all; the thread that saves modules does nothing until the end
	[ "$(grep -c 'executable memory' escapes)" -ge "$1" ]
}
wait_for "the tries of two threads" tried 2

# CAP_BPF to drain the rings, CAP_SYSLOG for the addresses of modules, and nothing to publish
none=0000000000000000
cat >expected <<END
$none $none $none $none $none 1 2
$none 0000000400000000 0000000400000000 $none $none 1 2
$none 0000008400000000 0000008400000000 $none $none 1 2
END
confined() { # each thread gives up its own
	for file in /proc/$daemon/task/*/status; do
		privileges "$file"
	done | sort >privileges
	cmp -s expected privileges
}
wait_for "the privileges of the three threads" confined
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
checked kmemtrace.data

# landlock refuses with EACCES, the filter of system calls with ENOSYS
for thread in main publish modules; do
	sed "s/^/$thread: /" <<END
read a table of the capture: done
read /proc/slabinfo: done
read a file: EACCES
write a file: EACCES
truncate a file: EACCES
make a file: EACCES
rename a file: EACCES
list a directory: EACCES
write in /proc: EACCES
read through /proc: EACCES
execute a program: ENOSYS
make a process: ENOSYS
make a socket: ENOSYS
change the user: ENOSYS
leave the name space: ENOSYS
signal another process: ENOSYS
trace another process: ENOSYS
load a BPF program: ENOSYS
map executable memory: ENOSYS
END
done | sort >expected
# main and publish try at the same time
sort escapes | diff expected - || fail "a thread could do what it must not, or not what it must"
[ "$(ls outside) $(cat outside/there)" = "there text" ] || fail "outside has changed: $(ls -l outside)"

# with pieces: the process that keeps them has no capability, and kmemtraced no more than before
"$kmemtraced" -q -o set --switch-output=200ms 2>daemon.log &
daemon=$!
wait_for "the third piece" test -e set/piece.000003/metadata
[ "$(pgrep -c -P $daemon)" = 1 ] || fail "not one process for the pieces: $(pgrep -a -P $daemon)"
[ "$(privileges "/proc/$(pgrep -P $daemon)/status")" = "$none $none $none $none $none 1 0" ] ||
	fail "the process for the pieces: $(privileges "/proc/$(pgrep -P $daemon)/status")"
[ "$(privileges "/proc/$daemon/status")" = "$none 0000008400000000 0000008400000000 $none $none 1 2" ] ||
	fail "kmemtraced with pieces: $(privileges "/proc/$daemon/status")"
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"

# the process that opens the files of other users has no descriptor of kmemtraced
cat >expected <<END
$scratch/daemon.log
/dev/null
/dev/null
/memfd:kmemtraced answers (deleted)
/memfd:kmemtraced questions (deleted)
pipe:[]
END
alone() { # with CAP_DAC_READ_SEARCH and CAP_SYS_PTRACE
	for process in $(pgrep -P $daemon); do
		! grep -q '^CapEff:.0000000000080004$' "/proc/$process/status" || break
	done
	for file in "/proc/$process/fd"/*; do
		readlink "$file"
	done | sed 's/\[[0-9]*\]/[]/' | LC_ALL=C sort >files
	LC_ALL=C sort expected | cmp -s - files
}
start_set named --switch-output=1h --stacks=all --user-stacks
wait_for "the descriptors of the process for names" alone
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
exit 0
