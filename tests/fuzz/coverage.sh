#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# coverage.sh [-f]: prints how much of the lines of each folder the last runs of the fuzz targets ran;
# -f: of each file. Fails if the targets did not reach most of the code that they are for.
set -u
: "${builddir:?}"
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
cd "$builddir" || exit 2
least=80 # percent of the lines of these files, if their target was run
files="gfp:kernel/gfp.c gfp:kernel/c_expression.c topology:kernel/topology.c packed:capture/unpacker.c"
for tool in llvm-profdata llvm-cov; do
	command -v $tool >/dev/null || { echo "$tool is not installed (Debian: llvm)"; exit 77; }
done
profiles=(fuzz-coverage/*.profraw)
[ -e "${profiles[0]}" ] || { echo "no fuzz target was run"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
llvm-profdata merge -o "$work/all" "${profiles[@]}" || exit 1
objects=()
for profile in "${profiles[@]}"; do
	name=${profile##*/}
	objects+=(-object "tests/fuzz/fuzz_${name%%.*}")
done
llvm-cov export -summary-only -instr-profile "$work/all" "${objects[@]}" >"$work/json" || exit 1
jq -r '.data[0].files[] | [.filename, .summary.lines.covered, .summary.lines.count] | @tsv' "$work/json" |
	sed "s|^.*/\.\./\.\./||;s|^$top/||" | awk '$3' | grep -v -e '^tests/' -e '^/' >"$work/files"
[ "${1:-}" != -f ] || awk '{ printf "%5.1f %%  %5d lines  %s\n", 100 * $2 / $3, $3, $1 }' "$work/files"
awk '{ folder = $1; sub("/[^/]*$", "", folder); covered[folder] += $2; count[folder] += $3 }
	END { for (f in count) printf "%5.1f %%  %5d lines  %s/\n", 100 * covered[f] / count[f], count[f], f }' \
	"$work/files" | sort -k 5
code=0
for file in $files; do
	[ -e "fuzz-coverage/${file%%:*}.profraw" ] || continue
	awk -v file="${file#*:}" -v least=$least '$1 == file { percent = 100 * $2 / $3 }
		END { if (percent < least) { printf "%s: only %.1f %%\n", file, percent; exit 1 } }' \
		"$work/files" || code=1
done
exit $code
