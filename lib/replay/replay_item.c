/* replay_item.c - an operator of a group, in all forms in which it can be run again.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "replay/replay_item.h"

#include "replay/conv_bench.h"
#include "replay/gemm_bench.h"
#include "replay/replay_ir.h"

#include <stdlib.h>

/* Takes over the text. */
static void set(struct tl_replay_item *item, enum tl_replay_form form, struct tl_buf *text, enum tl_status status, const struct tl_error *err)
{
	if (!status)
		item->forms[form].text = text->data;
	else
		item->forms[form].why = tl_strdup(err->text);
	if (status)
		tl_buf_release(text);
}

static void make_gemm(struct tl_replay_item *item, const struct tl_recorded_op *op, const struct tl_replay_tables *t)
{
	static const struct { enum tl_replay_form form; enum tl_status (*write)(struct tl_buf *, const struct tl_gemm_bench *, struct tl_error *); } forms[] = {
		{ TL_FORM_HIPBLASLT, tl_hipblaslt_line }, { TL_FORM_YAML, tl_hipblaslt_yaml }, { TL_FORM_CUBLAS, tl_cublas_line },
	};
	struct tl_gemm_bench bench;
	struct tl_error err;
	enum tl_status known = tl_gemm_bench_of(&bench, op, t, &err);

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct tl_buf text = { 0 };
		enum tl_status status = known ? known : forms[i].write(&text, &bench, &err);
		set(item, forms[i].form, &text, status, &err);
	}
}

static void fail_all(struct tl_replay_item *item, bool convolution, const struct tl_error *err)
{
	for (int i = 0; i < TL_FORMS; i++)
		if (i == TL_FORM_RECORD || (i == TL_FORM_MIOPEN) == convolution)
			item->forms[i].why = tl_strdup(err->text);
}

void tl_replay_item_make(struct tl_replay_item *item, const struct tl_replay_row *r, bool convolution, const struct tl_replay_tables *t)
{
	struct tl_arena arena = { 0 };
	struct tl_recorded_op op;
	struct tl_buf record = { 0 }, line = { 0 };
	struct tl_error err;

	*item = (struct tl_replay_item){ .row = *r };
	if (tl_recorded_op_read(&op, &arena, r->name, r->dims, r->types, r->strides, r->values, &err)) {
		fail_all(item, convolution, &err);
	} else {
		enum tl_status status = tl_replay_ir_write(&record, &op, t, r->count > 0 ? (size_t)r->count : 0, &err);
		set(item, TL_FORM_RECORD, &record, status, &err);
		if (convolution) {
			status = tl_miopen_line(&line, &op, t, &err);
			set(item, TL_FORM_MIOPEN, &line, status, &err);
		} else {
			make_gemm(item, &op, t);
		}
	}
	tl_arena_release(&arena);
}

void tl_replay_item_release(struct tl_replay_item *item)
{
	for (int i = 0; i < TL_FORMS; i++) {
		free(item->forms[i].text);
		free(item->forms[i].why);
	}
}
