#!/usr/bin/env bats
# sqlite.bats - tl-parse on databases of rocprofv3, rocmProfileData and Nsight Systems.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	need sqlite3
	cd "$BATS_TEST_TMPDIR"
}

# events COLUMNS [OPTION…]: these columns of the events of trace.db
events() {
	tl-parse "${@:2}" trace.db | tl-view | awk '/^event/' | cut -f "$1"
}
# nsys [SQL]: makes trace.db, an export of Nsight Systems: two processes, 7 and 8, both
# with a call, a kernel and the correlation id 5
nsys() {
	rm -f trace.db
	sqlite3 trace.db <<-SQL
		CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
		INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'gemm(float*)'), (3, 'gemm'), (4, 'layer'), (5, 'cuLaunchKernel');
		CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, eventClass INT, globalTid INT, correlationId INT, nameId INT, returnValue INT);
		INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 150, 0, (7<<24)+71, 5, 1, 0), (100, 160, 67, (7<<24)+71, 5, 1, 0),
			(110, 140, 1, (8<<24)+81, 5, 5, 2);
		CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, correlationId INT, globalPid INT,
			demangledName INT, shortName INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT);
		INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (200, 300, 0, 9, 5, 7<<24, 2, 3, 4, 2, 1, 64, 1, 1),
			(210, 330, 0, 9, 5, 8<<24, 99, 3, 1, 1, 1, 32, 1, 1);
		$1
	SQL
}
# rocpd [SQL]: makes trace.db, a database of rocprofv3: a call, a kernel, a range
rocpd() {
	rm -f trace.db
	sqlite3 trace.db <<-SQL
		CREATE TABLE rocpd_metadata_a1 (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);
		CREATE TABLE rocpd_string_a1 (id INTEGER PRIMARY KEY, string TEXT);
		INSERT INTO rocpd_string_a1 VALUES (1, 'hipLaunchKernel'), (2, 'HIP_RUNTIME_API'), (3, 'roctxRangePushA'),
			(4, 'MARKER_CORE_API'), (5, 'MEMORY_COPY_HOST_TO_DEVICE');
		CREATE TABLE rocpd_info_process_a1 (id INTEGER PRIMARY KEY, pid INT, init INT, fini INT, command TEXT);
		INSERT INTO rocpd_info_process_a1 VALUES (1, 41, 1000, 9000, '/opt/app --fast');
		CREATE TABLE rocpd_info_thread_a1 (id INTEGER PRIMARY KEY, pid INT, tid INT, name TEXT);
		INSERT INTO rocpd_info_thread_a1 VALUES (1, 1, 77, 'main');
		CREATE TABLE rocpd_info_agent_a1 (id INTEGER PRIMARY KEY, type TEXT, absolute_index INT, name TEXT);
		INSERT INTO rocpd_info_agent_a1 VALUES (1, 'CPU', 0, 'cpu'), (2, 'GPU', 3, 'gfx950');
		CREATE TABLE rocpd_info_kernel_symbol_a1 (id INTEGER PRIMARY KEY, kernel_name TEXT, display_name TEXT);
		INSERT INTO rocpd_info_kernel_symbol_a1 VALUES (1, '_Z4gemm.kd', 'gemm(int)'), (2, 'plain.kd', '');
		CREATE TABLE rocpd_event_a1 (id INTEGER PRIMARY KEY, category_id INT, stack_id INT, extdata TEXT);
		INSERT INTO rocpd_event_a1 VALUES (1, 2, 12, '{}'), (2, 4, 13, '{"message":"step"}'), (3, 0, 12, '{}');
		CREATE TABLE rocpd_region_a1 (id INTEGER PRIMARY KEY, pid INT, tid INT, start INT, end INT, name_id INT, event_id INT);
		INSERT INTO rocpd_region_a1 VALUES (1, 1, 1, 2000, 2100, 1, 1), (2, 1, 1, 1900, 5000, 3, 2);
		CREATE TABLE rocpd_kernel_dispatch_a1 (id INTEGER PRIMARY KEY, pid INT, tid INT, agent_id INT, kernel_id INT, queue_id INT,
			stream_id INT, start INT, end INT, grid_size_x INT, grid_size_y INT, grid_size_z INT,
			workgroup_size_x INT, workgroup_size_y INT, workgroup_size_z INT, event_id INT);
		INSERT INTO rocpd_kernel_dispatch_a1 VALUES (1, 1, 1, 2, 1, 1, 6, 2200, 2500, 256, 2, 1, 64, 1, 1, 3),
			(2, 1, 1, 9, 8, 1, NULL, 2600, 2700, 100, 1, 1, 64, 1, 1, 99);
		CREATE TABLE rocpd_memory_copy_a1 (id INTEGER PRIMARY KEY, pid INT, start INT, end INT, name_id INT, dst_agent_id INT,
			src_agent_id INT, size INT, stream_id INT);
		INSERT INTO rocpd_memory_copy_a1 VALUES (1, 1, 3000, 3400, 5, 1, 2, 4096, 6);
		$1
	SQL
}

@test "Nsight Systems: calls and kernels, each with its process" {
	nsys
	equal "$(events 3-)" "runtime	100	50	7	71	cuda_runtime	X	cudaLaunchKernel	a	correlation:i=5
driver	110	30	8	81	cuda_driver	X	cuLaunchKernel	a	correlation:s=2:5	returnValue:i=2
kernel	200	100	7	9	kernel	X	gemm(float*)	a	correlation:i=5	stream:i=9	device:i=0	grid:j=[4,2,1]	block:j=[64,1,1]
kernel	210	120	8	9	kernel	X	gemm	a	correlation:s=2:5	stream:i=9	device:i=0	grid:j=[1,1,1]	block:j=[32,1,1]"
	equal "$(tl-parse trace.db | tl-link -q | tl-view --links | awk '/^link.launch/')" "link	launch	0	2
link	launch	1	3"
	equal "$(tl-parse trace.db | tl-view --header | awk '/source/')" "header	source	nsys"
}

@test "Nsight Systems: copies by direction, ranges with their device work, and what graphs hide" {
	nsys "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, bytes INT, copyKind INT);
		INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (950, 960, 64, 1), (970, 980, 64, 12);
		CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INT, end INT, graphId INT);
		INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (500, 900, 12);
		CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, globalTid INT);
		INSERT INTO NVTX_EVENTS VALUES (90, 155, 59, 'layer', (7<<24)+71);"
	equal "$(tl-api -q --sheets memcpy_summary --columns direction,bytes_sum trace.db | sort)" "DtoH	64
HtoD	64
direction	bytes_sum"
	equal "$(tl-api -q --sheets range_summary --columns name,style,Count,host_time_us_mean,device_event_count,device_span_us_mean trace.db | tail -n 1)" \
		":layer	PushPop	1	0.065	1	0.1"
	run -0 --separate-stderr tl-parse -o out.tls trace.db
	like "$stderr" '1 event: a CUDA graph traced as a whole: its kernels are not in the trace'
}

