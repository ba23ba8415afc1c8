/* json_writer.c - writes JSON.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "json/json_writer.h"

#include <inttypes.h>
#include <string.h>

#include "base/quote.h"

static void add_line(struct tl_json *w)
{
	if (!w->in_line)
		tl_buf_addf(w->to, "\n%*s", 2 * w->depth, "");
}

/* Has the object or list that is open no value yet? */
static bool is_empty(const struct tl_json *w)
{
	return strchr("{[", w->to->data[w->to->len - 1]);
}

static void add_separator(struct tl_json *w)
{
	if (!w->depth)
		return;
	if (!is_empty(w))
		tl_buf_adds(w->to, w->in_line ? ", " : ",");
	add_line(w);
}

void tl_json_key(struct tl_json *w, const char *key, size_t len)
{
	add_separator(w);
	tl_json_quote(w->to, key, len);
	tl_buf_adds(w->to, ": ");
	w->has_key = true;
}

void tl_json_put(struct tl_json *w, const char *key, const char *json)
{
	if (key)
		tl_json_key(w, key, strlen(key));
	else if (!w->has_key)
		add_separator(w);
	w->has_key = false;
	tl_buf_adds(w->to, json);
}

void tl_json_open(struct tl_json *w, const char *key, char bracket)
{
	tl_json_put(w, key, "");
	tl_buf_addc(w->to, bracket);
	w->depth++;
}

void tl_json_close(struct tl_json *w, char bracket)
{
	w->depth--;
	if (!is_empty(w))
		add_line(w);
	tl_buf_addc(w->to, bracket);
}

void tl_json_put_int(struct tl_json *w, const char *key, int64_t value)
{
	tl_json_put(w, key, "");
	tl_buf_addf(w->to, "%" PRId64, value);
}

void tl_json_put_real(struct tl_json *w, const char *key, double value)
{
	tl_json_put(w, key, "");
	tl_json_double(w->to, value);
}

void tl_json_put_text(struct tl_json *w, const char *key, const char *value, size_t len)
{
	tl_json_put(w, key, "");
	tl_json_quote(w->to, value, len);
}

void tl_json_put_string(struct tl_json *w, const char *key, const char *value)
{
	tl_json_put_text(w, key, value, strlen(value));
}
