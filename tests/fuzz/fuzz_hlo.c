/* fuzz_hlo.c - dumps of programs of XLA from hostile bytes, and logs of nodes: all numbers are in their bounds, and groups
 * have the devices that they say.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "work/hlo_collectives.h"
#include "job/node_log.h"

static void look_at(struct tl_hlo_collectives *c, const struct tl_hlo_collective *item, bool reference)
{
	const struct tl_hlo_groups *g = tl_hlo_groups_of(c, item->replicas);

	if (item->bytes < 0 || item->group_size < 0 || item->split < -1 || !item->name || (item->group_size > 0) != (g != NULL))
		abort();
	for (size_t i = 0; g && i < g->n; i++)
		for (size_t m = tl_hlo_group_start(g, i); m < g->ends[i]; m++)
			if (g->members[m] < 0 || g->members[m] >= tl_hlo_last_device(c))
				abort();
	if (!tl_hlo_groups_text(c, item->replicas) != !g)
		abort();
	if (!reference && !tl_hlo_collective_find(c, item->node, item->module, item->name))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_node_log log = tl_node_log_read((const char *)data, size);

	free(log.host);
	for (int reference = 0; reference < 2; reference++) {
		struct tl_strtab strings = { 0 };
		struct tl_hlo_collectives *c = tl_hlo_collectives_new(&strings, 4, reference);
		size_t n, added = tl_hlo_collectives_add(c, 1, size % 2 ? "jit_f" : NULL, (const char *)data, size);
		const struct tl_hlo_collective *all = tl_hlo_collectives_all(c, &n);
		if (n != added)
			abort();
		for (size_t i = 0; i < n; i++)
			look_at(c, &all[i], reference);
		tl_hlo_collectives_free(c);
		tl_strtab_release(&strings);
	}
	return 0;
}
