#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Each name of SystemTap's memory tapset and of dtmalloc is in kmemtrace-probes(7), and its command
# there gives a value that is known, from a capture with all kinds of events.
. "$srcdir/cli/cli.sh"
need jq
manual=$srcdir/../report/kmemtrace-probes.7

fail()
{
	echo "failed: $*"
	failed=1
}

# the lists of both documents, as they name them
names=(
	vm.pagefault vm.pagefault.return vm.write_shared vm.write_shared_copy vm.mmap vm.munmap vm.brk
	vm.oom_kill vm.kmalloc vm.kmem_cache_alloc vm.kmalloc_node vm.kmem_cache_alloc_node vm.kfree
	vm.kmem_cache_free
	name ptr caller_function call_site gfp_flags gfp_flag_name bytes_req bytes_alloc address length
	write_access fault_type zero task
	vm_fault_contains addr_to_node mem_page_size bytes_to_string pages_to_string
	proc_mem_size proc_mem_size_pid proc_mem_rss proc_mem_rss_pid proc_mem_shr proc_mem_shr_pid
	proc_mem_txt proc_mem_txt_pid proc_mem_data proc_mem_data_pid proc_mem_string
	proc_mem_string_pid
	dtmalloc:::malloc dtmalloc:::free dtmalloc::TYPE:malloc dtmalloc::TYPE:free
	'args[0]' 'args[1]' 'args[2]' 'args[3]' 'args[4]'
)

# the command of each name, from the manual
declare -A commands=()
while IFS=$'\t' read -r name command; do
	commands[$name]=$command
done < <(sed -n '/^\.Ss Probes of the memory tapset/,/^\.Sh EXAMPLES/p' "$manual" |
	awk '/^\.It Cm /{ name = substr($0, 8) } /^\.Dl kmemtrace-report /{ print name "\t" substr($0, 5) }')
for name in "${names[@]}"; do
	[ -n "${commands[$name]-}" ] || fail "kmemtrace-probes(7) does not have $name with a command"
done
[ ${#commands[@]} -eq ${#names[@]} ] ||
	fail "kmemtrace-probes(7) has ${#commands[@]} names, the documents have ${#names[@]}"

"$mktrace" kmemtrace.data <"$srcdir/cli/vocabulary.trace" || exit 1
echo 'statm 10 900000000 500 400 300 200 100' >kmemtrace.data/kernel/process_memory
kmemtrace-report()
{
	"$report" "$@"
}

# Some row has a value for each key or column, and for count also events.
# shellcheck disable=SC2016 # a program for jq
known='map(.histogram // .count // [.]) | flatten | any(all(.[]; . != null))'
for name in "${!commands[@]}"; do
	eval "${commands[$name]} --format=json" >out 2>err || {
		fail "$name: ${commands[$name]}: exit $?: $(cat err)"
		continue
	}
	[ ! -s err ] || fail "$name: ${commands[$name]}: $(cat err)"
	jq -es "$known" out >/dev/null || fail "$name: ${commands[$name]}: no value is known: $(head -c 800 out)"
done
exit $failed
