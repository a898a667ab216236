// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A pipe keeps a pointer to the struct page of a page that vmsplice() has put into it, and
 * /proc/self/pagemap has the number of that page: together they show where the array of struct
 * page begins, without any symbol of the kernel.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tracer/heap/heap_pages.h"

#define PAGEMAP_PFN (((uint64_t)1 << 55) - 1)
#define PAGEMAP_PRESENT ((uint64_t)1 << 63)

static int read_pfn(const struct heap_page *page, uint64_t *pfn)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	off_t at = (off_t)((uintptr_t)page->memory / page->size * sizeof(*pfn));
	ssize_t got;
	int err;

	if (fd < 0)
		return -errno;
	got = pread(fd, pfn, sizeof(*pfn), at);
	err = got < 0 ? -errno : got == sizeof(*pfn) ? 0 : -EIO;
	close(fd);
	if (!err && !(*pfn & PAGEMAP_PRESENT))
		err = -EAGAIN;
	*pfn &= PAGEMAP_PFN;
	/* without CAP_SYS_ADMIN, the number is 0 */
	return err || *pfn ? err : -EPERM;
}

static int fill_pipe(struct heap_page *page)
{
	struct iovec part;

	page->size = (size_t)sysconf(_SC_PAGESIZE);
	page->memory =
		mmap(NULL, page->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page->memory == MAP_FAILED)
		page->memory = NULL;
	if (!page->memory || pipe2(page->pipe, O_CLOEXEC))
		return -errno;
	page->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (page->socket < 0)
		return -errno;
	memset(page->memory, 1, page->size);
	part = (struct iovec){ page->memory, page->size };
	/* from now on, the page stays where it is */
	return vmsplice(page->pipe[1], &part, 1, SPLICE_F_NONBLOCK) < 0 ? -errno : 0;
}

int heap_page_open(struct heap_page *page, char *reason, size_t size)
{
	int err;

	*page = (struct heap_page){ .pipe = { -1, -1 }, .socket = -1 };
	err = fill_pipe(page);
	if (err) {
		snprintf(reason, size, "a page in a pipe: %s", strerror(-err));
		return err;
	}
	err = read_pfn(page, &page->pfn);
	if (err)
		snprintf(reason, size, "/proc/self/pagemap: %s",
			 err == -EPERM ? "the numbers of pages need CAP_SYS_ADMIN"
				       : strerror(-err));
	return err;
}

void heap_page_close(struct heap_page *page)
{
	for (int i = 0; i < 2; i++)
		if (page->pipe[i] >= 0)
			close(page->pipe[i]);
	if (page->socket >= 0)
		close(page->socket);
	if (page->memory)
		munmap(page->memory, page->size);
}
