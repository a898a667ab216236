// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Passes a transition to the observers and the counters. */
#include "config.h"

#include "analysis/subscribers.h"

int subscribers_open(struct subscribers *subscribers, struct analysis *analysis)
{
	uint64_t end = analysis->capture->status.end;

	*subscribers = (struct subscribers){
		.analysis = analysis,
		.check_until = end ? end : UINT64_MAX,
		.is_observed = analysis->settings.observer_count,
	};
	return analysis->settings.findings ? heap_rules_open(&subscribers->heap_rules, analysis)
					   : 0;
}

void subscribers_close(struct subscribers *subscribers)
{
	heap_rules_close(subscribers->heap_rules);
}

int subscribers_emit_observed(const struct subscribers *subscribers,
			      const struct transition *transition)
{
	struct analysis *analysis = subscribers->analysis;
	const struct analysis_settings *settings = &analysis->settings;
	int err = 0;

	for (size_t i = 0; i < settings->observer_count && !err; i++)
		err = settings->observers[i].on_transition(settings->observers[i].data, analysis,
							   transition);
	return err || settings->observers_only ? err : counters_count(analysis, transition, false);
}
