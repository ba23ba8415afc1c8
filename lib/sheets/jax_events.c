/* jax_events.c - the device events of a JAX trace: their numbers, calls, categories and models.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/jax_events.h"

#include "work/device_events.h"
#include "base/merge_sort.h"
#include "base/text.h"
#include "perf/measure.h"

#include <stdlib.h>
#include <string.h>

/* ---- tracks --------------------------------------------------------------------------- */

int64_t tl_jax_number(const char *json)
{
	const char *p = json + (*json == '"');

	return tl_is_digit(*p) ? strtoll(p, NULL, 10) : -1;
}

/* Work of a GPU is on its streams only. */
static void read_tracks(struct tl_jax *j)
{
	const struct tl_trace *t = j->trace;
	struct tl_map gpus = { 0 }; /* pids */

	j->tracks = tl_calloc(t->n_tracks + 1, sizeof *j->tracks);
	for (uint32_t i = 0; i < t->n_events; i++)
		if (tl_kind_is_gpu(t->events[i].kind))
			tl_map_put(&gpus, t->tracks[t->events[i].track].pid, NULL);
	for (uint32_t i = 0; i < t->n_tracks; i++) {
		struct tl_jax_track *track = &j->tracks[i];
		track->pid = tl_jax_number(tl_str(&t->strings, t->tracks[i].pid));
		track->tid = tl_jax_number(tl_str(&t->strings, t->tracks[i].tid));
		track->gpu = tl_map_get(&gpus, t->tracks[i].pid) != NULL;
	}
	tl_map_release(&gpus);
}

uint32_t tl_jax_text(const struct tl_jax *j, enum tl_jax_arg arg, uint32_t event)
{
	int64_t value;

	return tl_arg_get(&j->args[arg], j->trace, event, &value) == TL_FIELD_STRING ? (uint32_t)value : 0;
}

/* ---- events that the viewer adds -------------------------------------------------------------
 *
 * From the kernels of the busiest stream the viewer makes lines of its own: programs,
 * operations of XLA, operations and scopes of the framework, lines of source. TraceLens
 * numbers events over all of them. After xprof (plugin: xprof/utils/derived_timeline.cc of
 * github.com/openxla/xprof, version 2.20.1): an event is added to a line unless the last one
 * there is of the same name, which then goes on. */

#define FIRST_LINE_TID INT64_C(0xdeadbeef)
enum { N_LINES = 8 };
/* The lines that the trace viewer adds to a GPU, by tid from FIRST_LINE_TID on. The others, for steps and statistics of
 * launches, get events only after a tool has grouped events by step, which nothing does before this reader. */
enum { SCOPES = 2, FRAMEWORK_OPS = 3, MODULES = 4, XLA_OPS = 5, SOURCE = 7 };
enum { MAX_LEVELS = 64 };

/* A line; the events that are open on it lie one in the other. */
struct line { uint32_t open[MAX_LEVELS]; size_t n_open; uint32_t n; };

struct deriving {
	const struct tl_jax *jax;
	struct line lines[N_LINES];
};

/* Ends what is open on a line at a level and below. Where the first level of a line ends, what is open
 * on the lines that depend on it ends, too. */
static void close_levels(struct deriving *d, size_t line, size_t level)
{
	struct line *l = &d->lines[line];

	if (l->n_open > level)
		l->n_open = level;
	if (level)
		return;
	if (line == MODULES) {
		close_levels(d, SCOPES, 0);
		close_levels(d, XLA_OPS, 0);
	} else if (line == SCOPES) {
		close_levels(d, FRAMEWORK_OPS, 0);
	}
}

/* One event a level, the outermost first. */
static void add_levels(struct deriving *d, size_t line, const uint32_t *names, size_t n)
{
	struct line *l = &d->lines[line];

	for (size_t i = 0; i < n; i++) {
		if (i < l->n_open && l->open[i] == names[i])
			continue;
		close_levels(d, line, i);
		l->open[l->n_open++] = names[i];
		l->n++;
	}
	if (n)
		close_levels(d, line, n);
}

