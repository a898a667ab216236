// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The programs of a capture. They know nothing of the heap: pairing is done offline. They are
 * compiled four times, for kernels that lack BTF, or atomic instructions with a result, or both.
 */
#include "bpf/vmlinux.h"

#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#ifndef KMT_WITHOUT_BTF
#include <bpf/bpf_core_read.h>
#endif

#include "kernel/ring.h"

#include "bpf/filter.bpf.h"
#include "bpf/emit.bpf.h"
#include "bpf/untraced.bpf.h"
#include "bpf/names.bpf.h"
#include "bpf/backup.bpf.h"
#include "bpf/slab.bpf.h"
#ifndef KMT_WITHOUT_BTF
#include "bpf/hooks.bpf.h"
#include "bpf/misses.bpf.h"
#endif

char LICENSE[] SEC("license") = "Dual BSD/GPL";
