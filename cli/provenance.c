/* provenance.c - the line a stage adds to a stream's header.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <string.h>

static void add_quoted(struct tl_buf *b, const char *s)
{
	static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./=,:@%+";
	if (*s && strspn(s, safe) == strlen(s)) {
		tl_buf_adds(b, s);
		return;
	}
	tl_buf_addc(b, '\'');
	for (; *s; s++) {
		if (*s == '\'')
			tl_buf_adds(b, "'\\''");
		else
			tl_buf_addc(b, (unsigned char)*s < 0x20 ? '?' : *s);
	}
	tl_buf_addc(b, '\'');
}

char *tl_provenance_line(const struct tl_program *p, int argc, char **argv)
{
	struct tl_buf b = { 0 };
	tl_speak_as(p->name);
	tl_buf_addf(&b, "%s %s:", p->name, tl_version());
	for (int i = 1; i < argc; i++) {
		tl_buf_addc(&b, ' ');
		add_quoted(&b, argv[i]);
	}
	return b.data;
}
