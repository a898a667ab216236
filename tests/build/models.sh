#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# spin searches all states of each model (*.pml): there is no error. Then it finds each planted mistake, and names the
# property that breaks. Without arguments all, else the lines below that have the word. With $top_srcdir.
set -u
for program in spin gcc llvm-objdump clang; do
	command -v $program >/dev/null || { echo "skipped: there is no $program"; exit 77; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failed=0

# fail TEXT: prints the last lines of spin, too
fail() {
	echo "failed: $1"
	tail -n 15 output
	failed=1
}

# search MODEL OPTION…: makes and runs the verifier; what it prints is in output
search() {
	local model=$1 kind=-DSAFETY run=

	shift
	# a property in time: also the cycles, where each process goes on
	case " $* " in *" -DENDLESS "*) kind= run="-a -f" ;; esac
	spin -a "$@" "$top_srcdir/$model" >output 2>&1 || return
	# shellcheck disable=SC2086 # words
	gcc -O1 -w $kind -DMEMLIM=2000 -DVECTORSZ=512 -o pan pan.c >>output 2>&1 &&
		nice -n 19 ./pan -m100000 -w24 $run >>output 2>&1
}

# complete MODEL OPTION…: all states, and none is wrong
complete() {
	[[ "$*" == *"$word"* ]] || return 0
	search "$@" || { fail "$*"; return; }
	if ! grep -q '^Full statespace search' output || ! grep -q ', errors: 0$' output ||
		grep -qE 'error:|Warning|truncated|too small|out of memory|not completed' output; then
		fail "$*: not all states were searched, or one is wrong"
	fi
	echo "$(awk '/states, stored/ { print $1 }' output) states: $*"
}

# mistake PROPERTY MODEL OPTION…: the property breaks
mistake() {
	local property=$1 message="assertion violated \($1\|\|"

	[ "$property" != ends ] || message="acceptance cycle"
	shift
	[[ "$*" == *"$word"* ]] || return 0
	search "$@"
	grep -qE "^pan:1: $message" output ||
		fail "$*: the mistake was not found, or breaks another property than $property"
}
word=${1:-}

# Two programs on a ring of two slots, which two of three, or more, events lap; three programs; and long records.
ring="bpf/ring.pml -DTASK_EVENTS=2 -DINTERRUPT_EVENTS=2 -DNMI_EVENTS=0 -DSLOTS=2 -DMARGIN=1"
nested="bpf/ring.pml -DTASK_EVENTS=1 -DINTERRUPT_EVENTS=2 -DNMI_EVENTS=1 -DSLOTS=3 -DMARGIN=2"
stacks="bpf/ring.pml -DTASK_EVENTS=4 -DINTERRUPT_EVENTS=0 -DNMI_EVENTS=0 -DSLOTS=3 -DMARGIN=2 -DWITH_STACKS"
nested_stacks="bpf/ring.pml -DTASK_EVENTS=1 -DINTERRUPT_EVENTS=2 -DNMI_EVENTS=0 -DSLOTS=6 -DMARGIN=5 -DWITH_STACKS"
# shellcheck disable=SC2086 # words
{
	complete $ring -DPREEMPTED
	complete $ring -DORDERED
	complete $nested -DCOMES_ONLINE -DSWITCHES
	complete $stacks
	complete $nested_stacks -DORDERED
	complete $nested_stacks -DCOMES_ONLINE -DSWITCHES
	mistake overrun ${ring/MARGIN=1/MARGIN=0}
	mistake torn $ring -DTAG_WITHOUT_ORDER
	mistake torn $ring -DDATA_BEFORE_TAG
	mistake torn $ring -DTAIL_BEFORE_COPY
	mistake torn $ring -DTAG_KEPT
	mistake torn $stacks -DFIRST_TAG_CLEARED
	mistake stuck $ring -DTAIL_BEFORE_CLEAR
	mistake recorded $ring -DSEQUENCE_FIRST
	mistake recorded $nested_stacks -DMORE_SLOTS_LATE
	mistake recorded $nested_stacks -DCOMES_ONLINE -DNUMBER_WITHOUT_FETCH
	mistake early $nested_stacks -DEMPTY_SEQUENCE_FIRST
	mistake switched $ring -DSWITCHES -DSWITCH_AT_HEAD
}

file=live/stats/stats_file.pml
complete $file
complete $file -DENDLESS
mistake torn $file -DGENERATION_LATE
mistake torn $file -DCURRENT_EARLY
mistake torn $file -DCHECK_EARLY
mistake torn $file -DNO_CHECK
mistake torn $file -DCHANGES_OF_BOTH
mistake torn $file -DNAMES_REPLACED
mistake torn $file -DFILE_REUSED
mistake ends $file -DENDLESS -DTRIES_WITHOUT_END

details=live/stats/details_file.pml
complete $details
mistake torn $details -DGENERATION_EARLY
mistake torn $details -DCHECK_EARLY
mistake torn $details -DONE_SIZE

lock=live/stats/stats_file_lock.pml
complete $lock
mistake alone $lock -DLEFTOVER_NOT_LOCKED
mistake alone $lock -DLEFTOVER_NOT_CHECKED
mistake alone $lock -DCHECKED_ONCE
mistake own $lock -DCREATED_NOT_CHECKED

# bpf/ring.pml relies on this: a number is taken with BPF_FETCH, in each object that has it.
for variant in "" -DKMT_WITHOUT_BTF "-DKMT_WITH_COPIES -DKMT_WITH_PREEMPT_COUNT"; do
	[[ "bpf/ring.pml $variant" == *"$word"* ]] || continue
	# an object of ccache names the folder in which it was made, and that can be gone
	# shellcheck disable=SC2086 # words
	CCACHE_DISABLE=1 clang -g -O2 -mcpu=v3 -target bpfel -D__TARGET_ARCH_arm64 $variant -I"$top_srcdir" \
		-c "$top_srcdir/bpf/kmemtrace.bpf.c" -o object.o 2>output || { fail "$variant"; continue; }
	llvm-objdump -S --no-show-raw-insn object.o >code
	awk '/^;/ { inside = /__sync_fetch_and_add\(&control->sequence/ }
		inside && /atomic_fetch_add/ { taken++ }
		inside && /lock/ { bare++ }
		END { exit !taken || bare }' code ||
		fail "bpf/kmemtrace.bpf.c $variant: a number is taken without BPF_FETCH"
done

exit $failed
