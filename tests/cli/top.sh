#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtrace-top on published figures whose rate is known: text and JSON of each moment, keys, filter,
# an opened row, sizes of the terminal, terminals without colors, and another kmemtraced.
# shellcheck disable=SC2154 # make check sets builddir
. "$srcdir/cli/cli.sh"
top=$builddir/kmemtrace-top
[ -x "$top" ] || skip "kmemtrace-top was not built"
need jq
socket=$own_name
before_end 'exec 3>&-; tmux -L $socket kill-server 2>/dev/null'
mkfifo input

publish() { # publish RATE LOST BEGIN [nostacks|profile]: until publish_end
	"$builddir/tests/top/steady" memstat "$@" <input &
	steady=$!
	exec 3>input
	wait_for "the published file" test -e memstat
}

publish_end() {
	exec 3>&-
	wait $steady
}

# Nothing is published: a message, and the way out.
"$top" -b -n 1 -i memstat >out 2>log </dev/null
[ $? = 2 ] || fail "no figures, and exit status 0"
grep -q 'memstat: nothing is published there: .*; -w waits for it$' log || fail "the message: $(cat log)"

publish 10000 7 1000

# The rate and the live objects are right in each moment.
"$top" -b -n 5 -d 0.1 -i memstat >out 2>log || fail "exit $?: $(cat log)"
[ "$(grep -c '^kmemtrace-top .* by site, 2 rows$' out)" = 5 ] || fail "not five moments: $(cat out)"
[ "$(grep -c '^MISSING 7 events; 2 paths are not observed (h lists)$' out)" = 5 ] ||
	fail "the losses: $(cat out)"
# LIVE OBJS GROW/S SINCE NEW/S BYTE/S: 64 bytes of 5000 objects stay each second
[ "$(awk '$1 == "steady_site+0x10/0x80" && $2 == "[load]" && $5 == "+312K" && $7 == "10000" && $8 == "625K"' \
	out | wc -l)" = 5 ] || fail "the rates: $(cat out)"
grep -q '^other_site+0x20/0x90 *18.8K *100 *0 *0 *0 *0$' out || fail "the other row: $(cat out)"
[ "$(awk 'length > 80' out)" = "" ] || fail "wider than 80 columns: $(cat out)"
grep -q '^slabs 1.00M, 90% full, 64.0K spare; given out 900K in 900 objects; read 3 s ago$' out ||
	fail "the slabs: $(cat out)"

"$top" --format=json -n 3 -d 0.1 -i memstat >out 2>log || fail "exit $?: $(cat log)"
[ "$(wc -l <out)" = 3 ] || fail "not a line for each moment: $(cat out)"
jq -se 'all(.schema == 1 and .lost == 7 and .key == "site" and .row_count == 2 and
	.unobserved_paths == ["kmem_cache_alloc_bulk", "kfree_nolock"] and
	(.rows[0] | .name == "steady_site+0x10/0x80 [load]" and .allocations_per_s == 10000 and
		.frees_per_s == 5000 and .bytes_allocated_per_s == 640000 and
		.live_objects == .allocations - .frees and .live_bytes == 64 * .live_objects and
		.live_bytes_growth_per_s == 320000) and
	.slabs.slab_bytes == 1048576 and .slabs.given_objects == 900 and .slabs.room_objects == 1000 and
	.slabs.given_bytes == 921600 and .slabs.slab_spare_bytes == 65536 and .slabs.time_ns == .time_ns - 3000000000 and
	.total.live_objects == (.rows | map(.live_objects) | add) and
	(.time_ns - .begin_ns) / 1000000000 * 10000 == .rows[0].allocations and
	(.memstat.types[0] | .kind == "cache" and .name == "kmalloc-64" and .numallocs > 0))' out >/dev/null ||
	fail "the JSON: $(cat out)"

# The other keys, the order, the filter; what a terminal could obey is escaped.
for key in function:steady_site cache:kmalloc-64 comm:'load\\x1ber' process:4242 cgroup:/load; do
	"$top" -b -n 1 -d 0.1 -i memstat -k "${key%%:*}" -s name -r --filter='steady|64|load|42' >out ||
		fail "by ${key%%:*}"
	grep -q "^${key#*:} .* 10000 " out || fail "by ${key%%:*}: $(cat out)"
	grep -q ', 1 of 2 rows match$' out || fail "the filter: $(cat out)"
done
"$top" -b -n 1 -d 0.1 -i memstat -k cache --filter='^twin$' >out || fail "an alias"
grep -q '^kmalloc-64 .* 10000 ' out && grep -q ', 1 of 2 rows match$' out || fail "an alias of a cache: $(cat out)"
"$top" -b -n 1 -d 0.1 -i memstat -k process >out
grep -qF '4242 load\x1ber' out || fail "the name is not escaped: $(cat out)"

# Stacks and system calls are estimates, each with its interval; those of all others have no rate.
"$top" -b -n 2 -d 0.1 -i memstat -k stack >out 2>log || fail "exit $?: $(cat log)"
[ "$(grep -c '^estimates: a sample each 64.0K bytes; +-%: 95 % interval of LIVE$' out)" = 2 ] ||
	fail "not shown as estimates: $(cat out)"
