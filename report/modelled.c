/* modelled.c - how much of the kernel time of unified_perf_summary has a performance model.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/modelled.h"
#include "base/text.h"
#include "report/cell_value.h"

#include <stdlib.h>

static void read_header(struct tl_modelled *m, const struct tl_field_text *f, size_t n)
{
	const struct { const char *name; size_t *at; } columns[] = {
		{ "name", &m->at.name }, { "Kernel Time (µs)_sum", &m->at.time },
		{ "GFLOPS", &m->at.flops }, { "Data Moved (MB)", &m->at.bytes },
	};

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++)
			if (tl_text_is(f[i].s, f[i].len, columns[k].name))
				*columns[k].at = i + 1;
}

void tl_modelled_read(void *modelled, const struct tl_field_text *f, size_t n)
{
	struct tl_modelled *m = modelled;
	double us;

	if (!m->has_header) {
		m->has_header = true;
		read_header(m, f, n);
		return;
	}
	if (!m->at.name || !m->at.time || !m->at.flops || !m->at.bytes || m->at.name > n || m->at.time > n ||
	    m->at.flops > n || m->at.bytes > n)
		return;
	if (!tl_xlsx_number(f[m->at.time - 1].s, f[m->at.time - 1].len, &us))
		return;
	m->total_us += us;
	if (f[m->at.flops - 1].len || f[m->at.bytes - 1].len)
		return;
	m->unmodelled_us += us;
	uint32_t known = m->names.count, id = tl_intern(&m->names, f[m->at.name - 1].s, f[m->at.name - 1].len);
	TL_GROW(m->us, m->cap, (size_t)id + 1);
	m->us[id] = id > known ? us : m->us[id] + us;
}

size_t tl_modelled_largest(const struct tl_modelled *m, uint32_t *ids, size_t most)
{
	size_t n = 0;

	for (uint32_t id = 1; id <= m->names.count; id++) {
		size_t at = n < most ? n++ : most;
		while (at && m->us[ids[at - 1]] < m->us[id]) {
			if (at < most)
				ids[at] = ids[at - 1];
			at--;
		}
		if (at < most)
			ids[at] = id;
	}
	return n;
}

void tl_modelled_release(struct tl_modelled *m)
{
	tl_strtab_release(&m->names);
	free(m->us);
}
