/* hlo_program_text.c - collectives of the programs in a trace, as lines of HLO's text.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "hlo/hlo_program_text.h"

#include "base/text.h"
#include "hlo/hlo_collectives.h"
#include "json/value.h"
#include "model/fields.h"

#include <inttypes.h>
#include <string.h>

/* The name of the computation with this id; "" if there is none. */
static const char *computation_named(const struct tl_value *computations, int64_t id)
{
	for (size_t i = 0; i < computations->len; i++)
		if (tl_value_int_member(&computations->items[i], "id") == id)
			return tl_value_text_member(&computations->items[i], "name");
	return "";
}

static void add_line(struct tl_buf *b, const struct tl_value *operation, const struct tl_value *computations)
{
	const char *opcode = tl_value_text_member(operation, "opcode"), *name = tl_value_text_member(operation, "name");
	const char *groups = tl_value_text_member(operation, "replica_groups"), *pairs = tl_value_text_member(operation, "source_target_pairs");
	const char *scheduled = tl_value_text_member(tl_value_member(operation, "metadata"), "scheduling_name");
	const struct tl_value *dimensions = tl_value_list_member(operation, "dimensions"), *calls = tl_value_list_member(operation, "calls");
	bool own = tl_hlo_kind_of(opcode) != TL_HLO_OTHER && !strstr(opcode, "-done");

	if (!own && (!calls->len || strcmp(opcode, "async-start") != 0))
		return;
	tl_buf_addf(b, "%%%s = %s %s()", name, tl_value_text_member(operation, "shape"), opcode);
	if (*pairs)
		tl_buf_addf(b, ", source_target_pairs=%s", pairs);
	else if (own)
		tl_buf_addf(b, ", replica_groups=%s", *groups ? groups : "{}");
	for (size_t i = 0; i < dimensions->len; i++)
		tl_buf_addf(b, "%s%" PRId64 "%s", i ? "," : ", dimensions={", (int64_t)dimensions->items[i].i, i + 1 < dimensions->len ? "" : "}");
	if (!own)
		tl_buf_addf(b, ", calls=%%%s", computation_named(computations, (int64_t)calls->items[0].i));
	tl_buf_addf(b, ", metadata={scheduling_name=\"%s\"}\n", *scheduled ? scheduled : name);
}

static void add_program(struct tl_buf *b, const struct tl_value *program)
{
	const struct tl_value *computations = tl_value_list_member(program, "computations");

	tl_buf_addf(b, "HloModule %s,\n", tl_value_text_member(program, "name"));
	for (size_t c = 0; c < computations->len; c++) {
		const struct tl_value *operations = tl_value_list_member(&computations->items[c], "instructions");
		tl_buf_addf(b, "%%%s () {\n", tl_value_text_member(&computations->items[c], "name"));
		for (size_t i = 0; i < operations->len; i++)
			add_line(b, &operations->items[i], computations);
	}
}

size_t tl_hlo_program_text(const struct tl_trace *t, struct tl_buf *out, size_t *damaged)
{
	struct tl_arena values = { 0 };
	struct tl_value v;
	size_t n = 0;

	*damaged = 0;
	for (size_t i = 0; i < t->n_meta; i++) {
		if (!tl_starts_with(tl_str(&t->strings, t->meta[i].key), TL_META_PROGRAM))
			continue;
		n++;
		if (tl_value_parse(&values, tl_str(&t->strings, t->meta[i].json), tl_str_len(&t->strings, t->meta[i].json), &v, NULL))
			++*damaged;
		else
			add_program(out, &v);
		tl_arena_clear(&values);
	}
	tl_arena_release(&values);
	return n;
}
