/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Mounts a file system of the kernel, such as tracefs, for this process only. */
#ifndef TRACER_LOAD_KERNEL_MOUNT_H
#define TRACER_LOAD_KERNEL_MOUNT_H

/* A file descriptor of its directory, or -errno. The mount ends with its last file descriptor. */
int kernel_mount(const char *type);

#endif