@test "Nsight Systems: the profiler's own time is overhead, by name or kind; idle time has it as cause" {
	nsys "CREATE TABLE PROFILER_OVERHEAD (start INT, end INT, globalTid INT, nameId INT, overheadType INT);
		INSERT INTO StringIds VALUES (6, 'CUPTI Buffer flush');
		INSERT INTO PROFILER_OVERHEAD VALUES (340, 890, (7<<24)+71, 6, 3);
		CREATE TABLE CUPTI_ACTIVITY_KIND_OVERHEAD (start INT, end INT, globalTid INT, overheadType INT);
		INSERT INTO CUPTI_ACTIVITY_KIND_OVERHEAD VALUES (5, 9, (7<<24)+71, 7), (6, 7, (7<<24)+71, 77);
		INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (900, 990, 0, 9, 6, 7<<24, 2, 3, 4, 2, 1, 64, 1, 1);"
	equal "$(events 3-10 | grep overhead)" "overhead	340	550	7	71	overhead	X	CUPTI Buffer flush
overhead	5	4	7	71	overhead	X	Lazy Function Loading"
	equal "$(tl-sheets -q --sheets idle_summary --columns cause,host_name trace.db | grep profiler | sort -u)" "profiler	CUPTI Buffer flush"
	run -0 --separate-stderr tl-parse -o /dev/null trace.db
	like "$stderr" "1 event: the profiler's own time of unknown kind \(CUPTI_ACTIVITY_KIND_OVERHEAD\), left out"
}

# bats test_tags=quick
@test "Nsight Systems: ranges with domain, style and threads; graphs; names of GPUs" {
	nsys "CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, textId INT, globalTid INT, endGlobalTid INT, domainId INT);
		INSERT INTO NVTX_EVENTS VALUES (10, 400, 59, NULL, 4, (7<<24)+71, NULL, 2), (20, 90, 60, 'it', NULL, (7<<24)+71, (7<<24)+72, 0),
			(30, NULL, 59, 'open', NULL, (7<<24)+71, NULL, 0), (1, NULL, 75, 'lib', NULL, 7<<24, NULL, 2);
		CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INT, end INT, deviceId INT, streamId INT, globalPid INT, graphId INT);
		INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (500, 900, 1, 9, 7<<24, 12);
		CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, bytes INT, copyKind INT);
		INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (950, 960, 64, 2);
		CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INT, cudaId INT, pid INT);
		INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (3, 1, 7);
		CREATE TABLE PROCESSES (globalPid INT, name TEXT);
		INSERT INTO PROCESSES VALUES (7<<24, '/bin/train'), (99<<24, 'cron');"
	equal "$(events 3- --keep annotation,instant)" "annotation	10	390	7	71	nvtx	X	layer	a	style:s=PushPop	domain:s=lib
annotation	20	70	7	71	nvtx	X	it	a	style:s=StartEnd	domain:s=	end thread:i=72
instant	30		7	71	nvtx	i	open	a	style:s=PushPop	domain:s="
	equal "$(events 3-10,12-14 --keep kernel,memcpy,meta | tail -n +3)" "memcpy	950	10			gpu_memcpy	X	CUDA memcpy Device-to-Host	bytes:i=64
kernel	500	400	7	9	graph	X	CUDA graph 12	stream:i=9	device:i=3	graphId:i=12
meta			7			M	process_name	name:s=train"
}

@test "Nsight Systems: sets, waits, calls of libraries, marks, names of threads, GPUs" {
	nsys "CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT, smCount INT);
		INSERT INTO TARGET_INFO_GPU VALUES (3, 'H100', 132), (4, 'none', 0), (NULL, 'lost', 1);
		CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INT, cudaId INT, pid INT);
		INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (3, 0, 7), (4, 0, 8), (NULL, 1, 7), (-1, 2, 7);
		CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INT, end INT, deviceId INT, globalPid INT, bytes INT, value INT);
		INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (400, 410, 0, 7<<24, 64, 0), (420, 430, 0, 8<<24, 65, 1), (440, 450, 1, 7<<24, 66, 1), (460, 470, 2, 7<<24, 67, 1);
		CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INT, end INT, syncType INT);
		INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (500, 510, 1), (520, 530, 4), (540, 550, 5), (560, 570, -1);
		CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, copyKind INT);
		INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (600, 610, 13), (620, 630, 14);
		CREATE TABLE OSRT_API (start INT, end INT, globalTid INT, nameId INT);
		INSERT INTO OSRT_API VALUES (700, 710, (7<<24)+71, 1), (720, 730, NULL, 99);
		CREATE TABLE MPI_P2P_EVENTS (start INT, end INT, globalTid INT, textId INT);
		INSERT INTO MPI_P2P_EVENTS VALUES (740, 750, (8<<24)+81, 4);
		CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, globalTid INT, domainId INT, category INT);
		INSERT INTO NVTX_EVENTS VALUES (800, NULL, 34, 'mark', (7<<24)+71, 5, 9), (810, NULL, 39, 'worker', (7<<24)+72, 0, 0),
			(820, 830, 70, 'pushed', (8<<24)+81, 0, 0), (840, 850, 71, 'started', (8<<24)+81, 0, 0), (860, 870, 33, 'what', 7<<24, 0, 0);
		CREATE TABLE ThreadNames (globalTid INT, nameId INT);
		INSERT INTO ThreadNames VALUES ((7<<24)+71, 4), ((99<<24)+1, 4), (NULL, 4), ((8<<24)+81, 99);
		CREATE TABLE PROCESSES (globalPid INT, name TEXT);
		INSERT INTO PROCESSES VALUES (8<<24, 'plain'), (7<<24, NULL);
		CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INT); INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (1);"
	equal "$(events 3-8,10,12- --drop runtime,driver,kernel 2>said)" "instant	800		7	71	nvtx	mark	domain:s=domain 5	category:i=9
meta			7	72		thread_name	name:s=worker
annotation	820	10	8	81	nvtx	pushed	style:s=PushPop	domain:s=
annotation	840	10	8	81	nvtx	started	style:s=StartEnd	domain:s=
memcpy	600	10			gpu_memcpy	Unified memory DtoD	memory:s=Device -> Device	migration:i=1	cause:s=unknown
memcpy	620	10			gpu_memcpy	CUDA memcpy Unknown
memset	400	10	7		gpu_memset	CUDA memset	device:i=3	bytes:i=64	value:i=0
memset	420	10	8		gpu_memset	CUDA memset	device:i=4	bytes:i=65	value:i=1
memset	440	10	7		gpu_memset	CUDA memset	device:i=1	bytes:i=66	value:i=1
memset	460	10	7		gpu_memset	CUDA memset	device:i=2	bytes:i=67	value:i=1
other	500	10			synchronization	Event synchronization
other	520	10			synchronization	Context synchronization
other	540	10			synchronization	Synchronization
other	560	10			synchronization	Synchronization
other	700	10	7	71	osrt	cudaLaunchKernel_v7000
other	720	10			osrt	string 99
other	740	10	8	81	mpi	layer
meta			8			process_name	name:s=plain
meta			7	71		thread_name	name:s=layer"
	like "$(<said)" '1 event: allocations of device memory without device or bytes, left out'
	equal "$(tl-parse -q trace.db | tl-view | awk -F'\t' '$2 == "deviceProperties" { print $3 }')" \
		'[{"id":3,"name":"H100","numSms":132},{"id":4,"name":"none"}]'
}

