// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The size classes of kmalloc(). The functions that return them take no list, so the table belongs
 * to the process: it is the only mutable global of the library.
 */
#include "config.h"

#include <pthread.h>

#include "live/memstat/internal.h"

static pthread_mutex_t classes_lock = PTHREAD_MUTEX_INITIALIZER;
static struct type_classes classes; /* under the lock */

void classes_publish(const struct type_classes *new_classes)
{
	pthread_mutex_lock(&classes_lock);
	classes = *new_classes;
	pthread_mutex_unlock(&classes_lock);
}

size_t memstat_malloc_zone_get_count(void)
{
	size_t count;

	pthread_mutex_lock(&classes_lock);
	count = classes.count;
	pthread_mutex_unlock(&classes_lock);
	return count;
}

size_t memstat_malloc_zone_get_size(size_t n)
{
	size_t bytes = 0;

	pthread_mutex_lock(&classes_lock);
	if (n < classes.count)
		bytes = classes.bytes[n];
	pthread_mutex_unlock(&classes_lock);
	return bytes;
}

int memstat_malloc_zone_used(const struct memory_type *mtp, size_t n)
{
	if (!mtp || n >= memstat_malloc_zone_get_count())
		return 0;
	return mtp->shown.counters.sizemask >> n & 1;
}
