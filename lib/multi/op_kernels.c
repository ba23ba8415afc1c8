/* op_kernels.c - what the kernels of an operator's events did, place by place.
 *
 * The text: lists end with GS, the kernels of a list with RS, the fields of a kernel with US:
 * name, stream, number, sum, mean, sum of squared deviations.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "multi/op_kernels.h"

#include "json/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define US '\x1f'
#define RS '\x1e'
#define GS '\x1d'
enum { N_FIELDS = 6 };

/* ---- statistics ------------------------------------------------------------------------ */

void tl_moments_add(struct tl_moments *m, double x)
{
	tl_moments_merge(m, &(struct tl_moments){ 1, x, 0 });
}

void tl_moments_merge(struct tl_moments *m, const struct tl_moments *of)
{
	double n = m->n + of->n, delta = of->mean - m->mean;

	if (of->n <= 0)
		return;
	if (m->n <= 0) {
		*m = *of;
		return;
	}
	m->m2 += of->m2 + delta * delta * (m->n * of->n / n);
	m->mean = isfinite(delta) ? m->mean + delta * (of->n / n) : m->mean + of->mean;
	m->n = n;
}

double tl_moments_deviation(const struct tl_moments *m, bool of_sample)
{
	return m->n > of_sample ? sqrt(m->m2 / (m->n - of_sample)) : (double)NAN;
}

/* ---- text ------------------------------------------------------------------------------- */

/* A name, without the characters that end fields. */
static void add_text(struct tl_buf *b, const char *s)
{
	for (; *s; s++)
		tl_buf_addc(b, *s >= GS && *s <= US ? '?' : *s);
	tl_buf_addc(b, US);
}

static void add_number(struct tl_buf *b, double x)
{
	char text[TL_DOUBLE_TEXT];

	tl_buf_add(b, text, tl_format_double(text, x));
	tl_buf_addc(b, US);
}

static void add_kernel(struct tl_buf *b, const char *name, const char *stream, const struct tl_moments *us, double sum)
{
	add_text(b, name);
	add_text(b, stream);
	add_number(b, us->n);
	add_number(b, sum);
	add_number(b, us->mean);
	add_number(b, us->m2);
	tl_buf_addc(b, RS);
}

void tl_op_kernels_write_one(struct tl_buf *b, const char *name, const char *stream, double us)
{
	add_kernel(b, name, stream, &(struct tl_moments){ 1, us, 0 }, us);
}

void tl_op_kernels_write(const struct tl_op_kernels *k, struct tl_buf *b)
{
	for (size_t i = 0; i < k->n; i++) {
		for (size_t j = 0; j < k->lists[i].n; j++) {
			const struct tl_op_kernel *x = &k->lists[i].items[j];
			add_kernel(b, x->name, x->stream, &x->us, x->sum);
		}
		tl_buf_addc(b, GS);
	}
}

static size_t count(const char *s, size_t len, char ch)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += s[i] == ch;
	return n;
}

static struct tl_op_kernel_list *list_of(struct tl_op_kernels *k, size_t n)
{
	for (size_t i = 0; i < k->n; i++)
		if (k->lists[i].n == n)
			return &k->lists[i];
	TL_GROW(k->lists, k->cap, k->n + 1);
	struct tl_op_kernel_list *l = &k->lists[k->n++];
	l->n = n;
	l->items = tl_arena_alloc(&k->arena, (n + 1) * sizeof *l->items);
	memset(l->items, 0, (n + 1) * sizeof *l->items);
	return l;
}

/* Adds the kernel whose fields begin at s. */
static void add_place(struct tl_op_kernels *k, struct tl_op_kernel *x, const char *s)
{
	const char *fields[N_FIELDS];
	size_t len[N_FIELDS];

	for (size_t f = 0; f < N_FIELDS; f++) {
		fields[f] = s;
		len[f] = strcspn(s, "\x1f");
		s += len[f] + 1;
	}
	if (!x->name) {
		x->name = tl_arena_dup(&k->arena, fields[0], len[0]);
		x->stream = tl_arena_dup(&k->arena, fields[1], len[1]);
	}
	x->sum += tl_parse_double(fields[3], NULL);
	tl_moments_merge(&x->us, &(struct tl_moments){ tl_parse_double(fields[2], NULL), tl_parse_double(fields[4], NULL),
		tl_parse_double(fields[5], NULL) });
}

/* Is each kernel of as many fields as it has to be, and does the text end with a list's end? */
static bool well_formed(const char *text)
{
	size_t len = strlen(text);

	if (len && text[len - 1] != GS)
		return false;
	for (const char *s = text; *s;) {
		size_t n = strcspn(s, "\x1e\x1d");
		if (s[n] == GS ? n : count(s, n, US) != N_FIELDS)
			return false;
		s += n + 1;
	}
	return true;
}

bool tl_op_kernels_add(struct tl_op_kernels *k, const char *text)
{
	if (!well_formed(text))
		return false;
	while (*text) {
		size_t len = strcspn(text, "\x1d");
		struct tl_op_kernel_list *l = list_of(k, count(text, len, RS));
		for (size_t i = 0; i < l->n; i++) {
			add_place(k, &l->items[i], text);
			text += strcspn(text, "\x1e") + 1;
		}
		text++;
	}
	return true;
}

/* ---- the summary ------------------------------------------------------------------------- */

static void add_fact(struct tl_buf *b, const char *name, double x)
{
	char text[TL_DOUBLE_TEXT];

	tl_format_double(text, x);
	tl_buf_addf(b, ", '%s': %s", name, text);
}

void tl_op_kernels_summary(const struct tl_op_kernels *k, struct tl_buf *b)
{
	const struct tl_op_kernel_list *l = NULL;

	for (size_t i = 0; i < k->n && !l; i++)
		l = k->lists[i].n ? &k->lists[i] : NULL;
	tl_buf_addc(b, '[');
	for (size_t i = 0; l && i < l->n; i++) {
		const struct tl_op_kernel *x = &l->items[i];
		tl_buf_adds(b, i ? ", {'name': " : "{'name': ");
		tl_repr_text(b, x->name, strlen(x->name));
		tl_buf_addf(b, ", 'stream': %s, 'count': %.0f", x->stream, x->us.n);
		add_fact(b, "total_duration_us", x->sum);
		add_fact(b, "mean_duration_us", x->us.mean);
		add_fact(b, "std_dev_duration_us", tl_moments_deviation(&x->us, false));
		tl_buf_addc(b, '}');
	}
	tl_buf_addc(b, ']');
}

void tl_op_kernels_release(struct tl_op_kernels *k)
{
	free(k->lists);
	tl_arena_release(&k->arena);
	*k = (struct tl_op_kernels){ 0 };
}
