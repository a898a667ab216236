#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtrace COMMAND runs the command's program with its arguments and its exit status, from wherever it
# is installed; wrong commands get an answer. Help, man page and completion have the same commands.
. "$srcdir/cli/cli.sh"
kmemtrace=$builddir/kmemtrace

# says STATUS TEXT ARGUMENT…: the command has this exit status, and prints this
says()
{
	expected=$1 text=$2
	shift 2
	"$kmemtrace" "$@" >out 2>&1
	status=$?
	[ $status = "$expected" ] || wrong "kmemtrace $*: exit $status, not $expected: $(cat out)"
	grep -q -e "$text" out || wrong "kmemtrace $*: no \"$text\": $(cat out)"
}

cp -r "$srcdir/data/sample" sample
says 0 'sample: ' check sample
"$report" sites --format=csv -i sample >expected
"$kmemtrace" report sites --format=csv -i sample >out || wrong "report: exit $?"
cmp -s expected out || wrong "report: other output"
says 0 '^Usage: kmemtrace-pack' pack --help
says 0 'sample' diff sample sample
says 2 'diff compares two captures' diff sample
says 0 '^kmemtrace-import [0-9]' import --version
says 0 '^kmemtrace [0-9]' --version
says 0 '^  report ' help
says 0 '^  report ' --help
says 2 'a command is missing' 
says 2 "reprot: there is no such command: did you mean report?" reprot
says 2 'leaks: there is no such command: if it is a view of a capture, did you mean report leaks?' leaks
says 2 'there is no such command (kmemtrace help lists them)' frobnicate17
says 2 'there is no such command: did you mean check?' help chekc
says 2 'nothing: No such file or directory' report -i nothing

# the program beside it, in ../sbin, in PATH, and none
mkdir -p usr/bin usr/sbin path
cp "$kmemtrace" usr/bin/
kmemtrace=$scratch/usr/bin/kmemtrace
for folder in path usr/sbin usr/bin; do
	printf '#!/bin/sh\necho %s "$0" "$@"\nexit 7\n' "$folder" >$folder/kmemtrace-check
	chmod +x $folder/kmemtrace-check
	PATH=$scratch/path:$PATH says 7 "^$folder .*kmemtrace-check --heap a b$" check --heap "a b"
done
says 2 'kmemtrace-pack is not installed' pack

"$builddir/kmemtrace" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' | grep -vx help >listed
[ "$(wc -l <listed)" -ge 8 ] || wrong "--help lists $(cat listed)"
sed -n 's/^\.It Cm \([a-z]*\) Ta.*/\1/p' "$top_srcdir/cli/kmemtrace.1" >documented
cmp -s listed documented || wrong "the man page has other commands: $(diff listed documented)"

# completion: of the command, and of its arguments
complete()
{
	PATH=$builddir:$PATH bash -uc '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _kmemtrace
		printf "%s\n" "${COMPREPLY[@]}"' bash "$top_srcdir/cli/kmemtrace.bash-completion" "$@"
}

# completes TEXT WORD…: the completion of the last word is this, with blanks in place of newlines
completes()
{
	expected=$1
	shift
	[ "$(complete "$@" | tr '\n' ' ')" = "$expected " ] || wrong "completion of $*: $(complete "$@")"
}

complete kmemtrace '' | grep -vx help | sort >completed
sort listed | cmp -s - completed || wrong "the completion has other commands: $(cat completed)"
touch file.kms
completes check kmemtrace che
completes check kmemtrace help ch
completes --repair kmemtrace check --re
completes --normalise kmemtrace diff --norm
completes '0 10 20 50' kmemtrace report sites -s address -l ''
completes 'text json csv' kmemtrace-fleet --format = ''
completes 'sites sizes' kmemtrace-report si
completes file.kms kmemtrace-report sites file
completes file.kms kmemtrace-fleet --db x load file
completes file.kms "$builddir/kmemtrace-check" file
completes 'site,function' kmemtrace-report --by = site,fu
completes 'name,ptr' kmemtrace-report -F name,pt
completes usr kmemtrace-merge -o us
# a value that can be left out needs an equals sign
completes tasks kmemtrace-pack --anonymize = ''
completes file.kms kmemtrace-pack --anonymize file
completes "'live > +10%'" kmemtrace diff --fail-if 'live >'
if [ -x "$kmemtraced" ]; then
	completes '512k 64k all' kmemtrace record --stacks = ''
	completes 'vm.mmap,vm.kfree' kmemtraced --probes vm.mmap,vm.kf
	completes file.kms kmemtraced -o x --pack cat file
fi
exit $failed
