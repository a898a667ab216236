#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Captures of either byte order and word size give the same report, and pass the same checks.
. "$srcdir/cli/cli.sh"

for endian in little big; do
	for word in 32 64; do
		{ echo "endian $endian"; echo "word $word"; cat "$srcdir/cli/exact.trace"; } |
			"$mktrace" "$endian$word" || exit 1
		"$check" -q "$endian$word" || exit 1
		"$report" -i "$endian$word" --format=json |
			grep -v '"endian"\|"word_bits"' >"$endian$word.json" || exit 1
		cmp little32.json "$endian$word.json" || exit 1
	done
done
cmp -s little64/cpu0 big64/cpu0 && { echo "the streams do not differ"; exit 1; }
grep -q '"allocations": 5' little32.json
