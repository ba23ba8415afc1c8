/* ops_by_module.c - the sheet ops_by_module: device time by nn.Module.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/ops_by_module.h"

#include "analysis/device_events.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define PREFIX "nn.Module: "
/* Deeper modules count with the one at this depth: paths stay short. */
enum { MAX_DEPTH = 100 };

/* ---- definition ------------------------------------------------------------------- */

/* Columns of the rows, one a module. */
enum { MODULE, CALLS, EVENTS, DIRECT, SUBTREE, BACKWARD, N_COLUMNS };
static const char *const row_columns[] = {
	"module", "Count", "device_event_count", "direct_device_time_ms", "subtree_device_time_ms",
	"backward_device_time_ms", NULL
};
static const struct tl_column columns[] = {
	{ "module", .kind = TL_FIRST },
	{ "Count", .kind = TL_FIRST },
	{ "subtree_device_time_ms", .kind = TL_FIRST },
	{ "Subtree Percentage (%)", .kind = TL_PERCENT, .in = "subtree_device_time_ms", .total = 1 },
	{ "backward_device_time_ms", .kind = TL_FIRST },
	{ "device_event_count", .kind = TL_FIRST },
	{ "direct_device_time_ms", .kind = TL_FIRST },
	{ "Percentage (%)", .kind = TL_PERCENT, .in = "direct_device_time_ms", .total = 1 },
	{ .name = NULL }
};
const struct tl_sheet_def tl_ops_by_module_sheet = {
	.name = "ops_by_module", .rows = row_columns, .columns = columns, .ungrouped = true,
	.order = { { "subtree_device_time_ms", true }, { "module", false } },
};

/* ---- modules ----------------------------------------------------------------------- */

enum { NO_MODULE, NOT_LAUNCHED, FIRST_MODULE }; /* numbers of modules; the first two stand for what has none */

/* A module by its path: its name, and the module that it is in. */
struct module {
	uint32_t in;          /* always a lower number; NO_MODULE: none */
	uint32_t name, path;  /* string ids */
	uint32_t depth;
	uint64_t calls, events;
	int64_t direct, subtree, backward; /* ticks; backward is a part of subtree */
};

/* By event: the innermost of the modules of the event and those above it, TL_NONE until it is
 * known. `joins`: a backward operator outside of all modules is taken to be where its forward
 * operator is, and `backward` tells of what is at such an operator or below it. */
struct places { bool joins; uint32_t *module; bool *backward; uint32_t *stack; size_t cap; };

struct finder {
	struct tl_trace *t;
	struct module *modules; uint32_t n; size_t cap;
	struct tl_map of_name;  /* number of a module << 32 | name -> number of the module in it */
	struct tl_map names;    /* name of a frame -> name of the module; 0: the frame is of none */
	struct places plain, joined;
};

static uint32_t add_module(struct finder *f, uint32_t in, uint32_t name)
{
	const struct module *outer = in ? &f->modules[in] : NULL;
	struct tl_strtab *strings = &f->t->strings;
	struct module m = { .in = in, .name = name, .path = name, .depth = outer ? outer->depth + 1 : 1 };

	if (outer) {
		struct tl_buf path = { 0 };
		tl_buf_addf(&path, "%s/%s", tl_str(strings, outer->path), tl_str(strings, name));
		m.path = tl_intern(strings, path.data, path.len);
		tl_buf_release(&path);
	}
	TL_GROW(f->modules, f->cap, (size_t)f->n + 1);
	f->modules[f->n] = m;
	return f->n++;
}

/* The name of the module of a frame; 0 if the event is no such frame. */
static uint32_t module_name(struct finder *f, uint32_t event)
{
	const struct tl_ev *e = &f->t->events[event];
	const char *name = tl_str(&f->t->strings, e->name);
	bool is_new;

	if (e->kind != TL_KIND_PYTHON)
		return 0;
	uint32_t *known = tl_map_put(&f->names, e->name, &is_new);
	if (is_new)
		*known = tl_starts_with(name, PREFIX) ? tl_intern_str(&f->t->strings, name + sizeof PREFIX - 1) : 0;
	return *known;
}

static uint32_t module_in(struct finder *f, uint32_t in, uint32_t name)
{
	bool is_new;

	if (!name || f->modules[in].depth >= MAX_DEPTH)
		return in;
	uint32_t *number = tl_map_put(&f->of_name, (uint64_t)in << 32 | name, &is_new);
	if (is_new) {
		uint32_t added = add_module(f, in, name);
		*number = added;
	}
	return *number;
}

