#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtrace-pack: every program reads a packed capture as before, and --unpack restores every byte,
# also of damaged captures and of the other byte order. No failure loses data.
. "$srcdir/cli/cli.sh"

# run STATUS COMMAND...: writes its output to the files stdout and stderr
run()
{
	local expected=$1 status tool

	shift
	tool=$1
	shift
	"$builddir/$tool" "$@" >stdout 2>stderr
	status=$?
	[ $status = "$expected" ] || {
		wrong "$tool $*: exit status $status, not $expected"
		cat stdout stderr
	}
}

# says TEXT: the last run printed the text on standard error
says()
{
	grep -qF -- "$1" stderr || wrong "it does not say \"$1\" but: $(cat stderr)"
}

size()
{
	cat "$1"/cpu* | wc -c
}

# same ONE OTHER: all views of both captures are equal, except for the path. The formats show the
# same tables; each of them shows all events once.
same()
{
	local view format formats capture

	for view in summary sites caches slabinfo sizes leaks lifetimes cpus nodes cgroups timeline flame probes events findings; do
		formats=json
		[ $view = events ] && formats="text json csv"
		for format in $formats; do
			for capture in "$1" "$2"; do
				"$report" $view --format=$format -l 0 \
					-i "$capture" >"view.$capture" 2>&1 ||
					wrong "report $view of $capture: $(cat "view.$capture")"
				sed -i -e "s,$capture/,CAPTURE/,g" \
					-e "s,^kmemtrace-report: $capture:,kmemtrace-report: CAPTURE:," \
					"view.$capture"
			done
			cmp -s "view.$1" "view.$2" || {
				wrong "$view as $format of $2 is not that of $1"
				diff "view.$1" "view.$2" | head -5
			}
		done
	done
}

# A real capture, packed in place.
cp -r "$srcdir/data/sample" raw
cp -r raw packed
chmod 640 packed/cpu1
chmod 600 packed/cpu0
run 0 kmemtrace-pack packed
says "packed: 6445 events, packed from $(size raw) to $(size packed) bytes"
[ $(($(size packed) * 10)) -lt "$(size raw)" ] ||
	wrong "$(size raw) bytes are packed to $(size packed)"
[ "$(stat -c %a packed/cpu0 packed/cpu1)" = "$(printf '600\n640')" ] || wrong "modes changed"
diff -r raw/kernel packed/kernel || wrong "a file of kernel/ changed"
cmp raw/metadata packed/metadata || wrong "metadata changed"
[ -z "$(find packed -name '.*' -type f)" ] || wrong "left behind: $(find packed -name '.*')"
same raw packed
run 0 kmemtrace-check packed packed/cpu1
grep -q '^packed: ok: 6445 records' stdout || wrong "check: $(cat stdout)"

# Packing again changes nothing, and unpacking restores the original.
cp -r packed twice
run 0 kmemtrace-pack twice/
says "twice/: nothing to pack"
diff -r packed twice || wrong "packed twice it is not the same"
run 0 kmemtrace-pack -u -o unpacked packed
diff -r raw unpacked || wrong "unpacked it is not the same"
diff -r packed twice || wrong "-o changed the capture"
run 0 kmemtrace-pack -q --unpack twice
[ -s stderr ] && wrong "-q: $(cat stderr)"
diff -r raw twice || wrong "unpacked where it lies it is not the same"
run 0 kmemtrace-pack -u twice
says "twice: nothing to unpack"
cp -r raw kmemtrace.data
run 0 kmemtrace-pack
cmp packed/cpu0 kmemtrace.data/cpu0 || wrong "the default"
run 0 kmemtrace-pack -u packed kmemtrace.data
cmp raw/cpu0 packed/cpu0 || wrong "the first of two"
cmp raw/cpu1 kmemtrace.data/cpu1 || wrong "the second of two"
run 0 kmemtrace-pack packed

# -o copies all files; an older capture is moved to DIR.old.
cp -r raw more
mkdir more/kernel/later
echo much >more/kernel/later/table
echo hidden >more/.index
run 0 kmemtrace-pack -o unpacked more
diff -r raw unpacked.old || wrong "the older capture is not in .old"
diff -r more/kernel unpacked/kernel || wrong "a file of kernel/ is missing"
cmp packed/cpu0 unpacked/cpu0 || wrong "-o packs otherwise"

# The other byte order.
for name in 6.12-s390x 6.12-amd64; do
	tar -xJf "$srcdir/data/guests/$name.tar.xz" || { wrong "$name"; continue; }
	guest=$(tar -tJf "$srcdir/data/guests/$name.tar.xz" | sed -n '1s,/.*,,p')
	rm -rf was guest
	mv "$guest" guest
	cp -r guest was
	run 0 kmemtrace-pack guest
	[ $(($(size guest) * 4)) -lt "$(size was)" ] ||
		wrong "$name: $(size was) bytes are packed to $(size guest)"
	same was guest
	run 0 kmemtrace-pack -u guest
	diff -r was guest || wrong "$name: unpacked it is not the same"
