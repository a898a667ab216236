// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The lines for the user about a text: its damage, what it lacks, and why it has no event. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>

#include "capture/import/text_import.h"

static void add_damages(const struct text_import *text)
{
	struct import_target *target = text->target;

	if (text->cut)
		import_target_damage(target,
				     "%s: is cut off: ignored line %" PRIu64 ", which has no end",
				     text->path, text->line);
	if (text->bad_lines)
		import_target_damage(target,
				     "%s: ignored kmem lines that could not be parsed: %" PRIu64
				     ", first line %" PRIu64 ": %s",
				     text->path, text->bad_lines, text->bad.number, text->bad.why);
}

static void add_loss_notes(const struct text_import *text)
{
	struct import_target *target = text->target;

	if (text->all_lost)
		import_target_note(target,
				   "the text reports %" PRIu64
				   " lost events: %s counts those of all kinds together",
				   text->all_lost, text->format->tracer);
	else if (!text->unknown_lost)
		import_target_note(target, "the text reports no lost events%s",
				   text->format->add_lost);
	if (text->overwritten)
		import_target_note(
			target,
			"events of all kinds that were overwritten before the first one of the text: %" PRIu64,
			text->overwritten);
	if (text->unknown_lost)
		import_target_note(
			target,
			"gaps in the recording where an unknown number of events is lost: %" PRIu64,
			text->unknown_lost);
}

void text_import_add_notes(const struct text_import *text)
{
	struct import_target *target = text->target;

	add_damages(text);
	if (text->no_cpu)
		import_target_note(target,
				   "%s: lines without a CPU: %" PRIu64
				   ": assumed CPU 0; perf script -F +cpu prints it",
				   text->path, text->no_cpu);
	if (text->other_buffers)
		import_target_note(
			target,
			"%s: only one buffer is imported; ignored events of other buffers: %" PRIu64,
			text->path, text->other_buffers);
	if (text->no_pointer)
		import_target_note(target,
				   "%s: lines without a pointer: %" PRIu64 ": counted as lost",
				   text->path, text->no_pointer);
	if (text->hashed)
		import_target_note(
			target,
			"%s: hashed pointers: %" PRIu64
			": they are not addresses, and different objects may have the same%s",
			text->path, text->hashed, text->format->add_pointers);
	if (text->functions.unresolved)
		import_target_note(target, "%s: call sites that could not be parsed: %" PRIu64,
				   text->path, text->functions.unresolved);
	if (text->functions.far)
		import_target_note(
			target,
			"%s: call sites 64 KiB or more behind their symbol, which is that of another function: %" PRIu64,
			text->path, text->functions.far);
	if (text->gfp_bits.left_out)
		import_target_note(target, "%s: ignored GFP flags above 32: %" PRIu64, text->path,
				   text->gfp_bits.left_out);
	if (text->is_number)
		import_target_note(
			target,
			"%s: times are whole numbers of a clock whose unit is unknown: each counts as a nanosecond",
			text->path);
	if (text->shifted)
		import_target_note(
			target,
			"events moved to a later time, to keep the order of the lines: %" PRIu64
			"%s",
			text->shifted, text->coarse ? text->format->add_ns : "");
	if (text->stack_counts.process_frames)
		import_target_note(target, "frames of processes, which are not imported: %" PRIu64,
				   text->stack_counts.process_frames);
	if (text->stack_counts.without_offset)
		import_target_note(target,
				   "frames without an offset in their function: %" PRIu64
				   ": they have the offset 0x1%s",
				   text->stack_counts.without_offset, text->format->add_offset);
	if (text->other_stacks)
		import_target_note(
			target, "stacks that are not behind their event, which has none: %" PRIu64,
			text->other_stacks);
	add_loss_notes(text);
	import_target_note(
		target,
		"addresses of functions and caches, and bits of GFP flags, are invented: the text has only their names");
}

int text_import_refuse(const struct text_import *text)
{
	struct error *error = &text->target->error;

	if (text->no_time)
		return error_format(error, -ENODATA, "%s: its lines have no time: %s", text->path,
				    text->format->add_time);
	if (text->rejected_lines)
		return error_format(error, -ENODATA,
				    "%s: none of its kmem events can be imported: %" PRIu64
				    ", first line %" PRIu64 ": %s",
				    text->path, text->rejected_lines, text->rejected.number,
				    text->rejected.why);
	if (text->other_kmem.number)
		return error_format(
			error, -ENODATA,
			"%s: has no allocation or free of a slab object, only other kmem events, as %s in line %" PRIu64
			": %s",
			text->path, text->other_kmem.why, text->other_kmem.number,
			text->format->record);
	return error_format(error, -ENODATA, "%s: has no kmem event: %s", text->path,
			    text->format->record);
}