static bool all_of(const char *s, size_t n, const char *others)
{
	for (size_t i = 0; i < n; i++)
		if (!tl_in_name(s[i]) && !(s[i] && strchr(others, s[i])))
			return false;
	return true;
}

static bool is_upper(char c)
{
	return (c >= 'A' && c <= 'Z') || c == '_';
}

/* A lower-case name, perhaps with [...] behind it. */
static bool is_jax_type(const char *s, size_t n)
{
	const char *bracket = n ? memchr(s, '[', n) : NULL;
	size_t len = bracket ? (size_t)(bracket - s) : n, i = 0;

	while (i < len && (tl_is_digit(s[i]) ? i > 0 : tl_in_name(s[i]) && !(s[i] >= 'A' && s[i] <= 'Z')))
		i++;
	return len && i == len && (!bracket || s[n - 1] == ']');
}

static const char *last_part(const char *name, const char *end)
{
	const char *p = end;

	while (p > name && p[-1] != '/')
		p--;
	return p;
}

/* Does the viewer take NAME:TYPE for an operation of TensorFlow or of JAX? */
static bool has_scopes(const char *name, size_t n, const char *type, size_t n_type)
{
	static const char in_name[] = "./>-";

	bool begins = n && *name != '_' && (tl_in_name(*name) || *name == '.');
	if (begins && all_of(name + 1, n - 1, in_name) && n_type && is_upper(*type) && all_of(type, n_type, ""))
		return true;
	return !n_type || is_jax_type(type, n_type); /* without a type it is of either */
}

/* NAME:TYPE of the framework; the name's parts but the last are scopes. */
static void add_framework_op(struct deriving *d, uint32_t op)
{
	struct tl_strtab *strings = &d->jax->trace->strings;
	const char *name = tl_str(strings, op), *colon = strchr(name, ':');
	const char *end = colon ? colon : name + tl_str_len(strings, op), *type = colon ? colon + 1 : end;
	uint32_t scopes[MAX_LEVELS];
	size_t n = 0;

	if (has_scopes(name, (size_t)(end - name), type, strlen(type))) {
		const char *last = last_part(name, end);
		for (const char *p = name, *slash; p < last && n < MAX_LEVELS; p = slash + 1) {
			slash = memchr(p, '/', (size_t)(end - p));
			scopes[n++] = tl_intern(strings, p, (size_t)(slash - p));
		}
		add_levels(d, SCOPES, scopes, n);
	}
	add_levels(d, FRAMEWORK_OPS, &op, 1);
}

/* Levels of an operation of XLA have "::" between them. Adds PROGRAM/NAME for each of them;
 * returns the name of the innermost, a string id. */
static uint32_t add_operation(struct deriving *d, int64_t program, uint32_t op)
{
	struct tl_strtab *strings = &d->jax->trace->strings;
	uint32_t levels[MAX_LEVELS], last = 0;
	size_t n = 0;

	for (const char *p = tl_str(strings, op), *stop; p; p = stop ? stop + 2 : NULL) {
		stop = n + 1 < MAX_LEVELS ? strstr(p, "::") : NULL;
		size_t len = stop ? (size_t)(stop - p) : strlen(p);
		last = tl_intern(strings, p, len);
		levels[n++] = tl_intern_free(strings, tl_strdupf("%lld/%.*s", (long long)program, (int)len, p));
	}
	add_levels(d, XLA_OPS, levels, n);
	return last;
}

