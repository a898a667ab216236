#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# babeltrace2, an independent reader of CTF, reads a capture: it counts the same events, and reports
# as many discarded events as were lost, and nothing else.
. "$srcdir/live/live.sh"
need babeltrace2 jq

mkdir folder
own_folder folder || echo "note: no file system in memory can be mounted"

count() { # count EVENT…
	for event; do
		value names "$event:"
	done | awk '{ n += $1 } END { print n + 0 }'
}

same() { # same WHAT THEIRS FILTER
	ours=$(json "$3")
	echo "$1: babeltrace2 $2, kmemtrace-report $ours"
	[ "$2" = "$ours" ] || fail "$1: babeltrace2 counts $2, kmemtrace-report $ours"
}

mkfifo line
load=
before_end '[ -z "$load" ] || kill $load 2>/dev/null'

ready() { # the load waits for its line, or has failed
	[ -s workload.log ] || [ "$(cat /proc/$load/comm)" = ready ]
}

# The command of kmemtraced: lets the load run, and returns when it is done.
cat >drive <<'END'
echo ${2:+$PPID} >line
until [ "$(cat /proc/$1/comm)" = done ] || ! kill -0 $1; do
	sleep 0.02 # paced: the load works
done
END

one() { # one RING ROUNDS [starve]: only the load is traced; with starve, it stops kmemtraced for a time
	"$builddir/tests/live/workload" fs "$2" folder wait <line >truth 2>workload.log &
	load=$!
	exec 3>line
	wait_for "the load" ready
	[ ! -s workload.log ] || skip "$(cat workload.log)"
	"$kmemtraced" -q "$1" -p $load -- sh drive $load "${3:-}" || fail "kmemtraced: exit $?"
	echo >&3
	exec 3>&-
	wait $load || fail "$(cat workload.log)"
	load=
	checked
	babeltrace2 kmemtrace.data >text 2>complaints || fail "babeltrace2: exit $?: $(head -5 complaints)"
	awk '{ for (i = 1; i < 9; i++) if ($i ~ /^[a-z_]+:$/) { names[$i]++; break } }
		END { for (name in names) print name, names[name] }' text >names
	same events "$(wc -l <text)" .loss.recorded
	same allocations "$(count kmalloc kmem_cache_alloc kmem_cache_alloc_bulk kmem_cache_alloc_unnamed)" \
		'.totals | .allocations + .failed + .repeated + .own_allocations'
	same frees "$(count kfree kmem_cache_free kmem_cache_free_bulk kfree_rescued kmem_cache_free_rescued)" \
		'.totals | .frees + .null_frees + .own_frees'
	same discarded "$(sed -n 's/.*[Tt]racer discarded \([0-9]*\) event.*/\1/p' complaints |
		awk '{ n += $1 } END { print n + 0 }')" .loss.lost
	grep -v '[Tt]racer discarded [0-9]* event' complaints >others
	[ -s others ] && fail "babeltrace2 complains: $(head -5 others)"
}

# a ring with room for all events of the load, so that usually none is lost
one -m64 2000
one -m1 8000 starve
[ "$(json .loss.lost)" -gt 0 ] || fail "the small ring lost nothing"
exit 0
