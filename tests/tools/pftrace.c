/* pftrace.c - writes a trace of Perfetto as rocprofv3 does: N dispatches of 500 kernels, and as
 * many HIP calls, on stdout. 310 bytes a dispatch and its call.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
 *
 * usage: pftrace N [inline] >FILE.pftrace
 * inline: each event spells its names, instead of numbers that stand for them */
#include "protobuf_write.h"

#include <stdbool.h>

/* Numbers of fields: of the trace and of a packet; of an event; of interned data. */
enum { PACKET = 1, STAMP = 8, SEQUENCE = 10, EVENT = 11, INTERNED = 12, FLAGS = 13, CLOCK = 58, TRACK = 60 };
enum { CATEGORY = 3, ARG = 4, TYPE = 9, NAME = 10, OF_TRACK = 11, CATEGORY_TEXT = 22, NAME_TEXT = 23 };
enum { CLEARED = 1, NEEDS_STATE = 2, BEGIN = 1, END = 2, BOOTTIME = 6, PID = 908, KERNELS = 500, STREAMS = 4, CALL = 501 };
enum { PROCESS_TRACK = 100000, THREAD_TRACK, STREAM_TRACK };

/* Arguments, by number. */
static const char *const args[] = {
	"begin_ns", "end_ns", "delta_ns", "tid", "kind", "operation", "corr_id", "ancestor_id", "stream_ID", "agent", "queue",
	"kernel_id", "Scratch_Size", "LDS_Block_Size", "VGPR_Count", "workgroup_size", "grid_size",
};
enum { BEGIN_NS = 1, END_NS, DELTA_NS, TID, KIND, OPERATION, CORR_ID, ANCESTOR, STREAM, AGENT, QUEUE, KERNEL, SCRATCH, LDS, VGPR, GROUP, GRID };

static const char *const categories[] = { "kernel_dispatch", "hip_api" };
static char kernels[CALL][80];

static struct bytes trace, packet, event, one;
static bool is_inline;

static void end_packet(void)
{
	add_number(&packet, SEQUENCE, 2);
	add_message(&trace, PACKET, &packet);
	if (trace.len > 1 << 20)
		send(&trace);
}

/* ---- what is said once ------------------------------------------------------------- */

static void add_name(struct bytes *interned, uint64_t kind, uint64_t number, const char *name)
{
	add_number(&one, 1, number);
	add_bytes(&one, 2, name, strlen(name));
	add_message(interned, kind, &one);
}

static void intern_names(void)
{
	struct bytes interned = { 0 };

	for (uint64_t i = 1; i <= 2; i++)
		add_name(&interned, 1, i, categories[i - 1]);
	for (uint64_t i = 1; i <= CALL; i++)
		add_name(&interned, 2, i, kernels[i - 1]);
	for (size_t i = 0; i < sizeof args / sizeof *args; i++)
		add_name(&interned, 3, i + 1, args[i]);
	add_number(&packet, FLAGS, CLEARED);
	add_message(&packet, INTERNED, &interned);
	free(interned.data);
	end_packet();
}

static void names(void)
{
	for (int i = 1; i <= KERNELS; i++)
		snprintf(kernels[i - 1], sizeof *kernels, "void kernel_of_a_template<float, %d>(float const*, float*, int)", i);
	strcpy(kernels[KERNELS], "hipLaunchKernel");
	if (!is_inline)
		intern_names();
}

static void track(uint64_t id, uint64_t parent, int number, const char *name)
{
	add_number(&event, 1, id);
	if (parent)
		add_number(&event, 5, parent);
	if (number) { /* a process is field 3, a thread 4 */
		add_number(&one, 1, PID);
		if (number == 4)
			add_number(&one, 2, PID);
		add_bytes(&one, number == 4 ? 5 : 6, name, strlen(name));
		add_message(&event, (uint64_t)number, &one);
	} else {
		add_bytes(&event, 2, name, strlen(name));
	}
	add_message(&packet, TRACK, &event);
	end_packet();
}

