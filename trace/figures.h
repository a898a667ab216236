/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a pass counts: each tells the observers first, then adds. All return 0 or -errno. */
#ifndef TRACE_FIGURES_H
#define TRACE_FIGURES_H

#include "trace/pass.h"

int figures_tell(const struct pass *pass, const struct step *step);

/* event may be NULL: of an object that still lives at the end. */
int figures_allocated(const struct pass *pass, const struct event *event,
		      const struct heap_block *block);
int figures_freed(const struct pass *pass, const struct event *event,
		  const struct heap_block *block);
int figures_missed(const struct pass *pass, const struct event *event,
		   const struct heap_block *block);

/* An event of no object that is known: fate is FATE_UNMATCHED or FATE_NO_OBJECT. */
int figures_other(const struct pass *pass, const struct event *event, enum fate fate,
		  uint32_t cache);
int figures_failed(struct pass *pass, const struct event *event, uint32_t site, uint32_t cache);

#endif
