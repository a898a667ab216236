#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Names in a capture, and its path, hold commands for a terminal, bytes that are not UTF-8 and formulas
# of a spreadsheet. No output passes them on.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/cli/cli.sh"

# clean FILE WHAT: no control characters but ends of lines, C1 ones neither, none that turns the rest of a
# line around or is not seen, and valid UTF-8. A JSON string may hold DEL, which commands nothing.
clean()
{
	[[ $2 != *json* ]] || sed -i 's/\x7f//g' "$1"
	if LC_ALL=C grep -qP '[\x00-\x09\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]' "$1"; then
		wrong "$2: control characters: $(LC_ALL=C grep -P '[\x00-\x09\x0b-\x1f\x7f]|\xc2' "$1" |
			head -n 3 | cat -v)"
	fi
	# U+200B to U+200F, U+202A to U+202E
	if LC_ALL=C grep -qP '\xe2\x80[\x8b-\x8f\xaa-\xae]' "$1"; then
		wrong "$2: characters that are not seen: $(LC_ALL=C grep -P '\xe2\x80[\x8b-\x8f\xaa-\xae]' "$1" | head -n 3 | cat -v)"
	fi
	iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>&1 || wrong "$2: not valid UTF-8"
}

name=$'a\e[31m\xc2\x9b2J\xff\x7f\r\xe2\x80\xae\xe2\x80\x8bb'
"$mktrace" capture <<-END || exit 1
	endian little
	begin 1us
	symbol 0xffffffff81000000 caller
	symbol 0xffffffff81001000 other
	cache some_cache 0xffff888000001000 100 128
	task 10 10 some_task
	task 11 11 other_task
	task 12 12 third_task
	alloc 10us 0 0xffff888000100000 100/128 caller+0x10 task=10
	calloc 20us 1 0xffff888000200000 some_cache other+0x20 task=11
	alloc 25us 0 0xffff888000300000 100/128 other+0x10 task=12
	free 30us 0 0xffff888000100000 caller+0x80 task=10
	free 40us 0 0xffff888000100000 caller+0x88 task=10
	cfree 50us 1 0xffff888000100040 some_cache other+0x80 task=11
	end 100us
	complete yes
END
escaped='a\\x1b[31m\\xc2\\x9b2J\\xff\\x7f\\x0d\\xe2\\x80\\xae\\xe2\\x80\\x8bb'
sed -i "s/some_cache/$escaped/" capture/kernel/caches
sed -i -e "s/some_task/$escaped/" -e 's/other_task/=cmd|x/' -e 's/third_task/@sum/' capture/kernel/tasks
sed -i -E "s/(release|hostname) = \"[^\"]*\"/\1 = \"$escaped\"/" capture/metadata
if [ "$(head -c 2 capture/kernel/symbols | od -An -tx1)" = " 1f 8b" ]; then
	gzip -dc <capture/kernel/symbols >symbols
else
	cp capture/kernel/symbols symbols
fi
LC_ALL=C sed "s/caller/$name/" symbols >capture/kernel/symbols
mv capture "$name"

for view in summary sites caches slabinfo sizes leaks lifetimes cpus nodes cgroups timeline flame probes events findings \
	"sites --by=task"; do
	for format in text json csv; do
		# shellcheck disable=SC2086 # a view and an option
		"$report" $view --format=$format -i "$name" >out 2>err
		[ $? -le 2 ] || wrong "$view $format: exit status $?"
		[ -s out ] || wrong "$view $format: nothing is printed: $(cat err)"
		clean out "$view as $format"
		clean err "$view as $format, on standard error"
		cp out "out.${view// /}.$format"
	done
done
for command in "kmemtrace-check --heap -v" "kmemtrace-check --repair -o repaired" \
	"kmemtrace-pack -o packed" "kmemtrace-pack -u -o unpacked"; do
	# shellcheck disable=SC2086 # a program and its options
	"$builddir"/$command "$name" >out 2>err
	clean out "$command"
	clean err "$command, on standard error"
done
"$report" -i "no$name" >out 2>err && wrong "a capture that does not exist is read"
clean err "a path that does not exist"
grep -qF 'a\x1b[31m\xc2\x9b2J\xff\x7f\x0d\xe2\x80\xae\xe2\x80\x8bb' err || wrong "the path is not escaped: $(cat -v err)"

# a spreadsheet takes these for text
grep -q "'=cmd|x" "out.sites--by=task.csv" || wrong "a formula: $(cat -v "out.sites--by=task.csv")"
grep -q "'@sum" "out.sites--by=task.csv" || wrong "a formula: $(cat -v "out.sites--by=task.csv")"
grep -q '"=cmd|x' "out.sites--by=task.json" || wrong "JSON: $(cat -v "out.sites--by=task.json")"
# and these are in the output
grep -qF 'a\x1b[31m\xc2\x9b2J\xff\x7f\x0d\xe2\x80\xae\xe2\x80\x8bb' "out.caches.csv" || wrong "the cache: $(cat -v out.caches.csv)"
grep -qF 'a\x1b[31m\xc2\x9b2J\xff\x7f\x0d\xe2\x80\xae\xe2\x80\x8bb' "out.sites.text" || wrong "the symbol: $(cat -v out.sites.text)"
exit $failed
