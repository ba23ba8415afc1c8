/* device_events.c - the device events of a trace: what they are, which of them count.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/device_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static bool starts_fold(const char *s, size_t len, const char *word)
{
	size_t n = strlen(word);

	if (len < n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (lower(s[i]) != word[i])
			return false;
	return true;
}

bool tl_name_is_comm(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		switch (s[i]) {
		case 'n': case 'N':
			if (starts_fold(s + i, len - i, "nccl"))
				return true;
			break;
		case 'r': case 'R':
			if (starts_fold(s + i, len - i, "rccl"))
				return true;
			break;
		case 'c': case 'C':
			if (starts_fold(s + i, len - i, "cross_device_reduce"))
				return true;
			break;
		}
	}
	return false;
}

struct rest { const char *s; size_t len; };

static bool eat(struct rest *r, const char *word)
{
	size_t n = strlen(word);

	if (r->len < n || memcmp(r->s, word, n))
		return false;
	r->s += n;
	r->len -= n;
	return true;
}

/* Nothing left but an optional ".kd" and line end. */
static bool at_end(struct rest r)
{
	eat(&r, ".kd");
	eat(&r, "\n");
	return !r.len;
}

/* Kernels of the AMD runtime that copy memory. */
static bool is_copy_kernel(struct rest r)
{
	if (eat(&r, "MEMORY_COPY_"))
		return (eat(&r, "HOST_TO_DEVICE") || eat(&r, "DEVICE_TO_HOST") ||
		        eat(&r, "DEVICE_TO_DEVICE")) && at_end(r);
	if (!eat(&r, "__amd_rocclr_copyBuffer"))
		return false;
	eat(&r, "Rect");
	eat(&r, "Aligned");
	return at_end(r);
}

enum tl_gpu_bucket tl_gpu_bucket(unsigned kind, const char *name, size_t len)
{
	if (kind == TL_KIND_MEMCPY || (kind == TL_KIND_KERNEL && is_copy_kernel((struct rest){ name, len })))
		return TL_GPU_MEMCPY;
	return tl_name_is_comm(name, len) ? TL_GPU_COMM : TL_GPU_COMPUTE;
}

bool tl_event_is_comm(struct tl_comm_memo *m, const struct tl_trace *t, uint32_t event)
{
	uint32_t id = t->events[event].name;

	if (id >= m->n) {
		size_t n = (size_t)t->strings.count + 1;

		m->seen = tl_realloc(m->seen, n);
		memset(m->seen + m->n, 0, n - m->n);
		m->n = n;
	}
	if (!m->seen[id])
		m->seen[id] = tl_name_is_comm(tl_str(&t->strings, id), tl_str_len(&t->strings, id)) ? 2 : 1;
	return m->seen[id] == 2;
}

static bool any_linked(const struct tl_trace *t)
{
	for (uint32_t i = 0; i < t->n_events; i++)
		if (tl_gpu_usable(&t->events[i]) && tl_gpu_linked(&t->events[i]))
			return true;
	return false;
}

uint32_t *tl_gpu_events(const struct tl_trace *t, const struct tl_gpu_select *sel, int part,
                        size_t *n, bool *fell_back)
{
	uint32_t *out = NULL;
	size_t cap = 0;
	bool all = sel->include_unlinked || !any_linked(t);

	*n = 0;
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];

		if (!tl_gpu_usable(e) || (!all && !tl_gpu_linked(e)))
			continue;
		if (sel->detect_recompute && (e->flags & TL_EV_RECOMPUTE ? 1 : 0) != part)
			continue;
		TL_GROW(out, cap, *n + 1);
		out[(*n)++] = i;
	}
	if (fell_back)
		*fell_back = *n && all && !sel->include_unlinked;
	return out;
}

bool tl_trace_gpu_only(const struct tl_trace *t)
{
	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].kind == TL_KIND_CPU_OP)
			return false;
	return true;
}

enum tl_status tl_no_gpu_events(const struct tl_trace *t, struct tl_error *err)
{
	uint64_t count[TL_KIND_COUNT] = { 0 };
	char found[400];
	size_t len = 0;

	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].kind < TL_KIND_COUNT)
			count[t->events[i].kind]++;
	found[0] = '\0';
	for (unsigned k = 0; k < TL_KIND_COUNT && len + 40 < sizeof found; k++)
		if (count[k])
			len += (size_t)snprintf(found + len, sizeof found - len, "%s%llu %s", len ? ", " : "",
			                        (unsigned long long)count[k], tl_kind_name(k));
	return tl_fail(err, TL_ERR_DATA, "No GPU events found in the trace: it has %llu events%s%s",
	               (unsigned long long)t->n_source_events, len ? ", among them " : "", found);
}
