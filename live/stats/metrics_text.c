// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The text format of Prometheus, version 0.0.4. The textfile collector of node_exporter reads no
 * other one: of OpenMetrics, it would read a counter as a metric without a type.
 */
#include "config.h"

#include <inttypes.h>

#include "analysis/estimate.h"
#include "live/stats/metrics.h"

void metrics_write_label(FILE *file, const char *value)
{
	for (const unsigned char *at = (const unsigned char *)value; *at; at++) {
		if (*at == '\\' || *at == '"')
			fprintf(file, "\\%c", *at);
		else if (*at < ' ' || *at > '~')
			fprintf(file, "\\\\x%02x", *at);
		else
			putc(*at, file);
	}
}

static void begin_family(FILE *file, const char *name, const char *type, const char *help)
{
	fprintf(file, "# HELP kmemtrace_%s %s\n# TYPE kmemtrace_%s %s\n", name, help, name, type);
}

static void write_number(FILE *file, const char *name, const char *type, uint64_t value,
			 const char *help)
{
	begin_family(file, name, type, help);
	fprintf(file, "kmemtrace_%s %" PRIu64 "\n", name, value);
}

static void write_seconds(FILE *file, const char *name, const char *type, double value,
			  const char *help)
{
	begin_family(file, name, type, help);
	fprintf(file, "kmemtrace_%s %.6f\n", name, value);
}

/* The figures of the total and of each row. */
enum figure {
	LIVE_BYTES,
	LIVE_OBJECTS,
	ALLOCATED_BYTES,
	ALLOCATED_OBJECTS,
	FREED_BYTES,
	FREED_OBJECTS,
	MISSED_FREES,
	LIVE_LOW,
	LIVE_HIGH,
	FIGURES
};

static const struct {
	const char *name, *type, *help;
} figures[FIGURES] = {
	[LIVE_BYTES] = { "live_bytes", "gauge",
			 "Bytes that were allocated since the begin, and not freed yet" },
	[LIVE_OBJECTS] = { "live_objects", "gauge",
			   "Objects that were allocated since the begin, and not freed yet" },
	[ALLOCATED_BYTES] = { "allocated_bytes_total", "counter", "Bytes allocated" },
	[ALLOCATED_OBJECTS] = { "allocated_objects_total", "counter", "Objects allocated" },
	[FREED_BYTES] = { "freed_bytes_total", "counter",
			  "Bytes freed, of objects that were allocated since the begin" },
	[FREED_OBJECTS] = { "freed_objects_total", "counter",
			    "Objects freed that were allocated since the begin" },
	[MISSED_FREES] = { "missed_frees", "gauge",
			   "Frees that were not recorded, and were found later: others that are live may be freed too" },
	[LIVE_LOW] = { "live_low_bytes", "gauge",
		       "The live bytes are estimated: the low end of their 95 % interval" },
	[LIVE_HIGH] = { "live_high_bytes", "gauge",
			"The live bytes are estimated: the high end of their 95 % interval" },
};

/* The figures of one row. live: all that it counted; counted: what its counters show. */
struct metrics_figures {
	const struct metrics_counts *live, *counted;
	double variance;
};

static uint64_t value_of_figure(const struct metrics_figures *of, enum figure figure,
				const struct estimates *estimates)
{
	uint64_t live = metrics_live_bytes(of->live);

	switch (figure) {
	case LIVE_OBJECTS:
		return metrics_live_objects(of->live);
	case ALLOCATED_BYTES:
		return of->counted->allocated;
	case ALLOCATED_OBJECTS:
		return of->counted->allocations;
	case FREED_BYTES:
		return of->counted->freed;
	case FREED_OBJECTS:
		return of->counted->frees;
	case MISSED_FREES:
		return of->live->missed;
	case LIVE_LOW:
		return estimate_range_bytes(estimates, live, of->variance, ESTIMATE_LIVE).low;
	case LIVE_HIGH:
		return estimate_range_bytes(estimates, live, of->variance, ESTIMATE_LIVE).high;
	default:
		return live;
	}
}

static void write_labels(FILE *file, enum metrics_kind kind, const struct metrics_row *row)
{
	fprintf(file, "{%s=\"", kind == METRICS_CACHE ? "cache" : "function");
	metrics_write_label(file, row ? row->name : METRICS_REST);
	if (kind == METRICS_FUNCTION) {
		fputs("\",module=\"", file);
		metrics_write_label(file, row ? row->module : METRICS_REST);
	}
	fputs("\"}", file);
}

/* All rows that are not shown. */
static void sum_rest(const struct metrics_table *table, struct metrics_counts *live,
		     double *variance)
{
	*live = (struct metrics_counts){ 0 };
	*variance = 0;
	for (size_t i = 0; i < table->count; i++) {
		const struct metrics_row *row = &table->rows[i];

		if (row->is_shown)
			continue;
		metrics_counts_add(live, &row->total);
		*variance += row->variance;
	}
}

