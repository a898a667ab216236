#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtraced --summaries: the summaries of a run add up to what kmemtrace-report says of the capture of
# the same events, in each row, and so does each interval; beside pieces and estimates too. A kill, a full
# disk and another kmemtraced spoil no file. KMEMTRACE_LONG=1: 100 kills, not 3.
# shellcheck disable=SC2154 # live.sh sets the names of the programs and its folder
. "$srcdir/live/live.sh"
need jq gzip
host=$(uname -n)
kills=${KMEMTRACE_LONG:+100}
kills=${kills:-3}
RANDOM=${KMEMTRACE_SEED:-$$}

begin_load() {
	touch working
	while [ -e working ]; do
		ls -R /proc/self >/dev/null 2>&1
		echo | cat | cat >/dev/null
	done &
	noise=$!
}

end_load() {
	rm -f working
	wait $noise
}

# start OPTION…: in the background, with summaries in the folder sums; returns once it counts
start() {
	"$kmemtraced" --summaries-dir="$scratch/sums" "$@" 2>daemon.log &
	daemon=$!
	wait_for "the first program" counts
}

counts() {
	find /proc/$daemon/fd -lname 'anon_inode:bpf*link' | grep -q .
}

await() { # await NUMBER [FOLDER]: until there are so many summaries
	wait_for "$1 summaries" has "$@"
}

has() {
	[ "$(cat "${2:-sums}"/*.kms | grep -c '^end ')" -ge "$1" ]
}

