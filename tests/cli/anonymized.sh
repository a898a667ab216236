# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Functions of cli/anonymize.sh and live/anonymize.sh: is a capture a copy of another one that shows
# nothing of it, and are their reports the same?
# shellcheck shell=bash disable=SC2154 # ./test sets builddir

export LC_ALL=C # sort, comm and sed compare bytes: this is faster

host_of()
{
	sed -n 's/.*hostname = "\(.*\)";/\1/p' "$1/metadata"
}

# addresses_of CAPTURE: in hexadecimal, with 16 digits. Those of objects, call sites, caches, symbols
# and modules. Error codes and values below 4096 are no addresses.
addresses_of()
{
	{
		"$builddir/kmemtrace-report" events --format=csv -l 0 -i "$1" 2>/dev/null |
			cut -d, -f9
		"$builddir/kmemtrace-report" sites --format=json -l 0 -i "$1" 2>/dev/null |
			sed -n 's/.*"address": "\(0x[0-9a-f]*\)".*/\1/p'
		sed -n 's/^\(cache\|gone\) \(0x[0-9a-f]*\) .*/\2/p' "$1/kernel/caches"
		gzip -dcf "$1/kernel/symbols" | sed -n 's/^# module \([0-9a-f]*\) .*/\1/p
			s/^\([0-9a-f]*\) [^ ] .*/\1/p'
	} | sed -n 's/^\(0x\)\{0,1\}\([0-9a-f]*\)$/0000000000000000\2/p' |
		sed 's/.*\(................\)$/\1/' | grep -v '^0000000000000...$' |
		grep -v '^fffffffffffff...$' | sort -u
}

# shows_nothing_of ORIGINAL COPY: the copy has raw packets, so that every number has its own bytes.
shows_nothing_of()
{
	local host order result=0

	addresses_of "$1" >original.addresses
	[ "$(wc -l <original.addresses)" -ge 300 ] || {
		echo "$1: only $(wc -l <original.addresses) addresses"
		return 1
	}
	for order in little big; do
		cat "$2"/cpu* | od -An -v -tx8 -w8 --endian=$order | tr -d ' ' | sort -u |
			comm -12 - original.addresses >found
		[ -s found ] && { echo "$2: addresses in a stream: $(head -3 found)"; result=1; }
	done
	find "$2" -type f ! -name 'cpu*' ! -name symbols -exec cat {} + >texts
	gzip -dc "$2/kernel/symbols" >>texts
	sed 's/^0*//' original.addresses | grep -v -e '^.\{0,4\}$' >digits
	# each word with hexadecimal digits
	grep -a -o -i -w -E '(0x0*|0*)[0-9a-f]{5,16}' texts | sed 's/^0x//; s/^0*//' |
		sort -u >words
	sort -u digits | comm -12 - words >found
	[ -s found ] && { echo "$2: addresses in a text: $(head -3 found)"; result=1; }
	host=$(host_of "$1")
	[ "$host" = anonymized ] || ! grep -a -q -w -F -e "$host" texts ||
		{ echo "$2: shows the host: $(grep -a -w -F -e "$host" texts | head -3)"; result=1; }
	grep -q 'offset_s = 0; offset = 0;' "$2/metadata" || { echo "$2: has a date"; result=1; }
	[ "$(grep uuid "$1/metadata")" = "$(grep uuid "$2/metadata")" ] &&
		{ echo "$2: has the uuid of the original"; result=1; }
	return $result
}

# without_names CAPTURE: standard input without host, date, and addresses, which are 0x and digits.
# A column of a text is as wide as its longest name.
without_names()
{
	sed -E -e "s,\\b$1(\\b|/),CAPTURE\\1,g" -e 's/\b0x[0-9a-f]{4,16}\b/ADDRESS/g' \
		-e 's/"(host|start|cgroup|container)": *("[^"]*"|null),?//g' \
		-e 's/^(capture +).*: Linux/\1: Linux/; s/^(time +).* for/\1 for/' | tr -s ' -'
}

# reports_the_same ORIGINAL COPY FORMATS: every view in each of the formats, and the check.
reports_the_same()
{
	local view format capture options result=0

	for view in summary sites caches slabinfo tracks allocinfo where sizes leaks lifetimes cpus nodes cgroups timeline flame probes events findings check; do
		for format in $3; do
			options="-l 0 --format=$format"
			[ $format = text ] && options="-l 0 --width=250"
			[ $view = findings ] && options="$options --possible"
			for capture in "$1" "$2"; do
				if [ $view = check ]; then
					"$builddir/kmemtrace-check" --heap "$capture"
				else
					# shellcheck disable=SC2086 # several options
					"$builddir/kmemtrace-report" $view $options -i "$capture"
				fi >report 2>&1
				echo "exit status $?" >>report
				without_names "$capture" <report >"report.$capture"
			done
			cmp -s "report.$1" "report.$2" && continue
			echo "$view as $format of $2 is not that of $1:"
			diff "report.$1" "report.$2" | head -6
			result=1
		done
	done
	return $result
}
