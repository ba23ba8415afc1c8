/* count-kernels - prints how often each kernel of a trace ran, and for how long: an example of a sink that makes a sheet.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
 *
 *   cc count-kernels.c $(pkg-config --cflags --libs tl) -o count-kernels
 *   count-kernels < trace.json.gz
 */
#include <tl.h>

#include <stdio.h>
#include <stdlib.h>

struct counts {
	struct tl_sink sink; /* first, so that a pointer to it is one to the counts */
	const struct tl_tables *tables; /* of the trace that is read */
	int64_t ticks_per_us;
	struct tl_strtab names;
	struct row { uint32_t name; int64_t count, ticks; } *rows; size_t cap; /* [id of the name] */
};

static enum tl_status begin(struct tl_sink *s, const struct tl_header *header, const struct tl_tables *tables, struct tl_error *err)
{
	struct counts *c = (struct counts *)s;

	(void)err;
	c->tables = tables;
	c->ticks_per_us = header->ticks_per_us;
	return TL_OK;
}

/* Ids of the trace are void from now on; none is kept. */
static void reset(struct tl_sink *s)
{
	(void)s;
}

static enum tl_status meta(struct tl_sink *s, const char *key, size_t key_len, const char *json, size_t json_len, struct tl_error *err)
{
	(void)s, (void)key, (void)key_len, (void)json, (void)json_len, (void)err;
	return TL_OK;
}

static enum tl_status event(struct tl_sink *s, const struct tl_event *e, struct tl_error *err)
{
	struct counts *c = (struct counts *)s;
	const struct tl_strtab *strings = &c->tables->strings;
	uint32_t known = c->names.count;

	(void)err;
	if (tl_layout_of(c->tables, e->layout)->kind != TL_KIND_KERNEL)
		return TL_OK;
	uint32_t name = tl_intern(&c->names, tl_str(strings, e->name), tl_str_len(strings, e->name));
	TL_GROW(c->rows, c->cap, (size_t)name + 1);
	if (name > known)
		c->rows[name] = (struct row){ .name = name };
	c->rows[name].count++;
	c->rows[name].ticks += e->dur;
	return TL_OK;
}

static const struct tl_sink_ops ops = { begin, reset, meta, event, tl_ignore_link, tl_ignore_end };

static int by_time(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->ticks < y->ticks) - (x->ticks > y->ticks);
}

static enum tl_status print(struct counts *c, struct tl_output *out, struct tl_error *err)
{
	static const char *const columns[] = { "count", "time_us", "kernel", NULL };
	struct tl_table *t = tl_table_new(&c->names, c->ticks_per_us, columns);

	if (c->names.count)
		qsort(c->rows + 1, c->names.count, sizeof *c->rows, by_time); /* ids count from 1 */
	for (uint32_t i = 1; i <= c->names.count; i++) {
		const struct row *r = &c->rows[i];
		tl_table_add_row(t, (const struct tl_cell[]){ tl_cell_int(r->count), tl_cell_time(r->ticks, false), tl_cell_text(r->name) });
	}
	enum tl_status status = tl_tsv_write(t, out, err);
	tl_table_free(t);
	return status;
}

/* ---- standard input and output ------------------------------------------------------------------ */

static int64_t get(struct tl_input *in, void *buf, size_t cap, struct tl_error *err)
{
	size_t n = fread(buf, 1, cap, stdin);

	if (!ferror(stdin))
		return (int64_t)n;
	tl_fail(err, TL_ERR_IO, "%s: cannot read", in->name);
	return -1;
}

static enum tl_status put(struct tl_output *out, const void *buf, size_t len, struct tl_error *err)
{
	if (fwrite(buf, 1, len, stdout) == len && !fflush(stdout))
		return TL_OK;
	return tl_fail(err, TL_ERR_IO, "%s: cannot write", out->name);
}

int main(void)
{
	struct tl_input in = { .name = "<stdin>", .read = get };
	struct tl_output out = { .name = "<stdout>", .write = put };
	struct counts c = { .sink = { &ops } };
	struct tl_error err;
	enum tl_status status = tl_read(&in, NULL, &c.sink, NULL, &err);

	if (status == TL_OK)
		status = print(&c, &out, &err);
	if (status != TL_OK)
		fprintf(stderr, "count-kernels: error: %s\n", err.text);
	tl_strtab_release(&c.names);
	free(c.rows);
	return status != TL_OK;
}
