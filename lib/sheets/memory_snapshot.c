/* memory_snapshot.c - what only a snapshot of PyTorch's allocator tells.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/memory_snapshot.h"

#include "analysis/args.h"
#include "sheets/memory_sheets.h"

/* ---- memory_errors ---------------------------------------------------------------------------- */

static const char *const error_columns[] = {
	"device", "time_us", "requested_bytes", "device_free_bytes", "allocated_bytes", "reserved_bytes", "operator", "stack", NULL
};

void tl_memory_errors(void *ctx, struct tl_sheet_input *in)
{
	enum { DEVICE, TIME, BYTES, STACK = BYTES + 5, N };
	static const char *const keys[] = { "Bytes", "Device Free", "Total Allocated", "Total Reserved", TL_KEY_FRAME, TL_KEY_STACK };
	const struct tl_memory_view *v = ctx;
	struct tl_trace *t = v->trace;
	uint32_t name = tl_strtab_find(&t->strings, TL_MEMORY_OOM, sizeof TL_MEMORY_OOM - 1);
	struct tl_arg device = tl_arg_of(t, "Device Id"), args[sizeof keys / sizeof *keys];

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		args[i] = tl_arg_of(t, keys[i]);
	in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, error_columns);
	for (uint32_t i = 0; name && i < t->n_events; i++) {
		struct tl_cell c[N];
		if (t->events[i].name != name || t->events[i].kind != TL_KIND_INSTANT)
			continue;
		c[DEVICE] = tl_arg_cell(t, &device, i);
		c[TIME] = tl_start_cell(t, t->events[i].ts);
		for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
			c[BYTES + k] = tl_arg_cell(t, &args[k], i);
		tl_table_add_row(in->own_rows, c);
	}
}

/* ---- memory_segments --------------------------------------------------------------------------- */

void tl_memory_segments(void *ctx, struct tl_sheet_input *in)
{
	static const char *const columns[] = { "device", "address", "stream", "segment_type", "total_bytes", "active_bytes", "allocated_bytes",
		"block_count", "free_block_count", "free_bytes", "largest_free_bytes", "fragmentation_pct", NULL };
	static const char *const keys[] = { "Device Id", "Addr", TL_KEY_STREAM, "Segment Type", "Bytes", "Total Active", "Total Allocated",
		"Blocks", "Free Blocks", "Free", "Largest Free" };
	enum { TOTAL = 4, ACTIVE, SHARE = sizeof keys / sizeof *keys, N };
	struct tl_trace *t = ((const struct tl_memory_view *)ctx)->trace;
	uint32_t name = tl_strtab_find(&t->strings, TL_MEMORY_SEGMENT, sizeof TL_MEMORY_SEGMENT - 1);
	struct tl_arg args[SHARE];

	for (size_t k = 0; k < SHARE; k++)
		args[k] = tl_arg_of(t, keys[k]);
	in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, columns);
	for (uint32_t i = 0; name && i < t->n_events; i++) {
		struct tl_cell c[N] = { 0 };
		int64_t total, active;
		if (t->events[i].name != name || t->events[i].kind != TL_KIND_INSTANT)
			continue;
		for (size_t k = 0; k < SHARE; k++)
			c[k] = tl_arg_cell(t, &args[k], i);
		if (tl_arg_get(&args[TOTAL], t, i, &total) == TL_FIELD_INT && tl_arg_get(&args[ACTIVE], t, i, &active) == TL_FIELD_INT && total > 0)
			c[SHARE] = tl_cell_real(100 * (1 - (double)active / (double)total));
		tl_table_add_row(in->own_rows, c);
	}
}
