#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Kernel objects that a process makes and keeps, beside find, tar and ls: in leaks, leaks --by=task
# and the summary the process is in the first two rows, on the first screen of the text, and in the
# first two rows of the HTML page; as many objects are live as it made, within the bound of the header;
# and their cache, if it is not merged, grew in /proc/slabinfo as observed. If it makes them in one go,
# the process is in the first three rows of the summary, as a burst, or names as reclaimable.
# $KMEMTRACE_LONG=1: each takes 5 seconds, and there is one more situation, of 25 seconds.
# shellcheck disable=SC2154 # ./test sets builddir
. "$srcdir/live/live.sh"
need jq find tar ls setsid

end_background() {
	kill -s KILL -- -"$background"
}
end_growth() { # and the folders of the last situation
	[ -z "$grow" ] || kill "$grow" 2>/dev/null
	wait_for "the end of the growth" has_ended
	umount "$scratch/folder" 2>/dev/null
	[ -z "$cgroup" ] || find "$cgroup" -depth -type d -exec rmdir {} + 2>/dev/null
	grow=
}
has_ended() {
	[ -z "$grow" ] || ! kill -0 "$grow"
}
grow='' cgroup=''
before_end end_growth

# The first pass reads the files from the disk: caches that fill then are not the growth in question.
# find does not list processes: the kernel would make inodes and dentries for all that they have, the
# process in question and those that the machine starts meanwhile, and these would rightly come before
# its own objects.
find_tar_ls() {
	find /usr/share /proc -xdev -path '/proc/[0-9]*' -prune >/dev/null 2>&1 &
	tar cf - /usr/include /etc 2>/dev/null | cat >/dev/null &
	ls -lR /usr/share /proc/self /sys/kernel >/dev/null 2>&1
	wait
}
find_tar_ls
cat >background.sh <<'END'
while :; do find /usr/share /proc -xdev -path '/proc/[0-9]*' -prune; done >/dev/null 2>&1 &
while :; do tar cf - /usr/include /etc 2>/dev/null | cat >/dev/null; done &
while :; do ls -lR /usr/share /proc/self /sys/kernel; done >/dev/null 2>&1
END
setsid sh background.sh &
background=$!
before_end end_background
wait_for "the group of the load" kill -s 0 -- -$background

# choose_folder KIND: where the objects are made
choose_folder() {
	mkdir -p folder
	cgroup=
	case $1 in
	cgroup)
		for place in /sys/fs/cgroup /sys/fs/cgroup/cpu; do
			mkdir "$place/$own_name" 2>/dev/null && [ -e "$place/$own_name/cgroup.procs" ] && break
			rmdir "$place/$own_name" 2>/dev/null
		done
		cgroup=$place/$own_name folder=$cgroup
		[ -d "$cgroup" ]
		;;
	negative) # a tmpfs has no negative dentries
		folder=$scratch/folder
		[ "$(stat -f -c %T "$scratch")" != tmpfs ]
		;;
	*)
		folder=$scratch/folder
		mount -t tmpfs tmpfs folder 2>/dev/null
		;;
	esac
}

# Prints the row of the process, from 1, or 0, in an array of rows.
rank() { # rank FILE ROWS KEY
	jq --arg who "grow-$kind (pid $pid)" "[$2[].$3] | (index(\$who) // -1) + 1" "$1"
}

# The rows of the table on the first screen of the page, which cli/html-browser draws.
page_growth() {
	sed -n 's/^<script type="application\/json" id="data-summary">\(.*\)<\/script>$/\1/p' page.html |
		jq -c '.tables[] | select(.key == "growth").rows[]'
}

# situation KIND COUNT EACH OTHERS SITES SYSCALLS [CACHE]: makes COUNT objects, each of which is EACH objects of
# the call sites; the program itself may add up to OTHERS, as of its own mappings. On a busy machine
# the growth of a short capture is late: a second attempt takes longer.
situation() {
	wrong_before=$wrong
	attempt $duration "$@"
	case $wrong in
	"$wrong_before" | *:live | *:slabinfo) ;;
	*)
		wrong=$wrong_before tried=$((tried - 1))
		attempt 4 "$@"
		;;
	esac
}

check_slabinfo() { # check_slabinfo CACHE: nothing of it was not observed
	folder=/sys/kernel/slab/$1
	[ -d "$folder" ] && [ ! -L "$folder" ] && [ "$(cat "$folder/aliases")" = 0 ] || return 0
	"$report" slabinfo --format=json | jq --arg cache "$1" '.slabinfo[] | select(.cache == $cache)' >slabinfo.json
	jq -r '"    \(.cache) grew by \(.growth_objects), observed \(.observed_objects), error \(.error_low) to \(.error_high)"' \
		slabinfo.json
	jq -e '.unobserved_objects == 0' slabinfo.json >/dev/null || wrong="$wrong $kind:slabinfo"
}

