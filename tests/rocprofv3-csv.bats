#!/usr/bin/env bats
# rocprofv3-csv.bats - tl-parse on the tables (CSV) of rocprofv3.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

dispatches='"Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp","LDS_Block_Size","Scratch_Size","VGPR_Count","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z"'
calls='"Domain","Function","Process_Id","Thread_Id","Correlation_Id","Start_Timestamp","End_Timestamp"'
copies='"Kind","Direction","Stream_Id","Source_Agent_Id","Destination_Agent_Id","Correlation_Id","Start_Timestamp","End_Timestamp"'
allocations='"Kind","Operation","Agent_Id","Allocation_Size","Address","Correlation_Id","Start_Timestamp","End_Timestamp"'
agents='"Node_Id","Logical_Node_Id","Agent_Type","Cu_Count","Name","Product_Name"'

# k NAME START END [AGENT]: a row of a kernel
k() { printf '"KERNEL_DISPATCH","%s",17,1,71,4,3,"%s",5,%s,%s,64,0,32,64,1,1,256,2,1\n' "${4-Agent 3}" "$1" "$2" "$3"; }
# run_of: a run of process 70, of a machine with two CPUs and two GPUs, the second of which the process sees as agent 2
run_of() {
	{ echo "$agents"; printf '%s\n' '0,0,"CPU",0,"EPYC","EPYC"' '2,1,"GPU",304,"gfx942","MI300X"' '3,2,"GPU",256,"gfx950",""'; } >70_agent_info.csv
	{ echo "$dispatches"; k gemm 2000 2500 'Agent 2'; } >70_kernel_trace.csv
	{ echo "$copies"; echo '"MEMORY_COPY","MEMORY_COPY_DEVICE_TO_HOST",2,"Agent 2","Agent 0",6,3000,3400'; } >70_memory_copy_trace.csv
	{ echo "$calls"; echo '"HIP_RUNTIME_API_EXT","hipLaunchKernel",7,71,5,1900,1950'; } >70_hip_api_trace.csv
	{ echo "$calls"; echo '"HSA_CORE_API","hsa_queue_create",7,71,1,100,200'; } >70_hsa_api_trace.csv
	{ echo "$calls"; echo '"MARKER_CORE_RANGE_API","step 1",7,71,9,1500,4000'; } >70_marker_api_trace.csv
	{ echo "$allocations"; echo '"MEMORY_ALLOCATION","MEMORY_ALLOCATION_ALLOCATE","Agent 1",4096,"0x00007f0000000000",8,50,60'; } >70_memory_allocation_trace.csv
}
# events FILE [COLUMNS]: these columns of its events
events() { tl-parse "$1" | tl-view | awk '/^event/' | cut -f "${2-3-10}"; }
# kernels ROW…: a table of kernels, t.csv
kernels() { printf '%s\n' "$dispatches" "$@" >t.csv; }

@test "texts of markers become operators, modules and steps" {
	run_of
	{ echo "$calls"; printf '"MARKER_CORE_RANGE_API","%s",7,71,9,%s\n' 'aten::mm, op_id = 3, sizes = [[2, 3], [3, 4]]' 1500,1800 \
		'MFSDP net.0 forward' 1400,1900 'training_step_4' 1300,2000 'mine, too' 1600,1700; } >70_marker_api_trace.csv
	equal "$(events 70_kernel_trace.csv 3-5,10- | grep -v '^[rdkmo]')" "cpu_op	1500	300	aten::mm	a	correlation:i=9	style:s=PushPop	op_id:i=3	Input Dims:j=[[2,3],[3,4]]
annotation	1400	500	MFSDP net.0 forward	a	correlation:i=9	module:s=net.0
annotation	1300	700	training_step_4	a	correlation:i=9	step:i=4
annotation	1600	100	mine, too	a	correlation:i=9"
	equal "$(tl-parse --keep-ranges 70_kernel_trace.csv | tl-view | grep 'aten::mm' | cut -f 3,10)" "annotation	aten::mm, op_id = 3, sizes = [[2, 3], [3, 4]]"
}

