/* perfetto_json.c - reads the JSON that traceconv makes of a trace of Perfetto: PyTorch's
 * reader knows the document, perfetto_model.c the events.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/perfetto.h"

#include <string.h>

#include "json/scan.h"

extern const struct tl_reader tl_reader_pytorch;

enum { PEEK = 4096 };

/* Does the text begin with this, but for blanks? *at becomes the place behind. */
static enum tl_match begins_with(const char *text, const char *start, size_t len, size_t *at)
{
	size_t i = 0;

	for (; *start; start++, i++) {
		while (i < len && tl_json_is_blank(text[i]))
			i++;
		if (i == len)
			return TL_MATCH_MORE;
		if (text[i] != *start)
			return TL_MATCH_NO;
	}
	*at = i;
	return TL_MATCH_YES;
}

/* A list of events alone, of which an early one is of a category that only these traces have. */
static enum tl_match match_json(const unsigned char *first, size_t len)
{
	static const char *const categories[] = {
		"__metadata", "kernel_dispatch", "memory_copy", "hip_api", "hsa_api", "marker_api", "rccl_api",
	};
	const char *text = (const char *)first;
	size_t at = 0, size;
	enum tl_match m = begins_with(text, "{\"traceEvents\":[", len, &at);

	if (m != TL_MATCH_YES)
		return m;
	for (const char *p = text + at; (p = memmem(p, (size_t)(text + len - p), "\"cat\"", 5)); p += 5) {
		if (begins_with(p + 5, ":\"", (size_t)(text + len - p) - 5, &size) != TL_MATCH_YES)
			continue;
		const char *cat = p + 5 + size;
		for (size_t i = 0; i < sizeof categories / sizeof *categories; i++) {
			size_t n = strlen(categories[i]);
			if ((size_t)(text + len - cat) > n && !memcmp(cat, categories[i], n) && cat[n] == '"')
				return TL_MATCH_YES;
		}
	}
	return len < PEEK ? TL_MATCH_MORE : TL_MATCH_NO;
}

static enum tl_status read_json(struct tl_input *in, const struct tl_read_options *options, struct tl_sink *sink,
                                struct tl_read_report *report, struct tl_error *err)
{
	struct tl_sink *model = tl_pf_model_new(sink);
	struct tl_read_options all = *options;
	enum tl_status st;

	all.drop_kinds = 0; /* kinds are found out behind that reader */
	st = tl_reader_pytorch.read(in, &all, model, report, err);
	tl_pf_model_free(model);
	return st;
}

const struct tl_reader tl_reader_perfetto_json = { "traceconv's JSON", match_json, read_json };
