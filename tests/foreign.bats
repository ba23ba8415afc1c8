#!/usr/bin/env bats
# foreign.bats - files of other programs that are taken for traces: each is named, with the way to a trace that can be read.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# named TEXT WHAT: such a file is an error that says what it is
named() {
	printf '%s' "$1" >t.json
	run -1 --separate-stderr tl-parse -o out.tls t.json
	failed 1 "t.json: .*not a trace that can be read: $2"
	unlike "$stderr" 'lenient'
}
# process NAME, thread NAME, event MEMBERS: an element of the list of events
process() { printf '{"ph":"M","name":"process_name","pid":1,"args":{"name":"%s"}}' "$1"; }
thread() { printf '{"ph":"M","name":"thread_name","pid":1,"tid":3,"args":{"name":"%s"}}' "$1"; }
event() { printf '{"ph":"X","name":"a","pid":1,"tid":3,"ts":1,"dur":2%s}' "$1"; }

# bats test_tags=quick
@test "traces in Chrome's form of other profilers are named, with the way to one that can be read" {
	named "{\"traceEvents\":[$(process '/device:TPU:0'),$(thread 'XLA Ops')]}" 'the Chrome JSON of JAX .*xplane.pb'
	named '[{"ph":"X","pid":"Device 0","tid":"a","ts":1,"dur":1,"args":{"CorrelationID":1}},{"ph":"X","pid":"Device 0","ts":1,"dur":1}]' 'what nsys2json .*nsys export --type sqlite'
	named "[$(process gpu/0),$(event ',"cat":"operator"')]" "a trace of MXNet's profiler"
	named "[$(event ',"cat":"toplevel,ipc"')]" 'a trace of a browser'
	named "{\"traceEvents\":[$(event ',"cat":"x"')],\"metadata\":{\"product-version\":\"Chrome/120\"}}" 'a trace of a browser'
}

@test "the same events without those names are of an unknown writer, which is a warning, and no advice about PyTorch" {
	printf '[%s,%s,%s]' "$(process 'my program')" "$(thread Stream)" "$(event ',"cat":"x"')" >t.json
	run -0 --separate-stderr tl-overview t.json
	like "$stderr" 't.json: 3 events: a Chrome trace of an unknown writer: no device work is known in it'
	like "$output" $'trace\tprofiler\tchrome'
	run -0 tl-findings --format text t.json
	unlike "$output" 'ProfilerActivity|with_stack|record_shapes'
	printf '{"schemaVersion":1,"traceEvents":[%s]}' "$(event ',"cat":"x"')" >t.json
	run -0 --separate-stderr tl-overview t.json
	unlike "$stderr" 'unknown writer'
	like "$output" $'trace\tprofiler\tpytorch'
}

@test "a list of objects is no trace; tables, trees and other JSON are named" {
	printf '[{"id":0,"x":1},{"id":1}]' >t.json
	run -1 --separate-stderr tl-parse -o out.tls t.json
	failed 1 't.json: a list of objects, no trace: none has a phase \(ph\); its members are: id, x, id'
	named '[{"count":9},{"name":"fc","timeMs":7.7,"averageMs":0.07}]' 'a table of trtexec --exportProfile; nsys profile trtexec'
	named '[{"startInMs":0.0,"endInMs":0.02}]' 'times of trtexec --exportTimes'
	named '[{"children":[],"frame":{"name":"ROOT"},"metrics":{}},{"CUDA":{}}]' "a tree of Triton's proton"
	named '{"schema":"1.1.1-chakra.0.0.4","pid":1,"nodes":[]}' 'an execution trace of PyTorch or Chakra'
	named '{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[]}' 'a profile of speedscope'
	named '{"resourceSpans":[]}' 'spans of OpenTelemetry'
	named $'{"AnalysisFile":[]}\n{"CudaEvent":{}}\n' 'what nsys export --type json writes'
}

@test "sums and tables of text, and files of other tools, are named" {
	named 'Time (%),Total Time (ns),Instances' 'sums of nsys stats'
	named '"Name","Calls","TotalDurationNs"' 'sums of rocprof or rocprofv3; .*_kernel_trace.csv'
	named 'PAR1....' 'a table of Parquet'
	named $'tracy\1\2\3' 'a capture of Tracy'
	named $'\x7fELF\2\1\1' 'a program or a library'
	need sqlite3
	rm t.json
	sqlite3 t.json 'CREATE TABLE STRING_IDS (a); CREATE TABLE TASK (a)'
	run -1 --separate-stderr tl-parse -o out.tls t.json
	failed 1 "not a trace that can be read: a database of Ascend's profilers"
}

