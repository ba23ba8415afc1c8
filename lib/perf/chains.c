/* chains.c - chains of kernels: operators one after another on a stream that one kernel could do.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/chains.h"

#include "work/range_names.h"
#include "work/spans.h"
#include "base/merge_sort.h"
#include "model/fields.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a chain of operators knows of tensors, by their sizes: a trace does not name them -------------- */

enum { TL_TENSOR_DIMS = 8, TL_MAX_KNOWN = 64 };

struct tl_tensor {
	int32_t dims[TL_TENSOR_DIMS]; uint32_t n; /* n is 0 where only the size is known */
	double numel, bytes;                      /* elements; bytes of one, 0: not known */
};

/* Tensors that a chain read or made so far. Zero bytes are a start. */
struct tl_known {
	struct tl_known_tensor { struct tl_tensor t; bool made, used; } items[TL_MAX_KNOWN]; size_t n;
	double fresh;  /* the size of a product that was made beside the chain, 0: none */
	double reduced; /* what was last reduced had this size, 0: none since */
	double read;   /* bytes from outside */
	uint32_t passed_on; /* tensors that one operator made and another one used */
};

/* May it be the same tensor? The type of a list's tensors is not told. */
static bool same_size(const struct tl_tensor *a, const struct tl_tensor *b)
{
	return a->numel > 0 && a->numel == b->numel && (a->bytes == b->bytes || !(a->bytes > 0) || !(b->bytes > 0));
}

/* Is it cut out of the other one along one dimension? */
static bool is_slice(const struct tl_tensor *part, const struct tl_tensor *of)
{
	uint32_t shorter = 0;

	if (!part->n || part->n != of->n)
		return false;
	for (uint32_t d = 0; d < part->n; d++) {
		if (part->dims[d] > of->dims[d])
			return false;
		shorter += part->dims[d] < of->dims[d];
	}
	return shorter == 1;
}

static bool is_reduced(const struct tl_known *k, const struct tl_tensor *t)
{
	return k->reduced > 0 && t->numel > 0 && t->numel < k->reduced && k->reduced / t->numel == (double)(int64_t)(k->reduced / t->numel);
}

static void know(struct tl_known *k, const struct tl_tensor *t, bool made, bool used)
{
	if (k->n < TL_MAX_KNOWN)
		k->items[k->n++] = (struct tl_known_tensor){ *t, made, used };
}

/* The place of what the chain knows and this may be: what nothing has used yet first, the last made; seen: bits of those that the
 * same operator has already. k->n: nothing. */
static size_t find_known(const struct tl_known *k, const struct tl_tensor *t, uint64_t seen)
{
	size_t found = k->n;

	for (size_t i = k->n; i-- > 0;) {
		if (seen >> i & 1)
			continue;
		bool same = same_size(t, &k->items[i].t);
		if (same && k->items[i].made && !k->items[i].used)
			return i;
		if ((same || is_slice(t, &k->items[i].t)) && found == k->n)
			found = i;
	}
	return found;
}

/* Does an operator with these inputs work on something that the chain knows? One that is of a size with a product made beside the
 * chain must take both. */
static bool known_continues(const struct tl_known *k, const struct tl_tensor *in, uint32_t n_in)
{
	uint64_t seen = 0;
	uint32_t n = 0, fresh = 0;

	for (uint32_t i = 0; i < n_in; i++) {
		size_t at = find_known(k, &in[i], seen);
		if (at < k->n)
			seen |= (uint64_t)1 << at;
		n += at < k->n || is_reduced(k, &in[i]);
		fresh += k->fresh > 0 && in[i].numel == k->fresh;
	}
	return n > 0 && (!(k->fresh > 0) || fresh > 1);
}

static void take_input(struct tl_known *k, const struct tl_tensor *t, uint64_t *seen)
{
	size_t at = find_known(k, t, *seen);
	bool exact = at < k->n && same_size(t, &k->items[at].t);
	bool fresh = at < k->n && k->fresh > 0 && t->numel == k->fresh && (!k->items[at].made || k->items[at].used);
	bool is_new = at == k->n || fresh;

	if (!exact && is_reduced(k, t)) {
		know(k, t, true, true);
		k->passed_on++;
		k->reduced = 0;
		return;
	}
	if (is_new) {
		k->read += t->numel * t->bytes;
		k->fresh = 0;
		at = k->n;
		know(k, t, false, true);
	} else {
		k->passed_on += k->items[at].made && !k->items[at].used;
		k->items[at].used = true;
	}
	if (at < TL_MAX_KNOWN)
		*seen |= (uint64_t)1 << at;
}

