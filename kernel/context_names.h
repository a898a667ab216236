/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names of contexts: users filter and group by them. */
#ifndef KERNEL_CONTEXT_NAMES_H
#define KERNEL_CONTEXT_NAMES_H

const char *context_name(unsigned int context); /* "softirq", … of enum kmt_context; "?" */

#endif