# the standard error is a tenth: half of the interval is 1.96 tenths, and a bit more
[ "$(awk '$1 == "steady_site" && $2 == "[load]" && $(NF - 4) == "20" && $(NF - 3) == "+312K" &&
	$(NF - 1) == "10000" && $NF == "625K"' out | wc -l)" = 2 ] || fail "the estimates: $(cat out)"
grep -q '^(other stacks) *18.8K .* 0 *0 *0$' out || fail "the others: $(cat out)"
[ "$(awk 'length > 80' out)" = "" ] || fail "wider than 80 columns: $(cat out)"
"$top" --format=json -n 1 -d 0.1 -i memstat -k stack --filter=read >out 2>log || fail "exit $?: $(cat log)"
jq -e '.sampling_interval_bytes == 65536 and (.rows[0] |
	.name == "steady_site [load] < do_steady_work < ksys_read < read" and .samples == 400 and
	.live_samples == 200 and .allocations_per_s == 10000 and
	.live_bytes_low < .live_bytes * 0.83 and .live_bytes_low > .live_bytes * 0.81 and
	.live_bytes_high > .live_bytes * 1.2 and .live_bytes_high < .live_bytes * 1.23 and
	.bytes_allocated_per_s_low <= 640000 and .bytes_allocated_per_s_high >= 640000)' out >/dev/null ||
	fail "the JSON of estimates: $(cat out)"
"$top" -b -n 1 -d 0.1 -i memstat -k syscall -s error >out 2>log || fail "exit $?: $(cat log)"
grep -q '^read .* 10000 *625K$' out || fail "by system call: $(cat out)"
"$top" -b -n 1 -i memstat --filter='(' >out 2>log && fail "a wrong filter"
"$top" -b -n 1 -i memstat -k nothing >out 2>log && fail "a wrong key"
"$top" -i memstat >out 2>log && fail "no terminal, and no -b"
grep -q 'use -b' log || fail "the message: $(cat log)"

command -v tmux >/dev/null || skip "tmux is not installed: the screen was not tried"
terminal() {
	# its server must not hold the input of the publisher open
	tmux -L "$socket" -f /dev/null "$@" 3>&-
}
# a server ends with its last session, and one that ends refuses the next: this session stays
terminal new-session -d -s stays "sleep 600" || fail "tmux does not start" # paced: until the end

shows() { # shows PATTERN
	terminal capture-pane -p -t top >screen && grep -qE -e "$1" screen
}

screen() { # screen PATTERN WHAT: waits until a line of the screen matches
	wait_for "$2" shows "$1"
}

# begin TERM WIDTH HEIGHT: the program in a terminal
begin() {
	terminal new-session -d -s top -x "$2" -y "$3" \
		"TERM=$1 LC_ALL=C.UTF-8 '$top' -w -i memstat -d 0.1; echo ended \$?; stty -a | head -4; exec sleep 600" # paced: until it is seen
}

keys() {
	terminal send-keys -t top "$@"
}

end() {
	keys q
	screen '^ended 0$' "q does not quit"
	grep -q -e '-echo' -e '-icanon' screen && fail "the terminal is not as it was: $(cat screen)"
	terminal kill-session -t top
}

reversed() {
	terminal capture-pane -p -t top | grep -E '^(dentry|kmalloc-64) ' | tr '\n' ' ' | grep -q 'kmalloc.*dentry'
}

for term in screen-256color vt100; do
	begin $term 80 24
	screen '^steady_site\+0x10/0x80 \[load\] .* 10000 +625K$' "$term: no row"
	screen '^MISSING 7 events; 2 paths' "$term: no losses"
	[ "$(awk 'length > 80' screen)" = "" ] || fail "$term: wider than 80 columns: $(cat screen)"
	keys 3
	screen '^kmalloc-64 ' "$term: 3 shows no caches"
	keys n
	screen '^\*NAME|^NAME\*' "$term: n does not sort by name"
	grep -n -E '^(dentry|kmalloc-64) ' screen | tr '\n' ' ' | grep -q 'dentry.*kmalloc' ||
		fail "$term: not by name: $(cat screen)"
	keys R
	wait_for "$term: R reverses the order" reversed
	keys /
	keys -l 'dent'
	screen 'show names that match .*: dent_' "$term: no prompt"
	keys Enter
	screen '^filter: dent$' "$term: no filter"
	grep -q '^kmalloc' screen && fail "$term: the filter does nothing: $(cat screen)"
	keys R / C-u Enter
	screen '^kmalloc-64 ' "$term: the filter stays"
	keys 1 l Enter
	screen '^lifetimes .* freed: 50 % below 1.05ms, ' "$term: the row is not open"
	for line in '^steady_site\+0x10/0x80 \[load\]$' '^caches +kmalloc-64 ' '^processes 4242 load.x1ber ' \
		'^sizes +requested: 33 to 64 bytes, on average 50.0$' '^ages .* live: ' \
		'^rates +10000 allocations/s, 625K/s; 5000 frees/s$'; do
		grep -qE -e "$line" screen || fail "$term: the open row lacks $line: $(cat screen)"
	done
	keys q 5 Enter
	screen '^sites +steady_site' "$term: an open process has no sites"
	keys Escape
	screen '^4242 load' "$term: Esc does not go back"
	keys 7 l
	screen '^steady_site \[load\] < do_steady>' "$term: 7 shows no stacks"
	grep -q '^estimates: ' screen || fail "$term: not shown as estimates: $(cat screen)"
	keys '<' Enter
	screen '^path +steady_site \[load\]$' "$term: the row is not open"
	for line in '^ +do_steady_work$' '^ +ksys_read$' '^ +read$' \
		'^live .*\(.* to .*\), in about .* objects' '^rates +625K/s \(.* to .*\), in about 10000 alloc' \
		'^samples +400, of which 200 are live; in \(\): 95 % intervals$'; do
		grep -qE -e "$line" screen || fail "$term: the open stack lacks $line: $(cat screen)"
	done
	keys q 8 Enter
	screen '^stacks +steady_site \[load\] < do_s.* 625K/s$' "$term: an open system call has no stacks"
	keys Escape
	keys h
	screen '^  kmem_cache_alloc_bulk,kfree_nolock$' "$term: no help"
	keys q r
	screen '^SINCE counts from now on$' "$term: r does nothing"
	keys s
	screen '^seconds between two refreshes: 0.1_$' "$term: s does not ask"
	keys BSpace 2 Enter
	end
