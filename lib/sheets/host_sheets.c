/* host_sheets.c - what the host did, by operator and by Python function.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/host_sheets.h"

#include "analysis/args.h"
#include "analysis/device_events.h"
#include "analysis/kept.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- trees ------------------------------------------------------------------------------- */

/* After the sheet is made. */
static void cut_down(void *host)
{
	struct tl_host *h = host;

	tl_host_tree_free(h->tree);
	free(h->matrix_before);
	free(h->nested);
	tl_spans_release(&h->spans);
	tl_map_release(&h->plain_names);
	*h = (struct tl_host){ .trace = h->trace, .options = h->options, .facts = h->facts };
}

/* Makes the tree and the rows, without any, of a sheet. */
static struct tl_host_tree *plant(struct tl_host *h, struct tl_sheet_input *in, const char *const *columns,
                                  bool (*wants)(const struct tl_trace *, uint32_t event, void *ctx))
{
	h->tree = tl_host_tree_new(h->trace, wants, NULL);
	h->nested = tl_calloc((size_t)h->tree->n + 1, sizeof *h->nested);
	h->rows = in->own_rows = tl_table_new(&h->trace->strings, h->trace->ticks_per_us, columns);
	in->conditions = h->tree->n_work > 0;
	in->done = cut_down;
	return h->tree;
}

/* The rows that nodes are in, by key: up to which node the outermost of it goes. */
struct open_rows { struct tl_map numbers; uint32_t *until; size_t n, cap; };

/* Is the node, which comes behind all that were asked for, in another one of this row? */
static bool is_nested(struct open_rows *o, const struct tl_host_tree *tree, uint32_t node, uint64_t key)
{
	bool is_new;
	uint32_t *number = tl_map_put(&o->numbers, key, &is_new);

	if (is_new) {
		TL_GROW(o->until, o->cap, o->n + 1);
		o->until[o->n] = 0;
		*number = (uint32_t)o->n++;
	}
	if (node < o->until[*number])
		return true;
	o->until[*number] = tree->nodes[node].past;
	return false;
}

static void release_rows(struct open_rows *o)
{
	tl_map_release(&o->numbers);
	free(o->until);
}

/* ---- matrix kernels ------------------------------------------------------------------------ */

/* A kernel of matrix products whose name does not say that it multiplies fp32 itself. */
static bool is_matrix(struct tl_host *h, struct tl_name_answers *precision, const struct tl_ev *e)
{
	static const char *const kinds[] = { "GEMM", "Conv", "Attention", "PagedAttention" };
	const struct tl_strtab *names = &h->trace->strings;

	if (e->kind != TL_KIND_KERNEL)
		return false;
	const char *category = tl_name_rules_find(h->options->categories, tl_str(names, e->name), tl_str_len(names, e->name));
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strncmp(category, kinds[i], strlen(kinds[i])))
			return !tl_name_is(precision, e->name, "fp32");
	return false;
}

static void find_matrix_time(struct tl_host *h)
{
	const struct tl_host_tree *tree = h->tree;
	struct tl_name_answers *precision = tl_kept_answers(h->trace, TL_KERNEL_PRECISION);

	h->matrix_before = tl_calloc((size_t)tree->n_work + 1, sizeof *h->matrix_before);
	for (uint32_t i = 0; i < tree->n_work; i++) {
		const struct tl_ev *e = &h->trace->events[tree->work[i]];
		h->matrix_before[i + 1] = tl_ticks_add(h->matrix_before[i], is_matrix(h, precision, e) ? e->dur : 0);
	}
}

/* ---- host_ops ------------------------------------------------------------------------------ */

enum { O_NAME, O_DIMS, O_STACK, O_NODE, O_CALL, O_COLUMNS };
static const char *const op_columns[] = { "name", "Input Dims", "stack", "node", "call", NULL };

enum { F_NESTED, F_TOTAL, F_SELF, F_CALLS, F_DEVICE_SELF, F_DEVICE_TOTAL, F_BUSY, F_MATRIX, F_CELLS };

