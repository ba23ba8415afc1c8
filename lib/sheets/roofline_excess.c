/* roofline_excess.c - events that are faster than the roofline allows.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/roofline_excess.h"

#include <stdlib.h>
#include <string.h>

/* An event that took less than this share of the mean time of its like lacks device work. */
#define INCOMPLETE 0.5

void tl_excess_release(struct tl_excess *e)
{
	tl_map_release(&e->group_at);
	tl_map_release(&e->names);
	free(e->groups);
	free(e->kernels);
}

static uint32_t group_of(struct tl_excess *e, uint32_t name, uint32_t signature)
{
	bool is_new;
	uint32_t *at = tl_map_put(&e->group_at, (uint64_t)name << 32 | signature, &is_new);

	if (is_new) {
		TL_GROW(e->groups, e->cap_groups, e->n_groups + 1);
		e->groups[e->n_groups] = (struct tl_excess_group){ 0 };
		*at = (uint32_t)e->n_groups++;
	}
	return *at;
}

static void keep_names(struct tl_excess *e, const struct tl_trace *t, const struct tl_work *w)
{
	free(e->kernels);
	e->kernels = tl_alloc(((size_t)w->n + 1) * sizeof *e->kernels);
	e->n_kernels = w->n;
	for (uint32_t i = 0; i < w->n; i++)
		e->kernels[i] = tl_str(&t->strings, t->events[w->events[i]].name);
}

void tl_excess_add(struct tl_excess *e, struct tl_measure *m, uint32_t event, uint32_t name,
                   const struct tl_evaluation *x, double us, const struct tl_work *w)
{
	uint32_t group = group_of(e, name, tl_measure_signature(m, event));
	double percent = us > 0 ? x->roof.least / us * 100 : 0;

	e->groups[group].us += us;
	e->groups[group].events++;
	if (!(percent > 100))
		return;
	e->events++;
	tl_map_put(&e->names, name, NULL);
	if (!(percent > e->percent))
		return;
	e->percent = percent;
	e->us = us;
	e->event = event;
	e->name = name;
	e->group = group;
	e->x = x;
	keep_names(e, m->trace, w);
}

/* ---- the reason ---------------------------------------------------------------------- */

/* Its device events are cut off or missing: its like take much longer. */
static bool incomplete(const struct tl_excess *e, struct tl_buf *b)
{
	const struct tl_excess_group *g = &e->groups[e->group];

	if (g->events < 2)
		return false;
	double others = (g->us - e->us) / (g->events - 1);
	if (!(e->us < others * INCOMPLETE))
		return false;
	tl_buf_addf(b, "its device time is %.3g µs, that of its like %.3g µs: the trace lacks a part of it", e->us, others);
	return true;
}

/* The kernels multiply in a precision for which the GPU is faster, or not known. */
static bool lower_precision(const struct tl_excess *e, struct tl_measure *m, struct tl_buf *b)
{
	const char *spec = tl_str(&m->trace->strings, e->x->spec);
	const char *precision = tl_precision_of(m->precisions, e->kernels, e->n_kernels);
	struct tl_buf other = { 0 };

	if (strncmp(spec, "matrix_", 7) || !*precision || e->x->roof.compute <= e->us)
		return false;
	tl_buf_addf(&other, "matrix_%s", precision);
	double peak = tl_arch_peak(m->arch, other.data);
	bool yes = strcmp(spec, other.data) && !(peak > 0 && peak <= tl_arch_peak(m->arch, spec));
	if (yes)
		tl_buf_addf(b, "its kernels' names say %s, the types of its tensors %s", precision, spec + 7);
	if (yes && !(peak > 0))
		tl_buf_addf(b, "; %s has no peak for %s", tl_arch_name(m->arch), other.data);
	tl_buf_release(&other);
	return yes;
}

/* Not all bytes came from memory. */
static bool cached(const struct tl_excess *e, const struct tl_measure *m, struct tl_buf *b)
{
	double cache = tl_arch_cache(m->arch);

	if (e->x->roof.memory <= e->us || e->x->roof.compute > e->us || e->x->bytes > cache)
		return false;
	tl_buf_addf(b, "its %.3g MB fit in the GPU's cache of %g MB", e->x->bytes / 1048576, cache / 1048576);
	return true;
}

void tl_excess_reason(const struct tl_excess *e, struct tl_measure *m, struct tl_buf *b)
{
	if (incomplete(e, b) || lower_precision(e, m, b) || cached(e, m, b))
		return;
	if (!strcmp(tl_arch_basis(m->arch), "achievable"))
		tl_buf_addf(b, "the rates of %s were measured as achievable and can be exceeded", tl_arch_name(m->arch));
	else
		tl_buf_addf(b, "its model counts more %s than its kernels need%s",
		            e->x->roof.compute > e->us ? "operations" : "bytes",
		            *tl_arch_basis(m->arch) ? "" : ", or the numbers of the architecture are too low");
}
