/* call_tree.c - the sheets of tl-tree: the call tree, event by event, and as stacks with what they cost: busy time, idle time, memory.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/call_tree.h"

#include "sheets/host.h"
#include "sheets/window.h"
#include "base/utf8.h"
#include "table/tsv.h"
#include "work/allocations.h"
#include "work/args.h"
#include "work/device_events.h"
#include "work/range_names.h"

#include <stdlib.h>
#include <string.h>

static bool wants(const struct tl_trace *t, uint32_t event, void *unused)
{
	unsigned kind = t->events[event].kind;

	(void)unused;
	return kind == TL_KIND_CPU_OP || kind == TL_KIND_PYTHON || tl_kind_is_launch(kind) || (tl_is_range(t, event) && tl_range_nests(t, event));
}

/* ---- stacks ------------------------------------------------------------------------------- */

enum { STACKS_MAX = 1 << 28 }; /* bytes of all texts */

/* A frame, and the number of the stack around it; numbers begin with 1. */
struct stack { uint32_t around, name; };
/* What a stack costs; before: the stack of what is not of the host, such as a device, which stands before it. */
struct cost { uint32_t before, stack; int64_t sum; };
struct maker {
	struct tl_call_tree *of;
	struct tl_trace *t;
	struct tl_host_tree *tree;
	struct TL_KEYED(struct stack) stacks; /* by stack around and name */
	struct TL_KEYED(struct cost) costs;   /* by both stacks */
	uint32_t *of_node;                    /* the stack of a node; of no node 0 */
	uint32_t *devices;                    /* the stack of a device: 0 if it is the only one */
	struct tl_map plain;                  /* names without addresses */
	struct tl_buf text;
};

static uint32_t pushed(struct maker *m, uint32_t around, uint32_t name)
{
	struct stack *s = TL_ITEM(&m->stacks, tl_key_of_two(around, name), NULL);

	*s = (struct stack){ around, name };
	return 1 + (uint32_t)(s - m->stacks.items);
}

/* With an event, whose kind may have equal ones: steps and layers differ in numbers, objects in addresses. */
static uint32_t pushed_event(struct maker *m, uint32_t around, uint32_t event)
{
	const struct tl_ev *e = &m->t->events[event];

	return pushed(m, around, tl_is_range(m->t, event) ? tl_range_folded(m->t, event) :
		e->kind == TL_KIND_PYTHON ? tl_host_plain_name(&m->t->strings, &m->plain, e->name) : e->name);
}

static void add_cost(struct maker *m, uint32_t before, uint32_t stack, int64_t sum)
{
	if (!sum)
		return;
	struct cost *c = TL_ITEM(&m->costs, tl_key_of_two(before, stack), NULL);
	*c = (struct cost){ before, stack, tl_ticks_add(c->sum, sum) };
}

/* "rank 1 process 7 device 0", without what the trace does not tell. */
static uint32_t device_stack(struct maker *m, const struct tl_cell cells[3])
{
	static const char *const what[] = { "rank ", "process ", "device " };
	struct tl_buf b = { 0 };

	for (size_t i = 0; i < 3; i++)
		if (!tl_cell_is_null(cells[i])) {
			tl_buf_addf(&b, "%s%s", b.len ? " " : "", what[i]);
			tl_tsv_add_cell(&b, cells[i], &m->t->strings, 1);
		}
	return pushed(m, 0, tl_intern_buf(&m->t->strings, &b));
}

static struct maker begin(struct tl_call_tree *of)
{
	struct tl_trace *t = of->trace;
	struct maker m = { .of = of, .t = t, .tree = tl_host_tree_new(t, wants, NULL) };
	const struct tl_devices *d = tl_devices_of(t);
	struct tl_cell cells[3];

