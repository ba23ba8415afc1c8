/* setup.c - the sheet setup: what the program of a trace has on.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/overview.h"

#include "work/args.h"
#include "work/calls.h"
#include "work/device_events.h"
#include "work/devices.h"
#include "work/kept.h"
#include "base/text.h"
#include "work/setup_names.h"
#include "sheet/overview.h"
#include "steps/one_off.h"
#include "steps/step_find.h"

#include <stdlib.h>
#include <string.h>

/* What tells a fact, so far. */
struct told { const char *evidence; uint32_t count; int64_t ticks, first; };
/* A distinct name of a kind, which rows of the table hold for it, and its events. */
struct name { enum tl_setup_name kind; uint32_t other; /* the entry of the same name and another kind; 0: none */ uint32_t *rows, n; struct told events; };

struct setup {
	struct tl_trace *t;
	struct tl_table *table;
	struct tl_setup_names names;
	struct told *told;                      /* by row of the names */
	struct name *asked; size_t n, cap;      /* from 1 */
	uint32_t *asked_of;                     /* by string id: the first entry of the name; 0: none */
	struct tl_arena arena;
	uint32_t *holding;                      /* the rows that hold for the name that is asked */
	struct tl_arg group;                    /* what a communication's group of processes is called */
	struct tl_name_answers *kinds;          /* of kernels */
	uint32_t *kernels; size_t n_kernels, cap_kernels; /* events */
	int64_t kernel_ticks;
};

/* ---- names ---------------------------------------------------------------------------------- */

/* The event tells a fact, with its time if it is a kernel. */
static void tell(const struct setup *s, struct told *t, uint32_t event, bool kernel)
{
	const struct tl_ev *e = &s->t->events[event];

	if (!t->count++) {
		t->evidence = tl_str(&s->t->strings, e->name);
		t->first = e->ts;
	}
	t->ticks = kernel ? tl_ticks_add(t->ticks, e->dur) : t->ticks;
}

/* Rows behind one that holds for a name before do not matter any more. */
static uint32_t ask(struct setup *s, enum tl_setup_name kind, uint32_t id, uint32_t other)
{
	struct name name = { .kind = kind, .other = other };

	for (uint32_t r = 0; r < s->names.n; r = s->told[r].count && !s->names.rows[r].more ? s->names.rows[r].next_fact : r + 1)
		if (tl_setup_row_holds(&s->names.rows[r], kind, tl_str(&s->t->strings, id), tl_str_len(&s->t->strings, id))) {
			s->holding[name.n++] = r;
			s->told[r].count = 1;
		}
	if (name.n)
		name.rows = memcpy(tl_arena_alloc(&s->arena, name.n * sizeof *name.rows), s->holding, name.n * sizeof *name.rows);
	TL_PUSH(s->asked, s->n, s->cap, name);
	return (uint32_t)s->n - 1;
}

static struct name *name_of(struct setup *s, enum tl_setup_name kind, uint32_t id)
{
	uint32_t at = s->asked_of[id];

	while (at && s->asked[at].kind != kind)
		at = s->asked[at].other;
	if (!at)
		at = s->asked_of[id] = ask(s, kind, id, s->asked_of[id]);
	return &s->asked[at];
}

static void take_event(struct setup *s, uint32_t event)
{
	static const uint8_t kinds[TL_KIND_COUNT] = {
		[TL_KIND_CPU_OP] = 1 + TL_SETUP_OP, [TL_KIND_RUNTIME] = 1 + TL_SETUP_CALL, [TL_KIND_DRIVER] = 1 + TL_SETUP_CALL,
		[TL_KIND_KERNEL] = 1 + TL_SETUP_KERNEL, [TL_KIND_PYTHON] = 1 + TL_SETUP_FRAME, [TL_KIND_ANNOTATION] = 1 + TL_SETUP_RANGE,
		[TL_KIND_MEMCPY] = 1 + TL_SETUP_COPY,
	};
	const struct tl_ev *e = &s->t->events[event];
	bool kernel = e->kind == TL_KIND_KERNEL && tl_ev_has_span(e);
	int64_t group;

	if (!kinds[e->kind])
		return;
	if (kernel) {
		TL_PUSH(s->kernels, s->n_kernels, s->cap_kernels, event);
		s->kernel_ticks = tl_ticks_add(s->kernel_ticks, e->dur);
	}
	tell(s, &name_of(s, kinds[e->kind] - 1, e->name)->events, event, kernel);
	if (kernel && tl_gpu_is_comm(e) && tl_arg_get(&s->group, s->t, event, &group) == TL_FIELD_STRING && group)
		tell(s, &name_of(s, TL_SETUP_GROUP, (uint32_t)group)->events, event, true);
}

/* The events of each name go to the rows that hold for it. */
static void settle(struct setup *s)
{
	memset(s->told, 0, s->names.n * sizeof *s->told);
	for (size_t i = 1; i < s->n; i++)
		for (uint32_t k = 0; k < s->asked[i].n; k++) {
			struct told *t = &s->told[s->asked[i].rows[k]];
			const struct told *more = &s->asked[i].events;
			if (!t->count)
				*t = (struct told){ .evidence = more->evidence, .first = more->first };
			t->count += more->count;
			t->ticks = tl_ticks_add(t->ticks, more->ticks);
		}
}

