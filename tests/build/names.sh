#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# names.sh FILE…: structs and external functions of these C files of which two have one name: grep and a debugger
# find two answers. Exit status: 1 if there are some.
awk '
	FNR == 1 { was_static = 0 }
	/^struct [a-z_0-9]+ \{/ { found("struct " $2) }
	/^[a-z_].*\([^;]*$/ && !/^(static|extern|typedef|return|else|if|while|struct [a-z_0-9]+ [a-z_0-9]+ =)/ && FILENAME ~ /\.c$/ {
		name = $0
		sub(/\(.*/, "", name)
		sub(/.*[ *]/, "", name)
		if (!was_static && name ~ /^[a-z_0-9]+$/ && name != "main" && name != "__attribute__")
			found(name "()")
	}
	{ was_static = /^(__attribute__.* )?static/ && !/[;{]$/ && !/\(/ }
	function found(what) {
		if (what in place) {
			print FILENAME ":" FNR ": " what " is at " place[what] ", too"
			failed = 1
		}
		place[what] = FILENAME ":" FNR
	}
	END { exit failed }' "$@"
