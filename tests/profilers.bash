# profilers.bash - one piece of work in the form of each profiler; `load profilers` behind helpers.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# full_traces makes a file of each form. In each of three steps of 1 ms are an operator on two matrices of 64 by 64 in
# a module "layers.0", and below it calls that launch a kernel "gemm", a copy of 4096 bytes, and an all-reduce. A
# counter has a value in each step. What a form has no words for is left out. bare_traces makes the same with
# kernels only.

# step N: the variables of step N, in ns: t, its start; ids of the three calls; in µs: u
at_step() {
	t=$(($1 * 1000000)) u=$(($1 * 1000)) a=$(($1 * 3 + 1)) b=$(($1 * 3 + 2)) c=$(($1 * 3 + 3))
}
# join ELEMENT…: with commas
join() {
	local IFS=,
	printf '%s' "$*"
}
gemm=sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_cublas
all_reduce=ncclDevKernel_AllReduce_Sum_f32_RING_LL
operator_text='aten::mm, seq = 1, op_id = 7, sizes = [[64, 64], [64, 64]]'
module_text="{''Module'': ''layers.0'', ''TrainableParams'': {}, ''Inputs'': [[64, 64]], ''StaticParams'': {}}"

# ---- Chrome's JSON ----------------------------------------------------------------

kineto_full() {
	local i
	for i in 0 1 2; do
		at_step $i
		event "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#$i\",\"pid\":1,\"tid\":1,\"ts\":$u,\"dur\":900,\"args\":{}}"
		event "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"nn.Module: Linear_0\",\"pid\":1,\"tid\":1,\"ts\":$((u + 5)),\"dur\":200,\"args\":{\"Python id\":$((i + 1)),\"Python module id\":0}}"
		op aten::mm $((u + 10)) 100 '"Input Dims":[[64,64],[64,64]],"Input type":["float","float"],"Sequence number":1'
		call $a $((u + 20)) 5
		call $b $((u + 40)) 5 cudaMemcpyAsync
		op c10d::allreduce_ $((u + 120)) 30
		op record_param_comms $((u + 121)) 28 '"Collective name":"allreduce","In msg nelems":1024,"Out msg nelems":1024,"In split size":"[]","Out split size":"[]","Group size":2,"dtype":"Float","Process Group Name":"0","Process Group Ranks":"[0, 1]"'
		call $c $((u + 130)) 5
		gpu $a $gemm $((u + 100)) 200 7 kernel '"device":0,"grid":[4,1,1],"block":[64,1,1]'
		gpu $b 'Memcpy HtoD (Pageable -> Device)' $((u + 400)) 50 7 gpu_memcpy '"device":0,"bytes":4096'
		gpu $c $all_reduce $((u + 500)) 100 8 kernel '"device":0,"Collective name":"allreduce","In msg nelems":1024,"Out msg nelems":1024,"In split size":"[]","Out split size":"[]","Group size":2,"dtype":"Float","Process Group Name":"0","Process Group Ranks":"[0, 1]"'
		event "{\"ph\":\"C\",\"name\":\"SM clock\",\"pid\":0,\"ts\":$((u + 50)),\"args\":{\"MHz\":1500}}"
	done
	device_trace "$1" '{"id":0,"name":"NVIDIA H100 80GB HBM3","numSms":132}'
	EVENTS=()
}
kineto_bare() {
	lone 1 $gemm 100 200
	lone 2 $gemm 1100 200
	device_trace "$1" ''
	EVENTS=()
}

# span PID TID TS DUR NAME MEMBERS, meta PID TID WHAT NAME, arrow PH PID TID TS ID: elements of the list of events
span() { printf '{"ph":"X","pid":%s,"tid":%s,"ts":%s,"dur":%s,"name":"%s"%s}' "$@"; }
meta() { printf '{"ph":"M","pid":%s,"tid":%s,"name":"%s_name","args":{"name":"%s"}}' "$@"; }
arrow() { printf '{"ph":"%s","pid":%s,"tid":%s,"ts":%s,"cat":"async_npu","id":%s,"name":"arrow"}' "$@"; }

