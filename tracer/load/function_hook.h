/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs on functions of the kernel: by fentry, or by a kprobe. */
#ifndef TRACER_LOAD_FUNCTION_HOOK_H
#define TRACER_LOAD_FUNCTION_HOOK_H

/* Can an fentry program be attached to the function? 0 or -errno; -ENOENT: BTF does not have it. */
int function_hook_try_fentry(const char *function);

/*
 * Opens a kprobe on the function, for programs on all CPUs; any_cpu is one that is online. Returns
 * a descriptor, or -errno; -ENOENT: the kernel has no such function; -ENODEV: it has no kprobes.
 */
int function_hook_open_kprobe(const char *function, unsigned int any_cpu);

#endif
