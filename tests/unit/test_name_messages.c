// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Messages with names become lines of tables. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "kernel/ring.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"
#include "tracer/names/modules.h"
#include "tracer/names/name_messages.h"

/* Replaces libbpf's ring buffer: one message. */
static struct {
	char *bytes;
	size_t size;
	ring_buffer_sample_fn take;
	void *context;
} ring;

struct ring_buffer *ring_buffer__new(int fd, ring_buffer_sample_fn take, void *context,
				     const struct ring_buffer_opts *options)
{
	(void)fd, (void)options;
	ring.take = take;
	ring.context = context;
	return (struct ring_buffer *)&ring;
}

void ring_buffer__free(struct ring_buffer *buffer)
{
	(void)buffer;
}

int ring_buffer__consume(struct ring_buffer *buffer)
{
	(void)buffer;
	if (!ring.size)
		return 0;
	ring.take(ring.context, ring.bytes, ring.size);
	ring.size = 0;
	return 1;
}

struct scene {
	struct directory directory;
	struct modules modules;
	struct name_messages names;
	uint64_t lost;
};

static void open_scene(struct scene *scene, char *path)
{
	*scene = (struct scene){ .directory = {
					 .path = path, .target = path, .parent = -1, .lock = -1 } };
	scratch_put(path, "kernel/", NULL);
	scene->directory.fd = open(path, O_RDONLY | O_DIRECTORY);
	assert_true(scene->directory.fd >= 0);
	scene->names.cgroups.hierarchy.exists = true;
	assert_int_equal(name_messages_open(&scene->names, &scene->directory, -1), 0);
	scene->names.modules = &scene->modules;
	scene->names.lost = &scene->lost;
}

static void take_message(struct scene *scene, const void *bytes, size_t size)
{
	ring.bytes = (char *)bytes;
	ring.size = size;
	assert_int_equal(name_messages_read(&scene->names), 0);
}

static void assert_table(const char *path, const char *name, const char *expected)
{
	char *file = scratch_path(path, name);
	size_t size;
	char *text = (char *)scratch_read(file, &size);

	if (size != strlen(expected) || memcmp(text, expected, size))
		fail_msg("%s: %.*s", name, (int)size, text);
	free(text);
	free(file);
}

/* A message whose texts fill their room, and more bytes behind it. */
static void texts_end_in_their_message(void **state)
{
	struct {
		struct kmt_path_message message;
		char behind[64];
	} sent;
	char name[KMT_NAME_SIZE] = "", path[KMT_PATH_SIZE] = "", *expected;
	struct scene scene;

	open_scene(&scene, *state);
	memset(&sent, 'x', sizeof(sent));
	sent.behind[sizeof(sent.behind) - 1] = '\0';
	memset(name, 'x', sizeof(name) - 1);
	memset(path, 'x', sizeof(path) - 1);
	sent.message.head = (struct kmt_message){
		.kind = KMT_MESSAGE_CACHE, .time = 5, .key = 0x100, .object_size = 8, .size = 16
	};
	memset(sent.message.head.name, 'x', sizeof(sent.message.head.name));
	take_message(&scene, &sent, sizeof(sent.message.head));
	sent.message.head.kind = KMT_MESSAGE_CGROUP;
	sent.message.head.key = 7;
	take_message(&scene, &sent, sizeof(sent.message));
	/* it is too short for a path, or for a message */
	take_message(&scene, &sent, sizeof(sent.message) - 1);
	take_message(&scene, &sent, sizeof(sent.message.head) - 1);
	assert_int_equal(name_messages_close(&scene.names), 0);
	assert_true(asprintf(&expected, "cache 0x100 5 8 16 %s\n", name) > 0);
	assert_table(*state, "kernel/caches", expected);
	free(expected);
	assert_true(asprintf(&expected, "cgroup 7 5 %s\n", path) > 0);
	assert_table(*state, "kernel/cgroups", expected);
	free(expected);
	close(scene.directory.fd);
}

static int set_up_names(void **state)
{
	*state = scratch_directory();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(texts_end_in_their_message, set_up_names,
						scratch_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