/* Adds an operator; reduces: its result is smaller by an unknown factor. Returns the bytes that it moves. */
static double known_take(struct tl_known *k, const struct tl_tensor *in, uint32_t n_in, const struct tl_tensor *out, bool reduces)
{
	double moved = out->numel * out->bytes;
	uint64_t seen = 0;

	for (uint32_t i = 0; i < n_in; i++) {
		moved += in[i].numel * in[i].bytes;
		take_input(k, &in[i], &seen);
	}
	k->fresh = 0;
	if (reduces)
		k->reduced = n_in ? in[0].numel : 0;
	else
		know(k, out, true, false);
	return moved;
}

/* The bytes that are written at the end: all that was made and not used. */
static double known_written(const struct tl_known *k)
{
	double sum = 0;

	for (size_t i = 0; i < k->n; i++)
		sum += k->items[i].made && !k->items[i].used ? k->items[i].t.numel * k->items[i].t.bytes : 0;
	return sum;
}

/* ---- operators and their tensors ----------------------------------------------------------- */

enum { MAX_TENSORS = 12, LONGEST = 40 /* operators of a chain */ };

enum part { NONE, MATMUL, SOFTMAX, COPY, CAST, ROOT, VARIANCE, NEGATE, JOIN, REDUCE, POINTWISE, UPDATE, PARTS };
static const char *const part_names[PARTS] = {
	"", "matmul", "softmax", "copy", "cast", "root", "variance", "negate", "join", "reduce", "pointwise", "update"
};

/* An operator with the kernels that it launched. */
struct unit {
	const struct tl_launcher *launcher;
	uint32_t scope;           /* what it is part of: a module call, an operator or a thread */
	enum part part;
	bool taken;
	int64_t ticks;            /* of its kernels */
	struct tl_tensor *in, out; uint32_t n_in; /* made when needed */
	bool has_tensors;
};

struct finder {
	struct tl_measure *m;
	struct tl_trace *t;
	const struct tl_launchers *l;
	struct unit *units; size_t n;
	struct tl_map part_of;    /* name -> enum part */
	struct tl_name_answers bytes;
	struct tl_name_rules *parts, *kinds;
	struct TL_KEYED(struct unit) examples; /* by signature: the first unit of it, with its tensors */
	/* calls of modules: what each is in, and whether it has no other one in it */
	struct tl_innermosts running;
	uint32_t *frames, *outer; bool *leaf; size_t n_frames, cap_frames;
	uint32_t *n_units;        /* by module call: how many operators it has itself */
	struct tl_arena tensors;
	struct tl_chains *out;
};

static uint32_t event_of(const struct unit *u)
{
	return u->launcher->event;
}

static double bytes_of_type(struct finder *f, const struct tl_value *types, uint32_t i)
{
	const struct tl_value *type = types->type == TL_V_LIST && i < types->len ? &types->items[i] : NULL;

	return !type || type->type != TL_V_TEXT ? 0 : atof(tl_name_answer(&f->bytes, tl_intern(&f->t->strings, type->text, type->len)));
}

/* A list of whole numbers is a tensor. */
static bool tensor_of(const struct tl_value *v, struct tl_tensor *out)
{
	*out = (struct tl_tensor){ .numel = 1 };
	if (v->type != TL_V_LIST || !v->len || v->len > TL_TENSOR_DIMS)
		return false;
	for (uint32_t i = 0; i < v->len; i++) {
		if (v->items[i].type != TL_V_INT || v->items[i].i < 0 || v->items[i].i > INT32_MAX)
			return false;
		out->dims[out->n++] = (int32_t)v->items[i].i;
		out->numel *= (double)v->items[i].i;
	}
	return true;
}

static void add_input(struct unit *u, const struct tl_value *dims, double bytes)
{
	struct tl_tensor *t = &u->in[u->n_in];

	if (u->n_in == MAX_TENSORS || !tensor_of(dims, t))
		return;
	t->bytes = bytes;
	u->n_in++;
}

