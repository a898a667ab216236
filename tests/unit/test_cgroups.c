// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The cgroup of a task at a time, and the container in a path. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "base/text.h"
#include "kernel/cgroups.h"
#include "kernel/container.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const char *path_at(const struct cgroups *cgroups, uint32_t tid, uint32_t tgid,
			   uint64_t time)
{
	struct cgroup_span span;

	cgroups_find(cgroups, tid, tgid != 0, tgid, time, &span);
	assert_true(span.since <= time);
	assert_true(span.until > time);
	return span.path ? span.path : "none";
}

static void threads_and_processes_move(void **state)
{
	struct cgroups cgroups;

	(void)state;
	assert_int_equal(cgroups_parse(&cgroups, "cgroup 1 0 /\ncgroup 5 0 /a\n"
						 "member 7 0 1\nmember 8 0 1\nprocess 7 500 5\n"
						 "member 8 600 1\nmember 9 550 5\ngone 5 900\n"
						 "process 7 1000 1\n"),
			 0);
	assert_string_equal(path_at(&cgroups, 7, 7, 0), "/");
	assert_string_equal(path_at(&cgroups, 7, 7, 499), "/");
	assert_string_equal(path_at(&cgroups, 7, 7, 500), "/a");
	assert_string_equal(path_at(&cgroups, 8, 7, 599), "/a");
	assert_string_equal(path_at(&cgroups, 8, 7, 600), "/");
	/* without its process, only its own lines count */
	assert_string_equal(path_at(&cgroups, 8, 0, 599), "/");
	assert_string_equal(path_at(&cgroups, 9, 7, 549), "/a");
	/* gone, and its path stays */
	assert_string_equal(path_at(&cgroups, 9, 7, 999), "/a");
	assert_string_equal(path_at(&cgroups, 9, 7, 1000), "/");
	/* a new thread, before it was created; a thread without a line */
	assert_string_equal(path_at(&cgroups, 9, 0, 549), "none");
	assert_string_equal(path_at(&cgroups, 10, 10, 5), "none");
	cgroups_deinit(&cgroups);
	assert_string_equal(path_at(&cgroups, 7, 7, 5), "none");
}

static void names_change_and_later_lines_win(void **state)
{
	struct cgroups cgroups;

	(void)state;
	assert_int_equal(cgroups_parse(&cgroups, "cgroup 5 10 /old\\x20name\ncgroup 5 100 /new\n"
						 "member 7 0 5\nmember 7 0 0\nmember 7 50 5\n"
						 "member 7 200 6\n"),
			 0);
	/* of two lines of one time, the last one */
	assert_string_equal(path_at(&cgroups, 7, 7, 20), "none");
	assert_string_equal(path_at(&cgroups, 7, 7, 50), "/old name");
	assert_string_equal(path_at(&cgroups, 7, 7, 99), "/old name");
	assert_string_equal(path_at(&cgroups, 7, 7, 100), "/new");
	/* a cgroup without a line */
	assert_string_equal(path_at(&cgroups, 7, 7, 200), "none");
	cgroups_deinit(&cgroups);
}

static void skips_wrong_lines(void **state)
{
	struct cgroups cgroups;

	(void)state;
	assert_int_equal(cgroups_parse(&cgroups, "cgroup\ncgroup 0 1 /a\ncgroup x 1 /a\nfuture 1\n"
						 "member 4294967296 0 5\nmember 7 0\n"
						 "cgroups 5 0 /b\nprocess 7 -1 5\nmember 7 0 5"),
			 0);
	assert_int_equal(cgroups.count, 0);
	assert_int_equal(cgroups.member_count, 0);
	cgroups_deinit(&cgroups);
}

