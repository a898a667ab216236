#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The view tracks: the stacks that KFENCE and slub_debug=U keep; without them; with filters, which it refuses; and in a
# copy that is anonymized.
. "$srcdir/cli/cli.sh"
need jq

one_object a.capture || exit 1
"$report" tracks -i a.capture >text 2>&1 || fail "without tracks: exit $?"
grep -q 'slub_debug=U' text || fail "without tracks, it does not say what to do: $(cat text)"
cat >a.capture/kernel/tracks <<'END'
read kfence 9000
read slub 9001
track slub 3 unknown 4000000 unknown 0 0 old f+0x1/0x2
track kfence 2 180 1000000000 61000000000 7 190 kmalloc-96 plant_leak+0x1c/0x40\x20[plant] write+0x1/0x2 entry+0x1/0x2
track kfence 1 90 500000000 500000000 8 8 kmalloc-96 plant_leak+0x1c/0x40\x20[plant] write+0x1/0x2 entry+0x1/0x2
END

"$report" tracks -i a.capture --format=json >found.json || fail "tracks: exit $?"
jq -c '.tracks[] | [.site, .source, .cache, .objects, .bytes, .age_min_ns, .age_max_ns, .pid_min, .pid_max, .path,
	.path_objects]' found.json >found
cat >expected <<'END'
["f+0x1/0x2","slub","old",3,null,4000000,null,0,0,null,0]
["plant_leak+0x1c/0x40 [plant]","kfence","kmalloc-96",3,270,500000000,61000000000,7,190,["entry","write","plant_leak"],3]
END
sort found | diff expected - || fail "the view differs"
"$report" tracks -i a.capture >text || fail "the text: exit $?"
grep -q 'path (3 objects): entry > write > plant_leak' text || fail "the text has no path: $(cat text)"
"$report" summary -v -i a.capture | tr -s '\n ' ' ' >text
grep -qF 'tracks the kernel itself keeps the stacks of 6 live objects, a sample of KFENCE and all of caches with slub_debug=U: see' text ||
	fail "no line of the summary: $(cat text)"
"$report" tracks -i a.capture --cache=a >text 2>&1
[ $? -eq 2 ] && grep -q 'without filters' text || fail "a filter: $(cat text)"
"$pack" --anonymize -o b.capture a.capture >out 2>&1 || fail "anonymize: exit $?: $(cat out)"
"$report" tracks -i b.capture --format=json | jq -c '.tracks' >of_copy
jq -c '.tracks' found.json | diff - of_copy || fail "the anonymized copy differs"

# a damaged line: the view is empty, and the report says why
echo 'track slub many' >>a.capture/kernel/tracks
"$report" -v tracks -i a.capture >text 2>&1 || fail "damaged: exit $?"
grep -q 'the stacks that the kernel itself keeps are missing' text || fail "damaged: $(cat text)"
exit 0