/* The tensors that an operator reads; those of a list are of the type of what was made before, which the caller fills in. */
static void read_inputs(struct finder *f, struct unit *u)
{
	struct tl_tensor in[MAX_TENSORS];
	struct tl_value dims, types = { 0 };

	if (!tl_arg_list(&f->m->signatures->args[0], f->t, event_of(u), &dims))
		return;
	tl_arg_list(&f->m->signatures->args[1], f->t, event_of(u), &types);
	u->in = in;
	for (uint32_t i = 0; i < dims.len; i++) {
		const struct tl_value *d = &dims.items[i];
		bool is_list = d->type == TL_V_LIST && d->len && d->items[0].type == TL_V_LIST;

		for (uint32_t k = 0; is_list && k < d->len; k++)
			add_input(u, &d->items[k], 0);
		if (!is_list)
			add_input(u, d, bytes_of_type(f, &types, i));
	}
	u->in = tl_arena_alloc(&f->tensors, (u->n_in + 1) * sizeof *u->in);
	memcpy(u->in, in, u->n_in * sizeof *u->in);
}

/* The product of A and B, the last two matrices among the inputs. */
static struct tl_tensor product_of(const struct unit *u)
{
	const struct tl_tensor *b = u->n_in ? &u->in[u->n_in - 1] : NULL, *a = u->n_in > 1 ? b - 1 : NULL;
	struct tl_tensor out = { 0 };

	if (!a || a->n < 2 || b->n < 2 || !a->dims[a->n - 1])
		return out;
	out = *a;
	out.dims[out.n - 1] = b->dims[b->n - 1];
	out.numel = a->numel / (double)a->dims[a->n - 1] * (double)b->dims[b->n - 1];
	return out;
}

/* Of tensors that are broadcast to each other the longer dimension counts; of their types the wider. */
static struct tl_tensor broadcast_of(const struct unit *u)
{
	struct tl_tensor out = { .numel = u->n_in ? 1 : 0 };

	for (uint32_t i = 0; i < u->n_in; i++)
		out.n = u->in[i].n > out.n ? u->in[i].n : out.n;
	for (uint32_t d = 0; d < out.n; d++) {
		out.dims[d] = 1;
		for (uint32_t i = 0; i < u->n_in; i++) {
			uint32_t missing = out.n - u->in[i].n;
			if (d >= missing && u->in[i].dims[d - missing] > out.dims[d])
				out.dims[d] = u->in[i].dims[d - missing];
		}
		out.numel *= (double)out.dims[d];
	}
	for (uint32_t i = 0; i < u->n_in; i++)
		out.bytes = u->in[i].bytes > out.bytes ? u->in[i].bytes : out.bytes;
	return out;
}

static void find_output(struct unit *u)
{
	if (u->part == MATMUL)
		u->out = product_of(u);
	else if (u->part == REDUCE || u->part == VARIANCE)
		u->out = (struct tl_tensor){ .bytes = u->n_in ? u->in[0].bytes : 0 }; /* its size is not told */
	else if (u->part == JOIN) {
		for (uint32_t i = 0; i < u->n_in; i++)
			u->out.numel += u->in[i].numel;
		u->out.bytes = u->n_in ? u->in[0].bytes : 0;
	} else if (u->part == CAST || u->part == COPY) { /* from the second into the first */
		u->out = u->in[0];
		u->in[0] = u->in[1];
		u->n_in = 1;
	} else
		u->out = broadcast_of(u);
}

static void find_tensors(struct finder *f, struct unit *u)
{
	read_inputs(f, u);
	if (u->part == COPY && u->n_in < 2)
		u->part = NONE;
	else if (u->part == COPY && u->in[0].bytes != u->in[1].bytes)
		u->part = CAST;
	find_output(u);
}

/* Operators with the same arguments have the same tensors, but that end_run fills in the types of a list's. */
static void need_tensors(struct finder *f, struct unit *u)
{
	bool is_new;

	if (u->has_tensors || !u->part)
		return;
	u->has_tensors = true;
	struct unit *example = TL_ITEM(&f->examples, tl_signature(f->m->signatures, event_of(u)), &is_new);
	if (is_new) {
		*example = *u;
		find_tensors(f, example);
	}
	u->part = example->part;
	u->n_in = example->n_in;
	u->out = example->out;
	u->in = example->in;
	if (u->part == JOIN)
		u->in = memcpy(tl_arena_alloc(&f->tensors, (u->n_in + 1) * sizeof *u->in), u->in, u->n_in * sizeof *u->in);
}

/* ---- modules -------------------------------------------------------------------------------- */

