/* hot_kernels.c - the sheet hot_kernels: where the program calls what takes the device's time, how far that is from its
 * roofline, and the command that profiles it alone.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/roofline_rows.h"

#include "base/bare_name.h"
#include "base/merge_sort.h"
#include "base/text.h"
#include "work/devices.h"
#include "work/kept.h"

#include <stdlib.h>
#include <string.h>

struct launch { int64_t ts; uint32_t event; };

struct maker {
	struct tl_trace *t;
	const struct tl_table *headroom;         /* NULL: there is none */
	const uint32_t *headroom_of;             /* see tl_row_events */
	struct TL_KEYED(struct in_headroom { uint32_t row; int64_t ticks; }) rows; /* by uid of headroom; ticks: of all its events */
	struct tl_table *raw;
	uint32_t *event_of;                      /* by raw row */
	struct before { uint32_t same, all; } *before; /* by tl_trace_gpu: earlier kernels of its process, of that function and all */
	uint32_t *function_of;                   /* by string: the function of a kernel of that name, a string; 0: not asked */
	struct tl_copies *copies;
	struct tl_graph_nodes graphs;
	struct tl_nearest operators, sites, frames;
	struct tl_name_answers *wrappers, *libraries, *kinds, *profilers;
	struct tl_arg dims, types;
	const char *profiler;                    /* of kernels, by the GPU or the trace's own profiler; "": not known */
	struct tl_cell no_frames;                /* the reason; null: the trace has frames */
	bool *backward;                          /* by track: has it events of the backward pass? */
};

/* ---- where it is called ---------------------------------------------------------------------- */

static enum tl_nearest_answer ask_frame(const struct tl_trace *t, uint32_t event, uintptr_t unused)
{
	(void)unused;
	return t->events[event].kind == TL_KIND_PYTHON ? TL_NEAREST_THIS : TL_NEAREST_ABOVE;
}

static enum tl_nearest_answer ask_site(const struct tl_trace *t, uint32_t event, uintptr_t ctx)
{
	const struct maker *m = (const struct maker *)ctx;
	uint32_t name = t->events[event].name;

	return t->events[event].kind == TL_KIND_PYTHON && !*tl_name_answer(m->wrappers, name) && !*tl_name_answer(m->libraries, name) ?
		TL_NEAREST_THIS : TL_NEAREST_ABOVE;
}

/* The site of what a call or an operator launches, or the reason why there is none. */
static void find_site(struct maker *m, uint32_t gpu, uint32_t call, bool in_graph, struct tl_cell *site, struct tl_cell *why)
{
	struct tl_trace *t = m->t;
	uint32_t parent = t->events[gpu].parent, at = parent, op = tl_nearest(&m->operators, parent);
	uint32_t wrapper = op == TL_NONE ? TL_NONE : tl_backward_wrapper(t, op);
	const char *reason = NULL;

	if (op != TL_NONE && wrapper == TL_NONE && tl_trace_forward(t, op) != TL_NONE)
		wrapper = op;
	if (wrapper != TL_NONE && tl_nearest(&m->frames, at) == TL_NONE) {
		at = tl_trace_forward(t, wrapper);
		reason = "backward pass: the site is that of the forward operator";
	}
	uint32_t frame = tl_nearest(&m->sites, at);
	if (call == TL_NONE)
		reason = "no call launched it in the trace";
	else if (in_graph && parent == call)
		reason = "graph replay";
	else if (!tl_cell_is_null(m->no_frames))
		*why = m->no_frames;
	else if (frame != TL_NONE)
		*site = tl_name_cell(t, t->events[frame].name);
	else if (tl_nearest(&m->frames, at) != TL_NONE)
		reason = "only frames of libraries";
	else
		reason = m->backward[t->events[call].track] ? "a thread of the backward pass" : "a thread without Python frames";
	if (reason)
		*why = tl_cell_str(&t->strings, reason);
}

