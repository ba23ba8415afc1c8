/* book_facts.h - what a workbook says about itself in its properties, taken from the sheet
 * overview.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_BOOK_FACTS_H
#define TL_BOOK_FACTS_H

#include "base/memory.h"
#include "table/tsv.h"

#include <stdbool.h>
#include <time.h>
#include <xlsxwriter.h>

/* Texts of the overview; zero bytes are a start. */
struct tl_book_facts {
	struct tl_buf file, gpu, rank, world, version, options;
	bool remarks; /* something was left out or warned of */
	struct tl_buf on_timeline; /* what of it is about gpu_timeline: the first two, a line each, cut */
	size_t n_on_timeline;
};

/* Takes what it knows from a row of the overview; others are ignored. facts: a struct
 * tl_book_facts. */
void tl_book_facts_read(void *facts, const struct tl_field_text *, size_t n);
/* Sets the properties of the workbook, whose creation date is also one. */
void tl_book_facts_set(const struct tl_book_facts *, lxw_workbook *, time_t created);
void tl_book_facts_release(struct tl_book_facts *);

#endif
