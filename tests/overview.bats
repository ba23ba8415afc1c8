#!/usr/bin/env bats
# overview.bats - tl-overview: what a trace is, what was left out, the first numbers.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# value SHEET SECTION ITEM [COLUMN]: of the row with this section and item
value() {
	cell "$1" "${4-value}" "$(row "$1" "section=$2" "item=$3")"
}

# sum SHEET COLUMN: of all its cells
sum() {
	awk -F'\t' -v c="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == c) at = i; next } { s += $at } END { print s }' "$1"
}

# Two operators, two kernels and a collective on two streams: busy for 80 of 100 µs.
small_trace() {
	op aten::mm 0 20
	call 1 5 5
	gpu 1 gemm 100 30
	op aten::add 30 10
	call 2 31 5
	gpu 2 add 140 40
	op c10d::allreduce_ 45 10
	call 3 46 5
	gpu 3 ncclDevKernel_AllReduce 170 20 20
	call 4 60 5
	gpu 4 tail 199 1
	event '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#4","pid":1,"tid":1,"ts":0,"dur":25}'
	event '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#5","pid":1,"tid":1,"ts":26,"dur":100}'
	event '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#5","pid":1,"tid":1,"ts":140,"dur":1}'
	event '{"ph":"X","cat":"user_annotation","name":"Optimizer","pid":1,"tid":1,"ts":27,"dur":1}'
	trace "$1"
}

# with MEMBERS FILE: adds members before the events
with() {
	sed -i "1s|{|{$1,|" "$2"
}

@test "the headline agrees with the sheets" {
	small_trace t.json
	tl-sheets -q -d all --enable_kernel_summary t.json
	o=all/overview.tsv
	equal "$(value $o headline 'GPU busy')" "$(cell all/populations.tsv 'Busy (%)' "$(row all/populations.tsv sheet=idle_summary)")"
	equal "$(value $o headline 'GPU busy') $(value $o headline 'GPU busy' unit)" '40.5 % of the recorded window'
	equal "$(value $o headline 'largest idle time: queued')" 54.5
	equal "$(sum all/idle_summary.tsv 'Percent of window (%)')" 59.5
	equal "$(value $o headline 'exposed communication')" "$(cell all/ledger.tsv 'Percent of window (%)' "$(row all/ledger.tsv 'class=exposed communication')")"
	equal "$(value $o headline 'exposed communication') $(value $o headline 'exposed communication' unit)" '5.0 % of the recorded window'
	equal "$(value $o headline 'exposed communication' sheet)" ledger
	equal "$(value $o headline "largest operator: $(cell all/ops_summary.tsv name)")" "$(cell all/ops_summary.tsv 'Percentage (%)')"
	equal "$(value $o headline "largest category: $(cell all/ops_summary_by_category.tsv 'op category')")" \
		"$(cell all/ops_summary_by_category.tsv 'Percentage (%)')"
	equal "$(value $o headline 'largest kernel: add')" "$(cell all/kernel_summary.tsv 'Percent of kernels time (%)')"
}

@test "a report's headline names only sheets that the report has" {
	small_trace t.json
	for o in '' --enable_kernel_summary '--sheets overview,ops_summary'; do
		rm -rf out
		# shellcheck disable=SC2086
		tl-sheets -q -d out $o t.json
		[ "$(grep -c '^headline' out/overview.tsv)" = 7 ]
		for s in $(awk -F'\t' '$1 == "headline" { print $5 }' out/overview.tsv); do
			[ -s "out/$s.tsv" ]
		done
	done
	like "$(awk -F'\t' '$1 == "headline" && $5 != "" { print $5 }' out/overview.tsv)" '^ops_summary$'
}

