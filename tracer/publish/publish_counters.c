// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include "tracer/publish/publish_counters.h"

#define DECLARE(name) extern const struct online_counter online_##name;
ONLINE_COUNTERS(DECLARE)

#define ADDRESS(name) &online_##name,
const struct online_counter *const online_counters[] = { ONLINE_COUNTERS(ADDRESS) };