ascend_full() {
	local i list=()
	list+=("$(meta 1 0 process Python)" "$(meta 8 0 process 'Ascend Hardware')" "$(meta 9 0 process HCCL)")
	list+=("$(meta 9 2 thread 'Group 0 Communication')" "$(meta 7 0 process CANN)" "$(meta 6 0 process 'AI Core Freq')")
	for i in 0 1 2; do
		at_step $i
		list+=("$(span 1 5 $u 900 "ProfilerStep#$i" ',"cat":"user_annotation"')")
		list+=("$(span 1 5 $((u + 10)) 100 aten::mm ',"cat":"cpu_op","args":{"Input Dims":[[64,64],[64,64]],"Input type":["float","float"]}')")
		list+=("$(arrow s 1 5 $((u + 15)) $a)" "$(span 7 5 $((u + 20)) 5 AscendCL@aclnnMm ",\"args\":{\"connection_id\":$a}")")
		list+=("$(span 7 5 $((u + 40)) 5 AscendCL@aclrtMemcpyAsync ",\"args\":{\"connection_id\":$b}")")
		list+=("$(span 8 3 $((u + 100)) 200 $gemm ",\"args\":{\"Task Type\":\"AI_CORE\",\"Stream Id\":3,\"connection_id\":$a}")" "$(arrow f 8 3 $((u + 100)) $a)")
		list+=("$(span 8 3 $((u + 400)) 50 MEMCPY_ASYNC ",\"args\":{\"Task Type\":\"PCIE_DMA_SQE\",\"Stream Id\":3,\"connection_id\":$b}")")
		list+=("$(span 9 2 $((u + 500)) 100 "hcom_allReduce__100_${i}_1" ',"args":{"count":1024,"data_type":"FP32"}')")
		list+=("{\"ph\":\"C\",\"name\":\"AI Core Freq\",\"pid\":6,\"ts\":$((u + 50)),\"args\":{\"MHz\":1500}}")
	done
	printf '[%s]' "$(join "${list[@]}")" >"$1"
}
ascend_bare() {
	printf '[%s,%s,%s]' "$(meta 8 0 process 'Ascend Hardware')" "$(span 8 3 100 200 $gemm ',"args":{"Task Type":"AI_CORE"}')" \
		"$(span 8 3 1100 200 $gemm ',"args":{"Task Type":"AI_CORE"}')" >"$1"
}

onnx_full() {
	local i list=()
	for i in 0 1 2; do
		at_step $i
		list+=("$(span 70 7 $u 900 model_run ',"cat":"Session"')")
		list+=("$(span 70 7 $((u + 10)) 100 fc_kernel_time ',"cat":"Node","args":{"op_name":"MatMul","provider":"CUDAExecutionProvider","input_type_shape":[{"float":[64,64]},{"float":[64,64]}]}')")
		list+=("$(span -1 -1 $((u + 100)) 200 $gemm ',"cat":"Kernel","args":{"parent_name":"fc_kernel_time","stream":"13","grid_x":"4","grid_y":"1","grid_z":"1"}')")
	done
	printf '[%s]' "$(join "${list[@]}")" >"$1"
}
onnx_bare() {
	printf '[%s,%s,%s]' "$(span 70 7 0 1500 fc_kernel_time ',"cat":"Node","args":{"op_name":"MatMul","provider":"CUDAExecutionProvider"}')" "$(span -1 -1 100 200 $gemm ',"cat":"Kernel"')" \
		"$(span -1 -1 1100 200 $gemm ',"cat":"Kernel"')" >"$1"
}

jaxjson_full() {
	local i list=("$(meta 1 0 process /device:GPU:0)" "$(meta 1 7 thread 'Stream #7(Compute)')" "$(meta 2 0 process /host:CPU)")
	for i in 0 1 2; do
		at_step $i
		list+=("$(span 2 1 $u 900 "train_step" ",\"args\":{\"step_num\":\"$i\"}")")
		list+=("$(span 2 1 $((u + 20)) 5 cuLaunchKernel ",\"args\":{\"correlation_id\":$a}")" "$(span 2 1 $((u + 40)) 5 cuMemcpyHtoDAsync ",\"args\":{\"correlation_id\":$b}")" \
			"$(span 2 1 $((u + 130)) 5 cuLaunchKernel ",\"args\":{\"correlation_id\":$c}")")
		list+=("$(span 1 7 $((u + 100)) 200 $gemm ",\"args\":{\"correlation_id\":\"$a\"}")" "$(span 1 7 $((u + 400)) 50 MemcpyH2D ",\"args\":{\"correlation_id\":\"$b\"}")")
		list+=("$(span 1 7 $((u + 500)) 100 $all_reduce ",\"args\":{\"correlation_id\":\"$c\"}")")
	done
	printf '{"traceEvents":[%s]}' "$(join "${list[@]}")" >"$1"
}
jaxjson_bare() {
	printf '{"traceEvents":[%s,%s,%s,%s]}' "$(meta 1 0 process /device:GPU:0)" "$(meta 1 7 thread 'Stream #7(Compute)')" \
		"$(span 1 7 100 200 $gemm '')" "$(span 1 7 1100 200 $gemm '')" >"$1"
}

# ---- databases -----------------------------------------------------------------------

nsys_tables="CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
	INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, '$gemm'), (3, 'cudaMemcpyAsync_v3020'), (4, '$all_reduce');
	CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT, smCount INT);
	INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H100 80GB HBM3', 132);
	CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, correlationId INT, globalPid INT,
		demangledName INT, shortName INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT, graphNodeId INT, graphId INT);"
