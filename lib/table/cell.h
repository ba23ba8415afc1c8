/* cell.h - cells of tables: null, bool, number, time, text.
 *
 * A time stays a number of ticks until it is printed, so that sums of times are
 * exact. The table says how many ticks a microsecond has.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CELL_H
#define TL_CELL_H

#include "base/base.h"

enum tl_cell_type { TL_CELL_NULL, TL_CELL_BOOL, TL_CELL_INT, TL_CELL_REAL, TL_CELL_TIME, TL_CELL_TEXT };
struct tl_cell {
	uint8_t type;
	bool whole;  /* a time is printed as an integer of µs, else as a real */
	bool ms;     /* a time is printed in ms, else in µs */
	union { int64_t i; /* of BOOL and INT; ticks of TIME */ double d; uint32_t text; };
};
static inline struct tl_cell tl_cell_of(enum tl_cell_type type, int64_t i)
{
	struct tl_cell c = { (uint8_t)type, false, false, { i } };
	return c;
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
/* A time that is printed in µs. whole: the trace states it without a fraction. */
static inline struct tl_cell tl_cell_time(int64_t ticks, bool whole)
{
	struct tl_cell c = tl_cell_of(TL_CELL_TIME, ticks);
	c.whole = whole;
	return c;
}
/* A time that is printed in ms. */
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
/* As strcmp. Bools come before numbers, numbers before texts (by bytes), texts before
 * nulls. Times are compared by their ticks. */
int tl_cell_compare(const struct tl_strtab *, struct tl_cell a, struct tl_cell b);

/* Fills bytes that are the same for two cells of a column if and only if the cells
 * compare as equal. */
#define TL_CELL_KEY 9
void tl_cell_key(struct tl_cell, unsigned char key[TL_CELL_KEY]);

/* The number in a cell: 0 or 1 of a bool, µs or ms of a time, NaN of texts and nulls. */
double tl_cell_number(struct tl_cell, int64_t ticks_per_us);
/* Writes a bool, number or time as sheets show it: nothing for NaN and null. The cell
 * is no text. buf holds TL_DOUBLE_TEXT bytes; returns the length. */
size_t tl_cell_format(char *buf, struct tl_cell, int64_t ticks_per_us);

#endif
