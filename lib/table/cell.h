/* cell.h - cells of tables: null, bool, number, time, text.
 *
 * A time is a number of ticks until it is printed: sums of times are exact. How
 * many ticks a microsecond has, the table says.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CELL_H
#define TL_CELL_H

#include "base/base.h"

enum tl_cell_type { TL_CELL_NULL, TL_CELL_BOOL, TL_CELL_INT, TL_CELL_REAL, TL_CELL_TIME, TL_CELL_TEXT };
struct tl_cell {
	uint8_t type;
	bool whole;  /* of a time: print it as an integer of µs, else as a real */
	bool ms;     /* of a time: it is stated in ms, else in µs */
	union { int64_t i; /* of BOOL and INT; ticks of TIME */ double d; uint32_t text; };
};
static inline struct tl_cell tl_cell_of(enum tl_cell_type type, int64_t i)
{
	return (struct tl_cell){ .type = (uint8_t)type, .whole = false, .ms = false, .i = i };
}
static inline struct tl_cell tl_cell_null(void) { return tl_cell_of(TL_CELL_NULL, 0); }
static inline struct tl_cell tl_cell_bool(bool b) { return tl_cell_of(TL_CELL_BOOL, b); }
static inline struct tl_cell tl_cell_int(int64_t i) { return tl_cell_of(TL_CELL_INT, i); }
static inline struct tl_cell tl_cell_real(double d)
{
	struct tl_cell c = tl_cell_of(TL_CELL_REAL, 0);
	c.d = d;
	return c;
}
/* A time in µs. whole: the source wrote it without a fraction. */
static inline struct tl_cell tl_cell_time(int64_t ticks, bool whole)
{
	struct tl_cell c = tl_cell_of(TL_CELL_TIME, ticks);
	c.whole = whole;
	return c;
}
/* A time in ms. */
static inline struct tl_cell tl_cell_ms(int64_t ticks)
{
	struct tl_cell c = tl_cell_of(TL_CELL_TIME, ticks);
	c.ms = true;
	return c;
}
/* A text by its id in the table's string table; id 0 is null. */
static inline struct tl_cell tl_cell_text(uint32_t id)
{
	struct tl_cell c = tl_cell_of(id ? TL_CELL_TEXT : TL_CELL_NULL, 0);
	c.text = id;
	return c;
}

/* Null, or a real that is not a number. */
bool tl_cell_is_null(struct tl_cell);
/* Bools before numbers before texts (by bytes) before nulls. Times are compared
 * by their ticks. */
int tl_cell_compare(const struct tl_strtab *, struct tl_cell a, struct tl_cell b);

/* Bytes that are equal for cells that compare as equal, and only for those. */
#define TL_CELL_KEY 9
void tl_cell_key(struct tl_cell, unsigned char key[TL_CELL_KEY]);

/* A cell as a number: of a time its µs or ms; NaN of texts and nulls. */
double tl_cell_number(struct tl_cell, int64_t ticks_per_us);
/* A bool, number or time as it stands in a sheet; nothing for NaN and null. Not
 * of texts. buf holds TL_DOUBLE_TEXT bytes; returns the length. */
size_t tl_cell_format(char *buf, struct tl_cell, int64_t ticks_per_us);

#endif
