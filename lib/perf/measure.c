/* measure.c - models evaluated for the events of a trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/measure.h"

#include "work/device_events.h"
#include "work/kept.h"
#include "work/range_names.h"
#include "base/merge_sort.h"
#include "base/search.h"
#include "model/trace.h"

#include <stdlib.h>
#include <string.h>

/* ---- the annotation around an event ----------------------------------------------------- */

TL_ORDER(by_ts, struct tl_annotation, TL_ASC(x->ts))

static void list_annotations(struct tl_annotations *a, const struct tl_trace *t)
{
	size_t cap = 0;

	a->made = true;
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if ((e->kind != TL_KIND_ANNOTATION && e->kind != TL_KIND_GPU_ANNOTATION) || !(e->flags & TL_EV_HAS_TS))
			continue;
		TL_PUSH(a->items, a->n, cap, (struct tl_annotation){ e->ts, tl_ev_end(e), 0, i });
	}
	tl_merge_sort(a->items, a->n, sizeof *a->items, by_ts, NULL);
	for (size_t i = 0; i < a->n; i++)
		a->items[i].latest = i && a->items[i - 1].latest > a->items[i].end ? a->items[i - 1].latest : a->items[i].end;
}

/* The text of the earliest annotation that starts no later than an event and ends after
 * it; NULL if there is none. The first call sorts the annotations of the trace. */
static const char *annotation_of(struct tl_annotations *a, const struct tl_trace *t, uint32_t event)
{
	const struct tl_ev *e = &t->events[event];
	int64_t end = tl_ev_end(e);
	if (!a->made)
		list_annotations(a, t);
	/* `latest` never falls: the first annotation to end after the event is the first whose latest does */
	size_t at;
	TL_SEARCH(at, a->n, mid, a->items[mid].latest <= end);
	if (at == a->n || a->items[at].ts > e->ts)
		return NULL;
	return tl_str(&t->strings, t->events[a->items[at].event].name);
}

static void annotations_release(struct tl_annotations *a)
{
	free(a->items);
}

enum { DIMS, TYPES, STRIDES, CONCRETE, OUT_TYPES }; /* of tl_signatures.args */

/* ---- set-up --------------------------------------------------------------------- */

void tl_measure_init(struct tl_measure *m, struct tl_trace *t, const struct tl_registry *r, const struct tl_arch *arch)
{
	memset(m, 0, sizeof *m);
	m->trace = t;
	m->registry = r;
	m->arch = arch;
	m->memory = tl_memory_new();
	m->precisions = tl_name_rules_new(TL_KERNEL_PRECISION);
	m->directions = tl_kept_answers(t, TL_MEMCPY_DIRECTIONS);
	m->copied = tl_arg_of(t, TL_KEY_BYTES);
	tl_device_work_init(&m->device_work, t);
	m->signatures = tl_signatures_of(t);
	m->n_names = t->strings.count + 1;
	m->ops = tl_calloc(m->n_names, sizeof *m->ops);
	m->op_known = tl_calloc(m->n_names, 1);
}

void tl_measure_release(struct tl_measure *m)
{
	tl_memory_free(m->memory);
	tl_name_rules_free(m->precisions);
	tl_device_work_release(&m->device_work);
	annotations_release(&m->annotations);
	tl_arena_release(&m->arena);
	tl_arena_release(&m->scratch);
	tl_strtab_release(&m->evaluated);
	tl_map_release(&m->modelled);
	tl_map_release(&m->failed_events);
	TL_KEYED_RELEASE(&m->failures);
	tl_buf_release(&m->key);
	free(m->ops);
	free(m->op_known);
	free(m->named);
	free(m->evaluations);
}

/* ---- operators ------------------------------------------------------------------- */

