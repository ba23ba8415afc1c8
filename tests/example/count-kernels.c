/* count-kernels - prints how often each kernel of a trace ran, and for how long:
 * an example of a program that uses the library.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
 *
 *   cc count-kernels.c $(pkg-config --cflags --libs tl) -o count-kernels
 *   count-kernels < trace.json.gz
 */
#include <tl.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int64_t read_stdin(struct tl_input *in, void *buf, size_t cap, struct tl_error *err)
{
	ssize_t n = read(STDIN_FILENO, buf, cap);

	if (n < 0)
		tl_fail(err, TL_ERR_IO, "%s: cannot read", in->name);
	return n;
}

struct row {
	uint32_t name; /* id of the kernel's name */
	uint64_t count;
	int64_t ns;
};

static int by_time(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

static void print_kernels(const struct tl_trace *t)
{
	struct row *rows = tl_calloc((size_t)t->strings.count + 1, sizeof *rows); /* by string id */

	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];

		if (t->layouts[e->layout].kind != TL_KIND_KERNEL)
			continue;
		rows[e->name].name = e->name;
		rows[e->name].count++;
		rows[e->name].ns += e->dur;
	}
	qsort(rows, (size_t)t->strings.count + 1, sizeof *rows, by_time);
	printf("count\ttime us\tkernel\n");
	for (uint32_t i = 0; i <= t->strings.count && rows[i].count; i++)
		printf("%llu\t%.3f\t%s\n", (unsigned long long)rows[i].count, (double)rows[i].ns / 1e3,
		       tl_str(&t->strings, rows[i].name));
	free(rows);
}

int main(void)
{
	struct tl_input in = { .name = "<stdin>", .read = read_stdin };
	struct tl_read_options read_options = { .lenient = false };
	struct tl_trace_options trace_options = { .drop_kinds = 1u << TL_KIND_PYTHON };
	struct tl_link_options link_options = { .python = false };
	struct tl_read_report report = { 0 };
	struct tl_trace *trace = NULL;
	struct tl_error err;

	/* events flow from the reader through the linker into memory */
	struct tl_sink *memory = tl_trace_sink_new(&trace, &trace_options);
	struct tl_sink *linker = tl_linker_new(memory, &link_options);
	int status = tl_read(&in, &read_options, linker, &report, &err);

	if (status == TL_OK)
		print_kernels(trace);
	else
		fprintf(stderr, "count-kernels: error: %s\n", err.text);
	tl_linker_free(linker);
	tl_trace_sink_free(memory);
	tl_trace_free(trace);
	return status != TL_OK;
}
