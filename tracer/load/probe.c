// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Loads and attaches small programs of a few instructions. */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "tracer/load/probe.h"

#define LICENCE "Dual BSD/GPL"
#define ARGUMENTS_MAX 12 /* the kernel's macros can pass no more */

static const struct bpf_insn result_0 = {
	.code = BPF_ALU64 | BPF_MOV | BPF_K,
	.dst_reg = BPF_REG_0,
};
static const struct bpf_insn end = { .code = BPF_JMP | BPF_EXIT };

bool probe_fetch(void)
{
	const struct bpf_insn add[] = {
		{ .code = BPF_ST | BPF_DW | BPF_MEM, .dst_reg = BPF_REG_10, .off = -8 },
		result_0,
		{ .code = BPF_STX | BPF_DW | BPF_ATOMIC,
		  .dst_reg = BPF_REG_10,
		  .src_reg = BPF_REG_0,
		  .off = -8,
		  .imm = BPF_ADD | BPF_FETCH },
		end,
	};
	int program = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "fetch", LICENCE, add,
				    sizeof(add) / sizeof(add[0]), NULL);

	if (program >= 0)
		close(program);
	/* without the privilege to load programs, nothing is known to be missing */
	return program >= 0 || errno == EPERM;
}

/*
 * Attaches a program that reads the argument with this index. The kernel refuses it if the
 * tracepoint has fewer arguments.
 */
static bool has_argument(const char *tracepoint, int index)
{
	const struct bpf_insn read[] = {
		{ .code = BPF_LDX | BPF_DW | BPF_MEM,
		  .dst_reg = BPF_REG_0,
		  .src_reg = BPF_REG_1,
		  .off = (int16_t)(index * (int)sizeof(uint64_t)) },
		result_0,
		end,
	};
	int program, link;

	program = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "argument", LICENCE, read,
				sizeof(read) / sizeof(read[0]), NULL);
	if (program < 0)
		return false;
	link = bpf_raw_tracepoint_open(tracepoint, program);
	if (link >= 0)
		close(link);
	close(program);
	return link >= 0;
}

int probe_arguments(const char *tracepoint)
{
	int count = 0;

	while (count < ARGUMENTS_MAX && has_argument(tracepoint, count))
		count++;
	return count;
}

static int run_on_cpu(void *data, unsigned int cpu, uint32_t *number)
{
	const int *program = data;
	LIBBPF_OPTS(bpf_test_run_opts, options, .flags = BPF_F_TEST_RUN_ON_CPU, .cpu = cpu);
	int err = bpf_prog_test_run_opts(*program, &options);

	*number = options.retval;
	return err;
}

void probe_cpu_numbers(struct cpu_numbers *numbers, const struct topology *topology)
{
	const struct bpf_insn return_cpu[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_smp_processor_id },
		end,
	};
	int program = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "cpu_number", LICENCE, return_cpu,
				    sizeof(return_cpu) / sizeof(return_cpu[0]), NULL);

	cpu_numbers_check(numbers, topology, run_on_cpu, &program);
	if (program >= 0)
		close(program);
}

int probe_hook(int function)
{
	const struct bpf_insn nothing[] = { result_0, end };
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_TRACE_FENTRY,
		    .attach_btf_id = function);
	int program, link, err = 0;

	program = bpf_prog_load(BPF_PROG_TYPE_TRACING, "nothing", LICENCE, nothing,
				sizeof(nothing) / sizeof(nothing[0]), &options);
	if (program < 0)
		return -errno;
	link = bpf_raw_tracepoint_open(NULL, program);
	if (link < 0)
		err = -errno;
	else
		close(link);
	close(program);
	return err;
}

bool probe_function(const char *function)
{
	const struct bpf_insn nothing[] = { result_0, end };
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_TRACE_KPROBE_MULTI);
	LIBBPF_OPTS(bpf_link_create_opts, link_options, .kprobe_multi.syms = &function,
		    .kprobe_multi.cnt = 1);
	int program, link;

	program = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "nothing", LICENCE, nothing,
				sizeof(nothing) / sizeof(nothing[0]), &options);
	if (program < 0)
		return false;
	link = bpf_link_create(program, 0, BPF_TRACE_KPROBE_MULTI, &link_options);
	if (link >= 0)
		close(link);
	close(program);
	return link >= 0;
}
