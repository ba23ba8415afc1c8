#!/usr/bin/env bats
# ranges.bats - what the texts of ranges (NVTX, rocTX, UserMarker) become.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	need sqlite3
	cd "$BATS_TEST_TMPDIR"
}

# events COLUMNS [OPTION…]: these columns of the events of trace.db
events() {
	tl-parse -q "${@:2}" trace.db | tl-view | awk '/^event/' | cut -f "$1"
}
# nvtx ROWS…: makes trace.db, an export of Nsight Systems with these rows (start, end, eventType, text, globalTid, domainId)
nvtx() {
	rm -f trace.db
	sqlite3 trace.db <<-SQL
		CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
		CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT, nameId INT);
		CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, correlationId INT, globalPid INT, shortName INT);
		INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'gemm_bf16');
		CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, globalTid INT, domainId INT);
		INSERT INTO NVTX_EVENTS VALUES $(printf '(%s),' "$@" | sed 's/,$//');
		${SQL-}
	SQL
}

@test "NVTX: operators with their fields, ranges that do not nest, and --keep-ranges" {
	nvtx "10, 90, 59, 'aten::cat, seq = 3, op_id = 7, sizes = [[2, 3], [4, 3], []]', (7<<24)+71, 0" \
		"12, 80, 60, 'aten::mm, op_id = 8', (7<<24)+71, 0" \
		"15, 20, 59, '{''Module'': ''a.mlp'', ''Outputs'': [[4]]}', (7<<24)+71, 0" \
		"20, NULL, 34, 'aten::add', (7<<24)+71, 0" \
		"25, 30, 59, 'Thunk:#hlo_op=dot.1#', (7<<24)+71, 5" "0, NULL, 75, 'TSL', (7<<24)+71, 5"
	equal "$(events 3-5,8-)" 'cpu_op	10	80	nvtx	X	aten::cat	a	style:s=PushPop	domain:s=	Sequence number:i=3	op_id:i=7	Input Dims:j=[[[2,3],[4,3]],[]]
annotation	12	68	nvtx	X	aten::mm	a	style:s=StartEnd	domain:s=	op_id:i=8
instant	15		nvtx	i	a.mlp	a	style:s=PushPop	domain:s=	module:s=a.mlp
instant	20		nvtx	i	aten::add	a	domain:s=
cpu_op	25	5	nvtx	X	dot.1	a	style:s=PushPop	domain:s=TSL	hlo_op:s=dot.1'
	equal "$(events 3,10,12- --keep-ranges)" "annotation	aten::cat, seq = 3, op_id = 7, sizes = [[2, 3], [4, 3], []]	style:s=PushPop	domain:s=
annotation	aten::mm, op_id = 8	style:s=StartEnd	domain:s=
annotation	{'Module': 'a.mlp', 'Outputs': [[4]]}	style:s=PushPop	domain:s=
instant	aten::add	domain:s=
annotation	Thunk:#hlo_op=dot.1#	style:s=PushPop	domain:s=TSL"
}

@test "NVTX: brackets of a list that do not fit are no list" {
	nvtx "10, 90, 59, 'aten::mm, op_id = 7, input_op_ids = [), (2,1]', (7<<24)+71, 0"
	equal "$(events 3,10,14-)" 'cpu_op	aten::mm	op_id:i=7'
}

@test "NVTX: a text that was cut loses its last field, which is told" {
	nvtx "10, 90, 59, 'aten::mm, op_id = 7, sizes = [[2, 3', (7<<24)+71, 0"
	equal "$(events 3,10,14-)" 'cpu_op	aten::mm	op_id:i=7'
	run -0 --separate-stderr tl-parse -o out.tls trace.db
	like "$stderr" '1 .*texts of ranges that the profiler cut'
}

