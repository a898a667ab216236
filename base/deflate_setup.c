// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Uses each function of libdeflate that has several versions, under a lock: the first thread makes
 * the choice, and it happened before the use by any other thread that took the lock. It takes the
 * lock each time, so no variable says that the choice was made.
 */
#include "config.h"

#include <libdeflate.h>
#include <pthread.h>

#include "base/deflate_setup.h"

static pthread_mutex_t setup_lock = PTHREAD_MUTEX_INITIALIZER;

void deflate_setup(void)
{
	static const unsigned char nothing[] = { 3, 0 }; /* a deflate stream of 0 bytes */
	struct libdeflate_decompressor *inflate = libdeflate_alloc_decompressor();
	unsigned char text;
	size_t size;

	pthread_mutex_lock(&setup_lock);
	libdeflate_crc32(0, nothing, sizeof(nothing));
	if (inflate)
		libdeflate_deflate_decompress(inflate, nothing, sizeof(nothing), &text, 1, &size);
	pthread_mutex_unlock(&setup_lock);
	libdeflate_free_decompressor(inflate);
}
