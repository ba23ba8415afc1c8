/* tl-split.c - the steps of a trace as traces of their own: single ones, steady windows, runs
 * of one phase.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/json_writer.h"
#include "base/text.h"
#include "cli/outputs.h"
#include "edit/span_events.h"
#include "model/trace.h"
#include "model/trace_source.h"
#include "steps/recorded.h"
#include "steps/split.h"
#include "table/tsv.h"
#include "writers/chrome.h"
#include "writers/gzip.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a trace and its steps ------------------------------------------------------- */

/* A trace and its steps. */
struct step_trace {
	const char *name;      /* of the input, for messages */
	char *base;            /* for names of files, see tl_split_base */
	struct tl_trace *trace;
	struct tl_steps steps; /* those of the trace, which keeps them */
	struct tl_span_index *index;
	struct tl_span_events chosen;    /* those of the part that was written last */
	struct tl_step_batches batches;
	bool all_threads;      /* a part has the events of all threads of the process in the time of a step */
	uint32_t *threads; size_t n_threads, cap_threads; /* of the step that was looked at last */
};

/* Reads a trace of any kind, or a stream; NULL or "-": standard input. Training steps have all threads in any
 * case. An error ends the program. */
static void load_steps(struct step_trace *s, const char *path, bool lenient, bool all_threads)
{
	bool named = path && strcmp(path, "-");

	*s = (struct step_trace){ .name = tl_input_name(path), .base = named ? tl_split_base(path) : tl_strdup("trace") };
	s->trace = tl_pass_load(path, 0, lenient);
	s->batches.trace = s->trace;
	tl_steps_mark_by(s->trace, &tl_step_marker);
	s->steps = *tl_steps_of(s->trace);
	s->all_threads = all_threads || (tl_steps_are_marked(&s->steps) && s->steps.source != TL_STEPS_ENGINE); /* backward passes run on threads of their own */
	s->index = tl_span_index_new(s->trace);
}

static void release_steps(struct step_trace *s)
{
	tl_step_batches_release(&s->batches);
	tl_span_events_release(&s->chosen);
	tl_span_index_free(s->index);
	tl_trace_free(s->trace);
	free(s->threads);
	free(s->base);
}

/* ---- files of parts ------------------------------------------------------------------------- */

/* Pushes the chosen events, and the members of the trace; `window`: also what its devices ran besides. */
static enum tl_status push(const struct step_trace *s, struct tl_sink *to, bool window, struct tl_error *err)
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

/* Sets the path of a part with a label and steps, below the output folder. */
static void name_part(const struct step_trace *s, struct tl_split_part *part, const char *folder, bool stream)
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
			tl_split_add_label(&name, tl_str(&s->trace->strings, tl_step_name(s->trace, &part->steps[0])));
		}
	}
	tl_buf_adds(&name, stream ? ".tls" : ".json.gz");
	part->path = tl_join_path(folder, name.data);
	tl_buf_release(&name);
}

/* Writes the events that were chosen last to part->path: as an event stream or as compressed Chrome trace
 * JSON. Makes the folder of the part; a file gets its name with tl_rename_outputs(). The path may be NULL, standard
 * output, for a stream. */
static void write_events(const struct step_trace *s, const struct tl_split_part *part, bool stream)
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

/* Writes a text to a file of a folder, and releases it. */
static void write_text(const char *folder, const char *file, struct tl_buf *text)
{
	char *path = tl_join_path(folder, file);

	tl_write_text(path, text);
	tl_buf_release(text);
	free(path);
}

/* The same with a sheet in TSV, in all forms that are wanted. Beside it, CSV is always made, as TraceLens does. */
static void write_sheet(const struct tl_outputs *outputs, const char *name, const char *of, struct tl_buf *text)
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
static void find_threads(struct step_trace *s, uint32_t track)
{
	const struct tl_trace *t = s->trace;
	uint32_t pid = t->tracks[track].pid;

	if (s->all_threads && s->n_threads && t->tracks[s->threads[0]].pid == pid)
		return; /* they are those of the step before */
	s->n_threads = 0;
	for (uint32_t i = s->all_threads ? 0 : track; s->all_threads ? i < t->n_tracks : i == track; i++) {
		if (t->tracks[i].pid != pid)
			continue;
		TL_PUSH(s->threads, s->n_threads, s->cap_threads, i);
	}
}