@test "Nsight Systems: kinds of memory of copies and sets are a field, in PyTorch's words; sheets show it" {
	nsys "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, bytes INT, copyKind INT, srcKind INT, dstKind INT);
		INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (600, 610, 8, 1, 0, 2), (620, 630, 8, 2, 2, 1), (640, 650, 8, 8, NULL, 5),
			(660, 670, 8, 8, 6, 8), (680, 690, 8, 1, NULL, NULL);
		CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INT, end INT, bytes INT, memKind INT);
		INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (700, 710, 8, 4), (720, 730, 8, NULL);"
	equal "$(tl-api -q --sheets memcpy_summary --columns name,memory,Count trace.db | tail -n +2 | sort)" "CUDA memcpy Device-to-Device	Managed Static -> Unknown	1
CUDA memcpy Device-to-Device	Unknown -> Device Static	1
CUDA memcpy Device-to-Host	Device -> Pinned	1
CUDA memcpy Host-to-Device		1
CUDA memcpy Host-to-Device	Pageable -> Device	1
CUDA memset		1
CUDA memset	Managed	1"
	equal "$(tl-timeline -q --sheets exposed_copies --columns direction,memory trace.db | grep HtoD | sort)" "HtoD	
HtoD	Pageable -> Device"
}

@test "Nsight Systems: the main process has most device time; what is said of others is a note with their name" {
	nsys "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (300, 310, 0, (9<<24)+91, 1, 1, 0), (320, 330, 0, (9<<24)+91, 2, 1, 0);
		CREATE TABLE PROCESSES (globalPid INT, name TEXT);
		INSERT INTO PROCESSES VALUES (6<<24, '/usr/bin/bash'), (8<<24, '/usr/bin/python3'), (9<<24, '/opt/helper');
		CREATE TABLE DIAGNOSTIC_EVENT (timestamp INT, severity INT, text TEXT, globalPid INT);
		INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 2, 'No CUDA events collected.', 6<<24), (2, 2, 'No NVTX events.', 9<<24), (3, 2, 'Lost some.', 8<<24);"
	run -0 --separate-stderr tl-overview trace.db
	like "$output" $'trace\tmain process\tpython3 \(8\).*\ntrace\tother processes\t2\t'
	like "$output" $'note of tl-overview\t[^\n]*a warning of the profiler about another process, bash \(6\): No CUDA events collected'
	like "$output" $'note of tl-overview\t[^\n]*about another process, helper \(9\): No NVTX events'
	like "$output" $'warning of tl-overview\t[^\n]*a warning of the profiler: Lost some'
}

@test "Nsight Systems: every table with rows that is not read is counted" {
	nsys "CREATE TABLE OPENACC_LAUNCH_EVENTS (start INT); INSERT INTO OPENACC_LAUNCH_EVENTS VALUES (1), (2), (3);
		CREATE TABLE VENDOR_NEW_EVENTS (start INT); INSERT INTO VENDOR_NEW_EVENTS VALUES (1), (2);
		CREATE TABLE ODD (a INT PRIMARY KEY) WITHOUT ROWID; INSERT INTO ODD VALUES (1);
		CREATE TABLE EMPTY_EVENTS (start INT); CREATE TABLE ENUM_X (id INT); INSERT INTO ENUM_X VALUES (1);
		CREATE TABLE META_DATA_EXPORT (name TEXT); INSERT INTO META_DATA_EXPORT VALUES ('x');"
	run -0 --separate-stderr tl-parse -o out.tls trace.db
	like "$stderr" '3 events: launches of OpenACC \(OPENACC_LAUNCH_EVENTS\), left out'
	like "$stderr" '2 events: rows of the table VENDOR_NEW_EVENTS, left out'
	like "$stderr" 'rows of the table ODD, left out'
	unlike "$stderr" 'EMPTY_EVENTS|ENUM_X|META_DATA'
}

@test "Nsight Systems: a node of a graph is one row over all launches" {
	nsys "DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL;
		CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, correlationId INT, globalPid INT,
			demangledName INT, graphNodeId INT, graphId INT);
		INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 2000, 0, 9, 5, 7<<24, 2, 7<<32, 7), (2000, 3800, 0, 9, 5, 7<<24, 3, (7<<32)+1, 7),
			(4000, 5000, 0, 9, 5, 7<<24, 2, (7<<32)+2, 7), (11000, 12000, 0, 9, 6, 7<<24, 2, 7<<32, 7),
			(12000, 13800, 0, 9, 6, 7<<24, 3, (7<<32)+1, 7), (20000, 21000, 0, 9, 7, 7<<24, 2, NULL, NULL);"
	equal "$(tl-api -q --sheets graph_nodes --columns graph,node,name,Count,time_ms trace.db | tail -n +2)" "7	0	gemm(float*)	2	0.002
7	1	gemm	2	0.0036
7	2	gemm(float*)	1	0.001"
}

@test "Nsight Systems: pages of unified memory that move need no call, and are told by cause" {
	nsys "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL; DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME;
		INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0, 1000, 0, (7<<24)+71, 1, 5, 0), (60000000, 60010000, 0, (7<<24)+71, 3, 1, 0);
		INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (60020000, 70000000, 0, 9, 3, 7<<24, 2, 3, 4, 2, 1, 64, 1, 1);
		CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, streamId INT, correlationId INT, globalPid INT,
			bytes INT, copyKind INT, srcKind INT, dstKind INT, migrationCause INT);
		INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (50000000, 50150000, 0, 0, 0, 7<<24, 2097152, 11, 7, 7, 1),
			(60100000, 60200000, 0, 0, 0, 7<<24, 65536, 11, 7, 7, 2), (75000000, 75150000, 0, 0, 0, 7<<24, 1048576, 12, 7, 7, 2),
			(80000000, 80150000, 0, 0, 0, 7<<24, 1048576, 12, 7, 7, 2), (95000000, 95500000, 0, 0, 0, 7<<24, 4194304, 13, 7, 7, 4);"
	equal "$(tl-api -q --sheets migrations --columns direction,cause,Count,time_ms,bytes_sum trace.db | tail -n +2)" "DtoD	eviction	1	0.5	4194304
