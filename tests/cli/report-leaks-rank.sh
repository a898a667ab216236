#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A site that leaks one object a second among a million events is the first row of leaks: before
# caches that filled once, early or late, that grow in waves, objects that come and go, or a burst
# of twice the size. So is a leaking site whose other objects come and go.
. "$srcdir/cli/cli.sh"

# One minute, with equal times between events. Of each four events, two are of "brief" (an allocation,
# and the free of the oldest object), one is of "lasting" (replaces a random object), and one is of
# "wander" (allocates or frees at random).
generate()
{
	awk -v events="$1" -v leaker="$2" '
	function chance(below) { seed = seed * 16807 % 2147483647; return seed % below }
	function address() { return sprintf("0xffff8%08x000", ++objects) }
	function allocate(site, size,   object) {
		object = address()
		printf "alloc %.0f %d %s %d/%d %s+0x10\n", time, cpu, object, size, size, site
		return object
	}
	function release(object) { printf "free %.0f %d %s done+0x10\n", time, cpu, object }
	function fill(site, count,   i) { for (i = 0; i < count; i++) allocate(site, 4096) }
	BEGIN {
		seed = 1
		print "begin 0\nend 60s"
		sites = split("leak brief lasting wander start middle slow wave two done", site)
		for (i = 1; i <= sites; i++)
			printf "symbol 0xffff81%06x %s\n", i * 4096, site[i]
		for (event = 0; event < events; event++) {
			time = event * 60e9 / events
			cpu = chance(2)
			second = int(time / 1e9)
			if (event % 4 == 0)
				passing[event % 400] = allocate("brief", 256)
			else if (event % 4 == 1 && passing[(event + 3) % 400])
				release(passing[(event + 3) % 400])
			else if (event % 4 == 2) {
				place = chance(1000)
				if (place in kept)
					release(kept[place])
				kept[place] = allocate("lasting", 512)
			} else if (chance(2) || !walked)
				walk[walked++] = allocate("wander", 1024)
			else {
				place = chance(walked)
				release(walk[place])
				walk[place] = walk[--walked]
			}
			if (event % 100 == 0 && time > 2e9 && time < 20e9)
				allocate("slow", 64)
			if (second == last)
				continue
			last = second
			allocate(leaker, 100)
			if (second == 1)
				fill("start", 1000)
			if (second == 31)
				fill("middle", 1000)
			if (second == 20 || second == 40)
				fill("two", 1)
			for (i = 0; i < 50; i++)
				waves[waved++] = allocate("wave", 512)
			if (second % 15 == 0)
				while (waved)
					release(waves[--waved])
		}
		print "complete yes"
	}'
}
generate 1000000 leak | "$mktrace" apart || exit 1
generate 20000 brief | "$mktrace" amid || exit 1
{
	for capture in apart amid; do
		echo "--- $capture"
		"$report" -i $capture leaks --format=csv | tr -d '\r' |
			cut -d, -f1,3,8,10-12,16
	done
	"$report" -i apart sites --format=json | grep '"allocations"' | head -n 1
	"$report" -i apart leaks >once
	"$report" -i apart leaks >twice
	cmp once twice
} >out
compare report-leaks-rank.expected out