/* A name that is no event's. */
static void take_name(struct setup *s, enum tl_setup_name kind, const char *name)
{
	for (size_t r = 0; name && r < s->names.n; r++)
		if (tl_setup_row_holds(&s->names.rows[r], kind, name, strlen(name)))
			s->told[r] = (struct told){ .evidence = name, .count = 1, .first = INT64_MIN };
}

/* ---- rows ------------------------------------------------------------------------------------- */

static double share_of(const struct setup *s, int64_t ticks)
{
	return s->kernel_ticks > 0 ? (double)ticks / (double)s->kernel_ticks : 0;
}

static void add(struct setup *s, const char *fact, struct tl_cell value, const struct told *t)
{
	struct tl_strtab *strings = s->table->strings;
	struct tl_cell row[N_FACT] = { [FACT_FACT] = tl_cell_str(strings, fact), [FACT_EVIDENCE] = tl_cell_str(strings, t->evidence),
		[FACT_VALUE] = tl_cell_is_null(value) ? tl_cell_str(strings, "unknown") : value };

	if (t->ticks) {
		row[FACT_SHARE] = tl_cell_real(share_of(s, t->ticks));
		row[FACT_MS] = tl_cell_ms(t->ticks);
	}
	if (t->count) {
		row[FACT_COUNT] = tl_cell_int(t->count);
		row[FACT_FIRST_US] = t->first != INT64_MIN ? tl_start_cell(s->t, t->first) : tl_cell_null();
	}
	tl_table_add_row(s->table, row);
}

static struct tl_cell text(struct setup *s, const char *value)
{
	return tl_cell_str(s->table->strings, value);
}

/* Attention that no operator names: the library that most of its kernels are of; or math, a softmax between two products. */
static void add_attention(struct setup *s)
{
	struct tl_name_answers *libraries = tl_kept_answers(s->t, TL_KERNEL_LIBRARY);
	struct told found = { 0 }, math = { 0 };
	const char *value = NULL;
	int step = 0; /* products and the softmax in one chain so far */

	for (size_t i = 0; i < s->n_kernels; i++) {
		uint32_t name = s->t->events[s->kernels[i]].name;
		const char *kind = tl_name_answer(s->kinds, name);
		if (!strcmp(kind, "attention") && *tl_name_answer(libraries, name)) {
			value = value ? value : tl_name_answer(libraries, name);
			if (!strcmp(value, tl_name_answer(libraries, name)))
				tell(s, &found, s->kernels[i], true);
		} else if (!strcmp(kind, "softmax")) {
			step = step == 1 ? 2 : 0;
		} else if (!strcmp(kind, "product")) {
			if (step == 2)
				tell(s, &math, s->kernels[i], true);
			step = 1;
		} else if (tl_is_one_of((const char *const[]){ "norm", "index", "optimizer", "communication", NULL }, kind)) {
			step = 0;
		}
	}
	add(s, "attention", text(s, value ? value : math.count ? "math" : NULL), value ? &found : &math);
}

/* The value of the first row that holds or, of rows that may hold besides, all their values. */
static void add_names(struct setup *s)
{
	for (size_t r = 0; r < s->names.n; r = s->names.rows[r].next_fact) {
		const struct told *first = NULL;
		struct tl_buf values = { 0 };
		for (size_t i = r; i < s->names.rows[r].next_fact && !(first && !s->names.rows[i].more); i++) {
			const struct tl_setup_row *row = &s->names.rows[i];
			if (!s->told[i].count || (values.len && strstr(values.data, row->value)))
				continue;
			first = first ? first : &s->told[i];
			tl_buf_addf(&values, "%s%s", values.len ? "," : "", row->value);
		}
		if (!first && !strcmp(s->names.rows[r].fact, "attention"))
			add_attention(s);
		else
			add(s, s->names.rows[r].fact, first ? text(s, values.data) : tl_cell_null(), first ? first : &(struct told){ 0 });
		tl_buf_release(&values);
	}
}

/* Kernels by the call that launched them, as a share of the time of all kernels. */
static void add_graphs(struct setup *s)
{
	struct tl_name_answers *names = tl_kept_answers(s->t, TL_GRAPH_NAMES);
	struct told t = { 0 };

	for (size_t i = 0; i < s->n_kernels; i++) {
		uint32_t call = tl_launching_call(tl_copies_of(s->t), s->kernels[i]);
		if (call != TL_NONE && tl_name_is(names, s->t->events[call].name, "launch-graph"))
			tell(s, &t, s->kernels[i], true);
	}
	add(s, "graphs", s->kernel_ticks ? tl_cell_real(share_of(s, t.ticks)) : tl_cell_null(), &t);
}

