/* protobuf.c - writes a protobuf message that is given as text: so tests make traces.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
 *
 * usage: protobuf <TEXT >MESSAGE
 * The text is fields, NUMBER:VALUE, with blanks between them. A value is
 *   100 or -1        a varint
 *   x100 or w100     eight bytes (fixed64), four bytes (fixed32)
 *   d1.5             a double
 *   "text"           bytes; \" and \\ and \xHH
 *   { FIELDS }       a message
 *   z{ FIELDS }      a message, compressed by zlib */
#include "protobuf_write.h"

#include <stdbool.h>
#include <zlib.h>

static const char *fields(const char *p, struct bytes *b);

static const char *text(const char *p, struct bytes *to)
{
	for (; *p != '"'; p++) {
		unsigned byte = (unsigned char)*p;
		if (!byte)
			die("a text without its end");
		if (*p == '\\' && p[1] == 'x' && sscanf(p + 2, "%2x", &byte) == 1)
			p += 3;
		else if (*p == '\\')
			byte = (unsigned char)*++p;
		add(to, &(unsigned char){ (unsigned char)byte }, 1);
	}
	return p + 1;
}

static void compress_bytes(struct bytes *b)
{
	uLongf len = compressBound(b->len);
	unsigned char *to = malloc(len);

	if (!to || compress(to, &len, b->data, b->len) != Z_OK)
		die("cannot compress");
	free(b->data);
	*b = (struct bytes){ to, len, len };
}

static void fixed(struct bytes *b, uint64_t number, uint64_t v, int n)
{
	add_varint(b, number << 3 | (n == 8 ? 1 : 5));
	for (int i = 0; i < n; i++)
		add(b, &(unsigned char){ (unsigned char)(v >> 8 * i) }, 1);
}

static const char *value(const char *p, struct bytes *b, uint64_t number)
{
	struct bytes inner = { 0 };
	char *end = NULL;
	bool packed = *p == 'z';

	if (*p == '"' || *p == '{' || packed) {
		p = *p == '"' ? text(p + 1, &inner) : fields(p + 1 + packed, &inner);
		if (packed)
			compress_bytes(&inner);
		add_message(b, number, &inner);
		free(inner.data);
		return p;
	}
	if (*p == 'd') {
		double d = strtod(p + 1, &end);
		uint64_t bits;
		memcpy(&bits, &d, 8);
		fixed(b, number, bits, 8);
	} else if (*p == 'x' || *p == 'w') {
		fixed(b, number, strtoull(p + 1, &end, 10), *p == 'x' ? 8 : 4);
	} else {
		uint64_t v = *p == '-' ? (uint64_t)strtoll(p, &end, 10) : strtoull(p, &end, 10);
		if (end == p)
			die("a value is expected behind the colon");
		add_number(b, number, v);
	}
	return end;
}

/* Fields up to a closing brace or the end of the text; returns what is behind. */
static const char *fields(const char *p, struct bytes *b)
{
	for (;;) {
		char *end;
		p += strspn(p, " \t\n");
		if (!*p || *p == '}')
			return p + (*p == '}');
		uint64_t number = strtoull(p, &end, 10);
		if (end == p || *end != ':')
			die("NUMBER: is expected");
		p = value(end + 1, b, number);
	}
}

int main(void)
{
	struct bytes in = { 0 }, out = { 0 };
	char part[4096];
	size_t n;

	while ((n = fread(part, 1, sizeof part, stdin)) > 0)
		add(&in, part, n);
	add(&in, "", 1);
	fields((const char *)in.data, &out);
	send(&out);
	free(in.data);
	free(out.data);
	return 0;
}