	m.of_node = tl_calloc((size_t)m.tree->n + 1, sizeof *m.of_node);
	m.devices = tl_calloc(d->n + 1, sizeof *m.devices);
	for (uint32_t i = 0; i < m.tree->n; i++) {
		const struct tl_host_node *node = &m.tree->nodes[i];
		m.of_node[i] = pushed_event(&m, node->around == TL_NONE ? 0 : m.of_node[node->around], node->event);
	}
	for (size_t i = 0; d->n > 1 && i < d->n; i++) {
		tl_device_cells(&d->items[i], cells);
		m.devices[i] = device_stack(&m, cells);
	}
	return m;
}

static void add_frames(struct maker *m, uint32_t stack)
{
	uint32_t *chain = NULL;
	size_t n = 0, cap = 0;

	for (; stack; stack = m->stacks.items[stack - 1].around)
		TL_PUSH(chain, n, cap, m->stacks.items[stack - 1].name);
	while (n--) {
		tl_buf_adds(&m->text, m->text.len ? ";" : "");
		size_t from = m->text.len;
		tl_buf_add_shown(&m->text, tl_str(&m->t->strings, chain[n]), tl_str_len(&m->t->strings, chain[n]));
		for (char *p = m->text.data + from; m->text.len > from && (p = strchr(p, ';'));)
			*p = ':';
	}
	free(chain);
}

/* Makes the rows, whose second column is a number of bytes or a time, and frees the rest. */
static void finish(struct maker *m, struct tl_sheet_input *in, bool bytes)
{
	size_t size = 0;

	in->own_rows = tl_table_new(&m->t->strings, m->t->ticks_per_us, bytes ? tl_tree_block_rows : tl_tree_stack_rows);
	TL_EACH_OF(const struct cost, c, m->costs.items, m->costs.n) {
		tl_buf_clear(&m->text);
		if (size < STACKS_MAX) {
			add_frames(m, c->before);
			add_frames(m, c->stack);
		}
		size += m->text.len;
		m->of->texts_cut |= size >= STACKS_MAX;
		uint32_t text = tl_intern_buf(&m->t->strings, &m->text);
		tl_table_add_row(in->own_rows, (struct tl_cell[N_STACK]){
			[STACK_STACK] = tl_cell_text(text), [STACK_TIME] = bytes ? tl_cell_int(c->sum) : tl_cell_time(c->sum, false) });
	}
	tl_host_tree_free(m->tree);
	TL_KEYED_RELEASE(&m->stacks);
	TL_KEYED_RELEASE(&m->costs);
	tl_map_release(&m->plain);
	tl_buf_release(&m->text);
	free(m->of_node);
	free(m->devices);
}

void tl_tree_busy(void *ctx, struct tl_sheet_input *in)
{
	struct maker m = begin(ctx);
	const struct tl_window *w = tl_window_of(m.t);
	uint32_t outside = pushed(&m, 0, tl_intern_str(&m.t->strings, "(no call)"));

	for (uint32_t node = 0; node <= m.tree->n; node++)
		for (uint32_t i = m.tree->work_from[node]; i < m.tree->work_from[node + 1]; i++) {
			uint32_t event = m.tree->work[i], stack = pushed_event(&m, node < m.tree->n ? m.of_node[node] : outside, event);
			add_cost(&m, m.devices[w->devices->of[event]], stack, tl_fair_time_of(&w->fair, m.t, event));
		}
	finish(&m, in, false);
}

static void add_idle(void *maker, const struct tl_idle_piece *p, uint32_t node, int64_t ticks)
{
	struct maker *m = maker;
	uint32_t device = tl_recorded_of(m->t)->gaps.items[p->gap].device;
	uint32_t cause = tl_intern_str(&m->t->strings, tl_idle_class_name(p->class));

	add_cost(m, pushed(m, m->devices[device], cause), m->of_node[node], ticks);
}

void tl_tree_idle(void *ctx, struct tl_sheet_input *in)
{
	struct maker m = begin(ctx);

	tl_idle_by_node(m.tree, add_idle, &m);
	finish(&m, in, false);
}

