#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The HTML page of summaries in a browser: its tables show the figures of the JSON, sorting, searching, the
# tree, the slider over time and links work, with the pointer and the keyboard; there is no error and no
# request. KMEMTRACE_LONG=1: a fleet of 1,000 hosts.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/cli/cli.sh"
need_browser
need node
hosts=40
[ "${KMEMTRACE_LONG:-}" = 1 ] && hosts=1000

# end FILE: adds the last line of a block.
end()
{
	printf 'end %d %s\n' "$(wc -l <"$1")" "$(gzip -c "$1" | tail -c 8 | head -c 4 |
		od -An -tu1 | awk '{ printf "%.0f", $1 + 256 * ($2 + 256 * ($3 + 256 * $4)) }')" >>"$1"
}

cp "$srcdir/cli/report-summaries.kms" some.kms
awk '/^summary 1764072060/ { skips = 1 } !skips { print } /^end/ { skips = 0 }' some.kms >gap.kms
mark='</script><script>alert(1)</script><img/src=x/onerror=alert(2)>&lt;\xe2\x80\xa8\xff'
# name SAMPLING NAME: a file with one summary
single()
{
	cat >part <<-END
		summary 1764072000000000000 1764072060000000000 1764072060000000000 1
		source $3 6f1c 1 0 0
		cost 1 1
		bound 40 0 0 0 0 $2 0
		code $3 kernel $3 1000 600 6400000 3840000 0 0 0 400 2560000 419430400000 167772160000
	END
	end part
	{ echo "kmemtrace-summaries 1"; cat part; } >"$1.kms"
}
single sampled 65536 alpha
single hostile 0 "$mark"
"$builddir/kmemtrace-merge" -q -i 1ms -o sample "$srcdir/data/sample" || failed=1
"$builddir/tests/fleet/hosts" --hosts=$hosts data >planted || exit 1
"$builddir/kmemtrace-merge" -q -o fleet data
"$builddir/tests/fleet/hosts" --hosts=1 --hours=6 --interval=10 many >planted || exit 1
"$builddir/kmemtrace-merge" -q -o seconds many

for file in some.kms gap.kms sampled.kms hostile.kms sample fleet seconds; do
	"$report" --html=$file.html $file 2>err || { cat err; failed=1; }
	node "$srcdir/cli/html-summaries-browser.js" "$browser" "$scratch/profile" "$scratch/$file.html" \
		"$report" "$scratch/$file" >out 2>&1 || failed=1
	sed "s/^/$file: /" out
done
exit $failed
