/* typed_columns.h - the columns of a sheet in TSV, with the types that its description (table/description.h) tells, for
 * programs that read typed values: JSON and databases.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TYPED_COLUMNS_H
#define TL_TYPED_COLUMNS_H

#include "base/rows.h"
#include "table/column.h"

struct tl_typed_column {
	char *key;      /* tl_column_key; of equal ones the second gets "_2" */
	enum tl_type type;
	bool described; /* else the type is TL_TYPE_ANY */
};
struct tl_typed_columns { struct tl_typed_column *items; size_t n; };
/* header: row 0 of the TSV of the sheet of that name. taken: keys that its columns may not have, up to NULL. */
void tl_typed_columns_take(struct tl_typed_columns *, const char *sheet, const struct tl_field_text *header, size_t n,
                           const char *const *taken);
void tl_typed_columns_release(struct tl_typed_columns *);

enum tl_typed { TL_VALUE_NULL, TL_VALUE_TRUE, TL_VALUE_FALSE, TL_VALUE_NUMBER, TL_VALUE_TEXT };
/* What a field is. An empty one is null, and so is what is no finite number where one is meant. *whole, of a number: its bytes
 * without ".0" if it is an integer; 0 if it has another fraction or an exponent. */
enum tl_typed tl_typed_value(const struct tl_typed_column *, const struct tl_field_text *, size_t *whole);

#endif