@test "the filter alone gives the numbers that a report gives" {
	gen t.json -n 3000
	tl-report -q --tsv-dir all t.json
	tl-overview -o alone.tsv t.json
	equal "$(grep '^headline' alone.tsv)" "$(grep '^headline' all/overview.tsv)"
	equal "$(grep -c '^headline' alone.tsv)" 6
	# with kernel_summary or without, linked or not
	small_trace u.json
	for t in t.json u.json; do
		sed -i 's/"correlation":4,"stream"/"stream"/' $t
		tl-report -q --enable_kernel_summary --tsv-dir kernels $t
		tl-overview -q -o alone.tsv $t
		for f in alone.tsv kernels/overview.tsv; do
			awk -F'\t' '/^headline\tlargest kernel/ { printf "%s %.9f\n", $2, $3 }' "$f" >"$(basename "${f%/*}").kernel"
		done
		[ -s alone.tsv.kernel ]
		cmp alone.tsv.kernel kernels.kernel
	done
	for o in --include_unlinked_kernels --detect_recompute; do
		tl-report -q $o --tsv-dir with t.json
		tl-overview -q $o -o with.tsv t.json
		equal "$(grep '^headline' with.tsv)" "$(grep '^headline' with/overview.tsv)"
	done
}

@test "of several devices the headline has the mean, with the least and the greatest" {
	for d in 0 1; do
		op aten::mm $((d * 10)) 5
		call "$((d + 1))" $((d * 10 + 1)) 1
		gpu "$((d + 1))" k 200 $((20 + 40 * d)) 7 kernel "\"device\":$d,\"rank\":$d"
		op aten::mm $((d * 10 + 40)) 5
		call "$((d + 5))" $((d * 10 + 41)) 1
		gpu "$((d + 5))" nccl_k 280 20 8 kernel "\"device\":$d,\"rank\":$d"
	done
	trace t.json
	for how in alone report; do
		if [ $how = alone ]; then
			tl-overview -q -o o.tsv t.json
		else
			tl-sheets -q -d out t.json
			mv out/overview.tsv o.tsv
		fi
		equal "$(value o.tsv headline 'GPU busy, mean of 2 devices (from 13.3 to 26.7)')" 20.0
		like "$(grep '^headline	largest idle' o.tsv)" 'largest idle time: queued, rank 0, process 0, device 0'
		like "$(value o.tsv headline 'exposed communication') $(value o.tsv headline 'exposed communication' unit)" '^6\.66.* % of the recorded window$'
		equal "$(value o.tsv job 'ranks in this trace')" 2
	done
	equal "$(cell out/gpu_timeline.tsv percent "$(row out/gpu_timeline.tsv type=busy_time)")" 80.0
}

@test "what the device ran of work launched before the recording is neither busy nor idle" {
	op aten::mm 0 100
	call 1 0 5
	gpu 1 a 0 1000 7
	call 2 20 5
	gpu 2 b 16000 3000 8
	trace t.json
	run -0 --separate-stderr tl-sheets -d all t.json
	like "$stderr" '15\.000 ms of the idle time in gpu_timeline are unrecorded'
	o=all/overview.tsv
	equal "$(value $o headline 'GPU busy') $(value $o headline unrecorded)" '100.0 15.0'
	like "$(value $o headline unrecorded unit)" '^ms, of work launched before the recording'
	equal "$(cell all/idle_summary.tsv idle_ms "$(row all/idle_summary.tsv cause=unrecorded)")" 15.0
	r=$(row all/populations.tsv sheet=idle_summary)
	equal "$(cell all/populations.tsv window_ms "$r") $(cell all/populations.tsv left_out_ms "$r")" '4.0 15.0'
	like "$(cell all/populations.tsv left_out "$r")" 'launched before the recording'
	# gpu_timeline is as TraceLens has it, and is said to hold the time
	equal "$(cell all/gpu_timeline.tsv 'time ms' "$(row all/gpu_timeline.tsv type=idle_time)")" 15.0
	equal "$(cell all/populations.tsv unrecorded_ms "$(row all/populations.tsv sheet=gpu_timeline)")" 15.0
	# a per cent of the window, or it is not worth a word
	op aten::mm 0 100
	call 1 0 5
	gpu 1 a 0 1000 7
	call 2 20 5
	gpu 2 b 1030 3000 8
	trace t.json
	run -0 --separate-stderr tl-sheets -d less t.json
	refute grep -q unrecorded less/overview.tsv
	unlike "$stderr" unrecorded
}

@test "populations: what each sheet counts, of what time, and what it leaves out" {
	for d in 0 1; do
		op aten::mm $((d * 10)) 5
		call "$((d + 1))" $((d * 10 + 1)) 1
		gpu "$((d + 1))" k 200 $((20 + 40 * d)) 7 kernel "\"device\":$d"
	done
	lone 9 lost 250 50 7 kernel '"device":1'
	lone 8 'Memset (Device)' 300 10 7 gpu_memset '"device":1'
	trace t.json
	tl-sheets -q -d out t.json
	p=out/populations.tsv
	of() { # COLUMNS SHEET [DEVICE]
		for c in $1; do printf '%s ' "$(cell $p "$c" "$(row $p sheet="$2" ${3+device=$3})")"; done
	}
	equal "$(of 'device_events busy_ms window_ms left_out_events left_out_ms' gpu_timeline)" '2 0.06 0.06 2 0.05 '
	equal "$(cell $p how "$(row $p sheet=gpu_timeline)")" '2 devices as one'
	like "$(cell $p left_out "$(row $p sheet=gpu_timeline)")" 'launched by no call'
	equal "$(of 'device_events busy_ms window_ms' gpu_timeline_by_device 0)" '1 0.02 0.02 '
	equal "$(of 'device_events busy_ms window_ms left_out_events' idle_gaps 1)" '3 0.11 0.11 0 '
	equal "$(of 'device_events busy_ms left_out_events left_out_ms' kernel_summary)" '3 0.12 1 0.01 '
	equal "$(cell $p how "$(row $p sheet=kernel_summary)")" '2 devices, summed'
	equal "$(of 'device_events left_out_events' ops_summary)" '2 2 '
	# it counts as gpu_timeline does
	for o in '' --include_unlinked_kernels; do
		# shellcheck disable=SC2086
		tl-sheets -q -d out $o t.json
		equal "$(of busy_ms gpu_timeline)" "$(cell out/gpu_timeline.tsv 'time ms' "$(row out/gpu_timeline.tsv type=busy_time)") "
		equal "$(of window_ms gpu_timeline)" "$(cell out/gpu_timeline.tsv 'time ms' "$(row out/gpu_timeline.tsv type=total_time)") "
	done
	equal "$(of left_out_events gpu_timeline)" '0 '
}

@test "the share of the largest kernel is that of all rows of its name" {
	op one 0 10
	call 1 1 1
	gpu 1 k 100 30
	op two 20 10
	call 2 21 1
	gpu 2 k 200 30
	op three 40 10
	call 3 41 1
	gpu 3 other 300 40
	trace t.json
	tl-overview -o o.tsv t.json
	equal "$(value o.tsv headline 'largest kernel: k')" 60.0
}

@test "a roofline takes the place of the largest kernel: least time over the time taken" {
	gen t.json -n 6000
	tl-report -q --arch H100-SXM --tsv-dir all t.json
	awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["Roofline Time (µs)_first"] != "" {
			least += $at["Roofline Time (µs)_first"] * $at["operation_count"]
			took += $at["Kernel Time (µs)_sum"]
			above += $at["Pct Roofline_mean"] > 100
		}
		{ all += $at["Kernel Time (µs)_sum"] }
		END { printf "roofline reached by %.1f %% of the kernel time%s %.6f\n", took / all * 100,
			above ? " (rows above 100 %: " above ")" : "", least / took * 100 }' \
		all/unified_perf_summary.tsv >wanted
	equal "$(awk -F'\t' '/^headline\troofline/ { printf "%s %.6f\n", $2, $3 }' all/overview.tsv)" "$(cat wanted)"
	like "$(cat wanted)" 'rows above 100 %: [1-9]'
	tl-overview -q --arch H100-SXM -o alone.tsv t.json
	equal "$(grep -E '^(headline|roofline)' alone.tsv)" "$(grep -E '^(headline|roofline)' all/overview.tsv)"
	run -2 --separate-stderr tl-overview --arch nosuch none.json
	failed 2 'no architecture "nosuch"'
	small_trace t.json
	run -0 --separate-stderr tl-overview --arch auto t.json
	like "$stderr" 't.json: --arch auto: the trace does not name its GPU'
	refute grep '^headline	largest kernel' all/overview.tsv
}

@test "the trace: file, size, span, events, steps" {
	small_trace t.json
	with '"traceName":"/data/run 7.json","trace_id":"ABC","baseTimeNanoseconds":1700000000000000000' t.json
	tl-overview -o o.tsv t.json
	equal "$(value o.tsv trace file)" t.json
	equal "$(value o.tsv trace size)" "$(wc -c <t.json)"
	equal "$(value o.tsv trace 'trace name')" '/data/run 7.json'
	equal "$(value o.tsv trace 'trace id')" ABC
	equal "$(value o.tsv trace begins)" '2023-11-14 22:13:20'
	equal "$(value o.tsv trace 'first event to last')" 0.2
	equal "$(value o.tsv trace events)" 23
	equal "$(value o.tsv trace 'operators on the host')" 3
	equal "$(value o.tsv trace 'runtime and driver calls')" 4
	equal "$(value o.tsv trace kernels)" 4
	equal "$(value o.tsv trace steps)" 2
	gzip -k t.json
	tl-overview -o z.tsv - <t.json.gz
	equal "$(value z.tsv trace file)" '<stdin>'
	equal "$(value z.tsv trace size)" "$(wc -c <t.json.gz)"
	equal "$(value z.tsv trace size unit)" 'bytes of gzip'
	equal "$(value z.tsv trace 'size of the text')" "$(wc -c <t.json)"
}

@test "GPUs, rank and versions are those that the trace states" {
	small_trace t.json
	with '"cuda_runtime_version":12040,"cuda_driver_version":13000,"distributedInfo":{"backend":"nccl","rank":3,"world_size":8,"nccl_version":"2.27.7"}' t.json
	with '"deviceProperties":[{"id":0,"name":"A","numSms":132,"totalGlobalMem":85899345920},{"id":1,"name":"A","numSms":132,"totalGlobalMem":85899345920}],"x":1' t.json
	sed -i 's/"deviceProperties":\[\],//' t.json
	tl-overview -o o.tsv t.json
	equal "$(value o.tsv gpu name)" A
	equal "$(value o.tsv gpu name unit)" '132 SMs or CUs, 80.0 GiB'
	equal "$(value o.tsv gpu 'GPUs that the process saw')" 2
	equal "$(value o.tsv job rank) $(value o.tsv job 'world size') $(value o.tsv job backend)" '3 8 nccl'
	equal "$(value o.tsv software 'CUDA runtime') $(value o.tsv software 'CUDA driver')" '12.4 13.0'
	equal "$(value o.tsv software 'NCCL or RCCL')" 2.27.7
	sed -i 's/"id":1,"name":"A"/"id":1,"name":"B"/; s/"cuda_/"hip_/; s/12040/70226015/' t.json
	tl-overview -o o.tsv t.json
	equal "$(value o.tsv gpu 'name of GPU 1')" B
	equal "$(value o.tsv software 'HIP runtime')" 7.2.26015
}

@test "the rank may be that of the device events" {
	gpu 1 a 100 30 7 kernel '"rank":3,"device":0'
	gpu 2 b 140 40 7 kernel '"rank":5,"device":1'
	trace t.json
	tl-overview -q -o o.tsv t.json
	equal "$(value o.tsv job 'ranks in this trace')" 2
	for part in '--rank 5' '--device 1'; do
		# shellcheck disable=SC2086
		tl-overview -q $part -o o.tsv t.json
		equal "$(value o.tsv job rank)" 5
	done
}

@test "a name is whole if it holds a NUL" {
	gpu 1 'a\u0000b' 100 30
	trace t.json
	tl-overview -q -o o.tsv t.json
	equal "$(value o.tsv headline 'largest kernel: a b')" 100.0
}

@test "what the trace does not state is said to be missing" {
	small_trace t.json
	tl-overview -o o.tsv t.json
	for section in gpu/name job/rank software/versions; do
		equal "$(value o.tsv ${section%/*} ${section#*/})" 'not in the trace'
	done
	equal "$(value o.tsv 'left out' 'warnings and notes')" none
	equal "$(value o.tsv tool options)" none
	equal "$(value o.tsv tool tl-tools)" "$(cat "$TL_ROOT/VERSION")"
}

