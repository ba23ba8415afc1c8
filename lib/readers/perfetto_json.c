/* perfetto_json.c - reads the JSON that traceconv makes of a trace of Perfetto: PyTorch's
 * reader knows the document, perfetto_model.c the events.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/perfetto.h"

#include <string.h>

#include "json/scan.h"

extern const struct tl_reader tl_reader_pytorch;

enum { PEEK = 4096 };

/* Categories of early events. The records about processes and threads of any trace of Chrome's
 * are __metadata; one that PyTorch's profiler wrote, and some tool of Perfetto has written
 * again, stays PyTorch's. */
static const struct { const char *name; enum tl_match match; } categories[] = {
	{ "cpu_op", TL_MATCH_NO }, { "user_annotation", TL_MATCH_NO }, { "python_function", TL_MATCH_NO },
	{ "cuda_runtime", TL_MATCH_NO }, { "cuda_driver", TL_MATCH_NO }, { "gpu_memcpy", TL_MATCH_NO }, { "kernel", TL_MATCH_NO },
	{ "kernel_dispatch", TL_MATCH_YES }, { "memory_copy", TL_MATCH_YES }, { "hip_api", TL_MATCH_YES },
	{ "hsa_api", TL_MATCH_YES }, { "marker_api", TL_MATCH_YES }, { "rccl_api", TL_MATCH_YES },
	{ "__metadata", TL_MATCH_MORE },
};

/* What the category that the text begins with tells; TL_MATCH_DEFAULT: nothing. */
static enum tl_match match_category(const char *text, size_t len)
{
	for (size_t i = 0; i < sizeof categories / sizeof *categories; i++) {
		size_t n = strlen(categories[i].name);
		if (len > n && !memcmp(text, categories[i].name, n) && text[n] == '"')
			return categories[i].match;
	}
	return TL_MATCH_DEFAULT;
}

/* Does the text, but for blanks, end as a document does? */
static bool has_end(const char *text, size_t len)
{
	while (len && tl_json_is_blank(text[len - 1]))
		len--;
	return len && text[len - 1] == '}';
}

/* A list of events alone, of which the first one that tells more than __metadata decides; if
 * none does, __metadata counts. */
static enum tl_match match_json(const unsigned char *first, size_t len)
{
	static const char *const start[] = { "{", "\"traceEvents\"", ":", "[", NULL }, *const text_follows[] = { ":", "\"", NULL };
	const char *text = (const char *)first;
	size_t at = 0, size;
	enum tl_match m = tl_match_json(first, len, start, &at);
	bool metadata = false;

	if (m != TL_MATCH_YES)
		return m;
	for (const char *p = text + at; (p = memmem(p, (size_t)(text + len - p), "\"cat\"", 5)); p += 5) {
		if (tl_match_json((const unsigned char *)p + 5, (size_t)(text + len - p) - 5, text_follows, &size) != TL_MATCH_YES)
			continue;
		const char *cat = p + 5 + size;
		m = match_category(cat, (size_t)(text + len - cat));
		if (m == TL_MATCH_YES || m == TL_MATCH_NO)
			return m;
		metadata |= m == TL_MATCH_MORE;
	}
	if (metadata && (len == PEEK || has_end(text, len)))
		return TL_MATCH_YES;
	return len < PEEK ? TL_MATCH_MORE : TL_MATCH_NO;
}

static enum tl_status read_json(struct tl_input *in, const struct tl_read_options *options, struct tl_sink *sink,
                                struct tl_read_report *report, struct tl_error *err)
{
	struct tl_sink *model = tl_pf_model_new(sink, report, true);
	struct tl_read_options all = *options;
	enum tl_status st;

	all.drop_kinds = 0; /* kinds are found out behind that reader */
	st = tl_reader_pytorch.read(in, &all, model, report, err);
	tl_pf_model_free(model);
	return st;
}

const struct tl_reader tl_reader_perfetto_json = { "traceconv's JSON", match_json, read_json };
