/* host_modules.c - the modules of a model as a tree, and what each took.
 *
 * Which module is in which one is what the ids of Python frames say; what one took is what ran in the times of its
 * calls. In a trace without frames, ranges with the field TL_KEY_MODULE are the calls, and those in one another nest.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/host.h"

#include "work/args.h"
#include "work/range_names.h"
#include "base/merge_sort.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS_MAX = 1 << 28 }; /* bytes of all paths */

/* A module at its place in the model: all calls of one id below one place. */
struct module {
	uint32_t name;       /* a string id, without "nn.Module: " */
	uint32_t full;       /* of ranges: the same with the modules around it, "model.layers.0" */
	int64_t id;
	uint32_t place;      /* the module that it is in, or TL_NONE */
	uint32_t first, next, last; /* modules in it, and the next one beside it; TL_NONE: none */
	uint32_t form;       /* the same number for modules of one class with the same modules in them */
	int64_t calls, operators, host, host_self, device, device_self;
};
struct maker {
	struct tl_host *h;
	struct tl_arg id, python_id, python_parent;
	struct tl_folds *folds; /* calls are ranges; NULL: they are frames */
	struct tl_map by_python_id; /* process and id -> 1 + event */
	uint32_t *around;    /* by event: of a frame the nearest module around it; TL_NONE: none; else not known yet */
	uint32_t *module_of; /* by event: of a module's call its module, or TL_NONE */
	struct tl_strtab keys; /* place, name and id -> 1 + module */
	struct module *items; uint32_t n; size_t cap;
	struct tl_strtab forms;
	struct tl_table *rows;
	int64_t host;        /* ticks of the outermost modules */
	size_t bytes;
};
enum { UNKNOWN = UINT32_MAX - 1, OPEN = UINT32_MAX - 2 };

/* ---- what is in what ------------------------------------------------------------------------ */

static bool integer(const struct tl_arg *a, const struct tl_trace *t, uint32_t event, int64_t *value)
{
	return tl_arg_get(a, t, event, value) == TL_FIELD_INT;
}

static bool is_module(const struct maker *m, uint32_t event)
{
	int64_t id;

	if (m->folds)
		return tl_range_module(m->h->trace, event) != 0;
	return m->h->trace->events[event].kind == TL_KIND_PYTHON && integer(&m->id, m->h->trace, event, &id);
}

static bool wants(const struct tl_trace *t, uint32_t event, void *maker)
{
	return is_module(maker, event) || tl_host_wants_operator(t, event, NULL);
}

static uint64_t python_key(const struct tl_trace *t, uint32_t event, int64_t id)
{
	return (uint64_t)t->tracks[t->events[event].track].pid << 40 ^ (uint64_t)id;
}

static void number_frames(struct maker *m)
{
	const struct tl_trace *t = m->h->trace;
	int64_t id;

	m->h->facts.no_frames = m->h->facts.no_ids = true;
	for (uint32_t i = 0; i < t->n_events; i++) {
		m->around[i] = UNKNOWN;
		m->module_of[i] = TL_NONE;
		if (t->events[i].kind != TL_KIND_PYTHON)
			continue;
		m->h->facts.no_frames = false;
		m->h->facts.no_ids &= !is_module(m, i);
		if (integer(&m->python_id, t, i, &id))
			*tl_map_put(&m->by_python_id, python_key(t, i, id), NULL) = i + 1;
	}
	if (tl_modules_are_ranges(t)) {
		m->h->facts.no_frames = m->h->facts.no_ids = false;
		m->folds = tl_folds_new();
	}
}

/* Finds the module around each range; a node is behind the one around it. */
static void nest_ranges(struct maker *m)
{
	const struct tl_host_tree *tree = m->h->tree;
	uint32_t *inner = tl_alloc(((size_t)tree->n + 1) * sizeof *inner); /* by node: the innermost module, it may be itself */

	for (uint32_t i = 0; i < tree->n; i++) {
		uint32_t event = tree->nodes[i].event, around = tree->nodes[i].around;
		m->around[event] = around == TL_NONE ? TL_NONE : inner[around];
		inner[i] = is_module(m, event) ? event : m->around[event];
	}
	free(inner);
}

/* The frame that called this one, as their ids say; TL_NONE: it is not in the trace. */
static uint32_t caller(const struct maker *m, uint32_t event)
{
	int64_t id;
	const uint32_t *known = integer(&m->python_parent, m->h->trace, event, &id) ?
		tl_map_get(&m->by_python_id, python_key(m->h->trace, event, id)) : NULL;

	return known ? *known - 1 : TL_NONE;
}

