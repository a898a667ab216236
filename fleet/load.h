/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Loads files of summaries into a store. */
#ifndef FLEET_LOAD_H
#define FLEET_LOAD_H

#include "fleet/options.h"
#include "fleet/store.h"

/* Prints messages. Returns the exit status. */
int load_files(struct store *store, const struct fleet_options *options);

#endif
