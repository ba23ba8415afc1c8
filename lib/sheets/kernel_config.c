/* kernel_config.c - the sheet kernel_config: how kernels fill the device.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/kernel_config.h"

#include "analysis/args.h"
#include "analysis/device_events.h"
#include "analysis/devices.h"
#include "analysis/waves.h"

#include <math.h>

enum { NAME, TIME, BLOCKS, UNITS, WAVES, TAIL, OCCUPANCY, N_COLUMNS };
static const char *const row_columns[] = { "name", "time", "blocks", "units", "waves", "tail_share", "occupancy", NULL };

/* The means of tail_share and occupancy, by time; null if no kernel has them. */
static void means(void *ctx, const size_t *rows, size_t n, struct tl_cell cells[TL_MAX_CALL_CELLS])
{
	for (size_t c = 0; c < 2; c++) {
		double sum = 0, weight = 0;
		for (size_t i = 0; i < n; i++) {
			struct tl_cell cell = tl_table_cell(ctx, rows[i], TAIL + c);
			double ticks = (double)tl_table_cell(ctx, rows[i], TIME).i;
			if (tl_cell_is_null(cell))
				continue;
			sum += cell.d * ticks;
			weight += ticks;
		}
		if (weight > 0)
			cells[c] = tl_cell_real(sum / weight);
	}
}

static const struct tl_column columns[] = {
	{ "name", .kind = TL_KEY },
	{ "Count", .kind = TL_COUNT },
	{ "total", .kind = TL_SUM, .in = "time", .hidden = true },
	{ "ms", .kind = TL_MS, .in = "total" },
	{ "blocks_median", .kind = TL_MEDIAN, .in = "blocks" },
	{ "units", .kind = TL_FIRST },
	{ "waves", .kind = TL_MEDIAN },
	{ "tail_share", .kind = TL_CALL, .fn = means },
	{ "occupancy", .kind = TL_CALL, .fn = means, .cell = 1 },
	{ .name = NULL }
};
const struct tl_sheet_def tl_kernel_config_sheet = {
	.name = "kernel_config", .rows = row_columns, .columns = columns, .order = { { "total", true } },
};

static void add_kernel(const struct tl_waves *w, struct tl_trace *t, const struct tl_arg *occupancy, uint32_t event, struct tl_table *rows)
{
	const struct tl_ev *e = &t->events[event];
	int64_t blocks = tl_blocks_of(w, event), resident = tl_resident_blocks(w, event);
	struct tl_cell share = tl_arg_cell(t, occupancy, event);
	struct tl_cell c[N_COLUMNS] = { [NAME] = tl_name_cell(t, e->name), [TIME] = tl_cell_time(e->dur, false) };

	if (blocks)
		c[BLOCKS] = tl_cell_int(blocks);
	if (w->gpu.units)
		c[UNITS] = tl_cell_int(w->gpu.units);
	if (share.type == TL_CELL_INT || share.type == TL_CELL_REAL)
		c[OCCUPANCY] = tl_cell_real(share.type == TL_CELL_INT ? (double)share.i : share.d);
	if (blocks && resident && w->gpu.units) {
		double waves = (double)blocks / ((double)w->gpu.units * (double)resident);
		c[WAVES] = tl_cell_real(waves);
		c[TAIL] = tl_cell_real(1 - waves / ceil(waves));
	}
	tl_table_add_row(rows, c);
}

struct tl_table *tl_kernel_config_rows(struct tl_trace *t)
{
	struct tl_table *rows = tl_table_new(&t->strings, t->ticks_per_us, row_columns);
	struct tl_arg occupancy = tl_arg_of(t, "est. achieved occupancy %");
	struct tl_trace_facts facts;
	struct tl_waves waves;

	tl_trace_facts_read(&facts, t);
	tl_waves_init(&waves, t, tl_working_gpu_kind(&facts, t));
	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].kind == TL_KIND_KERNEL && tl_gpu_usable(&t->events[i]))
			add_kernel(&waves, t, &occupancy, i, rows);
	tl_trace_facts_release(&facts);
	return rows;
}
