#!/usr/bin/env bats
# rocprofv3.bats - tl-parse on the JSON of rocprofv3.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

metadata='"metadata":{"node":{"hostname":"h1"},"pid":7,"init_time":1000,"fini_time":9000,"command":["/opt/py thon","-u"]}'
agents='"agents":[{"id":{"handle":40},"type":1,"logical_node_type_id":0},{"id":{"handle":42},"type":2,"logical_node_type_id":1,"name":"gfx950","product_name":"MI350X","cu_count":256}]'
strings='"strings":{"marker_api":[{"key":9,"value":"step"}],"buffer_records":[{"kind":"NONE","operations":[]},{"kind":"MEMORY_COPY","operations":["MEMORY_COPY_NONE","MEMORY_COPY_HOST_TO_DEVICE"]},{"kind":"HIP","operations":["hipInit","hipLaunchKernel"]}]}'
symbols='"kernel_symbols":[{"kernel_id":3,"kernel_name":"_Z4gemm.kd","formatted_kernel_name":"gemm(int)","truncated_kernel_name":"gemm"}]'
dispatch='{"size":184,"kind":9,"operation":2,"thread_id":71,"correlation_id":{"internal":5,"external":0},"start_timestamp":2000,"end_timestamp":2500,"dispatch_info":{"agent_id":{"handle":42},"queue_id":{"handle":17},"kernel_id":3,"dispatch_id":1,"private_segment_size":0,"group_segment_size":64,"workgroup_size":{"x":64,"y":1,"z":1},"grid_size":{"x":256,"y":2,"z":1}},"stream_id":{"handle":1}}'
copy='{"kind":1,"operation":1,"start_timestamp":3000,"end_timestamp":3400,"src_agent_id":{"handle":40},"dst_agent_id":{"handle":42},"bytes":4096,"correlation_id":{"internal":6},"thread_id":71,"stream_id":{"handle":2}}'
call='{"kind":2,"operation":1,"thread_id":71,"start_timestamp":1900,"end_timestamp":1950,"correlation_id":{"internal":5}}'
marker='{"kind":8,"operation":0,"thread_id":71,"start_timestamp":1500,"end_timestamp":4000,"correlation_id":{"internal":9}}'
records="\"buffer_records\":{\"kernel_dispatch\":[$dispatch],\"memory_copy\":[$copy],\"hip_api\":[$call],\"marker_api\":[$marker],\"pc_sample_host_trap\":[]}"

# trace MEMBERS…: a trace of one process each, as trace.json
trace() {
	local p between=
	{
		printf '{"rocprofiler-sdk-tool":['
		for p; do
			printf '%s{%s}' "$between" "$p"
			between=,
		done
		printf ']}'
	} >trace.json
}
# events COLUMNS: these columns of the events of trace.json
events() {
	tl-parse "${@:2}" trace.json | tl-view | awk '/^event/' | cut -f "$1"
}

@test "records become events of their kinds, with the names of the tables" {
	trace "$metadata,$agents,$strings,$symbols,$records"
	equal "$(events 3-10)" "meta			7			M	process_name
kernel	2000	500	7	1	kernel_dispatch	X	gemm
memcpy	3000	400	7	2	memory_copy	X	MEMORY_COPY_HOST_TO_DEVICE
runtime	1900	50	7	71	hip_api	X	hipLaunchKernel
annotation	1500	2500	7	71	marker_api	X	step"
}

@test "a dispatch keeps its numbers: the grid is in work-items and in blocks" {
	trace "$metadata,$agents,$strings,$symbols,$records"
	equal "$(events 12- | sed -n 2p)" "correlation:i=5	stream:i=1	device:i=1	thread:i=71	agent:i=42	queue:i=17	dispatch_id:i=1	kernel_id:i=3	work items:j=[256,2,1]	block:j=[64,1,1]	grid:j=[4,2,1]	group_segment_size:i=64	private_segment_size:i=0"
	equal "$(events 12- | sed -n 3p)" "correlation:i=6	stream:i=2	device:i=1	thread:i=71	src_agent_id:i=40	dst_agent_id:i=42	bytes:i=4096"
}

@test "records that stand before the tables give the same events" {
	trace "$metadata,$agents,$strings,$symbols,$records"
	events 2- >first
	trace "$records,$symbols,$strings,$agents,$metadata"
	events 2- >last
	diff first last
	equal "$(wc -l <first)" 5
}

@test "the processes are told, and each one's correlation ids stay its own" {
	trace "$metadata,$agents,$strings,$symbols,$records" "$metadata,$agents,$strings,$symbols,$records"
	equal "$(events 6,12 --keep runtime)" '7	correlation:i=5
"7 (process 2)"	correlation:s=2:5'
	tl-parse trace.json | tl-view | awk -F'\t' '$1 == "meta"' >members
	like "$(<members)" 'processes	\[\{"track":7,"pid":7,"hostname":"h1","command":\["/opt/py thon","-u"\],"init_time":1000,"fini_time":9000\},\{"track":"7 \(process 2\)"'
	like "$(<members)" 'deviceProperties	\[\{"id":1,"name":"MI350X","numSms":256\}\]'
}

