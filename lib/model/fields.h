/* fields.h - the well-known fields of events: what stages after the reader look
 * for by name. A reader gives the ones that its source has, under these keys;
 * whatever else a source says about an event is passed on under the source's own
 * keys. The table stands in tl-stream(5) too.
 *
 * All are arguments, but for TL_KEY_FLOW_ID, which is a member of the event
 * itself. "id" means any value that can be compared: an integer, text or JSON.
 * Ids mean nothing across processes: a reader of a trace of several processes
 * makes them distinct. A list is JSON text with an entry for each argument of the
 * operator.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_FIELDS_H
#define TL_FIELDS_H

#include <stdbool.h>
#include <string.h>

                                                     /* of events                 type, unit              needed by */
/* ids that relate events */
#define TL_KEY_CORRELATION     "correlation"         /* calls, operators, device  id                      linker, kernels, collectives */
#define TL_KEY_EXTERNAL_ID     "External id"         /* calls, device events      id, without the above   linker, collectives */
#define TL_KEY_FLOW_ID         "id"                  /* launch flows              id of the call          linker */
#define TL_KEY_RECORD          "wait_on_cuda_event_record_corr_id" /* waits      correlation of a call   path */
#define TL_KEY_SEQUENCE        "Sequence number"     /* operators                 id, forward = backward  linker, rewriter, models */
/* operators */
#define TL_KEY_INPUT_DIMS      "Input Dims"          /* operators                 list of sizes           sheets, models, rewriter */
#define TL_KEY_INPUT_TYPE      "Input type"          /* operators                 list of type names      sheets, models, rewriter */
#define TL_KEY_INPUT_STRIDES   "Input Strides"       /* operators                 list, elements          sheets, models, rewriter */
#define TL_KEY_CONCRETE_INPUTS "Concrete Inputs"     /* operators                 list of texts           sheets, models, rewriter */
#define TL_KEY_OUTPUT_TYPE     "Output type"         /* operators                 list of type names      models */
/* calls while a graph is captured, and copies of what the host did then (edit/merger.h) */
#define TL_KEY_KERNEL          "kernel"              /* calls                     text                    merger */
#define TL_KEY_CAPTURED        "graph capture"       /* copies                    1                       api, idle gaps */
/* device events */
#define TL_KEY_STREAM          "stream"              /* device events             id of the queue         kernels, overlap, collectives */
#define TL_KEY_DEVICE          "device"              /* device events             number of the GPU       devices, kernels */
#define TL_KEY_RANK            "rank"                /* all, in joined traces     rank of the trace       devices */
#define TL_KEY_BYTES           "bytes"               /* copies and sets           integer, bytes          api */
#define TL_KEY_MEMORY          "memory"              /* copies and sets           text, kinds of memory   api, exposed copies */
#define TL_KEY_MIGRATION       "migration"           /* copies                    1: a page of unified memory moves, without a call  trace, api */
#define TL_KEY_CAUSE           "cause"               /* migrations                text                    api, exposed copies */
#define TL_KEY_AGENT           "agent"               /* device events             id, the source's        rocprof */
#define TL_KEY_QUEUE           "queue"               /* device events             id, the source's        people */
#define TL_KEY_THREAD          "thread"              /* device events             id of the caller        rocprof */
#define TL_KEY_DISPATCH        "dispatch_id"         /* kernels                   number of the launch    rocprof */
#define TL_KEY_WORK_ITEMS      "work items"          /* kernels                   list of 3, work-items   rocprof */
#define TL_KEY_GRID            "grid"                /* kernels                   list of 3, blocks       rocprof */
#define TL_KEY_BLOCK           "block"               /* kernels                   list of 3, work-items   rocprof */
#define TL_KEY_END             "end_timestamp"       /* those without a duration  integer, ticks          rocprof */
#define TL_KEY_NSYS_NODE       "graphNodeId"         /* nodes of graphs           integer, of Nsight Systems  api, doubtful */
#define TL_KEY_NSYS_GRAPH      "graphId"             /* nodes of graphs, graphs   integer, of Nsight Systems  api */
/* ranges (annotations) */
#define TL_KEY_DOMAIN          "domain"              /* ranges                    text, "" the default    ranges */
#define TL_KEY_STYLE           "style"               /* ranges                    PushPop, StartEnd       ranges */
#define TL_KEY_END_THREAD      "end thread"          /* those that change it      thread of the end       ranges */
#define TL_KEY_STEP            "step"                /* annotations               integer, which step it is  steps */
/* counters; the name is that of the counter (model/samples.h) */
#define TL_KEY_VALUE           "value"               /* counters                  number                  counters */
#define TL_KEY_UNIT            "unit"                /* counters                  text                    counters */
#define TL_KEY_PART            "track"               /* counters                  queue, core, instance   counters */
#define TL_KEY_OF              "of"                  /* counters                  held, before, kernel, change  counters */
#define TL_KEY_BACKWARD        "backward"            /* operators that are ranges  1: of the backward pass  linker */
#define TL_KEY_MODULE          "module"              /* ranges that are calls of modules  text            host modules */
/* kernels of collective communication */
#define TL_KEY_COLLECTIVE      "Collective name"     /* kernels                   text                    collectives */
#define TL_KEY_GROUP_NAME      "Process Group Name"  /* kernels                   text                    collectives */
#define TL_KEY_GROUP_RANKS     "Process Group Ranks" /* kernels                   list of ranks           collectives */
#define TL_KEY_SRC_RANK        "Src Rank"            /* kernels that receive      integer, rank of the job  collectives */
#define TL_KEY_DST_RANK        "Dst Rank"            /* kernels that send         integer, rank of the job  collectives */
#define TL_KEY_SEQ             "Seq"                 /* kernels                   integer, number in the group  collectives */
#define TL_KEY_GROUP_SIZE      "Group size"          /* kernels                   integer, ranks          collectives */
#define TL_KEY_GROUP_RANK      "Group rank"          /* kernels                   integer, number in the group  collectives */
#define TL_KEY_DTYPE           "dtype"               /* kernels                   text                    collectives */
#define TL_KEY_IN_NELEMS       "In msg nelems"       /* kernels                   integer, elements       collectives */
#define TL_KEY_OUT_NELEMS      "Out msg nelems"      /* kernels                   integer, elements       collectives */
#define TL_KEY_IN_SPLIT        "In split size"       /* kernels                   list, elements          collectives */
#define TL_KEY_OUT_SPLIT       "Out split size"      /* kernels                   list, elements          collectives */
/* allocations, instants with the name TL_MEMORY_EVENT; Bytes, Addr and more as PyTorch writes them (analysis/allocations.c) */
#define TL_KEY_FRAME           "Frame"               /* of snapshots              text                    allocations */
#define TL_KEY_STACK           "Stack"               /* of snapshots              text, innermost first   allocations */
#define TL_KEY_CATEGORY        "Category"            /* of timelines, snapshots   text                    memory categories */
#define TL_MEMORY_EVENT        "[memory]"
#define TL_MEMORY_OOM          "[memory oom]"        /* an allocation that failed */
#define TL_MEMORY_CATEGORY     "[memory category]"   /* Bytes more or less of a category; those without a time were there before */
#define TL_MEMORY_SEGMENT      "[memory segment]"    /* of a snapshot: a piece of memory that the allocator held at the end */
/* What the memory is for, in the order of torch.profiler's numbers. */
#define TL_MEMORY_CATEGORIES   "parameter", "optimizer_state", "input", "temporary", "activation", "gradient", "autograd_detail", "unknown"
/* events of kind meta */
#define TL_KEY_META_NAME       "name"                /* process_name, thread_name text                    sheets */
#define TL_KEY_META_LABELS     "labels"              /* process_labels            text                    sheets */

