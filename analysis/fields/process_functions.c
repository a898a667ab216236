// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The functions of expressions about the memory of a process, as it was last read. */
#include "config.h"

#include <errno.h>

#include "analysis/fields/functions.h"
#include "analysis/fields/labels.h"

/* The arguments of a function of a process: its id, or none for the event's process. */
static const struct process_memory *
find_process(struct value_source *source, const struct transition *transition, struct value pid)
{
	if (!pid.known || pid.number < 0 || pid.number > UINT32_MAX)
		return NULL;
	return process_memories_find(&source->capture->process_memory, (uint32_t)pid.number,
				     transition->event->time);
}

#define PAGES_FUNCTION(name, member)                                                         \
	static struct value name##_of(struct value_source *source,                           \
				      const struct transition *transition, struct value pid) \
	{                                                                                    \
		const struct process_memory *memory = find_process(source, transition, pid); \
                                                                                             \
		return memory && memory->pages.member <= INT64_MAX                           \
			       ? value_of((int64_t)memory->pages.member)                     \
			       : value_unknown();                                            \
	}

PAGES_FUNCTION(size, size)
PAGES_FUNCTION(rss, resident)
PAGES_FUNCTION(shr, shared)
PAGES_FUNCTION(txt, text)
PAGES_FUNCTION(data, data)

static struct value age_of(struct value_source *source, const struct transition *transition,
			   struct value pid)
{
	const struct process_memory *memory = find_process(source, transition, pid);
	uint64_t time = transition->event->time;

	if (!memory)
		return value_unknown();
	return value_of((int64_t)(time - process_memories_read_since(
						 &source->capture->process_memory, memory, time)));
}

static struct value string_of(struct value_source *source, const struct transition *transition,
			      struct value pid)
{
	const struct process_memory *memory = find_process(source, transition, pid);
	const unsigned int page = source->capture->metadata.page_size;
	char texts[5][SIZE_TEXT];
	uint32_t number;

	if (!memory || !page)
		return value_unknown();
	const uint64_t pages[5] = { memory->pages.size, memory->pages.resident,
				    memory->pages.shared, memory->pages.text, memory->pages.data };
	for (size_t i = 0; i < 5; i++) {
		if (pages[i] > (uint64_t)INT64_MAX / page)
			return value_unknown();
		size_text((int64_t)(pages[i] * page), texts[i]);
	}
	number = texts_take(&source->texts,
			    label_new("size: %s, rss: %s, shr: %s, txt: %s, data: %s", texts[0],
				      texts[1], texts[2], texts[3], texts[4]));
	if (!number)
		source->err = -ENOMEM;
	return (struct value){ number, number != 0 };
}

/* proc_mem_NAME() of the event's process, and proc_mem_NAME_pid(pid) */
#define CALLS(name)                                                                      \
	struct value call_proc_mem_##name(struct value_source *source,                   \
					  const struct transition *transition,           \
					  const struct value *arguments)                 \
	{                                                                                \
		(void)arguments;                                                         \
		return name##_of(source, transition, value_get_pid(source, transition)); \
	}                                                                                \
	struct value call_proc_mem_##name##_pid(struct value_source *source,             \
						const struct transition *transition,     \
						const struct value *arguments)           \
	{                                                                                \
		return name##_of(source, transition, arguments[0]);                      \
	}

CALLS(size)
CALLS(rss)
CALLS(shr)
CALLS(txt)
CALLS(data)
CALLS(string)
CALLS(age)
