/* step_batches.c - the batch sizes of steps, as their operators tell them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "steps/step_batches.h"

/* The first dimension of the first argument; 0 if it has none. */
static int64_t batch_of(struct tl_step_batches *b, uint32_t event)
{
	struct tl_value dims;
	int64_t batch = 0;

	if (tl_arg_list(&b->dims, b->trace, event, &b->arena, &dims) && dims.len && dims.items[0].type == TL_V_LIST &&
	    dims.items[0].len) {
		const struct tl_value *first = &dims.items[0].items[0];
		if (first->type == TL_V_INT && first->i > 0 && first->i <= INT32_MAX)
			batch = (int64_t)first->i;
	}
	tl_arena_clear(&b->arena);
	return batch;
}

int64_t tl_step_batches_add(struct tl_step_batches *b, const uint32_t *events, size_t n)
{
	int64_t only = 0;
	bool several = false;

	if (!b->names.rules) {
		tl_name_answers_init(&b->names, TL_STEP_BATCHES, &b->trace->strings);
		tl_arg_init(&b->dims, b->trace, TL_KEY_INPUT_DIMS);
	}
	for (size_t i = 0; i < n; i++) {
		int64_t batch = *tl_name_answer(&b->names, b->trace->events[events[i]].name) ? batch_of(b, events[i]) : 0;
		if (!batch)
			continue;
		tl_map_put(&b->sizes, (uint64_t)batch, NULL);
		several = several || (only && only != batch);
		only = batch;
	}
	return several ? 0 : only;
}

void tl_step_batches_clear(struct tl_step_batches *b)
{
	tl_map_release(&b->sizes);
	b->sizes = (struct tl_map){ 0 };
}

void tl_step_batches_release(struct tl_step_batches *b)
{
	tl_name_answers_release(&b->names);
	tl_arg_release(&b->dims);
	tl_map_release(&b->sizes);
	tl_arena_release(&b->arena);
	*b = (struct tl_step_batches){ 0 };
}
