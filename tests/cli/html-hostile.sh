#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# html-hostile.sh DIR: makes a capture whose names are markup and scripts.
# shellcheck disable=SC2154 # ./test sets builddir
set -eu
mark='</script><script>alert(1)</script><img/src=x/onerror=alert(2)>&lt;\xe2\x80\xa8'
"$builddir/tests/mktrace" "$1" <<-END
	endian little
	begin 1us
	symbol 0xffffffff81000000 caller
	cache some_cache 0xffff888000001000 100 128
	task 10 10 some_task
	alloc 10us 0 0xffff888000100000 100/128 caller+0x10 task=10
	calloc 20us 1 0xffff888000200000 some_cache caller+0x20 task=10
	free 30us 0 0xffff888000100000 caller+0x80 task=10
	free 40us 0 0xffff888000100000 caller+0x88 task=10
	end 100us
	complete yes
END
escaped=${mark//\//\\/}
escaped=${escaped//&/\\&}
sed -i "s/some_cache/${escaped//\\x/\\\\x}/" "$1"/kernel/caches
sed -i "s/some_task/${escaped//\\x/\\\\x}/" "$1"/kernel/tasks
sed -i -E "s/(release|hostname) = \"[^\"]*\"/\1 = \"${escaped//\\x/\\\\x}\"/" "$1"/metadata
if [ "$(head -c 2 "$1"/kernel/symbols | od -An -tx1)" = " 1f 8b" ]; then
	gzip -dc <"$1"/kernel/symbols >symbols
else
	cp "$1"/kernel/symbols symbols
fi
sed "s/caller/$escaped/" symbols >"$1"/kernel/symbols
