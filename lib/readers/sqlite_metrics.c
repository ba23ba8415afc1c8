/* sqlite_metrics.c - metrics of GPUs in databases of Nsight Systems, as counters.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/counter_names.h"
#include "readers/sqlite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { M_TIME, M_TYPE, M_METRIC, M_VALUE, M_NAME };
static const struct tl_db_column name_columns[] = {
	{ M_TYPE, 0, 0, "typeId" }, { M_METRIC, 0, 0, "metricId" }, { M_NAME, 0, TL_DB_TEXT, "metricName" }, { .name = NULL } };
static const struct tl_db_query names = { .table = "TARGET_INFO_GPU_METRICS", .columns = name_columns };
static const struct tl_db_column value_columns[] = {
	{ M_TIME, 0, TL_DB_NEEDED | TL_DB_TIME, "timestamp" }, { M_TYPE, 0, 0, "typeId" },
	{ M_METRIC, 0, 0, "metricId" }, { M_VALUE, 0, TL_DB_NEEDED, "value" }, { .name = NULL } };
static const struct tl_db_query values = { .table = "GPU_METRICS", .columns = value_columns };

enum { MOST_TYPES = 1024 };
struct metrics {
	struct tl_sqlite_reader *r;
	int64_t types[MOST_TYPES]; size_t n_types; /* ascending */
	struct tl_strtab keys, texts;   /* type and metric, as numbers; their names */
	uint32_t *text_of; size_t cap;  /* by id of the key */
};
struct key { int64_t type, metric; };

/* Where the type stands, or has to stand, among those known. */
static size_t place_of(const struct metrics *m, int64_t type)
{
	size_t i = 0;

	while (i < m->n_types && m->types[i] < type)
		i++;
	return i;
}

static void add_name(void *ctx, const struct tl_db_rows *rows)
{
	struct metrics *m = ctx;
	struct key key = { rows->ints[M_TYPE], rows->ints[M_METRIC] };
	size_t len, i = place_of(m, key.type);
	const char *name = tl_sqlite_text(m->r, rows, M_NAME, &len);
	uint32_t id = tl_intern(&m->keys, (const char *)&key, sizeof key);

	if ((i == m->n_types || m->types[i] != key.type) && m->n_types < MOST_TYPES) {
		memmove(m->types + i + 1, m->types + i, (m->n_types++ - i) * sizeof *m->types);
		m->types[i] = key.type;
	}
	TL_GROW(m->text_of, m->cap, id + 1);
	m->text_of[id] = name && len ? tl_intern(&m->texts, name, len) : 0;
}

static void push_value(void *ctx, const struct tl_db_rows *rows)
{
	struct metrics *m = ctx;
	struct key key = { rows->ints[M_TYPE], rows->ints[M_METRIC] };
	uint32_t id = tl_strtab_find(&m->keys, (const char *)&key, sizeof key), text = id ? m->text_of[id] : 0;
	char numbered[40];
	size_t i = place_of(m, key.type);

	snprintf(numbered, sizeof numbered, "GPU metric %lld", (long long)key.metric);
	const char *name = text ? tl_str(&m->texts, text) : numbered;
	struct tl_counter_name what = tl_counter_name(name, strlen(name));
	if (i < m->n_types && m->types[i] == key.type)
		what.device = (int64_t)i;
	tl_make_counter(&m->r->make, m->r->db.uid++, &what, (double)rows->ints[M_VALUE]);
	tl_make_start(&m->r->make, rows->ints[M_TIME]);
	tl_make_text(&m->r->make, TL_KEY_OF, "before", strlen("before"));
	tl_sqlite_push(m->r);
}

void tl_sqlite_read_metrics(struct tl_sqlite_reader *r)
{
	struct metrics *m = tl_calloc(1, sizeof *m);

	m->r = r;
	tl_sqlite_each(r, &names, "", add_name, m);
	tl_sqlite_each(r, &values, "", push_value, m);
	tl_strtab_release(&m->keys);
	tl_strtab_release(&m->texts);
	free(m->text_of);
	free(m);
}
