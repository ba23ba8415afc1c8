/* host.c - the sheets of tl-host: what the host did, by operator and by Python function, and what torch.compile did.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/host.h"

#include "work/args.h"
#include "work/device_events.h"
#include "work/kept.h"
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
	in->conditions = h->tree->n_work ? TL_HOST_IF_DEVICE : 0;
	in->done = cut_down;
	return h->tree;
}

/* Is the node, which comes behind all that were asked for, in another one of its row? past: by the row's key, up to which
 * node the outermost one of it goes. */
static bool is_nested(struct tl_map *past, const struct tl_host_tree *tree, uint32_t node, uint64_t key)
{
	uint32_t *until = tl_map_put(past, key, NULL);

	if (node < *until)
		return true;
	*until = tree->nodes[node].past;
	return false;
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

/* the cells of tl_host_sum_ops */
enum { F_NESTED, F_TOTAL, F_SELF, F_CALLS, F_DEVICE_TOTAL, F_DEVICE_SELF, F_BUSY, F_MATRIX, F_CELLS };

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

static void add(int64_t *sum, int64_t ticks)
{
	*sum = tl_ticks_add(*sum, ticks);
}

static void sum_node(struct tl_host *h, uint32_t node, int64_t sums[F_CELLS])
{
	const struct tl_host_tree *tree = h->tree;
	const struct tl_host_node *s = &tree->nodes[node];

	add(&sums[F_SELF], tl_ticks_sub(tl_ticks_sub(s->ticks, s->within), s->calls));
	add(&sums[F_CALLS], s->calls);
	add(&sums[F_DEVICE_SELF], tl_host_work_ticks(tree, tree->ticks_before, node, s->last + 1));
	sums[F_NESTED] += h->nested[node];
	if (h->nested[node])
		return;
	add(&sums[F_TOTAL], s->ticks);
	add(&sums[F_DEVICE_TOTAL], tl_host_work_ticks(tree, tree->ticks_before, node, s->past));
	add(&sums[F_MATRIX], tl_host_work_ticks(tree, h->matrix_before, node, s->past));
	add_busy(h, node, s->past);
}

/* The calls and the work that are in no operator. */
static void sum_rest(struct tl_host *h, int64_t sums[F_CELLS])
{
	const struct tl_host_tree *tree = h->tree;
	int64_t work = tl_host_work_ticks(tree, tree->ticks_before, tree->n, tree->n + 1);

	add(&sums[F_CALLS], tree->calls_outside);
	add(&sums[F_DEVICE_SELF], work);
	add(&sums[F_DEVICE_TOTAL], work);
	add(&sums[F_MATRIX], tl_host_work_ticks(tree, h->matrix_before, tree->n, tree->n + 1));
	add_busy(h, tree->n, tree->n + 1);
}

/* What the operators of a row took. */
void tl_host_sum_ops(void *ctx, const size_t *rows, size_t n, struct tl_cell cells[TL_MAX_CALL_CELLS])
{
	struct tl_host *h = ctx;
	int64_t sums[F_CELLS] = { 0 };
	bool any = false; /* operator */

	tl_spans_clear(&h->spans);
	for (size_t i = 0; i < n; i++) {
		uint32_t node = node_of(h, rows[i], OP_NODE);
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

/* Rows of the tree's operators; by: what tells rows of one name apart, or NULL; column: where it goes. */
static void add_ops(struct tl_host *h, int column, struct tl_cell (*by)(struct tl_host *, void *ctx, uint32_t event),
                    void *ctx)
{
	const struct tl_host_tree *tree = h->tree;
	struct tl_map past = { 0 };

	tl_host_tree_merge(h->tree);
	find_matrix_time(h);
	h->facts.cut = tree->n_cut;
	h->facts.negative = 0;
	for (uint32_t i = 0; i < tree->n; i++) {
		const struct tl_host_node *s = &tree->nodes[i];
		if (s->merged)
			continue;
		struct tl_cell apart = by ? by(h, ctx, s->event) : tl_cell_null(), c[N_OP] = {
			[OP_NAME] = tl_name_cell(h->trace, h->trace->events[s->event].name),
			[OP_NODE] = tl_cell_int(i),
			[OP_CALL] = tl_cell_int(1),
		};
		if (by)
			c[column] = apart;
		uint32_t text = apart.type == TL_CELL_TEXT ? apart.text : 0;
		h->nested[i] = is_nested(&past, tree, i, tl_key_of_two(c[OP_NAME].text, text));
		h->facts.negative += tl_ticks_add(s->within, s->calls) > s->ticks;
		tl_table_add_row(h->rows, c);
	}
	tl_map_release(&past);
	if (tree->n_calls_outside || tree->work_from[tree->n] < tree->n_work)
		tl_table_add_row(h->rows, (struct tl_cell[N_OP]){
			[OP_NAME] = tl_cell_str(&h->trace->strings, "(no operator)"), [OP_NODE] = tl_cell_int(tree->n) });
}

void tl_host_ops(void *ctx, struct tl_sheet_input *in)
{
	struct tl_host *h = ctx;

	plant(h, in, tl_host_op_rows, tl_host_wants_operator);
	add_ops(h, 0, NULL, NULL);
}

static struct tl_cell dims_of(struct tl_host *h, void *ctx, uint32_t event)
{
	return tl_arg_cell(h->trace, ctx, event);
}

void tl_host_ops_shapes(void *ctx, struct tl_sheet_input *in)
{
	struct tl_host *h = ctx;
	struct tl_arg dims = tl_arg_of(h->trace, TL_KEY_INPUT_DIMS);

	plant(h, in, tl_host_op_rows, tl_host_wants_operator);
	add_ops(h, OP_INPUT_DIMS, dims_of, &dims);
}

/* ---- stacks of operators -------------------------------------------------------------------- */

static bool wants_frame(const struct tl_trace *t, uint32_t event, void *unused)
{
	return t->events[event].kind == TL_KIND_PYTHON || tl_host_wants_operator(t, event, unused);
}

uint32_t tl_host_plain_name(struct tl_strtab *strings, struct tl_map *all, uint32_t name)
{
	bool is_new;
	uint32_t *known = tl_map_put(all, name, &is_new);
	const char *s = tl_str(strings, name), *at = is_new ? strstr(s, " object at 0x") : NULL;

	if (is_new)
		*known = name;
	if (at) {
		const char *address = at + strlen(" object at 0x"), *behind = address + strspn(address, "0123456789abcdef");
		*known = tl_intern_free(strings, tl_strdupf("%.*s object%s", (int)(at - s), s, behind));
	}
	return *known;
}

enum { STACKS_MAX = 1 << 28 }; /* bytes of all texts */

/* A frame, and the number of the stack around it; 0: none. */
struct stack { uint32_t around, name, text; };
struct stacks {
	struct tl_arg told;    /* what old traces say of an operator */
	uint32_t *of_event;    /* by event: the stack around it */
	struct TL_KEYED(struct stack) all; /* by stack around and frame; numbered from 1 */
	size_t bytes;
};

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
		of_node[i] = around;
		if (e->kind != TL_KIND_PYTHON || tl_is_module_frame(tl_str(&t->strings, e->name)))
			continue;
		uint32_t name = tl_host_plain_name(&t->strings, &h->plain_names, e->name);
		struct stack *stack = TL_ITEM(&s->all, tl_key_of_two(around, name), NULL);
		stack->around = around;
		stack->name = name;
		of_node[i] = 1 + (uint32_t)(stack - s->all.items);
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
	struct stack *stack = number ? &s->all.items[number - 1] : NULL;
	struct tl_buf b = { 0 };

	if (told.type == TL_CELL_TEXT || !stack)
		return told;
	if (!stack->text) {
		for (uint32_t i = number; i && s->bytes + b.len < STACKS_MAX; i = s->all.items[i - 1].around)
			tl_buf_addf(&b, "%s%s", b.len ? "; " : "", tl_str(&h->trace->strings, s->all.items[i - 1].name));
		s->bytes += b.len;
		h->facts.texts_cut |= s->bytes >= STACKS_MAX;
		stack->text = tl_intern(&h->trace->strings, b.data, b.len);
		tl_buf_release(&b);
	}
	return tl_cell_text(stack->text);
}

void tl_host_ops_stacks(void *ctx, struct tl_sheet_input *in)
{
	struct tl_host *h = ctx;
	struct stacks s = { 0 };

	find_stacks(&s, h);
	plant(h, in, tl_host_op_rows, tl_host_wants_operator);
	add_ops(h, OP_STACK, stack_cell, &s);
	TL_KEYED_RELEASE(&s.all);
	free(s.of_event);
}

/* ---- host_python ------------------------------------------------------------------------------- */

/* the cells of tl_host_sum_frames */
enum { Y_FUNCTION, Y_PLACE, Y_NESTED, Y_TOTAL, Y_SELF, Y_OPERATORS, Y_CALLS, Y_DEVICE, Y_CELLS };

/* "train.py(12): step" is the function step at train.py:12; other names are functions without a place. */
static void name_cells(struct tl_host *h, uint32_t name, struct tl_cell cells[TL_MAX_CALL_CELLS])
{
	struct tl_strtab *strings = &h->trace->strings;
	const char *s = tl_str(strings, name), *end = strstr(s, "): "), *digits = end;

	while (digits && digits > s && tl_is_digit(digits[-1]))
		digits--;
	cells[Y_FUNCTION] = tl_name_cell(h->trace, name);
	if (!end || digits == end || digits < s + 2 || digits[-1] != '(')
		return;
	char *place = tl_strdupf("%.*s:%.*s", (int)(digits - 1 - s), s, (int)(end - digits), digits);
	cells[Y_FUNCTION] = tl_cell_str(strings, end + 3);
	cells[Y_PLACE] = tl_cell_text(tl_intern_free(strings, place));
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

void tl_host_sum_frames(void *ctx, const size_t *rows, size_t n, struct tl_cell cells[TL_MAX_CALL_CELLS])
{
	struct tl_host *h = ctx;
	const struct tl_host_tree *tree = h->tree;
	int64_t sums[Y_CELLS] = { 0 };

	name_cells(h, tl_table_cell(h->rows, rows[0], PYTHON_NAME).text, cells);
	for (size_t i = 0; i < n; i++) {
		uint32_t node = node_of(h, rows[i], PYTHON_NODE);
		const struct tl_host_node *s = &tree->nodes[node];
		add(&sums[Y_SELF], tl_ticks_sub(tl_ticks_sub(s->ticks, s->within), s->calls));
		add(&sums[Y_OPERATORS], operators_in(h, node));
		add(&sums[Y_CALLS], s->calls);
		sums[Y_NESTED] += h->nested[node];
		if (h->nested[node])
			continue;
		add(&sums[Y_TOTAL], s->ticks);
		add(&sums[Y_DEVICE], tl_host_work_ticks(tree, tree->ticks_before, node, s->past));
	}
	for (size_t i = Y_NESTED; i < Y_CELLS; i++)
		cells[i] = i == Y_NESTED ? tl_cell_int(sums[i]) : tl_cell_ms(sums[i]);
}

void tl_host_python(void *ctx, struct tl_sheet_input *in)
{
	struct tl_host *h = ctx;
	struct tl_map past = { 0 };
	struct tl_host_tree *tree = plant(h, in, tl_host_python_rows, wants_frame);

	for (uint32_t i = 0; i < tree->n; i++) {
		const struct tl_ev *e = &h->trace->events[tree->nodes[i].event];
		if (e->kind != TL_KIND_PYTHON)
			continue;
		uint32_t name = tl_host_plain_name(&h->trace->strings, &h->plain_names, e->name);
		h->nested[i] = is_nested(&past, tree, i, name);
		tl_table_add_row(h->rows, (struct tl_cell[N_PYTHON]){
			[PYTHON_NAME] = tl_name_cell(h->trace, name), [PYTHON_NODE] = tl_cell_int(i) });
	}
	tl_map_release(&past);
}

/* ---- compile_summary ---------------------------------------------------------------------------- */

/* in the order of their rows */
static const char *const kinds[] = {
	"guards", "region", "wrapper", "autograd", "graph", "kernel", "compilation", NULL
};

/* What a name is of: the number of its kind; -1: none. */
static int kind_of(struct tl_name_answers *kinds_of, uint32_t name)
{
	const char *answer = tl_name_answer(kinds_of, name);

	for (int i = 0; *answer && kinds[i]; i++)
		if (!strcmp(answer, kinds[i]))
			return i;
	return -1;
}

static bool is_kernel(struct tl_name_answers *kinds_of, uint32_t name)
{
	return tl_name_is(kinds_of, name, "kernel");
}

static bool wants_compiled(const struct tl_trace *t, uint32_t event, void *kinds_of)
{
	const struct tl_ev *e = &t->events[event];

	return (e->kind == TL_KIND_CPU_OP || e->kind == TL_KIND_ANNOTATION) && kind_of(kinds_of, e->name) >= 0;
}

/* Kernels are by what they do, triton_poi_*; of "Torch-Compiled Region: 3/2" the code 3 was compiled twice before. */
static void kind_cells(struct tl_trace *t, struct tl_name_answers *kinds_of, uint32_t name, struct tl_cell *c)
{
	int kind = kind_of(kinds_of, name);
	const char *s = tl_str(&t->strings, name), *slash = strrchr(s, '/');
	int64_t before;

	c[COMPILE_KIND] = tl_cell_str(&t->strings, kinds[kind]);
	c[COMPILE_ORDER] = tl_cell_int(kind);
	c[COMPILE_NAME] = tl_name_cell(t, name);
	if (is_kernel(kinds_of, name))
		c[COMPILE_NAME] = tl_cell_text(tl_intern_free(&t->strings, tl_strdupf("%.*s*", (int)strlen("triton_poi_"), s)));
	if (!strcmp(kinds[kind], "region") && slash && tl_parse_whole(slash + 1, strspn(slash + 1, "0123456789"), &before))
		c[COMPILE_RECOMPILATION] = tl_cell_int(before);
}

void tl_host_compile(void *host, struct tl_sheet_input *in)
{
	struct tl_host *h = host;
	struct tl_trace *t = h->trace;
	struct tl_name_answers *kinds_of = tl_kept_answers(t, TL_COMPILE_NAMES);
	struct tl_host_tree *tree = tl_host_tree_new(t, wants_compiled, kinds_of);
	struct tl_arg reason = tl_arg_of(t, "recompile_reason");
	struct tl_map past = { 0 };

	in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, tl_host_compile_rows);
	for (uint32_t i = 0; i < tree->n; i++) {
		const struct tl_host_node *s = &tree->nodes[i];
		uint32_t name = t->events[s->event].name;
		bool nested = is_nested(&past, tree, i, name);
		struct tl_cell c[N_COMPILE] = {
			[COMPILE_CALLS] = tl_cell_int(1),
			[COMPILE_RECOMPILE_REASON] = tl_arg_cell(t, &reason, s->event),
			[COMPILE_HOST_SELF] = tl_cell_time(tl_ticks_sub(s->ticks, s->within), false),
			[COMPILE_HOST] = tl_cell_time(nested ? 0 : s->ticks, false),
		};
		kind_cells(t, kinds_of, name, c);
		if (!is_kernel(kinds_of, name)) { /* kernels are counted where they ran, below */
			c[COMPILE_DEVICE] = tl_cell_time(nested ? 0 : tl_host_work_ticks(tree, tree->ticks_before, i, s->past), false);
			c[COMPILE_DEVICE_EVENT_COUNT] = tl_cell_int(nested ? 0 : tree->work_from[s->past] - tree->work_from[i]);
		}
		tl_table_add_row(in->own_rows, c);
	}
	tl_map_release(&past);
	tl_host_tree_free(tree);
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		struct tl_cell c[N_COMPILE] = {
			[COMPILE_CALLS] = tl_cell_int(0),
			[COMPILE_DEVICE_EVENT_COUNT] = tl_cell_int(1),
			[COMPILE_DEVICE] = tl_cell_time(e->dur, false),
		};
		if (!tl_gpu_usable(e))
			continue;
		in->conditions = TL_HOST_IF_DEVICE;
		if (!is_kernel(kinds_of, e->name))
			continue;
		kind_cells(t, kinds_of, e->name, c);
		tl_table_add_row(in->own_rows, c);
	}
}