/* The nearest module around a frame. What is found on the way is known then; a circle leads nowhere. */
static uint32_t module_around(struct maker *m, uint32_t event)
{
	uint32_t at = event, found = TL_NONE;

	while (m->around[at] == UNKNOWN) {
		uint32_t up = caller(m, at);
		m->around[at] = OPEN;
		if (up == TL_NONE || is_module(m, up)) {
			found = up;
			break;
		}
		at = up;
		found = m->around[at];
	}
	if (found == OPEN) {
		m->h->facts.lost_parents++;
		found = TL_NONE;
	}
	for (at = event; at != TL_NONE && m->around[at] == OPEN; at = caller(m, at))
		m->around[at] = found;
	return m->around[event];
}

/* ---- modules ------------------------------------------------------------------------------------ */

static uint32_t module_at(struct maker *m, uint32_t place, uint32_t event)
{
	struct tl_strtab *strings = &m->h->trace->strings;
	struct { int64_t id; uint32_t place, name; } key = { 0, place, m->h->trace->events[event].name };
	const char *name = tl_str(strings, key.name);
	uint32_t full = m->folds ? tl_range_module(m->h->trace, event) : 0;

	if (m->folds)
		key.name = tl_module_within(m->h->trace, place == TL_NONE ? 0 : m->items[place].full, full);
	else if (tl_is_module_frame(name))
		key.name = tl_intern_str(strings, name + strlen(TL_MODULE_FRAME));
	integer(&m->id, m->h->trace, event, &key.id);
	uint32_t known = tl_intern(&m->keys, (const char *)&key, sizeof key) - 1;
	if (known < m->n)
		return known;
	TL_GROW(m->items, m->cap, m->n + 1);
	m->items[m->n] = (struct module){ .name = key.name, .full = full, .id = key.id, .place = place,
	                                  .first = TL_NONE, .next = TL_NONE, .last = TL_NONE };
	if (place != TL_NONE) {
		struct module *in = &m->items[place];
		if (in->first == TL_NONE)
			in->first = m->n;
		else
			m->items[in->last].next = m->n;
		in->last = m->n;
	}
	return m->n++;
}

/* Finds the module of a call, after those around it. */
static void find_module(struct maker *m, uint32_t event)
{
	uint32_t *chain = NULL, at = event, place = TL_NONE;
	size_t n = 0, cap = 0;

	for (; at != TL_NONE && m->module_of[at] == TL_NONE; at = module_around(m, at)) {
		TL_PUSH(chain, n, cap, at);
		m->module_of[at] = OPEN; /* until below: a circle of modules ends here */
	}
	if (at != TL_NONE && m->module_of[at] == OPEN)
		m->h->facts.lost_parents++;
	else if (at != TL_NONE)
		place = m->module_of[at];
	while (n--)
		place = m->module_of[chain[n]] = module_at(m, place, chain[n]);
	free(chain);
}

static void add_call(struct maker *m, uint32_t node)
{
	const struct tl_host_tree *tree = m->h->tree;
	const struct tl_host_node *s = &tree->nodes[node];
	struct module *to = &m->items[m->module_of[s->event]];

	to->calls++;
	to->host = tl_ticks_add(to->host, s->ticks);
	to->host_self = tl_ticks_add(to->host_self, tl_ticks_sub(s->ticks, s->within));
	to->device = tl_ticks_add(to->device, tl_host_work_ticks(tree, tree->ticks_before, node, s->past));
	to->device_self = tl_ticks_add(to->device_self, tl_host_work_ticks(tree, tree->ticks_before, node, node + 1));
	for (uint32_t i = node + 1; i < s->past; i = tree->nodes[i].past) {
		if (m->module_of[tree->nodes[i].event] != TL_NONE)
			continue;
		to->operators++;
		to->device_self = tl_ticks_add(to->device_self, tl_host_work_ticks(tree, tree->ticks_before, i, tree->nodes[i].past));
	}
}

/* ---- modules that are alike ---------------------------------------------------------------------- */

