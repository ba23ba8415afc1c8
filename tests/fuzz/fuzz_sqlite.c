/* fuzz_sqlite.c - the reader of databases. The first byte chooses the options; the rest is
 * the database, whose header is made to tell its true length, so that what follows it is
 * read. Whatever it is, the reader ends and touches nothing outside its buffers.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "fuzz.h"

/* Cuts the database to whole pages and sets their number in its header. Returns its length. */
static size_t mend_header(uint8_t *db, size_t size)
{
	static const char magic[] = "SQLite format 3";
	size_t page = size < 100 ? 0 : (size_t)db[16] << 8 | db[17];

	if (page < 512 || page & (page - 1))
		return size;
	size_t pages = size / page;
	memcpy(db, magic, sizeof magic);
	db[28] = db[29] = 0;
	db[30] = (uint8_t)(pages >> 8);
	db[31] = (uint8_t)pages;
	memcpy(db + 92, db + 24, 4);
	return pages * page;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	struct tl_read_options o = { .lenient = data[0] & 1 };
	uint8_t *db = malloc(size);
	if (!db)
		return 0;
	memcpy(db, data + 1, size - 1);
	size_t len = data[0] & 2 ? size - 1 : mend_header(db, size - 1);
	struct tl_memory_input m = tl_memory_input("fuzz", db, len);
	struct tl_read_report report;
	struct tl_error err;

	tl_read(&m.in, &o, tl_null_sink(), &report, &err);
	free(db);
	return 0;
}
