// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The names that the BPF programs and perf events send, as kmemtraced reads them: messages of any
 * bytes about caches, tasks, modules, cgroups and stacks, changes of mappings with any paths, and
 * the answer of the process that names functions. Each table is printable, and its reader takes it.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/files.h"
#include "kernel/caches.h"
#include "kernel/cgroups.h"
#include "kernel/ring.h"
#include "kernel/stacks.h"
#include "kernel/tasks.h"
#include "kernel/user_symbols.h"
#include "tests/fuzz/fuzz.h"
#include "tracer/names/modules.h"
#include "tracer/names/name_messages.h"
#include "tracer/names/stack_messages.h"
#include "tracer/names/user_stacks.h"

#define PAGE 4096
#define PERF_BYTES (256 * 1024U) /* of a perf ring: RING_BYTES of mapping_events.c */
#define TABLE_MAX ((size_t)64 << 20)
#define MESSAGES_MAX 64

/* A part of an input is a message to the reader of the ring that its first byte names. */
struct ring_buffer {
	ring_buffer_sample_fn take;
	void *context;
	int fd; /* its index in rings */
	struct fuzz_input left;
};

enum ring {
	NAMES,
	STACKS,
	RINGS,
	MAPPINGS = RINGS,
	KINDS,
};

static struct ring_buffer rings[RINGS];
static struct fuzz_input messages; /* all of a round */
static bool is_mapped;		   /* perf events are replaced */
static char *function_names;

struct ring_buffer *ring_buffer__new(int fd, ring_buffer_sample_fn take, void *context,
				     const struct ring_buffer_opts *options)
{
	(void)options;
	rings[fd] = (struct ring_buffer){ take, context, fd, messages };
	return &rings[fd];
}

void ring_buffer__free(struct ring_buffer *buffer)
{
	(void)buffer;
}

/* Each message is in memory of its own size, so that the sanitizer sees a read behind it. */
int ring_buffer__consume(struct ring_buffer *buffer)
{
	int count = 0;

	while (buffer->left.left && count < MESSAGES_MAX) {
		size_t size;
		const uint8_t *part = fuzz_part(&buffer->left, &size);
		void *message;

		if (!size || *part % KINDS != (unsigned int)buffer->fd)
			continue;
		message = malloc(size - 1);
		FUZZ_EXPECT(message || size == 1);
		if (size > 1)
			memcpy(message, part + 1, size - 1);
		FUZZ_EXPECT(!buffer->take(buffer->context, message, size - 1));
		free(message);
		count++;
	}
	return count;
}

/* The map of incomplete caches has one. */
int bpf_map_get_next_key(int fd, const void *previous, void *next)
{
	(void)fd;
	if (previous)
		return -ENOENT;
	memset(next, 1, sizeof(uint64_t));
	return 0;
}

int bpf_map_lookup_elem(int fd, const void *key, void *value)
{
	struct kmt_partial_cache *partial = value;

	(void)fd, (void)key;
	*partial = (struct kmt_partial_cache){ .size = 8 };
	memset(partial->name, 'p', sizeof(partial->name) - 1);
	return 0;
}

int function_namer_ask_file(struct function_namer *namer, uint32_t number, uint32_t pid,
			    const char *text)
{
	(void)namer, (void)number, (void)pid;
	FUZZ_EXPECT(strchr(text, ' '));
	return 0;
}

int function_namer_ask_offset(struct function_namer *namer, uint64_t offset)
{
	(void)namer, (void)offset;
	return 0;
}

int function_namer_answer(struct function_namer *namer, char **text)
{
	(void)namer;
	*text = strdup(function_names);
	return *text ? 0 : -ENOMEM;
}

long __wrap_syscall(long number, ...);
void *__real_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset);
int __real_munmap(void *address, size_t size);
int __wrap_munmap(void *address, size_t size);
DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);

/* perf_event_open() is the only one. */
long __wrap_syscall(long number, ...)
{
	FUZZ_EXPECT(number == SYS_perf_event_open);
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static uint64_t perf_memory[(PAGE + PERF_BYTES) / sizeof(uint64_t)] __attribute__((aligned(PAGE)));

void *__wrap_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	if (is_mapped && size == sizeof(perf_memory))
		return perf_memory;
	return __real_mmap(address, size, protection, flags, fd, offset);
}

int __wrap_munmap(void *address, size_t size)
{
	return address == perf_memory ? 0 : __real_munmap(address, size);
}

/* No process has mappings before the first event. */
DIR *__wrap_opendir(const char *path)
{
	errno = ENOENT;
	return is_mapped && !strcmp(path, "/proc") ? NULL : __real_opendir(path);
}

/* As the kernel writes records: a size in words of 8 bytes, a path that ends, and the time. */
static void add_perf_record(struct perf_event_mmap_page *control, const uint8_t *bytes, size_t size)
{
	/* the largest record without a path, and the time */
	const size_t least = 72 + sizeof(uint64_t), most = least + PATH_MAX;
	uint8_t record[72 + sizeof(uint64_t) + PATH_MAX] = { 0 };
	char *data = (char *)perf_memory + PAGE;
	size_t whole = size < least ? least : (size + 1 + 2 * sizeof(uint64_t) - 1) / 8 * 8;
	struct perf_event_header header = { 0 };

	whole = whole > most ? most : whole;
	if (control->data_head + whole - control->data_tail > PERF_BYTES)
		return;
	size = size > whole - sizeof(uint64_t) - 1 ? whole - sizeof(uint64_t) - 1 : size;
	memcpy(record, bytes, size);
	memcpy(record + whole - sizeof(uint64_t), bytes, size < 8 ? size : 8);
	memcpy(&header, record, sizeof(header));
	header.type %= PERF_RECORD_MMAP2 + 1;
	header.size = (uint16_t)whole;
	memcpy(record, &header, sizeof(header));
	for (size_t i = 0; i < whole; i++)
		data[(control->data_head + i) % PERF_BYTES] = (char)record[i];
	control->data_head += whole;
}

