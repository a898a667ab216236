#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Wrong options and captures: kmemtrace-report prints a message and exits with status 2.
. "$srcdir/cli/cli.sh"

"$mktrace" good <"$srcdir/cli/exact.trace" || exit 1
cp -r good future
sed 's/kmt_format = 1/kmt_format = 2/' good/metadata >future/metadata
cp -r good nometadata
rm nometadata/metadata
cp -r good damaged
sed -i s/byte_order/bite_order/ damaged/metadata
mkdir empty
echo "no capture" >file
mkdir other
echo "/* CTF 1.8 */" >other/metadata

try()
{
	"$report" "$@" >stdout 2>stderr
	status=$?
	echo "--- $* -> $status"
	cat stderr
	[ -s stdout ] && echo "output on stdout"
}
{
	try
	try --bogus
	try bogus
	try sites summary
	try -i
	try -i ""
	try -i nowhere
	try -i nometadata
	try -i damaged
	try -i empty
	try -i file
	try -i other
	try -i future
	try -i good/cpu0
	try -i good -s nothing
	try -i good -s bytes_allocated,
	try -i good -l x
	try -i good -l -1
	try -i good --format=xml
	try -i good --color=red
	try -i good sites --possible
	try -i good --max-loss=101
	try -i good --max-loss=much
	try -i good caches -s site
	try -i good sites --by=cache -s site
	try -i good sites --by=colour
	try -i good caches --by=cpu
	try -i good events -s time
	try -i good --time=1
	try -i good --time=2,1
	try -i good --time=1,now
	try -i good --at=0
	try -i good --at=1 --time=,2
	try -i good -p sh
	try -i good --cpu=1-
	try -i good --node=0,,1
	try -i good --cache='a)('
	try -i good --min-size=1T
	try -i good --max-size=4G
	try -i good --min-size=65 --max-size=64
	try -i good --older=-1
	for format in text json csv; do
		"$report" -i good --format=$format >/dev/full
		echo "$format to a full disk -> $?"
	done 2>&1
} >out
compare report-wrong.expected out