nsys_full() {
	local i rows=
	for i in 0 1 2; do
		at_step $i
		rows+="INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ($((t + 20000)), $((t + 25000)), 0, (7<<24)+71, $a, 1, 0),
				($((t + 40000)), $((t + 45000)), 0, (7<<24)+71, $b, 3, 0), ($((t + 130000)), $((t + 135000)), 0, (7<<24)+71, $c, 1, 0);
			INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ($((t + 100000)), $((t + 300000)), 0, 7, $a, 7<<24, 2, 2, 4, 1, 1, 64, 1, 1, NULL, NULL),
				($((t + 500000)), $((t + 600000)), 0, 8, $c, 7<<24, 4, 4, 4, 1, 1, 64, 1, 1, 7<<32, 7);
			INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES ($((t + 400000)), $((t + 450000)), 0, 7, $b, 7<<24, 4096, 1, NULL), ($((t + 700000)), $((t + 710000)), 0, 0, 0, 7<<24, 4096, 11, 2);
			INSERT INTO NVTX_EVENTS VALUES ($t, $((t + 900000)), 59, 'training_step_$i', (7<<24)+71, 0),
				($((t + 5000)), $((t + 200000)), 59, '$module_text', (7<<24)+71, 0), ($((t + 10000)), $((t + 110000)), 59, '$operator_text', (7<<24)+71, 0);
			INSERT INTO GPU_METRICS VALUES ($((t + 50000)), 1, 9, 0), ($((t + 350000)), 2, 9, 0);"
	done
	sqlite3 "$1" "$nsys_tables
		CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, eventClass INT, globalTid INT, correlationId INT, nameId INT, returnValue INT);
		CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, streamId INT, correlationId INT, globalPid INT, bytes INT, copyKind INT, migrationCause INT);
		CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, globalTid INT, domainId INT);
		CREATE TABLE GPU_METRICS (timestamp INT, value INT, typeId INT, metricId INT);
		CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INT, metricId INT, metricName TEXT);
		INSERT INTO TARGET_INFO_GPU_METRICS VALUES (9, 0, 'SM Active [Throughput %]');
		$rows"
}
nsys_bare() {
	sqlite3 "$1" "$nsys_tables INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100000, 300000, 0, 7, 1, 7<<24, 2, 2, 4, 1, 1, 64, 1, 1, NULL, NULL),
		(1100000, 1300000, 0, 7, 2, 7<<24, 2, 2, 4, 1, 1, 64, 1, 1, NULL, NULL);"
}

rocpd_tables="CREATE TABLE rocpd_metadata_a1 (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);
	CREATE TABLE rocpd_string_a1 (id INTEGER PRIMARY KEY, string TEXT);
	INSERT INTO rocpd_string_a1 VALUES (1, 'hipLaunchKernel'), (2, 'HIP_RUNTIME_API'), (3, 'roctxRangePushA'), (4, 'MARKER_CORE_API'),
		(5, 'MEMORY_COPY_HOST_TO_DEVICE'), (6, 'hipMemcpyAsync');
	CREATE TABLE rocpd_info_process_a1 (id INTEGER PRIMARY KEY, pid INT, init INT, fini INT, command TEXT);
	INSERT INTO rocpd_info_process_a1 VALUES (1, 41, 0, 3000000, '/opt/app');
	CREATE TABLE rocpd_info_thread_a1 (id INTEGER PRIMARY KEY, pid INT, tid INT, name TEXT);
	INSERT INTO rocpd_info_thread_a1 VALUES (1, 1, 77, 'main');
	CREATE TABLE rocpd_info_agent_a1 (id INTEGER PRIMARY KEY, type TEXT, absolute_index INT, name TEXT, product_name TEXT);
	INSERT INTO rocpd_info_agent_a1 VALUES (1, 'CPU', 0, 'cpu', ''), (2, 'GPU', 3, 'gfx942', 'AMD Instinct MI300X');
	CREATE TABLE rocpd_info_kernel_symbol_a1 (id INTEGER PRIMARY KEY, kernel_name TEXT, display_name TEXT);
	INSERT INTO rocpd_info_kernel_symbol_a1 VALUES (1, '$gemm.kd', '$gemm'), (2, '$all_reduce.kd', '$all_reduce');
	CREATE TABLE rocpd_event_a1 (id INTEGER PRIMARY KEY, category_id INT, stack_id INT, extdata TEXT);
	CREATE TABLE rocpd_region_a1 (id INTEGER PRIMARY KEY, pid INT, tid INT, start INT, end INT, name_id INT, event_id INT);
	CREATE TABLE rocpd_kernel_dispatch_a1 (id INTEGER PRIMARY KEY, pid INT, tid INT, agent_id INT, kernel_id INT, queue_id INT, stream_id INT,
		start INT, end INT, grid_size_x INT, grid_size_y INT, grid_size_z INT, workgroup_size_x INT, workgroup_size_y INT, workgroup_size_z INT, event_id INT,
		dispatch_id INT);
	CREATE TABLE rocpd_memory_copy_a1 (id INTEGER PRIMARY KEY, pid INT, tid INT, start INT, end INT, name_id INT, dst_agent_id INT, src_agent_id INT, size INT, stream_id INT, event_id INT);
	CREATE TABLE rocpd_info_pmc_a1 (id INTEGER PRIMARY KEY, agent_id INT, name TEXT, symbol TEXT, units TEXT);
	INSERT INTO rocpd_info_pmc_a1 VALUES (1, 2, 'SQ_WAVES', 'SQ_WAVES', '');
	CREATE TABLE rocpd_pmc_event_a1 (id INTEGER PRIMARY KEY, event_id INT, pmc_id INT, value REAL);"
