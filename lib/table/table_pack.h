/* table_pack.h - tables as bytes, for another process of the same program.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TABLE_PACK_H
#define TL_TABLE_PACK_H

#include "table/table.h"

/* Appends a table, with the texts of its cells. */
void tl_table_pack(const struct tl_table *, struct tl_buf *);
/* The table that these bytes hold, which come from tl_table_pack. strings: an empty table of strings, which gets its texts. */
struct tl_table *tl_table_unpack(const char *bytes, struct tl_strtab *strings);

#endif