static void find_modules(struct finder *f)
{
	bool ranges = tl_modules_are_ranges(f->t);

	for (uint32_t i = 0; i < f->t->n_events; i++) {
		const struct tl_ev *e = &f->t->events[i];
		bool frame = e->kind == TL_KIND_PYTHON && tl_is_module_frame(tl_str(&f->t->strings, e->name));
		if (!tl_ev_has_span(e) || !(ranges ? tl_range_module(f->t, i) != 0 : frame))
			continue;
		TL_GROW(f->frames, f->cap_frames, f->n_frames + 1);
		tl_innermosts_add(&f->running, e->track, e->ts, tl_ev_end(e), (uint32_t)f->n_frames);
		f->frames[f->n_frames++] = i;
	}
	tl_innermosts_build(&f->running);
	f->outer = tl_alloc((f->n_frames + 1) * sizeof *f->outer);
	f->leaf = tl_alloc(f->n_frames + 1);
	f->n_units = tl_calloc(f->n_frames + 1, sizeof *f->n_units);
	memset(f->leaf, true, f->n_frames + 1);
	for (size_t k = 0; k < f->running.n; k++)
		for (size_t i = 0; i < f->running.items[k].n; i++) {
			const struct tl_nested *s = &f->running.items[k].spans[i];
			f->outer[s->event] = s->around == TL_NONE ? TL_NONE : f->running.items[k].spans[s->around].event;
			if (s->around != TL_NONE)
				f->leaf[f->outer[s->event]] = false;
		}
}

/* The operator above, which is what an event is part of where there are no modules; TL_NONE: none. */
static uint32_t operator_above(const struct finder *f, uint32_t event)
{
	uint32_t parent = f->t->events[event].parent;

	return parent == TL_NONE || f->t->events[parent].kind != TL_KIND_CPU_OP ? TL_NONE : parent;
}

/* The innermost operator above that does several things, else the thread; with a number that no module has. */
static uint32_t scope_without_module(const struct finder *f, const uint32_t *n_below, uint32_t event)
{
	uint32_t above = operator_above(f, event);

	while (above != TL_NONE && n_below[above] == 1)
		above = operator_above(f, above);
	return (uint32_t)f->n_frames + (above != TL_NONE ? above : f->t->n_events + f->t->events[event].track);
}

/* A module that does one thing, such as an activation, is part of the module around it. */
static void find_scopes(struct finder *f)
{
	uint32_t *n_below = tl_calloc((size_t)f->t->n_events + 1, sizeof *n_below); /* by operator */

	for (size_t i = 0; i < f->n; i++) {
		const struct tl_ev *e = &f->t->events[event_of(&f->units[i])];
		f->units[i].scope = tl_innermosts_at(&f->running, e->track, e->ts);
		if (f->units[i].scope != TL_NONE) {
			f->n_units[f->units[i].scope]++;
			continue;
		}
		for (uint32_t above = operator_above(f, event_of(&f->units[i])); above != TL_NONE; above = operator_above(f, above))
			n_below[above]++;
	}
	for (size_t i = 0; i < f->n; i++) {
		uint32_t scope = f->units[i].scope;
		if (scope == TL_NONE)
			f->units[i].scope = scope_without_module(f, n_below, event_of(&f->units[i]));
		else if (f->leaf[scope] && f->n_units[scope] == 1 && f->outer[scope] != TL_NONE)
			f->units[i].scope = f->outer[scope];
	}
	free(n_below);
}

/* "Linear" of "nn.Module: Linear_3", "layers.N.mlp" of a range. */
static uint32_t name_of_scope(struct finder *f, uint32_t scope)
{
	if (scope >= f->n_frames + f->t->n_events)
		return 0;
	if (scope >= f->n_frames)
		return f->t->events[scope - f->n_frames].name;
	if (tl_modules_are_ranges(f->t))
		return tl_range_module_folded(f->t, f->frames[scope]);
	const char *name = tl_str(&f->t->strings, f->t->events[f->frames[scope]].name) + strlen(TL_MODULE_FRAME);
	size_t n = strlen(name), digits = n;
	while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9')
		digits--;
	return tl_intern(&f->t->strings, name, digits && digits < n && name[digits - 1] == '_' ? digits - 1 : n);
}

/* ---- units ---------------------------------------------------------------------------------- */

static enum part part_of(struct finder *f, uint32_t event)
{
	uint32_t name = f->t->events[event].name;
	bool is_new;
	uint32_t *part = tl_map_put(&f->part_of, name, &is_new);
	const char *answer = is_new ? tl_name_rules_find(f->parts, tl_str(&f->t->strings, name), tl_str_len(&f->t->strings, name)) : "";