@test "devices with work are counted and named" {
	for d in 0 2 10; do
		op aten::mm $((d * 10)) 5
		call "$((d + 1))" $((d * 10 + 1)) 1
		gpu "$((d + 1))" k $((d * 10 + 200)) 5 7 kernel "\"device\":$d"
	done
	trace t.json
	tl-overview -o o.tsv t.json
	equal "$(value o.tsv gpu 'devices with work')" 3
	equal "$(grep -P '\twith work\t' o.tsv | cut -f 3 | tr '\n' ';')" 'device 0;device 2;device 10;'
	like "$(value o.tsv 'left out' 'warning of tl-overview')" '^gpu_timeline pools 3 devices'
	sed -i 's/"device":0/"device":0,"rank":0/; s/"device":2/"device":0,"rank":1/; s/"device":10/"device":0,"rank":2/' t.json
	tl-overview -q -o o.tsv t.json
	equal "$(grep -P '\twith work\t' o.tsv | cut -f 3 | tr '\n' ';')" 'rank 0, device 0;rank 1, device 0;rank 2, device 0;'
}

@test "device time that is left out is said by tl-overview too, and by a report once" {
	small_trace t.json
	lone 9 lost 150 90
	sed -i 's/^]}/,]}/' t.json
	sed -i "s|^,]}|,${EVENTS[0]}\n]}|" t.json
	run -0 --separate-stderr tl-overview -o o.tsv t.json
	like "$stderr" '^tl-overview: device events that no runtime call .* left out of overview \(--include_unlinked_kernels counts them\)$'
	equal "$(value o.tsv 'left out' 'note of tl-overview')" "${stderr#tl-overview: }"
	run -0 --separate-stderr tl-report --tsv-dir out t.json
	like "$stderr" 'left out of gpu_timeline '
	equal "$(grep -c 'that no runtime call' <<<"$stderr")" 1
	equal "$(grep -c 'that no runtime call' out/overview.tsv)" 1
	tl-overview -o with.tsv --include_unlinked_kernels t.json
	equal "$(value with.tsv 'left out' 'warnings and notes')" none
}

