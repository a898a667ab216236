// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The text of details that kmemtrace-top reads: every number of the view refers to something. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "live/stats/details_read.h"
#include "tests/fuzz/fuzz.h"

static void check_pairs(const struct details_view *view)
{
	for (size_t i = 0; i < view->pair_count; i++) {
		const struct details_view_pair *pair = &view->pairs[i];

		FUZZ_EXPECT(!pair->exists ||
			    (pair->site < view->site_count && view->sites[pair->site].text &&
			     pair->cache < view->cache_count && view->caches[pair->cache].text));
	}
	for (size_t i = 0; i < view->held_count; i++) {
		const struct details_held *held = &view->held[i];

		FUZZ_EXPECT(held->pair < view->pair_count && view->pairs[held->pair].exists);
		FUZZ_EXPECT(held->process < view->owner_counts[DETAILS_PROCESS] &&
			    view->owners[DETAILS_PROCESS][held->process].name);
	}
}

static void check_sampled(const struct details_view *view)
{
	for (size_t kind = 0; kind < DETAILS_SAMPLED; kind++)
		for (size_t i = 0; i < view->sampled_counts[kind]; i++)
			FUZZ_EXPECT(!view->sampled[kind][i].name ||
				    strlen(view->sampled[kind][i].name) < SIZE_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	struct details_view view = { 0 };
	char *text = fuzz_text(&input);
	int err = details_view_parse(&view, text);

	FUZZ_EXPECT(!err || err == -EBADMSG || err == -EPROTONOSUPPORT);
	FUZZ_EXPECT(!err || (!view.pairs && !view.names));
	check_pairs(&view);
	check_sampled(&view);
	details_view_deinit(&view);
	free(text);
	return 0;
}