static void add_kernel(struct deriving *d, uint32_t event)
{
	const struct tl_jax *j = d->jax;
	struct tl_strtab *strings = &j->trace->strings;
	uint32_t module = tl_jax_text(j, TL_JAX_HLO_MODULE, event), op = tl_jax_text(j, TL_JAX_HLO_OP, event);
	uint32_t tf_op = tl_jax_text(j, TL_JAX_TF_OP, event);
	int64_t program = 0;

	if (tl_arg_get(&j->args[TL_JAX_PROGRAM], j->trace, event, &program) != TL_FIELD_INT)
		program = 0;
	if (tl_str_len(strings, module)) {
		uint32_t name = tl_intern_free(strings, tl_strdupf("%s(%lld)", tl_str(strings, module), (long long)program));
		add_levels(d, MODULES, &name, 1);
	}
	if (!op && tl_str_len(strings, tf_op))
		add_framework_op(d, tf_op);
	if (!op)
		return;
	const struct tl_hlo_origin *from = tl_hlo_origin(j->programs, program, tl_str(strings, add_operation(d, program, op)));
	if (!from)
		return;
	add_framework_op(d, tl_intern_str(strings, from->framework_op));
	if (from->source) {
		uint32_t source = tl_intern_str(strings, from->source);
		add_levels(d, SOURCE, &source, 1);
	}
}

TL_ORDER_IN(by_start, uint32_t, struct tl_ev, TL_ASC(ctx[*x].ts) TL_ASC(ctx[*x].dur))

/* Of a GPU's events, in the viewer's order: those of the track with the most, of equal ones that with the lowest tid, by
 * start. The caller frees the list. */
static uint32_t *busiest_stream(const struct tl_jax *j, const uint32_t *events, size_t n, size_t *n_found)
{
	const struct tl_ev *all = j->trace->events;
	struct tl_map of_track = { 0 };
	uint32_t *found = tl_alloc((n + 1) * sizeof *found), best = all[events[0]].track, most = 0;

	*n_found = 0;
	for (size_t i = 0; i < n; i++)
		++*tl_map_put(&of_track, all[events[i]].track, NULL);
	for (size_t i = 0; i < n; i++) { /* by tid */
		uint32_t track = all[events[i]].track, its = *tl_map_get(&of_track, track);
		if (its > most || (its == most && j->tracks[track].tid == j->tracks[best].tid && track < best)) {
			best = track;
			most = its;
		}
	}
	for (size_t i = 0; i < n; i++)
		if (all[events[i]].track == best)
			found[(*n_found)++] = events[i];
	tl_map_release(&of_track);
	tl_merge_sort(found, *n_found, sizeof *found, by_start, j->trace->events);
	return found;
}

/* Counts the events that the viewer adds to a GPU; events: the GPU's own ones, in the viewer's order. It adds lines for
 * events with facts about a kernel and for graphs of kernels only, and none if the profiler's own tool has written these.
 * of[i]: how many it adds to the line FIRST_LINE_TID + i; the caller sets zeros before. */
static void count_derived(const struct tl_jax *j, const uint32_t *events, size_t n, uint32_t of[N_LINES])
{
	struct deriving d = { .jax = j };
	int64_t unused;

	for (size_t i = 0; i < n; i++) {
		int64_t line = tl_jax_track(j, events[i])->tid - FIRST_LINE_TID;
		if (line >= 0 && line < N_LINES)
			return;
	}
	uint32_t *stream = busiest_stream(j, events, n, &n);
	for (size_t i = 0; i < n; i++)
		if (tl_str_len(&j->trace->strings, tl_jax_text(j, TL_JAX_DETAILS, stream[i])) ||
		    tl_arg_get(&j->args[TL_JAX_GRAPH], j->trace, stream[i], &unused))
			add_kernel(&d, stream[i]);
	for (size_t i = 0; i < N_LINES; i++)
		of[i] = d.lines[i].n;
	free(stream);
}

/* ---- the order of the trace viewer -------------------------------------------------------- */

TL_ORDER_IN(by_place, uint32_t, struct tl_jax,
	TL_ASC(tl_jax_track(ctx, *x)->pid) TL_ASC(tl_jax_track(ctx, *x)->tid)
	TL_ASC(ctx->trace->events[*x].ts) TL_DESC(ctx->trace->events[*x].dur))

/* Numbers the events of a GPU from uid on, together with those that the viewer adds between them.
 * Returns the number behind the last one. is_last: no GPU follows, so what the viewer adds behind
 * the GPU's own events changes no number. */
