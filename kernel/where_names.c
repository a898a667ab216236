// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The owners in words. */
#include "config.h"

#include <string.h>

#include "kernel/where.h"

static const struct where_about owners[] = {
	{ "free", "free", "MemFree", NULL },
	{ "cpu_lists", "free, kept by CPUs", "zoneinfo: pagesets", NULL },
	{ "processes", "processes", "AnonPages", "smem, or ps -o rss" },
	{ "file_cache", "file cache", "Cached - Shmem", "drop_caches frees it" },
	{ "shared", "tmpfs, shared memory", "Shmem", "df -t tmpfs; ipcs -m" },
	{ "buffers", "block device cache", "Buffers", "drop_caches frees it" },
	{ "swap_cache", "swap cache", "SwapCached", NULL },
	{ "slab_caches", "slab caches", "slabinfo", "kmemtrace-report census" },
	{ "large_kmalloc", "large kmalloc", "Slab - slabinfo", "kmemtrace-report sites" },
	{ "slab", "slab", "Slab", "kmemtrace-report sites" },
	{ "stacks", "kernel stacks", "KernelStack", "ps -eLf | wc -l" },
	{ "vmalloc", "vmalloc", "VmallocUsed - stacks", "/proc/vmallocinfo" },
	{ "page_tables", "page tables", "PageTables", "VmPTE in /proc/PID/status" },
	{ "other_tables", "KVM, IOMMU tables", "SecPageTables", NULL },
	{ "percpu", "percpu", "Percpu", "kmemtrace-report allocinfo" },
	{ "hugetlb", "huge pages", "Hugetlb", "/sys/kernel/mm/hugepages" },
	{ "compressed", "zram, zswap", "vmstat: nr_zspages", "zramctl" },
	{ "gpu", "GPU", "GPUActive", NULL },
	{ "gpu_pool", "free, kept by GPUs", "GPUReclaim", NULL },
	{ "fuse", "FUSE, being written", "WritebackTmp", NULL },
	{ "bounce", "bounce buffers", "Bounce", NULL },
	{ "broken", "broken memory", "HardwareCorrupted", NULL },
};

const struct where_about *where_about(const char *name)
{
	for (size_t i = 0; i < sizeof(owners) / sizeof(*owners); i++)
		if (!strcmp(owners[i].name, name))
			return &owners[i];
	return NULL;
}
