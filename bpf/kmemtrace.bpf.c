// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The BPF programs of a capture. They only record events; matching frees with allocations is done
 * offline. They are compiled seven times: for kernels without BTF, without BPF_FETCH atomics, and
 * without both; and for those that have both, and those of them that preempt a task in a
 * tracepoint, with and without a preempt count that programs can read.
 */
#include "bpf/vmlinux.h"

#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#ifndef KMT_WITHOUT_BTF
#include <bpf/bpf_core_read.h>
#endif

#include "kernel/ring.h"
#include "kernel/sampling.h"

#include "bpf/settings.bpf.h"
#include "bpf/filter.bpf.h"
#if defined(KMT_WITH_PREEMPT_COUNT) || defined(KMT_WITH_COPIES)
#include "bpf/preempt_count.bpf.h"
#endif
#include "bpf/emit.bpf.h"
#include "bpf/untraced.bpf.h"
#include "bpf/sampled.bpf.h"
#include "bpf/names.bpf.h"
#include "bpf/backup.bpf.h"
#include "bpf/stacks.bpf.h"
#include "bpf/sampling.bpf.h"
#include "bpf/profile.bpf.h"
#include "bpf/slab.bpf.h"
#include "bpf/profile_programs.bpf.h"
#include "bpf/marks.bpf.h"
#include "bpf/front.bpf.h"
#include "bpf/copies.bpf.h"
#include "bpf/process.bpf.h"
#ifndef KMT_WITHOUT_BTF
#include "bpf/hooks.bpf.h"
#include "bpf/misses.bpf.h"
#include "bpf/process_hooks.bpf.h"
#endif

char LICENSE[] SEC("license") = "Dual BSD/GPL";
