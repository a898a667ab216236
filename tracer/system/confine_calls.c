// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The filter of system calls, with libseccomp. A call that is not in the list fails with ENOSYS, as
 * on a kernel that does not have it. So a C library that prefers a newer call takes the older one,
 * and the capture goes on: a kill would lose its end, and gain nothing, since the call is not made.
 */
#include "config.h"

#include <asm/termbits.h> /* the kernel's struct termios: TCGETS of PowerPC has its size */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "live/stats/metrics_file.h"
#include "tracer/system/confine.h"

#define RESERVED_BLOCKS 4
#define RESERVED_BLOCK (64 << 10) /* from the heap, not a mapping of its own */

/* Any arguments. No architecture has all of them. */
static const char *const always[] = {
	/* files; landlock restricts the paths */
	"openat", "read", "readv", "pread64", "write", "writev", "pwrite64", "close", "lseek",
	"_llseek", "fstat", "fstat64", "newfstatat", "fstatat64", "statx", "getdents64",
	"readlinkat", "faccessat", "faccessat2", "fcntl", "fcntl64", "ftruncate", "ftruncate64",
	"fallocate", "fstatfs", "fstatfs64", "fsync", "fdatasync", "flock", "unlinkat", "renameat",
	"renameat2",
	/* which some C libraries make instead */
	"open", "stat", "stat64", "lstat", "lstat64", "access", "readlink", "unlink", "rename",
	/* memory, threads, time */
	"brk", "munmap", "mremap", "madvise", "futex", "futex_time64", "sched_yield", "rseq",
	"nanosleep", "clock_nanosleep", "clock_nanosleep_time64", "clock_gettime",
	"clock_gettime64", "clock_getres", "clock_getres_time64", "gettimeofday", "membarrier",
	"getrandom", "restart_syscall",
	/* signals, and the end */
	"rt_sigreturn", "sigreturn", "rt_sigprocmask", "rt_sigaction", "wait4", "waitid", "exit",
	"exit_group",
	/* a reader of standard output that may hang */
	"poll", "ppoll", "ppoll_time64",
	/* facts */
	"getpid", "gettid", "getuid", "geteuid", "getuid32", "geteuid32", "uname",
	/* the ring of a CPU that comes online, on a kernel without BPF_FETCH */
	"epoll_create1", "epoll_ctl"
};

/* The commands of bpf(2) that use programs and maps that are there, or make a map: a ring. */
static const unsigned int bpf_commands[] = { BPF_MAP_CREATE,	   BPF_MAP_LOOKUP_ELEM,
					     BPF_MAP_UPDATE_ELEM,  BPF_MAP_DELETE_ELEM,
					     BPF_MAP_GET_NEXT_KEY, BPF_OBJ_GET_INFO_BY_FD,
					     BPF_ITER_CREATE,	   BPF_PROG_TEST_RUN };

/* With any arguments if conditions is 0, else if the condition is met. */
static int allow_call(scmp_filter_ctx filter, const char *name, unsigned int conditions,
		      struct scmp_arg_cmp condition)
{
	int number = seccomp_syscall_resolve_name(name);

	/* the library does not know it */
	if (number == __NR_SCMP_ERROR)
		return 0;
	return seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number, conditions, &condition);
}

static struct scmp_arg_cmp match_argument(unsigned int argument, unsigned int value)
{
	return (struct scmp_arg_cmp){ .arg = argument, .op = SCMP_CMP_EQ, .datum_a = value };
}

static int allow_always(scmp_filter_ctx filter, const char *name)
{
	return allow_call(filter, name, 0, (struct scmp_arg_cmp){ 0 });
}

/* Memory that is not executable. */
static int allow_memory(scmp_filter_ctx filter)
{
	const struct scmp_arg_cmp data = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
	int err = allow_call(filter, "mprotect", 1, data);

	if (!err)
		err = allow_call(filter, "mmap2", 1, data);
#ifdef __s390__
	/* its arguments are in memory, where a filter cannot see them */
	return err ? err : allow_always(filter, "mmap");
#else
	return err ? err : allow_call(filter, "mmap", 1, data);
#endif
}

static int allow_some(scmp_filter_ctx filter, const struct confine_calls *calls)
{
	const unsigned int own = (unsigned int)getpid();
	int err = allow_call(filter, "tgkill", 1, match_argument(0, own));

	if (!err)
		err = allow_call(filter, "kill", 1, match_argument(0, own));
	if (!err && calls->command)
		err = allow_call(filter, "kill", 1,
				 match_argument(0, (unsigned int)calls->command));
	if (!err && calls->keeper)
		err = allow_call(filter, "kill", 1, match_argument(0, (unsigned int)calls->keeper));
	if (!err && calls->metrics)
		err = allow_call(filter, "fchmod", 1, match_argument(1, METRICS_FILE_MODE));
	for (size_t i = 0; i < sizeof(bpf_commands) / sizeof(*bpf_commands) && !err; i++)
		err = allow_call(filter, "bpf", 1, match_argument(0, bpf_commands[i]));
	/* isatty() */
	return err ? err : allow_call(filter, "ioctl", 1, match_argument(1, TCGETS));
}

static int allow_perf_events(scmp_filter_ctx filter)
{
	static const unsigned int requests[] = { PERF_EVENT_IOC_SET_BPF, PERF_EVENT_IOC_ENABLE,
						 PERF_EVENT_IOC_DISABLE };
	int err = allow_always(filter, "perf_event_open");

	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests) && !err; i++)
		err = allow_call(filter, "ioctl", 1, match_argument(1, requests[i]));
	return err ? err : allow_call(filter, "bpf", 1, match_argument(0, BPF_LINK_CREATE));
}

static int load_filter(scmp_filter_ctx filter, const struct confine_calls *calls)
{
	int err = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);

	for (size_t i = 0; i < sizeof(always) / sizeof(*always) && !err; i++)
		err = allow_always(filter, always[i]);
	if (!err)
		err = allow_memory(filter);
	if (!err)
		err = allow_some(filter, calls);
	if (!err && calls->perf_events)
		err = allow_perf_events(filter);
	/* kernels before 5.16 would make a process with a filter slower, against Spectre */
	if (!err)
		err = seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
	return err ? err : seccomp_load(filter);
}

/*
 * Without memory, libseccomp 2.5 crashes, or loads a filter in which calls are missing. So its
 * memory is in the heap before it begins: 100 kB for these rules. Returns a block behind that,
 * which keeps free() from giving it back to the kernel; NULL: there is no memory.
 */
static void *reserve_memory(void)
{
	void *volatile blocks[RESERVED_BLOCKS]; /* volatile: each is really allocated */
	void *last;

	for (size_t i = 0; i < RESERVED_BLOCKS; i++)
		blocks[i] = malloc(RESERVED_BLOCK);
	last = blocks[RESERVED_BLOCKS - 1] ? malloc(RESERVED_BLOCK) : NULL;
	for (size_t i = 0; i < RESERVED_BLOCKS; i++)
		free(blocks[i]);
	return last;
}

void confine_calls(struct confinement *confinement, const struct confine_calls *calls)
{
	scmp_filter_ctx filter = NULL;
	void *last;
	int err = -ENOMEM;

	if (confinement->no_seccomp[0])
		return;
	last = reserve_memory();
	if (last)
		filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	if (filter)
		err = load_filter(filter, calls);
	seccomp_release(filter);
	free(last);
	if (err)
		snprintf(confinement->no_seccomp, sizeof(confinement->no_seccomp), "seccomp: %s",
			 strerror(-err));
}