/* Chooses the events of a part, of which the caller has set steps and number: fills the
 * numbers of its events and times. batches: let operators tell the batch sizes of the steps: they do
 * if they tell as many different ones as there are steps. */
static void choose_events(struct step_trace *s, struct tl_split_part *part, bool batches)
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

/* ---- split plan ------------------------------------------------------------------ */

struct tl_split_choice {
	struct { int64_t from, to; bool given; } range; /* steps from … to - 1 */
	bool single, windows, phases; /* each step, the windows of the steady state, or its runs of one phase; none
	                                 of these: the range as one part */
	int64_t num_steps;            /* most steps of a window */
	/* of the load, see tl-split(1) */
	int64_t concurrency;          /* 0: not given */
	double output_length, output_ratio; /* NAN: not given */
	bool verbose;
};

struct planner {
	struct tl_split_parts *out;
	const struct tl_split_choice *choice;
	const struct tl_steps *steps;
	struct tl_windows stretches; /* of steady state */
};

/* Adds a part of the steps from … to - 1. label: taken over. */
static struct tl_split_part *add_part(struct planner *p, size_t from, size_t to, char *label)
{
	struct tl_split_parts *out = p->out;

	TL_GROW(out->items, out->cap, out->n + 1);
	struct tl_split_part *part = &out->items[out->n++];
	*part = (struct tl_split_part){ .label = label };
	tl_split_part_add(part, p->steps->items + from, to - from);
	return part;
}

/* ---- windows -------------------------------------------------------------------------- */

/* The ratio of steps that prefill in the mixed window, and *n, its most steps. */
static double wanted_ratio(const struct planner *p, int64_t *n)
{
	const struct tl_split_choice *c = p->choice;
	int64_t most = tl_most_requests(p->steps->items, p->steps->n);

	*n = c->num_steps;
	if (c->concurrency && c->concurrency != most)
		tl_warn("at most %" PRId64 " requests are served at a time; --CONC expects %" PRId64, most, c->concurrency);
	if (!c->concurrency || isnan(c->output_length) || isnan(c->output_ratio))
		return tl_prefill_ratio(p->steps->items, &p->stretches);
	double ratio = (double)c->concurrency * 2 / (c->output_length * (1 + c->output_ratio)), least = ceil(1 / ratio);
	if ((double)*n < least) {
		tl_note("a window needs %.0f steps to have one that prefills; --num-steps is %" PRId64, least, *n);
		*n = least < INT32_MAX ? (int64_t)least : INT32_MAX;
	}
	return ratio;
}

static void plan_windows(struct planner *p)
{
	static const struct { enum tl_window_kind kind; const char *label, *lacks; } windows[] = {
		{ TL_WINDOW_MIXED, "mixed_steady_state", "steps" },
		{ TL_WINDOW_DECODE, "decode_only_steady_state", "steps that only decode" },
		{ TL_WINDOW_PREFILL_DECODE, "prefilldecode_steady_state", "steps that prefill" },
	};
	int64_t mixed_steps;
	double ratio = wanted_ratio(p, &mixed_steps);

	for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
		int64_t n = windows[i].kind == TL_WINDOW_MIXED ? mixed_steps : p->choice->num_steps;
		struct tl_window w;
		if (tl_steady_window(p->steps->items, &p->stretches, windows[i].kind, n, ratio, &w))
			add_part(p, w.from, w.to, tl_strdup(windows[i].label));
		else
			tl_note("no %s part: the steady state has no %s", windows[i].label, windows[i].lacks);
	}
}

/* ---- runs of a phase --------------------------------------------------------------------- */

/* number: of the run among those of its phase */
static void name_run(struct tl_split_part *run, size_t number)
{
	struct tl_window_sums s = tl_window_sums(run->steps, run->n_steps);

	run->folder = tl_step_prefills(run->steps) ? "prefilldecodemix" : "decode_only";
	run->label = tl_strdupf("%s_chunk%zu_steps%zu_bs%" PRId64 "_conc%" PRId64, run->folder, number, run->n_steps,
	                        s.batch_size, s.requests);
}