static uint32_t node_of(const struct tl_host *h, size_t row, size_t column)
{
	return (uint32_t)tl_table_cell(h->rows, row, column).i;
}

static void add_busy(struct tl_host *h, uint32_t from, uint32_t to)
{
	const struct tl_host_tree *tree = h->tree;

	for (uint32_t i = tree->work_from[from]; i < tree->work_from[to]; i++) {
		const struct tl_ev *e = &h->trace->events[tree->work[i]];
		tl_spans_add(&h->spans, e->ts, tl_ev_end(e));
	}
}

static void sum_node(struct tl_host *h, uint32_t node, int64_t sums[F_CELLS])
{
	const struct tl_host_tree *tree = h->tree;
	const struct tl_host_node *s = &tree->nodes[node];
	int64_t self = tl_ticks_sub(tl_ticks_sub(s->ticks, s->within), s->calls);

	sums[F_SELF] = tl_ticks_add(sums[F_SELF], self);
	sums[F_CALLS] = tl_ticks_add(sums[F_CALLS], s->calls);
	sums[F_DEVICE_SELF] = tl_ticks_add(sums[F_DEVICE_SELF], tl_host_work_ticks(tree, tree->ticks_before, node, s->last + 1));
	sums[F_NESTED] += h->nested[node];
	if (h->nested[node])
		return;
	sums[F_TOTAL] = tl_ticks_add(sums[F_TOTAL], s->ticks);
	sums[F_DEVICE_TOTAL] = tl_ticks_add(sums[F_DEVICE_TOTAL], tl_host_work_ticks(tree, tree->ticks_before, node, s->past));
	sums[F_MATRIX] = tl_ticks_add(sums[F_MATRIX], tl_host_work_ticks(tree, h->matrix_before, node, s->past));
	add_busy(h, node, s->past);
}

/* The calls and the work that are in no operator. */
static void sum_rest(struct tl_host *h, int64_t sums[F_CELLS])
{
	const struct tl_host_tree *tree = h->tree;
	int64_t work = tl_host_work_ticks(tree, tree->ticks_before, tree->n, tree->n + 1);

	sums[F_CALLS] = tl_ticks_add(sums[F_CALLS], tree->calls_outside);
	sums[F_DEVICE_SELF] = tl_ticks_add(sums[F_DEVICE_SELF], work);
	sums[F_DEVICE_TOTAL] = tl_ticks_add(sums[F_DEVICE_TOTAL], work);
	sums[F_MATRIX] = tl_ticks_add(sums[F_MATRIX], tl_host_work_ticks(tree, h->matrix_before, tree->n, tree->n + 1));
	add_busy(h, tree->n, tree->n + 1);
}

/* What the operators of a row took. */
static void sum_ops(void *ctx, const size_t *rows, size_t n, struct tl_cell cells[TL_MAX_CALL_CELLS])
{
	struct tl_host *h = ctx;
	int64_t sums[F_CELLS] = { 0 };
	bool any = false; /* operator */

	tl_spans_clear(&h->spans);
	for (size_t i = 0; i < n; i++) {
		uint32_t node = node_of(h, rows[i], O_NODE);
		any |= node < h->tree->n;
		if (node < h->tree->n)
			sum_node(h, node, sums);
		else
			sum_rest(h, sums);
	}
	tl_spans_merge(&h->spans);
	sums[F_BUSY] = tl_spans_length(&h->spans);
	for (size_t i = 0; i < F_CELLS; i++)
		cells[i] = i == F_NESTED ? tl_cell_int(sums[i]) : tl_cell_ms(sums[i]);
	if (!any)
		cells[F_NESTED] = cells[F_TOTAL] = cells[F_SELF] = tl_cell_null();
}

