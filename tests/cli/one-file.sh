#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A capture as one file: packed, read by each program as its directory is, and unpacked to the same
# bytes. Files that are cut off, damaged or hostile are reported by name, and nothing is written
# outside of the temporary directory, which is always removed.
. "$srcdir/cli/cli.sh"
mkdir temporary
export TMPDIR=$scratch/temporary

# run STATUS COMMAND...: writes its output to the file said
run()
{
	local expected=$1 status

	shift
	"$builddir/$1" "${@:2}" >said 2>&1
	status=$?
	[ $status = "$expected" ] || wrong "$*: exit status $status, not $expected: $(cat said)"
	[ -z "$(ls temporary)" ] || wrong "$*: leaves $(ls temporary) in TMPDIR"
	! grep -q 'temporary/' said || wrong "$*: names its temporary directory: $(cat said)"
}

says()
{
	grep -qF -- "$1" said || wrong "it does not say \"$1\" but: $(cat said)"
}

# same_views ONE OTHER: all views of both captures are equal, except for the path.
views="summary sites caches slabinfo sizes leaks lifetimes cpus nodes cgroups timeline flame probes count events findings"
same_views()
{
	local view

	for view in $views; do
		"$report" "$view" --format=json -l 0 -i "$1" >one 2>&1 ||
			wrong "$view of $1: $(head -3 one)"
		"$report" "$view" --format=json -l 0 -i "$2" >other 2>&1 ||
			wrong "$view of $2: $(head -3 other)"
		sed -i "s,$1,CAPTURE,g" one
		sed -i "s,$2,CAPTURE,g" other
		cmp -s one other || {
			wrong "$view of $2 is not that of $1"
			diff one other | head -5
		}
	done
}

# There and back.
cp -r "$srcdir/data/sample" plain
run 0 kmemtrace-pack -o packed plain
run 0 kmemtrace-pack -o one.kmt plain
says "one.kmt: 6445 events, packed"
says "one.kmt: one file of $(stat -c %s one.kmt) bytes"
[ "$(stat -c %a one.kmt)" = 600 ] || wrong "one.kmt can be read by others"
run 0 kmemtrace-pack -o again.kmt packed
cmp one.kmt again.kmt || wrong "a packed and an unpacked directory become different files"
run 0 kmemtrace-pack -o third.kmt one.kmt
cmp one.kmt third.kmt || wrong "a file becomes another file"
run 0 kmemtrace-pack -o back one.kmt
diff -r packed back || wrong "the file does not become the packed directory"
run 0 kmemtrace-pack -u -o raw one.kmt
diff -r plain raw || wrong "the file does not become the unpacked directory"
same_views packed one.kmt
run 0 kmemtrace-check --heap one.kmt
says "one.kmt: ok: 6445 records of 2 CPUs"
run 0 kmemtrace-report -i one.kmt

# tar reads it, and a program reads what tar writes.
tar -xf one.kmt 2>said || wrong "tar: $(cat said)"
[ ! -s said ] || wrong "tar says $(cat said)"
diff -r packed capture-* || wrong "tar does not unpack the packed directory"
[ "$(tar -tvf one.kmt | awk '{ print $2 }' | sort -u)" = root/root ] ||
	[ "$(tar --numeric-owner -tvf one.kmt | awk '{ print $2 }' | sort -u)" = 0/0 ] ||
	wrong "the owner is in the file"
for format in ustar gnu pax; do
	tar --format=$format -cf by-tar.kmt packed || exit 1
	run 0 kmemtrace-check by-tar.kmt
	tar --format=$format -cf by-tar.kmt ./packed || exit 1
	run 0 kmemtrace-report -i by-tar.kmt
done

# From standard input, where a view needs no directory.
"$report" sites -i - <one.kmt >one 2>&1 || wrong "-i -: $(cat one)"
"$report" sites -i packed >other
cmp one other || wrong "-i - shows something else"
# shellcheck disable=SC2002 # a pipe has no size
cat one.kmt | "$report" sites -i - >one 2>&1 || wrong "a pipe: $(cat one)"
cmp one other || wrong "a pipe shows something else"
head -c 30000 one.kmt | "$report" sites -i - >said 2>&1 &&
	wrong "a pipe that is cut off is read without an error"
says "standard input: the file is cut off at byte 30000"

# An older file is kept; other things are left alone.
run 0 kmemtrace-pack -q -o one.kmt plain
[ ! -s said ] || wrong "-q prints $(cat said)"
cmp one.kmt one.kmt.old || wrong "the older file is not one.kmt.old"
mkdir dir.kmt
run 2 kmemtrace-pack -o dir.kmt plain
says "dir.kmt: exists and is not a file"
run 2 kmemtrace-pack one.kmt
says "one.kmt is one file: name a directory for its files with -o DIR"
run 2 kmemtrace-pack -u -o x.kmt plain
says "-o x.kmt: --unpack and --split write a directory"
run 2 kmemtrace-pack -o /nowhere/x.kmt plain
says "/nowhere/x.kmt: cannot make a directory beside it: No such file or directory"
run 2 kmemtrace-check --repair one.kmt
says "one.kmt: is one file: name the directory of the repaired capture with -o DIR"
TMPDIR=/nowhere "$report" -i one.kmt >said 2>&1 && wrong "it needs no TMPDIR"
says "one.kmt: cannot make a temporary directory: No such file or directory: set TMPDIR"

