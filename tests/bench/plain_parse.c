/* plain_parse.c - what tl-parse does with a trace of JSON, without templates of events.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <unistd.h>

#include "readers/readers.h"
#include "model/stream.h"

static int64_t read_file(struct tl_input *in, void *buf, size_t len, struct tl_error *err)
{
	(void)in, (void)err;
	return read(STDIN_FILENO, buf, len);
}

static enum tl_status drop(struct tl_output *out, const void *buf, size_t len, struct tl_error *err)
{
	(void)out, (void)buf, (void)len, (void)err;
	return TL_OK;
}

int main(void)
{
	struct tl_read_options options = { .plain = true };
	struct tl_input in = { .read = read_file };
	struct tl_output out = { .write = drop };
	struct tl_sink *sink = tl_writer_new(&out, NULL);
	struct tl_read_report report = { 0 };
	struct tl_error err = { 0 };

	if (tl_read(&in, &options, sink, &report, &err))
		fprintf(stderr, "plain_parse: error: %s\n", err.text);
	tl_writer_free(sink);
	return err.status != TL_OK;
}
