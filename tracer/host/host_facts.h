/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The values in a summary about the host and kmemtraced itself. */
#ifndef TRACER_HOST_HOST_FACTS_H
#define TRACER_HOST_HOST_FACTS_H

#include <stdint.h>

#include "fleet/summary/summary.h"

#define BOOT_ID_SIZE 40

/* The kernel's boot id; "unknown" if /proc does not have it. */
void host_boot_id(char id[BOOT_ID_SIZE]);

/* The numbers at this time, without the texts. A number that /proc does not have stays as it is. */
void host_facts_find(struct summary_host *host);

uint64_t process_cpu_ns(void);	       /* CPU time of this process */
uint64_t process_resident_bytes(void); /* its memory; 0: /proc cannot be read */

#endif
