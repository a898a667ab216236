// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <errno.h>
#include <string.h>

#include "tracer/load/privileges.h"
#include "tracer/load/refusal.h"

_Static_assert(REFUSAL_ADVICE >= PRIVILEGES_TEXT, "it has room for the privileges");

const char *refusal_text(int err)
{
	return err == REFUSAL_NOT_SUPPORTED ? "not supported" : strerror(err);
}

/*
 * Without the JIT compiler, the kernel refuses programs that call its functions (EINVAL). The
 * compiler of i386, for one, has no calls between functions of a program.
 */
const char *refusal_advice(int err, int jit, char text[REFUSAL_ADVICE])
{
	if (err == EPERM || err == EACCES) {
		const char *advice = privileges_own_advice(PRIVILEGES_TO_TRACE, text);

		return *advice ? advice
			       : ": this process has CAP_BPF and CAP_PERFMON, so the kernel's lockdown, a seccomp filter or a security module forbids it: its log may say which";
	}
	if (!jit && (err == EINVAL || err == REFUSAL_NOT_SUPPORTED))
		return ": this kernel's BPF JIT compiler, which the programs may need, is off: switch it on with sysctl net.core.bpf_jit_enable=1";
	if (jit > 0 && err == REFUSAL_NOT_SUPPORTED)
		return ": this kernel's BPF JIT compiler cannot compile the programs: switch it off with sysctl net.core.bpf_jit_enable=0, if this kernel can run BPF programs without it";
	return "";
}
