// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes and parses kernel/status. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/text.h"
#include "capture/status.h"

#define STATUS_FORMAT 1

static const char *const complete_words[] = {
	[STATUS_CUT_OFF] = "no",
	[STATUS_COMPLETE] = "yes",
	[STATUS_REPAIRED] = "repaired",
};
#define COMPLETE_WORDS (sizeof(complete_words) / sizeof(complete_words[0]))

static const char *const preemption_words[] = {
	[STATUS_PREEMPTION_UNKNOWN] = "unknown",
	[STATUS_PREEMPTION_NO] = "no",
	[STATUS_PREEMPTION_YES] = "yes",
};
static const char *const context_words[] = {
	[STATUS_CONTEXT_SOFTIRQ] = "softirq",
	[STATUS_CONTEXT_ALL] = "all",
};
#define PREEMPTION_WORDS (sizeof(preemption_words) / sizeof(preemption_words[0]))

/*
 * The keys with one number: the key on disk, and the member of struct status, whose name may
 * differ. Three other keys differ from the names in C too: rescue (backup_programs_reason), raised
 * (clamped) and wanted (traced_pids).
 */
static const struct {
	const char *key;
	size_t offset;
} numbers[] = {
	{ "begin", offsetof(struct status, begin) },
	{ "end", offsetof(struct status, end) },
	{ "ring_bytes", offsetof(struct status, ring_bytes) },
	{ "skipped", offsetof(struct status, skipped) },
	{ "rescued", offsetof(struct status, from_backup) },
	{ "rescue_off", offsetof(struct status, backup_off_cpus) },
	{ "hook_skipped", offsetof(struct status, hook_calls_skipped) },
	{ "names_lost", offsetof(struct status, names_lost) },
	{ "lost_unattributed", offsetof(struct status, lost_unattributed) },
};
#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

void status_deinit(struct status *status)
{
	free(status->traced_pids);
	free(status->own_tasks);
	free(status->cpus);
	free(status->lost_tasks);
	free(status->paths);
	free(status->probes.list);
	free(status->spans);
	free(status->skip_spans);
	*status = (struct status){ 0 };
}