const struct tl_perf_op *tl_measure_find_op(struct tl_measure *m, uint32_t name)
{
	const struct tl_perf_op *op = name ? tl_op_find(m->registry, tl_str(&m->trace->strings, name)) : NULL;

	if (name < m->n_names) { /* else the name was added after tl_measure_init */
		m->op_known[name] = 1;
		m->ops[name] = op;
	}
	return op;
}

void tl_measure_find_named(struct tl_measure *m)
{
	size_t cap = 0;

	for (uint32_t e = 0; e < m->trace->n_events; e++) {
		if (!tl_measure_op(m, e))
			continue;
		TL_PUSH(m->named, m->n_named, cap, e);
	}
}

/* ---- what a model may look at ------------------------------------------------------- */

static struct tl_value value_of_arg(struct tl_measure *m, int type, int64_t value)
{
	const struct tl_strtab *s = &m->trace->strings;

	if (type == TL_FIELD_INT)
		return (struct tl_value){ .type = TL_V_INT, .i = value };
	if (type == TL_FIELD_STRING)
		return (struct tl_value){ .type = TL_V_TEXT, .len = (uint32_t)tl_str_len(s, (uint32_t)value),
			.text = tl_str(s, (uint32_t)value) };
	return tl_value_of_json(m->trace, (uint32_t)value);
}

struct arg_context { struct tl_measure *m; uint32_t event; struct tl_value v; };

static const struct tl_value *other_arg(void *ctx, const char *key)
{
	struct arg_context *c = ctx;
	const struct tl_trace *t = c->m->trace;
	int64_t value;
	uint32_t id = tl_strtab_find(&t->strings, key, strlen(key));
	int type = id ? tl_trace_field(t, c->event, id, false, &value) : 0;

	if (!type)
		return NULL;
	c->v = value_of_arg(c->m, type, value);
	return &c->v;
}

static const struct tl_value *list_of(struct tl_measure *m, size_t arg, uint32_t event, struct tl_arena *arena)
{
	int64_t value;
	int type = tl_arg_get(&m->signatures->args[arg], m->trace, event, &value);
	struct tl_value *v = NULL;

	if (type) {
		v = tl_arena_alloc(arena, sizeof *v);
		*v = value_of_arg(m, type, value);
	}
	return v;
}

void tl_measure_event(struct tl_measure *m, const struct tl_perf_op *op, uint32_t event, const struct tl_work *w,
                      struct tl_arena *arena, struct tl_perf_event *ev)
{
	const struct tl_trace *t = m->trace;
	uint32_t name = t->events[event].name;
	const char **kernels = tl_arena_alloc(arena, ((size_t)w->n + 1) * sizeof *kernels);
	struct arg_context *c = tl_arena_alloc(arena, sizeof *c);

	for (uint32_t i = 0; i < w->n; i++)
		kernels[i] = tl_str(&t->strings, t->events[w->events[i]].name);
	*c = (struct arg_context){ .m = m, .event = event };
	*ev = (struct tl_perf_event){
		.name = tl_str(&t->strings, name), .name_len = tl_str_len(&t->strings, name),
		.dims = list_of(m, DIMS, event, arena), .types = list_of(m, TYPES, event, arena),
		.strides = list_of(m, STRIDES, event, arena), .concrete = list_of(m, CONCRETE, event, arena),
		.out_types = list_of(m, OUT_TYPES, event, arena),
		.kernels = kernels, .n_kernels = w->n,
		.annotation = op->annotated || (m->inference && op->annotated_inference) ? annotation_of(&m->annotations, t, event) : NULL,
		.arg = other_arg, .ctx = c,
	};
}

/* ---- has an event a model? ------------------------------------------------------------- */

static bool find_modelled(struct tl_measure *m, const struct tl_perf_op *op, uint32_t event)
{
	struct tl_perf_event ev;

	tl_arena_clear(&m->scratch);
	tl_measure_event(m, op, event, &(struct tl_work){ 0 }, &m->scratch, &ev);
	return tl_op_models(m->registry, op, &ev);
}

