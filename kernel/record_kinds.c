// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The kinds of records as an array by id. */
#include "config.h"

#include "kernel/record_kinds.h"

#define ENTRY(unused, id, words, ctf_name, name, flags, ctf_fields) \
	[id] = { ctf_name, name, ctf_fields, flags, words },

const struct record_kind record_kinds[KMT_ID_END] = { RECORD_KINDS(ENTRY, ) };

#define COUNT(unused, id, words, ...) +((words) >= KMT_RECORD_WORDS && (words) <= UINT8_MAX)

_Static_assert(RECORD_KINDS(COUNT, ) == KMT_ID_END - 1, "one row for each id, of possible size");
#define IS_LONGER(max, id, words, ...) || (words) > (max)

_Static_assert(!(0 RECORD_KINDS(IS_LONGER, KMT_WORDS_MAX)), "KMT_WORDS_MAX is large enough");
_Static_assert(RECORD_KINDS_WITH(0) == (1ULL << KMT_ID_END) - 2, "no id twice");