@test "a trace without device work says so; one of device work alone has no operators" {
	op aten::mm 0 20
	trace cpu.json
	run -0 --separate-stderr tl-overview cpu.json
	like "$output" $'\nheadline\tdevice work\tnone in this trace\t'
	equal "$(grep -c '^headline' <<<"$output")" 1
	lone 1 k 100 30
	trace gpu.json
	tl-overview -q -o o.tsv gpu.json
	equal "$(value o.tsv headline 'GPU busy')" 100.0
	refute grep 'largest operator' o.tsv
	equal "$(value o.tsv headline 'largest kernel: k')" 100.0
}

@test "the architecture of the rooflines, its peaks and their source" {
	small_trace t.json
	sed -i 's/"deviceProperties":\[\]/"deviceProperties":[{"id":0,"name":"NVIDIA H100 80GB HBM3","numSms":132}]/' t.json
	for arch in auto h100-sxm; do
		rm -rf out
		tl-sheets -q --arch $arch -d out t.json >/dev/null
		equal "$(value out/overview.tsv roofline architecture)" H100-SXM
		equal "$(value out/overview.tsv roofline architecture unit)" peak
		like "$(value out/overview.tsv roofline source)" 'NVIDIA H100 whitepaper'
		equal "$(value out/overview.tsv roofline 'memory bandwidth')" 3350.0
		equal "$(value out/overview.tsv roofline matrix_tf32) $(value out/overview.tsv roofline matrix_tf32 unit)" '494.7 TFLOP/s'
		equal "$(grep -c '^roofline' out/overview.tsv)" 14
	done
	printf 'mem_bw_gbps\tmatrix_fp16\n9\t100\n' >own.tsv
	tl-sheets -q --arch own.tsv -d out t.json >/dev/null
	equal "$(grep '^roofline' out/overview.tsv | cut -f 2,3)" $'architecture\town.tsv\nmemory bandwidth\t9.0\nmatrix_fp16\t100.0'
	tl-sheets -q -d out t.json >/dev/null
	equal "$(grep '^roofline' out/overview.tsv | cut -f 2-4 | head -n 1)" $'architecture\tH100-SXM\tpeak, of findings and headroom; --arch auto adds rooflines'
	small_trace t.json
	equal "$(tl-overview t.json | grep '^roofline' | cut -f 2-4)" $'architecture\tnone\t--arch NAME adds rooflines'
}

