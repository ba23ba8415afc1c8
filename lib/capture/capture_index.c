/* capture_index.c - which trace of a folder captured the graph of which batch size.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "capture/capture_index.h"

#include "base/quote.h"
#include "json/value.h"

#include <stdlib.h>
#include <string.h>

#define EXPECTED "expected a list of {\"file\": TEXT, \"batch_size\": NUMBER, \"mode\": TEXT}"

void tl_capture_index_release(struct tl_capture_index *x)
{
	free(x->items);
	tl_arena_release(&x->texts);
	*x = (struct tl_capture_index){ 0 };
}

void tl_capture_index_add(struct tl_capture_index *x, const struct tl_capture *c)
{
	TL_GROW(x->items, x->cap, x->n + 1);
	x->items[x->n] = *c;
	x->items[x->n].file = tl_arena_dup(&x->texts, c->file, strlen(c->file));
	x->items[x->n++].mode = tl_arena_dup(&x->texts, c->mode, strlen(c->mode));
}

/* ---- as JSON ------------------------------------------------------------------------ */

static enum tl_status bad(struct tl_error *err, const char *name, size_t entry, const char *what)
{
	return tl_fail(err, TL_ERR_DATA, "%s: entry %zu: %s; " EXPECTED, name, entry + 1, what);
}

/* Could the file be outside of the folder? */
static bool leads_out(const char *file)
{
	size_t len;

	if (*file == '/')
		return true;
	for (const char *p = file; *p; p += len + (p[len] != 0)) {
		len = strcspn(p, "/");
		if (len == 2 && !memcmp(p, "..", 2))
			return true;
	}
	return false;
}

static enum tl_status add_entry(struct tl_capture_index *x, const char *name, size_t i, const struct tl_value *v,
                                struct tl_error *err)
{
	const struct tl_value *file = tl_value_member(v, "file"), *batch = tl_value_member(v, "batch_size");
	const struct tl_value *mode = tl_value_member(v, "mode");
	struct tl_capture c = { .mode = "" };

	if (v->type != TL_V_DICT)
		return bad(err, name, i, "not an object");
	if (!file || file->type != TL_V_TEXT || !file->len)
		return bad(err, name, i, "no \"file\"");
	if (strlen(file->text) != file->len || leads_out(file->text))
		return bad(err, name, i, "\"file\" is not in the folder");
	c.file = file->text;
	if (mode && mode->type == TL_V_TEXT)
		c.mode = mode->text;
	c.has_batch_size = batch && batch->type == TL_V_INT && batch->i >= INT64_MIN && batch->i <= INT64_MAX;
	c.batch_size = c.has_batch_size ? (int64_t)batch->i : 0;
	tl_capture_index_add(x, &c);
	return TL_OK;
}

enum tl_status tl_capture_index_read(struct tl_capture_index *x, const char *name, const char *json, size_t len,
                                     struct tl_error *err)
{
	struct tl_arena arena = { 0 };
	struct tl_value list;
	enum tl_status s = tl_value_parse_file(&arena, name, json, len, &list, err);

	if (!s && list.type != TL_V_LIST)
		s = tl_fail(err, TL_ERR_DATA, "%s: " EXPECTED, name);
	for (size_t i = 0; !s && i < list.len; i++)
		s = add_entry(x, name, i, &list.items[i], err);
	tl_arena_release(&arena);
	return s;
}

void tl_capture_index_write(const struct tl_capture_index *x, struct tl_buf *b)
{
	tl_buf_addc(b, '[');
	for (size_t i = 0; i < x->n; i++) {
		const struct tl_capture *c = &x->items[i];
		tl_buf_adds(b, i ? ",\n  {\n    \"file\": " : "\n  {\n    \"file\": ");
		tl_json_quote(b, c->file, strlen(c->file));
		if (c->has_batch_size)
			tl_buf_addf(b, ",\n    \"batch_size\": %lld,\n    \"mode\": ", (long long)c->batch_size);
		else
			tl_buf_adds(b, ",\n    \"batch_size\": null,\n    \"mode\": ");
		tl_json_quote(b, c->mode, strlen(c->mode));
		tl_buf_adds(b, "\n  }");
	}
	tl_buf_adds(b, x->n ? "\n]" : "]");
}

/* ---- which capture ------------------------------------------------------------------ */

static const struct tl_capture *find_mode(const struct tl_capture_index *x, int64_t batch_size, const char *mode)
{
	const struct tl_capture *found = NULL;

	for (size_t i = 0; i < x->n; i++)
		if (x->items[i].has_batch_size && x->items[i].batch_size == batch_size && !strcmp(x->items[i].mode, mode))
			found = &x->items[i];
	return found;
}

const struct tl_capture *tl_capture_find(const struct tl_capture_index *x, int64_t batch_size, size_t n_graphs)
{
	int64_t least = INT64_MAX;
	bool any = false;

	for (size_t i = 0; i < x->n; i++) {
		const struct tl_capture *c = &x->items[i];
		if (!c->has_batch_size || c->batch_size < batch_size || c->batch_size > least ||
		    (strcmp(c->mode, "FULL") != 0 && strcmp(c->mode, "PIECEWISE") != 0))
			continue;
		least = c->batch_size;
		any = true;
	}
	if (!any)
		return NULL;
	const struct tl_capture *full = find_mode(x, least, "FULL"), *pieces = find_mode(x, least, "PIECEWISE");
	return full && (n_graphs == 1 || !pieces) ? full : pieces;
}