/* Runs of steps that all prefill, or all only decode. Idle steps are left out; neither they nor
 * what lies between two stretches ends a run. */
static void plan_phases(struct planner *p)
{
	struct tl_split_part *run = NULL;
	size_t first = p->out->n, number[2] = { 0, 0 };

	for (size_t w = 0; w < p->stretches.n; w++)
		for (size_t i = p->stretches.items[w].from; i < p->stretches.items[w].to; i++) {
			const struct tl_step *s = &p->steps->items[i];
			if (!tl_step_requests(s))
				continue;
			if (run && tl_step_prefills(s) == tl_step_prefills(run->steps))
				tl_split_part_add(run, s, 1);
			else
				run = add_part(p, i, i + 1, NULL);
		}
	for (size_t r = first; r < p->out->n; r++)
		name_run(&p->out->items[r], number[tl_step_prefills(p->out->items[r].steps)]++);
}

/* ---- all -------------------------------------------------------------------------------- */

static void find_stretches(struct planner *p, size_t from, size_t to)
{
	const struct tl_split_choice *c = p->choice;

	if (c->range.given) {
		tl_windows_add(&p->stretches, from, to);
		return;
	}
	tl_steady_stretches(&p->stretches, p->steps->items, p->steps->n, c->num_steps);
	for (size_t i = 0; i < p->stretches.n && c->verbose; i++)
		tl_tell("steady state: steps %zu to %zu", p->stretches.items[i].from, p->stretches.items[i].to - 1);
}

/* Adds the parts, with number, folder, label and steps. Notes tell which windows the trace has not. An error
 * ends the program. */
static void plan_split(struct tl_split_parts *out, const struct step_trace *s, const struct tl_split_choice *c)
{
	struct planner p = { .out = out, .choice = c, .steps = &s->steps };
	size_t n = s->steps.n, from = 0, to = n;

	if (c->range.given) {
		from = (size_t)c->range.from;
		to = (size_t)c->range.to < n ? (size_t)c->range.to : n;
	}
	if (from >= to)
		tl_die("%s: no step %zu: the trace has %zu, from 0 on", s->name, from, n);
	for (size_t i = from; c->single && i < to; i++)
		add_part(&p, i, i + 1, NULL)->number = i;
	if (c->phases || c->windows)
		find_stretches(&p, from, to);
	if (c->phases)
		plan_phases(&p);
	else if (c->windows)
		plan_windows(&p);
	else if (!c->single)
		add_part(&p, from, to, tl_strdupf("iterations_%zu-%zu", from, to - 1));
	tl_windows_release(&p.stretches);
}

/* ---- tl-split -------------------------------------------------------------------- */

static struct tl_outputs outputs;
static const char *folder; /* that of -d */
static struct tl_split_choice choice = { .num_steps = 32, .output_length = NAN, .output_ratio = NAN };
static bool all_threads, streams, lenient;
static bool match, no_extract;
static struct tl_opt_list match_phases;
static struct tl_common common;

static bool parse_number(const char **s, int64_t *n)
{
	const char *start = *s;

	for (*n = 0; tl_is_digit(**s) && *n <= INT32_MAX; ++*s)
		*n = *n * 10 + (**s - '0');
	return *s > start && *n <= INT32_MAX;
}

static const char *set_range(void *dest, const char *arg)
{
	const char *s = arg;

	(void)dest;
	choice.range.given = strcmp(arg, "all") != 0;
	if (!choice.range.given)
		return NULL;
	bool good = parse_number(&s, &choice.range.from);
	choice.range.to = choice.range.from + 1;
	if (good && *s == ':')
		good = parse_number((s++, &s), &choice.range.to);
	return good && !*s && choice.range.to > choice.range.from ? NULL : "expected all, a step's number N, or A:B for A up to B - 1";
}

static const char *set_real(void *dest, const char *arg)
{
	char *end;

	*(double *)dest = tl_parse_double(arg, &end);
	return end > arg && !*end && isfinite(*(double *)dest) ? NULL : "expected a number";
}