static uint64_t number_events(struct tl_jax *j, const uint32_t *events, size_t n, uint64_t uid, bool is_last)
{
	uint32_t derived[N_LINES] = { 0 };
	size_t line = 0;

	if (!is_last || tl_jax_track(j, events[n - 1])->tid >= FIRST_LINE_TID)
		count_derived(j, events, n, derived);
	for (size_t i = 0; i < n; i++) {
		const struct tl_jax_track *track = tl_jax_track(j, events[i]);
		for (; line < N_LINES && track->tid > FIRST_LINE_TID + (int64_t)line; line++)
			uid += derived[line];
		const struct tl_ev *e = &j->trace->events[events[i]];
		if (tl_gpu_usable(e)) {
			enum tl_gpu_work work = *tl_name_answer(&j->copies, e->name) ? TL_GPU_MEMCPY
				: e->work == TL_GPU_COMM ? TL_GPU_COMM : TL_GPU_COMPUTE;
			TL_PUSH(j->events, j->n, j->cap, (struct tl_jax_event){
				.event = events[i], .uid = uid, .call = TL_NONE, .work = work });
		}
		uid++;
	}
	for (; line < N_LINES; line++)
		uid += derived[line];
	return uid;
}

/* The events of GPUs that the viewer shows, in its order. */
static void add_gpus(struct tl_jax *j)
{
	const struct tl_trace *t = j->trace;
	uint32_t *events = NULL;
	size_t n = 0, cap = 0, end;
	uint64_t uid = 0;

	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (tl_jax_track(j, i)->gpu && e->kind != TL_KIND_META && (e->flags & TL_EV_HAS_TS) &&
		    strcmp(tl_str(&t->strings, t->tracks[e->track].thread_name), "Async XLA Ops") != 0)
			TL_PUSH(events, n, cap, i);
	}
	tl_merge_sort(events, n, sizeof *events, by_place, j);
	for (size_t i = 0; i < n; i = end) {
		struct tl_jax_gpu gpu = { .pid = tl_jax_track(j, events[i])->pid, .first = j->n };
		for (end = i + 1; end < n && tl_jax_track(j, events[end])->pid == gpu.pid; end++)
			;
		uid = number_events(j, events + i, end - i, uid, end == n);
		gpu.n = j->n - gpu.first;
		TL_PUSH(j->gpus, j->n_gpus, j->cap_gpus, gpu);
	}
	free(events);
}

/* ---- calls and categories ------------------------------------------------------------------ */

/* Of several calls with one correlation the last in the viewer's order counts. */
static void link_calls(struct tl_jax *j)
{
	struct tl_trace *t = j->trace;
	struct tl_map call_of = { 0 };
	struct tl_arg correlation = tl_arg_of(t, TL_KEY_CORRELATION);
	int64_t id;
	bool is_new;

	for (uint32_t i = 0; i < t->n_events; i++) {
		if (tl_jax_track(j, i)->pid != TL_JAX_HOST_PID || !(t->events[i].flags & TL_EV_HAS_TS) ||
		    tl_arg_get(&correlation, t, i, &id) != TL_FIELD_INT)
			continue;
		uint32_t *call = tl_map_put(&call_of, (uint64_t)id, &is_new);
		if (is_new || by_place(&i, call, j) >= 0)
			*call = i;
	}
	for (size_t i = 0; i < j->n; i++) {
		if (tl_arg_get(&correlation, t, j->events[i].event, &id) != TL_FIELD_INT)
			continue;
		const uint32_t *call = tl_map_get(&call_of, (uint64_t)id);
		if (call)
			j->events[i].call = *call;
	}
	tl_map_release(&call_of);
}

const char *tl_jax_category(struct tl_jax *j, uint32_t text)
{
	return text ? tl_name_answer(&j->categories, text) : "";
}

/* ---- what performance models say of operations ----------------------------------------------- */

enum { BATCH, SIZE_M, SIZE_N, SIZE_K, BETA, TYPE, OUTPUT, N_ARGS };
static const char *const model_arg_names[N_ARGS] = { "Batch", "M", "N", "K", "Beta", "Type", "Output Dims" };
struct args { struct tl_value of[N_ARGS]; }; /* null: not there */