/* Why no event has a site: the trace has no Python frames. */
static struct tl_cell reason_without_frames(struct tl_trace *t)
{
	struct tl_name_rules *options = tl_name_rules_new(TL_FRAME_OPTIONS);
	const char *profiler = tl_trace_profiler(t), *option = tl_name_rules_find(options, profiler, strlen(profiler));
	struct tl_buf b = { 0 };
	uint32_t i = 0;

	while (i < t->n_events && t->events[i].kind != TL_KIND_PYTHON)
		i++;
	tl_buf_addf(&b, "no Python frames%s%s", *option ? ": record with " : "", option);
	struct tl_cell cell = i < t->n_events ? tl_cell_null() : tl_cell_str(&t->strings, b.data);
	tl_buf_release(&b);
	tl_name_rules_free(options);
	return cell;
}

/* ---- the command that profiles a kernel alone ------------------------------------------------- */

/* The function of a kernel, without namespaces and arguments, of which profilers of kernels ask the name. */
static uint32_t function_of(struct maker *m, uint32_t name)
{
	struct tl_buf b = { 0 };

	if (m->function_of[name])
		return m->function_of[name];
	tl_add_bare_name(&b, tl_str(&m->t->strings, name), tl_str_len(&m->t->strings, name));
	size_t len = strcspn(tl_buf_text(&b), "<(");
	uint32_t function = tl_intern(&m->t->strings, tl_buf_text(&b), len ? len : b.len);
	tl_buf_release(&b);
	return m->function_of[name] = function;
}

TL_ORDER(by_call, struct launch, TL_ASC(x->ts))

/* Counts the launches in each process, of each function and all, in the order of their calls; those of one call in that of their starts. */
static void count_launches(struct maker *m)
{
	struct tl_trace *t = m->t;
	const struct tl_devices *d = tl_devices_of(t);
	struct launch *launches = tl_alloc((d->n_events + 1) * sizeof *launches);
	struct TL_KEYED(uint32_t) counts = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < d->n_events; i++) {
		uint32_t event = d->by_start[i], call = tl_launching_call(m->copies, event);
		if (t->events[event].kind == TL_KIND_KERNEL)
			launches[n++] = (struct launch){ t->events[call == TL_NONE ? event : call].ts, event };
	}
	tl_merge_sort(launches, n, sizeof *launches, by_call, NULL);
	for (size_t i = 0; i < n; i++) {
		uint32_t event = launches[i].event, call = tl_launching_call(m->copies, event);
		uint32_t process = t->tracks[t->events[call == TL_NONE ? event : call].track].pid;
		struct before *before = &m->before[tl_trace_gpu(t, event)];
		before->same = (*TL_ITEM(&counts, (uint64_t)process << 32 | function_of(m, t->events[event].name), NULL))++;
		before->all = (*TL_ITEM(&counts, (uint64_t)process << 32 | UINT32_MAX, NULL))++;
	}
	TL_KEYED_RELEASE(&counts);
	free(launches);
}

/* By the call that launched it, else by what is known of the trace. */
static const char *profiler_of(const struct maker *m, uint32_t event)
{
	uint32_t call = tl_launching_call(m->copies, event);
	const char *of_call = call == TL_NONE ? "" : tl_name_answer(m->profilers, m->t->events[call].name);

	return *of_call ? of_call : m->profiler;
}

static const char *find_profiler(struct maker *m)
{
	const char *of_trace = tl_name_rules_find(m->profilers->rules, m->t->source, strlen(m->t->source));
	struct tl_trace_facts facts;

	tl_trace_facts_read(&facts, m->t);
	const struct tl_gpu_facts *gpu = tl_working_gpu_kind(&facts, m->t);
	const char *of_gpu = gpu ? tl_name_rules_find(m->profilers->rules, gpu->name, strlen(gpu->name)) : "";
	tl_trace_facts_release(&facts);
	return *of_gpu ? of_gpu : of_trace;
}