static const struct tl_opt options[] = {
	{ 'd', "dir", "DIR",
	  "write the parts, and a sheet about them, to this folder; without it, the only part to standard output as a stream",
	  TL_OPT_TEXT, &outputs.to[TL_AS_TSV], 0, 0, NULL },
	{ 'o', "output-dir", "DIR", NULL, TL_OPT_TEXT, &outputs.to[TL_AS_TSV], 0, 0, NULL }, /* TraceLens's name */
	{ 0, "output_csvs_dir", "DIR", "write the sheet as CSV to DIR instead", TL_OPT_TEXT, &outputs.to[TL_AS_CSV], 0, 0, NULL },
	TL_SAFE_OPTION(&outputs),
	{ 0, "output_xlsx_path", "FILE", "write the sheet as a workbook, too", TL_OPT_TEXT, &outputs.to[TL_AS_BOOK], 0, 0, NULL },
	{ 0, "html", "FILE", "write the sheet as a page (HTML), too", TL_OPT_TEXT, &outputs.to[TL_AS_PAGE], 0, 0, NULL },
	{ 'i', "iterations", "RANGE", "only these steps: all, N, or A:B for A up to B - 1 (all)", TL_OPT_CALL, NULL, 0, 0, set_range },
	{ 0, "store-single-iteration", NULL, "each step as a trace", TL_OPT_FLAG, &choice.single, 0, 0, NULL },
	{ 0, "find-steady-state", NULL, "three windows of steady state: mixed, decode only, prefill-decode", TL_OPT_FLAG, &choice.windows, 0, 0, NULL },
	{ 0, "divide-phases", NULL, "the runs of steady steps that prefill, and of those that only decode", TL_OPT_FLAG, &choice.phases, 0, 0, NULL },
	{ 0, "num-steps", "N", "most steps of a window (32) or, with --match, of a part (16; 0: any)", TL_OPT_INT, &choice.num_steps, INT32_MIN, INT32_MAX, NULL },
	{ 0, "CONC", "N", "requests that were served at a time", TL_OPT_INT, &choice.concurrency, 1, INT32_MAX, NULL },
	{ 0, "OSL", "N", "most tokens that a request generates", TL_OPT_CALL, &choice.output_length, 0, 0, set_real },
	{ 0, "R", "RATIO", "the fewest tokens that a request generates, as a part of --OSL: 0 to 1", TL_OPT_CALL, &choice.output_ratio, 0, 0, set_real },
	{ 0, "match", NULL, "the parts of two traces, FILE and FILE2, that are most alike", TL_OPT_FLAG, &match, 0, 0, NULL },
	{ 0, "phases", "PHASE[,PHASE]...",
	  "with --match, of these phases: decode_only, prefilldecode, prefill_only (the first two)",
	  TL_OPT_CALL, &match_phases, 0, 0, tl_add_names },
	{ 0, "no-extract", NULL, "with --match, only tell which they are", TL_OPT_FLAG, &no_extract, 0, 0, NULL },
	{ 0, "all-threads", NULL, "also what other threads of the process do during a step", TL_OPT_FLAG, &all_threads, 0, 0, NULL },
	{ 0, "stream", NULL, "write event streams (.tls) instead of JSON (.json.gz)", TL_OPT_FLAG, &streams, 0, 0, NULL },
	TL_STEP_MARKER_OPTION,
	{ 0, "lenient", NULL, "go on after damaged events and at a truncated end", TL_OPT_FLAG, &lenient, 0, 0, NULL },
	{ .long_name = NULL },
};

static const struct tl_opt_need needs[] = {
	{ "num-steps", "find-steady-state match", NULL },
	{ "phases", "match", NULL },
	{ "no-extract", "match", NULL },
	{ "match", NULL, "iterations store-single-iteration find-steady-state divide-phases" },
	{ .option = NULL },
};

static const struct tl_program program = {
	.name = "tl-split",
	.synopsis = "[OPTION]... [FILE] | --match -d DIR [OPTION]... FILE FILE2",
	.purpose = "the steps of a trace as traces of their own",
	.detail = "FILE is a raw trace or an event stream; without it, or with -, standard input is read.",
	.options = options, .needs = needs,
	.common = TL_COMMON_PROVENANCE | TL_COMMON_VERBOSE,
	.c = &common,
};

/* ---- the parts --------------------------------------------------------------------- */

