/* step_batches.c - the batch sizes of steps, as their operators tell them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "phase/step_batches.h"

#include <string.h>

/* A name that contains one of these is such an operator. */
static const char *const operators[] = {
	"vllm::unified_attention_with_output",
	"sgl_kernel::sgl_per_token_group_quant_8bit",
};

static bool tells_batch(const char *name)
{
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
		if (strstr(name, operators[i]))
			return true;
	return false;
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

	if (!b->ready)
		tl_arg_init(&b->dims, b->trace, TL_KEY_INPUT_DIMS);
	b->ready = true;
	for (size_t i = 0; i < n; i++) {
		const char *name = tl_str(&b->trace->strings, b->trace->events[events[i]].name);
		int64_t batch = tells_batch(name) ? batch_of(b, events[i]) : 0;
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
	if (b->ready)
		tl_arg_release(&b->dims);
	tl_map_release(&b->sizes);
	tl_arena_release(&b->arena);
	*b = (struct tl_step_batches){ 0 };
}
