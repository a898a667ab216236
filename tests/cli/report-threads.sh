#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A report does not depend on the number of threads: of real captures, of captures of other kernels
# and byte orders, and of a damaged one. Neither does the message about an unreadable one.
. "$srcdir/cli/cli.sh"
need xz
"$report" --help | sed -n '/^Views:/,/^$/s/^  \([a-z]*\) .*/\1/p' |
	grep -vx diff >views # it takes two captures
[ "$(grep -c . views)" -ge 11 ] || { echo "these are not all views:"; cat views; exit 1; }

# same CAPTURE THREADS…
same()
{
	capture=$1
	shift
	while read -r view; do
		for threads in 1 "$@"; do
			"$report" "$view" -i "$capture" -l 0 --threads=$threads \
				--format=json >$threads 2>&1 ||
				{ echo "$capture $view $threads:"; tail -n 2 $threads; failed=1; }
			[ -s $threads ] || { echo "$capture $view $threads: nothing"; failed=1; }
			cmp 1 $threads || { echo "$capture $view"; failed=1; }
		done
	done <views
}

same "$srcdir/data/sample" 2 3 8
for kernel in 5.10-amd64 6.1-s390x 6.1-armhf; do
	xz -dc "$srcdir/data/guests/$kernel.tar.xz" | tar -xf - || exit 1
	same $kernel 3
done

cp -r "$srcdir/data/sample" damaged || exit 1
for stream in damaged/cpu*; do
	size=$(wc -c <"$stream")
	printf 'XXXXXXXX' | dd of="$stream" bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
	printf 'XXXXXXXX' | dd of="$stream" bs=1 seek=$((size - 100)) conv=notrunc 2>/dev/null
done
same damaged 2 3
grep -q damaged 1 || "$report" -i damaged | grep -q 'damaged bytes' ||
	{ echo "the damaged capture is not damaged"; failed=1; }

for wrong in 0 65 -1 x "" 1x; do
	"$report" -i "$srcdir/data/sample" --threads="$wrong" >out 2>message
	if [ $? != 2 ] || ! grep -qF -e "--threads: \"$wrong\" is not a number of threads from 1 to 64" message; then
		echo "--threads=$wrong:"
		cat message
		failed=1
	fi
done

exit $failed
