/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The container, or the unit of systemd, that a cgroup's path names. */
#ifndef KERNEL_CONTAINER_H
#define KERNEL_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>

#define CONTAINER_TEXT 256

/* Hexadecimal digits of the id of a container, and those that are shown of it. */
#define CONTAINER_ID 64
#define CONTAINER_SHORT_ID 12

/*
 * The id of a container in a part of a path of length bytes, or NULL: ID, PREFIX-ID, ID.scope or
 * PREFIX-ID.scope, as podman (libpod-), docker (docker-), containerd (cri-containerd-, nerdctl-)
 * and CRI-O (crio-) name them. The cgroup of podman's or CRI-O's monitor of a container
 * (libpod-conmon-ID.scope) is none.
 */
const char *container_find_id(const char *part, size_t length);

/*
 * The short name: of the innermost container, else of the innermost unit of systemd. False: the
 * path has neither.
 */
bool container_name(const char *path, char name[CONTAINER_TEXT]);

#endif
