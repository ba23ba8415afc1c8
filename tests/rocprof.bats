#!/usr/bin/env bats
# rocprof.bats - tl-rocprof, and tl-report on traces of rocprofv3.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# k ID START END [MEMBERS]: a dispatch
k() {
	printf '{"thread_id":5,"start_timestamp":%s,"end_timestamp":%s,"dispatch_info":{"agent_id":{"handle":42},"kernel_id":%s,"dispatch_id":%s,"workgroup_size":{"x":64,"y":1,"z":1},"grid_size":{"x":128,"y":3,"z":1}},"stream_id":{"handle":9}}' \
		"$2" "$3" "$1" "$2"
}
symbols='"kernel_symbols":[{"kernel_id":1,"truncated_kernel_name":"z_gemm"},{"kernel_id":2,"truncated_kernel_name":"ncclDevKernel_AllReduce_Sum"},{"kernel_id":3,"truncated_kernel_name":"elementwise_kernel"}]'
# trace DISPATCHES [MEMBERS-OF-RECORDS [PROCESS]]: one process, which lives for 100 µs
trace() {
	printf '{"rocprofiler-sdk-tool":[{"metadata":{"pid":7,"init_time":0,"fini_time":100000},"strings":{},%s,"buffer_records":{"kernel_dispatch":[%s]%s}}%s]}' \
		"$symbols" "$1" "${2-}" "${3-}" >trace_results.json
}
usual() {
	trace "$(k 1 1000 9000),$(k 2 9000 30000),$(k 1 10000 14000),$(k 3 50000 50500)" ',"memory_copy":[{"start_timestamp":28000,"end_timestamp":40000,"bytes":120000,"kind":1}]'
}

@test "time is in the units that the columns say" {
	usual
	tl-rocprof trace_results.json >s
	equal "$(cut -f 1-3,6-8,10 s)" "name	Count	Mean Kernel Time (µs)	Min Kernel Time (µs)	Max Kernel Time (µs)	Percentage (%)	Total Kernel Time (ms)
ncclDevKernel_AllReduce_Sum	1	21.0	21.0	21.0	62.68656716417911	0.021
z_gemm	2	6.0	4.0	8.0	35.82089552238806	0.012
elementwise_kernel	1	0.5	0.5	0.5	1.4925373134328357	0.0005"
}

@test "cumulative percentages follow the rows, and communication is no reduction" {
	usual
	tl-rocprof --sheets kernel_summary_by_category trace_results.json >s
	equal "$(cut -f 1,2,3,5 s)" "op category	Count	total_direct_kernel_time_ms	Cumulative Percentage (%)
Comm-AllReduce	1	0.021	62.68656716417911
GEMM-Generic	2	0.012	98.50746268656717
Elementwise	1	0.0005	100.0"
}

@test "the timeline is about the life of the process" {
	usual
	equal "$(tl-rocprof --sheets gpu_timeline trace_results.json)" "type	time ms	percent
total_time	0.1	100.0
kernel	0.0295	29.5
memory	0.012	12.0
busy_time	0.0395	39.5
idle	0.0605	60.5"
}

@test "the life of several processes goes from the first start to the last end" {
	local process='{"metadata":{"pid":%s,"init_time":%s,"fini_time":%s},"strings":{},"buffer_records":{}}'
	for times in '8 50000 250000' '8 -60000 50000' '8 40000 90000'; do
		# shellcheck disable=SC2059,SC2086
		trace "$(k 1 1000 9000)" '' ",$(printf "$process" $times)"
		tl-rocprof -q --sheets gpu_timeline --columns 'time ms' trace_results.json | sed -n 2p >>total
	done
	equal "$(paste -sd ' ' total)" '0.25 0.16 0.1'
}

@test "--reference-units: busy time is what kernels and copies cover, gaps left out" {
	trace "$(k 1 1000 9000),$(k 2 50000 60000),$(k 1 2000 5000),$(k 3 55000 70000),$(k 3 80000 81000)" \
		',"memory_copy":[{"start_timestamp":8000,"end_timestamp":20000,"bytes":120000,"kind":1}]'
	equal "$(tl-rocprof -q --reference-units --sheets gpu_timeline --columns 'type,time ms' trace_results.json | tail -n +2)" "$(printf '%s\n' \
		$'total_time\t0.1' $'kernel\t0.029' $'memory\t0.012' $'busy_time\t0.04' $'idle\t0.06')"
}