/* The stack of an allocation: what runs on its thread or, in a snapshot, its frames, of which the innermost stands first. */
static uint32_t block_stack(struct maker *m, const struct tl_innermosts *spans, const struct tl_memory_event *e)
{
	const char *s = tl_str(&m->t->strings, e->stack), *end = s + tl_str_len(&m->t->strings, e->stack), *from;
	uint32_t node = tl_innermosts_at(spans, m->t->events[e->event].track, e->time), stack = 0;

	for (; e->stack && end >= s; end = from - 2) {
		for (from = end; from > s && !(from - s >= 2 && from[-1] == ' ' && from[-2] == ';');)
			from--;
		stack = pushed(m, stack, tl_intern(&m->t->strings, from, (size_t)(end - from)));
		if (from == s)
			return stack;
	}
	return node == TL_NONE ? 0 : m->of_node[node];
}

void tl_tree_memory(void *ctx, struct tl_sheet_input *in)
{
	struct maker m = begin(ctx);
	const struct tl_memory *memory = tl_memory_of(m.t);
	struct tl_innermosts spans = { 0 };

	tl_host_tree_spans(m.tree, &spans);
	TL_EACH_OF(const struct tl_memory_device, d, memory->devices, memory->n_devices) {
		uint32_t device = device_stack(&m, (struct tl_cell[3]){ [1] = tl_json_cell(m.t, d->pid), [2] = tl_cell_text(d->name) });
		int64_t rest = memory->items[d->peak].allocated;
		for (uint32_t i = tl_memory_alive(memory, d->first, d->peak); i <= d->peak; i = tl_memory_alive(memory, i + 1, d->peak)) {
			add_cost(&m, device, block_stack(&m, &spans, &memory->items[i]), memory->items[i].bytes);
			rest = tl_ticks_sub(rest, memory->items[i].bytes);
		}
		add_cost(&m, device, pushed(&m, 0, tl_intern_str(&m.t->strings, "(before the trace)")), rest);
	}
	tl_innermosts_release(&spans);
	finish(&m, in, true);
}

/* ---- call_tree ---------------------------------------------------------------------------- */

/* A node of the tree, or a device event that was launched in one. */
struct item {
	uint32_t event, node; /* node: TL_NONE for a device event */
	uint32_t around;      /* the item that it is in, or TL_NONE */
	uint32_t depth;       /* how many are around it */
	int64_t level;        /* how far it is below one that matches; -1: it is below none */
	bool matches, has_row;
};
struct printer {
	struct tl_call_tree *of;
	struct tl_host_tree *tree;
	struct item *items; size_t n, cap; /* each behind the one around it */
	struct tl_table *rows;
};

static uint32_t add_item(struct printer *p, uint32_t event, uint32_t node, uint32_t around)
{
	const struct tl_strtab *names = &p->of->trace->strings;
	const struct tl_ev *e = &p->of->trace->events[event];
	const struct item *in = around == TL_NONE ? NULL : &p->items[around];
	bool all = p->of->uid < 0 && !p->of->match;
	struct item i = { event, node, around, in ? in->depth + 1 : 0, in && in->level >= 0 ? in->level + 1 : -1, false, false };

	i.matches = all ? !in : p->of->uid >= 0 ? e->uid == p->of->uid : tl_pattern_matches(p->of->match, tl_str(names, e->name), tl_str_len(names, e->name));
	i.level = i.matches ? 0 : i.level;
	i.has_row = i.level >= 0 && i.level <= p->of->depth;
	p->of->none &= !i.matches;
	TL_PUSH(p->items, p->n, p->cap, i);
	return (uint32_t)p->n - 1;
}

