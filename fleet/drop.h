/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Drops rows of a store: old days, or hosts. */
#ifndef FLEET_DROP_H
#define FLEET_DROP_H

#include "fleet/options.h"
#include "fleet/store.h"

/* Prints messages. Returns the exit status. */
int drop_rows(struct store *store, const struct fleet_options *options);

#endif