/* How the name of a Python frame begins that is the call of a module: "nn.Module: Linear_3". */
#define TL_MODULE_FRAME "nn.Module: "
static inline bool tl_is_module_frame(const char *name)
{
	return !strncmp(name, TL_MODULE_FRAME, sizeof TL_MODULE_FRAME - 1);
}

/* The category of a kernel that is a CUDA graph traced as a whole: the kernels in it are not
 * in the trace. */
#define TL_CAT_GRAPH "graph"

/* Key of a meta() member: the processes of the trace in the source's order, as a list of
 * objects with the members that the source knows: "track" (the pid of the process's
 * tracks), "pid", "hostname", "command" (a list), "init_time" and "fini_time" (integers,
 * ticks: when the process began and ended). */
#define TL_META_PROCESSES "processes"

/* Key of a meta() member: how many packets a trace of Perfetto has. Its events are in the
 * order of the packets, not of time. */
#define TL_META_PACKETS "packets"

/* How the key of a meta() member begins that is a program which XLA compiled; its number follows. The
 * reader says what is in it (readers/xplane_hlo.c). */
#define TL_META_PROGRAM "hlo module "

/* Key of a meta() member: what a reader noted, by its words, as objects with "events" (how many), and "first_uid". */
#define TL_META_NOTES "tl-parse warnings"
/* How words of it begin that are about work of devices of which no event is made. */
#define TL_NOT_ANALYSED "not analysed: "
#define TL_COUNTED      TL_NOT_ANALYSED "counters of kernels"

/* The process that the host of a trace of JAX has. */
enum { TL_JAX_HOST_PID = 701 };

#endif