@test "rocTX: ranges of rocprofv3 (JSON, database, packets) and of rocmProfileData" {
	cat >a.json <<-'JSON'
		{"rocprofiler-sdk-tool": [{"metadata": {"pid": 9}, "agents": [], "kernel_symbols": [],
		"strings": {"buffer_records": [{"kind": "MARKER", "operations": ["roctxRangePushA", "roctxRangeStartA"]}],
		"marker_api": [{"key": 4, "value": "aten::mm, op_id = 5"}, {"key": 5, "value": "aten::mm, op_id = 6"}]},
		"buffer_records": {"marker_api": [
		{"kind": 0, "operation": 0, "thread_id": 1, "correlation_id": {"internal": 4}, "start_timestamp": 10, "end_timestamp": 20},
		{"kind": 0, "operation": 1, "thread_id": 1, "correlation_id": {"internal": 5}, "start_timestamp": 30, "end_timestamp": 40}]}}]}
	JSON
	equal "$(tl-parse -q a.json | tl-view | awk '/^event/' | cut -f 3,10,13-)" 'cpu_op	aten::mm	style:s=PushPop	op_id:i=5
annotation	aten::mm	op_id:i=6'
	equal "$(tl-parse -q --keep-ranges a.json | tl-view | awk '/^event/' | cut -f 3,10)" 'annotation	aten::mm, op_id = 5
annotation	aten::mm, op_id = 6'
	cat >b.json <<-'JSON'
		{"traceEvents": [
		{"ph": "X", "cat": "marker_api", "name": "training_step_8", "pid": 1, "tid": 1, "ts": 1, "dur": 9, "args": {"begin_ns": 1000, "end_ns": 10000}},
		{"ph": "X", "cat": "hip_api", "name": "hipMalloc", "pid": 1, "tid": 1, "ts": 2, "dur": 1, "args": {}}]}
	JSON
	equal "$(tl-parse -q b.json | tl-view | awk '/^event/' | cut -f 3,10 | head -n 1)" 'annotation	training_step_8'
	like "$(tl-parse -q b.json | tl-view | awk '/training_step/')" 'step:i=8'
	rm -f trace.db
	sqlite3 trace.db "CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT);
		INSERT INTO rocpd_string VALUES (1, 'UserMarker'), (2, 'aten::mm, op_id = 5'), (3, 'hipMalloc');
		CREATE TABLE rocpd_api (id INTEGER PRIMARY KEY, pid INT, tid INT, start INT, end INT, apiName_id INT, args_id INT);
		INSERT INTO rocpd_api VALUES (1, 4, 5, 10, 20, 1, 2), (2, 4, 5, 12, 14, 3, 2);
		CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, gpuId INT, queueId INT, start INT, end INT, description_id INT, opType_id INT);"
	equal "$(events 3,10,12-)" 'cpu_op	aten::mm	style:s=PushPop	op_id:i=5
runtime	hipMalloc	correlation:i=2'
	rm trace.db
	sqlite3 trace.db "CREATE TABLE rocpd_metadata_a (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);
		CREATE TABLE rocpd_string_a (id INTEGER PRIMARY KEY, string TEXT);
		INSERT INTO rocpd_string_a VALUES (1, 'roctxRangePushA'), (2, 'MARKER_CORE_API'), (3, 'roctxRangeStartA');
		CREATE TABLE rocpd_event_a (id INTEGER PRIMARY KEY, category_id INT, stack_id INT, extdata TEXT);
		INSERT INTO rocpd_event_a VALUES (1, 2, 12, '{\"message\":\"aten::mm, op_id = 5\"}');
		CREATE TABLE rocpd_region_a (id INTEGER PRIMARY KEY, pid INT, tid INT, start INT, end INT, name_id INT, event_id INT);
		INSERT INTO rocpd_region_a VALUES (1, 1, 1, 10, 20, 1, 1), (2, 1, 1, 30, 40, 3, 1);"
	equal "$(events 3,10,12-)" 'cpu_op	aten::mm	style:s=PushPop	correlation:i=12	op_id:i=5
annotation	aten::mm	style:s=StartEnd	correlation:i=12	op_id:i=5'
}

@test "PyTorch's annotations are no texts of ranges" {
	echo '[{"ph": "X", "cat": "user_annotation", "name": "aten::mm, op_id = 5", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]' >t.json
	equal "$(tl-parse -q t.json | tl-view | awk '/^event/' | cut -f 3,10)" 'annotation	aten::mm, op_id = 5'
}

