// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds the two ends of the path of an allocation by the names of the functions on its stack. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "analysis/stack_path.h"

/* An entry that has the name as a function, or as the begin of one if it ends with "*". */
struct entry {
	const char *function;
	const char *text; /* "": the rest of the function's name */
};

/*
 * System calls have a prefix on each architecture. A softirq runs at the end of a hard interrupt:
 * its function comes first, since the innermost entry counts.
 */
static const struct entry entries[] = {
	{ "__x64_sys_*", "" },
	{ "__ia32_sys_*", "" },
	{ "__ia32_compat_sys_*", "" },
	{ "__x32_compat_sys_*", "" },
	{ "__x64_compat_sys_*", "" },
	{ "__arm64_sys_*", "" },
	{ "__arm64_compat_sys_*", "" },
	{ "__s390x_sys_*", "" },
	{ "__s390_sys_*", "" },
	{ "__s390_compat_sys_*", "" },
	{ "__riscv_sys_*", "" },
	{ "__riscv_compat_sys_*", "" },
	{ "__do_sys_*", "" },
	{ "__se_sys_*", "" },
	{ "__do_compat_sys_*", "" },
	{ "__se_compat_sys_*", "" },
	{ "sys_*", "" }, /* arm */
	{ "common_interrupt", "hardirq" },
	{ "__common_interrupt", "hardirq" },
	{ "sysvec_*", "hardirq" },
	{ "__sysvec_*", "hardirq" },
	{ "asm_common_interrupt", "hardirq" },
	{ "asm_sysvec_*", "hardirq" },
	{ "fred_extint", "hardirq" },
	{ "el0_interrupt", "hardirq" },
	{ "el1_interrupt", "hardirq" },
	{ "do_interrupt_handler", "hardirq" },
	{ "do_io_irq", "hardirq" },
	{ "do_ext_irq", "hardirq" },
	{ "__irq_svc", "hardirq" },
	{ "__irq_usr", "hardirq" },
	{ "generic_handle_arch_irq", "hardirq" },
	{ "handle_riscv_irq", "hardirq" },
	{ "exc_*", "" },
	{ "asm_exc_*", "" },
	{ "do_mem_abort", "page_fault" },
	{ "do_DataAbort", "page_fault" },
	{ "do_PrefetchAbort", "page_fault" },
	{ "do_dat_exception", "page_fault" },
	{ "ret_from_fork*", "kthread" },
	{ "__ret_from_fork", "kthread" },
};

/* These functions call the function that names the entry. */
static const struct entry callers[] = {
	{ "__do_softirq", "softirq:" },
	{ "handle_softirqs", "softirq:" },
	{ "__softirqentry_*", "softirq:" },
	{ "process_one_work", "work:" },
	{ "kthread", "kthread:" },
	/* a system call that ends with the call of another function has no frame */
	{ "x64_sys_call", "" },
	{ "do_syscall_64", "" },
	{ "__do_fast_syscall_32", "" },
	{ "do_int80_*", "" },
	{ "invoke_syscall", "" },
	{ "__do_syscall", "" },
	{ "do_syscall", "" },
	{ "ret_fast_syscall", "" },
	{ "do_trap_ecall_u", "" },
	{ "handle_exception", "" }, /* riscv64, for a page fault too */
};

/* The first function that an entry without a frame of its own called. */
static const struct entry callees[] = {
	{ "do_page_fault", "page_fault" },
	{ "ksys_mmap_pgoff", "mmap" },
	{ "vm_mmap_pgoff", "mmap" },
	{ "do_readv", "readv" },
	{ "do_writev", "writev" },
	{ "do_preadv", "preadv" },
	{ "do_pwritev", "pwritev" },
	{ "ksys_*", "" },
	{ "__sys_*", "" },
};

static const char *function_at(const struct symbols *symbols, uint64_t address, uint64_t time)
{
	/* a return address may be behind the end of a function whose last instruction is a call */
	const struct symbol *symbol = symbols_find(symbols, address - 1, time);

	return symbol ? symbols_string(symbols, symbol->name) : "";
}

static const struct entry *find_entry(const struct entry *list, size_t count, const char *function,
				      const char **rest)
{
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(list[i].function);

		*rest = "";
		if (list[i].function[length - 1] != '*' && !strcmp(function, list[i].function))
			return &list[i];
		if (list[i].function[length - 1] == '*' &&
		    !strncmp(function, list[i].function, length - 1)) {
			*rest = function + length - 1;
			return &list[i];
		}
	}
	return NULL;
}

static bool is_tracer(const char *function)
{
	return !strncmp(function, "bpf_", 4) || !strncmp(function, "__bpf_", 6) ||
	       !strncmp(function, "___bpf_", 7) || !strncmp(function, "__traceiter_", 12);
}

/* The index of the call site; of the first frame behind the tracer's if the stack lacks it. */
static uint32_t find_call_site(const struct symbols *symbols, const uint64_t *frames,
			       uint32_t count, uint64_t call_site, uint64_t time)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < count; i++)
		if (frames[i] == call_site)
			return i;
	while (first + 1 < count && is_tracer(function_at(symbols, frames[first], time)))
		first++;
	return first;
}

void stack_path_cut(struct stack_path *path, const struct symbols *symbols, uint64_t call_site,
		    uint64_t time)
{
	const char *function, *inner = "", *rest;
	const struct entry *entry, *callee;
	uint32_t first = find_call_site(symbols, path->frames, path->count, call_site, time);

	path->frames += first;
	path->count -= first;
	path->entry[0] = '\0';
	for (uint32_t i = 1; i < path->count; i++, inner = function) {
		function = function_at(symbols, path->frames[i], time);
		entry = find_entry(callers, sizeof(callers) / sizeof(*callers), function, &rest);
		if (entry) {
			/* the call site stays, even if it is in the function that names the entry
			 */
			path->count = i > 1 ? i - 1 : 1;
			if (i == 1)
				inner = function_at(symbols, path->frames[0], time);
			if (find_entry(entries, sizeof(entries) / sizeof(*entries), inner, &rest) &&
			    *rest)
				inner = rest;
			callee = *entry->text
					 ? NULL
					 : find_entry(callees, sizeof(callees) / sizeof(*callees),
						      inner, &rest);
			if (callee)
				inner = *callee->text ? callee->text : rest;
			snprintf(path->entry, sizeof(path->entry), "%s%s", entry->text, inner);
			break;
		}
		entry = find_entry(entries, sizeof(entries) / sizeof(*entries), function, &rest);
		if (entry) {
			path->count = i;
			snprintf(path->entry, sizeof(path->entry), "%s",
				 *entry->text ? entry->text : rest);
			break;
		}
	}
}

bool stack_path_find(struct stack_path *path, const struct capture *capture, uint64_t id,
		     uint64_t call_site, uint64_t time)
{
	const struct stack *stack = stacks_find(&capture->stacks, id);

	if (!stack || !stack->frame_count)
		return false;
	path->frames = stacks_frames(&capture->stacks, stack);
	path->count = stack->frame_count;
	stack_path_cut(path, &capture->symbols, call_site, time);
	return true;
}
