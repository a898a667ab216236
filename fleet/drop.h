/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes room in a store: drops old days. */
#ifndef FLEET_DROP_H
#define FLEET_DROP_H

#include "fleet/options.h"
#include "fleet/store.h"

/* Prints messages. Returns the exit status. */
int drop_days(struct store *store, const struct fleet_options *options);

#endif
