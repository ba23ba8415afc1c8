/* test_capture.c - calls of a graph's capture paired with the kernels of its replay, and the
 * index of captures.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "edit/launch_pairs.h"
#include "edit/capture_index.h"
#include "check.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- pairs -------------------------------------------------------------------------- */

enum { MOST = 16 };

/* A letter is a name; 'C' and 'F' stand for copies and fills. In calls a digit 0 stands for
 * one that does not say its kernel. In kernels a digit is the stream of those after it. */
static size_t read_calls(const char *s, struct tl_captured_call *c)
{
	size_t n = 0;

	for (; *s; s++, n++) {
		c[n] = (struct tl_captured_call){ (uint32_t)(*s == '0' ? 0 : *s), 0, islower((unsigned char)*s) };
		if (*s == 'C' || *s == 'F')
			c[n] = (struct tl_captured_call){ 0, *s == 'C' ? TL_COPY_MEMCPY : TL_COPY_MEMSET, false };
	}
	return n;
}

static size_t read_kernels(const char *s, struct tl_replayed *k)
{
	uint32_t stream = 0;
	size_t n = 0;

	for (; *s; s++) {
		if (isdigit((unsigned char)*s)) {
			stream = (uint32_t)*s;
			continue;
		}
		k[n++] = (struct tl_replayed){ (uint32_t)*s, stream, *s == 'C' ? TL_COPY_MEMCPY : *s == 'F' ? TL_COPY_MEMSET : 0 };
	}
	return n;
}

/* wanted: the number of the call of each kernel, or the start of the reason. */
static void check_pairs(const char *calls, const char *kernels, const char *wanted)
{
	struct tl_captured_call c[MOST] = { 0 };
	struct tl_replayed k[MOST] = { 0 };
	struct tl_launch_pair p[MOST];
	size_t n_calls = read_calls(calls, c), n = read_kernels(kernels, k), unchecked;
	const char *why = tl_align(c, n_calls, k, n, p, &unchecked);
	char got[200] = "", title[200];

	for (size_t i = 0; !why && i < n; i++)
		got[p[i].event] = (char)('0' + p[i].call);
	snprintf(title, sizeof title, "calls %s, kernels %s: %s", calls, kernels, wanted);
	check(title, !strncmp(why ? why : got, wanted, strlen(wanted)) && (why || strlen(got) == strlen(wanted)));
}

static void check_all_pairs(void)
{
	check_pairs("aba", "aba", "012");
	check_pairs("aCF", "aCF", "012");
	check_pairs("a00", "abc", "012");       /* by place, unchecked */
	check_pairs("aab", "baa", "201");       /* by name */
	check_pairs("aCb", "baC", "the capture has other kernels"); /* a copy has another name */
	check_pairs("ab", "ac", "the capture has other kernels");
	check_pairs("abcd", "bd", "13");        /* in order */
	check_pairs("aCbF", "CF", "13");
	check_pairs("abc", "ba", "kernels do not follow");
	check_pairs("ab", "aab", "kernels do not follow");
	check_pairs("abab", "1aa2bb", "0213");  /* by stream */
	check_pairs("axb", "1a2b", "02");
	check_pairs("abac", "1ab2ac", "0123");  /* the longer run */
	check_pairs("acab", "1ab2ac", "2301");
	check_pairs("aaa", "1a2ab", "kernels on several streams");
	check_pairs("a0", "1a2b", "the graph runs on several streams");
	check_pairs("aC", "1a2C", "01");
	check_pairs("a", "", "");
}

/* ---- index ---------------------------------------------------------------------------- */

static void check_choice(const char *json, int64_t batch_size, size_t n_graphs, const char *wanted)
{
	struct tl_capture_index x = { 0 };
	struct tl_error err;
	char title[300];

	snprintf(title, sizeof title, "batch size %d, %zu graphs: %s", (int)batch_size, n_graphs, wanted);
	if (tl_capture_index_read(&x, "index", json, strlen(json), &err) != TL_OK) {
		check(title, false);
		return;
	}
	const struct tl_capture *c = tl_capture_find(&x, batch_size, n_graphs);
	check(title, !strcmp(c ? c->file : "none", wanted));
	tl_capture_index_release(&x);
}

static void check_index(void)
{
	static const char json[] =
		"[{\"file\":\"f4\",\"batch_size\":4,\"mode\":\"FULL\"},{\"file\":\"p4\",\"batch_size\":4,\"mode\":\"PIECEWISE\"},"
		"{\"file\":\"f8\",\"batch_size\":8,\"mode\":\"FULL\"},{\"file\":\"g8\",\"batch_size\":8,\"mode\":\"FULL\"},"
		"{\"file\":\"x5\",\"batch_size\":5,\"mode\":\"decode\"},{\"file\":\"n\",\"batch_size\":null,\"mode\":\"FULL\"},"
		"{\"file\":\"t\",\"batch_size\":true,\"mode\":\"FULL\"},{\"file\":\"p16\",\"batch_size\":16,\"mode\":\"PIECEWISE\"}]";
	struct tl_capture_index x = { 0 };
	struct tl_buf b = { 0 };
	struct tl_error err;

	check_choice(json, 1, 1, "f4");
	check_choice(json, 4, 2, "p4");
	check_choice(json, 5, 1, "g8");
	check_choice(json, 8, 3, "g8");
	check_choice(json, 9, 1, "p16");
	check_choice(json, 17, 1, "none");
	check_choice("[]", 1, 1, "none");
	tl_capture_index_write(&x, &b);
	check("an empty index is an empty list", !strcmp(b.data, "[]"));
	tl_buf_clear(&b);
	tl_capture_index_add(&x, &(struct tl_capture){ .file = "a\"b", .mode = "FULL" });
	tl_capture_index_write(&x, &b);
	check("an index can be read again", tl_capture_index_read(&x, "index", b.data, b.len, &err) == TL_OK && x.n == 2 &&
	      !strcmp(x.items[1].file, "a\"b") && !x.items[1].has_batch_size);
	tl_capture_index_release(&x);
	tl_buf_release(&b);
}

int main(void)
{
	check_all_pairs();
	check_index();
	return failures != 0;
}