@test "the timeline of a trace that does not tell the life of its process" {
	usual
	sed -i 's/"init_time":0,//' trace_results.json
	run -0 --separate-stderr tl-rocprof --sheets gpu_timeline trace_results.json
	equal "${lines[1]}" "total_time	0.0495	100.0"
	like "$stderr" 'from the first start to the last end on a device'
}

@test "details: the longest first, with sizes in work-items" {
	usual
	equal "$(tl-rocprof --sheets kernel_details --topk_kernels 2 trace_results.json)" "$(tl-rocprof --sheets kernel_details trace_results.json | head -n 3)"
	equal "$(tl-rocprof --sheets kernel_details trace_results.json | sed -n '1p;3p')" "name	Kernel duration (µs)	stream	dispatch_id	grid_x	grid_y	grid_z	block_x	block_y	block_z	agent_id	thread_id
z_gemm	8.0	9	1000	128	3	1	64	1	1	42	5"
}

@test "grids in blocks become work-items" {
	printf '[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,"args":{"device":3,"stream":7,"grid":[10,2,1],"block":[32,4,1]}}]' >trace.json
	equal "$(tl-rocprof -q --sheets kernel_details trace.json | tail -n 1)" "k	2.0	7		320	8	1	32	4	1	3	"
}

@test "short kernels: fewer µs than the threshold" {
	usual
	equal "$(tl-rocprof --sheets short_kernels_summary --short_kernel_threshold_us 8 trace_results.json)" "name	Short Kernel count	Short Kernel duration (µs) sum	Short Kernel duration (µs) mean	Short Kernel duration (µs) percent of total time
z_gemm	1	4.0	4.0	11.940298507462686
elementwise_kernel	1	0.5	0.5	1.4925373134328357"
	equal "$(tl-rocprof --sheets short_kernel_histogram --short_kernel_histogram_bins 2 --short_kernel_threshold_us 9 trace_results.json)" "bin_start	bin_end	count
0.5	4.25	2
4.25	8.0	1"
}

@test "--reference-units: ns as µs, sums by name, all-reduce as reduction, the first process" {
	usual
	sed 's/^{"rocprofiler-sdk-tool":\[\(.*\)\]}$/{"rocprofiler-sdk-tool":[\1,\1]}/' trace_results.json >two.json
	tl-rocprof -q two.json >s
	equal "$(cut -f 2 s | tr '\n' ' ')" 'Count 2 4 2 '
	tl-rocprof -q --reference-units two.json >s
	equal "$(cut -f 1,3,6,9-11 s)" "name	Mean Kernel Time (µs)	Min Kernel Time (µs)	Cumulative Percentage (%)	Total Kernel Time (ms)	Category
ncclDevKernel_AllReduce_Sum	21000.0	21000	64.17910447761194	21.0	Reduction
z_gemm	6000.0	4000	100.0	12.0	GEMM
elementwise_kernel	500.0	500	1.4925373134328357	0.5	Elementwise"
	equal "$(tl-rocprof -q --reference-units --sheets short_kernels_summary --short_kernel_threshold_us 501 two.json | cut -f 1-3 | tail -n +2)" "elementwise_kernel	1	500"
}

@test "a kernel that ends before it starts is left out; with --reference-units it is negative" {
	trace "$(k 1 1000 9000),$(k 3 9000 8000)"
	run -0 --separate-stderr tl-rocprof --columns name,Count trace_results.json
	equal "$output" "name	Count
z_gemm	1"
	like "$stderr" 'end_timestamp is before start_timestamp'
	equal "$(tl-rocprof -q --reference-units --columns 'name,Min Kernel Time (µs)' trace_results.json | tail -n 1)" "elementwise_kernel	-1000"
}

@test "a trace without kernels: header lines and a warning" {
	trace ''
	run -0 --separate-stderr tl-rocprof trace_results.json
	like "$output" '^name	Count	[^
]*Category$'
	like "$stderr" 'no kernel in the trace'
}

