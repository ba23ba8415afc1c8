/* members.h - objects of JSON for people to read: a member a line.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MEMBERS_H
#define TL_MEMBERS_H

#include "base/base.h"

/* Begins a member of the object that the buffer ends in, "{…", on a line with this many
 * blanks; the caller adds the value. */
void tl_json_member(struct tl_buf *, int indent, const char *key);
/* The same with the value. */
void tl_json_member_int(struct tl_buf *, int indent, const char *key, int64_t value);
void tl_json_member_real(struct tl_buf *, int indent, const char *key, double value);
void tl_json_member_text(struct tl_buf *, int indent, const char *key, const char *value);

#endif