done

# Cut off and damaged: the damaged bytes are copied, and a repair keeps whole packets packed.
"$mktrace" small <"$srcdir/cli/exact.trace" || exit 1
mkdir -p small/kernel/formats
for capture in packed small; do
	for kind in cut hole head; do
		rm -rf was broken mended again
		cp -r $capture was
		run 0 kmemtrace-pack -u was
		case $kind in
		cut) truncate -s -100 was/cpu0 ;;
		hole) printf 'hole' | dd of=was/cpu0 bs=1 seek=300 conv=notrunc 2>/dev/null ;;
		head) tail -c +50 was/cpu0 >half && mv half was/cpu0 ;;
		esac
		cp -r was broken
		run 1 kmemtrace-pack broken
		says "bytes are not packets: they are unchanged"
		for one in was broken; do
			"$check" -q $one | sed "s/^$one//; s/byte [0-9]*/byte N/" >check.$one
		done
		[ $kind = head ] || diff check.was check.broken || wrong "$capture $kind: check differs"
		run 1 kmemtrace-pack -u -o again broken
		diff -r was again || wrong "$capture $kind: unpacked it is not the same"

		run 0 kmemtrace-check --repair -o mended broken
		run 0 kmemtrace-check mended
		run 0 kmemtrace-pack mended
		says "nothing to pack"
		rm -rf again
		run 0 kmemtrace-check --repair -o again was
		run 0 kmemtrace-pack -u mended
		diff -r again mended || wrong "$capture $kind: repaired it is not the same"
	done
	# a packed packet is cut
	rm -rf was mended
	cp -r $capture was
	run 0 kmemtrace-pack was
	truncate -s -120 was/cpu0
	run 1 kmemtrace-check was
	run 0 kmemtrace-check --repair -o mended was
	run 0 kmemtrace-check mended
done

# A failure changes nothing.
run 2 kmemtrace-pack nowhere
says "nowhere: No such file or directory"
run 2 kmemtrace-pack packed/cpu0
says "is a stream: name the capture's directory"
run 2 kmemtrace-pack ""
run 2 kmemtrace-pack -o out packed raw
says "-o takes one capture at a time"
run 2 kmemtrace-pack -o ./raw raw
says "-o ./raw: is the capture itself"
cp -r raw kept.old
run 2 kmemtrace-pack -o kept kept.old
says "would remove kept.old, which has the name of an older capture"
mkdir other
echo mine >other/file
run 2 kmemtrace-pack -o other raw
says "holds files that are not of a capture"
[ "$(ls other)" = file ] || wrong "other/ was touched"

cp -r raw full
(
	ulimit -f 8
	trap '' XFSZ
	run 2 kmemtrace-pack full
	says "full/.pack: File too large"
	run 2 kmemtrace-pack -o fuller raw
	exit $failed
) || failed=1
diff -r raw full || wrong "a full disk changed the capture"
ls -d fuller* 2>/dev/null && wrong "a full disk left something behind"

# A capture that another program is writing is refused.
cp -r raw held
sed -i 's/^complete yes/complete no/' held/kernel/status
exec 8<held/metadata
if flock -x 8; then
	run 2 kmemtrace-pack held
	says "held: kmemtraced is writing the capture: stop kmemtraced first"
	run 2 kmemtrace-pack -o out held
	sed -i 's/^complete no/complete yes/' held/kernel/status
	run 2 kmemtrace-pack held
	says "another program is writing or packing the capture"
fi
exec 8<&-
diff -r raw held || wrong "a capture that is held was changed"

# Killed at any time, a whole capture remains, and running the same command again completes it.
cp -r raw killed
for delay in 0 0.001 0.002 0.003 0.005; do
	"$pack" killed 2>/dev/null &
	sleep $delay # paced: a moment of the run
	kill -9 $! 2>/dev/null
	wait $! 2>/dev/null
	"$check" killed >/dev/null || wrong "killed after $delay s: no whole capture"
	run 0 kmemtrace-pack killed
	diff -r packed killed || wrong "killed after $delay s: packed it is not the same"
	run 0 kmemtrace-pack -u killed
	diff -r raw killed || wrong "killed after $delay s: unpacked it is not the same"
done
echo half >killed/.pack
run 0 kmemtrace-report -i killed
run 0 kmemtrace-pack killed
[ -e killed/.pack ] && wrong "what a killed packing left is still there"
exit $failed