/* The id of a name without its number: of Linear for Linear_3. */
static uint32_t class_of(struct maker *m, uint32_t name)
{
	struct tl_strtab *strings = &m->h->trace->strings;
	size_t len = tl_str_len(strings, name);
	struct tl_buf folded = { 0 };
	if (m->folds) {
		tl_folds_name(m->folds, tl_str(strings, name), len, &folded);
		return tl_intern_buf(strings, &folded);
	}
	char *text = tl_alloc(len + 1);

	len = tl_text_without_numbers(text, tl_str(strings, name), len);
	uint32_t id = tl_intern(strings, text, len);
	free(text);
	return id;
}

/* Modules in others are behind them, so they are looked at first. */
static void find_forms(struct maker *m)
{
	uint32_t *form = NULL;
	size_t cap = 0;

	for (uint32_t i = m->n; i-- > 0;) {
		size_t n = 1;
		for (uint32_t in = m->items[i].first; in != TL_NONE; in = m->items[in].next, n++) {
			TL_GROW(form, cap, n + 1);
			form[n] = m->items[in].form;
		}
		TL_GROW(form, cap, n);
		form[0] = m->h->options->unfolded ? i : class_of(m, m->items[i].name);
		tl_sort_numbers(form + 1, n - 1);
		m->items[i].form = tl_intern(&m->forms, (const char *)form, n * sizeof *form);
	}
	free(form);
}

/* ---- rows -------------------------------------------------------------------------------------------- */

/* A row: modules of one form in those of the row around it. */
struct row { uint32_t first, n; uint32_t depth, around, path; };
/* A module, and the number of its row among those that are opened together. */
struct member { uint32_t row, module; };
struct rows {
	struct member *members; size_t n_members, cap_members;
	struct row *open; size_t n, cap; /* rows to be written, the next one last */
};

TL_ORDER(by_row, struct member, TL_ASC(x->row))

/* Opens the rows of some modules, which are beside one another in the members from `from` on. */
static void open_rows(struct maker *m, struct rows *r, size_t from, const struct row *around)
{
	size_t first_open = r->n;
	uint32_t at = (uint32_t)from;
	struct tl_map forms = { 0 };

	for (size_t i = from; i < r->n_members; i++) {
		bool is_new;
		uint32_t row = r->members[i].row = tl_map_number(&forms, m->items[r->members[i].module].form, &is_new);
		if (is_new)
			TL_PUSH(r->open, r->n, r->cap, (struct row){
				.depth = around ? around->depth + 1 : 0, .around = around ? around->n : 1, .path = around ? around->path : 0 });
		r->open[first_open + row].n++;
	}
	tl_merge_sort(r->members + from, r->n_members - from, sizeof *r->members, by_row, NULL);
	for (size_t i = first_open; i < r->n; at += r->open[i++].n)
		r->open[i].first = at;
	for (size_t i = first_open, k = r->n; i + 1 < k; i++) { /* the last one is written first */
		struct row other = r->open[--k];
		r->open[k] = r->open[i];
		r->open[i] = other;
	}
	tl_map_release(&forms);
}

static uint32_t path_of(struct maker *m, const struct row *row, uint32_t name)
{
	struct tl_strtab *strings = &m->h->trace->strings;

	m->bytes += (row->path ? tl_str_len(strings, row->path) : 0) + tl_str_len(strings, name);
	if (m->bytes > TEXTS_MAX) {
		m->h->facts.texts_cut = true;
		return 0;
	}
	const char *around = tl_str(strings, row->path);
	return tl_intern_free(strings, tl_strdupf("%s%s%s", around, row->path ? "/" : "", tl_str(strings, name)));
}

/* Linear_3; of several the class, and how many are in each module around them, if there are more: Linear × 2. */
static struct tl_cell module_cell(struct maker *m, const struct row *row, const struct module *first)
{
	struct tl_strtab *strings = &m->h->trace->strings;

	if (row->n == 1)
		return tl_cell_text(first->name);
	uint32_t class = class_of(m, first->name);
	if (row->n <= row->around)
		return tl_cell_text(class);
	char *text = tl_strdupf("%s \u00d7 %" PRIu32, tl_str(strings, class), row->n / row->around);
	return tl_cell_text(tl_intern_free(strings, text));
}

