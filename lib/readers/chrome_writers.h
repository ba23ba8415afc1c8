/* chrome_writers.h - who wrote a trace in Chrome's JSON form (chrome-writers.tsv), and what mergers of such traces write.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CHROME_WRITERS_H
#define TL_CHROME_WRITERS_H

#include "base/error.h"
#include "base/memory.h"
#include "model/tables.h"

#include <stdbool.h>

enum tl_writer_sign { TL_SIGN_PROCESS, TL_SIGN_THREAD, TL_SIGN_PID, TL_SIGN_CATEGORY, TL_SIGN_ARGUMENT, TL_SIGN_METADATA };

/* A row of the table; its texts are copies. */
struct tl_chrome_writer {
	struct { enum tl_writer_sign kind; const char *text; bool seen; } signs[3];
	size_t n_signs, n_seen;
	const char *writer, *what, *hint, *remark; /* hint: NULL if it is read; remark: what is told then, or NULL */
};
/* Zero bytes are a start. */
struct tl_chrome_writers {
	struct tl_chrome_writer *rows;
	size_t n_rows, cap_rows;
	struct tl_arena arena;
	const struct tl_chrome_writer *found; /* NULL: none yet */
};
/* Tells what was seen; afterwards `found` may be set. */
void tl_chrome_writers_see(struct tl_chrome_writers *, enum tl_writer_sign, const char *text, size_t len);
void tl_chrome_writers_release(struct tl_chrome_writers *);
/* The first mistake in a text in the form of the table. */
enum tl_status tl_chrome_writers_check(const char *file, const char *text, size_t len, struct tl_error *);

/* A merger (SGLang's merge_profiles) writes a label in front of each pid, "[TP01-DP00-PP00-EP00] 17", that of a device, too. The
 * number of the label of a pid in JSON, from 1; 0: there is none. */
uint32_t tl_merger_label(struct tl_strtab *labels, const char *pid);
/* Ids mean nothing beyond the traces of their label: makes those among an event's fields distinct. room: to work in. */
void tl_merger_move_ids(struct tl_tables *, const struct tl_layout *, int64_t *values, uint32_t label, struct tl_buf *room);

#endif