static void write_part(struct step_trace *s, struct tl_split_part *p)
{
	choose_events(s, p, p->label != NULL);
	if (folder) {
		name_part(s, p, folder, streams);
		if (common.verbose)
			tl_tell("%s: %zu steps, %zu events, %zu of devices", p->path, p->n_steps, p->n_events, p->n_device);
	}
	write_events(s, p, streams || !folder);
}

static void split(const char *path)
{
	struct tl_split_parts parts = { 0 };
	struct step_trace s;

	load_steps(&s, path, lenient, all_threads);
	if (!s.steps.n)
		tl_die("%s: the trace has no steps: no annotation of vLLM, SGLang, ATOM or a diffusion engine, no ProfilerStep, "
		       "and no calls that repeat", s.name);
	choice.verbose = common.verbose;
	plan_split(&parts, &s, &choice);
	if (!folder && parts.n != 1)
		tl_die("%s: %zu parts: say with -d in which folder", s.name, parts.n);
	if (folder)
		tl_make_folder(folder);
	for (size_t i = 0; i < parts.n; i++)
		write_part(&s, &parts.items[i]);
	tl_rename_outputs();
	if (folder && parts.n) {
		struct tl_buf json = { 0 }, sheet = { 0 };

		tl_split_add_json(&json, &parts);
		tl_split_add_sheet(&sheet, &parts);
		write_text(folder, "execution_details.json", &json);
		write_sheet(&outputs, "execution_details", s.name, &sheet);
	}
	tl_split_parts_release(&parts);
	release_steps(&s);
}

/* ---- pairs of two traces: the report ------------------------------------------------ */

/* One of the two traces, for the report. */
struct match_trace {
	struct tl_match_side side;
	const struct tl_trace *trace;
	const char *base; /* see tl_split_base */
};

/* A match, and the file of each side. */
struct match_files { struct tl_match match; const char *paths[2]; };

/* A number rounded to some decimals, as the nearest double. */
static double rounded(double x, int decimals)
{
	char *text = tl_strdupf("%.*f", decimals, x);

	x = tl_parse_double(text, NULL);
	free(text);
	return x;
}

/* ---- means over the steps of a block ------------------------------------------------ */

static int64_t c_requests(const struct tl_step_text *s) { return s->context.requests; }
static int64_t g_requests(const struct tl_step_text *s) { return s->generation.requests; }
static int64_t c_sq(const struct tl_step_text *s) { return s->context.sq; }
static int64_t c_sk(const struct tl_step_text *s) { return s->context.sk; }
static int64_t g_sq(const struct tl_step_text *s) { return s->generation.sq; }
static int64_t g_sk(const struct tl_step_text *s) { return s->generation.sk; }

static const struct {
	const char *json, *csv, *step; /* the names: of the means, and of the number of a step */
	int64_t (*of)(const struct tl_step_text *);
} numbers[] = {
	{ "avg_context_requests", "avg_c_req", "num_context", c_requests },
	{ "avg_generation_requests", "avg_g_req", "num_generation", g_requests },
	{ "avg_c_sq", "avg_c_sq", "c_sq", c_sq }, { "avg_c_sk", "avg_c_sk", "c_sk", c_sk },
	{ "avg_g_sq", "avg_g_sq", "g_sq", g_sq }, { "avg_g_sk", "avg_g_sk", "g_sk", g_sk },
};
#define N_NUMBERS (sizeof numbers / sizeof *numbers)

static double mean(const struct tl_step *steps, struct tl_window w, size_t number)
{
	double sum = 0;

	for (size_t i = w.from; i < w.to; i++)
		sum += (double)numbers[number].of(&steps[i].text);
	return rounded(sum / (double)(w.to - w.from), 3);
}

static const struct tl_step_block *block_of(const struct match_trace *t, const struct tl_match *m, int side)
{
	return &t->side.blocks->items[m->block[side]];
}

static size_t length_of(const struct tl_step_block *b)
{
	return b->window.to - b->window.from;
}

/* ---- JSON ------------------------------------------------------------------------- */

