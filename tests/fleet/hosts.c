// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Plays a fleet: writes the summaries of many hosts, of several kernels and roles, for some hours.
 * Memory fills after a boot, follows the time of day and has noise; hosts boot again, intervals get
 * lost, hosts fall silent, and some clocks are wrong by an hour. Unless --healthy is given, a
 * function leaks on 17 hosts, since one version of the kernel, and one host allocates far more than
 * its peers. What was planted is printed. The same options make the same files.
 */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "fleet/summary/summary_file.h"

#define NSEC_PER_SEC 1000000000ULL
#define HOUR 3600	    /* s */
#define EPOCH 1800000000ULL /* s since 1970: the begin, a whole number of hours */
#define ROWS_MAX 400
#define LEAK_ROW 3
#define LEAK_HOSTS 17
#define LEAK_BYTES (2 << 20) /* in an hour */
#define OUTLIER_ROW 5
#define OUTLIER_HOST 5
#define KERNELS (sizeof(kernels) / sizeof(*kernels))
#define LEAK_KERNEL 2 /* and later ones */

static const char *const kernels[] = { "6.1.0-18-amd64", "6.1.0-21-amd64", "6.12.9-amd64",
				       "6.12.12-amd64" };
static const char *const roles[] = { "web", "db", "batch" };

/* Rows of code; more of them get a number. */
static const struct {
	const char *function, *module, *cache;
	unsigned int size; /* of an object */
} sites[] = {
	{ "__d_alloc", "kernel", "dentry", 192 },
	{ "alloc_inode", "kernel", "inode_cache", 640 },
	{ "ext4_alloc_inode", "ext4", "ext4_inode_cache", 1096 },
	{ "nft_trans_alloc", "nf_tables", "kmalloc-256", 256 },
	{ "sk_prot_alloc", "kernel", "TCP", 2432 },
	{ "__alloc_skb", "kernel", "skbuff_head_cache", 256 },
	{ "vm_area_alloc", "kernel", "vm_area_struct", 200 },
	{ "alloc_empty_file", "kernel", "filp", 232 },
	{ "seq_open", "kernel", "seq_file", 120 },
	{ "dup_task_struct", "kernel", "task_struct", 9792 },
	{ "xfs_inode_alloc", "xfs", "xfs_inode", 1000 },
	{ "bio_alloc_bioset", "kernel", "bio-256", 256 },
};
#define SITES (sizeof(sites) / sizeof(*sites))

struct plan {
	unsigned int hosts, hours, interval, rows;
	uint64_t seed;
	bool healthy, stream;
	const char *output;
};

struct planted {
	uint64_t summaries, lost, silent_intervals, boots, clocks, lost_events;
	char *leaks, *silent; /* names */
};

struct row_state {
	double live, noise, leak;
	struct summary_counts *counts;
};

struct host {
	char name[40];
	uint64_t random;
	double scale;
	unsigned int index, kernel, code_rows;
	bool leaks, is_outlier;
	int64_t clock;		/* s that it is wrong */
	uint64_t boot_at;	/* interval at which it boots again; 0: never */
	uint64_t silent_from;	/* interval; UINT64_MAX: never */
	uint64_t began, number; /* interval at which the run began */
	unsigned int boots;
	struct row_state *rows;
	struct summary summary;
};

static uint64_t next_random(uint64_t *state)
{
	uint64_t value = *state += 0x9e3779b97f4a7c15;

	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
	value = (value ^ value >> 27) * 0x94d049bb133111eb;
	return value ^ value >> 31;
}

static double draw_uniform(uint64_t *state)
{
	return (double)(next_random(state) >> 11) * 0x1p-53;
}

/* About normal, with the deviation 1. */
static double draw_normal(uint64_t *state)
{
	double sum = 0;

	for (int i = 0; i < 6; i++)
		sum += draw_uniform(state);
	return (sum - 3) * M_SQRT2;
}

static void fail_hosts(const char *what)
{
	fprintf(stderr, "hosts: %s: %s\n", what, strerror(errno));
	exit(2);
}

static void add_word(char **list, const char *word)
{
	char *longer;

	if (asprintf(&longer, "%s%s%s", *list ? *list : "", *list ? "," : "", word) < 0)
		fail_hosts("memory");
	free(*list);
	*list = longer;
}

static uint64_t intervals_of(const struct plan *plan)
{
	return (uint64_t)plan->hours * HOUR / plan->interval;
}

