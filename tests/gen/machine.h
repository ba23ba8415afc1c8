/* machine.h - a host and a GPU, simulated: what a program does takes time here, and is written down as the profiler sees it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
 *
 * The clock of the host advances by what operators and calls cost. A launch puts work into a stream, which begins it when the launch
 * has reached the GPU and what was launched before is done. Times are in ns. */
#ifndef TL_MACHINE_H
#define TL_MACHINE_H

#include "gen.h"

enum { MAIN_STREAM = 7, NCCL_STREAM = 20, N_STREAMS = 32 };

struct machine {
	const struct options *opt;
	uint64_t random;         /* begun anew at each place of the program: a fault at one place leaves the times of others alone */
	int64_t now;
	int64_t stream_end[N_STREAMS];
	int64_t first_on_device; /* since machine_mark(); 0: nothing was there */
	int64_t gap;             /* between two kernels of a stream */
	int64_t op_ns, call_ns;  /* what an operator or frame, and a launch, costs the host */
	bool frames;             /* Python's are recorded */
	struct event *events;
	size_t n_events, room;
	uint32_t external_id, correlation, python_id, index; /* the last one given */
	uint32_t op, frame;      /* the open ones */
	int thread;
	const char **seen;       /* names of kernels that were launched */
	size_t n_seen, slow_first; /* of so many names, the first launches take ... */
	int64_t slow_first_ns;
	bool slow_first_said;    /* the profiler tells that a module is loaded */
	const char *held;        /* what holds the next launch up, and how long; NULL: nothing; "": the profiler has no name for it */
	int64_t held_ns;
	int main_track;          /* the number of the main stream in the trace */
	bool arrows, device_notes, graph_nodes; /* these are recorded, too */
	int64_t from;            /* the recording starts here; nothing of the host is in it before */
	uint32_t from_correlation;
	bool backlog;            /* what the device does then of work that was launched before is recorded */
};

void machine_start(struct machine *m, const struct options *opt, int64_t now);
void machine_free(struct machine *m);
/* Says where the program is: the times there depend on the seed and on this number alone. */
void machine_place(struct machine *m, uint64_t place);
int64_t machine_draw(struct machine *m, int64_t lo, int64_t hi);
/* About ns: up to so many percent more or less. */
int64_t machine_about(struct machine *m, int64_t ns, int percent);
/* The host is busy. */
void machine_host(struct machine *m, int64_t ns);
/* A text that lasts as long as the machine. */
__attribute__((format(printf, 1, 2)))
const char *machine_text(const char *format, ...);

/* An operator, annotation, frame or call begins; the number of its event, for the end. Without frames, one that is not written. */
size_t machine_begin(struct machine *m, enum what what, const char *name, const char *spec);
void machine_end(struct machine *m, size_t span);
size_t machine_op(struct machine *m, const char *name, const char *spec);
size_t machine_note(struct machine *m, const char *name);
size_t machine_frame(struct machine *m, const char *name);
/* The host waits until the work of the main stream ends that runs at a time: an event that it waits for lies between two kernels. */
void machine_wait_for(struct machine *m, const char *call, int64_t time);
/* A call of the runtime that takes this long and puts nothing into a stream. */
void machine_call(struct machine *m, const char *name, int64_t ns);

/* Launches a kernel that takes so long. */
void machine_launch(struct machine *m, const char *name, int64_t ns, int grid, int block);
/* An operator with one kernel. */
void machine_kernel(struct machine *m, const char *op, const char *spec, const char *name, int64_t ns, int grid);
/* A collective on its own stream: it begins behind what the main stream has. What: all_reduce. */
void machine_collective(struct machine *m, int64_t elements, int64_t ns);
/* What is launched next begins behind this stream's work. */
void machine_join(struct machine *m, int stream);
void machine_copy(struct machine *m, const char *name, int64_t bytes, int64_t ns);
/* Replays a graph of kernels. */
struct graph_kernel { const char *name; int64_t ns; int grid; };
void machine_graph(struct machine *m, const struct graph_kernel *kernels, size_t n);
/* The host waits in this call until the main stream is done, in cudaDeviceSynchronize until all are. */
void machine_wait(struct machine *m, const char *call);
/* When the last stream is done. */
int64_t machine_device_end(const struct machine *m);
/* The recording starts. */
void machine_record(struct machine *m, bool backlog);
/* The profiler holds the host up, now or inside of the next launch. */
void machine_overhead(struct machine *m, const char *name, int64_t ns, bool in_launch);
/* The annotation of this event, on the device: from the first work since machine_mark() on. */
void machine_mark(struct machine *m);
void machine_device_note(struct machine *m, size_t note);
void machine_write(const struct machine *m);

#endif
