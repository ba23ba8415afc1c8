/* sqlite_metrics.c - metrics of GPUs in databases of Nsight Systems, as counters.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/merge_sort.h"
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

struct metrics {
	struct tl_sqlite_reader *r;
	struct name { int64_t type, metric; uint32_t text; } *names; size_t n, cap;
	struct tl_strtab texts;
	struct tl_map devices;          /* numbers of types, ascending */
	struct tl_map text_of;          /* device and metric -> id in texts; 0: none */
};

static void add_name(void *ctx, const struct tl_db_rows *rows)
{
	struct metrics *m = ctx;
	size_t len;
	const char *name = tl_sqlite_text(m->r, rows, M_NAME, &len);
	uint32_t text = name && len ? tl_intern(&m->texts, name, len) : 0;

	TL_PUSH(m->names, m->n, m->cap, (struct name){ rows->ints[M_TYPE], rows->ints[M_METRIC], text });
}

TL_ORDER(by_type, struct name, TL_ASC(x->type))

/* The device is the place of its type among those that there are. */
static void number_devices(struct metrics *m)
{
	tl_merge_sort(m->names, m->n, sizeof *m->names, by_type, NULL);
	TL_EACH_OF(const struct name, name, m->names, m->n) {
		uint32_t device = tl_map_number(&m->devices, (uint64_t)name->type, NULL);
		*tl_map_put(&m->text_of, tl_key_of_two(device, (uint32_t)name->metric), NULL) = name->text;
	}
}

static void push_value(void *ctx, const struct tl_db_rows *rows)
{
	struct metrics *m = ctx;
	int64_t metric = rows->ints[M_METRIC];
	const uint32_t *device = tl_map_get(&m->devices, (uint64_t)rows->ints[M_TYPE]);
	const uint32_t *text = device ? tl_map_get(&m->text_of, tl_key_of_two(*device, (uint32_t)metric)) : NULL;
	char numbered[40];

	snprintf(numbered, sizeof numbered, "GPU metric %lld", (long long)metric);
	const char *name = text && *text ? tl_str(&m->texts, *text) : numbered;
	struct tl_counter_name what = tl_counter_name(name, strlen(name));
	if (device)
		what.device = *device;
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
	number_devices(m);
	tl_sqlite_each(r, &values, "", push_value, m);
	tl_strtab_release(&m->texts);
	tl_map_release(&m->devices);
	tl_map_release(&m->text_of);
	free(m->names);
	free(m);
}
