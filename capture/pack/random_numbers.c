// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Fetches some numbers at once. */
#include "config.h"

#include <errno.h>
#include <sys/random.h>

#include "capture/pack/random_numbers.h"

static int fill_numbers(struct random_numbers *random)
{
	char *at = (char *)random->numbers, *end = at + sizeof(random->numbers);

	while (at < end) {
		ssize_t got = getrandom(at, (size_t)(end - at), 0);

		if (got < 0 && errno != EINTR)
			return -errno;
		at += got > 0 ? got : 0;
	}
	random->left = RANDOM_NUMBERS_AT_ONCE;
	return 0;
}

int random_below(struct random_numbers *random, uint64_t limit, uint64_t *number)
{
	/* the highest multiple of limit: numbers from there on would make low results likelier */
	uint64_t end = UINT64_MAX - UINT64_MAX % limit;

	do {
		int err = random->left ? 0 : fill_numbers(random);

		if (err)
			return err;
		*number = random->numbers[--random->left];
	} while (*number >= end);
	*number %= limit;
	return 0;
}
