/* chain_tensors.c - what a chain of operators knows of tensors, by their sizes: a trace does not name them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "roofline/chain_tensors.h"

/* May it be the same tensor? The type of a list's tensors is not told. */
static bool same_size(const struct tl_tensor *a, const struct tl_tensor *b)
{
	return a->numel > 0 && a->numel == b->numel && (a->bytes == b->bytes || !(a->bytes > 0) || !(b->bytes > 0));
}

/* Is it cut out of the other one along one dimension? */
static bool is_slice(const struct tl_tensor *part, const struct tl_tensor *of)
{
	uint32_t shorter = 0;

	if (!part->n || part->n != of->n)
		return false;
	for (uint32_t d = 0; d < part->n; d++) {
		if (part->dims[d] > of->dims[d])
			return false;
		shorter += part->dims[d] < of->dims[d];
	}
	return shorter == 1;
}

static bool is_reduced(const struct tl_known *k, const struct tl_tensor *t)
{
	return k->reduced > 0 && t->numel > 0 && t->numel < k->reduced && k->reduced / t->numel == (double)(int64_t)(k->reduced / t->numel);
}

static void know(struct tl_known *k, const struct tl_tensor *t, bool made, bool used)
{
	if (k->n < TL_MAX_KNOWN)
		k->items[k->n++] = (struct tl_known_tensor){ *t, made, used };
}

/* The place of what the chain knows and this may be: what nothing has used yet first, the last made; seen: bits of those that the
 * same operator has already. k->n: nothing. */
static size_t find_known(const struct tl_known *k, const struct tl_tensor *t, uint64_t seen)
{
	size_t found = k->n;

	for (size_t i = k->n; i-- > 0;) {
		if (seen >> i & 1)
			continue;
		bool same = same_size(t, &k->items[i].t);
		if (same && k->items[i].made && !k->items[i].used)
			return i;
		if ((same || is_slice(t, &k->items[i].t)) && found == k->n)
			found = i;
	}
	return found;
}

bool tl_known_continues(const struct tl_known *k, const struct tl_tensor *in, uint32_t n_in)
{
	uint64_t seen = 0;
	uint32_t n = 0, fresh = 0;

	for (uint32_t i = 0; i < n_in; i++) {
		size_t at = find_known(k, &in[i], seen);
		if (at < k->n)
			seen |= (uint64_t)1 << at;
		n += at < k->n || is_reduced(k, &in[i]);
		fresh += k->fresh > 0 && in[i].numel == k->fresh;
	}
	return n > 0 && (!(k->fresh > 0) || fresh > 1);
}

static void take_input(struct tl_known *k, const struct tl_tensor *t, uint64_t *seen)
{
	size_t at = find_known(k, t, *seen);
	bool exact = at < k->n && same_size(t, &k->items[at].t), is_new = at == k->n || (k->fresh > 0 && t->numel == k->fresh && (!k->items[at].made || k->items[at].used));

	if (!exact && is_reduced(k, t)) {
		know(k, t, true, true);
		k->passed_on++;
		k->reduced = 0;
		return;
	}
	if (is_new) {
		k->read += t->numel * t->bytes;
		k->fresh = 0;
		at = k->n;
		know(k, t, false, true);
	} else {
		k->passed_on += k->items[at].made && !k->items[at].used;
		k->items[at].used = true;
	}
	if (at < TL_MAX_KNOWN)
		*seen |= (uint64_t)1 << at;
}

double tl_known_take(struct tl_known *k, const struct tl_tensor *in, uint32_t n_in, const struct tl_tensor *out, bool reduces)
{
	double moved = out->numel * out->bytes;
	uint64_t seen = 0;

	for (uint32_t i = 0; i < n_in; i++) {
		moved += in[i].numel * in[i].bytes;
		take_input(k, &in[i], &seen);
	}
	k->fresh = 0;
	if (reduces)
		k->reduced = n_in ? in[0].numel : 0;
	else
		know(k, out, true, false);
	return moved;
}

double tl_known_written(const struct tl_known *k)
{
	double sum = 0;

	for (size_t i = 0; i < k->n; i++)
		sum += k->items[i].made && !k->items[i].used ? k->items[i].t.numel * k->items[i].t.bytes : 0;
	return sum;
}