static void tracks(void)
{
	track(PROCESS_TRACK, 0, 3, "python");
	track(THREAD_TRACK, PROCESS_TRACK, 4, "main");
	for (int i = 0; i < STREAMS; i++)
		track((uint64_t)(STREAM_TRACK + i), PROCESS_TRACK, 0, (char[]){ 'S', (char)('0' + i), 0 });
}

/* ---- events -------------------------------------------------------------------------- */

/* A name in the message: its text, as field `inlined`, or its number, as field `field`. */
static void add_named(struct bytes *to, uint64_t field, uint64_t number, uint64_t inlined, const char *text)
{
	if (is_inline)
		add_bytes(to, inlined, text, strlen(text));
	else
		add_number(to, field, number);
}

static void arg(uint64_t name, uint64_t value)
{
	add_named(&one, 1, name, 10, args[name - 1]);
	add_number(&one, 3, value);
	add_message(&event, ARG, &one);
}

static void text_arg(uint64_t name, const char *value)
{
	add_named(&one, 1, name, 10, args[name - 1]);
	add_bytes(&one, 6, value, strlen(value));
	add_message(&event, ARG, &one);
}

static void end_event(uint64_t stamp)
{
	add_number(&packet, STAMP, stamp);
	add_number(&packet, CLOCK, BOOTTIME);
	if (!is_inline)
		add_number(&packet, FLAGS, NEEDS_STATE);
	add_message(&packet, EVENT, &event);
	end_packet();
}

static void begin_event(uint64_t category, uint64_t name, uint64_t id, uint64_t begin, uint64_t dur)
{
	add_number(&event, TYPE, BEGIN);
	add_named(&event, CATEGORY, category, CATEGORY_TEXT, categories[category - 1]);
	add_named(&event, NAME, name, NAME_TEXT, kernels[name - 1]);
	add_number(&event, OF_TRACK, id);
	arg(BEGIN_NS, begin);
	arg(END_NS, begin + dur);
	arg(DELTA_NS, dur);
	arg(TID, PID);
}

static void end_slice(uint64_t id, uint64_t stamp)
{
	add_number(&event, TYPE, END);
	add_number(&event, OF_TRACK, id);
	end_event(stamp);
}

static void call(uint64_t i)
{
	uint64_t begin = 63855948198000 + 5000 * i, dur = 900 + i % 800;

	begin_event(2, CALL, THREAD_TRACK, begin, dur);
	arg(KIND, 5);
	arg(OPERATION, 205);
	arg(CORR_ID, i);
	arg(ANCESTOR, 0);
	arg(STREAM, i % STREAMS);
	end_event(begin);
	end_slice(THREAD_TRACK, begin + dur);
}

static void kernel(uint64_t i)
{
	uint64_t begin = 63855948200000 + 5000 * i, dur = 1000 + i * 7 % 3900, id = STREAM_TRACK + i % STREAMS;

	begin_event(1, i % KERNELS + 1, id, begin, dur);
	arg(KIND, 11);
	text_arg(AGENT, "GPU-1");
	arg(CORR_ID, i);
	arg(QUEUE, i % 3);
	arg(KERNEL, i % KERNELS + 1);
	arg(SCRATCH, 0);
	arg(LDS, i % 2 * 1024);
	arg(VGPR, 32);
	arg(GROUP, 256);
	arg(GRID, 256 * (i % 90 + 1));
	arg(STREAM, i % STREAMS);
	end_event(begin);
	end_slice(id, begin + dur);
}

int main(int argc, char **argv)
{
	uint64_t n = argc >= 2 ? strtoull(argv[1], NULL, 10) : 0;

	is_inline = argc == 3 && !strcmp(argv[2], "inline");
	if (!n || argc > 2 + is_inline)
		die("usage: pftrace N [inline]");
	names();
	tracks();
	for (uint64_t i = 1; i <= n; i++) {
		call(i);
		kernel(i);
	}
	send(&trace);
	return 0;
}
