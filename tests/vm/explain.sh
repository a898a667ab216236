#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# explain.sh TOOLS CAPTURE OUT: writes the outputs of the programs in the folder TOOLS for a capture,
# with their exit status, to the folder OUT. On this machine and in a guest they must be identical.
tools=$1 capture=$2 out=$3

mkdir -p "$out" || exit
for view in summary sites caches slabinfo sizes leaks lifetimes cpus nodes timeline probes events findings; do
	"$tools/kmemtrace-report" $view -i "$capture" --format=json -l 0 >"$out/$view" 2>&1
	echo "exit status $?" >>"$out/$view"
done
"$tools/kmemtrace-report" -i "$capture" >"$out/text" 2>&1
echo "exit status $?" >>"$out/text"
"$tools/kmemtrace-check" "$capture" >"$out/check" 2>&1
echo "exit status $?" >>"$out/check"
"$tools/kmemtrace-check" --heap "$capture" >"$out/check-heap" 2>&1
echo "exit status $?" >>"$out/check-heap"