#define OF_OPS(name_, cell_, when_) { name_, .kind = TL_CALL, .fn = sum_ops, .cell = cell_, .when = when_ }
#define OP_COLUMNS \
	{ "calls", .kind = TL_COUNT, .in = "call" }, \
	OF_OPS("nested_count", F_NESTED, 0), \
	OF_OPS("host_total_ms", F_TOTAL, 0), \
	OF_OPS("host_self_ms", F_SELF, 0), \
	OF_OPS("runtime_ms", F_CALLS, 0), \
	{ "host_self_pct", .kind = TL_PERCENT, .in = "host_self_ms" }, \
	OF_OPS("device_total_ms", F_DEVICE_TOTAL, 1), \
	OF_OPS("device_self_ms", F_DEVICE_SELF, 1), \
	OF_OPS("device_busy_ms", F_BUSY, 1), \
	OF_OPS("matrix_kernel_ms", F_MATRIX, 1), \
	{ "device_self_pct", .kind = TL_PERCENT, .in = "device_self_ms", .when = 1 }, \
	{ .name = NULL }
#define OP_ORDER .order = { { "device_self_ms", true }, { "host_self_ms", true } }, .keys_ascending = true

static const struct tl_column host_ops_columns[] = { { "name", .kind = TL_KEY }, OP_COLUMNS };
static const struct tl_column host_ops_shapes_columns[] = { { "name", .kind = TL_KEY }, { "Input Dims", .kind = TL_KEY }, OP_COLUMNS };
static const struct tl_column host_ops_stacks_columns[] = { { "name", .kind = TL_KEY }, { "stack", .kind = TL_KEY }, OP_COLUMNS };
static const struct tl_sheet_def host_ops = { .name = "host_ops", .rows = op_columns, .columns = host_ops_columns, OP_ORDER };
static const struct tl_sheet_def host_ops_shapes = {
	.name = "host_ops_shapes", .rows = op_columns, .columns = host_ops_shapes_columns, OP_ORDER,
};
static const struct tl_sheet_def host_ops_stacks = {
	.name = "host_ops_stacks", .rows = op_columns, .columns = host_ops_stacks_columns, OP_ORDER,
};

static void add_op(struct tl_host *h, struct open_rows *open, uint32_t node, int column, struct tl_cell by)
{
	const struct tl_host_node *s = &h->tree->nodes[node];
	struct tl_cell c[O_COLUMNS] = { [O_NAME] = tl_name_cell(h->trace, h->trace->events[s->event].name), [O_NODE] = tl_cell_int(node),
	                                [O_CALL] = tl_cell_int(1) };

	if (column >= 0)
		c[column] = by;
	h->nested[node] = is_nested(open, h->tree, node, (uint64_t)c[O_NAME].text << 32 | (by.type == TL_CELL_TEXT ? by.text : 0));
	h->facts.negative += tl_ticks_add(s->within, s->calls) > s->ticks;
	tl_table_add_row(h->rows, c);
}

/* Rows of the tree's operators; by: what tells rows of one name apart, or NULL; column: where it goes. */
static void add_ops(struct tl_host *h, int column, struct tl_cell (*by)(struct tl_host *, void *ctx, uint32_t event), void *ctx)
{
	const struct tl_host_tree *tree = h->tree;
	struct open_rows open = { 0 };

	tl_host_tree_merge(h->tree);
	find_matrix_time(h);
	h->facts.cut = tree->n_cut;
	h->facts.negative = 0;
	for (uint32_t i = 0; i < tree->n; i++)
		if (!tree->nodes[i].merged)
			add_op(h, &open, i, column, by ? by(h, ctx, tree->nodes[i].event) : tl_cell_null());
	release_rows(&open);
	if (tree->n_calls_outside || tree->work_from[tree->n] < tree->n_work)
		tl_table_add_row(h->rows, (struct tl_cell[O_COLUMNS]){
			[O_NAME] = tl_cell_str(&h->trace->strings, "(no operator)"), [O_NODE] = tl_cell_int(tree->n) });
}

static void op_rows(void *ctx, struct tl_sheet_input *in)
{
	struct tl_host *h = ctx;

	plant(h, in, op_columns, tl_host_wants_operator);
	add_ops(h, -1, NULL, NULL);
}