@test "tl-report makes this report of the trace, and names the workbook as TraceLens does" {
	usual
	tl-report -q trace_results.json
	[ -s trace_perf_report.xlsx ]
	tl-report -q --output_csvs_dir csv trace_results.json
	equal "$(ls csv | tr '\n' ' ')" 'device_times.csv exposed_communication.csv exposed_copies.csv finding_evidence.csv findings.csv findings_unasked.csv gpu_busy.csv gpu_timeline.csv gpu_work.csv idle_gaps.csv idle_summary.csv judged.csv kernel_categories.csv kernel_stats.csv kernel_summary.csv kernel_summary_by_category.csv ledger.csv memcpy_summary.csv overview.csv populations.csv setup.csv trace_health.csv '
	tl-report -q --disable_kernel_summary --kernel_details --short_kernel_study --profile_json_path trace_results.json --output_csvs_dir more
	equal "$(ls more | tr '\n' ' ')" 'device_times.csv exposed_communication.csv exposed_copies.csv finding_evidence.csv findings.csv findings_unasked.csv gpu_busy.csv gpu_timeline.csv gpu_work.csv idle_gaps.csv idle_summary.csv judged.csv kernel_categories.csv kernel_details.csv kernel_stats.csv ledger.csv memcpy_summary.csv overview.csv populations.csv setup.csv short_kernel_histogram.csv short_kernels_summary.csv trace_health.csv '
	rm trace_perf_report.xlsx
	gzip -k trace_results.json
	tl-report -q trace_results.json.gz
	[ -s trace_perf_report.xlsx ]
	run -2 --separate-stderr tl-report --topk_ops 3 trace_results.json
	failed 2 $'an option of the pytorch report; this trace gets the rocprof report\n'
	run -2 --separate-stderr tl-report --inference_phase_analysis trace_results.json
	failed 2 'this trace gets the rocprof report; name the sheets that it adds: --sheets ops_summary_prefill,.*,phase_summary,steps'
	printf '{"traceEvents":[{"ph":"X","cat":"kernel_dispatch","name":"k","pid":1,"tid":8,"ts":0,"dur":0,"args":{"begin_ns":1,"end_ns":9,"delta_ns":8,"agent":"GPU-3"}}]}' >p.json
	run -2 --separate-stderr tl-report --short_kernel_study p.json
	failed 2 $'the pytorch or rocprof report; .* --sheets short_kernel_histogram,short_kernels_summary\n'
	run -2 --separate-stderr tl-report --include_overlap_info trace_results.json # adds sheets of operators
	failed 2 $'this trace gets the rocprof report\n'
}

@test "the sheet of another report takes the options of its program, and notes are about wanted sheets" {
	usual
	tl-report -q --sheets gpu_timeline_by_device --micro_idle_thresh_us 30 --tsv-dir out trace_results.json
	grep -q micro_idle_time out/gpu_timeline_by_device.tsv
	tl-report -q --sheets idle_gaps --topk_idle_gaps 1 --tsv-dir out trace_results.json
	equal "$(wc -l <out/idle_gaps.tsv)" 2
	run -2 --separate-stderr tl-report --sheets kernel_summary --topk_idle_gaps 1 --tsv-dir out trace_results.json
	failed 2 'topk_idle_gaps is an option of the pytorch report; this trace gets the rocprof report'
	sed 's/"init_time":0,"fini_time":100000/"a":0/' trace_results.json >short_results.json
	run -0 --separate-stderr tl-report --sheets kernel_summary --tsv-dir short short_results.json
	equal "$stderr" ''
	run -0 --separate-stderr tl-report --sheets gpu_timeline --tsv-dir short short_results.json
	like "$stderr" 'does not tell when its processes began'
}

@test "a PyTorch trace keeps its name and its report" {
	gen x_results.json -n 2000
	tl-report -q x_results.json
	[ -s x_results_perf_report.xlsx ]
	run -2 --separate-stderr tl-report --topk_kernels 3 x_results.json
	failed 2 'an option of the rocprof report; this trace gets the pytorch report'
}

# ---- rocprof before rocprofv3 ----

# old EVENTS…: a trace in Chrome's form as rocprof writes it
old() {
	{
		printf '{ "traceEvents":[{}\n'
		printf ',%s\n' "$@"
		printf '],\n"otherData": {\n  "a": "b"\n  }\n}'
	} >results.json
}
old_process='{"args":{"name":"GPU1"},"ph":"M","pid":6,"name":"process_name","sort_index":1}' # the first event
old_kernel=',"pid":"6","tid":"0","ts":"10","dur":"2","args":{"BeginNs":"10123","EndNs":"12456","dev-id":"1","queue-id":"0","KernelName":"k","DurationNs":"2333"}}'