static void add_step(struct tl_json *w, const struct match_trace *t, size_t number)
{
	const struct tl_step *s = &t->side.steps[number];

	tl_json_open(w, NULL, '{');
	tl_json_put_int(w, "step", (int64_t)number);
	tl_json_put_string(w, "name", tl_str(&t->trace->strings, t->trace->events[s->event].name));
	for (size_t i = 0; i < N_NUMBERS; i++)
		tl_json_put_int(w, numbers[i].step, numbers[i].of(&s->text));
	tl_json_close(w, '}');
}

static void add_side(struct tl_json *w, const struct match_trace *t, const struct match_files *m, int side)
{
	const struct tl_step_block *block = block_of(t, &m->match, side);

	tl_json_open(w, side ? "TraceB" : "TraceA", '{');
	tl_json_put_int(w, "block_index", (int64_t)m->match.block[side]);
	tl_json_put_string(w, "trace", t->base);
	tl_json_put_string(w, "output_path", m->paths[side]);
	for (size_t i = 0; i < N_NUMBERS; i++)
		tl_json_put_real(w, numbers[i].json, mean(t->side.steps, block->window, i));
	tl_json_put_int(w, "start", (int64_t)block->window.from);
	tl_json_put_int(w, "end", (int64_t)block->window.to);
	tl_json_put_int(w, "num_steps", (int64_t)length_of(block));
	tl_json_put_int(w, "original_num_steps", (int64_t)block->original);
	tl_json_put(w, "truncated", block->original != length_of(block) ? "true" : "false");
	tl_json_open(w, "steps", '[');
	for (size_t i = block->window.from; i < block->window.to; i++)
		add_step(w, t, i);
	tl_json_close(w, ']');
	tl_json_close(w, '}');
}

static void add_match(struct tl_json *w, const struct match_trace traces[2], const struct match_files *m, size_t id)
{
	tl_json_open(w, NULL, '{');
	tl_json_put_int(w, "match_id", (int64_t)id);
	tl_json_put_string(w, "phase", tl_step_phase_name(m->match.phase));
	tl_json_put_int(w, "num_steps", (int64_t)length_of(block_of(&traces[0], &m->match, 0)));
	tl_json_open(w, "distance", '[');
	w->in_line = true;
	for (size_t i = 0; i < m->match.n_distance; i++)
		tl_json_put_real(w, NULL, rounded(m->match.distance[i], 6));
	tl_json_close(w, ']');
	w->in_line = false;
	add_side(w, &traces[0], m, 0);
	add_side(w, &traces[1], m, 1);
	tl_json_close(w, '}');
}

/* The matches as JSON, with their steps, and as a sheet. */
static void match_add_json(struct tl_buf *b, const struct match_trace traces[2], const struct match_files *m, size_t n)
{
	struct tl_json w = { .to = b };

	tl_json_open(&w, NULL, '[');
	for (size_t i = 0; i < n; i++)
		add_match(&w, traces, &m[i], i);
	tl_json_close(&w, ']');
	tl_buf_addc(b, '\n');
}

/* The phases for which no pair was found, as JSON. */
static void match_add_notes(struct tl_buf *b, const struct tl_match *without, size_t n)
{
	struct tl_buf reason = { 0 };
	struct tl_json w = { .to = b };

	tl_json_open(&w, NULL, '[');
	for (size_t i = 0; i < n; i++) {
		tl_buf_clear(&reason);
		tl_buf_addf(&reason, "no eligible (A, B) pair found (A blocks of phase: %zu, with same-size B candidate: %zu)",
		            without[i].n_usable, without[i].n_paired);
		tl_json_open(&w, NULL, '{');
		tl_json_put_string(&w, "phase", tl_step_phase_name(without[i].phase));
		tl_json_put_string(&w, "reason", reason.data);
		tl_json_close(&w, '}');
	}
	tl_json_close(&w, ']');
	tl_buf_addc(b, '\n');
	tl_buf_release(&reason);
}

/* ---- sheet -------------------------------------------------------------------------- */

