/* rocprofv3.h - a record of rocprofv3's, from its JSON or its tables, as an event.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ROCPROFV3_H
#define TL_ROCPROFV3_H

#include "base/decimal.h"
#include "readers/event_maker.h"

/* The numbers of a record: times in ns, sizes in bytes, the grid in work-items. */
enum tl_amd_slot {
	TL_AMD_KIND, TL_AMD_OPERATION, TL_AMD_THREAD, TL_AMD_CORRELATION,
	TL_AMD_START, TL_AMD_END, TL_AMD_AGENT, TL_AMD_QUEUE, TL_AMD_STREAM,
	TL_AMD_DISPATCH, TL_AMD_KERNEL, TL_AMD_LDS, TL_AMD_PRIVATE,
	TL_AMD_BLOCK, TL_AMD_BLOCK_Y, TL_AMD_BLOCK_Z,
	TL_AMD_ITEMS, TL_AMD_ITEMS_Y, TL_AMD_ITEMS_Z,
	TL_AMD_FROM, TL_AMD_TO, TL_AMD_BYTES, TL_AMD_ALLOCATED,
	TL_AMD_SLOTS
};
struct tl_amd_record {
	uint32_t list;   /* the list that it stands in: an id of the reader's */
	uint32_t given;  /* bits 1 << slot: the file gives the number */
	uint8_t kind;    /* of the event */
	int64_t offset;  /* of the record in the file; -1: it has none */
	int64_t slots[TL_AMD_SLOTS];
};
static inline bool tl_amd_given(const struct tl_amd_record *r, enum tl_amd_slot slot)
{
	return r->given >> slot & 1;
}
static inline bool tl_amd_is_time(int64_t ns)
{
	return ns >= 0 && ns <= TL_JSON_FIXED_MAX;
}
/* Gives the event at hand, of the record's kind, the fields, the time and the track of the record. gpus: handle of an agent ->
 * number of the GPU + 1; 0: no GPU. */
void tl_amd_fill(struct tl_maker *, const struct tl_amd_record *, struct tl_process *, const struct tl_map *gpus);
/* Number of the GPU that an agent is; the agent's handle if the file does not say; -1: no GPU. */
int64_t tl_amd_gpu(const struct tl_map *gpus, int64_t handle);

#endif
