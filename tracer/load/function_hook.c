// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Opens kprobes with perf_event_open(). libbpf would do so too, but reads sysfs each time, which
 * kmemtraced cannot once its privileges are given up.
 */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <linux/perf_event.h>

#include "tracer/load/probe.h"
#include "tracer/load/process_probes.h"

int function_hook_try_fentry(const char *function)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int id = btf ? btf__find_by_name_kind(btf, function, BTF_KIND_FUNC) : -ENOENT;

	btf__free(btf);
	return id < 0 ? id : probe_hook(id);
}

/* The type of perf events that are kprobes, or -errno. It is read once. */
static int kprobe_type(void)
{
	static int type;
	FILE *file;

	if (type)
		return type;
	file = fopen("/sys/bus/event_source/devices/kprobe/type", "re");
	if (!file)
		return errno == ENOENT ? -ENODEV : -errno;
	if (fscanf(file, "%d", &type) != 1)
		type = 0;
	fclose(file);
	return type ? type : -EBADMSG;
}

int function_hook_open_kprobe(const char *function, unsigned int any_cpu)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	int fd, type = kprobe_type();

	if (type < 0)
		return type;
	attr.type = (uint32_t)type;
	attr.kprobe_func = (uintptr_t)function;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, any_cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}