/* Finds the places of an event and of those above it. */
static void resolve(struct finder *f, struct places *p, uint32_t event)
{
	size_t n = 0;
	uint32_t e = event;

	for (; e != TL_NONE && p->module[e] == TL_NONE; e = f->t->events[e].parent) {
		TL_GROW(p->stack, p->cap, n + 1);
		p->stack[n++] = e;
	}
	uint32_t module = e == TL_NONE ? NO_MODULE : p->module[e];
	bool backward = e != TL_NONE && p->backward[e];
	while (n) {
		e = p->stack[--n];
		uint32_t forward = f->t->fwd_of[e];
		if (p->joins && module == NO_MODULE && forward != TL_NONE) {
			resolve(f, &f->plain, forward);
			module = f->plain.module[forward];
			backward = true;
		}
		p->module[e] = module = module_in(f, module, module_name(f, e));
		p->backward[e] = backward;
	}
}

static void add_work(struct finder *f, uint32_t gpu)
{
	const struct tl_ev *e = &f->t->events[gpu];
	uint32_t module = NOT_LAUNCHED;
	bool backward = false;

	if (e->parent != TL_NONE) {
		resolve(f, &f->joined, e->parent);
		module = f->joined.module[e->parent];
		backward = f->joined.backward[e->parent];
	}
	struct module *m = &f->modules[module];
	m->events++;
	m->direct = tl_ticks_add(m->direct, e->dur);
	m->subtree = tl_ticks_add(m->subtree, e->dur);
	m->backward = tl_ticks_add(m->backward, backward ? e->dur : 0);
}

static struct places new_places(const struct tl_trace *t, bool joins)
{
	size_t n = (size_t)t->n_events + 1;
	struct places p = { .joins = joins, .module = tl_alloc(n * sizeof *p.module), .backward = tl_calloc(n, 1) };

	memset(p.module, 0xff, n * sizeof *p.module); /* TL_NONE */
	return p;
}

static void start(struct finder *f, struct tl_trace *t)
{
	*f = (struct finder){ .t = t, .plain = new_places(t, false), .joined = new_places(t, true) };
	add_module(f, NO_MODULE, tl_intern_str(&t->strings, "(no module)"));
	add_module(f, NO_MODULE, tl_intern_str(&t->strings, "(not launched)"));
	f->modules[NO_MODULE].depth = 0;
}

static void count(struct finder *f)
{
	for (uint32_t i = 0; i < f->t->n_events; i++) {
		if (tl_gpu_usable(&f->t->events[i])) {
			add_work(f, i);
		} else if (f->t->events[i].flags & TL_EV_IN_TREE && module_name(f, i)) {
			resolve(f, &f->joined, i);
			f->modules[f->joined.module[i]].calls++;
		}
	}
	for (uint32_t i = f->n; i-- > FIRST_MODULE;) { /* what is in a module has a higher number */
		struct module *m = &f->modules[i], *outer = &f->modules[m->in];
		if (m->in == NO_MODULE)
			continue;
		outer->subtree = tl_ticks_add(outer->subtree, m->subtree);
		outer->backward = tl_ticks_add(outer->backward, m->backward);
	}
}

static void release_places(struct places *p)
{
	free(p->module);
	free(p->backward);
	free(p->stack);
}

static void release(struct finder *f)
{
	free(f->modules);
	release_places(&f->plain);
	release_places(&f->joined);
	tl_map_release(&f->of_name);
	tl_map_release(&f->names);
}

/* ---- the sheet ------------------------------------------------------------------------ */

static void add_row(const struct module *m, bool is_module, struct tl_table *rows)
{
	struct tl_cell c[N_COLUMNS] = { 0 };

	c[MODULE] = tl_cell_text(m->path);
	c[CALLS] = is_module ? tl_cell_int((int64_t)m->calls) : tl_cell_null();
	c[EVENTS] = tl_cell_int((int64_t)m->events);
	c[DIRECT] = tl_cell_ms(m->direct);
	c[SUBTREE] = tl_cell_ms(m->subtree);
	c[BACKWARD] = tl_cell_ms(m->backward);
	tl_table_add_row(rows, c);
}

struct tl_table *tl_ops_by_module(struct tl_trace *t, bool *found)
{
	struct finder f;
	struct tl_table *rows = tl_table_new(&t->strings, t->ticks_per_us, row_columns);
	int64_t total = 0;

	start(&f, t);
	count(&f);
	*found = f.n > FIRST_MODULE;
	for (uint32_t i = 0; i < f.n; i++) {
		total = tl_ticks_add(total, f.modules[i].direct);
		if (i >= FIRST_MODULE || f.modules[i].events)
			add_row(&f.modules[i], i >= FIRST_MODULE, rows);
	}
	release(&f);
	return tl_sheet_make(&tl_ops_by_module_sheet, &(struct tl_sheet_input){ .own_rows = rows,
	                     .totals = { tl_trace_us(t, total) / 1000 } });
}