/* Lists all, and finds those that are around one with a row. */
static void list_items(struct printer *p)
{
	const struct tl_host_tree *tree = p->tree;
	uint32_t *of_node = tl_alloc(((size_t)tree->n + 1) * sizeof *of_node);

	p->of->none = p->of->uid >= 0 || p->of->match;
	for (uint32_t i = 0; i <= tree->n; i++) {
		uint32_t around = i < tree->n ? tree->nodes[i].around : TL_NONE;
		of_node[i] = i < tree->n ? add_item(p, tree->nodes[i].event, i, around == TL_NONE ? TL_NONE : of_node[around]) : TL_NONE;
		for (uint32_t k = tree->work_from[i]; k < tree->work_from[i + 1]; k++)
			add_item(p, tree->work[k], TL_NONE, of_node[i]);
	}
	for (size_t i = p->n; i-- > 0;)
		if (p->items[i].has_row && p->items[i].around != TL_NONE)
			p->items[p->items[i].around].has_row = true;
	free(of_node);
}

static void row_cells(const struct printer *p, const struct item *i, struct tl_cell c[N_NODE])
{
	const struct tl_host_tree *tree = p->tree;
	const struct tl_host_node *node = i->node == TL_NONE ? NULL : &tree->nodes[i->node];
	struct tl_trace *t = p->of->trace;
	const struct tl_ev *e = &t->events[i->event];

	c[NODE_NAME] = tl_name_cell(t, e->name);
	c[NODE_DEPTH] = tl_cell_int(i->depth);
	c[NODE_KIND] = tl_cell_str(&t->strings, tl_kind_name(e->kind));
	c[NODE_UID] = tl_cell_int(e->uid);
	c[NODE_MATCHES] = tl_cell_bool(i->matches);
	c[NODE_START_US] = tl_start_cell(t, e->ts);
	c[NODE_DEVICE_US] = tl_cell_time(node ? tl_host_work_ticks(tree, tree->ticks_before, i->node, node->past) : e->dur, false);
	if (!node)
		return;
	uint32_t work = tree->work_from[node->past] - tree->work_from[i->node];
	c[NODE_HOST_US] = tl_cell_time(node->ticks, false);
	c[NODE_HOST_SELF_US] = tl_cell_time(tl_ticks_sub(node->ticks, node->within), false);
	c[NODE_DEVICE_EVENTS] = tl_cell_int(work);
	c[NODE_LEFT_OUT] = tl_cell_int(i->level == p->of->depth ? (int64_t)(node->past - i->node - 1) + work : 0);
}

void tl_tree_nodes(void *ctx, struct tl_sheet_input *in)
{
	struct tl_call_tree *of = ctx;
	struct printer p = { .of = of, .tree = tl_host_tree_new(of->trace, wants, NULL) };
	int64_t more = 0, host = 0, device = 0;

	p.rows = in->own_rows = tl_table_new(&of->trace->strings, of->trace->ticks_per_us, tl_tree_node_rows);
	list_items(&p);
	for (size_t i = 0; i < p.n; i++) {
		struct tl_cell c[N_NODE] = { 0 };
		if (!p.items[i].has_row)
			continue;
		row_cells(&p, &p.items[i], c);
		if (p.rows->n_rows < (size_t)of->nodes) {
			tl_table_add_row(p.rows, c);
			continue;
		}
		more++;
		host = tl_ticks_add(host, c[NODE_HOST_SELF_US].i);
		device = tl_ticks_add(device, p.items[i].node == TL_NONE ? c[NODE_DEVICE_US].i : 0);
	}
	if (more)
		tl_table_add_row(p.rows, (struct tl_cell[N_NODE]){ [NODE_NAME] = tl_cell_str(&of->trace->strings, "(more)"), [NODE_LEFT_OUT] = tl_cell_int(more),
			[NODE_HOST_SELF_US] = tl_cell_time(host, false), [NODE_DEVICE_US] = tl_cell_time(device, false) });
	free(p.items);
	tl_host_tree_free(p.tree);
}
