/* trace_facts.c - what a trace says about itself in members beside its events.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/trace_facts.h"

#include "model/fields.h"

#include <stdlib.h>
#include <string.h>

bool tl_trace_member(const struct tl_trace *t, const char *key, struct tl_arena *arena, struct tl_value *out)
{
	for (size_t i = t->n_meta; i-- > 0;) {
		const struct tl_meta_entry *m = &t->meta[i];
		if (!strcmp(tl_str(&t->strings, m->key), key))
			return tl_value_parse(arena, tl_str(&t->strings, m->json), tl_str_len(&t->strings, m->json), out, NULL) == TL_OK;
	}
	return false;
}

static int64_t int_member(const struct tl_value *v, const char *key, int64_t otherwise)
{
	const struct tl_value *m = tl_value_member(v, key);

	return m && m->type == TL_V_INT && m->i >= 0 && m->i <= INT64_MAX ? (int64_t)m->i : otherwise;
}

static const char *text_member(const struct tl_value *v, const char *key)
{
	const struct tl_value *m = tl_value_member(v, key);

	return m && m->type == TL_V_TEXT && m->len ? m->text : NULL;
}

static void read_gpus(struct tl_trace_facts *f, const struct tl_value *list)
{
	if (list->type != TL_V_LIST)
		return;
	f->gpus = tl_arena_alloc(&f->arena, (list->len + 1) * sizeof *f->gpus);
	for (uint32_t i = 0; i < list->len; i++) {
		const struct tl_value *v = &list->items[i];
		const char *name = text_member(v, "name");
		if (name)
			f->gpus[f->n_gpus++] = (struct tl_gpu_facts){ name, int_member(v, "id", i), int_member(v, "numSms", 0), int_member(v, "totalGlobalMem", 0),
			                                              int_member(v, "computeMajor", 0) % 1000 * 10 + int_member(v, "computeMinor", 0) % 10,
			                                              int_member(v, "regsPerMultiprocessor", 0),
			                                              int_member(v, "sharedMemPerMultiprocessor", 0),
			                                              int_member(v, "maxThreadsPerMultiprocessor", 0) };
	}
}

/* Takes the digits off the end. */
static size_t without_digits(const char *s, size_t len)
{
	while (len && s[len - 1] >= '0' && s[len - 1] <= '9')
		len--;
	return len;
}

bool tl_host_in_name(const char *path, int64_t rank, const char **host, size_t *len)
{
	static const char ending[] = ".pt.trace.json";
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *end = strstr(name, ending);
	size_t n = end ? (size_t)(end - name) : 0, m;

	if (!end || (end[strlen(ending)] && strcmp(end + strlen(ending), ".gz") != 0))
		return false;
	m = without_digits(name, n);
	if (m && m < n && name[m - 1] == '.') /* the time, since PyTorch 1.9 */
		m = without_digits(name, n = m - 1);
	if (m < 2 || m == n || name[m - 1] != '_' || strtoll(name + m, NULL, 10) == rank) /* rank_3: a name that the program gave */
		return false;
	*host = name;
	*len = m - 1;
	return true;
}

static void read_host(struct tl_trace_facts *f, const struct tl_trace *t)
{
	struct tl_value v;
	const char *host;
	size_t len;

	if (tl_trace_member(t, TL_META_PROCESSES, &f->arena, &v) && v.type == TL_V_LIST && v.len) {
		f->host = text_member(&v.items[0], "hostname");
		for (uint32_t i = 1; i < v.len && f->host; i++) {
			const char *other = text_member(&v.items[i], "hostname");
			f->host = other && !strcmp(other, f->host) ? f->host : NULL;
		}
	} else if (tl_trace_member(t, "hostnames", &f->arena, &v) && v.type == TL_V_LIST) {
		f->host = v.len == 1 && v.items[0].type == TL_V_TEXT && v.items[0].len ? v.items[0].text : NULL;
	} else if (tl_trace_member(t, "traceName", &f->arena, &v) && v.type == TL_V_TEXT && tl_host_in_name(v.text, f->rank, &host, &len)) {
		f->host = tl_arena_dup(&f->arena, host, len);
	}
}

void tl_trace_facts_read(struct tl_trace_facts *f, const struct tl_trace *t)
{
	struct tl_value v;

	*f = (struct tl_trace_facts){ .rank = -1, .world_size = -1 };
	if (tl_trace_member(t, "deviceProperties", &f->arena, &v))
		read_gpus(f, &v);
	if (tl_trace_member(t, "distributedInfo", &f->arena, &v)) {
		f->rank = int_member(&v, "rank", -1);
		f->world_size = int_member(&v, "world_size", -1);
		f->backend = text_member(&v, "backend");
	}
	read_host(f, t);
}

void tl_trace_facts_release(struct tl_trace_facts *f)
{
	tl_arena_release(&f->arena);
}

bool tl_same_gpu_kind(const struct tl_gpu_facts *a, const struct tl_gpu_facts *b)
{
	return !strcmp(a->name, b->name) && a->units == b->units;
}

const struct tl_gpu_facts *tl_only_gpu_kind(const struct tl_trace_facts *f)
{
	for (size_t i = 1; i < f->n_gpus; i++)
		if (!tl_same_gpu_kind(&f->gpus[i], &f->gpus[0]))
			return NULL;
	return f->n_gpus ? &f->gpus[0] : NULL;
}

/* The string id of a value's JSON text, as a track has it. */
static uint32_t track_pid(const struct tl_trace *t, const struct tl_value *v)
{
	struct tl_buf b = { 0 };

	if (v && v->type == TL_V_INT)
		tl_value_repr(&b, v, false);
	else if (v && v->type == TL_V_TEXT)
		tl_buf_addf(&b, "\"%.*s\"", (int)v->len, v->text);
	uint32_t id = tl_strtab_find(&t->strings, tl_buf_text(&b), b.len);
	tl_buf_release(&b);
	return id;
}

static int64_t ticks_member(const struct tl_value *v, const char *key)
{
	const struct tl_value *m = tl_value_member(v, key);

	return m && m->type == TL_V_INT && m->i > INT64_MIN && m->i <= INT64_MAX ? (int64_t)m->i : INT64_MIN;
}

struct tl_process_facts *tl_trace_processes(const struct tl_trace *t, size_t *n)
{
	struct tl_process_facts *out = NULL;
	struct tl_arena arena = { 0 };
	struct tl_value v;

	*n = 0;
	if (tl_trace_member(t, TL_META_PROCESSES, &arena, &v) && v.type == TL_V_LIST && v.len) {
		out = tl_calloc(v.len, sizeof *out);
		for (; *n < v.len; ++*n)
			out[*n] = (struct tl_process_facts){ track_pid(t, tl_value_member(&v.items[*n], "track")),
			                                     ticks_member(&v.items[*n], "init_time"), ticks_member(&v.items[*n], "fini_time") };
	}
	tl_arena_release(&arena);
	return out;
}

bool tl_life_of(const struct tl_process_facts *p, size_t n, int64_t *begin, int64_t *end)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i].begin == INT64_MIN || p[i].end == INT64_MIN)
			return false;
		*begin = !i || p[i].begin < *begin ? p[i].begin : *begin;
		*end = !i || p[i].end > *end ? p[i].end : *end;
	}
	return n && *begin < *end;
}