bool tl_measure_modelled(struct tl_measure *m, uint32_t event)
{
	const struct tl_perf_op *op = tl_measure_op(m, event);
	bool is_new;

	if (!op || !op->conditional)
		return op;
	if (op->looks_beyond)
		return find_modelled(m, op, event);
	uint32_t *known = tl_map_put(&m->modelled, tl_signature(m->signatures, event), &is_new);
	if (is_new)
		*known = find_modelled(m, op, event);
	return *known;
}

bool tl_measure_stands_for(struct tl_measure *m, uint32_t wrapper)
{
	uint32_t forward = tl_trace_forward(m->trace, wrapper);
	const struct tl_perf_op *op = tl_measure_op(m, forward);

	return op && op->backward && tl_measure_modelled(m, forward) && tl_backward_of_one(&m->device_work, wrapper);
}

/* ---- evaluation ------------------------------------------------------------------------ */

bool tl_roof_of(const struct tl_arch *arch, const char *spec, double gflops, bool has_bytes, double bytes,
                struct tl_roof *out)
{
	double peak = arch ? tl_arch_peak(arch, spec) : 0, bandwidth = arch ? arch->bandwidth : 0;

	if (!(peak > 0) || !(bandwidth > 0) || !has_bytes || !(gflops > 0))
		return false;
	out->compute = gflops * 1e9 / (peak * 1e12) * 1e6;
	out->memory = bytes / (bandwidth * 1e9) * 1e6;
	out->least = out->compute >= out->memory ? out->compute : out->memory;
	out->bound = out->compute >= out->memory ? "COMPUTE_BOUND" : "MEMORY_BOUND";
	return true;
}

struct tl_rates tl_rates_of(double gflops, bool has_bytes, double bytes, double us)
{
	struct tl_rates r = { tl_cell_null(), tl_cell_null(), tl_cell_null(), tl_cell_null() };

	if (us > 0)
		r.tflops = tl_cell_real(gflops / 1e3 / (us / 1e6));
	if (!has_bytes)
		return r;
	r.moved = tl_cell_real(bytes / 1048576);
	if (bytes > 0)
		r.intensity = tl_cell_real(gflops * 1e9 / bytes);
	if (us > 0)
		r.tbs = tl_cell_real(bytes / 1e12 / (us / 1e6));
	return r;
}

static struct tl_cell params_text(struct tl_measure *m, const struct tl_perf_result *res)
{
	if (!res->n_params)
		return tl_cell_null();
	tl_buf_clear(&m->key);
	for (size_t i = 0; i < res->n_params; i++) {
		tl_buf_adds(&m->key, i ? ", " : "{");
		tl_repr_text(&m->key, res->params[i].name, strlen(res->params[i].name));
		tl_buf_adds(&m->key, ": ");
		tl_value_repr(&m->key, &res->params[i].value, false);
	}
	tl_buf_addc(&m->key, '}');
	return tl_cell_text(tl_intern(&m->trace->strings, m->key.data, m->key.len));
}

/* Is all the work copies between host and device? *bytes becomes what they copy; if the trace does not say it, it
 * stays. */
static bool copies_of_host(struct tl_measure *m, const struct tl_work *w, double *bytes)
{
	double sum = 0;
	int64_t value;

	for (uint32_t i = 0; i < w->n; i++) {
		const struct tl_ev *e = &m->trace->events[w->events[i]];
		const char *direction = e->kind == TL_KIND_MEMCPY ? tl_name_answer(m->directions, e->name) : "";
		if (strcmp(direction, "HtoD") && strcmp(direction, "DtoH"))
			return false;
		sum += tl_arg_get(&m->copied, m->trace, w->events[i], &value) == TL_FIELD_INT ? (double)value : 0;
	}
	*bytes = sum > 0 ? sum : *bytes;
	return w->n > 0;
}

