/* test_sorter.c - records sorted in bounded memory.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/sorter.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static int failures;

static void check(bool ok, const char *what)
{
	printf("%s %s\n", ok ? "ok" : "FAIL", what);
	failures += !ok;
}

/* Do n records come sorted by key, and equal ones as they were added? */
static bool comes_sorted(struct tl_sorter *s, uint32_t n)
{
	struct tl_error err;
	struct tl_sorted next;
	uint32_t count = 0, number, last = 0;
	int64_t last_key = INT64_MIN;
	bool good = true;

	while (good && tl_sorter_next(s, &next, &err) == TL_OK && next.data) {
		memcpy(&number, next.data, sizeof number);
		int64_t k = (int64_t)(number * 7919u % 97) - 48;
		good = next.len == sizeof number && (k > last_key || (k == last_key && number > last));
		last_key = k;
		last = number;
		count++;
	}
	return good && count == n;
}

/* n records with 97 different keys: are they sorted, also when they are read again from the beginning, at the end and
 * halfway? */
static bool sorts(uint32_t n)
{
	struct tl_sorter *s = tl_sorter_new();
	struct tl_error err;
	struct tl_sorted next;
	struct tl_buf key = { 0 };
	bool good = true;

	for (uint32_t i = 0; i < n; i++) {
		tl_buf_clear(&key);
		tl_key_add_int(&key, (int64_t)(i * 7919u % 97) - 48);
		good = good && tl_sorter_add(s, key.data, key.len, &i, sizeof i, &err) == TL_OK;
	}
	good = good && comes_sorted(s, n);
	tl_sorter_rewind(s);
	for (uint32_t i = 0; i < n / 2; i++)
		good = good && tl_sorter_next(s, &next, &err) == TL_OK && next.data;
	tl_sorter_rewind(s);
	good = good && comes_sorted(s, n);
	tl_buf_release(&key);
	tl_sorter_free(s);
	return good;
}

static int compare_keys(const struct tl_buf *a, const struct tl_buf *b)
{
	int r = memcmp(a->data, b->data, a->len < b->len ? a->len : b->len);

	return r ? r : (a->len > b->len) - (a->len < b->len);
}

static bool reals_ascend(void)
{
	static const double d[] = { -1e300, -2.5, -1e-300, 0, 1e-300, 1, 2.5, 1e300 };
	bool good = true;

	for (size_t i = 1; i < sizeof d / sizeof *d; i++) {
		struct tl_buf a = { 0 }, b = { 0 };
		tl_key_add_real(&a, d[i - 1]);
		tl_key_add_real(&b, d[i]);
		good = good && compare_keys(&a, &b) < 0;
		tl_buf_release(&a);
		tl_buf_release(&b);
	}
	return good;
}

/* "a", 2 is before "ab", 1, and "a\0" behind "a" */
static bool texts_ascend(void)
{
	struct tl_buf a = { 0 }, nul = { 0 }, ab = { 0 };

	tl_key_add_text(&a, "a", 1);
	tl_key_add_int(&a, 2);
	tl_key_add_text(&nul, "a\0", 2);
	tl_key_add_int(&nul, 1);
	tl_key_add_text(&ab, "ab", 2);
	tl_key_add_int(&ab, 1);
	bool good = compare_keys(&a, &nul) < 0 && compare_keys(&nul, &ab) < 0;
	tl_buf_release(&a);
	tl_buf_release(&nul);
	tl_buf_release(&ab);
	return good;
}

/* Files may not grow, so what does not fit in memory has no place. */
static bool says_that_it_fails(void)
{
	struct tl_sorter *s = tl_sorter_new();
	struct tl_error err = { .status = TL_OK };
	enum tl_status st = TL_OK;
	static char data[65536];

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 4096, 4096 });
	for (int i = 0; i < 1000 && !st; i++)
		st = tl_sorter_add(s, "key", 3, data, sizeof data, &err);
	tl_sorter_free(s);
	return st == TL_ERR_IO && strstr(err.text, "temporary file");
}

int main(void)
{
	check(sorts(0), "no record");
	check(sorts(5000), "records in memory");
	check(sorts(400000), "records in files");
	check(reals_ascend(), "keys of reals are in their order");
	check(texts_ascend(), "keys of texts are in their order");
	check(says_that_it_fails(), "a temporary file that cannot be written is an error");
	return failures != 0;
}