static void add_columns(struct tl_buf *b, const struct match_trace *t, const struct match_files *m, int side)
{
	const struct tl_step_block *block = block_of(t, &m->match, side);

	tl_buf_addc(b, '\t');
	tl_tsv_add_text(b, t->base, strlen(t->base));
	tl_buf_addf(b, "\t%zu\t%zu\t%zu\t%zu\t%s", m->match.block[side], block->window.from, block->window.to, block->original,
	            block->original != length_of(block) ? "True" : "False");
	for (size_t i = 0; i < N_NUMBERS; i++) {
		tl_buf_addc(b, '\t');
		tl_json_double(b, mean(t->side.steps, block->window, i));
	}
	tl_buf_addc(b, '\t');
	tl_tsv_add_text(b, m->paths[side], strlen(m->paths[side]));
}

static void match_add_sheet(struct tl_buf *b, const struct match_trace traces[2], const struct match_files *m, size_t n)
{
	tl_buf_adds(b, "match_id\tphase\tnum_steps\tdistance");
	for (char side = 'A'; side <= 'B'; side++) {
		static const char *const columns[] = { "trace", "block_index", "start", "end", "original_num_steps", "truncated" };
		for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
			tl_buf_addf(b, "\tTrace%c_%s", side, columns[i]);
		for (size_t i = 0; i < N_NUMBERS; i++)
			tl_buf_addf(b, "\tTrace%c_%s", side, numbers[i].csv);
		tl_buf_addf(b, "\tTrace%c_output_path", side);
	}
	tl_buf_addc(b, '\n');
	for (size_t i = 0; i < n; i++) {
		tl_buf_addf(b, "%zu\t%s\t%zu\t", i, tl_step_phase_name(m[i].match.phase),
		            length_of(block_of(&traces[0], &m[i].match, 0)));
		for (size_t k = 0; k < m[i].match.n_distance; k++) {
			tl_buf_adds(b, k ? "|" : "");
			tl_json_double(b, rounded(m[i].match.distance[k], 6));
		}
		add_columns(b, &traces[0], &m[i], 0);
		add_columns(b, &traces[1], &m[i], 1);
		tl_buf_addc(b, '\n');
	}
}

/* ---- step pairs ------------------------------------------------------------------ */

struct pairs {
	const char *const *phases; size_t n_phases; /* by name, see tl_step_phase_name */
	int64_t num_steps;       /* most steps of a part; 0 or less: any */
	struct step_trace traces[2];
	struct tl_step_blocks blocks[2];
	struct match_trace sides[2];
	struct match_files *found; size_t n_found;
	struct tl_match *lacking; size_t n_lacking;
};

static void load(struct pairs *p, const char *const paths[2])
{
	for (int i = 0; i < 2; i++) {
		struct step_trace *t = &p->traces[i];
		load_steps(t, paths[i], lenient, all_threads);
		if (t->steps.source != TL_STEPS_ENGINE)
			tl_warn("%s: no annotation of vLLM, SGLang or ATOM: nothing of the trace matches", t->name);
		tl_step_blocks_find(&p->blocks[i], t->steps.items, t->steps.n, p->num_steps);
		p->sides[i] = (struct match_trace){ { t->steps.items, &p->blocks[i] }, t->trace, t->base };
	}
}

/* Chooses the events of one side of a match, writes them unless only the report is wanted, and
 * returns the path. */
static char *write_side(struct pairs *p, const struct tl_match *m, int side)
{
	struct step_trace *t = &p->traces[side];
	struct tl_window w = p->blocks[side].items[m->block[side]].window;
	const char *phase = tl_step_phase_name(m->phase);
	struct tl_split_part part = { .folder = phase };

	part.label = tl_strdupf("%s_best_A%zu_B%zu_%c", phase, m->block[0], m->block[1], 'A' + side);
	tl_split_part_add(&part, t->steps.items + w.from, w.to - w.from);
	choose_events(t, &part, true);
	name_part(t, &part, folder, streams);
	if (!no_extract)
		write_events(t, &part, streams);
	free((char *)(uintptr_t)part.label);
	free(part.steps);
	return part.path;
}