# bats test_tags=quick
@test "the tables of a run become events of their kinds, whichever of them is given" {
	run_of
	equal "$(events 70_kernel_trace.csv)" "runtime	1900	50	7	71	hip_api	X	hipLaunchKernel
driver	100	100	7	71	hsa_api	X	hsa_queue_create
annotation	1500	2500	7	71	marker_api	X	step 1
kernel	2000	500	7	1	kernel_dispatch	X	gemm
memcpy	3000	400	7	2	memory_copy	X	MEMORY_COPY_DEVICE_TO_HOST
other	50	10	7		memory_allocation	X	MEMORY_ALLOCATION_ALLOCATE"
	for table in agent_info memory_copy_trace hip_api_trace memory_allocation_trace; do
		equal "$(events 70_$table.csv)" "$(events 70_kernel_trace.csv)"
	done
	tl-parse 70_kernel_trace.csv | tl-view >text
	like "$(<text)" $'meta\tprocesses\t\\[\\{"track":7,"pid":7\\}\\]'
	like "$(<text)" $'deviceProperties\t\\[\\{"id":0,"name":"MI300X","numSms":304\\},\\{"id":1,"name":"gfx950","numSms":256\\}\\]'
}

@test "a row has the arguments that the JSON of rocprofv3 has; a column that is not known is one, too" {
	run_of
	equal "$(events 70_kernel_trace.csv 12- | sed -n 4p)" "VGPR_Count:i=32	correlation:i=5	stream:i=1	device:i=1	thread:i=71	agent:i=2	queue:i=17	dispatch_id:i=4	kernel_id:i=3	work items:j=[256,2,1]	block:j=[64,1,1]	grid:j=[4,2,1]	group_segment_size:i=64	private_segment_size:i=0"
	equal "$(events 70_kernel_trace.csv 12- | sed -n 5,6p)" "correlation:i=6	stream:i=2	device:i=1	src_agent_id:i=2	dst_agent_id:i=0
Address:s=0x00007f0000000000	correlation:i=8	agent:i=1	allocation_size:i=4096"
	printf '{"rocprofiler-sdk-tool":[{"metadata":{"pid":7},"strings":{},"agents":[{"id":{"handle":2},"type":2,"logical_node_type_id":1}],"kernel_symbols":[{"kernel_id":3,"kernel_name":"gemm"}],"buffer_records":{"kernel_dispatch":[{"thread_id":71,"correlation_id":{"internal":5},"start_timestamp":2000,"end_timestamp":2500,"dispatch_info":{"agent_id":{"handle":2},"queue_id":{"handle":17},"kernel_id":3,"dispatch_id":4,"private_segment_size":0,"group_segment_size":64,"workgroup_size":{"x":64,"y":1,"z":1},"grid_size":{"x":256,"y":2,"z":1}},"stream_id":{"handle":1}}]}}]}' >t.json
	equal "$(events t.json 3-)" "$(events 70_kernel_trace.csv 3- | grep ^kernel | sed 's/VGPR_Count:i=32.//')"
}

@test "quotes in a text are not doubled; a comma behind one, and a line end, are the text's" {
	kernels "$(k 'f<8>(float*, "x")' 1 2)" "$(k 'g("a","b", c)' 3 4)" "$(k '' 5 6)" "$(k $'two\nlines' 7 8)"
	equal "$(events t.csv 10)" 'f<8>(float*, "x")
g("a","b", c)
\e
two\nlines'
	{ echo "$calls"; echo '"MARKER_CORE_API","a","b",7,71,9,1,3'; } >x_marker_api_trace.csv
	kernels "$(k gemm 1 2)"
	mv t.csv x_kernel_trace.csv
	equal "$(events x_kernel_trace.csv 10)" 'a","b
gemm'
}

@test "columns in any order, a byte order mark, CRLF, empty lines, no quotes: the same events" {
	kernels "$(k gemm 2000 2500)" "$(k gemm 3000 3500)"
	events t.csv 2- >wanted
	awk -F, '{ for (i = NF; i > 0; i--) printf("%s%s", $i, (i > 1 ? "," : "\n")) }' t.csv >turned.csv
	{ printf '\xef\xbb\xbf'; sed 's/$/\r/' t.csv; printf '\r\n'; } >windows.csv
	tr -d '"' <t.csv >plain.csv
	for file in turned windows plain; do
		events $file.csv 2- | diff wanted -
	done
	events - 2- <t.csv | diff wanted -
}

