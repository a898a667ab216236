#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The example programs of libmemstat: known counters, a real capture, one with lost events, one that
# was cut, repeated listings, and wrong arguments. The listing in libmemstat(3) is real output.
. "$srcdir/cli/cli.sh"
[ -x "$builddir/live/memstat/examples/memstat-uma" ] ||
	{ echo "libmemstat was not built: this build is linked statically"; exit 77; }

# try malloc|uma ARGUMENT…
try()
{
	client=memstat-$1
	shift
	"$builddir/live/memstat/examples/$client" "$@" >stdout 2>stderr
	status=$?
	echo "--- $client $* -> $status"
	sed "s,$(pwd -P)/,," stdout stderr
}
both()
{
	try malloc "$@"
	try uma "$@"
}

for capture in exact small views; do
	"$mktrace" $capture <"$srcdir/cli/$capture.trace" || exit 1
done
ln -s "$srcdir/data/sample" sample
cp -r exact cut
truncate -s 500 cut/cpu1
cp -r exact future
sed 's/kmt_format = 1/kmt_format = 2/' exact/metadata >future/metadata
mkdir empty
echo "no capture" >file
KMEMTRACE_MEMSTAT=published
export KMEMTRACE_MEMSTAT
mkfifo until ready || exit 1
"$builddir/tests/memstat/publish" small published <until >ready &
exec 9>until
read -r word <ready
[ "$word" = ready ] || { echo "nothing is published"; exit 1; }
{
	both -w 0.01 -c 2
	exec 9>&-
	wait
	both
	both -M views
	both -M small
	both -M cut
	both -M sample
	both -M exact -w 0.01 -c 2
	try uma -M exact -c 2
	try malloc -M exact 0.01 2
	both -M nowhere
	both -M empty
	try uma -M ""
	try uma -M file
	try malloc -M future
	try uma --bogus
	try malloc -x
	try malloc -M
	try uma -c 0
	try uma -c 2x
	try uma -c 99999999999999999999
	try malloc -w 0
	try malloc -w nan
	try malloc -w 1e99
	try malloc 0
	try uma 1 two
	try malloc -M exact 1 2 3
	both --help
	try uma -h
	for client in malloc uma; do
		"$builddir/live/memstat/examples/memstat-$client" -M exact >/dev/full
		echo "$client to a full disk -> $?"
	done
} >out 2>&1
compare memstat-clients.expected out

"$builddir/live/memstat/examples/memstat-malloc" -M sample | head -n 6 >example
sed '1,/^\$ memstat-malloc/d; /^\./,$d' "$top_srcdir/live/memstat/libmemstat.3" >shown
diff -u example shown