/* What a copy of so many bytes between host and device takes. */
static void rate_host_copy(struct tl_measure *m, double bytes, struct tl_evaluation *x)
{
	double rate = m->arch ? m->arch->host : 0;

	x->spec = tl_intern_str(&m->trace->strings, TL_HOST_COPY);
	x->bytes = bytes;
	x->has_bytes = bytes > 0;
	x->has_roof = rate > 0 && x->has_bytes;
	if (!x->has_roof)
		return;
	x->roof.compute = 0;
	x->roof.memory = x->roof.least = bytes / (rate * 1e9) * 1e6;
	x->roof.bound = "LINK_BOUND";
}

/* The types of an operator's tensors, if the trace has sizes but no types: that in which its own kernels multiply, if all tell the same one.
 * NULL: they do not tell. Of a range it is then one that no table knows, so that there are operations but no bytes; *told: it is none such. */
static const struct tl_value *types_by_kernels(struct tl_measure *m, uint32_t event, const struct tl_perf_event *ev, bool *told)
{
	const char *precision = ev->types || !ev->dims || ev->dims->type != TL_V_LIST ? "" : tl_precision_of(m->precisions, ev->kernels, ev->n_kernels);
	const char *type = *precision ? tl_name_answer(tl_kept_answers(m->trace, TL_PRECISION_TYPES), tl_intern_str(&m->trace->strings, precision)) : "";

	if (!*type && (ev->types || !ev->dims || ev->dims->type != TL_V_LIST || !tl_is_range(m->trace, event)))
		return NULL;
	*told = *type != '\0';
	type = *told ? type : "unknown";
	struct tl_value *types = tl_arena_alloc(&m->scratch, sizeof *types);
	*types = (struct tl_value){ .type = TL_V_LIST, .len = ev->dims->len, .items = tl_arena_alloc(&m->scratch, (ev->dims->len + 1) * sizeof *types) };
	for (uint32_t i = 0; i < ev->dims->len; i++) {
		const struct tl_value *sizes = &ev->dims->items[i];
		bool has = sizes->type == TL_V_LIST && sizes->len, list = has && sizes->items[0].type == TL_V_LIST;
		const char *text = list ? "TensorList" : has ? type : "Scalar";
		types->items[i] = (struct tl_value){ .type = TL_V_TEXT, .len = (uint32_t)strlen(text), .text = text };
	}
	return types;
}

static struct tl_evaluation *make_evaluation(struct tl_measure *m, const struct tl_perf_op *op, uint32_t event,
                                             const struct tl_work *w, bool backward)
{
	struct tl_evaluation *x = tl_arena_alloc(&m->arena, sizeof *x);
	struct tl_perf_event ev;
	struct tl_perf_result res;

	tl_arena_clear(&m->scratch);
	tl_measure_event(m, op, event, w, &m->scratch, &ev);
	bool told = false;
	const struct tl_value *types = types_by_kernels(m, event, &ev, &told);
	if (types)
		ev.types = types;
	tl_perf_evaluate(m->registry, op, &ev, m->memory, backward, &m->scratch, &res);
	if (types && !told) {
		res.has_bytes = false;
		res.bytes = 0;
		res.spec = "";
	}
	const char *spec = tl_precision_spec(m->precisions, m->arch, res.spec, ev.kernels, ev.n_kernels);
	*x = (struct tl_evaluation){
		.outcome = res.outcome, .reason = tl_arena_dup(&m->arena, res.reason, strlen(res.reason)),
		.has_bytes = res.has_bytes, .typed_by_kernels = told, .gflops = res.flops / 1e9, .bytes = res.bytes,
		.spec = tl_intern_str(&m->trace->strings, spec), .params_text = params_text(m, &res),
		.params = tl_arena_alloc(&m->arena, (res.n_params + 1) * sizeof *x->params), .n_params = res.n_params,
	};
	double copied = x->bytes / 2; /* read on one side, written on the other */
	if (m->host_copies && x->outcome == TL_PERF_OK && copies_of_host(m, w, &copied))
		rate_host_copy(m, copied, x);
	else
		x->has_roof = tl_roof_of(m->arch, spec, x->gflops, x->has_bytes, x->bytes, &x->roof);
	for (size_t i = 0; i < res.n_params; i++)
		x->params[i] = (struct tl_measured_param){
			res.params[i].name, tl_value_cell(&res.params[i].value, false, &m->trace->strings, &m->key) };
	return x;
}