# --anonymize and --trim write files, too.
run 0 kmemtrace-pack --anonymize -o anonymous.kmt plain
run 0 kmemtrace-check anonymous.kmt
run 0 kmemtrace-pack --trim -o trimmed.kmt plain
same_views one.kmt trimmed.kmt
run 0 kmemtrace-pack --trim -o trimmed one.kmt
same_views packed trimmed
zcat -f trimmed/kernel/symbols | head -1 | grep -q '^# trimmed$' || wrong "no line \"# trimmed\""
run 0 kmemtrace-pack --trim -o twice trimmed
cmp twice/kernel/symbols trimmed/kernel/symbols || wrong "a second --trim changes the symbols"
run 0 kmemtrace-pack --trim --anonymize -o both plain
run 0 kmemtrace-check both
run 2 kmemtrace-pack --trim plain
says "--trim needs -o"

# Symbols that no event uses are gone; the others give the same text.
{ zcat -f plain/kernel/symbols; echo "ffffffff00000010 t nobody_calls_it"; echo "ffffffff00000020 t nor_it"
	echo "ffffffff00000030 t nor_this"; } >more
cp -r plain many
gzip -c more >many/kernel/symbols
run 0 kmemtrace-pack --trim -o few many
zcat few/kernel/symbols | grep -q nobody_calls_it && wrong "an unused symbol is kept"
run 0 kmemtrace-pack -o many.kmt many
same_views many.kmt few

# The symbols of other kernels, with modules that come and go, and of both byte orders.
if command -v xz >/dev/null; then
	for guest in 6.12-amd64 6.1-s390x; do
		xz -dc "$srcdir/data/guests/$guest.tar.xz" | tar -xf - || exit 1
		run 0 kmemtrace-pack --trim -o "$guest.kmt" "$guest"
		same_views "$guest" "$guest.kmt"
	done
fi

# libmemstat
print=$builddir/tests/memstat/print_types
if [ -x "$print" ]; then
	"$print" all packed >one 2>&1 || wrong "libmemstat: $(cat one)"
	"$print" all one.kmt >other 2>&1 || wrong "libmemstat: $(cat other)"
	cmp one other || wrong "libmemstat counts something else in the file"
	[ -s other ] || wrong "libmemstat counts nothing"
	head -c 60000 one.kmt >cut.kmt
	"$print" all cut.kmt >said 2>&1 && wrong "libmemstat reads a file that is cut off"
	says "cut.kmt: the file is cut off at byte 60000"
	[ -z "$(ls temporary)" ] || wrong "libmemstat leaves $(ls temporary)"
fi

# A set of pieces.
run 0 kmemtrace-pack --split 200k -o set plain
for piece in set/piece.*; do
	run 0 kmemtrace-pack -q "$piece"
done
run 0 kmemtrace-pack -o set.kmt set
run 0 kmemtrace-pack -o set-back set.kmt
diff -r set set-back || wrong "a set does not come back"
run 0 kmemtrace-pack -o set-again.kmt set.kmt
cmp set.kmt set-again.kmt || wrong "a set becomes another file"
same_views set set.kmt
run 0 kmemtrace-check set.kmt
says "set.kmt/piece.000001: ok"
run 2 kmemtrace-pack -o set-back set
says "set-back: exists: name a new directory with -o"
run 0 kmemtrace-pack --trim -o set-trimmed set
same_views set set-trimmed

# Cut off: in a header, a table, a stream, before the end.
size=$(stat -c %s one.kmt)
for at in 600 1500 20000 $((size - 12000)) $((size / 2)); do
	head -c "$at" one.kmt >cut.kmt
	run 2 kmemtrace-report -i cut.kmt
	says "cut.kmt: the file is cut off at byte "
	says "kmemtrace-check says what it holds"
done
streams=$(tar --block-number -tf one.kmt | awk '/cpu1$/ { sub(":", "", $2); print $2 }')
head -c $((streams * 512 + 3000)) one.kmt >cut.kmt
run 1 kmemtrace-check cut.kmt
says "cut.kmt: the file is cut off at byte $((streams * 512 + 3000)), in cpu1"
says "cut.kmt: kmemtrace-check --repair -o DIR makes a readable capture of it"
run 0 kmemtrace-check --repair -o repaired cut.kmt
says "cut.kmt: repaired into repaired"
run 0 kmemtrace-check repaired
run 1 kmemtrace-pack -o partial cut.kmt
says "the files before that are in the result"
cmp partial/cpu0 packed/cpu0 || wrong "the whole stream of a file that is cut off is not in the result"
head -c $((streams * 512 + 512)) one.kmt >end.kmt
head -c $((size / 10240 * 10240 - 10240)) one.kmt >end.kmt
run 2 kmemtrace-report -i end.kmt

