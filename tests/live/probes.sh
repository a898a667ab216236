#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtraced --probes: three loads have the page faults, mmap(), munmap() and brk() that perf's
# counters, getrusage() and strace count, and that the loads are written to do; nothing else is
# recorded; -p, -L, and probes that do not exist.
. "$srcdir/live/live.sh"
need jq

load=$builddir/tests/live/process_load
page=$(getconf PAGESIZE)
# on a disk: a file system in memory has no major faults
folder=$(mktemp -d /var/tmp/kmemtrace-live.XXXXXX) || exit 1
before_end "rm -rf '$folder'"
dd if=/dev/zero of="$folder/file" bs="$page" count=64 2>/dev/null
sync "$folder/file"

# recorded LOAD OPTION…: the number of events by name, fault_type and write_access, in the window of
# the load
recorded() {
	kind=$1
	shift
	"$kmemtraced" -q "$@" -- "$load" "$kind" "$folder/file" >said || fail "$kind: exit $?"
	checked
	"$report" events --format=json -F time,tid,name,address,length,write_access,fault_type >events ||
		fail "$kind: report"
	# another run has such a load at the same time
	process=$(value said tid)
	jq -c -s --argjson tid "$process" 'map(select(.tid == $tid)) |
		INDEX(.[] | select(.name == "munmap"); .length) as $call |
		.[] | select(.time > $call["503808"].time and .time < $call["516096"].time)' events >window
	jq -r -s 'group_by(.name, .fault_type, .write_access)[] |
		"\(.[0].name) \(.[0].fault_type) \(.[0].write_access) \(length)"' window >counts
	# of all tasks, maybe of the load
	missing=$(json '.loss.lost + .loss.skipped')
}
# has COUNT NAME TYPE ACCESS
has() {
	found=$(awk -v name="$2" -v type="$3" -v access="$4" \
		'$1 == name && $2 == type && $3 == access { print $4 }' counts)
	[ "${found:-0}" -le "$1" ] && [ $((${found:-0} + missing)) -ge "$1" ] ||
		fail "$kind: $2 $3 $4: ${found:-0}, not $1; lost and skipped $missing: $(cat counts said)"
}
says() { # says KEY COUNT
	[ "$(value said "$1")" = "$2" ] || fail "$kind: $1 is not $2: $(cat said)"
}

probes='vm.pagefault*,vm.m*map,vm.brk'
recorded minor --probes="$probes"
# where the kernel maps the zero page for a read, a write to it faults again; some kernels map a page at once
again=$(($(value said faults) - 64))
[ $again = 10 ] || [ $again = 0 ] || fail "faults of 64 pages, 10 of them first read: $(cat said)"
if grep -q '"write_access": [01]' events; then
	has 10 pagefault null 0
	has $((54 + again)) pagefault null 1
else
	has $((64 + again)) pagefault null null
fi
has $((64 + again)) pagefault.return 2 null
has 1 mmap null null
has 1 munmap null null
for key in faults minor rusage_minor; do says $key $((64 + again)); done
[ "$(json .totals.allocations)" = 0 ] || fail "slab events are recorded"
[ "$(json .loss.slab_recorded)" = false ] || fail "the report does not know that"
"$report" -v | grep -q '^ *no slab events were recorded' || fail "the text does not say it"
[ -e kmemtrace.data/kernel/slabinfo ] && fail "there is a slabinfo"
# the address of each fault is in the memory that was mapped: one fault a page, or a read and a write
jq -s --argjson page "$page" '[.[] | select(.name == "pagefault") | .address] | unique | length' window >pages
[ "$missing" != 0 ] || [ "$(cat pages)" = 64 ] || fail "faults at $(cat pages) addresses, not 64"

recorded major --probes="$probes"
if [ "$(value said rusage_major)" = 64 ]; then
	has 64 pagefault.return 3 null
	says major 64
else
	echo "the file was not read page by page: $(cat said)"
	has "$(value said major)" pagefault.return 3 null
	has "$(value said minor)" pagefault.return 2 null
fi
has 5 pagefault.return 1 null
[ "$missing" != 0 ] || [ "$(awk '$1 == "pagefault" { sum += $4 } END { print sum }' counts)" = "$(value said faults)" ] ||
	fail "page faults: $(cat counts said)"

recorded heap --probes="$probes"
has 100 mmap null null
has 100 munmap null null
has 21 brk null null
has 120 pagefault.return 2 null
says minor 120
[ "$missing" != 0 ] || jq -s --argjson page "$page" '[.[] | select(.name == "brk") | .length] |
	(.[0:20] | all(. == $page)) and .[20] == -20 * $page' window | grep -qx true ||
	grep -q '"name":"brk".*"length":null' window || fail "brk: $(grep brk window)"
jq -s --argjson page "$page" '[.[] | select(.name | test("m.*map")) | .length] | unique == [3 * $page]' window |
	grep -qx true || fail "lengths: $(grep map window)"

# strace counts the system calls of the whole run; the kernel runs all of them from the execve() on
if command -v strace >/dev/null; then
	strace -f -qq -o straced -e trace=mmap,munmap,brk "$load" heap "$folder/file" >/dev/null
	for call in mmap munmap brk; do
		theirs=$(grep -c " $call(" straced)
		ours=$("$report" count --probes=vm.$call --where="pid == $process && comm == \"process_load\"" \
			--format=json 2>/dev/null | jq .query.counted)
		[ "$ours" -le "$theirs" ] && [ $((ours + missing)) -ge "$theirs" ] || fail "$call: strace counts $theirs, we $ours"
	done
