// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The cgroup of a task at a time. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "kernel/cgroups.h"

static int compare_keys(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_cgroups(const void *left, const void *right)
{
	const struct cgroup *a = left, *b = right;

	if (a->id != b->id)
		return compare_keys(a->id, b->id);
	return a->since != b->since ? compare_keys(a->since, b->since)
				    : compare_keys(a->order, b->order);
}

static int compare_members(const void *left, const void *right)
{
	const struct cgroup_member *a = left, *b = right;

	if (a->is_process != b->is_process)
		return a->is_process ? 1 : -1;
	if (a->number != b->number)
		return compare_keys(a->number, b->number);
	return a->since != b->since ? compare_keys(a->since, b->since)
				    : compare_keys(a->order, b->order);
}

static int add_cgroup(struct cgroups *cgroups, struct line *line)
{
	struct cgroup *list, cgroup = { .order = cgroups->count };
	size_t size = (size_t)(line->end - line->at) + 1;

	if (!line_u64(line, 10, &cgroup.id) || !cgroup.id || !line_u64(line, 10, &cgroup.since))
		return 0;
	cgroup.path = malloc(size);
	if (!cgroup.path)
		return -ENOMEM;
	line_word(line, cgroup.path, size);
	list = array_grow(cgroups->list, cgroups->count, sizeof(*list));
	if (!list) {
		free(cgroup.path);
		return -ENOMEM;
	}
	cgroups->list = list;
	list[cgroups->count++] = cgroup;
	return 0;
}

static int add_member(struct cgroups *cgroups, struct line *line, bool is_process)
{
	struct cgroup_member *list,
		member = { .is_process = is_process, .order = cgroups->member_count };

	if (!line_u32(line, &member.number) || !line_u64(line, 10, &member.since) ||
	    !line_u64(line, 10, &member.id))
		return 0;
	list = array_grow(cgroups->members, cgroups->member_count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	cgroups->members = list;
	list[cgroups->member_count++] = member;
	return 0;
}

int cgroups_parse(struct cgroups *cgroups, const char *text)
{
	struct line line;
	int err = 0;

	*cgroups = (struct cgroups){ 0 };
	while (!err && line_next(&line, &text)) {
		if (line_key(&line, "cgroup"))
			err = add_cgroup(cgroups, &line);
		else if (line_key(&line, "member"))
			err = add_member(cgroups, &line, false);
		else if (line_key(&line, "process"))
			err = add_member(cgroups, &line, true);
		else if (line_key(&line, "uncharged"))
			cgroups->is_uncharged = true;
	}
	if (err) {
		cgroups_deinit(cgroups);
		return err;
	}
	if (cgroups->count)
		qsort(cgroups->list, cgroups->count, sizeof(*cgroups->list), compare_cgroups);
	if (cgroups->member_count)
		qsort(cgroups->members, cgroups->member_count, sizeof(*cgroups->members),
		      compare_members);
	return 0;
}

void cgroups_deinit(struct cgroups *cgroups)
{
	for (size_t i = 0; i < cgroups->count; i++)
		free(cgroups->list[i].path);
	free(cgroups->list);
	free(cgroups->members);
	*cgroups = (struct cgroups){ 0 };
}

int cgroups_write_cgroup(FILE *file, uint64_t id, uint64_t since, const char *path)
{
	fprintf(file, "cgroup %" PRIu64 " %" PRIu64 " ", id, since);
	text_write_word(file, path);
	putc('\n', file);
	return text_write_result(file);
}

int cgroups_write_gone(FILE *file, uint64_t id, uint64_t time)
{
	fprintf(file, "gone %" PRIu64 " %" PRIu64 "\n", id, time);
	return text_write_result(file);
}

int cgroups_write_member(FILE *file, const struct cgroup_member *member)
{
	fprintf(file, "%s %" PRIu32 " %" PRIu64 " %" PRIu64 "\n",
		member->is_process ? "process" : "member", member->number, member->since,
		member->id);
	return text_write_result(file);
}

int cgroups_write_uncharged(FILE *file)
{
	fputs("uncharged\n", file);
	return text_write_result(file);
}

static void limit_span(struct cgroup_span *span, uint64_t since, uint64_t until)
{
	if (since > span->since)
		span->since = since;
	if (until < span->until)
		span->until = until;
}

/* The last line of the number at the time, or NULL; span: until its next line. */
static const struct cgroup_member *find_member(const struct cgroups *cgroups, bool is_process,
					       uint32_t number, uint64_t time,
					       struct cgroup_span *span)
{
	struct cgroup_member key = {
		.is_process = is_process, .number = number, .since = time, .order = SIZE_MAX
	};
	const struct cgroup_member *list = cgroups->members;
	size_t low = 0, high = cgroups->member_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_members(&list[middle], &key) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < cgroups->member_count && list[low].number == number &&
	    list[low].is_process == is_process)
		limit_span(span, 0, list[low].since);
	if (!low || list[low - 1].number != number || list[low - 1].is_process != is_process)
		return NULL;
	limit_span(span, list[low - 1].since, UINT64_MAX);
	return &list[low - 1];
}

/* The path at the time; before the first, the first. */
static void find_path(const struct cgroups *cgroups, uint64_t id, uint64_t time,
		      struct cgroup_span *span)
{
	struct cgroup key = { .id = id, .since = time, .order = SIZE_MAX };
	const struct cgroup *list = cgroups->list;
	size_t low = 0, high = cgroups->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_cgroups(&list[middle], &key) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low && list[low - 1].id == id) {
		span->path = list[low - 1].path;
		limit_span(span, list[low - 1].since, UINT64_MAX);
		if (low < cgroups->count && list[low].id == id)
			limit_span(span, 0, list[low].since);
	} else if (low < cgroups->count && list[low].id == id) {
		span->path = list[low].path;
		limit_span(span, 0, list[low].since);
	}
}

void cgroups_find(const struct cgroups *cgroups, uint32_t tid, bool has_tgid, uint32_t tgid,
		  uint64_t time, struct cgroup_span *span)
{
	const struct cgroup_member *member, *process = NULL;

	*span = (struct cgroup_span){ .until = UINT64_MAX };
	member = find_member(cgroups, false, tid, time, span);
	if (has_tgid)
		process = find_member(cgroups, true, tgid, time, span);
	if (process && (!member || process->since >= member->since))
		member = process;
	if (member && member->id)
		find_path(cgroups, member->id, time, span);
}
