/* step_batches.c - the batch sizes of steps, as their operators tell them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "steps/step_batches.h"

static bool tells_batch(struct tl_step_batches *b, uint32_t name)
{
	const struct tl_strtab *strings = &b->trace->strings;
	uint32_t *known = tl_map_put(&b->of_name, name, NULL);

	if (!*known)
		*known = *tl_name_rules_find(b->rules, tl_str(strings, name), tl_str_len(strings, name)) ? 2 : 1;
	return *known == 2;
}

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

	if (!b->rules) {
		b->rules = tl_name_rules_new(TL_STEP_BATCHES);
		tl_arg_init(&b->dims, b->trace, TL_KEY_INPUT_DIMS);
	}
	for (size_t i = 0; i < n; i++) {
		int64_t batch = tells_batch(b, b->trace->events[events[i]].name) ? batch_of(b, events[i]) : 0;
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
	tl_name_rules_free(b->rules);
	tl_arg_release(&b->dims);
	tl_map_release(&b->of_name);
	tl_map_release(&b->sizes);
	tl_arena_release(&b->arena);
	*b = (struct tl_step_batches){ 0 };
}
