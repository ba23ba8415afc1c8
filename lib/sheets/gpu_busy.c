/* gpu_busy.c - the sheet gpu_busy: how long each GPU of each process was busy.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/gpu_busy.h"

#include "analysis/device_events.h"
#include "analysis/devices.h"

enum { PROCESS, DEVICE, KERNELS, COPIES, KERNEL_MS, COPY_MS, BUSY_MS, IDLE_MS, TOTAL_MS, BUSY_SHARE, N_COLUMNS };

static void add_row(const struct tl_trace *t, const struct tl_device *d, const uint32_t *events, size_t n, struct tl_table *table)
{
	struct tl_spans kernels = { 0 }, copies = { 0 }, all = { 0 };
	struct tl_cell c[N_COLUMNS] = { 0 };
	int64_t n_kernels = 0;

	for (size_t i = 0; i < n; i++) {
		const struct tl_ev *e = &t->events[events[i]];
		tl_spans_add(e->kind == TL_KIND_KERNEL ? &kernels : &copies, e->ts, tl_ev_end(e));
		tl_spans_add(&all, e->ts, tl_ev_end(e));
		n_kernels += e->kind == TL_KIND_KERNEL;
	}
	tl_spans_merge(&kernels);
	tl_spans_merge(&copies);
	tl_spans_merge(&all);
	int64_t busy = tl_spans_length(&all);
	int64_t total = all.n ? tl_ticks_sub(all.items[all.n - 1].end, all.items[0].start) : 0;
	c[PROCESS] = d->process;
	c[DEVICE] = d->device;
	c[KERNELS] = tl_cell_int(n_kernels);
	c[COPIES] = tl_cell_int((int64_t)n - n_kernels);
	c[KERNEL_MS] = tl_cell_ms(tl_spans_length(&kernels));
	c[COPY_MS] = tl_cell_ms(tl_spans_length(&copies));
	c[BUSY_MS] = tl_cell_ms(busy);
	c[IDLE_MS] = tl_cell_ms(tl_ticks_sub(total, busy));
	c[TOTAL_MS] = tl_cell_ms(total);
	if (total)
		c[BUSY_SHARE] = tl_cell_real(tl_trace_us(t, busy) / tl_trace_us(t, total) * 100);
	tl_table_add_row(table, c);
	tl_spans_release(&kernels);
	tl_spans_release(&copies);
	tl_spans_release(&all);
}

struct tl_table *tl_gpu_busy(struct tl_trace *t)
{
	static const char *const columns[] = {
		"process", "device", "kernel_count", "memcpy_count", "kernel_time_ms", "memcpy_time_ms", "busy_time_ms", "idle_time_ms",
		"total_time_ms", "Busy (%)", NULL,
	};
	struct tl_table *table = tl_table_new(&t->strings, t->ticks_per_us, columns);
	struct tl_devices devices;

	tl_devices_find(&devices, t);
	struct tl_events_by_device by = tl_devices_group(&devices, t);
	for (size_t i = 0; i < devices.n; i++)
		if (by.start[i + 1] > by.start[i])
			add_row(t, &devices.items[i], by.items + by.start[i], by.start[i + 1] - by.start[i], table);
	tl_events_by_device_release(&by);
	tl_devices_release(&devices);
	return table;
}
