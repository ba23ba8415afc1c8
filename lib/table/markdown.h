/* markdown.h - a table as a pipe table of Markdown, as Python's tabulate prints it: texts at
 * the left, integers at the right, reals to six digits with their points one below the other.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MARKDOWN_H
#define TL_MARKDOWN_H

#include "table/table.h"

/* Appends the header and the first n rows, without a line end behind the last. */
void tl_markdown_add(struct tl_buf *, const struct tl_table *, size_t n);

#endif
