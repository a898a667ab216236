#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# names.sh FILE…: names in these C files for which grep and a debugger find several answers. Exit status: 1 if there
# are some.
#
#     struct, external function    has a name of its own; a test is a program of its own, with structs of its own
#     static function              has a verb and an object, and is in at most three files

awk '
	FNR == 1 { before = "" }
	/^struct [a-z_0-9]+ \{/ { found("struct " $2) }
	# of a definition, "__attribute__((...)) static type" may be in the line before the name
	/^[a-z_]/ && FILENAME ~ /\.c$/ && name_function(before " " $0) && name != "main" {
		if (is_static)
			found_static()
		else if (!/^(extern|typedef|return|else|if|while|for|switch)/)
			found(name "()")
	}
	{ before = /^(__attribute__|static|[a-z].*[^;{]$)/ && !/[;{,]$/ && !name_function($0) ? $0 : "" }
	# name_function(text): whether the text begins the definition of a function, its name and whether it is static.
	function name_function(text) {
		gsub(/__attribute__\(\([^()]*(\([^()]*\))?[^()]*\)\)/, "", text)
		is_static = text ~ /^ *static /
		sub(/^ */, "", text)
		if (text ~ /;$/ || text !~ /^[a-z_].*[ *][a-z_0-9]+\(/ || text ~ /^[^(]*=/)
			return 0
		sub(/\(.*/, "", text)
		sub(/.*[ *]/, "", text)
		name = text
		return name != ""
	}
	function found(what) {
		if (FILENAME ~ /^tests\//)
			return
		if (what in place) {
			print FILENAME ":" FNR ": " what " is at " place[what] ", too"
			failed = 1
		}
		place[what] = FILENAME ":" FNR
	}
	function found_static() {
		if ((name, FILENAME) in seen)
			return
		seen[name, FILENAME] = 1
		places[name] = places[name] " " FILENAME ":" FNR
		if (name !~ /_/) {
			print FILENAME ":" FNR ": " name "() needs a verb and an object"
			failed = 1
		} else if (++files[name] == 4) {
			many[name] = 1
		}
	}
	END {
		for (name in many)
			print name "() is in more than three files:" places[name]
		exit failed || length(many)
	}' "$@"