static void write_table(FILE *file, const struct metrics_table *table, enum metrics_kind kind,
			const struct estimates *estimates)
{
	const char *prefix = kind == METRICS_CACHE ? "cache" : "function";
	struct metrics_counts live;
	struct metrics_figures rest = { .live = &live, .counted = &table->rest };
	char name[64];

	sum_rest(table, &live, &rest.variance);
	for (unsigned int figure = 0; figure < (estimates ? FIGURES : LIVE_LOW); figure++) {
		snprintf(name, sizeof(name), "%s_%s", prefix, figures[figure].name);
		fprintf(file, "# HELP kmemtrace_%s %s, by %s\n# TYPE kmemtrace_%s %s\n", name,
			figures[figure].help,
			kind == METRICS_CACHE ? "slab cache" : "allocating function", name,
			figures[figure].type);
		for (size_t i = 1; i < table->count; i++) {
			const struct metrics_row *row = &table->rows[i];
			const struct metrics_figures of = { &row->total, &row->shown,
							    row->variance };

			if (!row->is_shown)
				continue;
			fprintf(file, "kmemtrace_%s", name);
			write_labels(file, kind, row);
			fprintf(file, " %" PRIu64 "\n", value_of_figure(&of, figure, estimates));
		}
		fprintf(file, "kmemtrace_%s", name);
		write_labels(file, kind, NULL);
		fprintf(file, " %" PRIu64 "\n", value_of_figure(&rest, figure, estimates));
	}
}

static void write_totals(const struct metrics *metrics, const struct estimates *estimates,
			 FILE *file)
{
	const struct metrics_figures of = { &metrics->total, &metrics->total,
					    estimates ? estimates->total.live : 0 };

	for (unsigned int figure = 0; figure < (estimates ? FIGURES : LIVE_LOW); figure++)
		write_number(file, figures[figure].name, figures[figure].type,
			     value_of_figure(&of, figure, estimates), figures[figure].help);
}

static void write_program(const struct metrics_facts *facts, FILE *file)
{
	begin_family(file, "build_info", "gauge",
		     "The version of kmemtraced, and the running kernel");
	fputs("kmemtrace_build_info{version=\"", file);
	metrics_write_label(file, facts->version);
	fputs("\",kernel_release=\"", file);
	metrics_write_label(file, facts->kernel_release);
	fputs("\"} 1\n", file);
	write_seconds(file, "begin_time_seconds", "gauge", facts->begin,
		      "Time when kmemtraced began to count, in seconds since 1970");
	write_seconds(file, "update_time_seconds", "gauge", facts->update,
		      "Time before which the figures include all events, in seconds since 1970");
	write_seconds(file, "cpu_seconds_total", "counter", facts->cpu_seconds,
		      "CPU time of kmemtraced, without that of its BPF programs");
	write_number(file, "resident_memory_bytes", "gauge", facts->resident,
		     "Resident memory of kmemtraced");
	write_number(file, "capture_bytes", "gauge", facts->capture,
		     "Bytes of events that kmemtraced wrote into its capture");
}

/* Without an audit there are no metrics of it. */
static void write_audit(const struct metrics_facts *facts, const struct audit *audit, FILE *file)
{
	if (!facts->audit)
		return;
	write_seconds(file, "audit_time_seconds", "gauge", facts->audit,
		      "Time of the last reading of the slab allocator, in seconds since 1970");
	write_number(file, "audit_freed_objects_total", "counter", audit->dead,
		     "Objects whose free was not recorded, as readings of the slab allocator show");
}

static void write_losses(const struct metrics *metrics, const struct estimates *estimates,
			 const struct metrics_facts *facts, FILE *file)
{
	const struct missing *missing = &facts->missing;
	bool whole = !missing_events(missing) && !missing->names_lost;

	write_number(file, "figures_whole", "gauge", whole,
		     "1: no event on an observed path is missing in the figures");
	write_number(file, "figures_estimated", "gauge", estimates != NULL,
		     "1: the figures are estimates from a sample of the allocations");
	write_number(file, "recorded_events_total", "counter", missing->recorded,
		     "Events that kmemtraced recorded");
	write_number(file, "lost_events_total", "counter", missing->lost,
		     "Events that found no room in a ring or on disk");
	write_number(file, "skipped_events_total", "counter", missing->skipped,
		     "Upper bound of the events that the kernel did not deliver");
	write_number(file, "uncounted_events_total", "counter", missing->uncounted,
		     "Recorded events that the figures do not include in full");
	write_number(file, "unmatched_frees_total", "counter", metrics->unmatched,
		     "Frees of objects whose allocation was not recorded");
	write_number(file, "failed_allocations_total", "counter", metrics->failed,
		     "Allocations that failed");
	write_number(file, "unobserved_paths", "gauge", missing->unobserved,
		     "Paths of the allocator that have no event on this kernel");
	begin_family(file, "replaced_rows_total", "counter",
		     "Rows that are not shown any more, since others have more live bytes");
	fprintf(file, "kmemtrace_replaced_rows_total{by=\"cache\"} %" PRIu64 "\n",
		metrics->tables[METRICS_CACHE].replaced);
	fprintf(file, "kmemtrace_replaced_rows_total{by=\"function\"} %" PRIu64 "\n",
		metrics->tables[METRICS_FUNCTION].replaced);
}

int metrics_write(const struct metrics *metrics, const struct analysis *analysis,
		  const struct metrics_facts *facts, FILE *file)
{
	write_program(facts, file);
	write_losses(metrics, analysis->estimates, facts, file);
	write_audit(facts, &analysis->audit, file);
	write_totals(metrics, analysis->estimates, file);
	for (unsigned int kind = 0; kind < METRICS_KINDS; kind++)
		write_table(file, &metrics->tables[kind], kind, analysis->estimates);
	return metrics_census_write(metrics, file);
}