@test "a record whose times make no span has no duration" {
	trace "$metadata,$strings,$symbols,\"buffer_records\":{\"kernel_dispatch\":[{\"start_timestamp\":5,\"end_timestamp\":4},{\"end_timestamp\":4},{\"start_timestamp\":-1}]}"
	equal "$(events 2,4,5,12- --keep kernel 2>said)" "1	5		end_timestamp:i=4
2			end_timestamp:i=4
3		"
	like "$(<said)" '1.* without a duration: end_timestamp is before start_timestamp'
	like "$(<said)" '2.* without a duration: start_timestamp or end_timestamp is missing'
}

@test "kernels without a symbol, and operations without a name, are named by number" {
	trace "\"buffer_records\":{\"kernel_dispatch\":[$dispatch],\"rccl_api\":[$call]}"
	equal "$(events 3,10)" "kernel	unknown_kernel_3
other	rccl_api operation 1"
}

@test "what is damaged is named: list, record, byte" {
	printf '{"rocprofiler-sdk-tool":[{"buffer_records":{"hip_api":[{"kind":1},{"kind":x}]}}]}' >trace.json
	run -1 --separate-stderr tl-parse trace.json
	failed 1 'trace.json: byte 74: record 1 of hip_api: .*found .x.'
	printf '{"rocprofiler-sdk-tool":[]}' >trace.json
	run -1 --separate-stderr tl-parse trace.json
	failed 1 'rocprofiler-sdk-tool lists no process'
	trace '"kernel_symbols":[{"kernel_name":"x"}]'
	run -1 --separate-stderr tl-parse trace.json
	failed 1 'a kernel symbol without kernel_id'
}

@test "a trace that is cut short is an error, but not with --lenient" {
	trace "$metadata,$agents,$strings,$symbols,$records"
	head -c 1300 trace.json >cut.json
	mv cut.json trace.json
	run -1 --separate-stderr tl-parse trace.json
	failed 1 'cut short.*--lenient'
	equal "$(events 3 --lenient 2>said | tr '\n' ' ')" 'meta kernel '
	like "$(<said)" 'the trace is cut short here'
}

@test "calls of HSA are driver calls; of a list that is not known they are other events" {
	trace "$metadata,$strings,\"buffer_records\":{\"hsa_api\":[$call],\"hsa_apis\":[$call]}"
	equal "$(events 3,8,10 --drop meta)" $'driver\thsa_api\thipLaunchKernel\nother\thsa_apis\thipLaunchKernel'
}

@test "the text of a marker without a key is no text of marker 0" {
	trace "\"strings\":{\"marker_api\":[{\"value\":\"lost\"},{\"key\":9},{\"key\":8,\"value\":\"kept\"}]},\"buffer_records\":{\"marker_api\":[{\"correlation_id\":{\"internal\":0}},{\"correlation_id\":{\"internal\":9}},{\"correlation_id\":{\"internal\":8}}]}"
	equal "$(events 10 -q)" $'marker_api operation 0\nmarker_api operation 0\nkept'
}

@test "samples and counter values are left out, and said" {
	trace "$metadata,\"callback_records\":{\"counter_collection\":[{\"a\":1}],\"x\":[]},\"buffer_records\":{\"pc_sample_host_trap\":[{}],\"pc_sample_stochastic\":[]}"
	run -0 --separate-stderr tl-parse -o out.tls trace.json
	like "$stderr" 'values of hardware counters, left out'
	like "$stderr" 'samples of program counters, left out'
	equal "$(events 1)" ''
}

@test "memory grows with the tables only, also if they stand behind the records" {
	[ -z "${TL_SANITIZED-}" ] || skip 'sanitizers take memory of their own'
	"$TL_ROOT/tests/tools/rocprofv3-json" 40000 >trace.json
	"$TL_ROOT/tests/tools/rocprofv3-json" 40000 late >late.json
	[ "$(wc -c <trace.json)" -gt 20000000 ]
	run -0 "$TL_TOOLS/measure" 1 'tl-parse --no-provenance trace.json >first' 'tl-parse --no-provenance late.json >last'
	local wall cpu kib
	while read -r wall cpu kib; do
		[ "$kib" -lt 16384 ]
	done <<<"$output"
	cmp first last
}

@test "the temporary file cannot be made: an error with the reason" {
	trace "$records,$symbols"
	run -1 --separate-stderr env TMPDIR="$PWD/none" tl-parse -o out.tls trace.json
	failed 1 'cannot make a temporary file.*No such file'
	[ ! -e out.tls ]
}

@test "cut at any byte a trace is an error" {
	trace "$metadata,$agents,$strings,$symbols,$records"
	"$TL_TOOLS/cuts" trace.json 5 "$(wc -c <trace.json)" tl-parse
	trace "$records,$symbols,$strings"
	"$TL_TOOLS/cuts" trace.json 5 "$(wc -c <trace.json)" tl-parse
}

@test "launches are linked by correlation, and no note says that arrows lack" {
	trace "$metadata,$agents,$strings,$symbols,$records"
	run -0 --separate-stderr tl-api --columns name,launching_count trace.json
	equal "$output" 'name	launching_count
hipLaunchKernel	1'
	unlike "$stderr" 'launch arrows'
}
