/* pickle.c - plain values in a file that Python's pickle wrote.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/pickle.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* The machine. Marks are places in the stack. */
struct machine {
	struct tl_pickle *p;
	const uint8_t *start, *at, *end;
	uint32_t *stack; size_t n, cap;
	size_t *marks; size_t n_marks, cap_marks;
	uint32_t *memo; size_t n_memo, cap_memo; /* 1 + number of a value; 0: none */
	uint64_t n_memoized;
	const char *wrong;  /* NULL: nothing */
};

static bool fail(struct machine *m, const char *wrong)
{
	m->wrong = m->wrong ? m->wrong : wrong;
	return false;
}

/* Takes n bytes, a number with the lowest byte first. */
static uint64_t take(struct machine *m, size_t n)
{
	uint64_t v = 0;

	if ((size_t)(m->end - m->at) < n) {
		fail(m, "the file is cut short");
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		v |= i < 8 ? (uint64_t)m->at[i] << 8 * i : 0;
	m->at += n;
	return v;
}

static const char *take_bytes(struct machine *m, uint64_t len)
{
	const char *bytes = (const char *)m->at;

	if (len > UINT32_MAX || (uint64_t)(m->end - m->at) < len) {
		fail(m, "the file is cut short");
		return NULL;
	}
	m->at += len;
	return bytes;
}

static bool push(struct machine *m, uint32_t value)
{
	TL_PUSH(m->stack, m->n, m->cap, value);
	return true;
}

static bool push_new(struct machine *m, struct tl_pickle_value v)
{
	struct tl_pickle *p = m->p;

	if (m->wrong)
		return false;
	if (p->n == UINT32_MAX)
		return fail(m, "more than 2^32 values");
	TL_GROW(p->values, p->cap, (size_t)p->n + 1);
	p->values[p->n++] = v;
	return push(m, p->n - 1);
}

static bool push_int(struct machine *m, int64_t i)
{
	return push_new(m, (struct tl_pickle_value){ .type = TL_PICKLE_INT, .i = i });
}

static bool push_bytes(struct machine *m, uint64_t len, enum tl_pickle_type type)
{
	const char *text = take_bytes(m, len);

	return text && push_new(m, (struct tl_pickle_value){ .type = (uint8_t)type, .n = (uint32_t)len, .text = text });
}

/* An integer of `len` bytes in two's complement. */
static bool push_long(struct machine *m, uint64_t len)
{
	const uint8_t *bytes = (const uint8_t *)take_bytes(m, len);
	uint64_t v = 0;

	if (!bytes)
		return false;
	for (uint64_t i = 0; i < 8; i++)
		v |= (uint64_t)(i < len ? bytes[i] : len && bytes[len - 1] & 0x80 ? 0xff : 0) << 8 * i;
	return push_int(m, (int64_t)v);
}

/* The lowest place in the stack that may be taken: that of the last mark. */
static size_t bottom(const struct machine *m)
{
	return m->n_marks ? m->marks[m->n_marks - 1] : 0;
}

/* Takes what lies above the last mark. *n receives how many values. */
static bool take_marked(struct machine *m, size_t *n)
{
	if (!m->n_marks)
		return fail(m, "a mark is missing");
	*n = m->n - m->marks[--m->n_marks];
	m->n -= *n;
	return true;
}

/* Takes the last n values off the stack and adds them to the container below, of that type. */
static bool add_items(struct machine *m, size_t n, enum tl_pickle_type type)
{
	if (m->n <= bottom(m) || m->p->values[m->stack[m->n - 1]].type != type)
		return fail(m, "values are added to what is no list or dictionary");
	struct tl_pickle_value *v = &m->p->values[m->stack[m->n - 1]];
	size_t cap = v->cap;

	if (n > UINT32_MAX - v->n)
		return fail(m, "more than 2^32 values");
	if (v->n + n > cap) {
		TL_GROW(v->items, cap, v->n + n);
		v->cap = (uint32_t)(cap < UINT32_MAX ? cap : UINT32_MAX);
	}
	if (n)
		memcpy(v->items + v->n, m->stack + m->n, n * sizeof *v->items);
	v->n += (uint32_t)n;
	return true;
}

/* Adds the last n values, which need not be above a mark. */
static bool add_last(struct machine *m, size_t n, enum tl_pickle_type type)
{
	if (m->n - bottom(m) < n + 1)
		return fail(m, "values are missing");
	m->n -= n;
	return add_items(m, n, type);
}

static bool add_marked(struct machine *m, enum tl_pickle_type type)
{
	size_t n;

	if (!take_marked(m, &n))
		return false;
	if (type == TL_PICKLE_DICT && n % 2)
		return fail(m, "a key has no value");
	return add_items(m, n, type);
}

/* Makes a tuple of the n values that were just taken. */
static bool push_tuple(struct machine *m, size_t n)
{
	struct tl_pickle_value v = { .type = TL_PICKLE_LIST, .n = (uint32_t)n, .cap = (uint32_t)n };

	if (n > UINT32_MAX)
		return fail(m, "more than 2^32 values");
	v.items = tl_alloc((n + 1) * sizeof *v.items);
	if (n)
		memcpy(v.items, m->stack + m->n, n * sizeof *v.items);
	if (push_new(m, v))
		return true;
	free(v.items);
	return false;
}

static bool make_tuple(struct machine *m, size_t n)
{
	if (m->n - bottom(m) < n)
		return fail(m, "values are missing");
	m->n -= n;
	return push_tuple(m, n);
}

static bool put(struct machine *m, uint64_t number)
{
	if (m->n <= bottom(m))
		return fail(m, "there is no value to remember");
	if (number > (uint64_t)(m->end - m->start)) /* one for each byte of the file at most */
		return fail(m, "a value is remembered under a number that is too large");
	size_t old = m->n_memo;

	if (number >= m->n_memo) {
		TL_GROW(m->memo, m->cap_memo, (size_t)number + 1);
		memset(m->memo + old, 0, ((size_t)number + 1 - old) * sizeof *m->memo);
		m->n_memo = (size_t)number + 1;
	}
	m->memo[number] = 1 + m->stack[m->n - 1];
	return true;
}

static bool get(struct machine *m, uint64_t number)
{
	if (m->wrong || number >= m->n_memo || !m->memo[number])
		return fail(m, "a value that was not remembered is asked for");
	return push(m, m->memo[number] - 1);
}

static bool mark(struct machine *m)
{
	TL_PUSH(m->marks, m->n_marks, m->cap_marks, m->n);
	return true;
}

static bool marked_tuple(struct machine *m)
{
	size_t n;

	return take_marked(m, &n) && push_tuple(m, n);
}

static bool pop(struct machine *m)
{
	if (m->n <= bottom(m))
		return fail(m, "there is no value to drop");
	m->n--;
	return true;
}

/* What runs or imports something. */
static const struct { uint8_t opcode; const char *wrong; } refused[] = {
	{ 'c', "GLOBAL, which imports what the file names, is refused" }, { 0x93, "STACK_GLOBAL, which imports what the file names, is refused" },
	{ 'R', "REDUCE, which calls what the file names, is refused" }, { 'b', "BUILD, which changes an object, is refused" },
	{ 'i', "INST, which makes an object, is refused" }, { 'o', "OBJ, which makes an object, is refused" },
	{ 0x81, "NEWOBJ, which makes an object, is refused" }, { 0x92, "NEWOBJ_EX, which makes an object, is refused" },
	{ 'P', "PERSID, which calls the loader, is refused" }, { 'Q', "BINPERSID, which calls the loader, is refused" },
	{ 0x82, "EXT1, which imports, is refused" }, { 0x83, "EXT2, which imports, is refused" }, { 0x84, "EXT4, which imports, is refused" },
};

static bool refuse(struct machine *m, uint8_t opcode)
{
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		if (refused[i].opcode == opcode)
			return fail(m, refused[i].wrong);
	return fail(m, "an opcode that plain values do not need is refused");
}

/* Opcodes that make a value of what follows them. */
static bool make_value(struct machine *m, uint8_t opcode)
{
	static const struct tl_pickle_value other = { .type = TL_PICKLE_OTHER };

	switch (opcode) {
	case '}': return push_new(m, (struct tl_pickle_value){ .type = TL_PICKLE_DICT });
	case ']': case ')': return push_new(m, (struct tl_pickle_value){ .type = TL_PICKLE_LIST });
	case 'J': return push_int(m, (int32_t)(uint32_t)take(m, 4));
	case 'K': return push_int(m, (int64_t)take(m, 1));
	case 'M': return push_int(m, (int64_t)take(m, 2));
	case 0x8a: return push_long(m, take(m, 1));
	case 0x8b: return push_long(m, take(m, 4));
	case 0x8c: return push_bytes(m, take(m, 1), TL_PICKLE_TEXT);
	case 'X': return push_bytes(m, take(m, 4), TL_PICKLE_TEXT);
	case 0x8d: return push_bytes(m, take(m, 8), TL_PICKLE_TEXT);
	case 'C': return push_bytes(m, take(m, 1), TL_PICKLE_OTHER);
	case 'B': return push_bytes(m, take(m, 4), TL_PICKLE_OTHER);
	case 'G': take(m, 8); return push_new(m, other);
	case 'N': case 0x88: case 0x89: return push_new(m, other);
	default: return refuse(m, opcode);
	}
}

static bool step(struct machine *m, uint8_t opcode)
{
	switch (opcode) {
	case 0x80: take(m, 1); return !m->wrong;  /* the protocol */
	case 0x95: take(m, 8); return !m->wrong;  /* a frame: how many bytes follow */
	case '(': return mark(m);
	case '0': return pop(m);
	case 'a': return add_last(m, 1, TL_PICKLE_LIST);
	case 'e': return add_marked(m, TL_PICKLE_LIST);
	case 's': return add_last(m, 2, TL_PICKLE_DICT);
	case 'u': return add_marked(m, TL_PICKLE_DICT);
	case 't': return marked_tuple(m);
	case 0x85: return make_tuple(m, 1);
	case 0x86: return make_tuple(m, 2);
	case 0x87: return make_tuple(m, 3);
	case 0x94: return put(m, m->n_memoized++);
	case 'q': return put(m, take(m, 1));
	case 'r': return put(m, take(m, 4));
	case 'h': return get(m, take(m, 1));
	case 'j': return get(m, take(m, 4));
	default: return make_value(m, opcode);
	}
}

enum tl_status tl_pickle_read(struct tl_pickle *p, const void *data, size_t len, struct tl_error *err)
{
	struct machine m = { .p = p, .start = data, .at = data, .end = (const uint8_t *)data + len };
	const uint8_t *at = m.at;
	bool done = false;

	*p = (struct tl_pickle){ 0 };
	while (!done) {
		at = m.at;
		uint8_t opcode = (uint8_t)take(&m, 1);
		if (m.wrong || (opcode != '.' && !step(&m, opcode)))
			break;
		done = opcode == '.';
	}
	if (done && m.n != 1)
		done = fail(&m, "the pickle ends without its value");
	if (done)
		p->root = m.stack[0];
	free(m.stack);
	free(m.marks);
	free(m.memo);
	return done ? TL_OK : tl_fail_at(err, TL_ERR_DATA, at - m.start, "a pickle of plain values was expected: %s", m.wrong);
}

void tl_pickle_release(struct tl_pickle *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->values[i].type == TL_PICKLE_LIST || p->values[i].type == TL_PICKLE_DICT)
			free(p->values[i].items);
	free(p->values);
	*p = (struct tl_pickle){ 0 };
}

struct tl_pickle_value *tl_pickle_member(const struct tl_pickle *p, const struct tl_pickle_value *dict, const char *key)
{
	if (!dict || dict->type != TL_PICKLE_DICT || dict->n > 2 * TL_PICKLE_KEYS)
		return NULL;
	for (uint32_t i = dict->n; i >= 2; i -= 2) { /* the last one counts */
		const struct tl_pickle_value *k = &p->values[dict->items[i - 2]];
		if (k->type == TL_PICKLE_TEXT && tl_text_is(k->text, k->n, key))
			return &p->values[dict->items[i - 1]];
	}
	return NULL;
}
