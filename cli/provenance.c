/* provenance.c - the command line of a stage, as text for a stream's header.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <string.h>

void tl_add_shell_word(struct tl_buf *b, const char *s)
{
	static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./=,:@%+";

	if (*s && strspn(s, safe) == strlen(s)) {
		tl_buf_adds(b, s);
		return;
	}
	tl_buf_addc(b, '\'');
	for (; *s; s++)
		if (*s == '\'')
			tl_buf_adds(b, "'\\''");
		else
			tl_buf_addc(b, *s);
	tl_buf_addc(b, '\'');
}

char *tl_provenance_line(const struct tl_program *program, int argc, char **argv)
{
	struct tl_buf b = { 0 };

	tl_speak_as(program->name);
	tl_buf_addf(&b, "%s %s:", program->name, tl_version());
	for (int i = 1; i < argc; i++) {
		tl_buf_addc(&b, ' ');
		tl_add_shell_word(&b, argv[i]);
	}
	for (char *p = b.data; *p; p++)
		if ((unsigned char)*p < 0x20)
			*p = '?';
	return b.data;
}