/* In which precision kernels multiply matrices, as shares of the time of those whose names tell it. */
static void add_precisions(struct setup *s)
{
	static const struct { const char *fact, *answers[3]; } facts[] = {
		{ "matrix_fp32", { "fp32" } }, { "matrix_tf32", { "tf32" } }, { "matrix_16", { "bf16", "fp16" } }, { "matrix_8", { "fp8", "fp4" } },
	};
	static const char *const multiply[] = { "product", "gemv", "convolution", "attention", "experts", NULL };
	enum { N = sizeof facts / sizeof *facts };
	struct tl_name_answers *names = tl_kept_answers(s->t, TL_KERNEL_PRECISION);
	struct told told[N] = { 0 };
	int64_t all = 0;

	for (size_t i = 0; i < s->n_kernels; i++) {
		const struct tl_ev *e = &s->t->events[s->kernels[i]];
		const char *answer = tl_is_one_of(multiply, tl_name_answer(s->kinds, e->name)) ? tl_name_answer(names, e->name) : "";
		for (size_t k = 0; *answer && k < N; k++) {
			if (!tl_is_one_of(facts[k].answers, answer))
				continue;
			tell(s, &told[k], s->kernels[i], true);
			all = tl_ticks_add(all, e->dur);
		}
	}
	for (size_t k = 0; k < N; k++)
		add(s, facts[k].fact, all ? tl_cell_real((double)told[k].ticks / (double)all) : tl_cell_null(), &told[k]);
}

/* What the recording has, which decides what can be asked. */
static void add_recorded(struct setup *s)
{
	struct tl_arg dims = tl_arg_of(s->t, TL_KEY_INPUT_DIMS);
	bool shapes = false, stacks = false;
	int64_t value;

	for (uint32_t i = 0; i < s->t->n_events && !(shapes && stacks); i++) {
		shapes = shapes || (s->t->events[i].kind == TL_KIND_CPU_OP && tl_arg_get(&dims, s->t, i, &value));
		stacks = stacks || s->t->events[i].kind == TL_KIND_PYTHON;
	}
	add(s, "steps", tl_cell_int((int64_t)tl_steps_of(s->t)->n), &(struct told){ 0 });
	add(s, "has_steady", tl_cell_bool(tl_one_offs_of(s->t)->has_steady), &(struct told){ 0 });
	add(s, "has_shapes", tl_cell_bool(shapes), &(struct told){ 0 });
	add(s, "has_stacks", tl_cell_bool(stacks), &(struct told){ 0 });
}

/* A row for each fact, always the same ones: fact, value, share, count, ms, evidence, first_us. The value of a fact that the trace
 * does not tell is "unknown", never "no". The trace's Python frames and annotations must have been kept.
 *   share   of the kernel time, of facts about kernels, 0 to 1
 *   count   events that tell it, and ms their time on the device
 * Facts by names are those of work/setup-names.tsv, in its order; others follow. */
void tl_overview_setup(void *ctx, struct tl_sheet_input *in)
{
	struct tl_trace *t = ((const struct tl_overview *)ctx)->trace;
	struct setup s = { .t = t, .group = tl_arg_of(t, "Process Group Description"),
		.table = in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, tl_overview_fact_rows), .n = 1 };
	struct tl_trace_facts facts;

	tl_trace_facts_read(&facts, t);
	const struct tl_gpu_facts *gpu = tl_working_gpu_kind(&facts, t);
	tl_setup_names_init(&s.names);
	s.kinds = tl_kept_answers(t, TL_KERNEL_KINDS);
	s.told = tl_calloc(s.names.n + 1, sizeof *s.told);
	s.holding = tl_alloc((s.names.n + 1) * sizeof *s.holding);
	s.asked_of = tl_calloc((size_t)t->strings.count + 1, sizeof *s.asked_of);
	TL_GROW(s.asked, s.cap, 1); /* entry 0 is none */
	for (uint32_t i = 0; i < t->n_events; i++)
		take_event(&s, i);
	settle(&s);
	take_name(&s, TL_SETUP_GPU, gpu ? gpu->name : NULL);
	const char *profiler = tl_trace_profiler(t);
	take_name(&s, TL_SETUP_PROFILER, profiler);
	add(&s, "profiler", text(&s, *profiler ? profiler : NULL), &(struct told){ 0 });
	add(&s, "gpu", text(&s, gpu ? gpu->name : NULL), &(struct told){ 0 });
	add(&s, "units", gpu && gpu->units ? tl_cell_int(gpu->units) : tl_cell_null(), &(struct told){ 0 });
	add(&s, "capability", gpu && gpu->capability > 0 ? tl_cell_real((double)gpu->capability / 10) : tl_cell_null(), &(struct told){ 0 });
	add_names(&s);
	add_graphs(&s);
	add_precisions(&s);
	add_recorded(&s);
	tl_trace_facts_release(&facts);
	tl_setup_names_release(&s.names);
	tl_arena_release(&s.arena);
	free(s.asked);
	free(s.asked_of);
	free(s.kernels);
	free(s.told);
	free(s.holding);
}
