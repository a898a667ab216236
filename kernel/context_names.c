// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The names of contexts. */
#include "config.h"

#include "kernel/context_names.h"
#include "kernel/record.h"

const char *context_name(unsigned int context)
{
	static const char *const names[KMT_CONTEXT_END] = {
		[KMT_CONTEXT_TASK] = "task",
		[KMT_CONTEXT_SOFTIRQ] = "softirq",
		[KMT_CONTEXT_HARDIRQ] = "hardirq",
		[KMT_CONTEXT_NMI] = "nmi",
	};

	return context < KMT_CONTEXT_END ? names[context] : "?";
}