rocpd_full() {
	local i rows=
	for i in 0 1 2; do
		at_step $i
		local e=$((i * 10))
		rows+="INSERT INTO rocpd_event_a1 VALUES ($((e + 1)), 2, $a, '{}'), ($((e + 2)), 2, $b, '{}'), ($((e + 3)), 2, $c, '{}'),
				($((e + 4)), 0, $a, '{}'), ($((e + 5)), 0, $b, '{}'), ($((e + 6)), 0, $c, '{}'), ($((e + 7)), 4, 0, '{\"message\":\"training_step_$i\"}'),
				($((e + 8)), 4, 0, '{\"message\":\"$operator_text\"}'), ($((e + 9)), 4, 0, '{\"message\":\"$module_text\"}');
			INSERT INTO rocpd_region_a1 VALUES ($((e + 1)), 1, 1, $((t + 20000)), $((t + 25000)), 1, $((e + 1))),
				($((e + 2)), 1, 1, $((t + 40000)), $((t + 45000)), 6, $((e + 2))), ($((e + 3)), 1, 1, $((t + 130000)), $((t + 135000)), 1, $((e + 3))),
				($((e + 4)), 1, 1, $t, $((t + 900000)), 3, $((e + 7))), ($((e + 5)), 1, 1, $((t + 10000)), $((t + 110000)), 3, $((e + 8))),
				($((e + 6)), 1, 1, $((t + 5000)), $((t + 200000)), 3, $((e + 9)));
			INSERT INTO rocpd_kernel_dispatch_a1 VALUES ($((e + 1)), 1, 1, 2, 1, 1, 6, $((t + 100000)), $((t + 300000)), 256, 1, 1, 64, 1, 1, $((e + 4)), $a),
				($((e + 2)), 1, 1, 2, 2, 1, 7, $((t + 500000)), $((t + 600000)), 256, 1, 1, 64, 1, 1, $((e + 6)), $c);
			INSERT INTO rocpd_memory_copy_a1 VALUES ($((e + 1)), 1, 1, $((t + 400000)), $((t + 450000)), 5, 2, 1, 4096, 6, $((e + 5)));
			INSERT INTO rocpd_pmc_event_a1 VALUES ($((e + 1)), $((e + 4)), 1, 4);"
	done
	sqlite3 "$1" "$rocpd_tables $rows"
}
rocpd_bare() {
	sqlite3 "$1" "$rocpd_tables INSERT INTO rocpd_kernel_dispatch_a1 VALUES (1, 1, 1, 2, 1, 1, 6, 100000, 300000, 256, 1, 1, 64, 1, 1, NULL, 1),
		(2, 1, 1, 2, 1, 1, 6, 1100000, 1300000, 256, 1, 1, 64, 1, 1, NULL, 2);"
}

rpd_tables="CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT);
	INSERT INTO rocpd_string VALUES (1, 'hipLaunchKernel'), (2, '$gemm'), (3, 'KernelExecution'), (4, 'CopyHostToDevice'), (5, ''), (6, 'UserMarker'),
		(7, 'hipMemcpyAsync'), (8, '$all_reduce'), (9, '$operator_text'), (10, '$module_text'), (20, 'training_step_0'), (21, 'training_step_1'), (22, 'training_step_2');
	CREATE TABLE rocpd_api (id INTEGER PRIMARY KEY, pid INT, tid INT, start INT, end INT, apiName_id INT, args_id INT);
	CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, gpuId INT, queueId INT, start INT, end INT, description_id INT, opType_id INT);
	CREATE TABLE rocpd_api_ops (id INTEGER PRIMARY KEY, api_id INT, op_id INT);"