@test "the columns of ROCm 6: agents are numbers, no stream; without a table of agents the host is told by the direction" {
	printf '%s\n' '"Kind","Agent_Id","Queue_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp","Private_Segment_Size","Group_Segment_Size","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z"' \
		'"KERNEL_DISPATCH",4,2,1,"gemm",1,1000,51000,8,16,256,1,1,65536,1,1' >55_kernel_trace.csv
	{ echo '"Kind","Direction","Source_Agent_Id","Destination_Agent_Id","Correlation_Id","Start_Timestamp","End_Timestamp"'
	  echo '"MEMORY_COPY","HOST_TO_DEVICE",0,4,2,1,2'; echo '"MEMORY_COPY","DEVICE_TO_HOST",4,0,3,3,4'; } >55_memory_copy_trace.csv
	equal "$(events 55_kernel_trace.csv 3-7,12-)" "kernel	1000	50000	55	2	correlation:i=1	device:i=4	agent:i=4	queue:i=2	kernel_id:i=1	work items:j=[65536,1,1]	block:j=[256,1,1]	grid:j=[256,1,1]	group_segment_size:i=16	private_segment_size:i=8
memcpy	1	1	55		correlation:i=2	device:i=4	src_agent_id:i=0	dst_agent_id:i=4
memcpy	3	1	55		correlation:i=3	device:i=4	src_agent_id:i=4	dst_agent_id:i=0"
}

@test "a table of copies that does not name the agent of the host tells nothing about agent 0" {
	kernels "$(k gemm 1000 1500 'Agent 0')"
	mv t.csv 55_kernel_trace.csv
	{ echo '"Kind","Direction","Destination_Agent_Id","Correlation_Id","Start_Timestamp","End_Timestamp"'
	  echo '"MEMORY_COPY","HOST_TO_DEVICE",0,2,1,2'; } >55_memory_copy_trace.csv
	equal "$(events 55_kernel_trace.csv 12- | sed -n 2p)" 'correlation:i=2	device:i=0	dst_agent_id:i=0'
}

@test "agents by their place in the process, in the machine, and among their like" {
	run_of
	for agent in 'Agent 2' 'Agent 3' 'GPU 1' 2 3; do
		{ echo "$dispatches"; k gemm 2000 2500 "$agent"; } >70_kernel_trace.csv
		like "$(events 70_kernel_trace.csv | cat - <(events 70_kernel_trace.csv 12-))" 'device:i=1.*queue:i=17'
	done
	{ echo "$dispatches"; k gemm 2000 2500 'GPU 7'; } >70_kernel_trace.csv
	like "$(events 70_kernel_trace.csv 12-)" 'Agent_Id:s=GPU 7'
}

@test "a row without all its fields, and a table that is cut short, are errors; --lenient leaves them out" {
	kernels "$(k gemm 2000 2500)" '"KERNEL_DISPATCH","Agent 1",1' "$(k relu 3000 3500)"
	run -1 --separate-stderr tl-parse -o out.tls t.csv
	failed 1 't.csv, line 3: 3 fields, expected 20'
	like "$stderr" 'lenient'
	tl-parse --lenient t.csv 2>said | tl-view | awk '/^event/' | cut -f 2,10 >events
	equal "$(<events)" "0	gemm
2	relu"
	like "$(<said)" '1 event.* not as many fields as the table has columns, left out'
	kernels "$(k gemm 2000 2500)" "$(k relu 3000 3500)"
	truncate -s -4 t.csv
	run -1 --separate-stderr tl-parse -o out.tls t.csv
	failed 1 "t.csv, line 3: 19 fields and no line's end: the table is cut short, expected 20"
	equal "$(tl-parse -q --lenient t.csv | tl-view | grep -c ^event)" 1
	{ echo "$dispatches"; printf '"KERNEL_DISPATCH","'; head -c 1100000 /dev/zero | tr '\0' a; } >t.csv
	run -1 --separate-stderr tl-parse -o out.tls t.csv
	failed 1 't.csv, line 2: a row of more than 1048576 bytes'
}