# bats test_tags=quick
@test "a trace of rocprof: kernels, copies and calls, with the exact times" {
	old "$old_process" \
		'{"ph":"X","name":"k"'"$old_kernel" '{"ph":"X","name":"CopyDeviceToHost"'"$old_kernel" \
		'{"ph":"X","name":"hipMalloc","pid":"2","tid":"71","ts":"1","dur":"3","args":{"BeginNs":"1500","EndNs":"4600","pid":"70","tid":"71"}}' \
		'{"ts":1,"ph":"s","cat":"DataFlow","id":1,"pid":2,"tid":71,"name":"dep"}'
	equal "$(tl-parse results.json 2>said | tl-view | awk '/^event/' | cut -f 3-7,10,12-13)" "meta			6		process_name	name:s=GPU1
kernel	10123	2333		0	k	device:i=1	queue:i=0
memcpy	10123	2333		0	CopyDeviceToHost	device:i=1	queue:i=0
runtime	1500	3100	70	71	hipMalloc	pid:i=70	thread:i=71"
	like "$(<said)" '1 event: dropped: an arrow that does not lead .*\(first at event 5\)'
	equal "$(tl-rocprof -q --columns 'name,Total Kernel Time (ms)' results.json | tail -n 1)" "k	0.002333"
	tl-report -q --output_csvs_dir csv results.json
	equal "$(ls csv | tr '\n' ' ')" 'device_times.csv exposed_copies.csv finding_evidence.csv findings.csv findings_unasked.csv gpu_busy.csv gpu_timeline.csv gpu_work.csv idle_summary.csv judged.csv kernel_categories.csv kernel_stats.csv kernel_summary.csv kernel_summary_by_category.csv ledger.csv memcpy_summary.csv one_off.csv overview.csv populations.csv setup.csv trace_health.csv '
}

@test "values of rocprof: numbers in quotes or not, texts, known arguments; times of the event if the arguments have none" {
	local event='{"ph":"X","name":"k","args":{' times='"BeginNs":"7","EndNs":"9",'
	old "$old_process" "$event$times"'"a":"5","b":-6,"c":"1.5","d":[1, 2],"e":"-","f":"","g":"99999999999999999999","gpu-id":"3","stream-id":2,"tid":"x"}}' \
		'{"ph":"X","name":"k","pid":"p","tid":-4,"ts":"1.5","dur":"0.0004999","args":null}' '{"ph":"X","name":"k","ts":"2","dur":"1","args":{"BeginNs":"5"}}' \
		'{"ph":"X","name":"k","ts":"2","dur":"1","args":{"EndNs":"5"}}' '{"ph":"X","name":"k","ts":"1.2.3","dur":".5","args":{"BeginNs":"-1","EndNs":"","x":"y"}}' \
		'{"ph":"X","name":"k","ts":"4611686018427387","dur":"0.904","args":{}}' '{"ph":"X","name":"k","ts":"4611686018427387","dur":"0.905","args":{}}' \
		'{"ph":"X","name":"k","args":{"BeginNs":"5","EndNs":"5"}}' '{"ph":"X","name":"k","ts":"2","dur":"1","args":{"BeginNs":"0"}}' \
		'{"ph":"X","name":"k","ts":"0","dur":"1"}' '{"ph":"XX","name":"k"}' '{"ph":"Y"}' '{}' '{"ph":"M","name":"k"}'
	equal "$(tl-parse results.json 2>said | tl-view | awk '/^event/' | cut -f 2-7,12- | tail -n +2)" "$(printf '%s\n' \
		$'2\tkernel\t7\t2\t\t\ta:i=5\tb:i=-6\tc:s=1.5\td:j=[1,2]\te:s=-\tf:s=\tg:s=99999999999999999999\tdevice:i=3\tstream:i=2\tthread:s=x' \
		$'3\tother\t1500\t0\t\t-4' $'4\tother\t5\t\t\t' $'5\tother\t2000\t1000\t\t' $'6\tother\t\t\t\t\tx:s=y' \
		$'7\tother\t4611686018427387000\t904\t\t' $'8\tother\t4611686018427387000\t\t\t' $'9\tother\t5\t0\t\t' \
		$'10\tother\t0\t\t\t' $'11\tother\t0\t1000\t\t' $'15\tmeta\t\t\t\t')"
	like "$(<said)" '4 events: without a duration: start or end is missing, or in the wrong order \(first at event 4,'
	like "$(<said)" '2 events: dropped: neither a span nor a name nor an arrow \(first at event 12,'
}