DtoH	page fault	2	0.3	2097152
HtoD	user prefetch	1	0.15	2097152
HtoD	page fault	1	0.1	65536"
	equal "$(tl-api -q --sheets memcpy_summary --columns direction,memory,Count trace.db | sed -n 3p)" "DtoH	Device -> Managed, page fault	2"
	run -0 --separate-stderr tl-timeline trace.db
	unlike "$stderr" 'no runtime call'
	equal "$(tl-timeline -q trace.db | cut -f 1,2 | grep -E 'busy|total_time')" "busy_time	10.93
total_time	45.5"
	equal "$(tl-timeline -q --sheets idle_summary --columns cause,where,idle_ms trace.db | grep -E 'head|tail')" "host elsewhere	head	50.0"
	run -0 tl-findings --format text trace.db
	unlike "$output" 'not recorded|does not tell why|pinned memory'
	nsys
	refute tl-api -q --sheets migrations trace.db 2>said || equal "$(tl-api -q --sheets migrations trace.db | wc -l)" 1
}

@test "Nsight Systems: page faults of unified memory are counted: those of the CPU one a row, those of a GPU by their number" {
	local tables="CREATE TABLE CUDA_UM_CPU_PAGE_FAULT_EVENTS (start INT, globalPid INT, address INT);
		INSERT INTO CUDA_UM_CPU_PAGE_FAULT_EVENTS VALUES (900, 7<<24, 4096), (950, 7<<24, 8192);
		CREATE TABLE CUDA_UM_GPU_PAGE_FAULT_EVENTS (start INT, globalPid INT, deviceId INT, address INT, numberOfPageFaults INT, faultAccessType INT);
		INSERT INTO CUDA_UM_GPU_PAGE_FAULT_EVENTS VALUES (1000, 7<<24, 0, 4096, 17, 1), (2000, 7<<24, 0, 8192, 25, 1), (2100, 7<<24, 0, 1, NULL, 1);"
	nsys "$tables"
	run -0 --separate-stderr tl-counters --columns process,device,counter,of,samples,last trace.db
	equal "$output" "process	device	counter	of	samples	last
7	0	page faults of the GPU	change	2	42.0
7		page faults of the host	change	2	2.0"
	like "$stderr" '1 event: page faults of a GPU without their number, left out'
	nsys "$tables DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL;
		CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, streamId INT, correlationId INT, globalPid INT,
			bytes INT, copyKind INT, srcKind INT, dstKind INT, migrationCause INT);
		INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (50000000, 60150000, 0, 0, 0, 7<<24, 2097152, 11, 7, 7, 2);"
	like "$(tl-findings -q --columns title trace.db)" 'unified \(managed\) memory that move.*; 42 page faults of GPUs'
}

@test "Nsight Systems: its warnings and errors are told, each once" {
	local long
	long=$(printf '%0250d' 0)
	nsys "CREATE TABLE DIAGNOSTIC_EVENT (timestamp INT, severity INT, text TEXT);
		INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 1, 'Profiling has started.'), (2, 2, 'CUDA driver \"13.2\" is not supported.'),
			(3, 3, 'Events might have been' || char(10) || 'lost'), (4, 2, 'CUDA driver \"13.2\" is not supported.'), (5, 2, NULL), (6, 4, 'x'), (7, 2, '$long');"
	run -0 --separate-stderr tl-parse -o out.tls trace.db
	like "$stderr" "2 events: a warning of the profiler: CUDA driver '13.2' is not supported. \(first at event 4\)"
	like "$stderr" '1 event: an error of the profiler: Events might have been lost \(first at event 5\)'
	like "$stderr" '1 event: a warning of the profiler: 0{209}\.\.\. \(first'
	equal "$(wc -l <<<"$stderr")" 3
	tl-view out.tls | grep -q '"an error of the profiler: Events might have been lost":{"events":1'
	nsys "CREATE TABLE DIAGNOSTIC_EVENT (severity INT, text TEXT);
		WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 11) INSERT INTO DIAGNOSTIC_EVENT SELECT 2, 'no ' || i FROM n;"
	run -0 --separate-stderr tl-parse -o out.tls trace.db
	like "$stderr" 'the profiler: no 8 .*3 events: more that the profiler says of the recording'
}

@test "Nsight Systems: without tables of CUDA the option that records them is named" {
	sqlite3 trace.db "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT); CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
		CREATE TABLE OSRT_API (start INT, end INT, globalTid INT, nameId INT); INSERT INTO OSRT_API VALUES (10, 20, 0, 1);"
	run -1 --separate-stderr tl-timeline trace.db
	failed 1 'No GPU events found in the trace: it has 1 event.*; nsys profile -t cuda,nvtx COMMAND records device work'
	run -0 --separate-stderr tl-report --tsv-dir out trace.db
	like "$stderr" 'warning: no kernel in the trace; nsys profile -t cuda,nvtx COMMAND'
	sqlite3 trace.db "DELETE FROM OSRT_API"
	run -1 --separate-stderr tl-timeline trace.db
	failed 1 'it has 0 events; nsys profile -t cuda'
}

@test "Nsight Systems: the version of a call is four or five digits; correlation 0 is none" {
	nsys "INSERT INTO StringIds VALUES (11, 'a_v7000'), (12, 'a_v10020'), (13, 'a_v700'), (14, 'a_v700000'), (15, 'a_7000'), (16, '_v7000'), (17, '7000');
		DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME;
		INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT id, id + 1, 0, (7<<24)+71, id > 13, id, 0 FROM StringIds WHERE id > 10;"
	equal "$(events 10,12 --keep runtime)" "a
a
a_v700
a_v700000	correlation:i=1
a_7000	correlation:i=1
_v7000	correlation:i=1
7000	correlation:i=1"
}

@test "Nsight Systems: device work of a table without processes is of the only process, if there is one" {
	local drop='ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN globalPid;'
	nsys "$drop DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE eventClass = 1;"
	equal "$(events 6,12 --keep kernel)" $'7\tcorrelation:i=5\n7\tcorrelation:i=5'
	nsys "$drop"
	equal "$(events 6,12 --keep kernel)" $'\tstream:i=9\n\tstream:i=9'
	nsys "$drop ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME DROP COLUMN globalTid;"
	equal "$(events 6,12 --keep kernel,runtime)" $'\tcorrelation:i=5\n\tcorrelation:i=5\n\tcorrelation:i=5'
}

@test "names whose number is no key of their table are read as a whole" {
	nsys "ALTER TABLE StringIds RENAME TO old; CREATE TABLE StringIds (id INT, value TEXT);
		INSERT INTO StringIds SELECT * FROM old; INSERT INTO StringIds VALUES (99, x'00'), ('x', 'y'), (98, 'z');"
	equal "$(events 10 --keep kernel,runtime,driver)" $'cudaLaunchKernel\ncuLaunchKernel\ngemm(float*)\ngemm'
	nsys 'ALTER TABLE StringIds RENAME COLUMN value TO v;'
	run -1 --separate-stderr tl-parse trace.db
	failed 1 'table StringIds has no column value, which is needed'
	nsys 'ALTER TABLE StringIds RENAME COLUMN id TO "a""b";'
	run -1 --separate-stderr tl-parse trace.db
	failed 1 'table StringIds has no column id, which is needed'
}