static void add_perf_records(void)
{
	struct perf_event_mmap_page *control = (void *)perf_memory;
	struct fuzz_input input = messages;

	while (input.left) {
		size_t size;
		const uint8_t *part = fuzz_part(&input, &size);

		if (size > 1 && *part % KINDS == MAPPINGS)
			add_perf_record(control, part + 1, size - 1);
	}
}

static char *take_table(const struct directory *directory, const char *name)
{
	char *text = NULL;
	size_t size;

	FUZZ_EXPECT(!read_file(directory->fd, name, TABLE_MAX, &text, &size));
	fuzz_expect_printable(text, size);
	FUZZ_EXPECT(!size || text[size - 1] == '\n');
	return text;
}

static void read_tables(const struct directory *directory, size_t stack_count)
{
	struct user_symbols symbols;
	struct cgroups cgroups;
	struct caches caches;
	struct stacks stacks;
	struct tasks tasks;
	char *text;

	text = take_table(directory, "kernel/caches");
	FUZZ_EXPECT(!caches_parse(&caches, text));
	caches_deinit(&caches);
	free(text);
	text = take_table(directory, "kernel/tasks");
	FUZZ_EXPECT(!tasks_parse(&tasks, text));
	tasks_deinit(&tasks);
	free(text);
	text = take_table(directory, "kernel/cgroups");
	FUZZ_EXPECT(!cgroups_parse(&cgroups, text));
	cgroups_deinit(&cgroups);
	free(text);
	text = take_table(directory, "kernel/stacks");
	FUZZ_EXPECT(!stacks_parse(&stacks, text));
	/* no stack has the id 0 */
	if (stacks.count + !!strstr(text, "stack 0 ") != stack_count)
		fuzz_fail(__FILE__, __LINE__, "all stacks", text);
	stacks_deinit(&stacks);
	free(text);
	text = take_table(directory, "kernel/user_symbols");
	FUZZ_EXPECT(!user_symbols_parse(&symbols, text));
	user_symbols_deinit(&symbols);
	free(text);
}

static void free_modules(struct modules *modules)
{
	for (size_t i = 0; i < modules->change_count; i++)
		module_list_deinit(&modules->changes[i].now);
	free(modules->changes);
	free(modules->messages);
	pthread_mutex_destroy(&modules->mutex);
	pthread_cond_destroy(&modules->changed);
}

static void take_messages(struct directory *directory, bool publishes)
{
	uint64_t lost = 0;
	char *published = NULL;
	size_t published_size;
	FILE *copy = publishes ? open_memstream(&published, &published_size) : NULL;
	struct modules modules = { .started = true, .listed = true };
	struct name_messages names = { .cgroups = { .hierarchy = { .exists = true } } };
	struct user_stacks user;
	struct stack_messages stacks;

	pthread_mutex_init(&modules.mutex, NULL);
	pthread_cond_init(&modules.changed, NULL);
	FUZZ_EXPECT(!name_messages_open(&names, directory, NAMES));
	names.modules = &modules;
	names.lost = &lost;
	names.cgroups.published = &copy;
	FUZZ_EXPECT(!user_stacks_open(&user, directory, 1));
	FUZZ_EXPECT(!stack_messages_open(&stacks, directory, STACKS, &user));
	stacks.published = &copy;
	/* the same messages again */
	for (int round = 0; round < 2; round++) {
		rings[NAMES].left = rings[STACKS].left = messages;
		FUZZ_EXPECT(!name_messages_read(&names));
		add_perf_records();
		FUZZ_EXPECT(!stack_messages_read(&stacks));
		FUZZ_EXPECT(!user_stacks_step(&user));
	}
	FUZZ_EXPECT(!name_messages_add_incomplete(&names, 0));
	FUZZ_EXPECT(!user_stacks_name(&user, NULL));
	FUZZ_EXPECT(!modules.err);
	FUZZ_EXPECT(!name_messages_close(&names) && !user_stacks_close(&user));
	FUZZ_EXPECT(!stack_messages_close(&stacks));
	if (copy)
		fclose(copy);
	if (published)
		fuzz_expect_printable(published, published_size);
	free(published);
	read_tables(directory, stacks.count);
	free_modules(&modules);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	struct directory directory = {
		.path = "names", .target = "names", .parent = -1, .lock = -1
	};
	bool publishes = fuzz_byte(&input) & 1;
	struct fuzz_input answer;

	answer.at = fuzz_part(&input, &answer.left);
	function_names = fuzz_text(&answer);
	messages = input;
	memset(perf_memory, 0, PAGE);
	fuzz_empty("names");
	fuzz_make("names/kernel");
	directory.fd = open(fuzz_path("names"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	FUZZ_EXPECT(directory.fd >= 0);
	is_mapped = true;
	take_messages(&directory, publishes);
	is_mapped = false;
	close(directory.fd);
	free(function_names);
	return 0;
}
