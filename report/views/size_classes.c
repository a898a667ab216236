// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sorts the objects of kmalloc() into their size classes. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "report/views/size_classes.h"

static int compare_requests(const void *left, const void *right)
{
	const struct size_request *a = left, *b = right;

	if (a->cache != b->cache)
		return a->cache < b->cache ? -1 : 1;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	if (a->requested != b->requested)
		return a->requested < b->requested ? -1 : 1;
	return (a->group > b->group) - (a->group < b->group);
}

static void add_requests(struct size_classes *classes, const struct analysis *analysis,
			 const struct heap_sizes *sizes)
{
	for (size_t i = 0; i < sizes->count; i++) {
		const struct heap_size *size = &sizes->list[i];
		const struct analysis_cache *cache = &analysis->caches[size->cache];
		struct size_request *request = &classes->requests[classes->request_count];

		if (!cache->is_kmalloc)
			continue;
		*request = (struct size_request){
			.cache = size->cache,
			.group = size->group,
			.requested = size->requested,
			.size = cache->is_large ? size->allocated : cache->size - cache->debug,
			.memory = size->allocated,
			.flow = size->flow,
			.live = size->live,
			.peak = size->peak,
		};
		/* all objects may have been resized */
		classes->request_count += request->flow.objects || request->live.objects ||
					  request->peak.objects;
	}
}

static void add_classes(struct size_classes *classes)
{
	const struct size_request *request = classes->requests;
	const struct size_request *end = request + classes->request_count;
	struct size_class *class;

	while (request < end) {
		class = &classes->list[classes->count++];
		*class = (struct size_class){ .requests = request,
					      .cache = request->cache,
					      .size = request->size,
					      .memory = request->memory };
		while (request < end && request->cache == class->cache &&
		       request->size == class->size)
			request++;
		class->count = (size_t)(request - class->requests);
	}
}

int size_classes_init(struct size_classes *classes, const struct analysis *analysis,
		      const struct heap_sizes *sizes)
{
	size_t most = sizes->count + 1;

	*classes = (struct size_classes){
		.requests = calloc(most, sizeof(*classes->requests)),
		.list = calloc(most, sizeof(*classes->list)),
	};
	if (!classes->requests || !classes->list) {
		size_classes_deinit(classes);
		return -ENOMEM;
	}
	add_requests(classes, analysis, sizes);
	qsort(classes->requests, classes->request_count, sizeof(*classes->requests),
	      compare_requests);
	add_classes(classes);
	return 0;
}

void size_classes_deinit(struct size_classes *classes)
{
	free(classes->requests);
	free(classes->list);
	*classes = (struct size_classes){ 0 };
}
