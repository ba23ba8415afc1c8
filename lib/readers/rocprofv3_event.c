/* rocprofv3_event.c - a record of rocprofv3's as an event.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/rocprofv3.h"

static void add_number(struct tl_maker *m, const struct tl_amd_record *r, const char *key, enum tl_amd_slot slot)
{
	if (tl_amd_given(r, slot))
		tl_make_int(m, key, r->slots[slot]);
}

int64_t tl_amd_gpu(const struct tl_map *gpus, int64_t handle)
{
	const uint32_t *number = tl_map_get(gpus, (uint64_t)handle);

	return number ? (int64_t)*number - 1 : handle;
}

static void add_device(struct tl_maker *m, const struct tl_amd_record *r, const struct tl_map *gpus)
{
	static const enum tl_amd_slot agents[] = { TL_AMD_AGENT, TL_AMD_TO, TL_AMD_FROM };

	for (size_t i = 0; i < sizeof agents / sizeof *agents; i++)
		if (tl_amd_given(r, agents[i]) && tl_amd_gpu(gpus, r->slots[agents[i]]) >= 0) {
			tl_make_int(m, TL_KEY_DEVICE, tl_amd_gpu(gpus, r->slots[agents[i]]));
			return;
		}
}

/* A size; a number that is not given is 1. False: none of the three is given. */
static bool size_of(const struct tl_amd_record *r, enum tl_amd_slot first, int64_t size[3])
{
	bool any = false;

	for (int i = 0; i < 3; i++) {
		any |= tl_amd_given(r, first + i);
		size[i] = tl_amd_given(r, first + i) ? r->slots[first + i] : 1;
	}
	return any;
}

/* Correlation ids count from 1 in each process, and 0 is none. */
static void add_fields(struct tl_maker *m, const struct tl_amd_record *r, uint64_t scope, const struct tl_map *gpus)
{
	tl_make_correlation(m, scope, r->slots[TL_AMD_CORRELATION]);
	add_number(m, r, TL_KEY_STREAM, TL_AMD_STREAM);
	if (tl_kind_is_gpu(m->layout.kind)) {
		add_device(m, r, gpus);
		add_number(m, r, TL_KEY_THREAD, TL_AMD_THREAD);
	}
	add_number(m, r, TL_KEY_AGENT, TL_AMD_AGENT);
	add_number(m, r, TL_KEY_QUEUE, TL_AMD_QUEUE);
	add_number(m, r, TL_KEY_DISPATCH, TL_AMD_DISPATCH);
	add_number(m, r, "kernel_id", TL_AMD_KERNEL);
	/* rocprofv3 gives the grid in work-items */
	int64_t items[3], block[3];
	bool has_items = size_of(r, TL_AMD_ITEMS, items), has_block = size_of(r, TL_AMD_BLOCK, block);
	tl_make_work_items(m, has_items ? items : NULL, has_block ? block : NULL);
	add_number(m, r, "group_segment_size", TL_AMD_LDS);
	add_number(m, r, "private_segment_size", TL_AMD_PRIVATE);
	add_number(m, r, "src_agent_id", TL_AMD_FROM);
	add_number(m, r, "dst_agent_id", TL_AMD_TO);
	add_number(m, r, TL_KEY_BYTES, TL_AMD_BYTES);
	add_number(m, r, "allocation_size", TL_AMD_ALLOCATED);
}

/* Start and duration. A record whose times make no span keeps what it has. */
static void set_time(struct tl_maker *m, const struct tl_amd_record *r)
{
	int64_t start = r->slots[TL_AMD_START], end = r->slots[TL_AMD_END];
	bool has_start = tl_amd_given(r, TL_AMD_START) && tl_amd_is_time(start), has_end = tl_amd_given(r, TL_AMD_END) && tl_amd_is_time(end);

	if (has_start && has_end && start <= end) {
		tl_make_span(m, start, end - start);
		return;
	}
	if (has_start)
		tl_make_start(m, start);
	if (has_end)
		tl_make_int(m, TL_KEY_END, end);
	tl_read_note(m->report, has_start && has_end ? "without a duration: end_timestamp is before start_timestamp"
	             : "without a duration: start_timestamp or end_timestamp is missing, or is no time", m->event.uid, r->offset);
}

/* Of a host event its thread; of a device event its stream or, if it has none, its queue. */
void tl_amd_fill(struct tl_maker *m, const struct tl_amd_record *r, struct tl_process *p, const struct tl_map *gpus)
{
	enum tl_amd_slot slot = !tl_kind_is_gpu(m->layout.kind) ? TL_AMD_THREAD
	                        : tl_amd_given(r, TL_AMD_STREAM) ? TL_AMD_STREAM : TL_AMD_QUEUE;

	add_fields(m, r, p->number, gpus);
	set_time(m, r);
	tl_make_process(m, p);
	if (tl_amd_given(r, slot))
		tl_make_thread(m, r->slots[slot]);
}
