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

@test "a symbol has the shortest of its names that is given; one without any has none" {
	trace "$metadata,$strings,\"kernel_symbols\":[{\"kernel_id\":1,\"kernel_name\":\"plain\",\"formatted_kernel_name\":\"formatted\",\"truncated_kernel_name\":\"\"},{\"kernel_id\":2,\"kernel_name\":\"plain\",\"formatted_kernel_name\":null},{\"kernel_id\":3,\"kernel_name\":7},{\"kernel_id\":4,\"kernel_name\":\"\",\"size\":1}],\"buffer_records\":{\"kernel_dispatch\":[$(printf '{"dispatch_info":{"kernel_id":%d}},' 1 2 3 4 5){}]}"
	equal "$(events 10 -q --keep kernel)" $'formatted\nplain\nunknown_kernel_3\n\\e\nunknown_kernel_5\nunknown_kernel_None'
}

@test "operations by kind and number: those that the tables do not have are named by number" {
	trace "\"strings\":{\"buffer_records\":[{\"operations\":[\"a\",\"b\"]},{},{\"operations\":[\"c\",5,\"\"]}]},\"buffer_records\":{\"hip_api\":[$(printf '{"kind":%d,"operation":%d},' 0 0 0 1 0 2 0 -1 1 0 2 0 2 1 2 2 2 3 3 0 -1 0){\"operation\":7},{\"kind\":0}]}"
	equal "$(events 10 -q | sed 's/hip_api operation/-/' | tr '\n' ' ')" 'a b - 2 - -1 - 0 c - 1 - 2 - 3 - 0 - 0 - 7 - 0 '
}

@test "devices: of a kernel its agent, of a copy the end that is a GPU; agents that are none have no number" {
	trace "\"agents\":[{\"id\":{\"handle\":1,\"x\":2},\"type\":1,\"logical_node_type_id\":0},{\"id\":2,\"type\":2,\"logical_node_type_id\":6,\"product_name\":\"\",\"name\":\"gfx\"},{\"id\":{\"handle\":3},\"type\":2},{\"id\":{\"handle\":4},\"type\":2,\"logical_node_type_id\":0,\"cu_count\":9}],\"buffer_records\":{\"memory_copy\":[$(printf '{"src_agent_id":{"handle":%d},"dst_agent_id":{"handle":%d}},' 1 2 2 1 2 4 4 2 1 1 3 1 77 1){\"src_agent_id\":{\"handle\":2}},{\"dst_agent_id\":{\"handle\":4}}]}"
	equal "$(tl-parse -q trace.json | tl-view | awk '/^event/' | sed 's/.*\(device:i=[0-9]*\).*/\1/; s/^event.*/-/' | tr '\n' ' ')" \
		'device:i=6 device:i=6 device:i=0 device:i=6 - - device:i=77 device:i=6 device:i=0 '
	like "$(tl-parse -q trace.json | tl-view)" 'deviceProperties	\[\{"id":6,"name":"gfx","numSms":0\},\{"id":0,"name":"","numSms":9\}\]'
}

@test "the grid is in blocks if it can be divided; a size that is not given is 1" {
	local size all=
	for size in '"workgroup_size":{"x":64,"y":2,"z":1},"grid_size":{"x":128,"y":4,"z":3}' '"workgroup_size":{"x":64},"grid_size":{"x":64}' \
		'"workgroup_size":{"x":64},"grid_size":{"x":65}' '"workgroup_size":{"x":0},"grid_size":{"x":64}' '"grid_size":{"z":3}' '"workgroup_size":{"y":3}' \
		'"workgroup_size":{"x":64},"grid_size":{"x":0}' '"workgroup_size":{"x":-2},"grid_size":{"x":4}' '"other":{"x":3}'; do
		all+="{\"dispatch_info\":{$size}},"
	done
	trace "\"buffer_records\":{\"kernel_dispatch\":[${all%,}]}"
	equal "$(events 12- -q)" "$(printf '%s\n' $'work items:j=[128,4,3]\tblock:j=[64,2,1]\tgrid:j=[2,2,3]' $'work items:j=[64,1,1]\tblock:j=[64,1,1]\tgrid:j=[1,1,1]' \
		$'work items:j=[65,1,1]\tblock:j=[64,1,1]' $'work items:j=[64,1,1]\tblock:j=[0,1,1]' 'work items:j=[1,1,3]' 'block:j=[1,3,1]' \
		$'work items:j=[0,1,1]\tblock:j=[64,1,1]' $'work items:j=[4,1,1]\tblock:j=[-2,1,1]' ' ' | sed 's/^ $//')"
}

@test "where an event is: its thread, of a device event its stream, else its queue" {
	trace "$metadata,$strings,$symbols,\"buffer_records\":{\"kernel_dispatch\":[{\"thread_id\":5,\"stream_id\":{\"handle\":6},\"dispatch_info\":{\"queue_id\":{\"handle\":7}}},{\"thread_id\":5,\"dispatch_info\":{\"queue_id\":{\"handle\":7}}},{\"thread_id\":5}],\"hip_api\":[{\"thread_id\":5,\"stream_id\":{\"handle\":6}},{}],\"memory_allocation\":[{\"allocation_size\":3,\"thread_id\":5}]}"
	equal "$(events 3,7,12- -q --drop meta | sed 's/\tend_timestamp.*//')" "$(printf '%s\n' $'kernel\t6\tstream:i=6\tthread:i=5\tqueue:i=7' $'kernel\t7\tthread:i=5\tqueue:i=7' $'kernel\t\tthread:i=5' \
		$'runtime\t5\tstream:i=6' $'runtime\t' $'other\t5\tallocation_size:i=3')"
}

@test "what the metadata may lack, and hold that is none of it" {
	trace '"metadata":{"node":7,"pid":"x","command":["","a/b/"],"init_time":1.5,"other":{}},"kernel_symbols":[],"strings":{"x":1},"callback_records":{"counter_collection":[]},"buffer_records":{"pc_sample":[],"hip_api":[{}]}' \
		'"metadata":{"node":{"x":1,"hostname":7},"pid":0,"command":"app"}'
	run -1 --separate-stderr tl-parse trace.json
	failed 1 'expected an integer'
	trace "\"metadata\":{\"pid\":1,\"command\":[\"$(printf '%65535s' '' | tr ' ' x)\"]}" '"metadata":{"node":7,"pid":"x","command":["a/b/"],"init_time":3,"other":{}},"strings":{"x":1},"callback_records":{"counter_collection":[]},"buffer_records":{"pc_sample":[],"hip_api":[{}]}' \
		'"metadata":{"node":{"x":1,"hostname":7},"pid":0,"command":"app"}' '"metadata":{"pid":2,"command":[5]},"buffer_records":{"hip_api":[{}]}'
	run -0 --separate-stderr tl-parse -o out.tls trace.json
	unlike "$stderr" 'left out'
	equal "$(tl-view out.tls | awk -F'\t' '$2 == "processes" { print $3 }')" \
		'[{"track":1,"pid":1},{"track":0,"command":["a/b/"],"init_time":3},{"track":"0 (process 3)","pid":0},{"track":2,"pid":2,"command":[5]}]'
	equal "$(tl-view out.tls | awk '/^event/' | cut -f 3,6)" $'runtime\t0\nruntime\t2'
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
	like "$stderr" 'records of counters without a value, left out'
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
