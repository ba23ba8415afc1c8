/* document.h - reads a JSON document of any length from an input, in one pass.
 *
 * The caller walks through the document and says at each value what to do with it:
 * enter a list or object, take the value, or pass over it.
 *
 *	struct tl_json_doc d;
 *	tl_json_doc_init(&d, in);
 *	if (tl_json_doc_enter(&d, '{'))
 *		while (tl_json_doc_member(&d))
 *			if (tl_json_doc_name_is(&d, "version"))
 *				tl_json_doc_int(&d, &version);
 *			else
 *				tl_json_doc_value(&d, NULL);
 *	tl_json_doc_end(&d);
 *	if (d.status) ... d.error
 *	tl_json_doc_release(&d);
 *
 * A failure is kept: after it every call fails at once, so that it is enough to look
 * at the status at the end. Text is checked strictly. The errors name the byte offset
 * in the text and what was expected there.
 *
 * The text is held in a window, which grows only where a single string, number or
 * value that the caller takes is longer, up to TL_JSON_DOC_MAX.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_JSON_DOCUMENT_H
#define TL_JSON_DOCUMENT_H

#include "base/io.h"
#include "base/text.h"
#include "base/check.h"

#define TL_JSON_DOC_MAX ((size_t)256 * 1024 * 1024)

/* Bytes of the window or of a buffer. No NUL follows. */
struct tl_json_piece {
	const char *s;
	size_t len;
};

struct tl_json_doc {
	const char *p;            /* the next byte to read; the window ends at text.end */
	struct tl_json_text text; /* problems: those of the value taken last */
	struct tl_json_piece name; /* of the member at hand; valid until its value is taken */
	bool lenient;             /* may be set: damaged gzip data ends the text instead of failing */
	bool bad_input;           /* the compressed data was damaged */
	enum tl_status status;    /* TL_OK until a call fails; the next three are about that failure */
	struct tl_error error;
	bool cut_short;           /* the text ended inside the document */
	const char *bad;          /* malformed text: its place in the window, else NULL */
	/* private: */
	struct tl_input *in;
	char *buf;
	size_t cap;
	int64_t base;             /* offset of buf[0] in the text */
	struct tl_buf room;       /* of a name that cannot stay in the window */
	bool eof, first;          /* first: a list or object was entered just now */
};

/* Starts a document at the beginning of an input. A byte order mark is skipped. */
void tl_json_doc_init(struct tl_json_doc *, struct tl_input *in);
void tl_json_doc_release(struct tl_json_doc *);

/* Each returns true if it did what it says. */

/* Enters the value at hand, which must be an object ('{') or a list ('['). */
bool tl_json_doc_enter(struct tl_json_doc *, char bracket);
/* Goes to the next member of the object entered last and sets d->name. The caller must
 * have taken the value of the member before. False after the last member. */
bool tl_json_doc_member(struct tl_json_doc *);
/* The same for the next element of the list entered last. */
bool tl_json_doc_element(struct tl_json_doc *);
/* The member's name. */
static inline bool tl_json_doc_name_is(const struct tl_json_doc *d, const char *name)
{
	return tl_text_is(d->name.s, d->name.len, name);
}

/* The first byte of the value at hand, which tells its type; -1: there is no more
 * text. */
int tl_json_doc_look(struct tl_json_doc *);
static inline int tl_json_doc_peek(struct tl_json_doc *d)
{
	if (!d->status)
		d->p += *d->p == ' ';
	return !d->status && *d->p > ' ' && *d->p < 0x7f ? *d->p : tl_json_doc_look(d);
}
/* Take the value at hand: a string's text, escapes resolved; any value's JSON text
 * without blanks (out may be NULL); an integer of 64 bits. out is replaced. */
bool tl_json_doc_string(struct tl_json_doc *, struct tl_buf *out);
bool tl_json_doc_value(struct tl_json_doc *, struct tl_buf *out);
bool tl_json_doc_int(struct tl_json_doc *, int64_t *out);
/* Takes a number as tl_json_usual_number does (decimal.h). False: the value at hand is another one. */
bool tl_json_doc_usual_number(struct tl_json_doc *, uint64_t unit, bool *decimals, int64_t *value);
/* Takes any value: its JSON text, but of a string its text if not as_json. The bytes stay in the window
 * if they stand there as they are wanted, else they come to `room`; valid until the next call. */
bool tl_json_doc_text(struct tl_json_doc *, bool as_json, struct tl_buf *room, struct tl_json_piece *out);
/* Skips to the end of the object entered last; checks only brackets and strings. False
 * if the object has no end: then the place stays, and reading on member by member gives
 * the error. */
bool tl_json_doc_skip_rest(struct tl_json_doc *);

/* Nothing but blanks is left. */
bool tl_json_doc_end(struct tl_json_doc *);
/* Reads what is left, whatever it is. */
bool tl_json_doc_drain(struct tl_json_doc *);

/* Offset in the text of the next byte to read. */
static inline int64_t tl_json_doc_offset(const struct tl_json_doc *d)
{
	return d->base + (d->p - d->buf);
}

/* Fails at the next byte to read: "expected ..., found ...". Returns false. */
bool tl_json_doc_expected(struct tl_json_doc *, const char *expected);
/* Fails because of text that was read already and that begins at that offset. */
bool tl_json_doc_fail(struct tl_json_doc *, int64_t offset, const char *what);

/* After malformed text in an element of a list (d->bad is set): forgets the failure
 * and goes to the next element that looks whole. That is an object behind the damage
 * which follows "}" and "," and which looks_right accepts by its first bytes. False if
 * the text has no such object: then the failure stays, and cut_short is set. */
bool tl_json_doc_resync(struct tl_json_doc *, bool (*looks_right)(const char *object));

#endif
