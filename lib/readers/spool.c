/* spool.c - records in a temporary file.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/spool.h"
#include "base/temp_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static enum tl_status fail(struct tl_error *err, const char *what)
{
	return tl_fail(err, TL_ERR_IO, "cannot %s a temporary file for records whose names follow later: %s", what, strerror(errno));
}

static enum tl_status open_file(struct tl_spool *s, struct tl_error *err)
{
	s->file = tl_temp_file("tl-spool");
	return s->file ? TL_OK : fail(err, "make");
}

enum tl_status tl_spool_add(struct tl_spool *s, const void *record, size_t size, struct tl_error *err)
{
	enum tl_status st = s->file ? TL_OK : open_file(s, err);

	if (st)
		return st;
	s->max_size = size > s->max_size ? size : s->max_size;
	s->n++;
	return fwrite(&size, sizeof size, 1, s->file) == 1 && fwrite(record, size, 1, s->file) == 1 ? TL_OK : fail(err, "write");
}

enum tl_status tl_spool_take(struct tl_spool *s, bool (*fn)(void *ctx, const void *record), void *ctx, struct tl_error *err)
{
	void *record = tl_alloc(s->max_size + 1);
	enum tl_status st = TL_OK;
	bool going_on = true;
	size_t size;

	if (s->file && (fflush(s->file) || fseek(s->file, 0, SEEK_SET)))
		st = fail(err, "write");
	for (uint64_t i = 0; !st && going_on && i < s->n; i++)
		if (fread(&size, sizeof size, 1, s->file) != 1 || fread(record, size, 1, s->file) != 1)
			st = fail(err, "read");
		else
			going_on = fn(ctx, record);
	free(record);
	tl_spool_release(s);
	return st;
}

void tl_spool_release(struct tl_spool *s)
{
	if (s->file)
		fclose(s->file);
	*s = (struct tl_spool){ 0 };
}