# whole FILE: its blocks are whole, with the right checksums
whole() {
	[ "$(head -n 1 "$1")" = "kmemtrace-summaries 1" ] || fail "the header: $(head -n 1 "$1")"
	rm -rf blocks
	mkdir blocks
	tail -n +2 "$1" | awk '/^summary / { number++ } { print > ("blocks/" number + 0) }'
	for block in blocks/*; do
		[ "$(head -c 8 "$block")" = "summary " ] || fail "$1: a block begins with: $(head -n 1 "$block")"
		[ "$(grep -c '^end ' "$block")" = 1 ] || fail "$1: a block is not whole: $(tail -n 1 "$block")"
		end=$(head -n -1 "$block" | gzip -c | tail -c 8 | od -A n -t u4 --endian=little | awk '{ print $1 }')
		[ "$(tail -n 1 "$block")" = "end $(($(wc -l <"$block") - 1)) $end" ] ||
			fail "$1: the end of a block: $(tail -n 1 "$block"), not $end"
	done
}

# sums FILE [NUMBER]: rows of all summaries, or of one: function, module, cache, allocations, bytes, frees,
# missed, crossing, failed; live objects and bytes at the end
sums() {
	awk -v number="${2-}" '$1 == "source" {
			skip = number != "" && $5 != number
			if (!skip)
				for (key in live)
					delete live[key]
		}
		$1 == "code" && !skip {
			key = $2 " " $3 " " $4
			keys[key]
			allocations[key] += $5; bytes[key] += $7; frees[key] += $6; missed[key] += $11
			crossing[key] += $10; failed[key] += $9
			objects[key] = $12; held[key] = $13
			live[key] }
		END { for (key in keys)
			printf "%s %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f\n", key, allocations[key], bytes[key],
				frees[key], missed[key], crossing[key], failed[key],
				key in live ? objects[key] : 0, key in live ? held[key] : 0 }' "$1" |
		grep -v ' 0 0 0 0 0 0 0 0$' | sort
}

# reported DIR [OPTION…]: the same rows of the report
reported() {
	"$report" sites -i "$@" --by=function,cache -l 0 --format=json | jq -r '.sites[] |
		"\(.function) \(.cache) \(.allocations) \(.bytes_allocated) \(.frees + .missed_frees) \(.missed_frees) " +
		"\(.cross_cpu_frees) \(.failed) \(.live_objects) \(.live_bytes)"' |
		sed -E 's/^([^ ]*) \[([^] ]*)\] /\1 \2 /; t; s/^([^ ]*) /\1 kernel /' | grep -v ' 0 0 0 0 0 0 0 0$' | sort
}

# same_rows FILE DIR: names that are not known, and those that several functions have, are another matter
same_rows() {
	sums "$1" | sed 's/#[0-9]* / /' | grep -v '^(unknown)' >found
	reported "$2" | grep -v '^0x' >expected
	[ "$(wc -l <expected)" -ge 30 ] || fail "the report has too few rows: $(cat expected)"
	diff expected found >differ || fail "the rows of $1 are not those of $2: $(head -20 differ)"
}

totals() { # totals DIR: of the report
	dir=$1 json '.totals | "\(.allocations) \(.bytes_allocated) \(.frees - .frees_unmatched + .missed_frees) " +
		"\(.missed_frees) \(.cross_cpu_frees) \(.live_objects) \(.live_bytes)"'
}

same_totals() { # same_totals FILE DIR
	found=$(sums "$1" | awk '{ for (i = 4; i <= NF; i++) sum[i] += $i } END {
		printf "%.0f %.0f %.0f %.0f %.0f %.0f %.0f\n", sum[4], sum[5], sum[6], sum[7], sum[8], sum[10], sum[11] }')
	[ "$found" = "$(totals "$2")" ] || fail "the totals are $found, those of $2 $(totals "$2")"
}

# in_order FILE NUMBER: so many summaries follow each other, and end at whole seconds
in_order() {
	awk '$1 == "summary" { print $2, $3, $4 } $1 == "source" { print $4, $5, $6 }' "$1" | paste -d' ' - - >times
	[ "$(wc -l <times)" -ge "$2" ] || fail "not $2 summaries: $(cat times)"
	number=0 before=
	while read -r begin end live run first last; do
		[ "$live $first $last" = "$end $number $number" ] || fail "the order: $(cat times)"
		[ "$begin" = "${before:-$run}" ] || fail "an interval does not begin at the end of the last: $(cat times)"
		[ $number = $(($(wc -l <times) - 1)) ] || [ $((end % 1000000000)) = 0 ] || fail "an end: $(cat times)"
		number=$((number + 1)) before=$end
	done <times
}

files() {
	set -- sums/"$host".*.kms
	[ $# = 1 ] || skip "midnight has passed"
	file=$1
}

# Beside a capture
begin_load
start -q --summaries=1 --role='data base' -o whole
await 3
"$kmemtraced" -q --no-capture --summaries --summaries-dir=sums -d 1 2>second.log && fail "there are two writers"
grep -q 'another kmemtraced writes it' second.log || fail "refused without a reason: $(cat second.log)"
stop_daemon
[ "$status" = 0 ] || fail "exit $status: $(cat daemon.log)"
end_load
checked whole
files
whole "$file"
in_order "$file" 4
same_rows "$file" whole
same_totals "$file" whole
awk '$1 == "bound" { sum += $2; lost += $3; uncounted += $5 } END { print sum, lost, uncounted }' "$file" >found
dir=whole json '.loss | "\(.recorded) \(.lost) 0"' | diff - found || fail "not all recorded events are in the summaries"
[ "$(stat -c %a "$file")" = 600 ] || fail "the mode is $(stat -c %a "$file")"
grep -q "^source $host $(cat /proc/sys/kernel/random/boot_id) " "$file" || fail "no source: $(grep -m 1 ^source "$file")"
grep -q "^host $(uname -r) $(uname -m) $(getconf _NPROCESSORS_ONLN) $(awk '$1 == "MemTotal:" { printf "%.0f", $2 * 1024 }' /proc/meminfo) [1-9][0-9]* [1-9][0-9]* data[\\]x20base$" "$file" ||
	fail "no facts of the host: $(grep -m 1 ^host "$file")"
awk '$1 == "cost" && !($2 > 0 && $2 < 4e9 && $3 > 1e6) { exit 1 }' "$file" || fail "the cost: $(grep ^cost "$file")"
grep -q 0xffff "$file" && fail "the file has addresses of the kernel"

# An interval has exactly its events.
date_of() { # date_of NS
	echo "$(date -u -d "@$(($1 / 1000000000))" +%Y-%m-%dT%H:%M:%S).$(printf %09d $(($1 % 1000000000)))"
}
for number in 1 2; do
	read -r begin end _ <<<"$(sed -n $((number + 1))p times)"
	sums "$file" $number | sed 's/#[0-9]* / /' | awk '!/^\(unknown\)/ && $4 + $5 { print $1, $2, $3, $4, $5 }' >found
	reported whole --time="$(date_of "$begin"),$(date_of "$end")" | awk '!/^0x/ && $4 + $5 { print $1, $2, $3, $4, $5 }' >expected
	[ "$(wc -l <expected)" -ge 20 ] || fail "the report of an interval has too few rows: $(cat expected)"
	diff expected found >differ || fail "the interval $number is not that of the report: $(head -20 differ)"
	sums "$file" $number | sed 's/#[0-9]* / /' | awk '!/^\(unknown\)/ && $10 + $11 { print $1, $2, $3, $10, $11 }' >found
	reported whole --at="$(date_of "$end")" | awk '!/^0x/ && $10 + $11 { print $1, $2, $3, $10, $11 }' >expected
	diff expected found >differ || fail "what is live after the interval $number is not that of the report: $(head -20 differ)"
done
echo "$(wc -l <times) summaries of $(dir=whole json .totals.allocations) allocations, $(wc -c <"$file") bytes"
rm -rf sums whole

# By cgroup and by name of the task: each adds up to what is counted by function, and the load is there.
kinds() { # kinds FILE: of each summary, the sums of each kind: allocations, frees, bytes, live objects and bytes
	awk 'function line(kind,   i, text) {
			text = kind
			for (i = 1; i <= 6; i++) {
				text = text sprintf(" %.0f", sum[kind, i])
				sum[kind, i] = 0
			}
			return text
		}
		{ at = $1 == "code" ? 5 : 3 }
		$1 ~ /^(code|cgroup|comm)$/ {
			for (i = 0; i < 4; i++)
				sum[$1, i + 1] += $(at + i)
			sum[$1, 5] += $(at + 7)
			sum[$1, 6] += $(at + 8)
		}
		$1 == "end" { print line("code") "\n" line("cgroup") "\n" line("comm") }' "$1"
}
name=files$$ # as no other task is named
cp "$builddir/tests/live/descriptors" $name
mkfifo numbers answers
for publish in '' --publish=memstat; do
	begin_load
	start -q --no-capture --summaries=1 --summaries-by=cgroup,comm $publish
	"./$name" <numbers >answers 2>load.log &
	load=$!
	exec 3>numbers 4<answers
	await 1
	hold 4000
	await 3
	hold 0 # after this, the last summary is without what it held
	stop_daemon
	[ "$status" = 0 ] || fail "--summaries-by: exit $status: $(cat daemon.log)"
	end_load
	end_files
	files
	whole "$file"
	kinds "$file" >found
	[ "$(grep -c '^code' found)" -ge 4 ] || fail "too few summaries: $(cat found)"
	awk '$1 == "code" { $1 = ""; code = $0; next } { kind = $1; $1 = "" }
		$0 != code { print kind ":" $0 " is not" code; exit 1 }' found || fail "kinds differ: $(cat found)"
	# an eventfd has a file, a dentry and its own object
	awk -v name=$name '$1 == "comm" && $2 == name { all += $3; most = $10 > most ? $10 : most; last = $10 }
		END { exit !(all >= 12000 && most >= 12000 && last < 1000) }' "$file" ||
		fail "not 4000 eventfds: $(grep "^comm $name" "$file")"
	grep -q '^comm ls ' "$file" || fail "no rows of ls: $(grep '^comm' "$file" | head -20)"
	grep -q '^cgroup /' "$file" || fail "no rows of cgroups: $(grep '^cgroup' "$file" | head -20)"
	awk '$1 == "comm" && $2 == "(unknown)" { unknown += $3 } $1 == "comm" { all += $3 }
		END { exit !(unknown * 20 < all) }' "$file" || fail "tasks are not known: $(grep '^comm' "$file" | head -40)"
	rm -rf sums memstat*
done

# Beside pieces, with type statistics
begin_load
start -q --summaries=1 --publish=memstat -o set --switch-output=700ms
await 4
stop_daemon
[ "$status" = 0 ] || fail "with pieces: exit $status: $(cat daemon.log)"
end_load
[ -e set/piece.000004 ] || fail "too few pieces: $(ls set)"
files
whole "$file"
in_order "$file" 4
same_rows "$file" set
same_totals "$file" set
rm -rf sums set

# Estimates have variances.
begin_load
start -q --summaries=1 --profile=4k -o profile
await 3
stop_daemon
[ "$status" = 0 ] || fail "with --profile: exit $status: $(cat daemon.log)"
end_load
files
whole "$file"
same_totals "$file" profile
awk '$1 == "bound" && $7 < 4096 { exit 1 }' "$file" || fail "the interval of samples: $(grep ^bound "$file")"
awk '$1 == "code" { if (NF != 15) exit 1; sum += $14 } END { exit !(sum > 0) }' "$file" || fail "no variances: $(grep -m 3 ^code "$file")"
rm -rf sums profile

# Killed at any moment: the next start cuts off half a summary, and goes on in the same file.
for kill in $(seq "$kills"); do
	start -q --no-capture --summaries=1
	sleep "$((RANDOM % 3)).$((RANDOM % 1000 + 1000))" # paced: the moment of the kill
	stop_daemon KILL
	files
	cp "$file" before
	summaries=$(grep -c '^end ' "$file")
	# a kill in the middle of a write is rare: cut off some of the last summary too
	if [ "$summaries" -gt 1 ] && [ $((kill % 2)) = 1 ]; then
		truncate -s -$((RANDOM % 200 + 1)) "$file"
		summaries=$((summaries - 1))
	else
		printf 'summary 1 2 3 1\nsource' >>"$file"
	fi
	"$kmemtraced" -q --no-capture --summaries --summaries-dir=sums -d 0.3 2>daemon.log || fail "after a kill: $(cat daemon.log)"
	whole "$file"
	[ "$(grep -c '^end ' "$file")" -ge "$summaries" ] || fail "kill $kill: of $summaries summaries are left $(grep -c '^end ' "$file")"
	last=$(grep -b '^summary ' before | tail -n 1 | cut -d: -f1)
	cmp -s -n "${last:-22}" before "$file" || fail "kill $kill: earlier summaries changed"
done

# A full disk: one message, and the summaries come when there is room again. Old files of this host go.
failed_twice() {
	"$kmemtraced" --status --format=json | jq -e ".daemons[] | select(.pid == $daemon)" >one &&
		jq -e '.summary_errors >= 2' one >two
}
if own_folder small size=1m,mode=700; then
	touch "small/$host.2020-02-29.kms" small/other.2020-02-29.kms "small/$host.2020-02-30.kms" small/notes
	begin_load
	"$kmemtraced" --no-capture --summaries=1 --summaries-dir="$scratch/small" --summaries-keep=2d 2>daemon.log &
	daemon=$!
	file=small/$host.$(date -u +%Y-%m-%d).kms
	await 1 small
	[ "$(ls small)" = "$(printf '%s\n' "$host.2020-02-30.kms" "${file#small/}" notes other.2020-02-29.kms | sort)" ] ||
		fail "not the right files were removed: $(ls small)"
	dd if=/dev/zero of=small/filler bs=1k 2>/dev/null
	wait_for_message 1 'summaries cannot be written: No space left'
	wait_for "two errors in the status" failed_twice
	[ "$(grep -c 'summaries cannot be written' daemon.log)" = 1 ] || fail "not one message: $(cat daemon.log)"
	jq -e '.summaries >= 1 and (.last_summary | test("^20.*Z$"))' one >/dev/null || fail "the status: $(cat one)"
	[ "$(tail -c 1 "$file" | od -A n -t x1)" = " 0a" ] || fail "half a summary is in the file: $(tail -n 1 "$file")"
	whole "$file"
	before=$(grep -c '^end ' "$file")
	rm small/filler
	await $((before + 2)) small
	stop_daemon
	[ "$status" = 0 ] || fail "after a full disk: exit $status: $(cat daemon.log)"
	end_load
	whole "$file"
	in_order "$file" 4
else
	echo "note: no tmpfs can be mounted: no full disk"
fi

# SIGHUP changes the age.
umask 022
reload() { # reload VALUE TEXT: waits for the message
	echo "summaries-keep = $1" >conf.new
	mv conf.new conf
	kill -HUP $daemon
	wait_for "the message $2" grep -qF -e "$2" daemon.log
}
echo 'summaries-keep = 9d' >conf
start --no-capture --summaries=1 --config=conf
wait_for "the begin" grep -q 'Seccomp:.2' /proc/$daemon/status # SIGHUP ends a kmemtraced that has just begun
reload 7d 'conf: read again: summaries-keep changed'
reload 5 'conf:1: summaries-keep: "5" is not an age of at least 1d: use a number with'
stop_daemon
[ "$status" = 0 ] || fail "with SIGHUP: exit $status: $(cat daemon.log)"

refuses() { # refuses TEXT OPTION…
	text=$1
	shift
	"$kmemtraced" -q --no-capture -d 0.1 "$@" 2>err
	[ $? = 2 ] && grep -qF -e "$text" err || fail "$*: not refused with \"$text\": $(cat err)"
}
refuses 'they cannot be used with -p' --summaries -p $$
refuses 'counts each allocation: it cannot be used with --profile' --summaries --summaries-by=comm --profile
refuses '"pid" is not cgroup or comm' --summaries --summaries-by=comm,pid
refuses '--summaries-by: needs --summaries' --publish --summaries-by=comm

# Files of others are left alone.
refused() { # refused TEXT
	"$kmemtraced" -q --no-capture --summaries --summaries-dir="${dir-sums}" -d 0.1 2>err && fail "not refused: $1"
	grep -qF -e "$1" err || fail "not refused for $1: $(cat err)"
}
files
mv "$file" kept
echo 'a text that has nothing to do with it' >"$file"
cp "$file" text
refused 'is not a file of summaries: move it away'
cmp "$file" text || fail "a file of others has changed"
mv text "$file"
ln "$file" second
refused 'has a second name'
rm "$file"
ln -s "$scratch/second" "$file"
refused "$host"
rm "$file"
mkdir "$file"
refused "$host"
rmdir "$file"
chmod 777 sums
refused 'other users may write the directory'
dir=missing/folder refused 'No such file'
[ "$(cat second)" = 'a text that has nothing to do with it' ] || fail "a file of others has changed: $(cat second)"
exit 0