/* The rows of a host: two thirds of code, the others of cgroups and of tasks. */
static void make_rows(struct host *host, const struct plan *plan)
{
	unsigned int others = plan->rows / 3;
	char name[80];

	host->code_rows = plan->rows - others;
	for (unsigned int i = 0; i < plan->rows; i++) {
		const char *names[SUMMARY_NAMES] = { name };
		enum summary_kind kind = SUMMARY_CODE;

		if (i < host->code_rows) {
			snprintf(name, sizeof(name), i < SITES ? "%s" : "%s_%u",
				 sites[i % SITES].function, i / (unsigned int)SITES);
			names[1] = sites[i % SITES].module;
			names[2] = sites[i % SITES].cache;
		} else if (i % 2) {
			kind = SUMMARY_CGROUP;
			snprintf(name, sizeof(name), "/system.slice/%s-%u.service",
				 roles[host->index % 3], i);
		} else {
			kind = SUMMARY_COMM;
			snprintf(name, sizeof(name), "%s-%u", roles[host->index % 3], i);
		}
		if (!summary_get_row(&host->summary, kind, names))
			fail_hosts("memory");
	}
	for (unsigned int i = 0; i < plan->rows; i++)
		host->rows[i].counts = &host->summary.rows[i].counts;
}

/* A kernel that a row names has its index, so that hosts are spread evenly. */
static void init_host(struct host *host, const struct plan *plan, unsigned int index,
		      struct planted *planted)
{
	uint64_t intervals = intervals_of(plan);
	unsigned int since_leak = index / (unsigned int)KERNELS;
	struct summary_source source = { .host = host->name, .boot = (char *)"" };
	const char *kernel;

	memset(host, 0, sizeof(*host));
	snprintf(host->name, sizeof(host->name), "host-%05u", index);
	host->index = index;
	host->random = plan->seed * 0x100000001b3 + index * 0x9e3779b97f4a7c15;
	host->scale = exp(0.3 * draw_normal(&host->random));
	host->kernel = index % KERNELS;
	/* the first hosts of the leaking kernels: nine of one, eight of the other */
	host->leaks = !plan->healthy && host->kernel >= LEAK_KERNEL &&
		      since_leak < (LEAK_HOSTS + (host->kernel == LEAK_KERNEL)) / 2;
	host->is_outlier = !plan->healthy && index == OUTLIER_HOST;
	host->silent_from = UINT64_MAX;
	if (index % 10 == 9)
		host->boot_at = intervals / 4 + next_random(&host->random) % (intervals / 2 + 1);
	else if (index % 100 == 40)
		host->silent_from = intervals * 2 / 3;
	else if (index % 50 == 20)
		host->clock = index % 100 == 20 ? HOUR : -HOUR;
	host->rows = calloc(plan->rows, sizeof(*host->rows));
	kernel = kernels[host->kernel];
	if (!host->rows || summary_init(&host->summary) ||
	    summary_add_source(&host->summary, &source) ||
	    summary_set_host(&host->summary,
			     &(struct summary_host){ .kernel = (char *)kernel,
						     .arch = (char *)"x86_64",
						     .role = (char *)roles[index % 3],
						     .cpus = 8,
						     .memory = 32ULL << 30 }))
		fail_hosts("memory");
	make_rows(host, plan);
	if (host->leaks)
		add_word(&planted->leaks, host->name);
	planted->clocks += host->clock != 0;
	planted->boots += host->boot_at != 0;
	if (host->silent_from != UINT64_MAX)
		add_word(&planted->silent, host->name);
}

static void begin_run(struct host *host, uint64_t interval)
{
	char boot[40];

	snprintf(boot, sizeof(boot), "boot-%05u-%u", host->index, host->boots++);
	free(host->summary.sources->boot);
	host->summary.sources->boot = strdup(boot);
	if (!host->summary.sources->boot)
		fail_hosts("memory");
	host->began = interval;
	host->number = 0;
	for (unsigned int i = 0; i < host->code_rows; i++)
		host->rows[i].live = host->rows[i].leak = 0;
}

/* The bytes that a row should hold: they fill up after the begin, and follow the time of day. */
static double live_bytes(struct host *host, const struct plan *plan, unsigned int row,
			 uint64_t interval, double hour)
{
	double age = (double)(interval + 1 - host->began) * plan->interval / HOUR;
	double base = host->scale * (1 << 20) * (4 + 60 * ((row * 7 + 3) % 13) / 13.0);
	double fill = 1 - exp(-age / (0.2 + 0.05 * (row % 5)));
	double day = 1 + 0.2 * sin(2 * M_PI * hour / 24 + row);
	struct row_state *state = &host->rows[row];

	if (row == LEAK_ROW)
		base = host->scale * 8 * (1 << 20);
	state->noise = 0.8 * state->noise + 0.02 * draw_normal(&host->random);
	if (host->leaks && row == LEAK_ROW)
		state->leak += LEAK_BYTES * ((double)plan->interval / HOUR) *
			       (0.5 + draw_uniform(&host->random));
	return base * fill * day * (1 + state->noise) + state->leak;
}