/* Finds for each phase the two parts of two traces that are most alike, and writes them. */
static void write_pairs(struct pairs *p, const char *const paths[2])
{
	load(p, paths);
	const struct tl_match_side sides[2] = { p->sides[0].side, p->sides[1].side };
	p->found = tl_calloc(p->n_phases + 1, sizeof *p->found);
	p->lacking = tl_calloc(p->n_phases + 1, sizeof *p->lacking);
	for (size_t i = 0; i < p->n_phases; i++) {
		struct tl_match m;
		if (tl_step_match(sides, tl_step_phase_by_name(p->phases[i]), &m)) {
			p->found[p->n_found++].match = m;
			continue;
		}
		p->lacking[p->n_lacking++] = m;
		tl_note("no %s steps match: %zu blocks of the first trace tell their sums, %zu of these have one as long in the "
		        "second", p->phases[i], m.n_usable, m.n_paired);
	}
	tl_make_folder(folder);
	for (size_t i = 0; i < p->n_found; i++)
		for (int side = 0; side < 2; side++)
			p->found[i].paths[side] = write_side(p, &p->found[i].match, side);
	tl_rename_outputs();
	struct tl_buf json = { 0 }, sheet = { 0 }, notes = { 0 };
	match_add_json(&json, p->sides, p->found, p->n_found);
	match_add_sheet(&sheet, p->sides, p->found, p->n_found);
	match_add_notes(&notes, p->lacking, p->n_lacking);
	write_text(folder, "match_report.json", &json);
	if (p->n_found)
		write_sheet(&outputs, "match_report", p->traces[0].name, &sheet);
	tl_buf_release(&sheet);
	write_text(folder, "match_notes.json", &notes);
	for (size_t i = 0; i < p->n_found; i++)
		for (int side = 0; side < 2; side++)
			free((char *)(uintptr_t)p->found[i].paths[side]);
	for (int side = 0; side < 2; side++) {
		tl_step_blocks_release(&p->blocks[side]);
		release_steps(&p->traces[side]);
	}
	free(p->found);
	free(p->lacking);
}

static void find_pairs(char **operands, int n)
{
	static const char *const usual[] = { "decode_only", "prefilldecode" };
	struct pairs p = { .phases = usual, .n_phases = 2, .num_steps = tl_option_given("num-steps") > 0 ? choice.num_steps : 16 };

	if (n != 2)
		tl_usage("--match: two files expected, %d given", n);
	if (!folder)
		tl_usage("--match: say with -d in which folder");
	for (size_t i = 0; i < match_phases.n; i++)
		if (tl_step_phase_by_name(match_phases.items[i]) == TL_PHASE_UNKNOWN)
			tl_usage("--phases: '%s' is none of decode_only, prefilldecode, prefill_only", match_phases.items[i]);
	if (match_phases.n) {
		p.phases = match_phases.items;
		p.n_phases = match_phases.n;
	}
	const char *const paths[2] = { operands[0], operands[1] };
	write_pairs(&p, paths);
}

int main(int argc, char **argv)
{
	int n;
	char **operands = tl_cli_start(&program, argc, argv, &n);

	folder = outputs.to[TL_AS_TSV];
	if (!folder && tl_outputs_any(&outputs))
		tl_usage("a sheet is made with -d only");
	if (!outputs.to[TL_AS_CSV])
		outputs.to[TL_AS_CSV] = folder;
	tl_outputs_check(&outputs);
	int given = (choice.concurrency != 0) + !isnan(choice.output_length) + !isnan(choice.output_ratio);
	if (choice.output_length <= 0)
		tl_usage("--OSL: expected a number above 0");
	if (choice.output_ratio < 0 || choice.output_ratio > 1) {
		tl_warn("--R is not from 0 to 1: the nearer end is taken");
		choice.output_ratio = choice.output_ratio < 0 ? 0 : 1;
	}
	if (given && (match || !choice.windows || choice.phases))
		tl_warn("--CONC, --OSL and --R are of no use here: they are about the windows of --find-steady-state");
	else if (given < 3 && given > (choice.concurrency != 0))
		tl_warn("--OSL and --R are of no use without each other and --CONC");
	if (match) {
		find_pairs(operands, n);
	} else {
		if (choice.num_steps < 1)
			tl_usage("--num-steps: a window has one step at least");
		if (n > 1)
			tl_usage("one file expected, %d given", n);
		if (!choice.single && !choice.windows && !choice.phases && !choice.range.given)
			tl_usage("nothing to do: say which parts (--store-single-iteration, --find-steady-state, --divide-phases, "
			         "--match, or -i A:B)");
		split(n ? operands[0] : NULL);
	}
	return 0;
}