	for (uint32_t i = NONE; *answer && i < PARTS; i++)
		*part = strcmp(answer, part_names[i]) ? *part : i;
	return (enum part)*part;
}

static uint32_t first_kernel(const struct finder *f, const struct unit *u)
{
	return f->l->by_ts[u->launcher->first];
}

TL_ORDER_IN(by_stream, struct unit, struct finder,
	TL_ASC(ctx->t->events[first_kernel(ctx, x)].track) TL_ASC(ctx->t->events[first_kernel(ctx, x)].ts))

static void find_units(struct finder *f)
{
	f->units = tl_alloc(((size_t)f->l->n + 1) * sizeof *f->units);
	for (uint32_t i = 0; i < f->l->n; i++) {
		const struct tl_launcher *l = &f->l->items[i];
		struct unit u = { .launcher = l, .scope = TL_NONE };
		bool computes = true, has_kernel = false;

		for (uint32_t k = 0; k < l->n; k++) {
			const struct tl_ev *e = &f->t->events[f->l->by_ts[l->first + k]];
			computes &= tl_gpu_usable(e) && e->kind != TL_KIND_MEMCPY && !tl_gpu_is_comm(e);
			has_kernel |= e->kind == TL_KIND_KERNEL;
			u.ticks = tl_ticks_add(u.ticks, e->kind == TL_KIND_KERNEL ? e->dur : 0);
		}
		if (!l->n)
			continue;
		u.part = computes && has_kernel && f->t->events[l->event].kind == TL_KIND_CPU_OP ? part_of(f, l->event) : NONE;
		f->units[f->n++] = u;
	}
	tl_merge_sort(f->units, f->n, sizeof *f->units, by_stream, f);
}

/* ---- chains --------------------------------------------------------------------------------- */

/* Adds an operator; returns the bytes that it moves. */
static double take_unit(struct tl_known *k, const struct unit *u)
{
	return known_take(k, u->in, u->n_in, &u->out, u->part == REDUCE || u->part == VARIANCE);
}

static bool same_names(const struct finder *f, const struct unit *a, const struct unit *b)
{
	return f->t->events[event_of(a)].name == f->t->events[event_of(b)].name;
}

/* A run of operators that is the same operators several times over does several things, such as one for queries and one for keys:
 * how many operators are one of them. */
static size_t period_of(const struct finder *f, struct unit *const *units, size_t n)
{
	for (size_t p = 2; p * 2 <= n; p++) {
		size_t i = p;
		while (n % p == 0 && i < n && same_names(f, units[i], units[i - p]))
			i++;
		if (n % p == 0 && i == n)
			return p;
	}
	return n;
}

static bool all_the_same(const struct finder *f, struct unit *const *units, size_t n)
{
	size_t i = 1;

	while (i < n && same_names(f, units[i], units[0]))
		i++;
	return i == n;
}

static const char *kind_of(struct finder *f, struct unit *const *units, size_t n)
{
	struct tl_buf text = { 0 };

	for (size_t i = 0; i < n; i++) {
		tl_buf_adds(&text, i ? " " : "");
		tl_buf_adds(&text, part_names[units[i]->part]);
	}
	const char *kind = tl_name_rules_find(f->kinds, text.data, text.len);
	tl_buf_release(&text);
	return kind;
}

/* Adds a chain but for its bytes and its floor. */
static struct tl_chain *add_chain(struct finder *f, const char *kind, struct unit *const *units, size_t n)
{
	struct tl_chains *out = f->out;
	struct tl_buf names = { 0 };

	TL_GROW(out->items, out->cap, out->n + 1);
	struct tl_chain *c = &out->items[out->n++];
	*c = (struct tl_chain){ .kind = tl_intern_str(&f->t->strings, kind), .module = name_of_scope(f, units[0]->scope), .first = event_of(units[0]),
	                        .kernel = (uint32_t)out->n_kernels, .floor_us = -1 };
	for (size_t i = 0; i < n; i++) {
		units[i]->taken = true;
		c->ticks = tl_ticks_add(c->ticks, units[i]->ticks);
		tl_buf_adds(&names, i ? " " : "");
		tl_buf_adds(&names, tl_str(&f->t->strings, f->t->events[event_of(units[i])].name));
		for (uint32_t k = 0; k < units[i]->launcher->n; k++) {
			uint32_t kernel = f->l->by_ts[units[i]->launcher->first + k];
			if (f->t->events[kernel].kind != TL_KIND_KERNEL)
				continue;
			TL_PUSH(out->kernels, out->n_kernels, out->cap_kernels, kernel);
			c->n++;
		}
	}
	c->names = tl_intern_buf(&f->t->strings, &names);
	return c;
}