static struct tl_cell dims_of(struct tl_host *h, void *ctx, uint32_t event)
{
	return tl_arg_cell(h->trace, ctx, event);
}

static void shape_rows(void *ctx, struct tl_sheet_input *in)
{
	struct tl_host *h = ctx;
	struct tl_arg dims = tl_arg_of(h->trace, TL_KEY_INPUT_DIMS);

	plant(h, in, op_columns, tl_host_wants_operator);
	add_ops(h, O_DIMS, dims_of, &dims);
}

/* ---- stacks of operators -------------------------------------------------------------------- */

static bool wants_frame(const struct tl_trace *t, uint32_t event, void *unused)
{
	return t->events[event].kind == TL_KIND_PYTHON || tl_host_wants_operator(t, event, unused);
}

/* The name of a frame without the address of an object: <built-in method view of Tensor object>. */
static uint32_t plain_name(struct tl_host *h, uint32_t name)
{
	static const char mark[] = " object at 0x";
	struct tl_strtab *strings = &h->trace->strings;
	bool is_new;
	uint32_t *known = tl_map_put(&h->plain_names, name, &is_new);
	const char *s = tl_str(strings, name), *at = is_new ? strstr(s, mark) : NULL;
	struct tl_buf b = { 0 };

	if (is_new)
		*known = name;
	if (!at)
		return *known;
	size_t kept = (size_t)(at - s) + sizeof " object" - 1;
	tl_buf_add(&b, s, kept);
	tl_buf_adds(&b, s + kept + 6 + strspn(s + kept + 6, "0123456789abcdef")); /* " at 0x" and the address */
	*known = tl_intern(strings, b.data, b.len);
	tl_buf_release(&b);
	return *known;
}

enum { STACKS_MAX = 1 << 28 }; /* bytes of all texts */

/* Stacks as lists: each is a frame, and the number of the stack around it; 0: none. */
struct stacks {
	struct tl_arg told;    /* what old traces say of an operator */
	uint32_t *of_event;    /* by event: the stack around it */
	struct tl_map numbers; /* stack around, frame -> number */
	struct stack { uint32_t around, name, text; } *items; size_t n, cap;
	size_t bytes;
};

static uint32_t stack_of(struct stacks *s, uint32_t around, uint32_t name)
{
	bool is_new;
	uint32_t *number = tl_map_put(&s->numbers, (uint64_t)around << 32 | name, &is_new);

	if (is_new) {
		TL_GROW(s->items, s->cap, s->n + 1);
		s->items[s->n++] = (struct stack){ around, name, 0 };
		*number = (uint32_t)s->n;
	}
	return *number;
}

static void find_stacks(struct stacks *s, struct tl_host *h)
{
	struct tl_trace *t = h->trace;
	struct tl_host_tree *tree = tl_host_tree_new(t, wants_frame, NULL);
	uint32_t *of_node = tl_alloc(((size_t)tree->n + 1) * sizeof *of_node); /* with the node itself, if it is a frame */

	s->told = tl_arg_of(t, "Call stack");
	s->of_event = tl_calloc((size_t)t->n_events + 1, sizeof *s->of_event);
	for (uint32_t i = 0; i < tree->n; i++) {
		const struct tl_host_node *node = &tree->nodes[i];
		const struct tl_ev *e = &t->events[node->event];
		uint32_t around = node->around == TL_NONE ? 0 : of_node[node->around];
		s->of_event[node->event] = around;
		bool shown = e->kind == TL_KIND_PYTHON && !tl_is_module_frame(tl_str(&t->strings, e->name));
		of_node[i] = shown ? stack_of(s, around, plain_name(h, e->name)) : around;
	}
	free(of_node);
	tl_host_tree_free(tree);
}

/* The frames around an operator, the innermost first. */
static struct tl_cell stack_cell(struct tl_host *h, void *ctx, uint32_t event)
{
	struct stacks *s = ctx;
	struct tl_cell told = tl_arg_cell(h->trace, &s->told, event);
	uint32_t number = s->of_event[event];
	struct tl_buf b = { 0 };