static void writes_what_it_reads(void **state)
{
	static const char text[] = "cgroup 5 10 /a\\x20b\nmember 7 50 5\nprocess 8 60 5\n";
	struct cgroups cgroups;
	char *written = NULL;
	size_t size;
	FILE *file = open_memstream(&written, &size);

	(void)state;
	assert_int_equal(cgroups_parse(&cgroups, text), 0);
	assert_int_equal(cgroups_write_cgroup(file, 5, 10, cgroups.list[0].path), 0);
	for (size_t i = 0; i < cgroups.member_count; i++)
		assert_int_equal(cgroups_write_member(file, &cgroups.members[i]), 0);
	assert_int_equal(text_close(file, &written), 0);
	assert_string_equal(written, text);
	free(written);
	cgroups_deinit(&cgroups);
}

static void names_containers(void **state)
{
	static const struct {
		const char *path, *name; /* NULL: none */
	} paths[] = {
		{ "/", NULL },
		{ "", NULL },
		{ "/init.scope", NULL },
		{ "/a/b", NULL },
		/* podman, by systemd and by cgroupfs, and its monitor */
		{ "/machine.slice/libpod-" ID ".scope/container", "0123456789ab" },
		{ "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope",
		  "0123456789ab" },
		{ "/libpod_parent/libpod-" ID, "0123456789ab" },
		{ "/machine.slice/libpod-conmon-" ID ".scope", NULL },
		{ "/machine.slice/crio-conmon-" ID ".scope", NULL },
		/* docker */
		{ "/docker/" ID, "0123456789ab" },
		{ "/system.slice/docker-" ID ".scope", "0123456789ab" },
		{ "/system.slice/docker.service", "docker.service" },
		{ "/docker/" ID "/system.slice/cron.service", "0123456789ab" },
		/* kubernetes, by systemd and by cgroupfs */
		{ "/kubepods.slice/kubepods-burstable.slice/"
		  "kubepods-burstable-pod0f1e2d3c_4b5a.slice/cri-containerd-" ID ".scope",
		  "0123456789ab" },
		{ "/kubepods/burstable/pod0f1e2d3c-4b5a/" ID, "0123456789ab" },
		{ "/kubepods.slice/x.slice/crio-" ID ".scope", "0123456789ab" },
		/* machines */
		{ "/machine.slice/machine-web\\x2d1.scope/payload/system.slice/cron.service",
		  "web-1" },
		{ "/machine.slice/systemd-nspawn@web.service/payload", "web" },
		{ "/lxc.payload.box/init.scope", "box" },
		/* units of systemd */
		{ "/system.slice/cron.service", "cron.service" },
		{ "/system.slice/dev-disk\\x2d1.service", "dev-disk-1.service" },
		{ "/user.slice/user-1000.slice/session-3.scope", "user-1000.slice" },
		{ "/user.slice/user-1000.slice/user@1000.service/app.slice/pipewire.service",
		  "pipewire.service" },
		/* almost */
		{ "/docker/0123456789ab", NULL },
		{ "/docker/x" ID, NULL },
		{ "/docker/" ID "x", NULL },
		{ "/machine.slice/machine-.scope", NULL },
		{ "/.service", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		char name[CONTAINER_TEXT] = "";
		bool found = container_name(paths[i].path, name);

		assert_string_equal(found ? name : "none", paths[i].name ? paths[i].name : "none");
	}
}

static void long_names_are_cut(void **state)
{
	char path[1000] = "/", name[CONTAINER_TEXT];

	(void)state;
	memset(path + 1, 'a', 900);
	strcpy(path + 901, ".service");
	assert_true(container_name(path, name));
	assert_int_equal(strlen(name), CONTAINER_TEXT - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_and_processes_move),
		cmocka_unit_test(names_change_and_later_lines_win),
		cmocka_unit_test(skips_wrong_lines),
		cmocka_unit_test(writes_what_it_reads),
		cmocka_unit_test(names_containers),
		cmocka_unit_test(long_names_are_cut),
	};

	return cmocka_run_group_tests_name("cgroups", tests, NULL, NULL);
}
