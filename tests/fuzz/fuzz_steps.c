/* fuzz_steps.c - annotations of steps, a line each, and what is made of the steps: stretches,
 * windows, blocks, names of files; and names that repeat, a byte each.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "steps/split.h"

#define MAX_STEPS 200

static size_t read_steps(char *text, struct tl_step *steps, struct tl_buf *label)
{
	size_t n = 0;

	for (char *line = strtok(text, "\n"); line && n < MAX_STEPS; line = strtok(NULL, "\n"), n++) {
		const char *mode;
		int64_t batch;
		steps[n] = (struct tl_step){ .event = (uint32_t)n };
		tl_step_text_read(line, &steps[n].text);
		if (steps[n].text.batch_size < 0 || steps[n].text.context.requests < 0 || steps[n].text.generation.sq < 0)
			abort();
		tl_capture_text_read(line, &batch, &mode);
		tl_buf_clear(label);
		tl_split_add_label(label, line);
		if (label->len && strpbrk(label->data, "/:()"))
			abort();
	}
	return n;
}

static void use_steps(const struct tl_step *steps, size_t n, int64_t num_steps)
{
	struct tl_windows stretches;
	struct tl_step_blocks blocks;
	struct tl_match match;

	tl_steady_stretches(&stretches, steps, n, num_steps);
	for (unsigned kind = TL_WINDOW_MIXED; kind <= TL_WINDOW_PREFILL_DECODE; kind++) {
		struct tl_window w;
		double ratio = tl_prefill_ratio(steps, &stretches);
		if (tl_steady_window(steps, &stretches, (enum tl_window_kind)kind, num_steps, ratio, &w) &&
		    (w.from >= w.to || w.to > n || w.to - w.from > (size_t)num_steps))
			abort();
	}
	tl_step_blocks_find(&blocks, steps, n, num_steps - 2);
	const struct tl_match_side sides[2] = { { steps, &blocks }, { steps, &blocks } };
	for (unsigned phase = TL_PHASE_PREFILL; phase < TL_PHASES; phase++)
		if (tl_step_match(sides, (enum tl_phase)phase, &match) && match.distance[0] != 0)
			abort(); /* a block is like itself */
	tl_step_blocks_release(&blocks);
	tl_windows_release(&stretches);
}

static void find_period(const uint8_t *data, size_t size)
{
	uint32_t *names = malloc((size + 1) * sizeof *names);
	size_t work = 1 << 22;

	for (size_t i = 0; i < size; i++)
		names[i] = data[i];
	struct tl_name_period p = tl_name_period(names, size, &work);
	if (p.period && (p.count < 3 || p.start + p.period * p.count > size))
		abort();
	free(names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct tl_step steps[MAX_STEPS];
	struct tl_buf label = { 0 };
	char *text = tl_strndup((const char *)data, size);
	size_t n = read_steps(text, steps, &label);

	if (n)
		use_steps(steps, n, 1 + (int64_t)(size % 40));
	if (size < 4096)
		find_period(data, size);
	tl_buf_release(&label);
	free(text);
	return 0;
}