@test "times that make no span, and agents that are none, are told as of rocprofv3's JSON" {
	kernels "$(k gemm 2500 2000)" "$(k gemm x 2000)"
	equal "$(events t.csv 2,4,5 2>said)" $'0\t2500\t\n1\t\t'
	like "$(<said)" '1.* without a duration: end_timestamp is before start_timestamp'
	like "$(<said)" '1.* without a duration: start_timestamp or end_timestamp is missing'
}

@test "tables without device work are no trace, and tables that are no table of rocprofv3 are named" {
	{ echo "$calls"; echo '"HIP_RUNTIME_API","hipInit",7,71,5,1900,1950'; } >9_hip_api_trace.csv
	run -1 --separate-stderr tl-parse -o out.tls 9_hip_api_trace.csv
	failed 1 'no kernels and no copies: a trace needs kernel_trace.csv or memory_copy_trace.csv of its run'
	run -1 --separate-stderr tl-parse -o out.tls - <9_hip_api_trace.csv
	failed 1 'it is looked for beside a plain file'
	{ echo "$dispatches"; k gemm 2000 2500; } >9_kernel_trace.csv
	echo 'Domain;Function' >9_hip_api_trace.csv
	run -1 --separate-stderr tl-parse -o out.tls 9_kernel_trace.csv
	failed 1 '9_hip_api_trace.csv, line 1: not the columns of a table of rocprofv3'
	: >9_hip_api_trace.csv
	equal "$(events 9_kernel_trace.csv 10)" gemm
	printf '"a","b"\n1,2\n' >t.csv
	run -1 --separate-stderr tl-parse -o out.tls t.csv
	failed 1 'not a trace: starts with bytes'
}

@test "rows of a second process are its own; of kernels that cannot be told, which is said" {
	{ echo "$calls"; echo '"HIP_RUNTIME_API","a",7,71,5,1,2'; echo '"HIP_RUNTIME_API","b",8,81,5,3,4'; } >9_hip_api_trace.csv
	{ echo "$dispatches"; k gemm 2000 2500; } >9_kernel_trace.csv
	equal "$(events 9_kernel_trace.csv 6,10,12 2>said)" "7	a	correlation:i=5
8	b	correlation:s=2:5
7	gemm	VGPR_Count:i=32"
	like "$(<said)" '1 event.*a run of several processes, taken as of the first'
}

@test "values of counters belong to kernels; a time that is none is not made up" {
	run_of
	echo '"Correlation_Id","Dispatch_Id","Agent_Id","Kernel_Name","Counter_Name","Counter_Value","Start_Timestamp","End_Timestamp"' >70_counter_collection.csv
	printf '5,4,"Agent 2","gemm","SQ_WAVES",%s,%s,2500\n' 16.5 2000 7 -5 8 9223372036854775807 9 '' nan 2000 >>70_counter_collection.csv
	equal "$(events 70_kernel_trace.csv 3,4,10,12- 2>said | grep ^counter)" $'counter\t2000\tSQ_WAVES\tvalue:j=16.5\tdevice:i=1\tdispatch_id:i=4\tof:s=kernel
counter\t\tSQ_WAVES\tvalue:i=7\tdevice:i=1\tdispatch_id:i=4\tof:s=kernel
counter\t\tSQ_WAVES\tvalue:i=8\tdevice:i=1\tdispatch_id:i=4\tof:s=kernel
counter\t\tSQ_WAVES\tvalue:i=9\tdevice:i=1\tdispatch_id:i=4\tof:s=kernel'
	like "$(<said)" '3 events.* values of counters without a time'
	like "$(<said)" '1 event.* values of counters that are no finite number'
}

@test "the report is that of rocprofv3, and its workbook has the name of the run" {
	run_of
	equal "$(tl-rocprof --sheets kernel_details 70_kernel_trace.csv | sed -n '1p;2p')" "name	Kernel duration (µs)	stream	dispatch_id	grid_x	grid_y	grid_z	block_x	block_y	block_z	agent_id	thread_id
gemm	0.5	1	4	256	2	1	64	1	1	2	71"
	tl-report -q 70_kernel_trace.csv
	[ -s 70_perf_report.xlsx ]
}