# The samples of the process lead to the system call, and to a path that begins at a call site.
check_path() { # check_path SYSCALLS
	"$report" leaks -p "$pid" --by=syscall,stack --format=json -l 1 >path.json 2>/dev/null
	jq -r '.leaks[0] | "    \(.live_bytes_low) to \(.live_bytes_high) bytes, \(.samples) samples: \(.stack)"' path.json
	jq -r '.leaks[0].syscall' path.json | grep -Eqx "$1" || wrong="$wrong $kind:path"
}

# The path of a call site that the process nearly has for itself begins at the process.
check_summary_paths() {
	jq -e --arg who "grow-$kind (pid $pid)" --arg comm "grow-$kind" 'all(.growth[] |
		select(.main_task == $who and .main_task_percent > 90 and .stack_objects > 50);
		.path[0] == $comm and .path_objects <= .stack_objects)' summary.json >/dev/null || {
		wrong="$wrong $kind:summary-path"
		jq -c '.growth[] | [.[]]' summary.json
	}
	jq -r --arg who "grow-$kind (pid $pid)" '.growth[] | select(.main_task == $who and .path) |
		"    \(.path_objects) of \(.stack_objects): \(.path | join(" > "))"' summary.json
}

# The last packet of a handshake makes the socket for accept(), in a softirq: it is not the process' own.
check_accepted() { # check_accepted BOUND
	accepted=$("$report" leaks --where='comm == "softirq"' --site='^sk_prot_alloc\+' --format=json |
		jq '[.leaks[].live_objects] | add // 0')
	[ "$accepted" -ge $((made - $1)) ] || wrong="$wrong $kind:accepted:$accepted"
}

check_burst() { # check_burst BOUND MORE OTHERS
	row=$(rank summary.json .growth main_task)
	echo "$kind, in one go: $live live, at most $1 lost or skipped; row in the summary: $row"
	how=burst
	[ "$kind" != negative ] || how=reclaimable
	jq -e --arg who "grow-$kind (pid $pid)" --arg how $how '.growth | (map(.main_task == $who) | index(true)) < 3 and
		any(.[]; .main_task == $who and .growth_pattern == $how)' summary.json >/dev/null || {
		wrong="$wrong $kind:burst"
		jq -c '.growth[] | [.[]]' summary.json
	}
	grep -qF "grow-$kind (pid $pid)" screen || { wrong="$wrong $kind:burst-screen"; cat screen; }
	[ "$2" -ge -"$1" ] && [ "$2" -le $(($1 + $3)) ] || wrong="$wrong $kind:burst-live"
	bursts=$((bursts + 1))
}

burst() { # as situation, in one go
	attempt 0 "$@"
}

attempt() { # attempt SECONDS KIND COUNT EACH OTHERS SITES SYSCALLS [CACHE]
	seconds=$1
	shift
	kind=$1 made=$2
	choose_folder "$1" || {
		echo "$1: cannot be made here"
		return
	}
	pause=
	[ "$seconds" != 0 ] || pause=$duration
	cat >command.sh <<-END
		begin=\$(date +%s)
		"$builddir/tests/live/grow" $1 $2 $seconds "$folder" >made 2>grow.log &
		echo \$! >pid
		while kill -0 \$(cat pid) 2>/dev/null && [ ! -s made ]; do sleep 0.05; done # paced: the growth
		# paced: a burst takes the smaller part of the capture, on a slow machine too
		[ -z "$pause" ] || sleep \$(($pause + 3 * (\$(date +%s) - begin)))
	END
	rm -rf made kmemtrace.data
	kill -s CONT -- -"$background"
	"$kmemtraced" -q --stacks=4k -- sh command.sh 2>daemon.log || fail "$1: kmemtraced: $(cat daemon.log)"
	kill -s STOP -- -"$background"
	grow=$(cat pid) pid=$grow
	made=$(cat made)
	end_growth
	[ -n "$made" ] || {
		echo "$1: cannot be made here: $(cat grow.log)"
		return
	}
	# of the tasks of this test, since others may grow too
	own="comm == \"grow-$kind\" || comm == \"find\" || comm == \"tar\" || comm == \"cat\" || comm == \"ls\""
	"$report" leaks --where="$own" --format=json -l 2 >sites.json
	"$report" leaks --where="$own" --by=task --format=json -l 2 >tasks.json
	"$report" --where="$own" --format=json >summary.json
	"$report" --where="$own" | head -n 24 >screen
	"$report" --where="$own" --format=html >page.html 2>/dev/null || fail "$1: report --format=html: exit $?"
	"$report" leaks -p "$pid" --site="^($5)\\+" --format=json >own.json || fail "$1: report: exit $?"
	live=$(jq '[.leaks[].live_objects] | add // 0' own.json)
	bound=$(jq '.loss.lost + .loss.skipped' own.json)
	more=$((live - made * $3))
	[ "$kind" != tcp ] || check_accepted "$bound"
	if [ "$seconds" = 0 ]; then
		check_burst "$bound" "$more" "$4"
		return
	fi
	ranks="$(rank sites.json .leaks main_task) $(rank tasks.json .leaks task) $(rank summary.json ".growth[:2]" main_task)"
	echo "$1: $live live of $made * $3 made, at most $bound lost or skipped; row in leaks, by task, in the summary: $ranks"
	case " $ranks " in
	*" 0 "*) wrong="$wrong $1"; jq -c '.leaks[] | [.[]]' sites.json tasks.json; jq -c '.growth[] | [.[]]' summary.json ;;
	esac
	grep -qF "grow-$kind (pid $pid)" screen || { wrong="$wrong $1:screen"; cat screen; }
	check_summary_paths
	page_growth | head -n 2 >rows
	grep -qF "grow-$kind (pid $pid)" rows || { wrong="$wrong $1:page"; cat rows; }
	[ $more -ge -"$bound" ] && [ $more -le $((bound + $4)) ] || wrong="$wrong $1:live"
	check_path "$6"
	[ -z "${7:-}" ] || check_slabinfo "$7"
	tried=$((tried + 1))
}