static const struct tl_value *arg_named(void *ctx, const char *key)
{
	const struct args *a = ctx;

	for (size_t i = 0; i < N_ARGS; i++)
		if (!strcmp(key, model_arg_names[i]) && a->of[i].type != TL_V_NULL)
			return &a->of[i];
	return NULL;
}

static struct tl_value int_value(int64_t i)
{
	struct tl_value v = { .type = TL_V_INT };

	v.i = i;
	return v;
}

/* False: *reason tells why the sizes of the product are not known. */
static bool add_product(const struct tl_hlo_op *op, struct args *a, const char **reason)
{
	struct tl_hlo_gemm g;

	if (!tl_hlo_gemm(op, &g, reason))
		return false;
	a->of[BATCH] = int_value(g.batch);
	a->of[SIZE_M] = int_value(g.m);
	a->of[SIZE_N] = int_value(g.n);
	a->of[SIZE_K] = int_value(g.k);
	a->of[BETA] = int_value(g.beta);
	a->of[TYPE] = (struct tl_value){ .type = TL_V_TEXT, .len = (uint32_t)strlen(g.type) };
	a->of[TYPE].text = g.type;
	return true;
}

static const struct tl_jax_metrics *keep(struct tl_jax *j, const struct tl_perf_result *r, const char *kernel)
{
	const char *spec = tl_precision_spec(j->precisions, j->options.arch, r->spec, &kernel, 1);
	struct tl_jax_metrics *m = tl_arena_alloc(&j->kept, sizeof *m);
	struct tl_buf b = { 0 };

	*m = (struct tl_jax_metrics){
		.gflops = r->flops / 1e9, .has_bytes = r->has_bytes, .bytes = r->bytes, .n_params = r->n_params,
		.spec = tl_arena_dup(&j->kept, spec, strlen(spec)),
	};
	m->params = tl_arena_alloc(&j->kept, (r->n_params + 1) * sizeof *m->params);
	for (size_t i = 0; i < r->n_params; i++)
		m->params[i] = (struct tl_jax_param){
			r->params[i].name, tl_value_cell(&r->params[i].value, false, &j->trace->strings, &b)
		};
	tl_buf_release(&b);
	return m;
}

/* NULL: the model fails, for *reason, or does not apply; then *reason is NULL. */
static const struct tl_jax_metrics *evaluate(struct tl_jax *j, const struct tl_jax_event *e, const char **reason)
{
	const struct tl_registry *registry = j->options.registry;
	const struct tl_perf_op *model = tl_op_find(registry, e->model);
	struct tl_arena arena = { 0 };
	struct tl_hlo_inputs in = tl_hlo_inputs(e->op, e->model, &arena);
	struct args args = { .of[OUTPUT] = tl_hlo_output_dims(e->op, &arena) };
	const char *kernel = tl_str(&j->trace->strings, j->trace->events[e->event].name);
	struct tl_perf_event ev = {
		.name = e->model, .name_len = strlen(e->model), .dims = &in.dims, .types = &in.types, .concrete = &in.concrete,
		.kernels = &kernel, .n_kernels = 1, .arg = arg_named, .ctx = &args,
	};
	struct tl_perf_result result = { .outcome = TL_PERF_DROPPED };
	const struct tl_jax_metrics *m = NULL;

	*reason = NULL;
	if (e->op->is_gemm && !add_product(e->op, &args, reason))
		result.reason = *reason;
	else if (model && model->model && tl_op_models(registry, model, &ev))
		tl_perf_evaluate(registry, model, &ev, NULL, false, &arena, &result);
	if (result.outcome == TL_PERF_OK)
		m = keep(j, &result, kernel);
	else if (result.outcome == TL_PERF_FAILED)
		*reason = tl_arena_dup(&j->kept, result.reason, strlen(result.reason));
	tl_arena_release(&arena);
	return m;
}

