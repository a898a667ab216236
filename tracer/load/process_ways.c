// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of the ways in which a probe of process memory can be recorded. */
#include "config.h"

#include <linux/perf_event.h>

#include "tracer/load/process_probes.h"

#define MINOR_PROGRAM                                                                    \
	{                                                                                \
		.program = "minor_fault_event", .attachment = ATTACHMENT_SOFTWARE_EVENT, \
		.config = PERF_COUNT_SW_PAGE_FAULTS_MIN, .runs = KMT_RUNS_MINOR          \
	}
#define MAJOR_PROGRAM                                                                    \
	{                                                                                \
		.program = "major_fault_event", .attachment = ATTACHMENT_SOFTWARE_EVENT, \
		.config = PERF_COUNT_SW_PAGE_FAULTS_MAJ, .runs = KMT_RUNS_MAJOR          \
	}
#define SIGBUS_PROGRAM                                                              \
	{                                                                           \
		.program = "fault_sigbus", .attachment = ATTACHMENT_RAW_TRACEPOINT, \
		.target = "signal_generate"                                         \
	}
#define SHARED_WRITE_PROGRAMS                                                        \
	{ .program = "write_shared_begin_hook",                                      \
	  .attachment = ATTACHMENT_FENTRY,                                           \
	  .target = "do_wp_page" },                                                  \
	{                                                                            \
		.program = "write_shared_end_hook", .attachment = ATTACHMENT_FENTRY, \
		.target = "do_wp_page"                                               \
	}
#define NEW_MEMORY_PROGRAM(function)                                           \
	{                                                                      \
		.program = "new_memory_hook", .attachment = ATTACHMENT_FENTRY, \
		.target = (function)                                           \
	}
#define RETURN_WAY "software events minor-faults and major-faults, raw tracepoint signal_generate "

/* Of each probe, the cheapest way first. */
const struct probe_way probe_ways[] = {
	{ PROBE_PAGE_FAULT,
	  "raw tracepoints page_fault_user and page_fault_kernel",
	  { { .program = "page_fault_user",
	      .attachment = ATTACHMENT_RAW_TRACEPOINT,
	      .target = "page_fault_user" },
	    { .program = "page_fault_kernel",
	      .attachment = ATTACHMENT_RAW_TRACEPOINT,
	      .target = "page_fault_kernel" } } },
	{ PROBE_PAGE_FAULT,
	  "software event page-faults, without write_access",
	  { { .program = "page_fault_event",
	      .attachment = ATTACHMENT_SOFTWARE_EVENT,
	      .config = PERF_COUNT_SW_PAGE_FAULTS,
	      .runs = KMT_RUNS_FAULT } } },
	{ PROBE_PAGE_FAULT_RETURN,
	  RETURN_WAY "for SIGBUS, fentry pagefault_out_of_memory for OOM",
	  { MINOR_PROGRAM,
	    MAJOR_PROGRAM,
	    SIGBUS_PROGRAM,
	    { .program = "fault_oom_hook",
	      .attachment = ATTACHMENT_FENTRY,
	      .target = "pagefault_out_of_memory" } } },
	{ PROBE_PAGE_FAULT_RETURN,
	  RETURN_WAY "for SIGBUS, kprobe pagefault_out_of_memory for OOM",
	  { MINOR_PROGRAM,
	    MAJOR_PROGRAM,
	    SIGBUS_PROGRAM,
	    { .program = "fault_oom_kprobe",
	      .attachment = ATTACHMENT_KPROBE,
	      .target = "pagefault_out_of_memory" } } },
	{ PROBE_PAGE_FAULT_RETURN,
	  RETURN_WAY "for SIGBUS, none for OOM",
	  { MINOR_PROGRAM, MAJOR_PROGRAM, SIGBUS_PROGRAM } },
	{ PROBE_WRITE_SHARED,
	  "fentry do_wp_page",
	  { { .program = "write_shared_hook",
	      .attachment = ATTACHMENT_FENTRY,
	      .target = "do_wp_page" } } },
	{ PROBE_WRITE_SHARED,
	  "kprobe do_wp_page",
	  { { .program = "write_shared_kprobe",
	      .attachment = ATTACHMENT_KPROBE,
	      .target = "do_wp_page" } } },
	{ PROBE_WRITE_SHARED_COPY,
	  "fentry wp_page_copy",
	  { { .program = "write_shared_copy_hook",
	      .attachment = ATTACHMENT_FENTRY,
	      .target = "wp_page_copy" } } },
	{ PROBE_WRITE_SHARED_COPY,
	  "fentry and fexit do_wp_page, fentry folio_add_new_anon_rmap",
	  { SHARED_WRITE_PROGRAMS, NEW_MEMORY_PROGRAM("folio_add_new_anon_rmap") } },
	{ PROBE_WRITE_SHARED_COPY,
	  "fentry and fexit do_wp_page, fentry page_add_new_anon_rmap",
	  { SHARED_WRITE_PROGRAMS, NEW_MEMORY_PROGRAM("page_add_new_anon_rmap") } },
	{ PROBE_WRITE_SHARED_COPY,
	  "kprobe wp_page_copy",
	  { { .program = "write_shared_copy_kprobe",
	      .attachment = ATTACHMENT_KPROBE,
	      .target = "wp_page_copy" } } },
	{ PROBE_MMAP,
	  "tracepoint sys_enter_mmap",
	  { { .program = "mmap_entry",
	      .attachment = ATTACHMENT_ENTRY,
	      .target = "syscalls/sys_enter_mmap" } } },
	{ PROBE_MMAP,
	  "tracepoint sys_enter_mmap_pgoff",
	  { { .program = "mmap_entry",
	      .attachment = ATTACHMENT_ENTRY,
	      .target = "syscalls/sys_enter_mmap_pgoff" } } },
	{ PROBE_MMAP,
	  "tracepoint sys_enter_old_mmap",
	  { { .program = "old_mmap_entry",
	      .attachment = ATTACHMENT_ENTRY,
	      .target = "syscalls/sys_enter_old_mmap" } } },
	{ PROBE_MMAP,
	  "raw tracepoint sys_enter",
	  { { .program = "mmap_call",
	      .attachment = ATTACHMENT_RAW_TRACEPOINT,
	      .target = "sys_enter" } } },
	{ PROBE_MUNMAP,
	  "tracepoint sys_enter_munmap",
	  { { .program = "munmap_entry",
	      .attachment = ATTACHMENT_ENTRY,
	      .target = "syscalls/sys_enter_munmap" } } },
	{ PROBE_MUNMAP,
	  "raw tracepoint sys_enter",
	  { { .program = "munmap_call",
	      .attachment = ATTACHMENT_RAW_TRACEPOINT,
	      .target = "sys_enter" } } },
	{ PROBE_BRK,
	  "tracepoint sys_enter_brk",
	  { { .program = "brk_entry",
	      .attachment = ATTACHMENT_ENTRY,
	      .target = "syscalls/sys_enter_brk" } } },
	{ PROBE_BRK,
	  "raw tracepoint sys_enter",
	  { { .program = "brk_call",
	      .attachment = ATTACHMENT_RAW_TRACEPOINT,
	      .target = "sys_enter" } } },
	{ PROBE_OOM_KILL,
	  "tracepoint mark_victim",
	  { { .program = "oom_kill_entry",
	      .attachment = ATTACHMENT_ENTRY,
	      .target = "oom/mark_victim" } } },
};

const size_t probe_way_count = sizeof(probe_ways) / sizeof(probe_ways[0]);