done

# Another size, while it runs; a sparkline where there is room; a very small terminal.
begin screen-256color 80 24
screen '^NAME .* BYTE/S$' "no header"
terminal resize-window -t top -x 200 -y 50
screen 'FREE/S +BYTE/S LIVE, LAST MINUTES' "the new width is not used"
screen '^steady_site\+0x10/0x80 \[load\] .*[▁▂▃▄▅▆▇█]$' "no sparkline"
terminal resize-window -t top -x 20 -y 4
screen '^kmemtrace-top' "a small terminal"
terminal resize-window -t top -x 80 -y 24
screen '^steady_site\+0x10/0x80 \[load\] .* 625K$' "the first size again"

# kmemtraced ends, and another begins.
publish_end
screen '^kmemtraced has ended: these are its last figures; waiting for it$' "the end is not said"
grep -q '^steady_site' screen || fail "the last figures are gone: $(cat screen)"
publish 20000 0 5000
screen '^kmemtraced was started again: figures count from then$' "the new one is not seen"
screen '^steady_site\+0x10/0x80 \[load\] .* 20000 +1.22M$' "the new rates"
screen '^missing 0 events; ' "the new losses"
end
publish_end

# Without samples there are no stacks: the key says why, and what to do.
publish 10000 0 1000 nostacks
"$top" -b -n 1 -d 0.1 -i memstat -k stack >out 2>log && fail "stacks without samples"
grep -q 'has no figures by stack: kmemtraced takes no stacks: start it with --stacks, ' log ||
	fail "the message: $(cat log)"
begin screen-256color 80 24
screen '^steady_site' "no row"
keys 7
screen '^no figures by stack: kmemtraced takes no stacks: start it with --stacks' "7 says nothing"
keys 6 Tab
screen 'by site, 2 rows$' "Tab goes to keys without figures"
end
publish_end

# A profile has estimates only: its rows are by stack, if no key is asked for.
publish 10000 0 1000 profile
"$top" -b -n 1 -d 0.1 -i memstat >out 2>log || fail "exit $?: $(cat log)"
grep -q 'by stack, 2 rows$' out || fail "a profile: $(cat out)"
grep -qE '^about live [0-9.]+[KM] in .* objects, .312K/s; allocated 10000/s, 625K/s$' out ||
	fail "the totals of a profile: $(cat out)"
"$top" -b -n 1 -d 0.1 -i memstat -k cache >out 2>log && fail "caches of a profile"
grep -q 'by cache: kmemtraced --profile has stacks only: start it without --profile$' log ||
	fail "the message: $(cat log)"
publish_end

# Without a usable terminal there is a reason. ncurses keeps memory of a terminal that it does not know.
publish 1 0 1
refused() { # refused TERM REASON
	terminal new-session -d -s top -x 80 -y 24 \
		"ASAN_OPTIONS=detect_leaks=0 TERM=$1 '$top' -w -i memstat; echo ended \$?; exec sleep 600" # paced: until it is seen
	screen '^ended 2$' "TERM=$1 is taken"
	grep -q "TERM=$1: $2" screen || fail "no reason: $(cat screen)"
	terminal kill-session -t top
}
refused no-such-terminal 'the terminal cannot be used'
refused dumb 'this type of terminal cannot move the cursor'

# A signal ends it, and the terminal is as before.
begin screen-256color 80 24
screen '^steady_site' "no row"
kill -TERM "$(terminal list-panes -t top -F '#{pane_pid}' | xargs -I{} pgrep -P {} kmemtrace-top)"
screen '^ended 0$' "a signal does not end it"
publish_end
exit 0