static double us_of_bytes(const struct finder *f, double bytes)
{
	const struct tl_arch *a = f->m->arch;

	return a && a->bandwidth > 0 && bytes > 0 ? bytes / (a->bandwidth * 1e9) * 1e6 : -1;
}

/* Measures a run, part by part; returns how many tensors are passed on in it. */
static uint32_t measure_run(struct unit **units, const double *between, size_t n, size_t period, double *moved, double *least)
{
	uint32_t passed_on = 0;

	*moved = *least = 0;
	for (size_t from = 0; from < n; from += period) {
		struct tl_known k = { 0 };
		for (size_t i = from; i < from + period; i++) {
			k.fresh = between[i];
			*moved += take_unit(&k, units[i]);
		}
		*least += k.read + known_written(&k);
		passed_on += k.passed_on;
	}
	return passed_on;
}

/* Ends a run: it becomes a chain if it is of a kind and passes tensors on. An operator several times works on several tensors, but for
 * casts, whose types tell. between: the size of the product made beside it before each operator. */
static void end_run(struct finder *f, struct unit **units, const double *between, size_t n)
{
	double moved, least;

	if (n < 2 || (units[0]->part != CAST && all_the_same(f, units, n)))
		return;
	/* A list has no types: its tensors have the type of what was made before, else of what is made next. */
	double bytes = 0;
	for (size_t i = n; i-- > 0;)
		bytes = units[i]->n_in && units[i]->part != JOIN ? units[i]->in[0].bytes : bytes;
	for (size_t i = 0; i < n; i++) {
		struct unit *u = units[i];
		for (uint32_t k = 0; u->part == JOIN && k < u->n_in; k++)
			u->in[k].bytes = bytes;
		u->out.bytes = u->part == JOIN ? bytes : u->out.bytes;
		bytes = u->out.bytes > 0 ? u->out.bytes : bytes;
	}
	const char *kind = kind_of(f, units, n);
	if (!*kind || !measure_run(units, between, n, period_of(f, units, n), &moved, &least))
		return;
	struct tl_chain *c = add_chain(f, kind, units, n);
	c->moved = moved;
	c->least = least;
	c->floor_us = us_of_bytes(f, least);
}

/* Finds the chains of memory-bound operators among those of a stream that are in no chain yet. */
static void find_runs(struct finder *f)
{
	struct unit *run[LONGEST];
	double between[LONGEST], product = 0;
	struct tl_known k = { 0 };
	size_t n = 0;

	for (size_t i = 0; i <= f->n; i++) {
		struct unit *u = i < f->n ? &f->units[i] : NULL;
		bool beside = u && n && u->part == MATMUL && !u->taken && !product;
		if (u)
			need_tensors(f, u);
		/* a product of what the run made is none beside it */
		if (beside && u->out.numel > 0 && !known_continues(&k, u->in, u->n_in) &&
		    f->t->events[first_kernel(f, u)].track == f->t->events[first_kernel(f, run[0])].track) {
			product = u->out.numel;
			continue;
		}
		bool fits = u && !u->taken && u->part > COPY && u->n_in;
		k.fresh = product;
		if (n && (!fits || n == LONGEST || u->scope != run[0]->scope || !known_continues(&k, u->in, u->n_in) ||
		          f->t->events[first_kernel(f, u)].track != f->t->events[first_kernel(f, run[0])].track)) {
			end_run(f, run, between, n);
			n = 0;
			k = (struct tl_known){ 0 };
			product = 0;
		}
		if (fits) {
			between[n] = product;
			k.fresh = product;
			run[n++] = u;
			take_unit(&k, u);
			product = 0;
		}
	}
}

/* ---- attention ------------------------------------------------------------------------------ */

/* The least time of the products of an operator, µs; negative: not known. */
static double least_of_product(struct finder *f, const struct unit *u)
{
	const struct tl_perf_op *op = tl_measure_op(f->m, event_of(u));
	struct tl_work work;

	if (!op)
		return -1;
	tl_work_below(&f->m->device_work, event_of(u), &work);
	const struct tl_evaluation *x = tl_measure_evaluate(f->m, op, event_of(u), &work, false);
	return x && x->has_roof ? x->roof.compute : -1;
}