int status_add_traced_pid(struct status *status, uint32_t tgid)
{
	uint32_t *list = array_grow(status->traced_pids, status->traced_pid_count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	status->traced_pids = list;
	list[status->traced_pid_count++] = tgid;
	return 0;
}

/* The index of the task in own_tasks, or the index to insert it at. */
static size_t find_own(const struct status *status, uint32_t task)
{
	size_t low = 0, high = status->own_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (status->own_tasks[middle] < task)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool status_search_own(const struct status *status, uint32_t task)
{
	size_t index = find_own(status, task);

	return index < status->own_count && status->own_tasks[index] == task;
}

int status_add_own(struct status *status, uint32_t task)
{
	size_t index = find_own(status, task);
	uint32_t *list;

	if (index < status->own_count && status->own_tasks[index] == task)
		return 0;
	list = array_grow(status->own_tasks, status->own_count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	status->own_tasks = list;
	memmove(list + index + 1, list + index, (status->own_count - index) * sizeof(*list));
	list[index] = task;
	status->own_count++;
	return 0;
}

static int compare_cpu(const void *key, const void *element)
{
	unsigned int cpu = *(const unsigned int *)key;
	const struct status_cpu *other = element;

	return (cpu > other->cpu) - (cpu < other->cpu);
}

struct status_cpu *status_find_cpu(const struct status *status, unsigned int cpu)
{
	if (!status->cpu_count)
		return NULL;
	return bsearch(&cpu, status->cpus, status->cpu_count, sizeof(*status->cpus), compare_cpu);
}

struct status_cpu *status_add_cpu(struct status *status, unsigned int cpu)
{
	size_t index = status->cpu_count;
	struct status_cpu *list;

	while (index && status->cpus[index - 1].cpu > cpu)
		index--;
	if (index && status->cpus[index - 1].cpu == cpu)
		return &status->cpus[index - 1];
	list = array_grow(status->cpus, status->cpu_count, sizeof(*list));
	if (!list)
		return NULL;
	status->cpus = list;
	memmove(list + index + 1, list + index, (status->cpu_count - index) * sizeof(*list));
	list[index] = (struct status_cpu){ .cpu = cpu };
	status->cpu_count++;
	return &list[index];
}

int status_add_lost_task(struct status *status, uint32_t task, uint64_t count)
{
	struct status_lost_task *list =
		array_grow(status->lost_tasks, status->lost_task_count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	status->lost_tasks = list;
	list[status->lost_task_count++] = (struct status_lost_task){ task, count };
	return 0;
}

int status_add_path(struct status *status, const char *name, bool observed, const char *reason)
{
	struct status_path *list = array_grow(status->paths, status->path_count, sizeof(*list));
	struct status_path *path;

	if (!list)
		return -ENOMEM;
	status->paths = list;
	path = &list[status->path_count++];
	path->observed = observed;
	snprintf(path->name, sizeof(path->name), "%s", name);
	snprintf(path->reason, sizeof(path->reason), "%s", observed || !reason ? "" : reason);
	return 0;
}

size_t status_count_unobserved(const struct status *status)
{
	size_t count = 0;

	for (size_t i = 0; i < status->path_count; i++)
		count += !status->paths[i].observed;
	return count;
}

char *status_unobserved_names(const struct status *status, const char *separator)
{
	char *text, *end;

	text = end =
		calloc(status->path_count + 1, sizeof(status->paths->name) + strlen(separator));
	for (size_t i = 0; i < status->path_count && text; i++)
		if (!status->paths[i].observed)
			end = stpcpy(stpcpy(end, end == text ? "" : separator),
				     status->paths[i].name);
	return text;
}

struct status_counted status_sum_counted(const struct status *status)
{
	struct status_counted sum = { 0 };

	for (size_t i = 0; i < status->cpu_count; i++) {
		number_add(&sum.allocations, status->cpus[i].counted.allocations);
		number_add(&sum.frees, status->cpus[i].counted.frees);
		number_add(&sum.bytes, status->cpus[i].counted.bytes);
	}
	return sum;
}

int status_add_span(struct status *status, const struct status_span *span)
{
	struct status_span *list = array_grow(status->spans, status->span_count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	status->spans = list;
	list[status->span_count++] = *span;
	return 0;
}

int status_add_spans(struct status *status, unsigned int cpu, const struct loss *loss)
{
	/* Merges groups of neighbours, so that at most STATUS_SPANS_MAX spans are left. */
	size_t group = loss->count / STATUS_SPANS_MAX + (loss->count % STATUS_SPANS_MAX != 0);
	uint64_t numbers_in_spans = 0;
	bool exact;

	for (size_t i = 0; i < loss->count; i++)
		numbers_in_spans += loss->spans[i].last - loss->spans[i].first + 1;
	exact = numbers_in_spans == loss_missing(loss);
	for (size_t i = 0; i < loss->count;) {
		struct status_span merged = { .cpu = cpu, .span = loss->spans[i] };
		int err;

		for (size_t end = i + group; i < end && i < loss->count; i++) {
			const struct loss_span *span = &loss->spans[i];

			merged.span.last = span->last;
			if (span->after < merged.span.after)
				merged.span.after = span->after;
			if (span->before > merged.span.before)
				merged.span.before = span->before;
			merged.count += span->last - span->first + 1;
		}
		if (!exact)
			merged.count = STATUS_UNKNOWN;
		err = status_add_span(status, &merged);
		if (err)
			return err;
	}
	return 0;
}

static uint64_t time_between(const struct status_skip_span *skip)
{
	return skip[1].after > skip[0].before ? skip[1].after - skip[0].before : 0;
}

/* Merges the neighbours with the least time between them; if equal, those shortest together. */
static void merge_skips(struct status *status)
{
	struct status_skip_span *skips = status->skip_spans, *merged = skips;

	for (struct status_skip_span *skip = skips; skip + 1 < skips + status->skip_span_count;
	     skip++) {
		uint64_t gap = time_between(skip), least = time_between(merged);

		if (gap < least || (gap == least && skip[1].before - skip->after <
							    merged[1].before - merged->after))
			merged = skip;
	}
	if (merged[1].after < merged->after)
		merged->after = merged[1].after;
	if (merged[1].before > merged->before)
		merged->before = merged[1].before;
	merged->count += merged[1].count;
	status->skip_span_count--;
	memmove(merged + 1, merged + 2,
		(skips + status->skip_span_count - (merged + 1)) * sizeof(*merged));
}

int status_add_skip_span(struct status *status, uint64_t after, uint64_t before, uint64_t count)
{
	struct status_skip_span *list;

	if (!count || after >= before)
		return 0;
	list = array_grow(status->skip_spans, status->skip_span_count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	status->skip_spans = list;
	list[status->skip_span_count++] = (struct status_skip_span){ after, before, count };
	if (status->skip_span_count > STATUS_SKIP_SPANS_MAX)
		merge_skips(status);
	return 0;
}

static void write_count(FILE *file, uint64_t count)
{
	if (count == STATUS_UNKNOWN)
		fputs(" unknown", file);
	else
		fprintf(file, " %" PRIu64, count);
}

static void write_lists(const struct status *status, FILE *file)
{
	for (size_t i = 0; i < status->traced_pid_count; i++)
		fprintf(file, "wanted %" PRIu32 "\n", status->traced_pids[i]);
	for (size_t i = 0; i < status->own_count; i++)
		fprintf(file, "own_task %" PRIu32 "\n", status->own_tasks[i]);
	for (size_t i = 0; i < status->cpu_count; i++) {
		const struct status_cpu *cpu = &status->cpus[i];

		fprintf(file,
			"cpu %u seen %" PRIu64 " recorded %" PRIu64 " lost %" PRIu64 " skipped",
			cpu->cpu, cpu->seen, cpu->recorded, cpu->lost);
		write_count(file, cpu->skipped);
		fprintf(file, " own %" PRIu64 " rescued %" PRIu64 "\n", cpu->own, cpu->from_backup);
	}
	for (size_t i = 0; i < status->cpu_count && status->sampling.is_profile; i++) {
		const struct status_counted *counted = &status->cpus[i].counted;

		fprintf(file, "counted %u %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			status->cpus[i].cpu, counted->allocations, counted->frees, counted->bytes);
	}
	for (size_t i = 0; i < status->lost_task_count; i++)
		fprintf(file, "lost_task %" PRIu32 " %" PRIu64 "\n", status->lost_tasks[i].task,
			status->lost_tasks[i].count);
	for (size_t i = 0; i < status->path_count; i++) {
		const struct status_path *path = &status->paths[i];

		fputs(path->observed ? "observed " : "unobserved ", file);
		text_write_word(file, path->name);
		if (!path->observed) {
			putc(' ', file);
			text_write_rest(file, path->reason);
		}
		putc('\n', file);
	}
	for (size_t i = 0; i < status->span_count; i++) {
		const struct status_span *span = &status->spans[i];

		fprintf(file, "lost_span %u %" PRIu64 " %" PRIu64, span->cpu, span->span.first,
			span->span.last);
		write_count(file, span->count);
		fprintf(file, " %" PRIu64 " %" PRIu64 "\n", span->span.after, span->span.before);
	}
	for (size_t i = 0; i < status->skip_span_count; i++)
		fprintf(file, "skip %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			status->skip_spans[i].after, status->skip_spans[i].before,
			status->skip_spans[i].count);
}

int status_write(const struct status *status, FILE *file)
{
	fprintf(file, "format %d\ncomplete %s\nstopped ", STATUS_FORMAT,
		complete_words[status->complete]);
	text_write_rest(file, status->stopped);
	fprintf(file, "\ninclude_self %s\n", status->include_self ? "yes" : "no");
	if (status->backup_known) {
		fprintf(file, "rescue %s", status->backup_programs_reason[0] ? "no " : "yes");
		text_write_rest(file, status->backup_programs_reason);
		putc('\n', file);
	}
	if (status->preemption)
		fprintf(file, "preemption %s %" PRIu64 "%s\n", preemption_words[status->preemption],
			status->copies, status->front ? " front" : "");
	if (status->context)
		fprintf(file, "context %s\n", context_words[status->context]);
	for (size_t i = 0; i < NUMBERS; i++) {
		fputs(numbers[i].key, file);
		write_count(file, *(const uint64_t *)((const char *)status + numbers[i].offset));
		putc('\n', file);
	}
	if (status->until)
		fprintf(file, "until %" PRIu64 "\n", status->until);
	fprintf(file, "raised %" PRIu64 " %" PRIu64 "\n", status->clamped, status->clamped_max);
	if (status->no_slab)
		fputs("slab no\n", file);
	status_sampling_write(&status->sampling, file);
	status_probes_write(&status->probes, file);
	write_lists(status, file);
	return text_write_result(file);
}

static bool line_count(struct line *line, uint64_t *count)
{
	if (!line_key(line, "unknown"))
		return line_u64(line, 10, count);
	*count = STATUS_UNKNOWN;
	return true;
}

/* The writer sorts the CPUs: a line out of order is skipped. */
static int parse_cpu(struct status *status, struct line *line)
{
	struct status_cpu *added, cpu;

	if (!line_u32(line, &cpu.cpu) || !line_key(line, "seen") ||
	    !line_u64(line, 10, &cpu.seen) || !line_key(line, "recorded") ||
	    !line_u64(line, 10, &cpu.recorded) || !line_key(line, "lost") ||
	    !line_u64(line, 10, &cpu.lost) || !line_key(line, "skipped") ||
	    !line_count(line, &cpu.skipped) || !line_key(line, "own") ||
	    !line_u64(line, 10, &cpu.own))
		return 0;
	cpu.from_backup = 0;
	cpu.counted = (struct status_counted){ 0 };
	if (line_key(line, "rescued"))
		line_u64(line, 10, &cpu.from_backup);
	if (status->cpu_count && status->cpus[status->cpu_count - 1].cpu >= cpu.cpu)
		return 0;
	added = status_add_cpu(status, cpu.cpu);
	if (!added)
		return -ENOMEM;
	*added = cpu;
	return 0;
}

/* After the lines of the CPUs. */
static int parse_counted(struct status *status, struct line *line)
{
	struct status_counted counted;
	struct status_cpu *cpu;
	uint32_t number;

	if (!line_u32(line, &number) || !line_u64(line, 10, &counted.allocations) ||
	    !line_u64(line, 10, &counted.frees) || !line_u64(line, 10, &counted.bytes))
		return 0;
	cpu = status_find_cpu(status, number);
	if (cpu)
		cpu->counted = counted;
	return 0;
}

static int parse_span(struct status *status, struct line *line)
{
	struct status_span span;

	if (!line_u32(line, &span.cpu) || !line_u64(line, 10, &span.span.first) ||
	    !line_u64(line, 10, &span.span.last) || !line_count(line, &span.count) ||
	    !line_u64(line, 10, &span.span.after) || !line_u64(line, 10, &span.span.before))
		return 0;
	return status_add_span(status, &span);
}

static int parse_skip(struct status *status, struct line *line)
{
	uint64_t after, before, count;

	if (!line_u64(line, 10, &after) || !line_u64(line, 10, &before) ||
	    !line_u64(line, 10, &count))
		return 0;
	return status_add_skip_span(status, after, before, count);
}

static int parse_path(struct status *status, struct line *line, bool observed)
{
	struct status_path path;

	line_word(line, path.name, sizeof(path.name));
	line_rest(line, path.reason, sizeof(path.reason));
	return path.name[0] ? status_add_path(status, path.name, observed, path.reason) : 0;
}

/* Parses a key that several lines may have. */
static int parse_list(struct status *status, struct line *line)
{
	uint64_t count;
	uint32_t id;

	if (line_key(line, "cpu"))
		return parse_cpu(status, line);
	if (line_key(line, "counted"))
		return parse_counted(status, line);
	if (line_key(line, "wanted"))
		return line_u32(line, &id) ? status_add_traced_pid(status, id) : 0;
	if (line_key(line, "own_task")) {
		/* sorted, as the CPUs are */
		if (!line_u32(line, &id) ||
		    (status->own_count && status->own_tasks[status->own_count - 1] >= id))
			return 0;
		return status_add_own(status, id);
	}
	if (line_key(line, "lost_task")) {
		if (!line_u32(line, &id) || !line_u64(line, 10, &count))
			return 0;
		return status_add_lost_task(status, id, count);
	}
	if (line_key(line, "observed"))
		return parse_path(status, line, true);
	if (line_key(line, "unobserved"))
		return parse_path(status, line, false);
	if (line_key(line, "probe"))
		return status_probes_parse(&status->probes, line, true);
	if (line_key(line, "no_probe"))
		return status_probes_parse(&status->probes, line, false);
	if (line_key(line, "lost_span"))
		return parse_span(status, line);
	if (line_key(line, "skip"))
		return parse_skip(status, line);
	status->unknown_lines += line->at < line->end;
	return 0;
}

/* Parses a key that one line has; false: the key is another. */
static bool parse_single(struct status *status, struct line *line)
{
	if (line_key(line, "complete")) {
		for (size_t i = 0; i < COMPLETE_WORDS; i++)
			if (line_key(line, complete_words[i]))
				status->complete = i;
		return true;
	}
	if (line_key(line, "stopped")) {
		line_rest(line, status->stopped, sizeof(status->stopped));
		return true;
	}
	if (line_key(line, "include_self")) {
		status->include_self = line_key(line, "yes");
		return true;
	}
	if (line_key(line, "slab")) {
		status->no_slab = line_key(line, "no");
		return true;
	}
	if (line_key(line, "rescue")) {
		status->backup_known = line_key(line, "yes") || line_key(line, "no");
		if (status->backup_known)
			line_rest(line, status->backup_programs_reason,
				  sizeof(status->backup_programs_reason));
		return true;
	}
	if (line_key(line, "preemption")) {
		for (size_t i = STATUS_PREEMPTION_UNKNOWN; i < PREEMPTION_WORDS; i++)
			if (line_key(line, preemption_words[i])) {
				status->preemption = i;
				line_u64(line, 10, &status->copies);
				status->front = line_key(line, "front");
			}
		return true;
	}
	if (line_key(line, "context")) {
		for (size_t i = STATUS_CONTEXT_SOFTIRQ; i <= STATUS_CONTEXT_ALL; i++)
			if (line_key(line, context_words[i]))
				status->context = i;
		return true;
	}
	if (line_key(line, "until")) {
		line_u64(line, 10, &status->until);
		return true;
	}
	if (line_key(line, "raised")) {
		if (line_u64(line, 10, &status->clamped))
			line_u64(line, 10, &status->clamped_max);
		return true;
	}
	for (size_t i = 0; i < NUMBERS; i++) {
		if (!line_key(line, numbers[i].key))
			continue;
		line_count(line, (uint64_t *)((char *)status + numbers[i].offset));
		return true;
	}
	return false;
}

int status_parse(struct status *status, const char *text, struct error *error)
{
	struct line line;
	int err = 0;

	*status = (struct status){ 0 };
	while (!err && line_next(&line, &text)) {
		uint64_t format;

		if (line_key(&line, "format")) {
			if (line_u64(&line, 10, &format) && format > STATUS_FORMAT)
				err = error_format(error, -EPROTONOSUPPORT,
						   "the status has format %" PRIu64
						   ", this program reads up to %d",
						   format, STATUS_FORMAT);
		} else if (!parse_single(status, &line) &&
			   !status_sampling_parse(&status->sampling, &line)) {
			err = parse_list(status, &line);
			if (err)
				error_set(error, err, "there is not enough memory for the status");
		}
	}
	if (err)
		status_deinit(status);
	return err;
}
