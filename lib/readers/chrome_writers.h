/* chrome_writers.h - who wrote a trace in Chrome's JSON form (chrome-writers.tsv).
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CHROME_WRITERS_H
#define TL_CHROME_WRITERS_H

#include "base/error.h"
#include "base/memory.h"

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

#endif