@test "rocpd: ids lead to threads, agents and symbols; the grid is in work-items and in blocks" {
	rocpd
	equal "$(events 3-)" "meta			41			M	process_name	a	name:s=app
meta			41	77		M	thread_name	a	name:s=main
runtime	2000	100	41	77	HIP_RUNTIME_API	X	hipLaunchKernel	a	correlation:i=12
annotation	1900	3100	41	77	MARKER_CORE_API	X	step	a	style:s=PushPop	correlation:i=13
kernel	2200	300	41	6	kernel_dispatch	X	gemm(int)	a	correlation:i=12	stream:i=6	device:i=3	thread:i=77	agent:i=2	queue:i=1	kernel_id:i=1	work items:j=[256,2,1]	block:j=[64,1,1]	grid:j=[4,2,1]
kernel	2600	100	41	1	kernel_dispatch	X	unknown_kernel_8	a	device:i=9	thread:i=77	agent:i=9	queue:i=1	kernel_id:i=8	work items:j=[100,1,1]	block:j=[64,1,1]
memcpy	3000	400	41	6	memory_copy	X	MEMORY_COPY_HOST_TO_DEVICE	a	stream:i=6	device:i=3	src_agent_id:i=2	dst_agent_id:i=1	bytes:i=4096"
	tl-parse trace.db | tl-view | awk '/^meta/' >members
	like "$(<members)" 'processes	\[\{"track":41,"pid":41,"init_time":1000,"fini_time":9000\}\]'
	like "$(<members)" 'deviceProperties	\[\{"id":3,"name":"gfx950"\}\]'
}

@test "rocpd: samples, allocations, graphs, names of ranges" {
	rocpd "CREATE TABLE rocpd_track_a1 (id INTEGER PRIMARY KEY, pid INT, tid INT, name_id INT);
		INSERT INTO rocpd_track_a1 VALUES (1, 1, 1, 1), (2, 1, NULL, 99);
		CREATE TABLE rocpd_sample_a1 (id INTEGER PRIMARY KEY, track_id INT, timestamp INT, event_id INT);
		INSERT INTO rocpd_sample_a1 VALUES (1, 1, 100, 2), (2, 1, 110, 1), (3, 2, 120, NULL);
		CREATE TABLE rocpd_memory_allocate_a1 (id INTEGER PRIMARY KEY, pid INT, tid INT, start INT, end INT, agent_id INT, type TEXT, level TEXT, size INT, event_id INT);
		INSERT INTO rocpd_memory_allocate_a1 VALUES (1, 1, 1, 200, 210, 2, 'ALLOC', 'REAL', 64, 1), (2, 1, 5, 220, 230, NULL, NULL, 'VIRTUAL', NULL, NULL);
		ALTER TABLE rocpd_kernel_dispatch_a1 ADD COLUMN graph_exec_id INT; ALTER TABLE rocpd_kernel_dispatch_a1 ADD COLUMN graph_node_id INT;
		ALTER TABLE rocpd_kernel_dispatch_a1 ADD COLUMN region_name_id INT; ALTER TABLE rocpd_kernel_dispatch_a1 ADD COLUMN dispatch_id INT;
		UPDATE rocpd_kernel_dispatch_a1 SET graph_exec_id = 5, graph_node_id = 6, region_name_id = 3, dispatch_id = 8 WHERE id = 1;
		UPDATE rocpd_kernel_dispatch_a1 SET graph_exec_id = 0, graph_node_id = 0, region_name_id = 99, workgroup_size_y = 0 WHERE id = 2;
		INSERT INTO rocpd_memory_copy_a1 VALUES (2, 1, 3500, 3510, 5, 2, 1, 1, 6), (3, 1, 3520, 3530, 77, 1, 1, 2, NULL);
		INSERT INTO rocpd_region_a1 VALUES (3, 1, 4, 10, 20, 88, NULL), (4, 1, 1, 30, 40, 3, 4), (5, 1, 1, 50, 60, 3, 5), (6, 1, 1, 70, 80, 9, 6);
		INSERT INTO rocpd_string_a1 VALUES (9, 'roctxRangeStartA'), (10, 'rocm_hip_api'), (11, 'my_hip_api'), (12, 'ROCTX');
		INSERT INTO rocpd_event_a1 VALUES (4, 10, 0, NULL), (5, 11, 0, NULL), (6, 12, 0, '{\"message\":7}');
		CREATE TABLE rocpd_pmc_event_a1 (id INTEGER PRIMARY KEY); INSERT INTO rocpd_pmc_event_a1 VALUES (1), (2);"
	equal "$(events 3-8,10,12- --drop meta 2>said | sed 's/\twork items.*\(block:[^\t]*\)/\t\1/')" "runtime	2000	100	41	77	HIP_RUNTIME_API	hipLaunchKernel	correlation:i=12
annotation	1900	3100	41	77	MARKER_CORE_API	step	style:s=PushPop	correlation:i=13
other	10	10	41	4		string 88
runtime	30	10	41	77	rocm_hip_api	roctxRangePushA
other	50	10	41	77	my_hip_api	roctxRangePushA
annotation	70	10	41	77	ROCTX	roctxRangeStartA	style:s=StartEnd
instant	100		41	77	sample	step
instant	110		41	77	sample	hipLaunchKernel
instant	120		41		sample	track 99
kernel	2200	300	41	6	kernel_dispatch	gemm(int)	correlation:i=12	stream:i=6	device:i=3	thread:i=77	agent:i=2	queue:i=1	dispatch_id:i=8	kernel_id:i=1	block:j=[64,1,1]	grid:j=[4,2,1]	graph_exec_id:i=5	graph_node_id:i=6	region_name:s=roctxRangePushA
kernel	2600	100	41	1	kernel_dispatch	unknown_kernel_8	device:i=9	thread:i=77	agent:i=9	queue:i=1	kernel_id:i=8	block:j=[64,0,1]
memcpy	3000	400	41	6	memory_copy	MEMORY_COPY_HOST_TO_DEVICE	stream:i=6	device:i=3	src_agent_id:i=2	dst_agent_id:i=1	bytes:i=4096
memcpy	3500	10	41	6	memory_copy	MEMORY_COPY_HOST_TO_DEVICE	stream:i=6	device:i=3	src_agent_id:i=1	dst_agent_id:i=2	bytes:i=1
memcpy	3520	10	41		memory_copy	string 77	src_agent_id:i=1	dst_agent_id:i=1	bytes:i=2
other	200	10	41	77	memory_allocation	ALLOC REAL	correlation:i=12	agent:i=2	bytes:i=64
other	220	10	41	5	memory_allocation	VIRTUAL"
	like "$(<said)" '2 events: values of counters of no kernel or sample, left out'
}