# Damaged headers. Damage in a stream is found by its own checksum.
cp one.kmt bad.kmt
printf x | dd of=bad.kmt bs=1 seek=$((512 + 3)) conv=notrunc 2>/dev/null
run 2 kmemtrace-report -i bad.kmt
says "bad.kmt: byte 512: the file is damaged: the checksum of a header is wrong"
cp one.kmt bad.kmt
printf xxxx | dd of=bad.kmt bs=1 seek=$((streams * 512 + 512 + 400)) conv=notrunc 2>/dev/null
run 1 kmemtrace-check bad.kmt
says "bad.kmt/cpu1: byte 112: a packet whose CRC-32 is "

# Hostile. Each is refused, and nothing is written outside.
refused()
{
	run 2 kmemtrace-report -i hostile.kmt
	says "hostile.kmt: refused: $1"
	run 2 kmemtrace-check hostile.kmt
	says "hostile.kmt: refused: $1"
	run 2 kmemtrace-pack -o never hostile.kmt
	[ ! -e never ] || wrong "$1: something was written"
}

mkdir -p top/kernel
echo secret >escape
tar -P --transform 's,^escape$,top/../../escaped,' -cf hostile.kmt top escape
refused 'its file "top/../../escaped" has a part ".." or "." in its name'
tar -P --transform "s,^escape\$,$scratch/escaped," -cf hostile.kmt top escape
refused "its file \"$scratch/escaped\" has an absolute name, or none"
[ ! -e escaped ] || wrong "a file was written outside"
ln -s /etc/passwd top/metadata
tar -cf hostile.kmt top
refused 'its file "top/metadata" is a symbolic link: a capture has files and directories only'
rm top/metadata
echo >top/a
ln top/a top/b
tar -cf hostile.kmt top
refused 'its file "top/'
says 'is a hard link: a capture has files and directories only'
rm top/a top/b
mkfifo top/cpu0
tar -cf hostile.kmt top
refused 'its file "top/cpu0" is a pipe'
rm top/cpu0
mkdir second
tar -cf hostile.kmt top second
refused 'its file "second" is in another directory than the first'
tar -cf hostile.kmt escape
refused 'its file "escape" is not in a directory'
echo >top/a
tar -cf hostile.kmt top
tar -rf hostile.kmt top/a
refused 'it has the file a twice'
printf '\033]0;title\a' >escape
cp escape "top/$(printf 'a\033b')"
tar -cf hostile.kmt top
refused 'its file "top/a?b" has a character in its name that no file of a capture has'
rm -rf top/a*
mkdir -p top/1/2/3/4/5/6/7
tar -cf hostile.kmt top
refused 'its file "top/1/2/3/4/5/6" is in too many directories for a capture'
rm -r top/1
echo >"top/$(printf '%0150d' 0)"
tar --format=pax -cf hostile.kmt top
refused 'it has a long name, a link or a sparse file'
tar --format=gnu -cf hostile.kmt top
refused 'its file "././@LongLink" is of a kind that no capture has'

# A size far larger than the file: it is cut off, and takes no space.
tar --format=gnu -cf hostile.kmt capture-*/metadata
python3 - <<'EOF' 2>/dev/null || echo "python3 is missing: a huge size is not tested"
header = bytearray(open("hostile.kmt", "rb").read())
header[124:136] = b"77777777777\0"
header[148:156] = b" " * 8
header[148:156] = b"%06o\0 " % sum(header[:512])
open("hostile.kmt", "wb").write(header)
EOF
run 2 kmemtrace-report -i hostile.kmt
says "hostile.kmt: the file is cut off at byte "

# A killed program leaves nothing, whatever it does at that moment.
mkfifo slow
"$report" sites -i - <slow >said 2>&1 &
reader=$!
exec 8>slow
head -c 20000 one.kmt >&8
reads() {
	[ -n "$(ls temporary)" ]
}
ended() {
	[ -z "$(ls temporary)" ]
}
wait_for "the temporary directory of a reader" reads
kill -9 $reader
wait $reader 2>/dev/null
exec 8>&-
for delay in 1 2 3 4 5 6 8 10 12 15 20 30; do
	"$report" sites -i one.kmt >said 2>&1 &
	reader=$!
	sleep "$(printf '0.%03d' $delay)" # paced: a moment of the run
	kill -9 $reader
	wait $reader 2>/dev/null
done
wait_for "the end of the temporary directories of killed programs" ended

exit $failed
