#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A start that fails changes nothing on disk, whatever the reason: too few descriptors, no memory, a program that
# cannot be attached, a command that cannot be executed, a signal. The capture, the older one and the pieces of a
# set stay, and no other file does. KMEMTRACE_STRIDE=1: each limit, not only each n-th.
# shellcheck disable=SC2154 # live.sh sets the names of the programs and its folder
. "$srcdir/live/live.sh"

inject=$builddir/tests/faults/inject
stride=${KMEMTRACE_STRIDE:-}

sums() { # of all files, and the names of all folders
	{
		find data -type d
		find data -type f -exec cksum {} +
	} | sort
}

# refused COMMAND…: exit status 2, and everything is as before; or false: the start has succeeded, and everything
# is made as it was
failures=0
refused() {
	rm -f begun
	timeout -k 5 120 "$@" >out 2>err
	code=$?
	if [ $code = 0 ] || [ -e begun ]; then
		rm -rf data && cp -a saved data
		return 1
	fi
	[ $code = 2 ] || fail "$*: exit $code: $(cat err)"
	grep -q '^kmemtraced: ..*' err || fail "$*: no message"
	sums | diff sums - >diff || fail "$*: $(cat err): changed: $(cat diff)"
	failures=$((failures + 1))
}

save() {
	rm -rf saved && cp -a data saved
	sums >sums
}

limited() { # limited FLAG VALUE OPTION…: with a limit of the shell
	flag=$1 value=$2
	shift 2
	(ulimit "$flag" "$value" && exec "$kmemtraced" -q "$@")
}
export -f limited
export kmemtraced

# stepped FLAG FROM STEP: from the lowest value of the limit to the first with which it captures
stepped() {
	before=$failures
	for ((value = $2; ; value += $3)); do
		refused bash -c 'limited "$@"' - "$1" "$value" "${options[@]}" || break
	done
	echo "ulimit $1: $((failures - before)) starts failed, $value is enough"
	[ "$failures" -gt $((before + 2)) ] || fail "ulimit $1: too few starts failed"
}

# injected CALL ERROR: the last calls of the start, and some before
injected() {
	before=$failures
	rm -f mark
	"$inject" "$1" 0 EIO mark "$kmemtraced" -q "${options[@]}" -- touch begun 2>err
	code=$?
	[ $code != 77 ] || return
	[ $code = 0 ] || fail "without a failure: exit $code: $(cat err)"
	calls=$(cat mark)
	rm -rf data && cp -a saved data
	for ((n = calls; n > 0; n -= ${stride:-1 + (calls - n) / 5})); do
		refused "$inject" "$1" "$n" "$2" mark "$kmemtraced" -q "${options[@]}" -- touch begun
	done
	echo "$1: $((failures - before)) starts failed, of $calls calls"
	[ "$failures" -gt "$before" ] || fail "$1: no start failed"
}

mkdir data
for i in 1 2; do
	"$kmemtraced" -q -o data/capture -d 0.1 || fail "a capture: exit $?"
done
save
options=(-o data/capture -d 0.01)
stepped -n 20 "${stride:-4}"
stepped -v 20000 $((${stride:-5} * 8000))
injected bpf EPERM

# wrong options, found late
printf '#!/nonexistent/interpreter\n' >broken
mkdir -m 700 data/summaries
save
chmod +x broken
refused "$kmemtraced" -q -o data/capture -- ./broken || fail "a command without an interpreter: exit 0"
refused "$kmemtraced" -q -o data/capture --summaries=1h --summaries-dir=data/summaries --metrics=data/metrics \
	--publish="$scratch/data/memstat" -- ./broken || fail "with other outputs: exit 0"
refused "$kmemtraced" -q -o data/capture -p 4194304 -d 0.01 || fail "a process that is not there: exit 0"
refused "$kmemtraced" -q -o data/capture --metrics=missing/file -d 0.01 || fail "metrics in no folder: exit 0"

# a signal while it starts: at once, or when all is loaded and the programs are being attached
interrupted() {
	"$kmemtraced" -q -o data/capture &
	starting=$!
	wait_for "the program" runs_program $starting
	wait_for "$1" "$1"
	kill -TERM $starting
	wait $starting
}
catches() { # kmemtraced handles the signal: SIGTERM is the 15th bit
	[ $((0x$(awk '/^SigCgt/ { print $2 }' /proc/$starting/status) >> 14 & 1)) = 1 ]
}
made() {
	ls data/capture.new.* >/dev/null
}
for moment in catches made; do
	interrupted "$moment" 2>err
	code=$?
	[ $code = 2 ] || fail "SIGTERM when it $moment: exit $code: $(cat err)"
	grep -q 'SIGTERM came before the capture began' err || fail "SIGTERM when it $moment: $(cat err)"
	sums | diff sums - >diff || fail "SIGTERM when it $moment: changed: $(cat diff)"
done

# killed in the last moments of the start; the pipe is closed when all processes of kmemtraced have ended
killed() {
	rm -f begun mark
	"$inject" "$@" mark "$kmemtraced" -q "${options[@]}" -- touch begun 2>&1 | cat >err
	return "${PIPESTATUS[0]}"
}
if killed rename 0 EIO; then
	for ((n = $(cat mark); n > 0; n--)); do
		rm -rf data && cp -a saved data
		killed rename "$n" KILL
		[ -e begun ] || sums | grep -v 'capture\.new' | diff sums - >diff || fail "killed before rename $n: $(cat diff)"
	done
fi
rm -rf data && cp -a saved data

# a set: no piece is removed, although fewer may stay
rm -rf data saved
mkdir data
"$kmemtraced" -q -o data/set --switch-output=0.2s -d 1.5 || fail "a set: exit $?"
save
options=(-o data/set --switch-output=1h --max-files=2 -d 0.01)
injected bpf EPERM
refused "$kmemtraced" -q "${options[@]}" -- ./broken || fail "a set and a command without an interpreter: exit 0"
exit $failed
