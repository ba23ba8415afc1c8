/* cell.c - comparing and printing cells.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "table/cell.h"

#include <math.h>
#include <string.h>

bool tl_cell_is_null(struct tl_cell c)
{
	return c.type == TL_CELL_NULL || (c.type == TL_CELL_REAL && isnan(c.d));
}

/* A real becomes an integer if its value is one, and null if it is NaN. */
static struct tl_cell canonical(struct tl_cell c)
{
	if (c.type != TL_CELL_REAL)
		return c;
	if (isnan(c.d))
		return tl_cell_null();
	if (c.d >= -0x1p63 && c.d < 0x1p63 && c.d == (double)(int64_t)c.d)
		return tl_cell_int((int64_t)c.d);
	return c;
}

/* ---- order ---------------------------------------------------------------------- */

static int compare_texts(const struct tl_strtab *t, uint32_t a, uint32_t b)
{
	if (a == b)
		return 0;
	size_t m = tl_str_len(t, a), n = tl_str_len(t, b);
	int r = memcmp(tl_str(t, a), tl_str(t, b), m < n ? m : n);
	return r ? r : (m > n) - (m < n);
}

static int compare_numbers(struct tl_cell a, struct tl_cell b)
{
	if (a.type != TL_CELL_REAL && b.type != TL_CELL_REAL)
		return (a.i > b.i) - (a.i < b.i);
	double x = a.type == TL_CELL_REAL ? a.d : (double)a.i;
	double y = b.type == TL_CELL_REAL ? b.d : (double)b.i;
	if (x == y && a.type != b.type) /* the real is 2^63, and the integer was rounded up to that */
		return a.type == TL_CELL_REAL ? 1 : -1;
	return (x > y) - (x < y);
}

int tl_cell_compare(const struct tl_strtab *t, struct tl_cell a, struct tl_cell b)
{
	static const uint8_t rank[] = { [TL_CELL_BOOL] = 0, [TL_CELL_INT] = 1, [TL_CELL_REAL] = 1, [TL_CELL_TIME] = 1,
		[TL_CELL_TEXT] = 2, [TL_CELL_NULL] = 3 };

	a = canonical(a);
	b = canonical(b);
	if (rank[a.type] != rank[b.type])
		return rank[a.type] - rank[b.type];
	switch (a.type) {
	case TL_CELL_NULL: return 0;
	case TL_CELL_BOOL: return (a.i > b.i) - (a.i < b.i);
	case TL_CELL_TEXT: return compare_texts(t, a.text, b.text);
	default: return compare_numbers(a, b);
	}
}

void tl_cell_key(struct tl_cell c, unsigned char key[TL_CELL_KEY])
{
	c = canonical(c);
	int64_t bits = c.type == TL_CELL_TEXT ? c.text : c.i;

	key[0] = c.type;
	memcpy(key + 1, &bits, sizeof bits);
}

/* ---- numbers ------------------------------------------------------------------------ */

double tl_cell_number(struct tl_cell c, int64_t ticks_per_us)
{
	switch (c.type) {
	case TL_CELL_BOOL:
	case TL_CELL_INT: return (double)c.i;
	case TL_CELL_REAL: return c.d;
	case TL_CELL_TIME: /* TraceLens divides twice for ms, which decides the last digits of percentages */
		return c.ms ? tl_divide(c.i, ticks_per_us) / 1000 : tl_divide(c.i, ticks_per_us);
	default: return NAN;
	}
}

static size_t format_time(char *buf, struct tl_cell c, int64_t ticks_per_us)
{
	int64_t per_unit = ticks_per_us;

	if (c.whole && !c.ms)
		return tl_format_int(buf, c.i / ticks_per_us);
	/* one division gives the double whose shortest text is the exact decimal */
	if (c.ms && __builtin_mul_overflow(ticks_per_us, 1000, &per_unit))
		return tl_format_double(buf, tl_cell_number(c, ticks_per_us));
	return tl_format_double(buf, tl_divide(c.i, per_unit));
}

size_t tl_cell_format(char *buf, struct tl_cell c, int64_t ticks_per_us)
{
	switch (c.type) {
	case TL_CELL_BOOL: return strlen(strcpy(buf, c.i ? "True" : "False"));
	case TL_CELL_INT: return tl_format_int(buf, c.i);
	case TL_CELL_REAL: return isnan(c.d) ? 0 : tl_format_double(buf, c.d);
	case TL_CELL_TIME: return format_time(buf, c, ticks_per_us);
	default: return 0;
	}
}
