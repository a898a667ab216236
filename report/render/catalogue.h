/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The catalogue of columns: each column that a table can have, with its key, its header, its type
 * and its legend. A table chooses its columns from here. It may replace the header, the type or the
 * legend of one, where they differ in this table only.
 */
#ifndef REPORT_RENDER_CATALOGUE_H
#define REPORT_RENDER_CATALOGUE_H

#include "report/render/table.h"

/* add(key, two lines of the header, type, decimals, legend) */
/* clang-format off */
#define COLUMNS(add) \
	add(site, "site", "", COLUMN_TEXT, 0, \
	    "the kernel code that allocated: symbol+offset/size [module]") \
	add(address, "address", "", COLUMN_HEX, 0, "the address of the call site") \
	add(allocations, "allocs", "", COLUMN_NUMBER, 0, "allocations that succeeded") \
	add(frees, "frees", "", COLUMN_NUMBER, 0, "frees of these objects, on any CPU") \
	add(missed_frees, "missed", "frees", COLUMN_NUMBER, 0, \
	    "frees that were not recorded: the address was allocated again while the object was live") \
	add(failed, "failed", "", COLUMN_NUMBER, 0, "allocations that failed") \
	add(bytes_requested, "requested", "bytes", COLUMN_NUMBER, 0, \
	    "bytes requested; for an object of a slab cache, the object size of the cache") \
	add(bytes_allocated, "allocated", "bytes", COLUMN_NUMBER, 0, \
	    "bytes occupied: the kmalloc() size class, or in a slab cache the bytes from the start of one object to the start of the next") \
	add(fragmentation_percent, "frag", "%", COLUMN_DECIMAL, 1, \
	    "fragmentation: waste / allocated") \
	add(bytes_wasted, "waste", "bytes", COLUMN_NUMBER, 0, \
	    "allocated - requested, of all allocations; 0 of one that got less than it requested") \
	add(initial_objects, "initial", "objs", COLUMN_NUMBER, 0, \
	    "objects that were live at the begin, by the checkpoint") \
	add(initial_bytes, "initial", "bytes", COLUMN_NUMBER, 0, \
	    "bytes allocated to these objects") \
	add(live_objects, "live", "objs", COLUMN_LIVE, 0, \
	    "objects with no recorded free by the end") \
	add(live_bytes, "live", "bytes", COLUMN_LIVE, 0, \
	    "bytes allocated to the live objects") \
	add(cross_cpu_frees, "x-cpu", "frees", COLUMN_NUMBER, 0, \
	    "cross-CPU frees: on another CPU than the allocation") \
	add(peak_bytes, "max", "bytes", COLUMN_NULLABLE, 0, \
	    "maximum: the most bytes of this row that were live at one time; the peak, which is of all rows together, may be at another time") \
	add(peak_waste, "peak", "waste", COLUMN_NULLABLE, 0, \
	    "bytes that were not requested, of the objects that were live at the peak of all live bytes") \
	add(live_waste, "live", "waste", COLUMN_LIVE, 0, \
	    "bytes that were not requested, of the objects that are live at the end") \
	add(temporary, "temp", "", COLUMN_NULLABLE, 0, \
	    "temporary objects: freed by the task that allocated them, on the same CPU, with no other allocation on this CPU in between") \
	add(lifetime_p50_ns, "life", "p50", COLUMN_DURATION, 0, \
	    "median lifetime of the freed objects, to within 12.5 %") \
	add(lifetime_p99_ns, "life", "p99", COLUMN_DURATION, 0, \
	    "99 % of the freed objects lived no longer than this, to within 12.5 %") \
	add(coverage_percent, "coverage", "%", COLUMN_DECIMAL, 1, \
	    "frees / (frees + missed frees) in the slab cache: below 100, live objects may have been freed") \
	add(live_upper_bound, "bound", "", COLUMN_BOUND, 0, \
	    "whether the live figures of the row are upper bounds") \
	add(samples, "samples", "", COLUMN_NUMBER, 0, \
	    "sampled allocations behind the figures") \
	add(error_percent, "+-", "%", COLUMN_DECIMAL, 0, \
	    "the true number of allocated bytes is this near to the estimate, in 95 of 100 cases") \
	add(allocations_low, "allocs", "low", COLUMN_NUMBER, 0, \
	    "the 95 % interval of the allocations: its begin") \
	add(allocations_high, "allocs", "high", COLUMN_NUMBER, 0, \
	    "the 95 % interval of the allocations: its end") \
	add(bytes_allocated_low, "allocated", "low", COLUMN_NUMBER, 0, \
	    "the 95 % interval of the bytes allocated: its begin") \
	add(bytes_allocated_high, "allocated", "high", COLUMN_NUMBER, 0, \
	    "the 95 % interval of the bytes allocated: its end") \
	add(live_objects_low, "live", "low", COLUMN_NUMBER, 0, \
	    "the 95 % interval of the live objects: its begin") \
	add(live_objects_high, "live", "high", COLUMN_NUMBER, 0, \
	    "the 95 % interval of the live objects: its end") \
	add(live_bytes_low, "live", "low", COLUMN_NUMBER, 0, \
	    "the 95 % interval of the live bytes: its begin") \
	add(live_bytes_high, "live", "high", COLUMN_NUMBER, 0, \
	    "the 95 % interval of the live bytes: its end") \
	add(cache, "cache", "", COLUMN_TEXT, 0, \
	    "the slab cache of the objects, or the kmalloc() size class") \
	add(object_size, "object", "bytes", COLUMN_ID, 0, "usable bytes of an object") \
	add(size, "size", "bytes", COLUMN_ID, 0, \
	    "bytes from the start of one object to the start of the next") \
	add(frees_unmatched, "unmatched", "frees", COLUMN_NUMBER, 0, \
	    "frees of objects whose allocation was not recorded") \
	add(aliases, "aliases", "", COLUMN_TEXT, 0, \
	    "other caches that the kernel merged with this one") \
	add(growth_objects, "growth", "objs", COLUMN_CHANGE, 0, \
	    "active objects in /proc/slabinfo: those at the end - those at the begin of the capture") \
	add(observed_objects, "observed", "objs", COLUMN_CHANGE, 0, \
	    "recorded allocations - recorded frees between these two readings, of all tasks, kmemtraced too, and of objects from before") \
	add(difference_objects, "differ", "objs", COLUMN_CHANGE, 0, \
	    "difference: growth - observed") \
	add(error_low, "error", "from", COLUMN_CHANGE, 0, \
	    "the least difference that needs no unobserved event") \
	add(error_high, "error", "to", COLUMN_CHANGE, 0, \
	    "a difference between these two needs no unobserved event: /proc/slabinfo counts free objects that a CPU or node holds (slabs, partial slabs, sheaves) as active; events while it was read, lost and skipped events, and a kfree() of an older object, which names no cache, count too") \
	add(unobserved_objects, "unobserved", "objs", COLUMN_CHANGE, 0, \
	    "the difference if the error does not explain it, else 0: + allocations, - frees on unobserved paths. If both were not observed, there were more of each") \
	add(unobserved_bytes, "unobserved", "bytes", COLUMN_CHANGE, 0, \
	    "the unobserved objects, times the size") \
	add(from_bytes, "from", "bytes", COLUMN_ID, 0, \
	    "the least requested size that the row counts") \
	add(to_bytes, "to", "bytes", COLUMN_ID, 0, \
	    "the largest requested size that the row counts") \
	add(objects, "allocs", "", COLUMN_NUMBER, 0, "allocations that succeeded") \
	add(waste_percent, "waste", "%", COLUMN_DECIMAL, 1, \
	    "waste / allocated; other views call it fragmentation") \
	add(peak_objects, "peak", "objs", COLUMN_LIVE, 0, \
	    "objects that were live at the peak of all live bytes") \
	add(share, "share", "of class", COLUMN_BAR, 0, NULL) \
	add(peak_waste_percent, "peak", "%", COLUMN_DECIMAL, 1, "peak waste / peak bytes") \
	add(less_bytes, "less", "bytes", COLUMN_NULLABLE, 0, \
	    "bytes that a request has too many for the next smaller class") \
	add(fits, "fits", "", COLUMN_TEXT, 0, "the next smaller class") \
	add(saves_bytes, "saves", "bytes", COLUMN_NULLABLE, 0, \
	    "what the smaller class would save of the bytes at the peak: the waste and the bytes that are requested no more, so it is above the waste") \
	add(advice, "advice", "", COLUMN_TEXT, 0, \
	    "what would help, and the bytes that it saves; with fewer bytes requested, the waste and these bytes") \
	add(age_min_ns, "age", "min", COLUMN_DURATION, 0, "age of the youngest live object") \
	add(age_median_ns, "age", "median", COLUMN_DURATION, 0, \
	    "median age of the live objects at the end of the window") \
	add(age_max_ns, "age", "max", COLUMN_DURATION, 0, "age of the oldest live object") \
	add(growth_bytes_per_s, "growth", "B/s", COLUMN_DECIMAL, 1, \
	    "slope of the straight line that fits the live bytes over time best (least squares)") \
	add(growth_objects_per_s, "growth", "objects/s", COLUMN_DECIMAL, 2, \
	    "the same slope of the live objects") \
	add(fit_percent, "fit", "%", COLUMN_DECIMAL, 0, \
	    "how well the straight line fits (the square of the correlation)") \
	add(old_objects, "old", "objects", COLUMN_NUMBER, 0, \
	    "live objects that are older than 99 % of the site's freed objects became; all live ones, if twice as many are live as were freed") \
	add(steady_percent, "steady", "%", COLUMN_NUMBER, 0, \
	    "how evenly the allocations of the old objects are spread over the window: near 100 is a steady leak, a cache that filled once is below 50") \
	add(damage_bytes, "damage", "bytes", COLUMN_NUMBER, 0, \
	    "bytes of the old objects, halved for each 4 % that steady is below 100 and for each 4 % that cov is; objects of fully covered caches and the others are weighed apart. The rows are in this order, and those with the same damage by live bytes") \
	add(covered_bytes, "covered", "bytes", COLUMN_NUMBER, 0, \
	    "live bytes in caches whose coverage is 100") \
	add(partly_covered, "partly covered", "", COLUMN_TEXT, 0, \
	    "the caches of the row whose coverage is below 100, with their live objects and bytes: these may have been freed") \
	add(main_task, "mostly by", "", COLUMN_TEXT, 0, \
	    "the process that was running when more than half of the live bytes were allocated, or interrupts") \
	add(main_task_pid, "mostly by", "pid", COLUMN_ID, 0, "the number of this process") \
	add(main_task_comm, "mostly by", "comm", COLUMN_TEXT, 0, \
	    "the last name of this process") \
	add(main_task_percent, "share", "%", COLUMN_DECIMAL, 0, \
	    "part of the live bytes that this process allocated") \
	add(frees_in_all, "frees", "in all", COLUMN_NUMBER, 0, "frees of the site's objects") \
	add(from_ns, "lived", "from", COLUMN_DURATION, 0, \
	    "time from the allocation to the recorded free; objects without a recorded free are not counted") \
	add(to_ns, "lived", "to", COLUMN_DURATION, 0, "the end of this range of lifetimes") \
	add(percent, "share", "%", COLUMN_DECIMAL, 1, NULL) \
	add(bar, "", "", COLUMN_BAR, 0, NULL) \
	add(cpu, "cpu", "", COLUMN_ID, 0, "the CPU") \
	add(node, "node", "", COLUMN_ID, 0, "NUMA node of the CPU") \
	add(other_node_requests, "remote", "node", COLUMN_NULLABLE, 0, \
	    "allocations that requested another node than the CPU's own") \
	add(other_node_memory, "x", "mem", COLUMN_NULLABLE, 0, \
	    "these allocations whose memory is of another node than the CPU's") \
	add(frees_of_other_cpus, "frees of", "others", COLUMN_NUMBER, 0, \
	    "frees on the CPU of objects that another CPU allocated") \
	add(freed_by_other_cpus, "freed by", "others", COLUMN_NUMBER, 0, \
	    "objects allocated on the CPU that another CPU freed") \
	add(frees_of_other_node_memory, "frees of", "remote", COLUMN_NULLABLE, 0, \
	    "frees on the CPU of memory of another node") \
	add(alloc_cpu, "alloc", "cpu", COLUMN_ID, 0, "the CPU that allocated") \
	add(free_cpu, "free", "cpu", COLUMN_ID, 0, "the CPU that freed") \
	add(bytes, "bytes", "", COLUMN_NUMBER, 0, "bytes allocated to these objects") \
	add(cross_cpu_percent, "x-cpu", "%", COLUMN_DECIMAL, 1, \
	    "of the freed objects of the site") \
	add(cross_cpu_bytes, "x-cpu", "bytes", COLUMN_NUMBER, 0, \
	    "bytes allocated to the objects of these frees") \
	add(cpus, "cpus", "", COLUMN_NUMBER, 0, "CPUs of the node in the capture") \
	add(frees_of_other_nodes, "frees of", "others", COLUMN_NUMBER, 0, \
	    "frees on these CPUs of objects that another node allocated") \
	add(freed_by_other_nodes, "freed by", "others", COLUMN_NUMBER, 0, \
	    "objects allocated on these CPUs that another node freed") \
	add(alloc_node, "alloc", "node", COLUMN_ID, 0, "the node of the CPU that allocated") \
	add(free_node, "free", "node", COLUMN_ID, 0, "the node of the CPU that freed") \
	add(cross_node_frees, "x-node", "frees", COLUMN_NUMBER, 0, \
	    "cross-node frees: on a CPU of another node than the allocation") \
	add(cross_node_percent, "x-node", "%", COLUMN_DECIMAL, 1, \
	    "of the freed objects of the site") \
	add(cross_node_bytes, "x-node", "bytes", COLUMN_NUMBER, 0, \
	    "bytes allocated to the objects of these frees") \
	add(cgroup, "cgroup", "", COLUMN_TEXT, 0, \
	    "the path of the cgroup of the task that allocated, when it did; in an interrupt, as far as the capture has it, softirq, hardirq or nmi") \
	add(container, "container", "", COLUMN_TEXT, 0, \
	    "the container, machine, service or user slice that the path names") \
	add(charged_allocations, "charged", "allocs", COLUMN_NULLABLE, 0, \
	    "those of the allocations that were charged to the memory cgroup") \
	add(charged_bytes_allocated, "charged", "bytes", COLUMN_NULLABLE, 0, \
	    "those of the allocated bytes that were charged to the memory cgroup, by __GFP_ACCOUNT or SLAB_ACCOUNT; - if that is not known of all") \
	add(charged_live_objects, "charged live", "objs", COLUMN_LIVE, 0, \
	    "those of the charged objects that are live") \
	add(charged_live_bytes, "charged", "live", COLUMN_LIVE, 0, \
	    "those of the charged bytes that are live: still charged at the end") \
	add(charged_live_bytes_low, "charged", "low", COLUMN_NULLABLE, 0, \
	    "the 95 % interval of the charged live bytes: its begin") \
	add(charged_live_bytes_high, "charged", "high", COLUMN_NULLABLE, 0, \
	    "the 95 % interval of the charged live bytes: its end") \
	add(time_ns, "time", "s", COLUMN_TIME, 0, \
	    "begin of the time slice, since the begin of the capture") \
	add(duration_ns, "for", "", COLUMN_DURATION, 0, "length of the time slice") \
	add(allocations_per_s, "allocs", "per s", COLUMN_DECIMAL, 0, \
	    "allocations that succeeded, a second") \
	add(frees_per_s, "frees", "per s", COLUMN_DECIMAL, 0, \
	    "includes frees of objects whose allocation was not recorded") \
	add(bytes_freed, "freed", "bytes", COLUMN_NUMBER, 0, \
	    "bytes of the objects that ended: by a free or a missed free") \
	add(minor_faults, "minor", "faults", COLUMN_NULLABLE, 0, \
	    "page faults that needed no disk, of processes and of the kernel in their memory") \
	add(major_faults, "major", "faults", COLUMN_NULLABLE, 0, \
	    "page faults that waited for a page from a disk") \
	add(mmap_growth_bytes, "mmap", "growth", COLUMN_SIGNED, 0, \
	    "bytes that processes requested with mmap, less those of munmap; calls that fail count too") \
	add(brk_growth_bytes, "brk", "growth", COLUMN_SIGNED, 0, \
	    "bytes by which processes requested that their heaps grow; negative: shrink; calls that fail count too") \
	add(oom_kills, "OOM", "kills", COLUMN_NULLABLE, 0, \
	    "processes that the kernel killed for lack of memory; by the task that found the lack") \
	add(outside, "outside", "", COLUMN_NUMBER, 0, \
	    "allocations and frees of the row that were recorded before the begin or after the end: they are not in the rates") \
	add(function, "function", "", COLUMN_TEXT, 0, \
	    "the kernel function that allocated: symbol [module]") \
	add(path, "then", "", COLUMN_TEXT, 0, \
	    "functions that follow on the path, one below the other, with the same bytes") \
	add(depth, "depth", "", COLUMN_NUMBER, 0, "functions before this one on the path") \
	add(own_bytes, "own", "bytes", COLUMN_LIVE, 0, \
	    "bytes of the paths that end in the function") \
	add(bytes_low, "bytes", "low", COLUMN_NUMBER, 0, \
	    "the 95 % interval of the bytes: its begin") \
	add(bytes_high, "bytes", "high", COLUMN_NUMBER, 0, \
	    "the 95 % interval of the bytes: its end") \
	add(row, "row", "", COLUMN_ID, 0, "number of the row") \
	add(upper_bound, "bound", "", COLUMN_BOUND, 0, \
	    "whether the bytes and objects of the row are upper bounds") \
	add(probe, "probe", "", COLUMN_TEXT, 0, "the name that --probes takes") \
	add(events, "events", "", COLUMN_NULLABLE, 0, \
	    "events of this probe that were recorded") \
	add(skipped, "skipped", "", COLUMN_NULLABLE, 0, \
	    "events that the kernel skipped, if it counts them by probe") \
	add(counted, "kernel", "counted", COLUMN_NULLABLE, 0, \
	    "events by a counter of the kernel's own, with those of kmemtraced") \
	add(recorded, "recorded", "", COLUMN_BOOL, 0, \
	    "whether the capture records this probe") \
	add(way, "way, or why not", "", COLUMN_TEXT, 0, \
	    "how a probe of process memory was recorded, or why it was not") \
	add(lower_bound, "bound", "", COLUMN_BOUND, 0, \
	    "whether events of the row may be missing") \
	add(kind, "kind", "", COLUMN_TEXT, 0, \
	    "kind of error: kmemtrace-report(1) explains each kind") \
	add(certainty, "certainty", "", COLUMN_TEXT, 0, \
	    "certain: no unrecorded event can explain it; possible: an unrecorded event can; legal: allowed on this kernel") \
	add(count, "cases", "", COLUMN_NUMBER, 0, "number of cases") \
	add(certain, "certain", "cases", COLUMN_NUMBER, 0, "number of certain cases") \
	add(alloc_site, "allocated by", "", COLUMN_TEXT, 0, \
	    "the site that allocated the object") \
	add(free_site, "freed by", "", COLUMN_TEXT, 0, "the site that freed the object") \
	add(other_site, "other site", "", COLUMN_TEXT, 0, \
	    "of a double free: the site that freed the object first; of an overlap: the site that allocated the overlapped object; of a missed free: the site that allocated the address again") \
	add(free_cache, "other cache", "", COLUMN_TEXT, 0, \
	    "the cache that the free named; of an overlap: the cache of the overlapped object") \
	add(first_time, "first", "", COLUMN_TIME, 0, "time of the first case") \
	add(last_time, "last", "", COLUMN_TIME, 0, "time of the last case") \
	add(task, "task", "", COLUMN_TEXT, 0, "name and thread of the current task") \
	add(pid, "pid", "", COLUMN_ID, 0, "process of the task") \
	add(tid, "tid", "", COLUMN_ID, 0, "thread of the task") \
	add(comm, "comm", "", COLUMN_TEXT, 0, "name of the task") \
	add(alloc_time, "allocated", "", COLUMN_TIME, 0, "time of the allocation") \
	add(alloc_task, "task", "", COLUMN_TEXT, 0, \
	    "name and thread of the task that allocated the object") \
	add(alloc_pid, "pid", "", COLUMN_ID, 0, \
	    "process of the task that allocated the object") \
	add(alloc_tid, "tid", "", COLUMN_ID, 0, "thread of this task") \
	add(alloc_comm, "comm", "", COLUMN_TEXT, 0, "name of this task") \
	add(other_time, "other", "", COLUMN_TIME, 0, "time of the event of the other site") \
	add(gfp, "gfp", "", COLUMN_TEXT, 0, "GFP flags of a failed allocation") \
	add(first_case, "first case", "", COLUMN_TEXT, 0, "the first case in words") \
	add(because, "possible because", "", COLUMN_TEXT, 0, \
	    "the reasons why the case is not certain. The header lists the paths that are not observed") \
	add(rows, "rows", "", COLUMN_NUMBER, 0, \
	    "different call sites and caches of the cases") \
	add(about, "means", "", COLUMN_TEXT, 0, "the kind in words") \
	add(share_percent, "% of waste", "", COLUMN_DECIMAL, 1, \
	    "share of all waste at the peak") \
	add(pair, "pair", "", COLUMN_ID, 0, \
	    "number of the pair of a call site and a slab cache") \
	add(pairs, "pairs", "", COLUMN_NUMBER, 0, \
	    "1; of the last row, the number of all other pairs") \
	add(slice, "slice", "", COLUMN_ID, 0, "number of the time slice") \
	add(growth_bytes, "growth", "bytes", COLUMN_LIVE, 0, \
	    "bytes allocated - bytes freed in all intervals") \
	add(steady_growth_bytes, "steady", "growth", COLUMN_NUMBER, 0, \
	    "the share of the growth that is steady: growth * steady; of one interval all of it") \
	add(begin, "begin", "UTC", COLUMN_TEXT, 0, "begin of the interval, in UTC") \
	add(summaries, "summa-", "ries", COLUMN_NUMBER, 0, \
	    "summaries that end with the interval, of all hosts: fewer than in other rows, if some are missing") \
	add(lost, "lost", "", COLUMN_NUMBER, 0, \
	    "events that were lost, skipped or not counted") \
	add(context, "context", "", COLUMN_TEXT, 0, "task, softirq, hardirq or nmi")
/* clang-format on */

#define COLUMN_NAME(key, ...) COLUMN_##key,
enum column_name {
	COLUMN_NONE,
	COLUMNS(COLUMN_NAME)
};
#undef COLUMN_NAME

#define COLUMN_WHOLE (-1) /* decimals of a choice: none */

/* A column of a table. What is 0 is as in the catalogue. */
struct column_choice {
	enum column_name name; /* COLUMN_NONE: the end of a list */
	enum column_where where;
	const char *header, *unit, *legend;
	enum column_type type;
	int decimals;
	bool at_least;
};

struct column column_choose(const struct column_choice *choice);

/* Adds the columns of the list, behind those that the table has chosen. */
void table_choose(struct table *table, const struct column_choice *choices);

/* The index of a column that the table has. */
size_t table_column(const struct table *table, enum column_name name);

/* The cell of this column in the last row. */
struct cell *table_cell(const struct table *table, enum column_name name);

#endif