/* Fills model and metrics. A failure counts as a doubt. */
static void find_model(struct tl_jax *j, struct tl_jax_event *e)
{
	struct { const struct tl_hlo_op *op; const char *model; uint64_t name; } key = {
		e->op, NULL, j->trace->events[e->event].name };
	uint32_t known = j->modelled.count;

	e->model = key.model = tl_hlo_model(j->models, e->category, e->op);
	if (!e->model)
		return;
	uint32_t id = tl_intern(&j->modelled, (const char *)&key, sizeof key);
	if (id > known) {
		TL_GROW(j->answers, j->cap_answers, (size_t)id + 1);
		j->answers[id].metrics = evaluate(j, e, &j->answers[id].reason);
	}
	e->metrics = j->answers[id].metrics;
	if (e->metrics)
		return;
	e->model = NULL;
	if (j->answers[id].reason && !j->doubts.failed++) {
		j->doubts.failed_op = e->op->name;
		j->doubts.reason = j->answers[id].reason;
	}
}

/* ---- the whole -------------------------------------------------------------------------------- */

static const char *const arg_names[TL_JAX_ARGS] = {
	"hlo_op", "hlo_module", "program_id", "tf_op", "kernel_details", "cuda_graph_exec_id",
};

struct tl_jax *tl_jax_new(struct tl_trace *t, const struct tl_jax_options *o)
{
	struct tl_jax *j = tl_calloc(1, sizeof *j);

	*j = (struct tl_jax){
		.trace = t, .options = *o,
		.type_bits = tl_name_rules_new(TL_XLA_TYPE_BITS), .models = tl_name_rules_new(TL_JAX_MODELS),
		.precisions = tl_name_rules_new(TL_KERNEL_PRECISION),
	};
	tl_name_answers_init(&j->categories, TL_JAX_CATEGORIES, &t->strings);
	tl_name_answers_init(&j->copies, TL_JAX_COPIES, &t->strings);
	for (size_t i = 0; i < TL_JAX_ARGS; i++)
		j->args[i] = tl_arg_of(t, arg_names[i]);
	tl_mark_work_once(t);
	read_tracks(j);
	j->programs = tl_hlo_new(t, o->roots);
	add_gpus(j);
	link_calls(j);
	struct tl_arg correlation = tl_arg_of(t, TL_KEY_CORRELATION);
	int64_t id;
	for (size_t i = 0; i < j->n; i++) {
		struct tl_jax_event *e = &j->events[i];
		/* the category that the operation's name says, else the one that the kernel's name says; a kernel whose own name
		   says attention is attention */
		const char *of_name = tl_jax_category(j, t->events[e->event].name), *of_op = "";
		if (!tl_starts_with(of_name, "FA "))
			of_op = tl_jax_category(j, tl_jax_text(j, TL_JAX_HLO_OP, e->event));
		const char *other = e->work == TL_GPU_COMM ? "Communication" : TL_JAX_OTHER_KERNELS; /* of a TPU, which has no library for it */
		e->category = *of_op ? of_op : *of_name ? of_name : other;
		if (e->call != TL_NONE || !tl_arg_get(&correlation, t, e->event, &id)) /* no call launches those of a TPU */
			e->op = tl_hlo_of_event(j->programs, e->event);
		find_model(j, e);
	}
	return j;
}

void tl_jax_free(struct tl_jax *j)
{
	if (!j)
		return;
	tl_hlo_free(j->programs);
	tl_name_answers_release(&j->categories);
	tl_name_answers_release(&j->copies);
	tl_name_rules_free(j->type_bits);
	tl_name_rules_free(j->models);
	tl_name_rules_free(j->precisions);
	tl_strtab_release(&j->modelled);
	tl_arena_release(&j->kept);
	free(j->answers);
	free(j->tracks);
	free(j->events);
	free(j->gpus);
	free(j);
}

struct tl_jax_doubts tl_jax_doubts(const struct tl_jax *j)
{
	struct tl_jax_doubts d = j->doubts;

	for (size_t i = 0; i < j->n; i++)
		d.kernels += tl_jax_is_kernel(&j->events[i]);
	d.programs = tl_hlo_doubts(j->programs);
	return d;
}

const char *tl_jax_program(struct tl_jax *j, size_t i)
{
	return tl_hlo_program_name(j->programs, i);
}