static void play_row(struct host *host, const struct plan *plan, unsigned int row,
		     uint64_t interval, double hour)
{
	unsigned int size = sites[row % SITES].size;
	struct row_state *state = &host->rows[row];
	struct summary_counts *counts = state->counts;
	double objects = floor(live_bytes(host, plan, row, interval, hour) / size);
	double before = state->live, churn;

	churn = (host->is_outlier && row == OUTLIER_ROW ? 25 : 1) * host->scale * plan->interval *
		(200 + 900 * ((row * 5 + 1) % 11)) * (1 + 0.5 * sin(2 * M_PI * hour / 24 + 1)) *
		(1 + 0.1 * draw_uniform(&host->random));
	counts->frees = (uint64_t)churn + (objects < before ? (uint64_t)(before - objects) : 0);
	counts->allocations =
		(uint64_t)churn + (objects > before ? (uint64_t)(objects - before) : 0);
	counts->allocated = counts->allocations * size;
	counts->freed = counts->frees * size;
	counts->cross_cpu = counts->frees / 7;
	counts->live_objects = (uint64_t)objects;
	counts->live_bytes = (uint64_t)objects * size;
	state->live = objects;
}

/* The rows of cgroups, and those of tasks, have as much as all code, in equal parts. */
static void play_others(struct host *host, const struct plan *plan)
{
	unsigned int count[2] = { 0 }, seen[2] = { 0 };
	struct summary_counts total;

	total = summary_total(&host->summary, SUMMARY_CODE);
	for (unsigned int i = host->code_rows; i < plan->rows; i++)
		count[i % 2]++;
	for (unsigned int i = host->code_rows; i < plan->rows; i++) {
		unsigned int parts = count[i % 2], first = !seen[i % 2]++;
		struct summary_counts *counts = host->rows[i].counts;

#define PART(figure) counts->figure = total.figure / parts + (first ? total.figure % parts : 0)
		PART(allocations);
		PART(frees);
		PART(allocated);
		PART(freed);
		PART(cross_cpu);
		PART(live_objects);
		PART(live_bytes);
#undef PART
	}
}

static void set_interval(struct host *host, const struct plan *plan, uint64_t interval)
{
	struct summary *summary = &host->summary;
	struct summary_counts total = summary_total(summary, SUMMARY_CODE);
	int64_t offset = host->clock;

	summary->begin = (EPOCH + interval * plan->interval + (uint64_t)offset) * NSEC_PER_SEC;
	summary->end = summary->begin + plan->interval * NSEC_PER_SEC;
	summary->live_at = summary->end;
	summary->live_hosts = 1;
	summary->sources->run =
		(EPOCH + host->began * plan->interval + (uint64_t)offset) * NSEC_PER_SEC;
	summary->sources->first = summary->sources->last = host->number;
	summary->cpu_ns = plan->interval * NSEC_PER_SEC / 1000 * (8 + host->index % 5);
	summary->resident = (60 << 20) + (host->index << 10);
	summary->host.slab_unreclaimable = total.live_bytes + (200 << 20);
	summary->host.slab_reclaimable = 500 << 20;
	summary->missing.recorded = total.allocations + total.frees;
	summary->missing.lost = host->index % 25 == 7 && interval % 50 == 3 ? 1000 : 0;
	summary->missing.skipped = host->index % 4 ? 0 : 2;
	summary->missing.unobserved = 3;
}

/* Lost on the way: never the last interval, after which nothing would show it. */
static bool is_lost(const struct host *host, const struct plan *plan, uint64_t interval)
{
	return host->index % 20 == 11 && interval + 1 < intervals_of(plan) &&
	       (interval * 7 + host->index) % 37 == 0;
}

static void play_interval(struct host *host, const struct plan *plan, uint64_t interval, FILE *file,
			  struct planted *planted)
{
	double hour = (double)(interval * plan->interval) / HOUR;
	char *text;
	size_t size;

	if (interval >= host->silent_from) {
		planted->silent_intervals++;
		return;
	}
	if (host->boot_at && interval == host->boot_at)
		return; /* it is down */
	if (!host->boots || (host->boot_at && interval == host->boot_at + 1))
		begin_run(host, interval);
	for (unsigned int i = 0; i < host->code_rows; i++)
		play_row(host, plan, i, interval, hour);
	play_others(host, plan);
	set_interval(host, plan, interval);
	host->number++;
	if (is_lost(host, plan, interval)) {
		planted->lost++;
		return;
	}
	planted->summaries++;
	planted->lost_events += host->summary.missing.lost;
	if (summary_write_text(&host->summary, &text, &size))
		fail_hosts("memory");
	if (fwrite(text, 1, size, file) != size)
		fail_hosts(plan->output);
	free(text);
}