@test "rocpd: what a set lacks, names of processes, GPUs of the first set" {
	rocpd "ALTER TABLE rocpd_info_agent_a1 ADD COLUMN product_name TEXT; UPDATE rocpd_info_agent_a1 SET product_name = 'MI350X' WHERE id = 2;
		INSERT INTO rocpd_info_agent_a1 VALUES (3, 'GPU', -1, 'odd', ''), (4, 'GPU', NULL, 'four', '');
		INSERT INTO rocpd_info_process_a1 VALUES (2, 42, NULL, 9000, 'plain'), (3, 41, 1, 2, 'dir/'), (4, 44, NULL, NULL, NULL);
		INSERT INTO rocpd_info_thread_a1 VALUES (2, 9, 78, 'late'), (3, NULL, 79, 'lost'), (4, 1, 80, '');"
	equal "$(events 6,7,10,12 --keep meta)" '41		process_name	name:s=app
42		process_name	name:s=plain
41	77	thread_name	name:s=main
9	78	thread_name	name:s=late'
	tl-parse -q trace.db | tl-view | awk '/^meta/' >members
	like "$(<members)" 'processes	\[\{"track":41,"pid":41,"init_time":1000,"fini_time":9000\},\{"track":42,"pid":42\},\{"track":"41 \(process 3\)","pid":41,"init_time":1,"fini_time":2\},\{"track":44,"pid":44\},\{"track":9,"pid":9\}\]'
	like "$(<members)" 'deviceProperties	\[\{"id":3,"name":"MI350X"\},\{"id":4,"name":"four"\}\]'
	rocpd 'DROP TABLE rocpd_metadata_a1;'
	run -1 --separate-stderr tl-parse trace.db
	failed 1 'no rocpd_string_\* table with its rocpd_metadata_\* table'
	rocpd 'ALTER TABLE rocpd_event_a1 RENAME TO old; CREATE TABLE rocpd_event_a1 (id INT, stack_id INT);'
	run -1 --separate-stderr tl-parse trace.db
	failed 1 'table rocpd_event_a1 has no integer primary key'
}

# bats test_tags=quick
@test "rocpd and rocprofv3's JSON of one run give the same sheets" {
	rocpd "DELETE FROM rocpd_kernel_dispatch_a1 WHERE id = 2; UPDATE rocpd_kernel_dispatch_a1 SET event_id = 1;"
	cat >trace.json <<-'JSON'
	{"rocprofiler-sdk-tool":[{"metadata":{"pid":41,"init_time":1000,"fini_time":9000,"command":["/opt/app","--fast"]},
	"agents":[{"id":{"handle":1},"type":1,"logical_node_type_id":0},{"id":{"handle":2},"type":2,"logical_node_type_id":3,"name":"gfx950"}],
	"strings":{"marker_api":[{"key":13,"value":"step"}],"buffer_records":[{"kind":"HIP","operations":["hipLaunchKernel"]},
		{"kind":"MEMORY_COPY","operations":["MEMORY_COPY_HOST_TO_DEVICE"]}]},
	"kernel_symbols":[{"kernel_id":1,"kernel_name":"_Z4gemm.kd","truncated_kernel_name":"gemm(int)"}],
	"buffer_records":{"hip_api":[{"kind":0,"operation":0,"thread_id":77,"correlation_id":{"internal":12},"start_timestamp":2000,"end_timestamp":2100}],
	"marker_api":[{"kind":9,"operation":0,"thread_id":77,"correlation_id":{"internal":13},"start_timestamp":1900,"end_timestamp":5000}],
	"kernel_dispatch":[{"thread_id":77,"correlation_id":{"internal":12},"start_timestamp":2200,"end_timestamp":2500,"stream_id":{"handle":6},
		"dispatch_info":{"agent_id":{"handle":2},"queue_id":{"handle":1},"kernel_id":1,"workgroup_size":{"x":64,"y":1,"z":1},"grid_size":{"x":256,"y":2,"z":1}}}],
	"memory_copy":[{"kind":1,"operation":0,"start_timestamp":3000,"end_timestamp":3400,"src_agent_id":{"handle":2},"dst_agent_id":{"handle":1},"bytes":4096,"stream_id":{"handle":6}}]}}]}
	JSON
	for f in db json; do
		tl-rocprof -q -d $f --sheets gpu_timeline,kernel_summary,kernel_summary_by_category,kernel_details trace.$f
		for s in api_summary memcpy_summary range_summary; do
			tl-api -q --sheets $s trace.$f >$f/$s.tsv
		done
	done
	sed -i 's/\tPushPop\t/\t\t/' db/range_summary.tsv # which the JSON does not tell
	same_sheets db json
	equal "$(ls db | wc -l)" 7
}

@test "rocpd 4: tracks and times in tables of their own" {
	rocpd "DROP TABLE rocpd_region_a1;
		DROP TABLE rocpd_kernel_dispatch_a1; DROP TABLE rocpd_memory_copy_a1;
		CREATE TABLE rocpd_info_category_a1 (id INTEGER PRIMARY KEY, name TEXT);
		INSERT INTO rocpd_info_category_a1 VALUES (2, 'rocm_hsa_api');
		CREATE TABLE rocpd_track_a1 (id INTEGER PRIMARY KEY, pid INT, tid INT, agent_id INT, stream_id INT);
		INSERT INTO rocpd_track_a1 VALUES (1, 1, 1, 2, 8);
		CREATE TABLE rocpd_timestamp_a1 (id INTEGER PRIMARY KEY, value INT);
		INSERT INTO rocpd_timestamp_a1 VALUES (1, 2000), (2, 2345);
		CREATE TABLE rocpd_region_a1 (id INTEGER PRIMARY KEY, track_id INT, start_id INT, end_id INT, name_id INT, event_id INT);
		INSERT INTO rocpd_region_a1 VALUES (1, 1, 1, 2, 1, 1);
		CREATE TABLE rocpd_kernel_dispatch_a1 (id INTEGER PRIMARY KEY, track_id INT, kernel_id INT, start_id INT, end_id INT);
		INSERT INTO rocpd_kernel_dispatch_a1 VALUES (1, 1, 2, 1, 2);"
	equal "$(events 3-10,12-14 --drop meta)" "driver	2000	345	41	77	rocm_hsa_api	X	hipLaunchKernel	correlation:i=12
kernel	2000	345	41	8	kernel_dispatch	X	plain.kd	stream:i=8	device:i=3	thread:i=77"
}

@test "rocpd: the ids of two processes in one file do not meet" {
	rocpd
	sqlite3 trace.db .dump | sed 's/_a1/_b2/g; s/1,41,1000/1,42,1000/' | sqlite3 second.db
	sqlite3 second.db .dump | sqlite3 trace.db
	equal "$(events 6,12 --keep runtime)" "41	correlation:i=12
42	correlation:s=2:12"
}

