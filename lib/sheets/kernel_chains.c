/* kernel_chains.c - the sheet kernel_chains: operators one after another that one kernel could do.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/kernel_chains.h"

#include "roofline/chains.h"

enum { KIND, MODULE, NAMES, KERNELS, TIME, MOVED, LEAST, FLOOR, SAVED, DIMS, N_COLUMNS };
static const char *const row_columns[] = {
	"kind", "module", "names", "kernels", "time", "bytes_moved", "bytes_min", "floor", "saved", "Input Dims", NULL
};
/* The sums of floor and saved; null if one of them is not known. */
static void sums(void *ctx, const size_t *rows, size_t n, struct tl_cell cells[TL_MAX_CALL_CELLS])
{
	static const size_t from[] = { FLOOR, SAVED };

	for (int c = 0; c < 2; c++) {
		int64_t sum = 0;
		for (size_t i = 0; i < n; i++) {
			struct tl_cell cell = tl_table_cell(ctx, rows[i], from[c]);
			if (tl_cell_is_null(cell))
				return;
			sum = tl_ticks_add(sum, cell.i);
		}
		cells[c] = tl_cell_ms(sum);
	}
}

static const struct tl_column columns[] = {
	{ "kind", .kind = TL_KEY },
	{ "module", .kind = TL_KEY },
	{ "names", .kind = TL_KEY },
	{ "instances", .kind = TL_COUNT },
	{ "kernels", .kind = TL_SUM },
	{ "time", .kind = TL_SUM, .hidden = true },
	{ "ms", .kind = TL_MS, .in = "time" },
	{ "bytes_moved", .kind = TL_SUM },
	{ "bytes_min", .kind = TL_SUM },
	{ "floor_ms", .kind = TL_CALL, .fn = sums },
	{ "saved_ms", .kind = TL_CALL, .fn = sums, .cell = 1 },
	{ "Input Dims", .kind = TL_KEY },
	{ .name = NULL }
};
const struct tl_sheet_def tl_kernel_chains_sheet = {
	.name = "kernel_chains", .rows = row_columns, .columns = columns, .order = { { "saved_ms", true }, { "time", true } },
};

static void add_chain(struct tl_table *rows, struct tl_trace *t, const struct tl_arg *dims, const struct tl_chain *c)
{
	double ticks = c->floor_us * (double)t->ticks_per_us;
	int64_t floor = ticks < 9e18 ? (int64_t)(ticks + 0.5) : INT64_MAX;
	struct tl_cell row[N_COLUMNS] = {
		[KIND] = tl_cell_text(c->kind), [MODULE] = tl_cell_text(c->module), [NAMES] = tl_cell_text(c->names),
		[KERNELS] = tl_cell_int(c->n), [TIME] = tl_cell_time(c->ticks, false), [MOVED] = tl_cell_int((int64_t)c->moved),
		[LEAST] = tl_cell_int((int64_t)c->least), [DIMS] = tl_arg_cell(t, dims, c->first),
	};

	if (c->floor_us >= 0) {
		row[FLOOR] = tl_cell_time(floor, false);
		row[SAVED] = tl_cell_time(c->ticks > floor ? tl_ticks_sub(c->ticks, floor) : 0, false);
	}
	tl_table_add_row(rows, row);
}

struct tl_table *tl_kernel_chains(struct tl_measure *m, int64_t top)
{
	struct tl_trace *t = m->trace;
	struct tl_table *rows = tl_table_new(&t->strings, t->ticks_per_us, row_columns);
	struct tl_arg dims = tl_arg_of(t, "Input Dims");
	struct tl_chains chains;

	tl_chains_find(&chains, m);
	for (size_t i = 0; i < chains.n; i++)
		add_chain(rows, t, &dims, &chains.items[i]);
	tl_chains_release(&chains);
	return tl_sheet_make(&tl_kernel_chains_sheet, &(struct tl_sheet_input){ .own_rows = rows, .ctx = rows, .top = &top });
}
