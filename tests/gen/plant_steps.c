/* plant_steps.c - the steps of programs in which faults are planted, and what the host does in them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "plants.h"

/* ---- what the host does ---- */

/* Frames around a time in which the host does something else. */
static void elsewhere(struct plant *p, const char *const *frames, size_t n, int64_t ns)
{
	size_t spans[8];

	for (size_t i = 0; i < n; i++)
		spans[i] = machine_frame(&p->m, frames[i]);
	machine_host(&p->m, ns);
	while (n--)
		machine_end(&p->m, spans[n]);
}

static void load(struct plant *p)
{
	static const char *const own[][4] = {
		{ "torch/utils/data/dataloader.py(733): __next__", "torch/utils/data/dataloader.py(788): _next_data", "data.py(57): __getitem__", "data.py(31): augment" },
		{ "torch/utils/data/dataloader.py(630): __next__", "torch/utils/data/dataloader.py(673): _next_data", "torch/utils/data/_utils/fetch.py(51): fetch", "datasets/coco.py(144): __getitem__" },
	};
	static const char *const workers[][6] = {
		{ "torch/utils/data/dataloader.py(733): __next__", "torch/utils/data/dataloader.py(1482): _next_data", "torch/utils/data/dataloader.py(1434): _get_data",
		  "multiprocessing/queues.py(113): get", "multiprocessing/connection.py(1136): wait", "selectors.py(415): select" },
		{ "torch/utils/data/dataloader.py(630): __next__", "torch/utils/data/dataloader.py(1327): _next_data", "torch/utils/data/dataloader.py(1283): _get_data",
		  "torch/utils/data/dataloader.py(1131): _try_get_data", "queue.py(171): get", "threading.py(327): wait" },
	};
	bool mp = asked(p, DATALOADER_MP) || asked(p, WORKER_START) || (!asked(p, DATALOADER) && chance(p, 5));
	bool slow = has(p, DATALOADER) || has(p, DATALOADER_MP), starts = has(p, WORKER_START) && p->step == 0;

	place(p);
	size_t note = machine_note(&p->m, mp ? "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__" : "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
	elsewhere(p, mp ? workers[p->older] : own[p->older], mp ? 6 : 4, slow ? p->size[mp ? DATALOADER_MP : DATALOADER] : starts ? p->size[WORKER_START] : 15 * US);
	machine_end(&p->m, note);
}

static void compile(struct plant *p, int64_t ns)
{
	static const char *const notes[][4] = {
		{ "_compile.compile_inner (dynamo_timed)", "OutputGraph.call_user_compiler (dynamo_timed)", "compile_fx_inner (dynamo_timed)", "GraphLowering.compile_to_module (dynamo_timed)" },
		{ "entire_frame_compile (dynamo_timed)", "backend_compile (dynamo_timed)", "inductor_compile (dynamo_timed)", "async_compile.wait (dynamo_timed)" },
	};
	static const char *const frames[] = { "torch/_dynamo/convert_frame.py(1150): __call__", "torch/_dynamo/output_graph.py(1480): call_user_compiler", "torch/_inductor/compile_fx.py(560): compile_fx_inner",
	                                      "torch/_inductor/graph.py(2150): compile_to_module" };
	size_t spans[4], python[4];

	for (int i = 0; i < 4; i++) {
		python[i] = machine_frame(&p->m, frames[i]);
		spans[i] = machine_note(&p->m, notes[p->older][i]);
		machine_host(&p->m, ns / 8);
	}
	for (int i = 4; i-- > 0;) {
		machine_host(&p->m, ns / 8);
		machine_end(&p->m, spans[i]);
		machine_end(&p->m, python[i]);
	}
}

/* A graph is captured, and made ready. */
static void capture(struct plant *p)
{
	aside(p, CAPTURE);
	size_t frame = machine_frame(&p->m, "torch/cuda/graphs.py(84): capture_begin");
	machine_call(&p->m, "cudaStreamBeginCapture", 20 * US);
	machine_end(&p->m, frame);
	frame = machine_frame(&p->m, "torch/cuda/graphs.py(99): capture_end");
	machine_call(&p->m, "cudaStreamEndCapture", 300 * US);
	machine_call(&p->m, "cudaGraphInstantiate", p->size[CAPTURE]);
	machine_end(&p->m, frame);
}

/* What the host does, and the device does not notice. */
static void hidden(struct plant *p)
{
	place(p);
	size_t op = machine_op(&p->m, "aten::randn", "L[64,3,224,224] s6 - s0 sFalse"), normal = machine_op(&p->m, "aten::normal_", "f64,3,224,224 s0. s1. -");
	machine_host(&p->m, p->step_ns / 6);
	machine_end(&p->m, normal);
	machine_end(&p->m, op);
	size_t note = machine_note(&p->m, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
	machine_host(&p->m, p->step_ns / 6);
	machine_end(&p->m, note);
	size_t frame = machine_frame(&p->m, "<built-in function collect>");
	machine_host(&p->m, p->step_ns / 6);
	machine_end(&p->m, frame);
}

/* What the host does at the start of a step but load. */
static void before_step(struct plant *p)
{
	static const char *const save[] = { "train.py(61): save_checkpoint", "torch/serialization.py(944): save", "torch/serialization.py(1190): _save" };
	static const char *const collect[] = { "train.py(74): end_of_step", "<built-in function collect>" };

	if (p->step > 0 && has(p, HOST_PYTHON)) {
		aside(p, HOST_PYTHON);
		elsewhere(p, save, 3, p->size[HOST_PYTHON]);
	}
	if (p->step > 0 && has(p, HOST_ELSEWHERE)) {
		aside(p, HOST_ELSEWHERE);
		machine_host(&p->m, p->size[HOST_ELSEWHERE]);
	}
	if (p->step > 0 && has(p, GC)) {
		aside(p, GC);
		elsewhere(p, collect, 2, p->size[GC]);
	}
	if (p->step > 0 && has(p, HOST_COMPUTE_OP)) {
		aside(p, HOST_COMPUTE_OP);
		size_t frame = machine_frame(&p->m, "train.py(48): make_noise"), op = machine_op(&p->m, "aten::randn", "L[64,3,224,224] s6 - s0 sFalse");
		size_t normal = machine_op(&p->m, "aten::normal_", "f64,3,224,224 s0. s1. -");
		machine_host(&p->m, p->size[HOST_COMPUTE_OP]);
		machine_end(&p->m, normal);
		machine_end(&p->m, op);
		machine_end(&p->m, frame);
	}
	if ((has(p, RECOMPILE) && p->step > 0) || (has(p, COMPILE) && p->step == 1)) {
		aside(p, COMPILE);
		compile(p, p->size[has(p, RECOMPILE) ? RECOMPILE : COMPILE]);
	}
	if (has(p, PROFILER_OVERHEAD) && (p->step == 1 || p->step == 2)) {
		aside(p, PROFILER_OVERHEAD);
		machine_overhead(&p->m, "Activity Buffer Request", machine_about(&p->m, p->size[PROFILER_OVERHEAD], 10), chance(p, 8));
	}
	if (has(p, PROFILER_SILENT) && (p->step == 1 || p->step == 2)) {
		aside(p, PROFILER_SILENT);
		machine_host(&p->m, p->size[PROFILER_SILENT]);
	}
	if (has(p, SLOW_CALL) && p->step == 1) {
		aside(p, SLOW_CALL);
		machine_overhead(&p->m, "", p->size[SLOW_CALL], true);
	}
	if (has(p, CAPTURE) && p->step == 1)
		capture(p);
}

/* The batch goes to the device. */
static void move_batch(struct plant *p)
{
	bool large = asked(p, PAGEABLE_COPY), pageable = has(p, PAGEABLE_COPY);
	int64_t bytes = large ? (chance(p, 7) ? 128 : 64) << 20 : 256 << 10;

	place(p);
	size_t op = machine_op(&p->m, "aten::to", machine_text("l%lld s4 s0 sTrue sFalse -", (long long)(bytes / 8))), copy = machine_op(&p->m, "aten::copy_", machine_text("l%lld l%lld sTrue", (long long)(bytes / 8), (long long)(bytes / 8)));
	machine_copy(&p->m, pageable ? "Memcpy HtoD (Pageable -> Device)" : "Memcpy HtoD (Pinned -> Device)", bytes,
	             1300 + (int64_t)((double)bytes / p->gpu->host / 0.95 * (pageable ? (double)p->size[PAGEABLE_COPY] / 1000 : 1)));
	if (pageable)
		machine_wait(&p->m, "cudaStreamSynchronize");
	machine_end(&p->m, copy);
	machine_end(&p->m, op);
}

/* The server waits for requests: that is no fault, however long it takes. */
static void wait_for_requests(struct plant *p)
{
	static const char *const waits[][4] = {
		{ "vllm/v1/engine/core.py(623): _process_input_queue", "queue.py(171): get", "threading.py(355): wait", "<method 'acquire' of '_thread.lock' objects>" },
		{ "sglang/srt/managers/scheduler.py(905): event_loop_normal", "sglang/srt/managers/scheduler.py(1081): recv_requests", "zmq/sugar/socket.py(971): recv_pyobj", "zmq/sugar/socket.py(900): recv" },
		{ "asyncio/base_events.py(631): run_forever", "asyncio/base_events.py(1967): _run_once", "selectors.py(468): select", "<method 'poll' of 'select.epoll' objects>" },
		{ "serve.py(58): worker_loop", "queue.py(171): get", "threading.py(355): wait", "<method 'acquire' of '_thread.lock' objects>" },
	};

	place(p);
	elsewhere(p, waits[own_server(p) ? 3 : p->choice % 3], 4, has(p, IDLE_SERVER) ? p->size[IDLE_SERVER] : 20 * US);
}

/* ---- steps ---- */

/* cudaFree(0) and others, when nothing is on the device yet. */
static void start_context(struct plant *p)
{
	aside(p, CONTEXT_START);
	size_t op = machine_op(&p->m, "aten::empty", "L[1] s6 s0 - - -");

	if (has(p, CONTEXT_START)) {
		machine_call(&p->m, "cudaDeviceGetStreamPriorityRange", p->size[CONTEXT_START]);
		machine_call(&p->m, "cudaFree", p->size[CONTEXT_START] / 4);
	}
	machine_end(&p->m, op);
}

/* Another thread waits for the device; this one is no more than so much ahead of it. */
static void wait_elsewhere(struct plant *p)
{
	int64_t until = p->m.stream_end[MAIN_STREAM] - p->step_ns * p->ahead / 1000;

	if (until <= p->m.now + 10 * US)
		return;
	p->m.thread = 2;
	machine_wait_for(&p->m, "cudaEventSynchronize", until);
	p->m.thread = 0;
	p->m.now += 5 * US;
}

static void run_step(struct plant *p)
{
	static const char *const metrics[] = { "train.py(92): evaluate", "metrics.py(18): compute_metrics", "sklearn/metrics/_ranking.py(551): roc_auc_score" };
	static const char *const scripts[] = { "train.py(120): train_step", "tools/run_net.py(233): main_worker", "/workspace/src/engine.py(88): one_epoch" };
	bool loop = p->program & (P_TRAIN | P_INFER | P_CONV), vllm = p->program == P_SERVER && !own_server(p);
	size_t note = SIZE_MAX;

	p->site = 0;
	place(p);
	machine_mark(&p->m);
	if ((asked(p, UNRECORDED_HEAD) || asked(p, HEALTHY_HEAD)) && p->step == 3)
		machine_record(&p->m, !has(p, UNRECORDED_HEAD));
	if (p->program == P_SERVER)
		wait_for_requests(p);
	if (asked(p, HEALTHY_HIDDEN) && p->step > 0)
		hidden(p);
	if (p->marks)
		note = machine_note(&p->m, vllm ? "execute_context_0(0)_generation_8(8)" : machine_text("ProfilerStep#%d", p->step + 3));
	size_t frame = machine_frame(&p->m, vllm ? "vllm/v1/worker/gpu_model_runner.py(2061): execute_model" : p->program == P_SERVER ? "serve.py(73): handle_request" : scripts[p->choice % 3]);
	before_step(p);
	if (asked(p, CONTEXT_START) && p->step == 0)
		start_context(p);
	if (loop) {
		load(p);
		move_batch(p);
	}
	if (asked(p, SMALL_COPIES))
		plant_copies(p);
	plant_model(p);
	place(p);
	if (p->sync || p->program == P_SERVER)
		plant_item(p, vllm ? "vllm/v1/worker/gpu_model_runner.py(1794): _get_valid_tokens" : p->program == P_SERVER ? "serve.py(81): answer" : "train.py(133): log_loss");
	if (p->ahead && p->step_ns)
		wait_elsewhere(p);
	if (has(p, TAIL) && p->step == p->steps - 1) {
		aside(p, TAIL);
		elsewhere(p, metrics, 3, p->size[TAIL]);
	}
	machine_end(&p->m, frame);
	if (note != SIZE_MAX) {
		machine_end(&p->m, note);
		machine_device_note(&p->m, note);
	}
}

void plant_run(struct plant *p, const struct options *opt)
{
	machine_start(&p->m, opt, opt->origin_ns);
	p->m.frames = opt->python;
	if (asked(p, HEALTHY_GAPS))
		p->m.gap = 3500;
	if (p->program == P_GRAPH)
		p->m.gap = has(p, GRAPH_ALREADY) ? 2600 : asked(p, HEALTHY_GRAPH) ? -100 : 1000; /* nodes of a graph may overlap */
	if (p->program == P_SMALL) {
		p->m.op_ns = has(p, MANY_SMALL_KERNELS) ? p->size[MANY_SMALL_KERNELS] / 2 : 600;
		p->m.call_ns = has(p, MANY_SMALL_KERNELS) ? p->size[MANY_SMALL_KERNELS] / 2 : 1800;
		p->m.frames = false;
	}
	if (has(p, LAUNCH_RATE)) {
		double slower = (double)p->size[LAUNCH_RATE] / 1000 * (double)p->step_ns / (double)p->host_ns;
		p->m.op_ns = (int64_t)((double)p->m.op_ns * slower);
		p->m.call_ns = (int64_t)((double)p->m.call_ns * slower);
	}
	p->m.main_track = chance(p, 12) ? 7 : chance(p, 13) ? 13 : 20 + (int)(p->choice >> 14 & 7);
	p->m.arrows = p->choice >> 20 & 7;
	p->m.device_notes = p->choice >> 23 & 3;
	p->m.graph_nodes = !p->older;
	if (has(p, FIRST_USE)) {
		p->m.slow_first = 4; /* the first one of the four is there already: the device works before the loop begins */
		p->m.slow_first_said = chance(p, 9);
	}
	p->step = p->site = 0;
	place(p);
	p->begin = p->m.now;
	plant_begin(p);
	p->m.slow_first_ns = p->size[FIRST_USE];
	for (; p->step < p->steps; p->step++)
		run_step(p);
	p->launched = p->m.now;
	p->end = machine_device_end(&p->m);
	p->end = p->m.now > p->end ? p->m.now : p->end;
	place(p);
	if (has(p, PROFILER_TAIL)) {
		p->m.now = p->end;
		machine_host(&p->m, p->size[PROFILER_TAIL]);
	}
	machine_wait(&p->m, "cudaDeviceSynchronize"); /* the profiler's */
}
