/* part_end.c - the last line of a part.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "ranks/part_end.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define END "end"
enum { RANK = 1, ROWS, SIMPLE, GPUS, SIZE, CHANGED, WORLD, TRACE, PROGRAM, OPTIONS, N_FIELDS };

void tl_part_end_add(struct tl_buf *b, const struct tl_part_end *e, size_t n_columns)
{
	const char *texts[] = { e->trace, e->program, e->options };

	tl_buf_addf(b, END "\t%" PRId64 "\t%" PRId64 "\t%d\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64, e->rank,
	            e->rows, (int)e->simple, e->gpus, e->size, e->changed, e->world);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		tl_buf_addc(b, '\t');
		tl_tsv_add_text(b, texts[i], strlen(texts[i]));
	}
	for (size_t i = N_FIELDS; i < n_columns; i++)
		tl_buf_addc(b, '\t');
	tl_buf_addc(b, '\n');
}

bool tl_part_end_is(const struct tl_field_text *f, size_t n)
{
	return n >= N_FIELDS && tl_text_is(f[0].s, f[0].len, END);
}

enum tl_status tl_part_end_read(struct tl_part_end *e, struct tl_strtab *strings, const struct tl_field_text *f, struct tl_error *err)
{
	uint32_t texts[N_FIELDS];
	int64_t simple;

	if (!tl_field_int(&f[RANK], &e->rank) || !tl_field_int(&f[ROWS], &e->rows) || !tl_field_int(&f[SIMPLE], &simple) ||
	    !tl_field_int(&f[GPUS], &e->gpus) || !tl_field_int(&f[SIZE], &e->size) || !tl_field_int(&f[CHANGED], &e->changed) ||
	    !tl_field_int(&f[WORLD], &e->world))
		return tl_fail(err, TL_ERR_DATA, "the last line of the part: expected numbers");
	e->simple = simple != 0;
	for (size_t i = TRACE; i < N_FIELDS; i++)
		texts[i] = tl_intern(strings, f[i].s, f[i].len);
	e->trace = tl_str(strings, texts[TRACE]);
	e->program = tl_str(strings, texts[PROGRAM]);
	e->options = tl_str(strings, texts[OPTIONS]);
	return TL_OK;
}
