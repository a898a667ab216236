/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Why a kernel refuses BPF programs and hooks, and what to do. */
#ifndef TRACER_LOAD_REFUSAL_H
#define TRACER_LOAD_REFUSAL_H

/* ENOTSUPP, which bpf(2) returns though it is internal to the kernel: strerror() has no text. */
#define REFUSAL_NOT_SUPPORTED 524

/* An error of the kernel, positive, as text. */
const char *refusal_text(int err);

#define REFUSAL_ADVICE 200 /* bytes; at least PRIVILEGES_TEXT */

/*
 * Advice if the programs cannot be loaded or attached, with ": " before it; "": there is none. jit:
 * see machine_jit_setting(). May return text.
 */
const char *refusal_advice(int err, int jit, char text[REFUSAL_ADVICE]);

#endif
