/* host_compile.c - what torch.compile does in a trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/host_sheets.h"

#include "analysis/args.h"
#include "analysis/device_events.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { KIND, NAME, ORDER, CALLS, HOST, HOST_SELF, DEVICE, DEVICE_COUNT, RECOMPILED, REASON, N_COLUMNS };
static const char *const row_columns[] = {
	"kind", "name", "order", "calls", "host", "host self", "device", "device_event_count", "recompilation", "recompile_reason", NULL
};
static const struct tl_column columns[] = {
	{ "kind", .kind = TL_KEY },
	{ "name", .kind = TL_KEY },
	{ "order", .kind = TL_FIRST, .hidden = true },
	{ "calls", .kind = TL_SUM },
	{ "host", .kind = TL_SUM, .hidden = true },
	{ "host_total_ms", .kind = TL_MS, .in = "host" },
	{ "host self", .kind = TL_SUM, .hidden = true },
	{ "host_self_ms", .kind = TL_MS, .in = "host self" },
	{ "device", .kind = TL_SUM, .hidden = true, .when = 1 },
	{ "device_total_ms", .kind = TL_MS, .in = "device", .when = 1 },
	{ "device_event_count", .kind = TL_SUM, .when = 1 },
	{ "recompilation", .kind = TL_FIRST },
	{ "recompile_reason", .kind = TL_FIRST },
	{ .name = NULL }
};
const struct tl_sheet_def tl_compile_summary_sheet = {
	.name = "compile_summary", .rows = row_columns, .columns = columns, .keys_ascending = true,
	.order = { { "order", false }, { "host_total_ms", true } },
};

static const char *const kinds[] = { "guards", "region", "wrapper", "autograd", "graph", "kernel", "compilation", NULL }; /* in this order */

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

static bool wants(const struct tl_trace *t, uint32_t event, void *kinds_of)
{
	const struct tl_ev *e = &t->events[event];

	return (e->kind == TL_KIND_CPU_OP || e->kind == TL_KIND_ANNOTATION) && kind_of(kinds_of, e->name) >= 0;
}

/* The name of a row: kernels are by what they do, triton_poi_*. */
static struct tl_cell row_name(struct tl_trace *t, struct tl_name_answers *kinds_of, uint32_t name)
{
	enum { WORDS = 11 }; /* "triton_poi_" */

	if (!is_kernel(kinds_of, name))
		return tl_name_cell(t, name);
	struct tl_buf b = { 0 };
	tl_buf_addf(&b, "%.*s*", WORDS, tl_str(&t->strings, name));
	uint32_t id = tl_intern(&t->strings, b.data, b.len);
	tl_buf_release(&b);
	return tl_cell_text(id);
}

/* "Torch-Compiled Region: 3/2": the code 3 was compiled twice before. */
static struct tl_cell recompilation_of(const struct tl_trace *t, uint32_t name)
{
	const char *s = strrchr(tl_str(&t->strings, name), '/');
	int64_t n;

	return s && tl_parse_whole(s + 1, strspn(s + 1, "0123456789"), &n) ? tl_cell_int(n) : tl_cell_null();
}

static void kind_cells(struct tl_trace *t, struct tl_name_answers *kinds_of, uint32_t name, struct tl_cell *c)
{
	int kind = kind_of(kinds_of, name);

	c[KIND] = tl_cell_str(&t->strings, kinds[kind]);
	c[NAME] = row_name(t, kinds_of, name);
	c[ORDER] = tl_cell_int(kind);
	if (!strcmp(kinds[kind], "region"))
		c[RECOMPILED] = recompilation_of(t, name);
}

/* The rows of what ran on the host. The work of kernels is counted where it ran, below. */
static void add_host(struct tl_host *h, struct tl_table *rows, struct tl_name_answers *kinds_of)
{
	struct tl_trace *t = h->trace;
	struct tl_host_tree *tree = tl_host_tree_new(t, wants, kinds_of);
	struct tl_arg reason = tl_arg_of(t, "recompile_reason");
	struct tl_map until = { 0 }; /* name -> past the outermost node of it */

	for (uint32_t i = 0; i < tree->n; i++) {
		const struct tl_host_node *s = &tree->nodes[i];
		uint32_t name = t->events[s->event].name, *past = tl_map_put(&until, name, NULL);
		bool nested = i < *past;
		struct tl_cell c[N_COLUMNS] = { [CALLS] = tl_cell_int(1), [REASON] = tl_arg_cell(t, &reason, s->event),
		                                [HOST_SELF] = tl_cell_time(tl_ticks_sub(s->ticks, s->within), false),
		                                [HOST] = tl_cell_time(nested ? 0 : s->ticks, false) };
		*past = nested ? *past : s->past;
		kind_cells(t, kinds_of, name, c);
		if (!is_kernel(kinds_of, name)) {
			c[DEVICE] = tl_cell_time(nested ? 0 : tl_host_work_ticks(tree, tree->ticks_before, i, s->past), false);
			c[DEVICE_COUNT] = tl_cell_int(nested ? 0 : tree->work_from[s->past] - tree->work_from[i]);
		}
		tl_table_add_row(rows, c);
	}
	tl_map_release(&until);
	tl_host_tree_free(tree);
}

void tl_host_compile_rows(void *host, struct tl_sheet_input *in)
{
	struct tl_host *h = host;
	struct tl_trace *t = h->trace;
	struct tl_name_answers kinds_of;
	bool device = false;

	in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, row_columns);
	tl_name_answers_init(&kinds_of, TL_COMPILE_NAMES, &t->strings);
	add_host(h, in->own_rows, &kinds_of);
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		struct tl_cell c[N_COLUMNS] = { [CALLS] = tl_cell_int(0), [DEVICE_COUNT] = tl_cell_int(1), [DEVICE] = tl_cell_time(e->dur, false) };
		device = device || tl_gpu_usable(e);
		if (!tl_gpu_usable(e) || !is_kernel(&kinds_of, e->name))
			continue;
		kind_cells(t, &kinds_of, e->name, c);
		tl_table_add_row(in->own_rows, c);
	}
	tl_name_answers_release(&kinds_of);
	in->conditions = device;
}