rpd_full() {
	local i rows=
	for i in 0 1 2; do
		at_step $i
		rows+="INSERT INTO rocpd_api VALUES ($a, 5, 51, $((t + 20000)), $((t + 25000)), 1, 5), ($b, 5, 51, $((t + 40000)), $((t + 45000)), 7, 5),
				($c, 5, 51, $((t + 130000)), $((t + 135000)), 1, 5), ($((a + 100)), 5, 51, $t, $((t + 900000)), 6, $((20 + i))),
				($((b + 100)), 5, 51, $((t + 10000)), $((t + 110000)), 6, 9), ($((c + 100)), 5, 51, $((t + 5000)), $((t + 200000)), 6, 10);
			INSERT INTO rocpd_op VALUES ($a, 2, 0, $((t + 100000)), $((t + 300000)), 2, 3), ($b, 2, 0, $((t + 400000)), $((t + 450000)), 5, 4),
				($c, 2, 1, $((t + 500000)), $((t + 600000)), 8, 3);
			INSERT INTO rocpd_api_ops VALUES ($a, $a, $a), ($b, $b, $b), ($c, $c, $c);
			INSERT INTO rocpd_monitor VALUES ($a, 'gpu', 2, 'sclk', $t, $((t + 900000)), '1500');"
	done
	sqlite3 "$1" "$rpd_tables CREATE TABLE rocpd_monitor (id INTEGER PRIMARY KEY, deviceType TEXT, deviceId INT, monitorType TEXT, start INT, end INT, value TEXT);
		$rows"
}
rpd_bare() {
	sqlite3 "$1" "$rpd_tables INSERT INTO rocpd_op VALUES (1, 2, 0, 100000, 300000, 2, 3), (2, 2, 0, 1100000, 1300000, 2, 3);"
}

# ---- rocprofv3 ------------------------------------------------------------------------

rocprofv3_tables='"metadata":{"pid":5,"init_time":0,"fini_time":3000000},"agents":[{"id":{"handle":6},"node_id":0,"type":1,"logical_node_type_id":0},{"id":{"handle":7},"node_id":4,"type":2,"logical_node_type_id":0,"name":"gfx942","product_name":"AMD Instinct MI300X"}],
	"counters":[{"id":{"handle":5},"name":"SQ_WAVES"}],"kernel_symbols":[{"kernel_id":1,"formatted_kernel_name":"'$gemm'"},{"kernel_id":2,"formatted_kernel_name":"'$all_reduce'"}],'