tried=0 bursts=0 wrong= duration=1.5
[ -z "${KMEMTRACE_LONG:-}" ] || duration=5
situation eventfd 4000 1 0 'do_eventfd' 'eventfd2'
situation epoll 4000 1 1 'do_epoll_ctl|ep_insert|ep_alloc_epitem' 'epoll_ctl'
situation datagram 4000 2 0 '__alloc_skb|kmalloc_reserve' 'sendto|sendmsg|write'
situation vma 8000 2 40 'vm_area_dup|vm_area_init_from|vm_area_alloc' 'mmap|mprotect'
situation inotify 3000 1 0 'inotify_update_watch|inotify_new_watch' 'inotify_add_watch|mkdir' shmem_inode_cache
situation file 4000 1 0 'shmem_alloc_inode' 'openat' shmem_inode_cache
situation timerfd 300 1 0 '__do_sys_timerfd_create|do_timerfd_create' 'timerfd_create'
situation tcp 1000 1 1 'sk_prot_alloc' 'socket|connect|accept4?' sock_inode_cache
situation negative 8000 1 60 '__d_alloc' 'openat|newfstatat|access'
situation netns 15 2 0 'copy_net_ns|net_alloc' 'unshare'
situation overlay 100 1 0 'alloc_super' 'mount|mkdir'
situation nft 1000 1 0 'nf_tables_newrule' 'sendto|sendmsg'
situation cgroup 200 1 0 'cgroup_mkdir|cgroup_create' 'mkdir'
situation pipe 3000 2 0 'alloc_pipe_info' 'pipe2?'
situation mount 200 1 0 'alloc_super' 'mount|fsopen'
situation message 4000 1 0 'load_msg|alloc_msg' 'do_msgsnd|msgsnd'
situation timer 1000 1 0 'do_timer_create|alloc_posix_timer' 'timer_create'
situation map 300 2 0 '__bpf_map_area_alloc|bpf_map_area_alloc' 'bpf'
situation rights 200 1 0 '__scm_send|scm_fp_copy' 'sendmsg'
situation memfd 500 1 0 'simple_xattr_alloc' 'fsetxattr'
situation pty 60 2 0 'alloc_tty_struct' 'openat'
situation key 150 2 2 'key_alloc' 'add_key'
situation fanotify 100 1 0 'fsnotify_alloc_group|__fsnotify_alloc_group' 'fanotify_init'
duration=1
burst eventfd 4000 1 0 'do_eventfd'
burst epoll 4000 1 1 'do_epoll_ctl|ep_insert|ep_alloc_epitem'
burst datagram 4000 2 0 '__alloc_skb|kmalloc_reserve'
burst inotify 3000 1 0 'inotify_update_watch|inotify_new_watch'
burst tcp 1000 1 1 'sk_prot_alloc'
burst negative 8000 1 60 '__d_alloc'
burst netns 15 2 0 'copy_net_ns|net_alloc'
burst cgroup 200 1 0 'cgroup_mkdir|cgroup_create'
burst message 4000 1 0 'load_msg|alloc_msg'
burst timer 1000 1 0 'do_timer_create|alloc_posix_timer'
burst map 300 2 0 '__bpf_map_area_alloc|bpf_map_area_alloc'
burst rights 200 1 0 '__scm_send|scm_fp_copy'
burst memfd 500 1 0 'simple_xattr_alloc'
burst large-pipe 200 1 0 'pipe_resize_ring'
if [ -n "${KMEMTRACE_LONG:-}" ]; then
	duration=25
	situation timerfd 2500 1 0 '__do_sys_timerfd_create|do_timerfd_create' 'timerfd_create'
fi
[ -z "$wrong" ] || fail "of $tried situations, wrong are:$wrong"
[ $bursts -ge 8 ] || skip "only $bursts bursts can be made here"
[ $tried -ge 10 ] || skip "only $tried situations can be made here"
