/* replay_item.h - an operator of a group, in all forms in which it can be run again.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_REPLAY_ITEM_H
#define TL_REPLAY_ITEM_H

#include "replay/replay_rows.h"
#include "replay/replay_tables.h"

/* Forms for the programs of enum tl_bench come first. */
enum tl_replay_form { TL_FORM_HIPBLASLT, TL_FORM_MIOPEN, TL_FORM_CUBLAS, TL_FORM_YAML /* of hipblaslt-bench */, TL_FORM_RECORD, TL_FORMS };
struct tl_replay_item {
	struct tl_replay_row row;
	/* text: a line without its end; NULL: there is none, and why says the reason, or is NULL too if the form
	 * is not for such operators */
	struct { char *text, *why; } forms[TL_FORMS];
};
/* Makes the forms of a row; convolution: it is one, else a product of matrices. */
void tl_replay_item_make(struct tl_replay_item *, const struct tl_replay_row *, bool convolution, const struct tl_replay_tables *);
void tl_replay_item_release(struct tl_replay_item *);

#endif
