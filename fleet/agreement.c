// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <stdlib.h>

#include "base/number.h"
#include "fleet/agreement.h"

#define PARTS 20 /* one of so many hosts */

static size_t enough_hosts(size_t count)
{
	size_t part = (count + PARTS - 1) / PARTS;

	return part > 2 ? part : 2;
}

uint64_t agreement_end(uint64_t *ends, size_t count)
{
	if (!count)
		return 0;
	qsort(ends, count, sizeof(*ends), compare_u64);
	/* one of two hosts is dead more often than its clock is wrong */
	return count <= 2 ? ends[count - 1] : ends[count - enough_hosts(count)];
}

uint64_t agreement_begin(uint64_t *begins, size_t count)
{
	if (!count)
		return 0;
	qsort(begins, count, sizeof(*begins), compare_u64);
	return count < 2 ? begins[0] : begins[enough_hosts(count) - 1];
}