@test "profiles of ONNX Runtime and traces of proton are read, and are not PyTorch's" {
	printf '[%s,%s]' "$(event ',"cat":"Node","args":{"op_name":"Gemm","provider":"CPU"}')" "$(event ',"cat":"Session"')" >t.json
	like "$(tl-overview -q t.json)" $'trace\tprofiler\tonnxruntime'
	run -0 tl-findings --format text t.json
	like "$output" 'CUDAExecutionProvider'
	unlike "$output" 'ProfilerActivity|with_stack'
	printf '[%s]' "$(event ',"cat":"kernel","args":{"call_stack":["ROOT","main"]}')" >t.json
	like "$(tl-overview -q t.json)" $'trace\tprofiler\tproton'
	unlike "$(tl-findings --format text t.json 2>&1)" 'ProfilerActivity|with_stack'
}

@test "shapes of ONNX Runtime that are no lists of numbers are left out" {
	local node=',"cat":"Node","name":"a_kernel_time","args":{"op_name":"Add","provider":"CPU","input_type_shape":'
	printf '[%s,%s,%s]' "$(event "$node"'[{"float":[2,3]}]}')" "$(event "$node"'[{"seq":[[1,2],[3]]}]}')" "$(event "$node"'"[{\"float\":[a\n]}]"}')" >t.json
	equal "$(tl-sql -q t.json 'SELECT min(json_valid(args)) AS valid, group_concat(dims) AS dims FROM op')" $'valid\tdims\n1\t[[2,3]]'
}

@test "calls of Intel's runtime without device work: the activity that is missing is that of the device" {
	printf '{"schemaVersion":1,"traceEvents":[%s,%s]}' "$(event ',"cat":"cpu_op"')" "$(event ',"cat":"xpu_runtime"')" >t.json
	run -0 tl-findings --format text t.json
	like "$output" 'nothing of a device was recorded: add ProfilerActivity.XPU'
	unlike "$output" 'ProfilerActivity.CUDA'
}

@test "a trace of PyTorch that others added to stays one" {
	tl-gen -n 300 | jq -c '.traceEvents += [
		{ph: "M", name: "process_name", pid: 77, tid: 0, ts: 0, args: {name: "CANNON server"}},
		{ph: "X", cat: "toplevel", name: "RunTask", pid: 77, tid: 1, ts: 1, dur: 1},
		{ph: "X", cat: "gpu_op", name: "x", pid: 77, tid: 1, ts: 3, dur: 1}]' >mixed.json
	run -0 --separate-stderr tl-kcat -o kernels mixed.json
	refute grep -q 'not a trace' <<<"$stderr"
	[ "$(wc -l <kernels)" -gt 1 ]
}

# span PID TID TS DUR NAME MEMBERS, meta PID TID WHAT NAME, arrow PH PID TID TS CATEGORY ID: elements of the list of events
span() { printf '{"ph":"X","pid":%s,"tid":%s,"ts":%s,"dur":%s,"name":"%s"%s}' "$@"; }
meta() { printf '{"ph":"M","pid":%s,"tid":%s,"name":"%s_name","args":{"name":"%s"}}' "$@"; }
arrow() { printf '{"ph":"%s","pid":%s,"tid":%s,"ts":%s,"cat":"%s","id":%s,"name":"arrow"}' "$@"; }
# list ELEMENTS: the file t.json with them; its events, each with kind, times, process, thread and name, in out
list() {
	(IFS=,; printf '[%s]' "$*") >t.json
	tl-parse --no-provenance t.json | tl-view >view
	awk -F'\t' '$1 == "event" && $3 != "meta" { print $3, $4, $5, $6, $7, $10 }' view >out
}
# launches NAME: how many device events each operator has below it
launches() { tl-ops -q --columns name,Count,total_direct_kernel_time_ms t.json; }

