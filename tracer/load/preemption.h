/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds out whether the kernel preempts a task in a tracepoint: runs a small program that looks.
 * Where it cannot be loaded or cannot read the preempt count (on x86, an address that is in
 * kallsyms with CONFIG_KALLSYMS_ALL only), BTF decides: such kernels have the type of the guard
 * that tracepoints use instead of switching preemption off.
 */
#ifndef TRACER_LOAD_PREEMPTION_H
#define TRACER_LOAD_PREEMPTION_H

#include <stdbool.h>

struct btf;

enum preemption {
	PREEMPTION_UNKNOWN,  /* no BTF */
	PREEMPTION_OFF,	     /* in a tracepoint; up to 6.18 */
	PREEMPTION_POSSIBLE, /* in a tracepoint; 7.x */
};

/* btf: of the kernel. *has_count: can programs read the preempt count? */
enum preemption preemption_probe(const struct btf *btf, bool *has_count);

#endif
