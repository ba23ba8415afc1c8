/* notes.c - what a reader left out or repaired.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <string.h>

#include "readers/reader.h"

void tl_read_note(struct tl_read_report *r, const char *reason, uint64_t uid, int64_t offset)
{
	size_t i = 0;

	while (i < r->n_drops && strcmp(r->drops[i].what, reason))
		i++;
	if (i == sizeof r->drops / sizeof *r->drops)
		return;
	if (i == r->n_drops) {
		r->n_drops++;
		r->drops[i].what = reason;
		r->drops[i].first_offset = offset;
		r->drops[i].first_uid = uid;
	} else if (r->drops[i].last_uid == uid) {
		return;
	}
	r->drops[i].last_uid = uid;
	r->drops[i].count++;
}

enum tl_status tl_read_notes_to_sink(const struct tl_read_report *r, struct tl_sink *sink, struct tl_error *err)
{
	static const char key[] = "tl-parse warnings";
	struct tl_buf text = { 0 };
	enum tl_status st;

	if (!r->n_drops)
		return TL_OK;
	for (size_t i = 0; i < r->n_drops; i++)
		tl_buf_addf(&text, "%c\"%s\":{\"events\":%llu,\"first_uid\":%llu,\"first_byte\":%lld}", i ? ',' : '{',
		            r->drops[i].what, (unsigned long long)r->drops[i].count,
		            (unsigned long long)r->drops[i].first_uid, (long long)r->drops[i].first_offset);
	tl_buf_addc(&text, '}');
	st = sink->ops->meta(sink, key, sizeof key - 1, text.data, text.len, err);
	tl_buf_release(&text);
	return st;
}