/* Ranks of a collective wait for one another: none is profiled alone. A graph that is seen as one kernel has no name of a function. */
static struct tl_cell command_of(struct maker *m, uint32_t event)
{
	const struct tl_ev *e = &m->t->events[event];
	const char *profiler = profiler_of(m, event), *function;
	const struct before *before = &m->before[tl_trace_gpu(m->t, event)];
	struct tl_buf b = { 0 };

	if (e->kind != TL_KIND_KERNEL || tl_gpu_is_comm(e) || !*profiler || tl_name_is(m->kinds, e->name, "graph"))
		return tl_cell_null();
	function = tl_str(&m->t->strings, function_of(m, e->name));
	bool ncu = !strcmp(profiler, "ncu");
	tl_buf_adds(&b, ncu ? "ncu --set full --kernel-name 'regex:(^|::)" : "rocprof-compute profile -n hot -k '");
	for (const char *c = function; *c; c++)
		tl_buf_addc(&b, *c != '\'' && (tl_in_name(*c) || !ncu) ? *c : '.'); /* any letter */
	if (ncu)
		tl_buf_addf(&b, "$' --launch-skip %u --launch-count 1 PROGRAM", (unsigned)before->same);
	else
		tl_buf_addf(&b, "' -d %u -- PROGRAM", (unsigned)before->all); /* it counts all kernels, from 0 */
	struct tl_cell cell = tl_cell_text(tl_intern(&m->t->strings, b.data, b.len));
	tl_buf_release(&b);
	return cell;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static const char *kind_of(const struct maker *m, const struct tl_ev *e)
{
	const char *kind = e->kind == TL_KIND_MEMCPY ? "copy" : e->kind == TL_KIND_MEMSET ? "fill" : tl_gpu_is_comm(e) ? "communication" :
		tl_name_answer(m->kinds, e->name);

	return *kind ? kind : "unknown";
}

static void add_event(struct maker *m, uint32_t event)
{
	struct tl_trace *t = m->t;
	const struct tl_ev *e = &t->events[event];
	uint32_t call = tl_launching_call(m->copies, event), op = tl_nearest(&m->operators, e->parent);
	uint32_t headroom = m->headroom_of ? m->headroom_of[tl_trace_gpu(t, event)] : 0;
	bool in_graph = tl_is_of_graph(&m->graphs, event, call);
	struct tl_cell c[N_HOT] = {
		[HOT_NAME] = tl_name_cell(t, e->name), [HOT_IN_GRAPH] = tl_cell_bool(in_graph),
		[HOT_KIND] = tl_cell_str(&t->strings, kind_of(m, e)), [HOT_TIME] = tl_cell_time(e->dur, false),
	};

	if (op != TL_NONE) {
		c[HOT_OPERATOR] = tl_name_cell(t, t->events[op].name);
		c[HOT_INPUT_DIMS] = tl_arg_cell(t, &m->dims, op);
		c[HOT_INPUT_TYPE] = tl_arg_cell(t, &m->types, op);
	}
	find_site(m, event, call, in_graph, &c[HOT_SITE], &c[HOT_NO_SITE]);
	if (headroom) {
		struct in_headroom *row = TL_ITEM(&m->rows, headroom, NULL);
		row->ticks = tl_ticks_add(row->ticks, e->dur);
		c[HOT_HEADROOM_UID] = tl_cell_int((int64_t)headroom - 1);
	}
	m->event_of[m->raw->n_rows] = event;
	tl_table_add_row(m->raw, c);
}

/* What the row of headroom says, and the command for the first event. */
void tl_roofline_hot_cells(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	struct maker *m = ctx;
	const struct tl_table *h = m->headroom;
	struct tl_cell uid = tl_table_cell(m->raw, rows[0], HOT_HEADROOM_UID), all;
	uint32_t first = m->event_of[rows[0]];
	int64_t ticks = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t event = m->event_of[rows[i]];
		ticks = tl_ticks_add(ticks, m->t->events[event].dur);
		if (m->before[tl_trace_gpu(m->t, event)].all < m->before[tl_trace_gpu(m->t, first)].all)
			first = event;
	}
	for (int i = 0; i < 3; i++)
		cells[i] = tl_cell_null();
	cells[3] = command_of(m, first);
	if (tl_cell_is_null(uid))
		return;
	const struct in_headroom *of = TL_ITEM(&m->rows, (uint64_t)uid.i + 1, NULL);
	cells[0] = tl_table_cell(h, of->row, (size_t)tl_table_column(h, "Roofline Bound"));
	cells[1] = tl_table_cell(h, of->row, (size_t)tl_table_column(h, "Pct Roofline"));
	all = tl_table_cell(h, of->row, (size_t)tl_table_column(h, "headroom_ms"));
	if (!tl_cell_is_null(all) && of->ticks)
		cells[2] = tl_cell_ms((int64_t)((double)all.i * (double)ticks / (double)of->ticks + 0.5));
}