	if (told.type == TL_CELL_TEXT || !number)
		return told;
	if (!s->items[number - 1].text) {
		for (uint32_t i = number; i && s->bytes + b.len < STACKS_MAX; i = s->items[i - 1].around)
			tl_buf_addf(&b, "%s%s", b.len ? "; " : "", tl_str(&h->trace->strings, s->items[i - 1].name));
		s->bytes += b.len;
		h->facts.texts_cut |= s->bytes >= STACKS_MAX;
		s->items[number - 1].text = tl_intern(&h->trace->strings, b.data, b.len);
		tl_buf_release(&b);
	}
	return tl_cell_text(s->items[number - 1].text);
}

static void stack_rows(void *ctx, struct tl_sheet_input *in)
{
	struct tl_host *h = ctx;
	struct stacks s = { 0 };

	find_stacks(&s, h);
	plant(h, in, op_columns, tl_host_wants_operator);
	add_ops(h, O_STACK, stack_cell, &s);
	tl_map_release(&s.numbers);
	free(s.items);
	free(s.of_event);
}

/* ---- host_python ------------------------------------------------------------------------------- */

enum { P_NAME, P_NODE, P_COLUMNS };
static const char *const python_row_columns[] = { "name", "node", NULL };
enum { Y_FUNCTION, Y_PLACE, Y_NESTED, Y_TOTAL, Y_SELF, Y_OPERATORS, Y_CALLS, Y_DEVICE, Y_CELLS };

/* "train.py(12): step" is the function step at train.py:12; other names are functions without a place. */
static void name_cells(struct tl_host *h, uint32_t name, struct tl_cell cells[TL_MAX_CALL_CELLS])
{
	const char *s = tl_str(&h->trace->strings, name), *end = strstr(s, "): "), *digits = end;
	struct tl_buf b = { 0 };

	while (digits && digits > s && tl_is_digit(digits[-1]))
		digits--;
	cells[Y_FUNCTION] = tl_name_cell(h->trace, name);
	if (!end || digits == end || digits < s + 2 || digits[-1] != '(')
		return;
	tl_buf_addf(&b, "%.*s:%.*s", (int)(digits - 1 - s), s, (int)(end - digits), digits);
	cells[Y_FUNCTION] = tl_cell_str(&h->trace->strings, end + 3);
	cells[Y_PLACE] = tl_cell_text(tl_intern(&h->trace->strings, b.data, b.len));
	tl_buf_release(&b);
}

/* The time of operators directly below a frame. */
static int64_t operators_in(const struct tl_host *h, uint32_t node)
{
	const struct tl_host_node *nodes = h->tree->nodes;
	int64_t sum = 0;

	for (uint32_t i = node + 1; i < nodes[node].past; i = nodes[i].past)
		if (h->trace->events[nodes[i].event].kind == TL_KIND_CPU_OP)
			sum = tl_ticks_add(sum, nodes[i].ticks);
	return sum;
}

static void sum_frames(void *ctx, const size_t *rows, size_t n, struct tl_cell cells[TL_MAX_CALL_CELLS])
{
	struct tl_host *h = ctx;
	const struct tl_host_tree *tree = h->tree;
	int64_t sums[Y_CELLS] = { 0 };

	name_cells(h, tl_table_cell(h->rows, rows[0], P_NAME).text, cells);
	for (size_t i = 0; i < n; i++) {
		uint32_t node = node_of(h, rows[i], P_NODE);
		const struct tl_host_node *s = &tree->nodes[node];
		sums[Y_SELF] = tl_ticks_add(sums[Y_SELF], tl_ticks_sub(tl_ticks_sub(s->ticks, s->within), s->calls));
		sums[Y_OPERATORS] = tl_ticks_add(sums[Y_OPERATORS], operators_in(h, node));
		sums[Y_CALLS] = tl_ticks_add(sums[Y_CALLS], s->calls);
		sums[Y_NESTED] += h->nested[node];
		if (h->nested[node])
			continue;
		sums[Y_TOTAL] = tl_ticks_add(sums[Y_TOTAL], s->ticks);
		sums[Y_DEVICE] = tl_ticks_add(sums[Y_DEVICE], tl_host_work_ticks(tree, tree->ticks_before, node, s->past));
	}
	for (size_t i = Y_NESTED; i < Y_CELLS; i++)
		cells[i] = i == Y_NESTED ? tl_cell_int(sums[i]) : tl_cell_ms(sums[i]);
}