@test "rocprof: a GPU is one GPU, copies too; arrows tell which call started what" {
	local n host='"pid":"70","tid":"71"' device='"dev-id":"0","queue-id":"0","pid":"70","tid":"71"' all=()
	for n in '2 hipMemcpy 1000' '2 hipLaunchKernel 20000' '2 hipLaunchKernel 30000' '2 hipFree 40000'; do
		set -- $n
		all+=("{\"ph\":\"X\",\"name\":\"$2\",\"pid\":$1,\"tid\":71,\"ts\":\"$(($3 / 1000))\",\"dur\":\"4\",\"args\":{\"BeginNs\":\"$3\",\"EndNs\":\"$(($3 + 4000))\",$host}}")
	done
	for n in '1 CopyHostToDevice 2500' '6 k 50300' '6 k 50900' '6 late 60000'; do
		set -- $n
		all+=("{\"ph\":\"X\",\"name\":\"$2\",\"pid\":$1,\"tid\":0,\"ts\":\"$(($3 / 1000))\",\"dur\":\"1\",\"args\":{\"BeginNs\":\"$3\",\"EndNs\":\"$(($3 + 100))\",$device}}")
	done
	n=0
	# the copy began before the middle of its call; two kernels begin in one µs; the last arrow comes from no call
	for arrow in '2 2 1 2' '22 2 6 50' '32 2 6 50' '47 2 6 60'; do
		set -- $arrow
		all+=("{\"ts\":$1,\"ph\":\"s\",\"cat\":\"DataFlow\",\"id\":$n,\"pid\":$2,\"tid\":71,\"name\":\"dep\"}"
			"{\"ts\":$4,\"ph\":\"t\",\"cat\":\"DataFlow\",\"id\":$n,\"pid\":$3,\"tid\":0,\"name\":\"dep\"}")
		n=$((n + 1))
	done
	# starts without an end: before another arrow, and the last event
	local start='{"ts":2,"ph":"s","cat":"DataFlow","id":9,"pid":2,"tid":71,"name":"dep"}'
	all=("$start" "${all[@]}" "$start")
	old "$old_process" "${all[@]}"
	equal "$(tl-parse results.json 2>said | tl-link -q | tl-view --links | awk '/^link.launch/' | cut -f 3-)" "3	7
4	8
5	9"
	like "$(<said)" '3 events: dropped: an arrow that does not lead from a call to what it started'
	equal "$(tl-rocprof -q --sheets gpu_busy --columns process,device,kernel_count,memcpy_count results.json | tail -n +2)" "70	0	3	1"
}

@test "kinds of rocprof's events are told by device and name" {
	local name all=() device='"args":{"dev-id":"1"}'
	for name in k Copy CopyX hcMemcpy FillBufferX hipMalloc hsa_x; do
		all+=("{\"ph\":\"X\",\"name\":\"$name\",\"ts\":\"1\",\"dur\":\"1\",$device}")
	done
	for name in hipMalloc hsa_x hsax Copy; do
		all+=("{\"ph\":\"X\",\"name\":\"$name\",\"ts\":\"1\",\"dur\":\"1\",\"args\":{\"queue-id\":\"1\"}}")
	done
	old "$old_process" "${all[@]}"
	equal "$(tl-parse results.json | tl-view | awk '/^event/' | cut -f 3 | tail -n +2 | tr '\n' ' ')" \
		'kernel memcpy memcpy memcpy memset kernel kernel runtime driver other other '
	old "$old_process" "{\"ph\":\"X\",\"name\":\"k\",\"ts\":\"1\",\"dur\":\"1\",\"args\":{$(printf '"a%d":1,' {1..65})\"dev-id\":\"1\"}}"
	equal "$(tl-parse results.json | tl-view | awk '/^event/' | tail -n 1 | grep -o ':i=1' | wc -l)" 64
}

@test "a trace of rocprof that is cut short, or damaged" {
	old "$old_process" '{"ph":"X","name":"k"'"$old_kernel" '{"ph":"X","name":"k"'"$old_kernel"
	head -c 390 results.json >cut.json
	run -1 --separate-stderr tl-rocprof cut.json
	failed 1 'cut short.*--lenient'
	equal "$(tl-rocprof -q --lenient --columns Count cut.json | tail -n 1)" 1
	old "$old_process" '{"ph":"X","name":"k","args":{"BeginNs":"9","EndNs":"5"}}' '{"ph":"X","name":5,"ts":"x"}'
	run -0 --separate-stderr tl-parse -o out.tls results.json
	like "$stderr" '2 events: without a duration'
	old "$old_process" '{"ph":x}'
	run -1 --separate-stderr tl-rocprof results.json
	failed 1 'byte [0-9]+: .*found .x.'
}

@test "a list that begins with an empty object is not enough to be of rocprof" {
	printf '{ "traceEvents":[{}\n,{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2}]}' >t.json
	equal "$(tl-parse -q t.json | tl-view --header | sed -n 's/^header	source	//p')" pytorch
	equal "$(tl-parse -q t.json | tl-view --kind kernel | grep -c '^event')" 1
}
