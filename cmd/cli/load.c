/* load.c - any input to a linked trace in memory.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"

#include "path/pieces.h"
#include "model/part.h"
#include "model/trace.h"
#include "steps/step_find.h"
#include "work/doubtful.h"
#include "work/range_names.h"

#include <string.h>
#include <sys/stat.h>

/* What no sheet reads of a raw trace. */
#define UNUSED (1u << TL_KIND_COUNTER | 1u << TL_KIND_INSTANT)

static struct tl_slice_options part = TL_SLICE_WHOLE;
static bool keep_times;
const struct tl_opt tl_part_options[] = { TL_PART_OPTIONS(&part),
	TL_STEP_MARKER_OPTION,
	{ 0, "keep-times", NULL, "let device events and calls with impossible times count, too", TL_OPT_FLAG, &keep_times, 0, 0, NULL }, { .long_name = NULL } };

static bool has_frames(const struct tl_trace *t)
{
	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].kind == TL_KIND_PYTHON)
			return true;
	return false;
}

/* An input whose bytes are counted. size: of the file; 0: not known */
struct counted { struct tl_input in, *from; struct tl_load_options *o; uint64_t size; };

static int64_t read_counted(struct tl_input *in, void *buf, size_t cap, struct tl_error *err)
{
	struct counted *c = (struct counted *)in;
	int64_t n = c->from->read(c->from, buf, cap, err);

	if (n > 1 && !c->o->n_bytes)
		c->o->gzip = !memcmp(buf, "\x1f\x8b", 2);
	if (n > 0)
		c->o->n_bytes += (uint64_t)n;
	if (c->o->progress && c->size)
		tl_tell_progress(c->o->n_bytes, c->size, "%s: %.0f %% of the file is read", in->name, 100 * (double)c->o->n_bytes / (double)c->size);
	else if (c->o->progress)
		tl_tell_progress(c->o->n_bytes, 0, "%s: %.1f MB are read", in->name, (double)c->o->n_bytes / 1e6);
	return n;
}

/* Reads the input, links and edits it, takes the part that was asked for, into a sink. */
static void read_linked(struct tl_load_options *o, struct tl_sink *to)
{
	const struct tl_merge_options *captures = tl_open_captures(o->lenient, o->verbose);
	bool python = o->python || o->all_frames || o->recompute || captures;
	struct tl_link_options lo = { .python = python, .recompute = o->recompute, .keep = true, .any_tree = o->any_tree };
	struct tl_read_options ro = { .drop_kinds = (UNUSED & ~((unsigned)o->instants << TL_KIND_INSTANT | (unsigned)o->counters << TL_KIND_COUNTER)) |
			(python || o->frames ? 0 : 1u << TL_KIND_PYTHON),
		.least_frame_us = python ? 0 : TL_LEAST_FRAME_US, .drop_raw_only = true, .lenient = o->lenient };
	struct tl_sink *slicer = tl_slice_is_whole(&part) ? NULL : tl_slicer(to, &part);
	struct tl_sink *sliced = slicer ? slicer : to;
	struct tl_sink *edited = o->rules ? tl_rewriter_new(sliced, o->rules) : sliced;
	struct tl_sink *merged = captures ? tl_merger_new(edited, captures) : edited;
	struct tl_input *in = tl_open_input(o->path);
	struct stat st;
	struct counted counted = { { in->name, read_counted, in->path }, in, o, in->path && !stat(in->path, &st) ? (uint64_t)st.st_size : 0 };
	struct tl_pass pass = { .in = &counted.in };

	tl_pass_link(&pass, &ro, &lo, merged, o->notes, o->verbose);
	o->n_text_bytes = pass.report.n_bytes;
	if (counted.in.path && !o->gzip && o->n_bytes < o->n_text_bytes)
		o->n_bytes = o->n_text_bytes; /* the reader opened the file itself */
	tl_close_input(in);
	if (captures) {
		tl_show_merge(tl_merger_report(merged), o->verbose);
		tl_merger_free(merged);
	}
	if (slicer)
		tl_show_slice(tl_slicer_report(slicer), false);
	tl_slicer_free(slicer);
	if (o->rules) {
		tl_show_edits(tl_rewriter_report(edited), o->verbose);
		tl_rewriter_free(edited);
	}
}

/* What cannot be is left out. Of PyTorch's traces the sheet trace_health tells of the clocks. */
static void tell_doubtful(struct tl_trace *t)
{
	if (keep_times)
		tl_keep_doubtful(t);
	const struct tl_doubtful *d = tl_leave_out_doubtful(t);
	struct tl_buf words = { 0 };
	enum { CLOCK_US = 10 };

	tl_add_doubts(&words, d);
	if (d->all)
		tl_warn("times that cannot be: %u device events or calls are left out of all sheets: %s (first at event %u)",
		        (unsigned)d->all, words.data, (unsigned)d->first_uid);
	if (d->early_most > CLOCK_US * t->ticks_per_us && strcmp(t->source, "pytorch") != 0)
		tl_warn("%u of %u launched device events start before the calls that launch them (%.1f us in the median, %.1f us at most): "
		        "the clocks of host and device differ", (unsigned)d->n_early, (unsigned)d->n_launched,
		        tl_trace_us(t, d->early_median), tl_trace_us(t, d->early_most));
	tl_buf_release(&words);
}

struct tl_trace *tl_load_trace(struct tl_load_options *o)
{
	struct tl_trace *trace = NULL;
	const struct tl_trace_options options = { .drop_kinds = o->drop_kinds, .drop_kinds_of = o->drop_kinds_of, .ctx = o->ctx, .samples = true,
		.counters = o->counter_events };
	struct tl_sink *in_memory = tl_trace_sink_new(&trace, &options);

	if (o->keep) {
		struct tl_output *out = tl_open_output(o->keep, true);
		struct tl_sink *writer = tl_writer_new(out, tl_provenance_line());
		struct tl_tee both;

		tl_tee_init(&both, writer, in_memory);
		read_linked(o, &both.sink);
		tl_writer_free(writer);
		tl_close_output_for_later(out);
	} else {
		read_linked(o, in_memory);
	}
	if ((o->python || o->recompute) && !has_frames(trace) && !tl_modules_are_ranges(trace))
		tl_warn("the trace has no Python frames: no recomputed work, call stacks and modules can be found");
	tl_trace_sink_free(in_memory);
	tell_doubtful(trace);
	tl_settle_ranges(trace);
	tl_steps_mark_by(trace, &tl_step_marker);
	return trace;
}