# nested: makes trace.db: two iterations with an operator in each, on two threads, and kernels
nested() {
	SQL="INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (120, 130, (7<<24)+71, 1, 1), (160, 170, (7<<24)+71, 2, 1), (1120, 1130, (7<<24)+71, 3, 1),
			(1180, 1190, (7<<24)+71, 4, 1), (1300, 1310, (7<<24)+72, 5, 1), (1400, 1410, (7<<24)+71, 6, 1);
		INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (200, 300, 0, 7, 1, 7<<24, 2), (300, 350, 0, 7, 2, 7<<24, 2), (1200, 1300, 0, 7, 3, 7<<24, 2),
			(1300, 1350, 0, 7, 4, 7<<24, 2), (1350, 1355, 0, 7, 5, 7<<24, 2), (1420, 1427, 0, 7, 6, 7<<24, 2), (1430, 1441, 0, 7, 99, 7<<24, 2);" \
		nvtx "100, 190, 59, 'iteration 0', (7<<24)+71, 0" "110, 140, 59, 'aten::mm, seq = 3, op_id = 7, sizes = [[2, 3], []]', (7<<24)+71, 0" \
		"1100, 1195, 59, 'iteration 1', (7<<24)+71, 0" "1110, 1140, 59, 'aten::mm, op_id = 8, input_op_ids = [(7,0), (0,-1)]', (7<<24)+71, 0" \
		"90, 1500, 60, 'started', (7<<24)+71, 0" "1290, 1320, 59, 'aten::mm', (7<<24)+72, 0"
}

@test "range_summary: folded names with how many texts they are, and --full-range-text" {
	nested
	equal "$(tl-api -q --sheets range_summary --columns name,style,Count,texts,example,launching_count trace.db)" "name	style	Count	texts	example	launching_count
:started	StartEnd	1	1	started	1
:iteration N	PushPop	2	2	iteration 0	2
:aten::mm	PushPop	3	3	aten::mm, seq = 3, op_id = 7, sizes = [[2, 3], []]	3"
	equal "$(tl-api -q --sheets range_summary --full-range-text --columns name,Count trace.db)" "name	Count
:started	1
:iteration 1	1
:iteration 0	1
:aten::mm	1
:aten::mm, op_id = 8, input_op_ids = [(7,0), (0,-1)]	1
:aten::mm, seq = 3, op_id = 7, sizes = [[2, 3], []]	1"
	tl-parse -q --keep-ranges trace.db | tl-api -q --sheets range_summary --full-range-text --columns name,Count,host_time_ms,device_span_ms - >kept.tsv
	tl-api -q --sheets range_summary --full-range-text --columns name,Count,host_time_ms,device_span_ms trace.db | cmp - kept.tsv
}

@test "range_paths: own times add up to all device events" {
	nested
	equal "$(tl-api -q --sheets range_paths --columns path,Count,host_time_ms,host_self_ms,device_event_count,device_time_ms,own_event_count,own_time_ms trace.db)" \
"path	Count	host_time_ms	host_self_ms	device_event_count	device_time_ms	own_event_count	own_time_ms
(no range)	0	0.0	0.0	2	1.8e-05	2	1.8e-05
iteration N	2	0.000185	0.000125	4	0.0003	2	0.0001
iteration N / aten::mm	2	6e-05	6e-05	2	0.0002	2	0.0002
aten::mm	1	3e-05	3e-05	1	5e-06	1	5e-06"
}

@test "the cases of the specification" {
	cases=$TL_ROOT/../shared/traces/alike
	[ -d "$cases/nvtx-operators" ] || skip "the cases are not here"
	tl-api -q --sheets range_paths --columns path,Count,host_time_ms,device_event_count,device_time_ms,own_event_count,own_time_ms "$cases/nvtx-operators/input.sqlite" |
		awk -F'\t' 'NR > 2 { printf "%s\t%d\t%.0f\t%d\t%.0f\t%d\t%.0f\n", $1, $2, $3 * 1e6, $4, $5 * 1e6, $6, $7 * 1e6 }' | sort >got
	grep -v '^(no range)' "$cases/nvtx-operators/paths.tsv" | tail -n +2 | sort | cmp - got
}

@test "the backward operator is linked with the forward operator that began last before it" {
	nvtx "10, 50, 59, 'aten::linear, seq = 3, op_id = 1', (7<<24)+71, 0" "12, 40, 59, 'aten::addmm, seq = 3, op_id = 2', (7<<24)+71, 0" \
		"100, 150, 59, 'autograd::engine::evaluate_function: AddmmBackward0, seq = 3, op_id = 3', (7<<24)+72, 0" \
		"110, 150, 59, 'AddmmBackward0, seq = 3, op_id = 4', (7<<24)+72, 0" "160, 170, 59, 'relu, seq = 3', (7<<24)+71, 0" \
		"180, 190, 59, 'ReluBackward0, stashed seq=3', (7<<24)+71, 0" "15, 20, 59, 'aten::mm, seq = 3', (8<<24)+81, 0" \
		"200, 210, 59, 'MyBackward, seq = 9', (7<<24)+71, 0" "220, 230, 59, 'forward, seq = 9', (7<<24)+71, 0"
	equal "$(tl-parse -q trace.db | tl-link -q | tl-view |
		awk -F'\t' '/^event/ { name[$2] = $10 } $1 == "link" && $2 == "backward" { print name[$3], "-", name[$4] }' | sort)" \
		'aten::addmm - autograd::engine::evaluate_function: AddmmBackward0