@test "warnings and notes of the run are listed, those that -q silences too" {
	small_trace t.json
	sed -i 's/"deviceProperties":\[\]/"deviceProperties":[{"id":0,"name":"NVIDIA H100 80GB HBM3","numSms":132}]/' t.json
	run -0 --separate-stderr tl-sheets -d loud t.json
	[ -n "$stderr" ]
	while IFS= read -r line; do
		text=${line#tl-*: }
		grep -qF -- "${text#warning: }" loud/overview.tsv
	done <<<"$stderr"
	equal "$(grep -c '^left out' loud/overview.tsv)" "$(wc -l <<<"$stderr")"
	run -0 --separate-stderr tl-sheets -q -d quiet t.json
	equal "$stderr" ''
	cmp loud/overview.tsv quiet/overview.tsv
	# -v says more, but nothing that was left out
	run -0 --separate-stderr tl-sheets -v -d verbose t.json
	cmp loud/overview.tsv verbose/overview.tsv
}

@test "the list of warnings is bounded and says how many more there were" {
	{
		printf 'model m\n\tlet x = 1\n\tneed x > 1\n\tflops 1\n'
		for i in $(seq 1 150); do
			echo "op mylib::op$i m"
		done
	} >mine.tsv
	for i in $(seq 1 150); do
		op "mylib::op$i" $((i * 10)) 5 '"Input Dims":[[2,2]]'
		call "$i" $((i * 10 + 1)) 1
		gpu "$i" k $((i * 10 + 20)) 5
	done
	trace t.json
	tl-report -q --ops mine.tsv --tsv-dir out t.json
	n=$(tl-roofline --ops mine.tsv t.json 2>&1 >/dev/null | grep -c .)
	[ "$n" -gt 110 ]
	equal "$(grep -c $'^left out\t\\(warning\\|note\\) of' out/overview.tsv)" 100
	equal "$(value out/overview.tsv 'left out' 'more of these')" $((n - 100))
}

@test "options are listed as given, but not where output goes" {
	small_trace t.json
	tl-report -qv --tsv-dir out --micro_idle 5 --include-unlinked --ops <(printf 'category aten::mm Mine\n') --keep-stream k.tls t.json
	like "$(value out/overview.tsv tool options)" '^--micro_idle_thresh_us=5 --include_unlinked_kernels --ops=/dev/fd/[0-9]+$'
}

@test "the overview is the first sheet, and of a chosen list only if it is named" {
	small_trace t.json
	run -0 tl-sheets -q -d all t.json
	equal "${lines[0]}" all/overview.tsv
	equal "${lines[*]:1:4}" 'all/trace_health.tsv all/setup.tsv all/populations.tsv all/findings.tsv'
	run -0 tl-sheets -q -d some --sheets gpu_timeline t.json
	equal "$output" some/gpu_timeline.tsv
	run -0 tl-sheets -q -d two --sheets gpu_timeline,overview t.json
	equal "$output" $'two/overview.tsv\ntwo/gpu_timeline.tsv'
	tl-report -q --output_csvs_dir csv t.json
	equal "$(head -n 1 csv/overview.csv)" section,item,value,unit,sheet
}

@test "of a rocprofv3 trace the numbers are those of its own report" {
	printf '{"rocprofiler-sdk-tool":[{"metadata":{"pid":5},"agents":[{"id":{"handle":7},"node_id":4,"type":2}],"kernel_symbols":[{"kernel_id":1,"formatted_kernel_name":"a"},{"kernel_id":2,"formatted_kernel_name":"b"}],"buffer_records":{"kernel_dispatch":[%s,%s]}}]}' \
		'{"start_timestamp":1000,"end_timestamp":4000,"dispatch_info":{"kernel_id":1,"agent_id":{"handle":7}}}' \
		'{"start_timestamp":5000,"end_timestamp":6000,"dispatch_info":{"kernel_id":2,"agent_id":{"handle":7}}}' >t_results.json
	tl-overview -q -o o.tsv t_results.json
	tl-report -q --tsv-dir all t_results.json
	equal "$(grep '^headline' o.tsv)" "$(grep '^headline' all/overview.tsv)"
	equal "$(value o.tsv headline 'GPU busy')" "$(cell all/gpu_busy.tsv 'Busy (%)')"
	equal "$(value o.tsv headline 'largest kernel: a')" "$(cell all/kernel_summary.tsv 'Percentage (%)')"
	equal "$(value o.tsv headline 'largest idle time: unknown')" 20.0
	run -0 --separate-stderr tl-overview -o o.tsv --arch MI300X t_results.json
	like "$stderr" 'warning: the trace has no operators to compare with a roofline'
	tl-report -q --arch MI300X --tsv-dir x t_results.json # of use to findings
	equal "$(cell x/trace_health.tsv value "$(row x/trace_health.tsv check=architecture)")" MI300X
}

@test "on a terminal a sheet is shown as by tl-show: aligned, at most 80 columns, nothing of a name reaches the terminal" {
	need script
	printf '[{"ph":"X","cat":"cpu_op","name":"o\\u001b[31mp","pid":1,"tid":1,"ts":0,"dur":9},{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":1,"dur":1,"args":{"correlation":1}},{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":2,"dur":5,"args":{"correlation":1,"stream":7,"device":0}}]' >t.json
	script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip "no terminal can be made here"
	NO_COLOR=1 script -qec 'stty cols 80; tl-overview -q t.json' /dev/null </dev/null | tr -d '\r' >shown
	equal "$(sed -n 1p shown | awk '{ print $1, $2, $3, $4 }')" 'section item value unit'
	like "$(cat shown)" 'GPU busy +55.56 +% of the recorded'
	like "$(cat shown)" 'o\?\[31mp'
	refute grep -q $'\t' shown
	refute grep -q $'\033' shown
	equal "$(sed 's/[^ -~]/./g' shown | awk 'length($0) > 80')" ''
	# a pipe and a file get TSV
	equal "$(tl-overview -q t.json | head -n 1)" $'section\titem\tvalue\tunit\tsheet'
	script -qec 'tl-overview -q -o sheet.tsv t.json' /dev/null </dev/null
	equal "$(head -n 1 sheet.tsv)" $'section\titem\tvalue\tunit\tsheet'
}

@test "of a rocprofv3 trace with several GPUs the headline is of each, and gpu_timeline is said to take them as one" {
	k() { # AGENT BEGIN END
		printf '{"start_timestamp":%s,"end_timestamp":%s,"dispatch_info":{"kernel_id":1,"agent_id":{"handle":%s}}}' "$2" "$3" "$1"
	}
	printf '{"rocprofiler-sdk-tool":[{"metadata":{"pid":5},"agents":[{"id":{"handle":7},"logical_node_type_id":0,"type":2},{"id":{"handle":8},"logical_node_type_id":1,"type":2}],"kernel_symbols":[{"kernel_id":1,"formatted_kernel_name":"a"}],"buffer_records":{"kernel_dispatch":[%s,%s,%s,%s]}}]}' \
		"$(k 7 1000 3000)" "$(k 8 3000 7000)" "$(k 7 7000 9000)" "$(k 8 8000 9000)" >t_results.json
	run -0 --separate-stderr tl-report --tsv-dir all t_results.json
	like "$stderr" ': gpu_timeline takes 2 devices as one, busy when any of them is; gpu_busy has each by itself'
	equal "$(cell all/gpu_timeline.tsv percent "$(row all/gpu_timeline.tsv type=busy_time)")" 100.0
	like "$(grep $'^headline\tGPU busy,' all/overview.tsv)" 'GPU busy, mean of 2 devices \(from 50.0 to 62.5\).56\.25.% of the recorded window'
	like "$(grep $'^headline\tGPU busy b' all/overview.tsv)" 'its first start and last end, mean of 2 devices \(from 50.0 to 83.3\).66\.66'
	equal "$(awk -F'\t' '$1 == "findings" { printf "%s ", $10 }' all/populations.tsv)" '50.0 62.5 '
	# the same in all programs
	like "$(tl-findings -q --format text t_results.json)" 'GPU busy 66\.7 % of the[[:space:]]+time from its first start to its last end'
	run -0 --separate-stderr tl-timeline t_results.json
	like "$stderr" 'GPU busy 56\.2 % of the recorded window of 0\.01 ms; gpu_timeline is about its first start to its last end'
	equal "$(cell all/populations.tsv how)" '2 devices as one'
	equal "$(awk -F'\t' '$1 == "gpu_busy" { printf "%.1f ", $10 }' all/populations.tsv)" '50.0 83.3 '
}
