/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tries what the kernel lets a BPF program do, by really doing it for a moment. */
#ifndef TRACER_LOAD_PROBE_H
#define TRACER_LOAD_PROBE_H

#include <stdbool.h>

/* Atomic instructions with a result: false before 5.12, or where its compiler has none. */
bool probe_fetch(void);

/* How many arguments a raw tracepoint passes; 0: there is none, or it cannot be attached to. */
int probe_arguments(const char *tracepoint);

/* Hooks a function, by its BTF id, with a program that does nothing. 0 or -errno. */
int probe_hook(int function);

#endif