/* Events of one signature with the same kernels have the same result, unless the model
 * looks at anything else. */
const struct tl_evaluation *tl_measure_evaluate(struct tl_measure *m, const struct tl_perf_op *op, uint32_t event,
                                                const struct tl_work *w, bool backward)
{
	uint32_t key[2] = { tl_signature(m->signatures, event), backward }, n = m->evaluated.count;

	if (op->looks_beyond)
		return make_evaluation(m, op, event, w, backward);
	tl_buf_clear(&m->key);
	tl_buf_add(&m->key, key, sizeof key);
	for (uint32_t i = 0; i < w->n; i++)
		tl_buf_add(&m->key, &m->trace->events[w->events[i]].name, sizeof(uint32_t));
	uint32_t id = tl_intern(&m->evaluated, m->key.data, m->key.len);
	if (id > n) {
		TL_GROW(m->evaluations, m->cap_evaluations, (size_t)id + 1);
		m->evaluations[id] = make_evaluation(m, op, event, w, backward);
	}
	return m->evaluations[id];
}

void tl_measure_note_failure(struct tl_measure *m, uint32_t event, const struct tl_evaluation *x)
{
	uint32_t name = m->trace->events[event].name;
	bool is_new;

	if (!tl_map_add(&m->failed_events, event))
		return;
	struct tl_failure *f = TL_ITEM(&m->failures, name, &is_new);
	if (is_new)
		*f = (struct tl_failure){ .name = name, .reason = x->reason };
	f->count++;
}

/* ---- the precision in which kernels compute, where their names tell it ------------------ */

const char *tl_precision_of(struct tl_name_rules *rules, const char *const *kernels, size_t n)
{
	const char *all = "";

	for (size_t i = 0; i < n; i++) {
		const char *one = tl_name_rules_find(rules, kernels[i], strlen(kernels[i]));
		if (*one && *all && strcmp(one, all))
			return "";
		if (*one)
			all = one;
	}
	return all;
}

const char *tl_precision_spec(struct tl_name_rules *rules, const struct tl_arch *arch, const char *spec,
                              const char *const *kernels, size_t n)
{
	static const char tf32[] = "matrix_tf32";

	if (strcmp(spec, "matrix_fp32") || strcmp(tl_precision_of(rules, kernels, n), "tf32"))
		return spec;
	return arch && tl_arch_peak(arch, spec) > 0 && !(tl_arch_peak(arch, tf32) > 0) ? spec : tf32;
}

/* ---- the categories of the operators of a trace ----------------------------------------- */

uint32_t tl_event_category(struct tl_categories *c, uint32_t event, uint32_t name)
{
	struct tl_strtab *s = &c->trace->strings;
	const struct tl_launchers *l = tl_launchers_of(c->trace);
	uint32_t at = l->of_event[event], kernel = 0;
	bool is_new;

	if (at != TL_NONE)
		kernel = c->trace->events[l->by_ts[l->items[at].first]].name;
	uint32_t *known = tl_map_put(&c->known, tl_key_of_two(name, kernel), &is_new);
	if (is_new)
		*known = tl_intern_str(s, tl_op_category(c->registry, tl_str(s, name), kernel ? tl_str(s, kernel) : NULL));
	return *known;
}

void tl_categories_release(struct tl_categories *c)
{
	tl_map_release(&c->known);
}