# dispatch START END KERNEL STREAM CORRELATION
dispatch() {
	printf '{"thread_id":71,"correlation_id":{"internal":%s},"start_timestamp":%s,"end_timestamp":%s,"stream_id":{"handle":%s},"dispatch_info":{"kernel_id":%s,"agent_id":{"handle":7},"queue_id":{"handle":1},"dispatch_id":%s,"workgroup_size":{"x":64,"y":1,"z":1},"grid_size":{"x":256,"y":1,"z":1}}}' \
		"$5" "$1" "$2" "$4" "$3" "$5"
}
# record KIND OPERATION START END CORRELATION: a call or a marker
record() {
	printf '{"kind":%s,"operation":%s,"thread_id":71,"start_timestamp":%s,"end_timestamp":%s,"correlation_id":{"internal":%s}}' "$@"
}
rocprofv3_full() {
	local i kernels=() copies=() calls=() markers=() values=() texts=()
	texts=('{"key":100,"value":"'"${operator_text}"'"}' '{"key":101,"value":"'"${module_text//"''"/"'"}"'"}')
	for i in 0 1 2; do
		at_step $i
		texts+=("{\"key\":$((200 + i)),\"value\":\"training_step_$i\"}")
		calls+=("$(record 2 1 $((t + 20000)) $((t + 25000)) $a)" "$(record 2 2 $((t + 40000)) $((t + 45000)) $b)" "$(record 2 1 $((t + 130000)) $((t + 135000)) $c)")
		markers+=("$(record 8 0 $t $((t + 900000)) $((200 + i)))" "$(record 8 0 $((t + 10000)) $((t + 110000)) 100)" "$(record 8 0 $((t + 5000)) $((t + 200000)) 101)")
		kernels+=("$(dispatch $((t + 100000)) $((t + 300000)) 1 1 $a)" "$(dispatch $((t + 500000)) $((t + 600000)) 2 2 $c)")
		copies+=("{\"kind\":1,\"operation\":1,\"start_timestamp\":$((t + 400000)),\"end_timestamp\":$((t + 450000)),\"src_agent_id\":{\"handle\":6},\"dst_agent_id\":{\"handle\":7},\"bytes\":4096,\"correlation_id\":{\"internal\":$b},\"thread_id\":71,\"stream_id\":{\"handle\":1}}")
		values+=("{\"dispatch_data\":{\"start_timestamp\":$t,\"dispatch_info\":{\"dispatch_id\":$a,\"agent_id\":{\"handle\":7}}},\"records\":[{\"counter_id\":{\"handle\":5},\"value\":4}]}")
	done
	printf '{"rocprofiler-sdk-tool":[{%s"strings":{"marker_api":[%s],"buffer_records":[{"kind":"NONE","operations":[]},{"kind":"MEMORY_COPY","operations":["MEMORY_COPY_NONE","MEMORY_COPY_HOST_TO_DEVICE"]},{"kind":"HIP","operations":["hipInit","hipLaunchKernel","hipMemcpyAsync"]}]},"callback_records":{"counter_collection":[%s]},"buffer_records":{"kernel_dispatch":[%s],"memory_copy":[%s],"hip_api":[%s],"marker_api":[%s]}}]}' \
		"$rocprofv3_tables" "$(join "${texts[@]}")" "$(join "${values[@]}")" "$(join "${kernels[@]}")" "$(join "${copies[@]}")" "$(join "${calls[@]}")" "$(join "${markers[@]}")" >"$1"
}
rocprofv3_bare() {
	printf '{"rocprofiler-sdk-tool":[{%s"buffer_records":{"kernel_dispatch":[%s,%s]}}]}' "$rocprofv3_tables" "$(dispatch 100000 300000 1 1 1)" "$(dispatch 1100000 1300000 1 1 2)" >"$1"
}

csv_dispatches='"Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z"'
csv_calls='"Domain","Function","Process_Id","Thread_Id","Correlation_Id","Start_Timestamp","End_Timestamp"'
# row FORMAT VALUE…: a line
csv_kernel() { printf '"KERNEL_DISPATCH","Agent 1",17,%s,71,%s,3,"%s",%s,%s,%s,64,1,1,256,1,1\n' "$@"; }
csv_full() {
	local i run=${1%_kernel_trace.csv}
	printf '%s\n' '"Node_Id","Logical_Node_Id","Agent_Type","Cu_Count","Name","Product_Name"' '0,0,"CPU",0,"EPYC","EPYC"' '1,1,"GPU",304,"gfx942","MI300X"' >"${run}_agent_info.csv"
	echo "$csv_dispatches" >"$1"
	echo '"Kind","Direction","Stream_Id","Source_Agent_Id","Destination_Agent_Id","Correlation_Id","Start_Timestamp","End_Timestamp"' >"${run}_memory_copy_trace.csv"
	echo "$csv_calls" | tee "${run}_hip_api_trace.csv" >"${run}_marker_api_trace.csv"
	echo '"Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Grid_Size","Kernel_Id","Kernel_Name","Counter_Name","Counter_Value","Start_Timestamp","End_Timestamp"' >"${run}_counter_collection.csv"
	for i in 0 1 2; do
		at_step $i
		csv_kernel 1 $a $gemm $a $((t + 100000)) $((t + 300000)) >>"$1"
		csv_kernel 2 $c $all_reduce $c $((t + 500000)) $((t + 600000)) >>"$1"
		printf '"MEMORY_COPY","MEMORY_COPY_HOST_TO_DEVICE",1,"Agent 0","Agent 1",%s,%s,%s\n' $b $((t + 400000)) $((t + 450000)) >>"${run}_memory_copy_trace.csv"
		printf '"HIP_RUNTIME_API_EXT","%s",7,71,%s,%s,%s\n' hipLaunchKernel $a $((t + 20000)) $((t + 25000)) hipMemcpyAsync $b $((t + 40000)) $((t + 45000)) \
			hipLaunchKernel $c $((t + 130000)) $((t + 135000)) >>"${run}_hip_api_trace.csv"
		printf '"MARKER_CORE_RANGE_API","%s",7,71,%s,%s,%s\n' "training_step_$i" $((a + 100)) $t $((t + 900000)) "$operator_text" $((b + 100)) $((t + 10000)) $((t + 110000)) \
			"${module_text//"''"/"'"}" $((c + 100)) $((t + 5000)) $((t + 200000)) >>"${run}_marker_api_trace.csv"
		printf '%s,%s,"Agent 1",17,7,71,256,3,"k","SQ_WAVES",4,%s,%s\n' $a $a $((t + 100000)) $((t + 300000)) >>"${run}_counter_collection.csv"
	done
}
csv_bare() {
	{ echo "$csv_dispatches"; csv_kernel 1 1 $gemm 1 100000 300000; csv_kernel 1 2 $gemm 2 1100000 1300000; } >"$1"
}

# ---- packets and planes ---------------------------------------------------------------

pftrace_start='1:{ 10:2 13:1 60:{ 1:70 3:{ 1:100 6:"app" } } } 1:{ 10:2 60:{ 1:77 5:70 4:{ 1:100 2:101 5:"main" } } } 1:{ 10:2 60:{ 1:88 5:70 2:"STREAM 4" } } 1:{ 10:2 60:{ 1:89 5:70 2:"STREAM 5" } }
	1:{ 10:2 60:{ 1:30 2:"SM clock [0] (MHz)" 8:{ } } }'
# slice TRACK CATEGORY NAME START NS CORRELATION [FIELDS]
slice() {
	local n fields="${7-}"
	for n in "corr_id $6" "begin_ns $4" "end_ns $(($4 + $5))" "delta_ns $5" 'tid 101'; do
		fields+=" 4:{ 10:\"${n% *}\" 3:${n#* } }"
	done
	printf '1:{ 8:%s 10:2 11:{ 9:1 11:%s 22:"%s" 23:"%s" %s } } 1:{ 8:%s 10:2 11:{ 9:2 11:%s } }\n' "$4" "$1" "$2" "$3" "$fields" $(($4 + $5)) "$1"
}
on_gpu='4:{ 10:"agent" 6:"GPU-0" } 4:{ 10:"grid_size" 3:256 } 4:{ 10:"workgroup_size" 3:64 }'
pftrace_full() {
	local i
	{
		echo "$pftrace_start"
		for i in 0 1 2; do
			at_step $i
			slice 77 marker_api "training_step_$i" $t 900000 $((a + 100))
			slice 77 marker_api "${module_text//"''"/"'"}" $((t + 5000)) 195000 $((b + 100))
			slice 77 marker_api "$operator_text" $((t + 10000)) 100000 $((c + 100))
			slice 77 hip_api hipLaunchKernel $((t + 20000)) 5000 $a
			slice 77 hip_api hipMemcpyAsync $((t + 40000)) 5000 $b
			slice 77 hip_api hipLaunchKernel $((t + 130000)) 5000 $c
			slice 88 kernel_dispatch $gemm $((t + 100000)) 200000 $a "$on_gpu 4:{ 10:\"stream_ID\" 3:4 }"
			slice 88 memory_copy MEMORY_COPY_HOST_TO_DEVICE $((t + 400000)) 50000 $b '4:{ 10:"dst_agent" 6:"GPU-0" } 4:{ 10:"copy_bytes" 3:4096 } 4:{ 10:"stream_ID" 3:4 }'
			slice 89 kernel_dispatch $all_reduce $((t + 500000)) 100000 $c "$on_gpu 4:{ 10:\"stream_ID\" 3:5 }"
			echo "1:{ 8:$((t + 50000)) 10:2 11:{ 9:4 11:30 30:1500 } }"
		done
	} | "$TL_TOOLS/protobuf" >"$1"
}
pftrace_bare() {
	{
		echo "$pftrace_start"
		slice 88 kernel_dispatch $gemm 100000 200000 1 "$on_gpu"
		slice 88 kernel_dispatch $gemm 1100000 200000 2 "$on_gpu"
	} | "$TL_TOOLS/protobuf" >"$1"
}

xplane_names="4:{ 1:1 2:{ 1:1 2:\"$gemm\" } } 4:{ 1:2 2:{ 1:2 2:\"MemcpyH2D\" } } 4:{ 1:3 2:{ 1:3 2:\"$all_reduce\" } } 4:{ 1:4 2:{ 1:4 2:\"cuLaunchKernel\" } }
	4:{ 1:5 2:{ 1:5 2:\"cuMemcpyHtoDAsync\" } } 4:{ 1:6 2:{ 1:6 2:\"train_step\" } } 4:{ 1:7 2:{ 1:7 2:\"MHz\" } }
	5:{ 1:1 2:{ 1:1 2:\"correlation_id\" } } 5:{ 1:2 2:{ 1:2 2:\"kernel_details\" } } 5:{ 1:3 2:{ 1:3 2:\"hlo_op\" } } 5:{ 1:4 2:{ 1:4 2:\"hlo_module\" } }
	5:{ 1:5 2:{ 1:5 2:\"program_id\" } } 5:{ 1:6 2:{ 1:6 2:\"step_num\" } } 5:{ 1:7 2:{ 1:7 2:\"memcpy_details\" } } 5:{ 1:8 2:{ 1:8 2:\"value\" } }"
xplane_matrix='3:{ 2:11 3:64 3:64 5:{ 1:1 1:0 } }'
xplane_config='{"gemm_backend_config":{"beta":0,"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["0"]},"epilogue":"DEFAULT"}}'
xplane_program="1:{ 2:\"/host:metadata\" 4:{ 1:15 2:{ 1:15 2:\"jit_f(15)\" 5:{ 1:1 6:{ 1:{ 1:\"jit_f\" 6:2 3:{ 1:\"main\" 5:2 6:9
	2:{ 1:\"p0\" 2:\"parameter\" $xplane_matrix 35:1 } 2:{ 1:\"p1\" 2:\"parameter\" $xplane_matrix 35:2 }
	2:{ 1:\"dot.1\" 2:\"custom-call\" 3:{ 2:13 4:{ 2:11 3:64 3:64 5:{ 1:1 1:0 } } 4:{ 2:2 3:64 5:{ 1:0 } } } 35:3 36:1 36:2 28:\"__cublas\$gemm\"
		43:\"${xplane_config//\"/\\\"}\" 7:{ 2:\"jit(f)/layers.0/dot_general\" 3:\"/home/me/train.py\" 4:7 } }
	2:{ 1:\"all-reduce.1\" 2:\"all-reduce\" $xplane_matrix 35:4 36:3 7:{ 2:\"jit(f)/psum\" } }
	} } } } } } 5:{ 1:1 2:{ 2:\"Hlo Proto\" } } }"
# planned NAME OFFSET DURATION FACTS: an event of a line, in ns
planned() { printf '4:{ 1:%s 2:%s000 3:%s000 %s } ' "$@"; }
# operation NAME CORRELATION: facts of a kernel
operation() { printf '4:{ 1:1 3:%s } 4:{ 1:2 5:"regs:9 grid:4,1,1 block:64,1,1" } 4:{ 1:3 5:"%s" } 4:{ 1:4 5:"jit_f" } 4:{ 1:5 3:15 }' "$2" "$1"; }
xplane_full() {
	local i first='' second='' host='' clock=''
	for i in 0 1 2; do
		at_step $i
		first+="$(planned 1 $((t + 100000)) 200000 "$(operation dot.1 $a)") $(planned 2 $((t + 400000)) 50000 "4:{ 1:1 3:$b } 4:{ 1:7 5:\"kind:H2D size:4096 dest:0\" }")"
		second+=$(planned 3 $((t + 500000)) 100000 "$(operation all-reduce.1 $c)")
		clock+=$(planned 7 $((t + 50000)) 0 '4:{ 1:8 3:1500 }')
		host+="$(planned 6 $t 900000 "4:{ 1:6 4:$i }") $(planned 4 $((t + 20000)) 5000 "4:{ 1:1 3:$a }") $(planned 5 $((t + 40000)) 5000 "4:{ 1:1 3:$b }")"
		host+=$(planned 4 $((t + 130000)) 5000 "4:{ 1:1 3:$c }")
	done
	printf '%s\n' "1:{ 1:1 2:\"/device:GPU:0\" 3:{ 1:7 2:\"Stream #7(Kernel)\" 3:1000 $first } 3:{ 1:8 2:\"Stream #8(Kernel)\" 3:1000 $second } 3:{ 1:9 2:\"_counters_\" 3:1000 $clock } $xplane_names }" \
		"1:{ 2:\"/host:CPU\" 3:{ 1:7 2:\"main\" 3:1000 $host } $xplane_names }" "$xplane_program" | "$TL_TOOLS/protobuf" >"$1"
}
xplane_bare() {
	printf '%s\n' "1:{ 1:1 2:\"/device:GPU:0\" 3:{ 1:7 2:\"Stream #7(Kernel)\" 3:1000 $(planned 1 100000 200000 '4:{ 1:2 5:"grid:4,1,1" }') $(planned 1 1100000 200000 '4:{ 1:2 5:"grid:4,1,1" }') } $xplane_names }" |
		"$TL_TOOLS/protobuf" >"$1"
}

# trace_of PROFILER: the name of its file
trace_of() {
	case $1 in
	kineto) echo kineto.json ;;
	nsys) echo nsys.sqlite ;;
	rocprofv3) echo rocprofv3_results.json ;;
	csv) echo csv_kernel_trace.csv ;;
	rocpd | rpd) echo "$1.db" ;;
	pftrace) echo pf.pftrace ;;
	xplane) echo jax.xplane.pb ;;
	*) echo "$1.json" ;;
	esac
}
