/* nsys_report.c - a report of Nsight Systems (.nsys-rep, .qdrep), which only Nsight Systems
 * reads: the error says which command makes a file that tl-parse reads.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/reader.h"

#include <string.h>

/* So the reports of version 2022 begin; the name is that of Nsight Systems' ancestor. */
#define MAGIC "NVIDIA Tegra Profiler Report"

static enum tl_match match_nsys_report(const unsigned char *first, size_t len)
{
	size_t n = len < strlen(MAGIC) ? len : strlen(MAGIC);

	if (memcmp(first, MAGIC, n))
		return TL_MATCH_NO;
	return n == strlen(MAGIC) ? TL_MATCH_YES : TL_MATCH_MORE;
}

static enum tl_status refuse(struct tl_input *in, const struct tl_read_options *options, struct tl_sink *sink,
                             struct tl_read_report *report, struct tl_error *err)
{
	(void)in;
	(void)options;
	(void)sink;
	(void)report;
	return tl_fail(err, TL_ERR_DATA, "a report of Nsight Systems, which only Nsight Systems reads; make a database of it, "
	               "which tl-parse reads: nsys export --type sqlite FILE");
}

const struct tl_reader tl_reader_nsys_report = { "a report of Nsight Systems", match_nsys_report, refuse };
