/* step_files.c - what the programs share that cut a trace at its steps.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/step_files.h"

#include "model/trace_source.h"
#include "steps/recorded.h"
#include "writers/chrome.h"
#include "writers/gzip.h"

#include <stdlib.h>
#include <string.h>

/* ---- in -------------------------------------------------------------------------- */

void tl_step_trace_load(struct tl_step_trace *s, const char *path, bool lenient, bool all_threads)
{
	bool named = path && strcmp(path, "-");

	*s = (struct tl_step_trace){ .name = tl_input_name(path), .base = named ? tl_split_base(path) : tl_strdup("trace") };
	s->trace = tl_pass_load(path, 0, lenient);
	s->batches.trace = s->trace;
	tl_steps_to_split(&s->steps, s->trace);
	s->all_threads = all_threads || s->steps.source == TL_STEPS_PROFILER; /* backward passes run on threads of their own */
	s->index = tl_span_index_new(s->trace);
}

void tl_step_trace_release(struct tl_step_trace *s)
{
	tl_step_batches_release(&s->batches);
	tl_span_events_release(&s->chosen);
	tl_span_index_free(s->index);
	tl_steps_release(&s->steps);
	tl_trace_free(s->trace);
	free(s->threads);
	free(s->base);
}

/* ---- out ------------------------------------------------------------------------- */

/* Pushes the chosen events, and the members of the trace; `window`: also what its devices ran besides. */
static enum tl_status push(const struct tl_step_trace *s, struct tl_sink *to, bool window, struct tl_error *err)
{
	const struct tl_trace *t = s->trace;
	struct tl_header header = { .source = t->source, .ticks_per_us = t->ticks_per_us };
	struct tl_trace_source source = { .trace = t, .to = to };
	enum tl_status st = to->ops->begin(to, &header, &source.tables, err);

	for (size_t i = 0; i < t->n_meta && !st; i++)
		if (!strcmp(tl_str(&t->strings, t->meta[i].key), TL_META_WINDOW))
			window = true; /* the trace is a part itself */
		else
			st = to->ops->meta(to, tl_str(&t->strings, t->meta[i].key), tl_str_len(&t->strings, t->meta[i].key),
			                   tl_str(&t->strings, t->meta[i].json), tl_str_len(&t->strings, t->meta[i].json), err);
	if (window && !st)
		st = tl_push_window(to, s->trace, s->chosen.chosen, (struct tl_span){ INT64_MIN, INT64_MAX }, true, err);
	for (size_t i = 0; i < s->chosen.n && !st; i++) {
		const struct tl_ev *e = &t->events[s->chosen.items[i]];
		st = tl_trace_source_event(&source, s->chosen.items[i], e->ts, e->dur, err);
	}
	if (!st)
		st = to->ops->end(to, err);
	tl_trace_source_release(&source);
	return st;
}

void tl_step_part_name(const struct tl_step_trace *s, struct tl_split_part *part, const char *folder, bool stream)
{
	struct tl_buf name = { 0 };

	if (part->folder)
		tl_buf_addf(&name, "%s/", part->folder);
	if (part->label) {
		struct tl_window_sums sums = tl_window_sums(part->steps, part->n_steps);
		tl_buf_addf(&name, "%s_", part->label);
		tl_split_add_sums(&name, &sums);
		tl_buf_addf(&name, "_%s", s->base);
	} else {
		tl_buf_addf(&name, "%s_annotation_iteration_%zu", s->base, part->number);
		if (s->steps.source != TL_STEPS_REPEATED) {
			tl_buf_addc(&name, '_');
			tl_split_add_label(&name, tl_str(&s->trace->strings, s->trace->events[part->steps[0].event].name));
		}
	}
	tl_buf_adds(&name, stream ? ".tls" : ".json.gz");
	part->path = tl_join_path(folder, name.data);
	tl_buf_release(&name);
}

void tl_step_part_write(const struct tl_step_trace *s, const struct tl_split_part *part, bool stream)
{
	if (part->path) {
		char *folder = tl_strndup(part->path, (size_t)(strrchr(part->path, '/') - part->path));

		tl_make_folder(folder);
		free(folder);
	}
	struct tl_output *file = tl_open_output(part->path, true), *out = stream ? file : tl_gzip_new(file);
	struct tl_sink *writer = stream ? tl_writer_new(out, tl_provenance_line()) : tl_chrome_writer_new(out);
	struct tl_error err;

	/* a part in JSON has the bytes that TraceLens writes */
	if (push(s, writer, stream, &err) || (!stream && tl_gzip_end(out, &err)))
		tl_die_error(s->name, &err);
	(stream ? tl_writer_free : tl_chrome_writer_free)(writer);
	(part->path ? tl_close_output_for_later : tl_close_output)(file);
}

void tl_write_report(const char *folder, const char *file, struct tl_buf *text)
{
	char *path = tl_join_path(folder, file);

	tl_write_text(path, text);
	tl_buf_release(text);
	free(path);
}

void tl_write_step_sheet(const struct tl_outputs *outputs, const char *name, const char *of, struct tl_buf *text)
{
	struct tl_sheet_files s = { .folder = outputs->to[TL_AS_TSV], .of = of };
	char *path = tl_sheet_files_add(&s, name);

	tl_write_text(path, text);
	tl_sheet_files_finish(&s);
	tl_sheet_files_convert(&s, outputs);
	tl_sheet_files_release(&s);
	tl_buf_release(text);
	free(path);
}

/* ---- which events -------------------------------------------------------------------- */

/* The threads whose events are those of a step: its own or, with all_threads, those of its process. */
static void find_threads(struct tl_step_trace *s, uint32_t track)
{
	const struct tl_trace *t = s->trace;
	uint32_t pid = t->tracks[track].pid;

	if (s->all_threads && s->n_threads && t->tracks[s->threads[0]].pid == pid)
		return; /* they are those of the step before */
	s->n_threads = 0;
	for (uint32_t i = s->all_threads ? 0 : track; s->all_threads ? i < t->n_tracks : i == track; i++) {
		if (t->tracks[i].pid != pid)
			continue;
		TL_GROW(s->threads, s->cap_threads, s->n_threads + 1);
		s->threads[s->n_threads++] = i;
	}
}

/* Operators tell the batch sizes if they tell as many different ones as there are steps. */
void tl_step_part_choose(struct tl_step_trace *s, struct tl_split_part *part, bool batches)
{
	int64_t *sizes = tl_calloc(part->n_steps + 1, sizeof *sizes);

	tl_span_events_clear(&s->chosen);
	tl_step_batches_clear(&s->batches);
	for (size_t i = 0; i < part->n_steps; i++) {
		const struct tl_step *step = &part->steps[i];
		size_t n = s->chosen.n;
		find_threads(s, s->trace->events[step->event].track);
		tl_span_events_add(&s->chosen, s->index, s->threads, s->n_threads, step->from, step->to);
		if (batches)
			sizes[i] = tl_step_batches_add(&s->batches, s->chosen.items + n, s->chosen.n - n);
	}
	tl_span_events_end(&s->chosen, s->index);
	for (size_t i = 0; i < part->n_steps && s->batches.sizes.count == part->n_steps; i++)
		if (sizes[i])
			part->steps[i].text.batch_size = sizes[i];
	free(sizes);
	part->n_events = s->chosen.n;
	part->n_device = s->chosen.n_device;
	part->device_time = tl_trace_us(s->trace, s->chosen.device_time);
	part->device_busy = tl_trace_us(s->trace, s->chosen.device_busy);
}