relu - ReluBackward0'
}

@test "host_modules, ops_by_module: in a trace without Python frames the ranges of layers are the calls" {
	SQL="INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (125, 130, (7<<24)+71, 1, 1), (145, 150, (7<<24)+71, 2, 1), (180, 185, (7<<24)+71, 3, 1);
		INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (200, 1200, 0, 7, 1, 7<<24, 2), (1300, 3300, 0, 7, 2, 7<<24, 2), (4000, 8000, 0, 7, 3, 7<<24, 2);" \
		nvtx "100, 190, 59, '{''Module'': ''M'', ''Inputs'': [[4]]}', (7<<24)+71, 0" \
		"120, 135, 59, '{''Module'': ''M.layers.0'', ''Inputs'': [[4]]}', (7<<24)+71, 0" \
		"136, 137, 59, '{''Module'': ''M.layers.0'', ''Outputs'': [[4]]}', (7<<24)+71, 0" \
		"140, 155, 59, '{''Module'': ''M.layers.1'', ''Inputs'': [[4]]}', (7<<24)+71, 0" \
		"141, 152, 59, 'aten::mm, op_id = 4', (7<<24)+71, 0"
	equal "$(tl-host -q --sheets host_modules --unfolded --columns module,depth,path,module_id,calls,operator_count,device_total_ms,device_self_ms trace.db)" \
		"module	depth	path	module_id	calls	operator_count	device_total_ms	device_self_ms
M	0	M		1	0	0.007	0.004
layers.0	1	M/layers.0		1	0	0.001	0.001
layers.1	1	M/layers.1		1	1	0.002	0.002"
	equal "$(tl-host -q --sheets host_modules --columns module,calls,device_total_ms trace.db)" "module	calls	device_total_ms
M	1	0.007
layers.N × 2	2	0.003"
	run -0 --separate-stderr tl-host --sheets host_modules trace.db
	unlike "$stderr" 'no modules'
	run -0 --separate-stderr tl-ops --sheets ops_by_module --columns module,Count,subtree_device_time_ms,device_event_count,direct_device_time_ms trace.db
	equal "$stderr$output" "module	Count	subtree_device_time_ms	device_event_count	direct_device_time_ms
M	1	0.007	1	0.004
M/layers.1	1	0.002	1	0.002
M/layers.0	1	0.001	1	0.001"
}

@test "ops_by_module: a backward operator outside of the ranges of modules counts where its forward operator was" {
	SQL="INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (125, 130, (7<<24)+71, 1, 1), (325, 330, (7<<24)+72, 2, 1), (345, 350, (7<<24)+72, 3, 1);
		INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (200, 1200, 0, 7, 1, 7<<24, 2), (1300, 3300, 0, 7, 2, 7<<24, 2), (4000, 8000, 0, 7, 3, 7<<24, 2);" \
		nvtx "100, 190, 59, 'MFSDP net.0 forward', (7<<24)+71, 0" "120, 135, 59, 'aten::mm, seq = 3', (7<<24)+71, 0" \
		"320, 335, 59, 'MmBackward0, seq = 3', (7<<24)+72, 0" "340, 355, 59, 'Optimizer.step', (7<<24)+72, 0"
	equal "$(tl-ops -q --sheets ops_by_module --columns module,Count,subtree_device_time_ms,backward_device_time_ms trace.db)" \
		"module	Count	subtree_device_time_ms	backward_device_time_ms
(no module)		0.004	0.0
net.0	1	0.003	0.002"
}