# bats test_tags=quick
@test "Ascend: times in quotes, kernels by the type of their task, collectives on the same device, steps" {
	list "$(meta 1 0 process Python)" "$(meta 8 0 process 'Ascend Hardware')" "$(meta 9 0 process HCCL)" "$(meta 9 2 thread 'Group 0 Communication')" \
		"$(meta 9 3 thread 'Plane 0')" "$(meta 7 0 process CANN)" "$(span 1 5 10 90 'ProfilerStep#3' ',"cat":"cpu_op"')" \
		"$(span 1 5 '"10.0006"' '"80.25"' aten::mm ',"cat":"cpu_op"')" "$(span 7 5 20 12.77012757357446 AscendCL@aclnnMm ',"args":{"connection_id":8}')" \
		"$(span 8 3 '"40.5"' 20 MatMul ',"args":{"Task Type":"AI_CORE","Stream Id":3,"connection_id":8}')" \
		"$(span 9 2 50 30 hcom_allReduce__100_0_1 ',"args":{"count":1024,"data_type":"FP32"}')" "$(span 9 3 50 30 Memcpy ',"args":{"task type":"SDMA"}')" \
		"$(span 8 3 81 9 MEMCPY_ASYNC ',"args":{"Task Type":"PCIE_DMA_SQE"}')" "$(span 8 3 50 30 EVENT_WAIT ',"args":{"Task Type":"EVENT_WAIT_SQE"}')" \
		"$(span 8 3 60 1 x ',"args":{"Task Type":"NEW"}')"
	equal "$(cat out)" 'annotation 10000 90000 1 5 ProfilerStep#3
cpu_op 10001 80250 1 5 aten::mm
runtime 20000 12770 1 5 aclnnMm
kernel 40500 20000 8 3 MatMul
kernel 50000 30000 8 "Group 0 Communication" hcom_allReduce__100_0_1
other 50000 30000 9 3 Memcpy
memcpy 81000 9000 8 3 MEMCPY_ASYNC
other 50000 30000 8 3 EVENT_WAIT
other 60000 1000 8 3 x'
	run -0 --separate-stderr tl-timeline t.json
	like "$stderr" '1 event: device events of an unknown type, not counted as work: NEW'
	unlike "$stderr" 'launch arrows|left out of'
	equal "$(awk -F'\t' '{ print $1, $2 }' <<<"$output" | head -6)" 'type time ms
computation_time 0.02
exposed_comm_time 0.0195
exposed_memcpy_time 0.009
busy_time 0.0485
idle_time 0.001'
	equal "$(launches)" $'name\tCount\ttotal_direct_kernel_time_ms\naten::mm\t1\t0.02'
	like "$(tl-coll -q --sheets collectives t.json)" $'\tallreduce\t'
}

@test "Ascend: a kernel whose call another thread made belongs to the operator where its arrow begins" {
	list "$(meta 1 0 process Python)" "$(meta 8 0 process 'Ascend Hardware')" "$(meta 7 0 process CANN)" \
		"$(span 1 5 10 20 aten::mm ',"cat":"cpu_op"')" "$(arrow s 1 5 15 async_npu 77)" "$(span 7 6 20 12 AscendCL@aclnnMm ',"args":{"connection_id":8}')" \
		"$(span 8 3 40 20 MatMul ',"args":{"Task Type":"AI_CORE","connection_id":8}')" "$(arrow f 8 3 40 async_npu 77)" \
		"$(span 1 5 100 20 aten::add ',"cat":"cpu_op"')" "$(arrow s 1 5 105 async_npu 78)" "$(span 7 5 107 3 AscendCL@aclnnAdd ',"args":{"connection_id":9}')" \
		"$(span 8 3 140 5 Add ',"args":{"Task Type":"AI_CORE","connection_id":9}')" "$(arrow f 8 3 140 async_npu 78)" "$(arrow s 1 5 110 async_npu 79)"
	equal "$(launches)" $'name\tCount\ttotal_direct_kernel_time_ms\naten::mm\t1\t0.02\naten::add\t1\t0.005'
	equal "$(grep -c '^runtime' out)" 3 # the arrow's start is a call where no call of its thread launched
}

@test "Ascend: processes that are named behind their events" {
	list "$(span 1 5 10 20 'ProfilerStep#1' ',"cat":"cpu_op"')" "$(span 8 3 12 5 MatMul ',"args":{"Task Type":"AI_CORE"}')" "$(meta 8 0 process 'Ascend Hardware')"
	equal "$(cat out)" $'annotation 10000 20000 1 5 ProfilerStep#1\nkernel 12000 5000 8 3 MatMul'
	equal "$(tl-parse --keep kernel t.json | tl-view | grep -c '^event')" 1
}