#define OF_FRAMES(name_, cell_, when_) { name_, .kind = TL_CALL, .fn = sum_frames, .cell = cell_, .when = when_ }
static const struct tl_column python_columns[] = {
	{ "name", .kind = TL_KEY, .hidden = true },
	OF_FRAMES("function", Y_FUNCTION, 0),
	OF_FRAMES("place", Y_PLACE, 0),
	{ "calls", .kind = TL_COUNT },
	OF_FRAMES("nested_count", Y_NESTED, 0),
	OF_FRAMES("host_total_ms", Y_TOTAL, 0),
	OF_FRAMES("host_self_ms", Y_SELF, 0),
	OF_FRAMES("operator_ms", Y_OPERATORS, 0),
	OF_FRAMES("runtime_ms", Y_CALLS, 0),
	{ "host_self_pct", .kind = TL_PERCENT, .in = "host_self_ms" },
	OF_FRAMES("device_total_ms", Y_DEVICE, 1),
	{ .name = NULL }
};
static const struct tl_sheet_def host_python = {
	.name = "host_python", .rows = python_row_columns, .columns = python_columns, .keys_ascending = true,
	.order = { { "host_self_ms", true }, { "host_total_ms", true } },
};

static void python_rows(void *ctx, struct tl_sheet_input *in)
{
	struct tl_host *h = ctx;
	struct open_rows open = { 0 };
	struct tl_host_tree *tree = plant(h, in, python_row_columns, wants_frame);

	for (uint32_t i = 0; i < tree->n; i++) {
		const struct tl_ev *e = &h->trace->events[tree->nodes[i].event];
		if (e->kind != TL_KIND_PYTHON)
			continue;
		uint32_t name = plain_name(h, e->name);
		h->nested[i] = is_nested(&open, tree, i, name);
		tl_table_add_row(h->rows, (struct tl_cell[P_COLUMNS]){ [P_NAME] = tl_name_cell(h->trace, name), [P_NODE] = tl_cell_int(i) });
	}
	release_rows(&open);
}

/* ---- sheets --------------------------------------------------------------------------------------- */

static const struct tl_sheet sheets[] = {
	{ "host_ops", "operators: calls, time of the host and of the device, with and without what they call", "host",
	  TL_SHEET_NEEDS_ROWS | TL_SHEET_USUAL, 0, &host_ops, op_rows, NULL },
	{ "host_ops_shapes", "the same by the shapes of their inputs", "host", TL_SHEET_NEEDS_ROWS, 0, &host_ops_shapes, shape_rows, NULL },
	{ "host_ops_stacks", "the same by the Python frames around them", "stacks", TL_SHEET_NEEDS_ROWS, TL_NEEDS_ALL_FRAMES,
	  &host_ops_stacks, stack_rows, NULL },
	{ "host_modules", "modules of the model as a tree, layers that are alike as one", "host", TL_SHEET_NEEDS_ROWS, TL_NEEDS_ALL_FRAMES,
	  NULL, tl_host_module_rows, NULL },
	{ "host_python", "Python functions by their own time", "host", TL_SHEET_NEEDS_ROWS, TL_NEEDS_ALL_FRAMES, &host_python, python_rows, NULL },
	{ "compile_summary", "torch.compile: guards, compiled regions and graphs, compilations", "host", TL_SHEET_NEEDS_ROWS,
	  TL_NEEDS_ANNOTATIONS, &tl_compile_summary_sheet, tl_host_compile_rows, NULL },
	{ .name = NULL },
};
const struct tl_sheet_family tl_host_sheets = { "tl-host", sheets };