@test "rpd: calls, work and the links between them" {
	sqlite3 trace.db <<-SQL
		CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT);
		INSERT INTO rocpd_string VALUES (1, 'hipLaunchKernel'), (2, 'gemm'), (3, 'KernelExecution'), (4, 'CopyHostToDevice'), (5, ''),
			(6, 'UserMarker'), (7, 'step'), (8, 'hipExtModuleLaunchKernel');
		CREATE TABLE rocpd_api (id INTEGER PRIMARY KEY, pid INT, tid INT, start INT, end INT, apiName_id INT, args_id INT);
		INSERT INTO rocpd_api VALUES (1, 5, 51, 10, 20, 1, 5), (2, 5, 51, 30, 40, 8, 5), (3, 5, 51, 5, 90, 6, 7);
		CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, gpuId INT, queueId INT, start INT, end INT, description_id INT, opType_id INT);
		INSERT INTO rocpd_op VALUES (1, 2, 0, 50, 60, 2, 3), (2, 2, 0, 70, 75, 5, 4), (3, 2, 1, 76, 79, 2, 3);
		CREATE TABLE rocpd_api_ops (id INTEGER PRIMARY KEY, api_id INT, op_id INT);
		INSERT INTO rocpd_api_ops VALUES (1, 1, 1), (2, 2, 3);
		CREATE TABLE rocpd_kernelapi (api_ptr_id INTEGER PRIMARY KEY, gridX INT, gridY INT, gridZ INT, workgroupX INT, workgroupY INT, workgroupZ INT);
		INSERT INTO rocpd_kernelapi VALUES (1, 8, 1, 1, 64, 1, 1), (2, 512, 1, 1, 64, 1, 1);
	SQL
	equal "$(events 3-10,12-)" "runtime	10	10	5	51	hip	X	hipLaunchKernel	correlation:i=1
runtime	30	10	5	51	hip	X	hipExtModuleLaunchKernel	correlation:i=2
annotation	5	85	5	51	marker	X	step	style:s=PushPop
kernel	50	10	5	0	KernelExecution	X	gemm	correlation:i=1	stream:i=0	device:i=2	block:j=[64,1,1]	grid:j=[8,1,1]
kernel	76	3	5	1	KernelExecution	X	gemm	correlation:i=2	stream:i=1	device:i=2	work items:j=[512,1,1]	block:j=[64,1,1]	grid:j=[8,1,1]
memcpy	70	5		0	CopyHostToDevice	X	CopyHostToDevice	stream:i=0	device:i=2"
}

@test "from a pipe and from gzip the same as from the file" {
	nsys
	events 2- >file
	tl-parse <trace.db | tl-view | awk '/^event/' | cut -f 2- >pipe
	diff file pipe
	gzip -k trace.db
	tl-parse trace.db.gz | tl-view | awk '/^event/' | cut -f 2- >packed
	diff file packed
	mkdir tmp
	TMPDIR=$PWD/tmp tl-parse <trace.db >/dev/null
	equal "$(ls tmp)" ''
	run -1 --separate-stderr env TMPDIR="$PWD/none" tl-parse - <trace.db
	failed 1 'cannot make a temporary copy of the database'
}

@test "nothing is written beside a database, and its log and journal are seen" {
	nsys 'PRAGMA journal_mode=wal;'
	chmod a-w trace.db
	events 2- | wc -l | grep -qx 4
	equal "$(echo trace.db*)" trace.db
	chmod u+w trace.db
	echo x >trace.db-wal
	run -1 --separate-stderr tl-parse trace.db
	failed 1 'trace.db: the file beside it that ends in -wal holds changes'
	: >trace.db-wal
	equal "$(events 2- | wc -l)" 4
	printf '\xd9\xd5\x05\xf9\x20\xa1\x63\xd7' >trace.db-journal
	run -1 --separate-stderr tl-parse trace.db
	failed 1 'ends in -journal'
}

@test "a file name with every odd character" {
	nsys
	mv trace.db 'a b%41?mode=rw#x.db'
	equal "$(tl-parse 'a b%41?mode=rw#x.db' | tl-view | grep -c ^event)" 4
}

@test "a database that is cut short or longer than it says" {
	nsys
	head -c 60 trace.db >cut.db
	run -1 --separate-stderr tl-parse cut.db
	failed 1 'cut.db: byte 60: the SQLite database is cut short: it ends in its header'
	head -c 5000 trace.db >cut.db
	run -1 --separate-stderr tl-parse cut.db
	failed 1 'byte 5000: the SQLite database is cut short: its header tells of [0-9]* pages of 4096 bytes'
	(cat trace.db; echo x) >long.db
	run -1 --separate-stderr tl-parse long.db
	failed 1 'has bytes behind its end'
	head -c 99 trace.db >cut.db
	run -1 --separate-stderr tl-parse cut.db
	failed 1 'cut.db: byte 99: .*it ends in its header'
	local page
	for page in '\x01\x00 256' '\x00\x02 2' '\x03\x00 768'; do
		(head -c 16 trace.db; printf "${page% *}"; tail -c +19 trace.db) >page.db
		run -1 --separate-stderr tl-parse page.db
		failed 1 "page.db: byte 16: the SQLite database is damaged: a page size of ${page#* } bytes"
	done
	# a writer that does not keep the number of pages: 0, or of another change
	for page in '28 \x00\x00\x00\x00' '92 \x00\x00\x00\x63'; do
		(head -c "${page% *}" trace.db; printf "${page#* }"; tail -c +$((${page% *} + 5)) trace.db) >old.db
		equal "$(tl-parse old.db | tl-view | grep -c ^event)" 4
		head -c -1 old.db >cut.db
		run -1 --separate-stderr tl-parse cut.db
		failed 1 'is cut short'
	done
}

@test "a column that hides the number of a row is refused" {
	nsys 'ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN _rowid_ INT;'
	run -1 --separate-stderr tl-parse trace.db
	failed 1 'table CUPTI_ACTIVITY_KIND_KERNEL has a column _rowid_, which hides the number of a row'
}

@test "what stands in the place of a table is not run" {
	nsys 'DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL;
		CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL SELECT start + 1 FROM n) SELECT * FROM n;'
	run -1 --separate-stderr timeout 10 tl-parse trace.db
	failed 1 'CUPTI_ACTIVITY_KIND_KERNEL is a view or a virtual table, expected a table'
	nsys 'CREATE VIRTUAL TABLE NVTX_EVENTS USING fts5(text);'
	run -1 --separate-stderr tl-parse trace.db
	failed 1 'NVTX_EVENTS is a view or a virtual table'
	nsys 'ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME COLUMN demangledName TO d;
		ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN demangledName GENERATED ALWAYS AS (abs(-9223372036854775808));'
	run -1 --separate-stderr tl-parse trace.db
	failed 1 'table CUPTI_ACTIVITY_KIND_KERNEL: the column demangledName is computed by an expression'
	nsys 'ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN more GENERATED ALWAYS AS (zeroblob(900000000));'
	equal "$(events 2- | wc -l)" 4
}

