/* keep.c - which events the fused trace keeps.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "fuse/keep.h"

#include "base/text.h"

enum { KEPT = 1, LEFT_OUT };

static bool is_named(const struct tl_fuse_options *o, const char *cat, size_t len)
{
	for (size_t i = 0; i < o->n_categories; i++)
		if (len && tl_text_is(cat, len, o->categories[i]))
			return true;
	return false;
}

bool tl_keeps_layout(const struct tl_keep *k, const struct tl_layout *l)
{
	const struct tl_fuse_options *o = k->options;
	const char *cat = tl_str(k->strings, l->cat);
	size_t len = tl_str_len(k->strings, l->cat);

	if (o->all || (l->kind == TL_KIND_META && !o->reference))
		return true;
	if (o->n_categories || o->collectives || o->name)
		return (!o->n_categories || is_named(o, cat, len)) && (!o->collectives || l->kind == TL_KIND_KERNEL);
	return !tl_text_is(cat, len, "Trace") && (o->python_function || !tl_text_is(cat, len, "python_function"));
}

/* The names that traces give to processes are replaced. */
static bool names_process(const char *s, size_t len)
{
	return tl_text_is(s, len, "process_name") || tl_text_is(s, len, "process_sort_index") || tl_text_is(s, len, "process_labels");
}

static bool keeps_name(const struct tl_fuse_options *o, bool meta, const char *s, size_t len)
{
	if (meta && names_process(s, len))
		return false;
	if (o->all || (meta && !o->reference))
		return true;
	if (o->collectives && strcmp(tl_name_rules_find(o->collectives, s, len), "communication") != 0)
		return false;
	return !o->name || tl_pattern_matches(o->name, s, len);
}

bool tl_keeps_event(struct tl_keep *k, unsigned kind, uint32_t name)
{
	bool meta = kind == TL_KIND_META;
	uint32_t *verdict = tl_by_id(&k->verdict[meta], name);

	if (!*verdict)
		*verdict = keeps_name(k->options, meta, tl_str(k->strings, name), tl_str_len(k->strings, name)) ? KEPT : LEFT_OUT;
	return *verdict == KEPT;
}

void tl_keep_forget(struct tl_keep *k)
{
	tl_by_id_forget(&k->verdict[0]);
	tl_by_id_forget(&k->verdict[1]);
}

void tl_keep_release(struct tl_keep *k)
{
	tl_by_id_release(&k->verdict[0]);
	tl_by_id_release(&k->verdict[1]);
}