static void deinit_host(struct host *host)
{
	summary_deinit(&host->summary);
	free(host->rows);
}

static FILE *open_file(const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file)
		fail_hosts(path);
	fputs(SUMMARY_FILE_HEADER, file);
	return file;
}

/* A file of each host, one after the other. */
static void write_files(const struct plan *plan, struct planted *planted)
{
	if (mkdir(plan->output, 0777) && errno != EEXIST)
		fail_hosts(plan->output);
	for (unsigned int i = 0; i < plan->hosts; i++) {
		struct host host;
		char path[4096];
		FILE *file;

		init_host(&host, plan, i, planted);
		snprintf(path, sizeof(path), "%s/%s" SUMMARY_FILE_SUFFIX, plan->output, host.name);
		file = open_file(path);
		for (uint64_t interval = 0; interval < intervals_of(plan); interval++)
			play_interval(&host, plan, interval, file, planted);
		if (fclose(file))
			fail_hosts(path);
		deinit_host(&host);
	}
}

/* One file of all hosts, in order of time. */
static void write_stream(const struct plan *plan, struct planted *planted)
{
	struct host *hosts = calloc(plan->hosts, sizeof(*hosts));
	FILE *file = open_file(plan->output);

	if (!hosts)
		fail_hosts("memory");
	for (unsigned int i = 0; i < plan->hosts; i++)
		init_host(&hosts[i], plan, i, planted);
	for (uint64_t interval = 0; interval < intervals_of(plan); interval++)
		for (unsigned int i = 0; i < plan->hosts; i++)
			play_interval(&hosts[i], plan, interval, file, planted);
	for (unsigned int i = 0; i < plan->hosts; i++)
		deinit_host(&hosts[i]);
	free(hosts);
	if (fclose(file))
		fail_hosts(plan->output);
}

static void print_planted(const struct plan *plan, const struct planted *planted)
{
	printf("hosts %u\nsummaries %" PRIu64 "\nlost_intervals %" PRIu64
	       "\nsilent_intervals %" PRIu64 "\nsilent_hosts %s\nboots %" PRIu64
	       "\nwrong_clocks %" PRIu64 "\nlost_events %" PRIu64 "\n",
	       plan->hosts, planted->summaries, planted->lost, planted->silent_intervals,
	       planted->silent ? planted->silent : "-", planted->boots, planted->clocks,
	       planted->lost_events);
	printf("leak_function %s [%s]\nleak_cache %s\nleak_kernel %s\nleak_hosts %s\n",
	       sites[LEAK_ROW].function, sites[LEAK_ROW].module, sites[LEAK_ROW].cache,
	       kernels[LEAK_KERNEL], planted->leaks ? planted->leaks : "-");
	printf("outlier host-%05u %s\n", OUTLIER_HOST, sites[OUTLIER_ROW].function);
}

static unsigned int parse_number(const char *text, unsigned int least, unsigned int most)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (*end || number < least || number > most) {
		fprintf(stderr, "hosts: %s: not a number from %u to %u\n", text, least, most);
		exit(2);
	}
	return (unsigned int)number;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "hosts", required_argument, NULL, 'n' },
		{ "hours", required_argument, NULL, 'h' },
		{ "interval", required_argument, NULL, 'i' },
		{ "rows", required_argument, NULL, 'r' },
		{ "seed", required_argument, NULL, 's' },
		{ "healthy", no_argument, NULL, 'H' },
		{ "stream", no_argument, NULL, 'S' },
		{ 0 },
	};
	struct plan plan = { .hosts = 1000, .hours = 24, .interval = 600, .rows = 12, .seed = 1 };
	struct planted planted = { 0 };
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'n')
			plan.hosts = parse_number(optarg, 1, 100000);
		else if (option == 'h')
			plan.hours = parse_number(optarg, 1, 10000);
		else if (option == 'i')
			plan.interval = parse_number(optarg, 1, HOUR);
		else if (option == 'r')
			plan.rows = parse_number(optarg, 6, ROWS_MAX);
		else if (option == 's')
			plan.seed = parse_number(optarg, 0, 1 << 30);
		else if (option == 'H')
			plan.healthy = true;
		else if (option == 'S')
			plan.stream = true;
		else
			return 2;
	}
	if (optind + 1 != argc) {
		fputs("hosts [--hosts=N] [--hours=H] [--interval=S] [--rows=R] [--seed=N] "
		      "[--healthy] DIR | --stream FILE\n",
		      stderr);
		return 2;
	}
	plan.output = argv[optind];
	if (plan.stream)
		write_stream(&plan, &planted);
	else
		write_files(&plan, &planted);
	print_planted(&plan, &planted);
	free(planted.leaks);
	free(planted.silent);
	return 0;
}