fi
# the kernel's own count of all page faults is that of the records and of those that are missing
"$kmemtraced" -q --include-self --probes='vm.pagefault*' -- sleep 0.01 || fail "sleep: exit $?" # paced: some page faults
checked
counted=$(json '.loss.probes[] | select(.probe == "vm.pagefault.return") | .counted')
found=$("$report" count --probes=vm.pagefault.return --where='fault_type >= 2' --format=json | jq .query.counted)
missing=$(json '.loss.lost + .loss.skipped')
echo "page faults: counted $counted, recorded $found, missing $missing"
[ "$found" -gt 10 ] && [ "$found" -le "$counted" ] && [ $((found + missing)) -ge "$counted" ] ||
	fail "the kernel's own count: $(json .loss.probes)"

# all of it with slab events; the slab events are as ever
recorded heap --probes='*'
has 100 mmap null null
has 120 pagefault.return 2 null
[ "$(json .totals.allocations)" -gt 100 ] || fail "no slab events"
[ "$(json .loss.slab_recorded)" = true ] || fail "slab_recorded"
# other names of the slab events
"$kmemtraced" -q --probes=dtmalloc:::malloc -- true || fail "dtmalloc: exit $?"
[ "$(json .totals.frees)" -gt 10 ] || fail "dtmalloc:::malloc does not record the frees"
[ "$(json .totals.process_events)" = 0 ] || fail "dtmalloc:::malloc records process events"

# only the process of -p
"$load" heap "$folder/file" >/dev/null &
sleep 600 & # paced: it lives until the capture has ended
sleeper=$!
before_end "kill $sleeper 2>/dev/null"
"$kmemtraced" -q -d 0.3 -p $sleeper --probes='vm.*fault*' || fail "-p: exit $?"
checked
foreign=$("$builddir/tests/live/foreign" kmemtrace.data $sleeper) || fail "foreign: exit $?"
[ "$foreign" = 0 ] || fail "-p: $foreign events of others"
kill $sleeper

# the list
"$kmemtraced" -L >list || fail "-L: exit $?"
[ "$(wc -l <list)" = 19 ] || fail "-L: $(cat list)"
grep -q '^vm.munmap  *tracepoint sys_enter_munmap$' list || fail "-L: $(cat list)"
while read -r name way; do
	case $way in
	missing:*) "$kmemtraced" -q -d 0.01 --probes="$name" 2>err
		case $name in
		vm.bulk*|vm.krealloc) ;;
		*) grep -q "^kmemtraced: no probe of --probes can be recorded here: $name: " err || fail "$name: $(cat err)" ;;
		esac ;;
	esac
done <list
grep -q '^ok  *probes  *vm.pagefault' doctor.log || fail "--doctor: $(cat doctor.log)"
if grep -q '^vm.write_shared  *missing' list; then
	"$kmemtraced" -d 0.01 --probes='vm.write_shared,vm.brk' 2>err || fail "with one that is missing: exit $?"
	grep -q '^kmemtraced: vm.write_shared is not recorded: ' err || fail "$(cat err)"
	"$report" -v | grep -q 'vm.write_shared is not recorded: ' || fail "the report does not say it"
fi

# what the list misses is named with the same reason, and is unobserved in the counts
sed -n 's/ *missing: /|/p' list >missing
"$kmemtraced" --count -d 0.1 --format=json --probes="$(cut -d'|' -f1 missing | tr '\n' ,)vm.kmalloc" >counts 2>said ||
	fail "missing probes: exit $?: $(cat said)"
sed 's/|/ is not recorded: /; s/^/kmemtraced: /' missing | diff - said || fail "the missing probes are not named"
"$kmemtraced" -q -d 0.1 || fail "exit $?"
"$report" --format=json | jq .loss.unobserved >unobserved
jq .loss.unobserved counts | diff unobserved - || fail "unobserved paths"

# an ordinary user without tracefs: mmap(), munmap() and brk() from the raw tracepoint of all calls
command -v setpriv >/dev/null && [ "$(id -u)" = 0 ] || { echo "not tried as another user"; exit 0; }
caps=-all,+bpf,+perfmon
chmod 755 . "$folder"
chmod 644 "$folder/file"
mkdir -m 1777 user
cp "$kmemtraced" "$load" user
cat >as-user <<E2
#!/bin/sh
exec setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=$caps --ambient-caps=$caps \
	--bounding-set=$caps $scratch/user/kmemtraced "\$@"
E2
chmod 755 as-user
(cd user && ../as-user -L) >list 2>err || { cat err; exit 0; }
grep -q "^vm.brk  *raw tracepoint sys_enter\$" list || { echo "a user has no such way here: $(cat list)"; exit 0; }
rm -rf kmemtrace.data
kmemtraced=$scratch/as-user
load=$scratch/user/process_load
chmod 1777 .
recorded heap --probes='vm.m*map,vm.brk' 2>/dev/null
has 100 mmap null null
has 100 munmap null null
has 21 brk null null
echo "as another user: $(cat counts)"