@test "columns: what is missing is done without, but for times and names" {
	nsys 'ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN gridX; ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN demangledName;
		ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME DROP COLUMN eventClass; ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN streamId;'
	equal "$(events 3,10 --keep kernel)" "kernel	gemm
kernel	gemm"
	nsys 'ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN start;'
	run -1 --separate-stderr tl-parse trace.db
	failed 1 'table CUPTI_ACTIVITY_KIND_KERNEL has no column start, which is needed'
}

@test "an empty text is no value: of a copy without a size, of any column that may be missing; where one is needed it is an error" {
	nsys "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET streamId = '', gridX = '' WHERE rowid = 1;
		CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, bytes INT, copyKind INT);
		INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (950, 960, '', 1);"
	equal "$(events 3,10,12- --keep kernel,memcpy)" "kernel	gemm(float*)	correlation:i=5	device:i=0	block:j=[64,1,1]
kernel	gemm	correlation:s=2:5	stream:i=9	device:i=0	grid:j=[1,1,1]	block:j=[32,1,1]
memcpy	CUDA memcpy Host-to-Device"
	rocpd "UPDATE rocpd_memory_copy_a1 SET size = '';"
	equal "$(events 12- --keep memcpy | grep -c bytes || true)" 0
	nsys "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = '' WHERE rowid = 1;"
	run -1 --separate-stderr tl-parse trace.db
	failed 1 'table CUPTI_ACTIVITY_KIND_KERNEL, row 1: start is not an integer'
}

@test "a value of a wrong type names table, row and column; --lenient leaves the row out" {
	local value
	for value in "'soon'" "x'00ff'" 1e300 9223372036854775807 NULL; do
		nsys "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = $value WHERE rowid = 1;"
		run -1 --separate-stderr tl-parse trace.db
		failed 1 'table CUPTI_ACTIVITY_KIND_KERNEL, row 1: end is (not an integer|out of range|missing); --lenient'
		equal "$(events 2 --lenient --keep kernel 2>said)" 3
		like "$(<said)" 'trace.db: 1 event: a row whose value is of a wrong type or out of range, left out \(first at event 2\)'
	done
}

@test "busy time of each GPU of each process, of Nsight Systems and rocpd" {
	nsys
	equal "$(tl-rocprof -q --sheets gpu_busy --columns process,device,kernel_count,busy_time_ms,idle_time_ms,total_time_ms trace.db)" \
		"process	device	kernel_count	busy_time_ms	idle_time_ms	total_time_ms
7	0	1	0.0001	0.0	0.0001
8	0	1	0.00012	0.0	0.00012"
	rocpd
	equal "$(tl-rocprof -q --sheets gpu_busy trace.db | cut -f 3-9 | sed -n 2p)" "$(printf '1\t1\t0.0003\t0.0004\t0.0007\t0.0005\t0.0012')"
}

@test "an end before the start: no duration, and a note" {
	nsys 'UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 1 WHERE rowid = 1;'
	equal "$(events 4,5,12 --keep kernel 2>said | head -1)" "200		end_timestamp:i=1"
	like "$(<said)" '1 event: without a duration: the end is before the start'
}

@test "databases of other programs are refused by name" {
	local t
	for t in 'KERN:rocprof 1' 'StringTable:nvprof' 'cake:no trace in this SQLite database'; do
		rm -f trace.db
		sqlite3 trace.db "CREATE TABLE ${t%%:*} (a)"
		run -1 --separate-stderr tl-parse trace.db
		failed 1 "${t#*:}"
	done
}

@test "a report of Nsight Systems is refused, with the command that makes a database" {
	printf 'NVIDIA Tegra Profiler Report 1.\n\v' >report
	run -1 --separate-stderr tl-parse report
	failed 1 'report: .*a report of Nsight Systems; nsys export --type sqlite FILE makes a database of it'
	printf 'of another version' >report.nsys-rep
	run -1 --separate-stderr tl-parse report.nsys-rep
	failed 1 'report.nsys-rep: byte 0: not a trace that can be read: a report of Nsight Systems; nsys export --type sqlite FILE .*'
	printf 'ROCPROF' >run.rocprof
	run -1 --separate-stderr tl-parse run.rocprof
	failed 1 'run.rocprof: byte 0: not a trace that can be read: a file of rocprofiler.s own; rocprofv3 --output-format json .*'
}

@test "metrics without types are counters of no device; those of network cards are left out, and counted" {
	nsys 'CREATE TABLE GPU_METRICS (timestamp INT, value INT); INSERT INTO GPU_METRICS VALUES (1, 2), (2, 3);
		CREATE TABLE NET_NIC_METRIC (timestamp INT, value INT); INSERT INTO NET_NIC_METRIC VALUES (1, 2), (2, 3);'
	run -0 --separate-stderr tl-parse -o out.tls trace.db
	like "$stderr" '2 events: values of network cards'
	equal "$(tl-counters -q --columns device,counter,of,samples out.tls | tail -n 1)" $'\tGPU metric 0\tbefore\t2'
}

@test "the workbook of a database has the name of the database without its usual ending" {
	nsys
	mv trace.db saxpy.sqlite
	tl-report -q saxpy.sqlite
	[ -s saxpy_perf_report.xlsx ]
	cp saxpy.sqlite 908_results.db
	tl-report -q 908_results.db
	[ -s 908_perf_report.xlsx ]
	cp saxpy.sqlite a.db
	gzip saxpy.sqlite
	cp saxpy.sqlite.gz 909_results.db.gz
	rm ./*.xlsx
	local file
	for file in a.db saxpy.sqlite.gz 909_results.db.gz; do
		tl-report -q "$file"
	done
	equal "$(echo *.xlsx)" '909_perf_report.xlsx a_perf_report.xlsx saxpy_perf_report.xlsx'
}

@test "two databases of rocprofv3 are compared, as operands, as folders of their sheets, as runs" {
	local name
	for name in a:2500 b:2800 c:2510 d:2805; do
		rocpd "UPDATE rocpd_kernel_dispatch_a1 SET end = ${name#*:} WHERE id = 1;"
		mv trace.db "${name%:*}.db"
		tl-sheets -q -d "${name%:*}" "${name%:*}.db"
	done
	tl-compare -q a.db b.db -d operands
	tl-compare -q a b -d folders
	diff -r -x .tl-tsv-sheets operands folders
	kernel=$(row operands/kernel_stats.tsv 'name=gemm(int)')
	equal "$(cell operands/kernel_stats.tsv 'time_ms__b_pct' "$kernel")" 100.0
	run -0 --separate-stderr tl-compare --baseline a.db c --variant b d.db --names was is -d runs
	like "$output" '^is against was: '
	kernel=$(row runs/kernel_stats.tsv 'name=gemm(int)')
	like "$(cell runs/kernel_stats.tsv 'time_ms__is_pct' "$kernel")" '^9[78][.]'
}
