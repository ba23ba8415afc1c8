/* sheet_json.h - a finished sheet as JSON: keys and types are those of its description (table/description.h), numbers have the
 * digits that its TSV has. An empty cell, and what is no finite number, is null.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SHEET_JSON_H
#define TL_SHEET_JSON_H

#include "base/io.h"
#include "base/memory.h"
#include "table/column.h"

enum { TL_JSON_SCHEMA = 1 }; /* of all JSON about sheets; it grows when a program that reads it would have to change */

enum tl_sheet_json_form {
	TL_JSON_SHEET,  /* {"schema": 1, "sheet": NAME, "trace": FILE, "columns": [KEY, ...], "total": N, "rows": [{KEY: VALUE, ...}, ...]} */
	TL_JSON_LINES,  /* {KEY: VALUE, ...} and a line end for each row: rows go out as they come */
	TL_JSON_ROWS    /* [{KEY: VALUE, ...}, ...] */
};
struct tl_sheet_json {
	enum tl_sheet_json_form form;
	const char *name;  /* of the sheet; NULL: it is an answer to a query, which no description tells of */
	const char *trace; /* the file it is of; NULL: nobody knows */
	const enum tl_type *types; /* by column, where no description tells; NULL: by what cells say */
	uint64_t skip;     /* rows that are left out at the start; "total" counts them, too */
	uint64_t most;     /* rows that are written at most; 0: all */
};
/* Reads a sheet in TSV to its end, and writes it. Nothing of TL_JSON_SHEET and TL_JSON_ROWS is written if the TSV is malformed. */
enum tl_status tl_sheet_json_write(struct tl_input *tsv, const struct tl_sheet_json *, struct tl_output *, struct tl_error *);

#endif
