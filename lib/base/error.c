/* error.c - filling struct tl_error.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static enum tl_status fill(struct tl_error *err, enum tl_status status, int64_t offset,
                           const char *fmt, va_list ap)
	__attribute__((format(printf, 4, 0)));

static enum tl_status fill(struct tl_error *err, enum tl_status status, int64_t offset,
                           const char *fmt, va_list ap)
{
	if (!err)
		return status;
	err->status = status;
	err->offset = offset;
	err->record = -1;
	vsnprintf(err->text, sizeof err->text, fmt, ap);
	/* input that a message quotes must not add lines or steer a terminal */
	for (unsigned char *p = (unsigned char *)err->text; *p; p++)
		if (*p < 0x20 || *p == 0x7f)
			*p = '?';
	return status;
}

enum tl_status tl_fail(struct tl_error *err, enum tl_status status, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fill(err, status, -1, fmt, ap);
	va_end(ap);
	return status;
}

enum tl_status tl_fail_at(struct tl_error *err, enum tl_status status, int64_t offset,
                          const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fill(err, status, offset, fmt, ap);
	va_end(ap);
	return status;
}

static tl_mistake_handler *mistake_handler;

void tl_set_mistake_handler(tl_mistake_handler *handler)
{
	mistake_handler = handler;
}

void tl_must(enum tl_status status, const struct tl_error *err)
{
	if (!status)
		return;
	if (mistake_handler)
		mistake_handler(err->text);
	abort(); /* a handler that returns breaks its contract */
}