static void find_headroom(struct maker *m)
{
	size_t uid = m->headroom ? (size_t)tl_table_column(m->headroom, "ex_UID") : 0;

	m->headroom_of = m->headroom ? tl_row_events(m->t, tl_roofline_headroom_sheet.name) : NULL;
	for (size_t i = 0; m->headroom && i < m->headroom->n_rows; i++)
		TL_ITEM(&m->rows, (uint64_t)tl_table_cell(m->headroom, i, uid).i + 1, NULL)->row = (uint32_t)i;
}

struct tl_table *tl_hot_kernels(struct tl_trace *t, const struct tl_table *headroom, int64_t top)
{
	const struct tl_devices *d = tl_devices_of(t);
	struct maker m = {
		.t = t, .headroom = headroom, .copies = tl_copies_of(t), .graphs = tl_graph_nodes_of(t),
		.operators = { t, tl_nearest_operator, 0, NULL }, .frames = { t, ask_frame, 0, NULL },
		.wrappers = tl_kept_answers(t, TL_WRAPPER_FRAMES), .libraries = tl_kept_answers(t, TL_LIBRARY_FRAMES),
		.kinds = tl_kept_answers(t, TL_KERNEL_KINDS), .profilers = tl_kept_answers(t, TL_KERNEL_PROFILERS),
		.dims = tl_arg_of(t, "Input Dims"), .types = tl_arg_of(t, "Input type"), .no_frames = reason_without_frames(t),
		.raw = tl_table_new(&t->strings, t->ticks_per_us, tl_roofline_hot_rows),
		.event_of = tl_alloc((d->n_events + 1) * sizeof *m.event_of), .before = tl_calloc((size_t)t->n_gpus + 1, sizeof *m.before),
		.function_of = tl_calloc((size_t)t->strings.count + 1, sizeof *m.function_of),
		.backward = tl_calloc((size_t)t->n_tracks + 1, sizeof *m.backward),
	};

	for (size_t i = 0; i < t->n_bwds; i++)
		m.backward[t->events[t->bwds[i].bwd].track] = true;
	m.sites = (struct tl_nearest){ t, ask_site, (uintptr_t)&m, NULL };
	m.profiler = find_profiler(&m);
	find_headroom(&m);
	count_launches(&m);
	for (size_t i = 0; i < d->n_events; i++)
		add_event(&m, d->by_start[i]);
	struct tl_table *sheet = tl_sheet_make(&tl_roofline_hot_kernels_sheet, &(struct tl_sheet_input){ .own_rows = m.raw, .ctx = &m, .top = &top });
	tl_nearest_release(&m.operators);
	tl_nearest_release(&m.sites);
	tl_nearest_release(&m.frames);
	TL_KEYED_RELEASE(&m.rows);
	free(m.event_of);
	free(m.before);
	free(m.function_of);
	free(m.backward);
	return sheet;
}