static void add_row(struct maker *m, const struct rows *r, struct row *row)
{
	const struct module *first = &m->items[r->members[row->first].module];
	const struct tl_host_tree *tree = m->h->tree;
	struct module sum = { 0 };
	int64_t all = tree->ticks_before[tree->n_work];

	for (uint32_t i = row->first; i < row->first + row->n; i++) {
		const struct module *one = &m->items[r->members[i].module];
		sum.calls += one->calls;
		sum.operators += one->operators;
		sum.host = tl_ticks_add(sum.host, one->host);
		sum.host_self = tl_ticks_add(sum.host_self, one->host_self);
		sum.device = tl_ticks_add(sum.device, one->device);
		sum.device_self = tl_ticks_add(sum.device_self, one->device_self);
	}
	row->path = path_of(m, row, first->name);
	struct tl_cell c[N_MODULE] = {
		[MODULE_MODULE] = module_cell(m, row, first),
		[MODULE_DEPTH] = tl_cell_int(row->depth),
		[MODULE_PATH] = tl_cell_text(row->path),
		[MODULE_MODULE_ID] = row->n == 1 && !m->folds ? tl_cell_int(first->id) : tl_cell_null(),
		[MODULE_MODULE_COUNT] = tl_cell_int(row->n),
		[MODULE_CALLS] = tl_cell_int(sum.calls),
		[MODULE_OPERATOR_COUNT] = tl_cell_int(sum.operators),
		[MODULE_HOST_TOTAL_MS] = tl_cell_ms(sum.host),
		[MODULE_HOST_SELF_MS] = tl_cell_ms(sum.host_self),
	};
	if (m->host > 0)
		c[MODULE_HOST_TOTAL_PCT] = tl_cell_real(100 * (double)sum.host / (double)m->host);
	if (tree->n_work) {
		c[MODULE_DEVICE_TOTAL_MS] = tl_cell_ms(sum.device);
		c[MODULE_DEVICE_SELF_MS] = tl_cell_ms(sum.device_self);
	}
	if (all > 0)
		c[MODULE_DEVICE_TOTAL_PCT] = tl_cell_real(100 * (double)sum.device / (double)all);
	tl_table_add_row(m->rows, c);
}

/* From the top down, each row before those of the modules in it. */
static void add_rows(struct maker *m)
{
	struct rows r = { 0 };

	TL_GROW(r.members, r.cap_members, (size_t)m->n + 1);
	for (uint32_t i = 0; i < m->n; i++) {
		if (m->items[i].place != TL_NONE)
			continue;
		r.members[r.n_members++] = (struct member){ .module = i };
		m->host = tl_ticks_add(m->host, m->items[i].host);
	}
	open_rows(m, &r, 0, NULL);
	while (r.n) {
		struct row row = r.open[--r.n];
		size_t from = r.n_members;
		add_row(m, &r, &row);
		for (uint32_t i = row.first; i < row.first + row.n; i++)
			for (uint32_t in = m->items[r.members[i].module].first; in != TL_NONE; in = m->items[in].next)
				r.members[r.n_members++] = (struct member){ .module = in };
		open_rows(m, &r, from, &row);
	}
	free(r.members);
	free(r.open);
}

void tl_host_modules(void *host, struct tl_sheet_input *in)
{
	struct tl_host *h = host;
	struct tl_trace *t = h->trace;
	struct maker m = { .h = h, .id = tl_arg_of(t, "Python module id"), .python_id = tl_arg_of(t, "Python id"),
	                   .python_parent = tl_arg_of(t, "Python parent id") };

	m.around = tl_alloc(((size_t)t->n_events + 1) * sizeof *m.around);
	m.module_of = tl_alloc(((size_t)t->n_events + 1) * sizeof *m.module_of);
	m.rows = in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, tl_host_module_rows);
	number_frames(&m);
	h->tree = tl_host_tree_new(t, wants, &m);
	if (m.folds)
		nest_ranges(&m);
	for (uint32_t i = 0; i < h->tree->n; i++)
		if (m.module_of[h->tree->nodes[i].event] == TL_NONE && is_module(&m, h->tree->nodes[i].event))
			find_module(&m, h->tree->nodes[i].event);
	for (uint32_t i = 0; i < h->tree->n; i++)
		if (m.module_of[h->tree->nodes[i].event] != TL_NONE)
			add_call(&m, i);
	find_forms(&m);
	add_rows(&m);
	tl_host_tree_free(h->tree);
	h->tree = NULL;
	free(m.around);
	free(m.module_of);
	tl_map_release(&m.by_python_id);
	tl_strtab_release(&m.keys);
	tl_strtab_release(&m.forms);
	tl_folds_free(m.folds);
	free(m.items);
}
