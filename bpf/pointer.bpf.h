/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef BPF_POINTER_BPF_H
#define BPF_POINTER_BPF_H

/* The verifier allows no arithmetic on its pointers: read the pointer back as plain memory. */
static __always_inline unsigned long pointer_value(void *const *pointer)
{
	unsigned long value = 0;

	bpf_probe_read_kernel(&value, sizeof(value), pointer);
	return value;
}

#endif