# bats test_tags=quick
@test "ONNX Runtime: nodes are operators with shapes, and launched the kernels that name them" {
	node() { span 70 7 "$1" 20 "$2_kernel_time" ",\"cat\":\"Node\",\"args\":{\"op_name\":\"$3\",\"provider\":\"CUDA\",\"input_type_shape\":[{\"float16\":[1,64]}]}"; }
	kernel() { span -1 -1 "$1" "$2" k ",\"cat\":\"Kernel\",\"args\":{\"parent_name\":\"$3_kernel_time\",\"stream\":\"13\",\"grid_x\":\"4\",\"grid_y\":\"1\",\"grid_z\":\"1\"}"; }
	list "$(span 70 7 5 95 model_run ',"cat":"Session"')" "$(node 10 conv1 Conv)" "$(node 40 conv2 Conv)" "$(node 70 fc Gemm)" "$(node 110 conv1 Conv)" \
		"$(kernel 12 100 conv1)" "$(kernel 115 7 conv1)" "$(kernel 75 5 fc)" "$(kernel 130 5 unknown)"
	equal "$(cut -d' ' -f 1,6- out | sort | uniq -c | sed 's/^ *//')" $'1 annotation model_run\n3 cpu_op Conv\n1 cpu_op Gemm\n4 kernel k'
	equal "$(launches)" $'name\tCount\ttotal_direct_kernel_time_ms\nConv\t2\t0.107\nGemm\t1\t0.005'
	grep -q $'Input Dims:j=\\[\\[1,64\\]\\]\tInput type:j=\\["c10::Half"\\]' view
	grep -q $'\tstream:i=13\tgrid_x.*\tgrid:j=\\[4,1,1\\]' view
}

@test "JAX's JSON, a timeline of TensorFlow 1, and unitrace: kernels, copies and calls" {
	list "$(meta 1 0 process /device:GPU:0)" "$(meta 1 7 thread 'Stream #7(Compute)')" "$(meta 1 9 thread 'XLA Ops')" "$(meta 2 0 process /host:CPU)" \
		"$(span 1 7 10 5 fusion_1 ',"args":{"correlation_id":"4"}')" "$(span 1 7 16 2 MemcpyD2H '')" "$(span 1 9 10 5 fusion_1 '')" \
		"$(span 2 1 5 2 cuLaunchKernel ',"args":{"correlation_id":4}')"
	equal "$(cut -d' ' -f 1,6- out)" $'kernel fusion_1\nmemcpy MemcpyD2H\ngpu_annotation fusion_1\nruntime cuLaunchKernel'
	run -0 --separate-stderr tl-overview t.json
	like "$output" $'trace\tprofiler\tjax'
	like "$stderr" 'the \*.xplane.pb beside this JSON of JAX or TensorFlow tells more'
	list "$(meta 1 0 process '/job:localhost/device:GPU:0 Compute')" "$(meta 3 0 process '/device:GPU:0/stream:all Compute')" \
		"$(meta 4 0 process '/device:GPU:0/stream:13 Compute')" "$(meta 5 0 process '/device:GPU:0/memcpy Compute')" \
		"$(span 1 0 10 5 MatMul ',"cat":"Op","args":{"name":"m_0"}')" "$(span 3 0 20 5 MatMul ',"args":{"name":"m_0"}')" "$(span 4 0 20 5 MatMul '')" "$(span 5 0 30 5 MEMCPYHtoD '')"
	equal "$(cut -d' ' -f 1,4- out)" $'cpu_op 1 0 MatMul\nkernel 3 0 MatMul\nother 4 0 MatMul\nmemcpy 3 "/device:GPU:0/memcpy Compute" MEMCPYHtoD'
	equal "$(launches)" $'name\tCount\ttotal_direct_kernel_time_ms\nMatMul\t1\t0.005'
	list "$(meta 1 0 process 'HOST<n>')" "$(meta 2 0 process 'DEVICE<n>[0]')" "$(span 1 1 10 2 zeCommandListAppendLaunchKernel ',"cat":"cpu_op","id":0')" \
		"$(span 2 1 20 9 'gemm[SIMD32 {64; 1; 1} {256; 1; 1}]' ',"cat":"gpu_op","args":{"id":"0"}')" "$(span 2 1 30 9 'zeCommandListAppendMemoryCopy(D2M)[4 bytes]' ',"cat":"gpu_op"')"
	equal "$(cut -d' ' -f 1,6- out)" $'runtime zeCommandListAppendLaunchKernel\nkernel gemm\nmemcpy zeCommandListAppendMemoryCopy(D2M)[4 bytes]'
	equal "$(tl-link t.json | tl-view | grep -c $'^link\tlaunch')" 1
}

@test "a member or a category of PyTorch's profiler only: names and categories of others mean nothing" {
	local e
	e="$(meta 8 0 process 'Ascend Hardware'),$(span 8 3 12 5 MatMul ',"args":{"Task Type":"AI_CORE"}')"
	list "$(span 1 1 1 1 cudaLaunchKernel ',"cat":"cuda_runtime"')" "$e"
	grep -qx 'other 12000 5000 8 3 MatMul' out
	printf '{"traceEvents":[%s],"schemaVersion":1}' "$e" >t.json
	equal "$(tl-parse t.json | tl-view | awk '$1 == "event" { print $3 }')" $'meta\nother'
}
