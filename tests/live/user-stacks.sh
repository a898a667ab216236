#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --user-stacks: each allocation of a process has its path in the process, by name, to the count;
# of processes that end in the capture, of a program that was removed, and of one without symbols; of
# a program that a process executes later, with functions at the same addresses.
# bpftrace walks the same addresses at the same time.
. "$srcdir/live/live.sh"
need jq
case $(uname -m) in x86_64 | aarch64) ;; *) skip "needs frame pointers" ;; esac
program=$builddir/tests/live/user_stacks

# paths COMM: a line for each path of its calls of eventfd(): how often, and the path
paths()
{
	"$report" count --by=user_stack --format=json \
		--where="caller_function == \"do_eventfd\" && operation == \"allocation\" && comm == \"$1\"" |
		jq -r '.count[] | "\(.count) \(.user_stack)"' | sort
}

# names that no other run of this test has
named=named$$ removed=removed$$ stripped=strip$$ later=later$$
cp "$program" $named
cp "$program" $removed
strip -o $stripped "$program" 2>/dev/null || skip "needs strip"
cp $stripped $later
cat >load <<END
./$named 100 37
./$removed 20 10
rm $removed
./$stripped 5 3
setarch -R ./$stripped 5 3 ./$later 11 7
END
tracer=
! command -v bpftrace >/dev/null || begin_bpftrace "comm == \"$named\"" 'kstack(perf, 12), ustack(perf, 12)' kmalloc
"$kmemtraced" -q --stacks=all --user-stacks -- sh load 2>kmemtraced.log || fail "exit $?: $(cat kmemtraced.log)"
[ ! -s kmemtraced.log ] || fail "messages: $(cat kmemtraced.log)"
[ -z "$tracer" ] || end_bpftrace
checked
for key in user_stacks_unwalked stacks_no_room mappings_lost; do
	[ "$(value kmemtrace.data/kernel/status $key)" = 0 ] || fail "$key: $(cat kmemtrace.data/kernel/status)"
done

# eventfd() is of the C library, which may have no frame: then its caller is not on the stack
paths $named | sed 's/ < make_event < / < /; s/ < main.*/ < main/' >found
cat >expected <<'END'
100 eventfd < make_events < first_path < main
37 eventfd < make_events < second_path < main
END
diff expected found || fail "the paths of the processes differ"
for comm in $removed $stripped $later; do
	paths $comm >found
	[ "$(wc -l <found)" = 2 ] || fail "$comm: not two paths: $(cat found)"
	grep -Eq "^[0-9]+ eventfd < $comm\+0x" found || fail "$comm has names that it cannot have: $(cat found)"
done
[ "$(paths $stripped | cut -d ' ' -f 1 | xargs)" = "10 6" ] || fail "stripped: $(paths $stripped)"
[ "$(paths $later | cut -d ' ' -f 1 | xargs)" = "11 7" ] || fail "later: $(paths $later)"
[ "$(paths $removed | cut -d ' ' -f 1 | xargs)" = "10 20" ] || fail "removed: $(paths $removed)"

if [ -n "$tracer" ]; then
	# the count and the addresses of each user stack below do_eventfd, in hexadecimal without 0x
	awk '/do_eventfd/ { inside = 1 } /^ *, *$/ { user = inside; path = ""; next }
		/^\]: / { if (inside && user) print $2 path; inside = user = 0; next }
		user { sub(/^0x/, "", $1); path = path " " $1 }' traced >addresses
	[ "$(cut -d ' ' -f 1 addresses | sort -n | xargs)" = "37 100" ] || fail "bpftrace: $(cat addresses traced)"
	while read -r times path; do
		grep -q " $path" kmemtrace.data/kernel/stacks ||
			fail "bpftrace: $times $path; kmemtraced has no such stack"
	done <addresses
fi

# the flame begins with the functions of the process, and goes on with those of the kernel
"$report" flame --bytes=allocated --by=user_stack,stack --format=folded --where="current_comm == \"$named\"" >folded || fail "flame: exit $?"
grep -q 'main;first_path;make_events;.*eventfd;.*do_eventfd ' folded || fail "flame: $(cat folded)"
# a process that was there before, with another file at its path, of another file system: its names
# it is captured until it has run for 0.1 s (ticks of 10 ms)
mkdir place
other=prog$$
before_end "pkill -x $other"
cat >elsewhere <<'END'
mount -t tmpfs none place && cp "$1" place/$3 || exit 77
unshare -m sh -c 'mount -t tmpfs none place && cp "$0" place/$1 && exec place/$1 100000000 1' "$4" $3 &
until [ "$(cat /proc/$!/comm)" = $3 ] || ! [ -e /proc/$! ]; do
	sleep 0.05 # paced: a poll
done
"$2" -q -o elsewhere.data --stacks=64k --user-stacks -- sh -c 'ticks() { awk "{ print \$14 + \$15 }" /proc/$0/stat; }
	begin=$(ticks)
	until now=$(ticks) && [ "$now" -ge $((begin + 10)) ] || ! [ -e /proc/$0 ]; do
		sleep 0.05 # paced: a poll
	done' $!
code=$?
kill $!
exit $code
END
if unshare -m true 2>/dev/null; then
	unshare -m --propagation private sh elsewhere "$program" "$kmemtraced" $other $stripped || fail "another root: exit $?"
	"$report" count -i elsewhere.data --by=user_stack --format=json --where="comm == \"$other\"" | jq -r '.count[].user_stack' >found
	grep -q "$other+0x" found || fail "another root: no stack: $(cat found)"
	grep -q make_event found && fail "another root: names of another file: $(cat found)"
else
	echo "note: no namespace of mounts can be made: another root was not tried"
fi
# nothing is left of the process that named the functions
[ -z "$(ps -o pid= --ppid $$ | while read -r pid; do grep -s kmemtraced /proc/$pid/comm; done)" ] ||
	fail "a process of kmemtraced is left"
exit 0