static void add_attention(struct finder *f, struct unit **units, size_t n)
{
	struct unit *first = units[0], *second = units[n - 1];
	const struct tl_tensor *q = &first->in[first->n_in - 2], *kk = &first->in[first->n_in - 1], *v = &second->in[second->n_in - 1];
	const char *kind = kind_of(f, units, n);

	if (!*kind)
		return;
	struct tl_chain *c = add_chain(f, kind, units, n);
	for (size_t i = 0; i < n; i++) {
		double bytes = units[i]->out.bytes > 0 ? units[i]->out.bytes : q->bytes;
		c->moved += units[i]->out.numel * bytes;
		for (uint32_t k = 0; k < units[i]->n_in; k++)
			c->moved += units[i]->in[k].numel * units[i]->in[k].bytes;
	}
	c->least = q->numel * q->bytes + kk->numel * kk->bytes + v->numel * v->bytes + second->out.numel * v->bytes;
	double one = least_of_product(f, first), two = least_of_product(f, second), bytes = us_of_bytes(f, c->least);
	if (one >= 0 && two >= 0 && bytes >= 0)
		c->floor_us = one + two > bytes ? one + two : bytes;
}

/* From a product on: a softmax of it, with what lies between, and a product of that. What only changes a layout may come between. */
static void try_attention(struct finder *f, size_t from)
{
	struct unit *run[LONGEST] = { &f->units[from] };
	size_t n = 1;
	bool soft = false;

	for (size_t i = from + 1; i < f->n && i < from + LONGEST; i++) {
		struct unit *u = &f->units[i];
		need_tensors(f, u);
		if (u->part == COPY)
			continue;
		const struct tl_tensor *in = u->part == MATMUL && u->n_in > 1 ? &u->in[u->n_in - 2] : u->part == POINTWISE ? &u->out : &u->in[0];
		if (u->taken || !u->n_in || in->numel != run[0]->out.numel ||
		    f->t->events[first_kernel(f, u)].track != f->t->events[first_kernel(f, run[0])].track)
			return;
		run[n++] = u;
		soft |= u->part == SOFTMAX;
		if (u->part == MATMUL) {
			if (soft)
				add_attention(f, run, n);
			return;
		}
		if (u->part != SOFTMAX && u->part != CAST && u->part != POINTWISE)
			return;
	}
}

/* ---- all ------------------------------------------------------------------------------------ */

TL_ORDER_IN(by_first_kernel, struct tl_chain, struct finder,
	TL_ASC(ctx->t->events[ctx->out->kernels[x->kernel]].track) TL_ASC(ctx->t->events[ctx->out->kernels[x->kernel]].ts))

void tl_chains_find(struct tl_chains *out, struct tl_measure *m)
{
	struct finder f = { .m = m, .t = m->trace, .l = tl_launchers_of(m->trace),
	                    .parts = tl_name_rules_new(TL_CHAIN_OPS), .kinds = tl_name_rules_new(TL_CHAIN_KINDS), .out = out };

	*out = (struct tl_chains){ 0 };
	tl_name_answers_init(&f.bytes, TL_DTYPE_BYTES, &f.t->strings);
	find_modules(&f);
	find_units(&f);
	find_scopes(&f);
	for (size_t i = 0; i < f.n; i++)
		if (f.units[i].part == MATMUL && !f.units[i].taken) {
			need_tensors(&f, &f.units[i]);
			if (f.units[i].out.numel > 0)
				try_attention(&f, i);
		}
	find_runs(&f);
	tl_merge_sort(out->items, out->n, sizeof *out->items, by_first_kernel, &f);
	tl_map_release(&f.part_of);
	tl_name_rules_free(f.parts);
	tl_name_answers_release(&f.bytes);
	tl_name_rules_free(f.kinds);
	tl_innermosts_release(&f.running);
	tl_arena_release(&f.tensors);
	TL_KEYED_RELEASE(&f.examples);
	free(f.units);
	free(f.frames);
	free(f.outer);
	free(f.leaf);
	free(f.n_units);
}

void tl_chains_release(struct tl_chains *c)
{
	free(c->items);
	free(c->kernels);
	*c = (struct tl_chains){ 0 };
}
