#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtrace-check --heap: certain, possible and legal findings; only certain findings change the exit
# status.
. "$srcdir/cli/cli.sh"

try()
{
	"$check" "$@" >stdout 2>stderr
	status=$?
	echo "--- $* -> $status"
	cat stdout stderr
}

cat >base <<'EOF'
kernel 6.12.0-test
complete yes
begin 0
end 100ms
symbol 0x1000 maker
symbol 0x2000 breaker
symbol 0x3000 freer
cache task 0xd000 192 192
cache other 0xe000 192 192
EOF
{
	cat base
	cat <<'EOF'
alloc  1ms 0 0x10000 60/64 0x1010
free   2ms 0 0x10000 0x3010
free   3ms 1 0x10000 0x2010
calloc 4ms 0 0x20000 task 0x1020
cfree  5ms 1 0x20000 other 0x2020
calloc 6ms 0 0x20000 task 0x1020
free   7ms 1 0x20000 0x3020
EOF
} >bad.trace
{
	cat base
	cat <<'EOF'
alloc  1ms 0 0x10000 60/64 0x1010
free   2ms 0 0x10000 0x3010
lose 0 1
free   3ms 0 0x10000 0x2010
EOF
} >lossy.trace
{
	cat base
	cat <<'EOF'
alloc  1ms 0 0x10000 60/64 0x1010
free   2ms 0 0x10000 0x3010
EOF
} >good.trace
for name in bad lossy good; do
	"$mktrace" $name <$name.trace || exit 1
done
{
	try --heap good
	try --heap -q good
	try --heap bad
	try --heap -v lossy
	try --heap bad/cpu0
	try --heap --repair bad
	try --heap --list
	try --heap absent
} >output
compare check-heap.expected output