@test "XLA: of operations within one another the innermost is the operator, and the program around it the module" {
	SQL="INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (125, 126, (7<<24)+71, 1, 1), (145, 146, (7<<24)+71, 2, 1);
		INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (200, 9200, 0, 7, 1, 7<<24, 2), (9300, 18300, 0, 7, 2, 7<<24, 2);" \
		nvtx "0, NULL, 75, 'TSL', (7<<24)+71, 5" "120, 130, 59, 'Thunk:#hlo_op=dot.1#', (7<<24)+71, 5" \
		"140, 150, 59, 'Thunk:#hlo_op=dot.2#', (7<<24)+71, 5" "110, 160, 59, 'Thunk:#hlo_op=body.3#', (7<<24)+71, 5" \
		"105, 170, 59, 'Thunk:#hlo_op=while.4#', (7<<24)+71, 5" \
		"100, 190, 59, 'XlaModule:#hlo_module=jit_step,program_id=11#', (7<<24)+71, 5" \
		"50, 90, 59, 'XlaPass:#name=algsimp,module=jit_step,program_id=11#', (7<<24)+71, 5"
	equal "$(tl-host -q --sheets host_ops --columns name,calls trace.db | sort)" "dot.1	1
dot.2	1
name	calls"
	equal "$(tl-ops -q --sheets ops_by_module --columns module,Count,device_event_count trace.db)" "module	Count	device_event_count
jit_step	1	2"
}

@test "kernel_chains: the module of a run is that of the ranges around it" {
	SQL="INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (125, 126, (7<<24)+71, 1, 1), (135, 136, (7<<24)+71, 2, 1);
		INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (200, 9200, 0, 7, 1, 7<<24, 2), (9300, 18300, 0, 7, 2, 7<<24, 2);" \
		nvtx "100, 190, 59, 'MFSDP net.0.act forward', (7<<24)+71, 0" \
		"120, 130, 59, 'aten::mul, op_id = 1, sizes = [[1024, 1024], [1024, 1024]]', (7<<24)+71, 0" \
		"132, 140, 59, 'aten::add, op_id = 2, sizes = [[1024, 1024], [1024, 1024], []], input_op_ids = [(1,0), (0,0)]', (7<<24)+71, 0"
	equal "$(tl-roofline -q --arch H100-SXM --sheets kernel_chains --columns module,names trace.db)" "module	names
net.N.act	aten::mul aten::add"
}

@test "rooflines: types that the names of kernels tell, where the trace has sizes only" {
	SQL="INSERT INTO StringIds VALUES (3, 'sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_kernel'), (4, 'own_kernel');
		INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (120, 130, (7<<24)+71, 1, 1), (220, 230, (7<<24)+71, 2, 1);
		INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 181000, 0, 7, 1, 7<<24, 3), (190000, 200000, 0, 7, 2, 7<<24, 4);" \
		nvtx "100, 190, 59, 'aten::mm, op_id = 1, sizes = [[4096, 128], [128, 1024]]', (7<<24)+71, 0" \
		"200, 290, 59, 'aten::mm, op_id = 2, sizes = [[64, 128], [128, 32]]', (7<<24)+71, 0"
	tl-roofline -q --arch H100-SXM --sheets unified_perf_summary -o r.tsv trace.db
	equal "$(cell r.tsv GFLOPS) $(cell r.tsv 'Data Moved (MB)') $(cell r.tsv 'Compute Spec') $(cell r.tsv dtype_from) $(cell r.tsv 'Input type')" \
		'1.073741824 9.25 matrix_bf16 kernels '
	equal "$(cell r.tsv GFLOPS 2) $(cell r.tsv 'TFLOPS/s_mean' 2) $(cell r.tsv has_perf_model 2)" '0.000524288 0.0524288 True'
	equal "$(cell r.tsv 'Compute Spec' 2)$(cell r.tsv dtype_from 2)$(cell r.tsv 'Data Moved (MB)' 2)$(cell r.tsv 'Roofline Bound' 2)" ''
}

@test "lists that would be no JSON are left out" {
	nvtx "10, 20, 59, 'aten::mm, op_id = 1, sizes = [[007]]', (7<<24)+71, 0" \
		"30, 40, 59, 'aten::mm, op_id = 2, sizes = $(printf '[%.0s' {1..200})1$(printf ']%.0s' {1..200})', (7<<24)+71, 0" \
		"50, 60, 59, 'aten::mm, op_id = 3, sizes = [[0, 70]]', (7<<24)+71, 0"
	equal "$(tl-sql -q trace.db 'SELECT min(json_valid(args)) AS valid, group_concat(dims) AS dims FROM op')" $'valid\tdims\n1\t[[0,70]]'
}
