#!/usr/bin/env bats
# plot.bats - tl-plot: sheets become pictures. What they show is read from SVG, whose texts are texts.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	need gnuplot
	cd "$BATS_TEST_TMPDIR"
}

# phase_sheet MS,COUNT,NAME…: a sheet like ops_summary_prefill
phase_sheet() {
	printf 'Kernel categories\tname\ttotal_direct_kernel_time_sum\tCount\ttotal_direct_kernel_time_ms\tPercentage (%%)\tCumulative Percentage (%%)\n'
	local row ms count name
	for row; do
		IFS=, read -r ms count name <<<"$row"
		printf 'GEMM\t%s\t%s000\t%s\t%s\t%s\t0\n' "$name" "$ms" "$count" "$ms" "$((ms * 2))"
	done
}
two_phases() {
	phase_sheet 30,3,aten::mm 12,4,vllm::flash_attn 8,8,aten::add >ops_summary_prefill.tsv
	phase_sheet 50,100,aten::copy_ >ops_summary_decode.tsv
}

# texts FILE: the texts of an SVG, a line each
texts() {
	grep -o '<text[^>]*>.*</text>' "$1" | sed -E 's/<[^>]*>//g; s/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/\&/g' |
		sed 's/&lt;/</g; s/&gt;/>/g'
}
# drawn PICTURE FILE…: the texts of a picture
drawn() {
	tl-plot --pictures "$1" -o "$1.svg" "${@:2}"
	texts "$1.svg"
}
# has TEXTS TEXT…: each is a line of the texts
has() {
	local text all=$1
	shift
	for text; do
		grep -qxF -- "$text" <<<"$all" || { printf 'no text %q in:\n%s\n' "$text" "$all" >&2; return 1; }
	done
}

# told PICTURE FILE…: what gnuplot is told: numbers and texts of the picture
told() {
	mkdir -p bin
	printf '#!/bin/sh\ncat\n' >bin/gnuplot
	chmod +x bin/gnuplot
	PATH=$PWD/bin:$PATH tl-plot --pictures "$1" "${@:2}"
}

# ---- which pictures, and where ------------------------------------------------------

@test "-d makes what the sheets allow and prints the paths; other sheets are not read" {
	two_phases
	printf 'name\ttotal_direct_kernel_time_ms\nadd\t1\n' >ops_summary.tsv
	echo 'no sheet' >other.tsv
	run -0 --separate-stderr tl-plot --plot_dpi 20 -d new/folder ops_summary_prefill.tsv ops_summary_decode.tsv ops_summary.tsv other.tsv
	equal "$output" "$(printf 'new/folder/%s.png\n' phase_overview time_distributions operation_frequencies performance_bottlenecks detailed_breakdowns top_operators)"
	equal "$stderr" ''
	equal "$(ls new/folder | wc -l)" 6
	equal "$(head -c 8 new/folder/phase_overview.png | od -An -tx1 | tr -d ' ')" 89504e470d0a1a0a
	equal "$(od -An -tu1 -j16 -N8 new/folder/phase_overview.png | tr -s ' ')" ' 0 0 1 44 0 0 0 240' # 300 x 240
}

@test "a single picture goes to standard output or -o, whose ending says the format" {
	two_phases
	equal "$(tl-plot --pictures phase_overview --plot_format svg <ops_summary_prefill.tsv | head -c 5)" '<?xml'
	tl-plot --pictures phase_overview -o a.pdf ops_summary_prefill.tsv
	equal "$(head -c 5 a.pdf)" '%PDF-'
	tl-plot --pictures phase_overview -o a.pdf --plot_format svg <ops_summary_prefill.tsv
	equal "$(head -c 5 a.pdf)" '<?xml'
	tl-plot --pictures phase_overview -o b.svg --name 'a run' ops_summary_prefill=ops_summary_decode.tsv
	has "$(texts b.svg)" 'Inference Phase Analysis Overview - a run' 'Prefill (1 ops)'
	mv ops_summary_prefill.tsv mine.tsv
	has "$(drawn phase_overview mine.tsv)" 'Prefill (3 ops)'
	has "$(drawn phase_overview ops_summary_decode.tsv)" 'Decode (1 ops)'
}

@test "the list has every picture, with its sheets" {
	equal "$(tl-plot --list-pictures | cut -f 1 | tr '\n' ' ')" \
		'phase_overview time_distributions operation_frequencies performance_bottlenecks detailed_breakdowns timeline timeline_by_device top_kernels top_operators kernel_categories operator_categories phases roofline percent_of_roofline steps step_times path memory memory_peak memory_categories short_kernels '
	like "$(tl-plot --list-pictures)" 'steps	steps	steps over time'
	equal "$(tl-plot --list-pictures | awk -F '\t' 'NF != 3' | wc -l)" 0
}

@test "wrong usage" {
	run -2 --separate-stderr tl-plot no.tsv
	like "$stderr" 'say where pictures go'
	run -2 --separate-stderr tl-plot --pictures nothing -d x no.tsv
	like "$stderr" "no picture is called 'nothing'"
	run -2 --separate-stderr tl-plot --plot_format gif -d x no.tsv
	like "$stderr" 'png, pdf or svg'
	two_phases
	run -2 --separate-stderr tl-plot -d x ops_summary_prefill.tsv ops_summary_prefill=ops_summary_decode.tsv
	like "$stderr" "two sheets are named 'ops_summary_prefill'"
	refute [ -e x ]
}

@test "a picture that was asked for and cannot be made is an error; no picture at all, a warning" {
	printf 'name\tn\nadd\t1\n' >ops_summary.tsv
	run -1 --separate-stderr tl-plot --pictures top_operators -o x.png ops_summary.tsv
	like "$stderr" 'top_operators cannot be made: expected a sheet ops_summary'
	run -0 --separate-stderr tl-plot -d x ops_summary.tsv
	like "$stderr" 'warning: no picture can be made'
	phase_sheet 0,0,idle >ops_summary_prefill.tsv
	run -0 --separate-stderr tl-plot -d x ops_summary_prefill.tsv
	like "$stderr" 'no picture can be made'
	refute [ -e x ]
	refute [ -e x.png ]
}

# ---- what they show -------------------------------------------------------------------

@test "phase_overview: times, shares, counts, means and the table of TraceLens" {
	two_phases
	local t
	t=$(drawn phase_overview ops_summary_prefill.tsv ops_summary_decode.tsv)
	has "$t" 'Total Execution Time Distribution' '50 ms, 50.0 %' 'Prefill (3 ops)' 'Decode (1 ops)' '16.67 ms' \
		'Number of Operations by Phase' 'Average Time (ms)' 'Summary Statistics' '100.0' '16.7' '25.0' '1.00:1' '1:1.00' '50.0%'
}

@test "time_distributions: the largest first, mean and median" {
	two_phases
	local t
	t=$(drawn time_distributions ops_summary_prefill.tsv ops_summary_decode.tsv)
	has "$t" 'Top 10 Prefill Operations by Time' '30 ms' 'Mean: 16.67 ms' 'Median: 12.00 ms' 'Mean: 50 ms' 'Time (ms)'
	equal "$(grep -E '^(aten::mm|vllm::|aten::add)' <<<"$t" | tr '\n' ' ')" 'aten::mm vllm::flash_attn aten::add '
	phase_sheet 8,1,a 30,1,b 12,1,c >ops_summary_prefill.tsv # in another order
	has "$(drawn time_distributions ops_summary_prefill.tsv)" 'Median: 12.00 ms'
}

@test "operation_frequencies, performance_bottlenecks, detailed_breakdowns: ranks, shares, types" {
	two_phases
	local t
	t=$(drawn operation_frequencies ops_summary_prefill.tsv ops_summary_decode.tsv)
	equal "$(grep -E '^(aten::mm|vllm::|aten::add)' <<<"$t" | head -n 3 | tr '\n' ' ')" 'aten::add vllm::flash_attn aten::mm '
	has "$t" 'Prefill: Frequency vs Total Time' 'Call Count' 'Total Time (ms)' 100
	t=$(drawn performance_bottlenecks ops_summary_prefill.tsv ops_summary_decode.tsv)
	has "$t" 'Slowest Prefill Operations (Time/Call)' '10 ms' '3 ms' '500.0 µs' 'Time per Call (µs)' 'Percentage of Phase Time (%)' '60.00 %'
	t=$(drawn detailed_breakdowns ops_summary_prefill.tsv ops_summary_decode.tsv)
	has "$t" 'Matrix Ops' 'Attention' 'Elementwise' 'Memory Ops' 'Prefill: mean of 3' 'Ops/ms' '0.060' 'Prefill faster ops' 'Prefill more diverse' 'Decode dominates'
}

@test "the numbers of a serving trace are those in TraceLens's pictures" {
	local ref=$TL_ROOT/../shared/traces/phase-ref/sglang_prefilldecode__sglang_Qwen3-8B_prefilldecode/union
	[ -d "$ref" ] || skip "no shared traces here"
	tl-csv -r -d . "$ref"/ops_summary_{prefill,decode}.csv
	has "$(drawn phase_overview ops_summary_{prefill,decode}.tsv)" 72.5 420.3 492.8 5.6 35.2 14.7% 85.3% 0.17:1 1:5.80 \
		'Prefill (13 ops)' '72.5 ms, 14.7 %' '420.3 ms, 85.3 %'
	has "$(drawn time_distributions ops_summary_{prefill,decode}.tsv)" '20.08 ms' 'Mean: 5.57 ms' 'Median: 1.27 ms' 'Mean: 420.3 ms'
	has "$(drawn detailed_breakdowns ops_summary_{prefill,decode}.tsv)" Normalization '26.26 ms' '21.51 ms' 0.179 0.002 5.57 420.31
	has "$(drawn performance_bottlenecks ops_summary_{prefill,decode}.tsv)" '27.70 %' '557.6 µs' '2.899 ms'
}

@test "a phase that is not there is said to be missing, in all five pictures" {
	two_phases
	local picture
	for picture in phase_overview time_distributions operation_frequencies performance_bottlenecks detailed_breakdowns; do
		drawn "$picture" ops_summary_decode.tsv >"$picture"
	done
	has "$(cat time_distributions)" 'No Prefill Data Available'
	has "$(cat operation_frequencies)" 'No Prefill Data Available'
	has "$(cat performance_bottlenecks)" 'No Prefill Data Available'
	has "$(cat detailed_breakdowns)" 'No Prefill Data Available' 'Only Decode available' 'N/A'
	has "$(cat phase_overview)" '50 ms, 100.0 %' 'N/A'
	refute grep -q 'Prefill (' phase_overview
}

@test "charts of any report: parts of time, bars, histogram, devices" {
	local t
	printf '%s\n' $'type\ttime ms\tpercent' $'computation_time\t6.5\t65' $'exposed_comm_time\t0\t0' $'idle_time\t3.5\t35' >gpu_timeline.tsv
	t=$(drawn timeline gpu_timeline.tsv)
	has "$t" 'Where the time goes' 'computation  6.500 ms, 65.0 %' 'idle  3.500 ms, 35.0 %' ms
	refute grep -q 'exposed comm' <<<"$t"
	printf '%s\n' $'rank\tdevice\tclass\tcause\ttime_ms\tPercent of window (%)' $'0\t0\tkernels\t\t6\t60' $'0\t0\tidle\thost busy\t1\t10' \
		$'0\t0\tidle\tqueued\t2\t20' $'0\t0\tunrecorded\t\t1\t10' >ledger.tsv
	t=$(drawn timeline ledger.tsv gpu_timeline.tsv) # one window: the ledger's, if it is there
	has "$t" 'kernels  6.000 ms, 60.0 %' 'idle  3.000 ms, 30.0 %' 'unrecorded  1.000 ms, 10.0 %'
	printf '%s\n' $'0\t1\tkernels\t\t2\t20' $'0\t1\tidle\tqueued\t8\t80' >>ledger.tsv
	has "$(drawn timeline ledger.tsv)" 'kernels  4.000 ms, 40.0 %' 'idle  5.500 ms, 55.0 %' 'unrecorded  0.500 ms, 5.0 %'
	has "$(drawn timeline_by_device ledger.tsv)" 'rank 0, device 0' 'rank 0, device 1' kernels idle unrecorded
	has "$(drawn timeline <gpu_timeline.tsv)" 'idle  3.500 ms, 35.0 %' # a sheet without a name may be any
	has "$(drawn timeline <ledger.tsv)" 'idle  5.500 ms, 55.0 %'
	printf '%s\n' $'device\ttype\ttime ms\tpercent' $'0\tcomputation_time\t6.0\t60' $'1\tcomputation_time\t9\t90' $'1\tidle_time\t1\t10' >gpu_timeline_by_device.tsv
	has "$(drawn timeline_by_device gpu_timeline_by_device.tsv)" 'device 0' 'device 1' computation idle
	printf '%s\n' $'Kernel category\tKernel duration (µs)_sum\tPercent of kernels time (%)' $'GEMM\t2500\t80' $'Comm\t500\t20' >kernel_categories.tsv
	has "$(drawn kernel_categories kernel_categories.tsv)" GEMM '2.500 ms  80.0 %' '0.500 ms  20.0 %'
	printf 'bin_start\tbin_end\tcount\n1\t2\t3\n2\t3\t4\n' >short_kernel_histogram.tsv
	has "$(drawn short_kernels short_kernel_histogram.tsv)" kernels µs
}

@test "memory over time with steps, what filled it, by category; the path; times of steps: of one device" {
	local t
	printf '%s\n' $'process\tdevice\ttime_us\tallocated_bytes\treserved_bytes' $'1\tCPU\t1\t900\t0' $'1\tGPU1\t2\t700\t800' \
		$'1\tGPU0\t1000\t2000\t4000' $'1\tGPU0\t3000\t1000\t4000' $'1\tGPU0\t5000\t1500\t4000' >memory_curve.tsv
	printf '%s\n' $'process\tdevice\tstep\tstart_us' $'1\tGPU0\ta\t1500' $'1\tCPU\ta\t1600' $'1\tGPU0\tb\t9000' $'1\tGPU0\t(no step)\t' >memory_steps.tsv
	t=$(drawn memory memory_curve.tsv memory_steps.tsv)
	has "$t" 'Memory over time' "of PyTorch's allocator; GPU0; broken lines: steps begin" allocated reserved 'time (ms)' kB
	refute grep -qE 'GPU1|CPU' <<<"$t"
	t=$(told memory memory_curve.tsv memory_steps.tsv)
	equal "$(sed -n '/^$rows/,/^END/p; /^n_marks/p; /^$marks/,/^END/p' <<<"$t" | tr '\n' ' ')" 'n_marks = 1 $marks << END 1.500000000000e+00 END '\
'$rows << END 1.000000000000e+00 2.000000000000e+00 4.000000000000e+00 3.000000000000e+00 1.000000000000e+00 4.000000000000e+00 5.000000000000e+00 1.500000000000e+00 4.000000000000e+00 END '
	printf '%s\n' $'process\tdevice\toperator\tmodule\tbytes\tPercentage (%)' $'1\tCPU\thost\t\t9000\t100' $'1\tGPU0\taten::mm\tnn.Module: Linear_0\t3000\t75' \
		$'1\tGPU0\t(before the trace)\t\t1000\t25' >memory_peak.tsv
	t=$(drawn memory_peak memory_peak.tsv)
	has "$t" 'aten::mm, nn.Module: Linear_0' '(before the trace)' '3.000 kB  75.0 %'
	refute grep -q host <<<"$t"
	printf '%s\n' $'time_us\tparameter_bytes\tinput_bytes\tactivation_bytes\tallocated_bytes' $'0\t10\t0\t5\t15' $'7\t10\t0\t0\t10' >memory_categories.tsv
	t=$(told memory_categories memory_categories.tsv)
	equal "$(sed -n '/^$rows/,/^END/p; /^$parts/,/^END/p' <<<"$t" | tr '\n' ' ')" '$parts << END =parameter =activation END '\
'$rows << END 0.000000000000e+00 1.000000000000e+01 1.500000000000e+01 7.000000000000e+00 1.000000000000e+01 1.000000000000e+01 END '
	printf '%s\n' $'bound\tedges\ttime_ms\tPercentage (%)' $'host idle\t2\t7.5\t75' $'Python\t3\t2.5\t25' >path_summary.tsv
	has "$(drawn path path_summary.tsv)" 'Python  2.500 ms, 25.0 %' 'host idle  7.500 ms, 75.0 %'
	printf '%s\n' $'step\tperiod_ms\tmark' $'0\t30\tfirst' $'1\t10\t' $'2\t20\tslow' >step_times.tsv
	has "$(drawn step_times step_times.tsv)" 'Steps of the program' 'slow step' 'first step' ms
	printf '%s\n' $'step\tperiod_ms\tmark' $'0\t30\tfirst' >step_times.tsv
	run -1 tl-plot --pictures step_times -o x.png step_times.tsv
}

@test "roofline: roofs, categories, numbers of points and their names" {
	local t
	printf '%s\n' $'name\top category\tInput Dims\tCompute Spec\tGFLOPS\tData Moved (MB)\tFLOPS/Byte\tTFLOPS/s_mean\tRoofline Time (µs)_first\tPct Roofline_mean\tKernel Time (µs)_sum' \
		$'aten::mm\tGEMM\t((16, 64), (64, 8))\tmatrix_bf16\t10\t100\t100\t50\t100\t50\t900' \
		$'aten::add\telementwise\t((16,), (16,))\tvector_fp32\t1\t1000\t1\t0.5\t1000\t50\t100' >unified_perf_summary.tsv
	t=$(drawn roofline unified_perf_summary.tsv)
	has "$t" 'FLOP/byte' 'TFLOP/s' GEMM elementwise '1  aten::mm [16,64] [64,8]' '2  aten::add [16] [16]' '2 rows with 100.0 % of the kernel time, communication left out; not modelled: 0.0 %'
	has "$(drawn percent_of_roofline unified_perf_summary.tsv)" '50.00 %'
}

@test "roofline: the axes hold every point, the first and the last" {
	printf '%s\n' $'operator\tFLOPS/Byte\tTFLOPS/s' $'largest\t100\t50' $'a\t20\t5' $'least\t2\t0.5' >roofline_chart.tsv
	equal "$(told roofline roofline_chart.tsv | grep -E '^(least|largest)_[xy]' | tr '\n' ' ')" \
		'least_x = 2.000000000000e+00 largest_x = 1.000000000000e+02 least_y = 5.000000000000e-01 largest_y = 5.000000000000e+01 '
	# a sheet that does not say which rows its operators are: they have no category
	printf '%s\n' $'name\top category\tKernel Time (µs)_sum' {a..z}$'\tGEMM\t5' >unified_perf_summary.tsv
	equal "$(told roofline roofline_chart.tsv unified_perf_summary.tsv | sed -n '/^$parts/,/^END/p' | tr '\n' ' ')" '$parts << END =operators END '
}

@test "steps: phases have their colours, idle time and both lanes are there" {
	local t
	printf '%s\n' $'step\tname\tphase\tstart_us\tduration_us\tdevice_start_us\tdevice_span_us\tgpu_busy_us\tgpu_idle_us' \
		$'0\ta\tPrefill\t0\t900\t100\t800\t700\t100' $'1\tb\tDecode\t1000\t5000\t1100\t4900\t4500\t300' >steps.tsv
	t=$(drawn steps steps.tsv)
	has "$t" Prefill Decode host GPU 'Time on the GPU (ms)' 'Time since the trace begins (ms)'
	refute grep -qx Mixed <<<"$t"
	like "$(cat steps.svg)" 'rgb\(  0, 114, 178\)'
	like "$(cat steps.svg)" 'rgb\(230, 159,   0\)'
}

@test "the same sheets make the same bytes" {
	two_phases
	local format
	for format in png svg; do
		tl-plot --plot_dpi 20 --pictures time_distributions --plot_format $format ops_summary_prefill.tsv >a
		tl-plot --plot_dpi 20 --pictures time_distributions --plot_format $format ops_summary_prefill.tsv >b
		cmp a b
	done
	equal "$(grep -o 'font-family="[^"]*"' a | sort -u)" 'font-family="sans-serif"'
}

# ---- hostile input ----------------------------------------------------------------------

hostile_sheet() {
	printf 'name\ttotal_direct_kernel_time_ms\tCount\tPercentage (%%)\n'
	printf '%s\t9\t1\t9\n' '`touch hacked`' END '"; system("touch hacked"); "' "'; system('touch hacked'); '" '@evil $(touch hacked) {/Bold x}^2_3' \
		'\\001 %s %d' '#comment' '<script>alert(1)</script>&amp;' '='
	printf 'bell \a esc \e nul \0 delete \x7f malformed \xff\t3\t2\t1\n%65536s\t1\t1\t1\n' '' | tr ' ' y
}

@test "no name is a command of gnuplot or markup: names are shown as they are" {
	hostile_sheet >ops_summary.tsv
	hostile_sheet >ops_summary_prefill.tsv
	tl-plot --plot_format svg -d . --name '`touch hacked` "; system("touch hacked") END' ops_summary.tsv ops_summary_prefill.tsv
	has "$(texts top_operators.svg)" '`touch hacked`' END '"; system("touch hacked"); "' "'; system('touch hacked'); '" \
		'@evil $(touch hacked) {/Bold x}^2_3' '\001 %s %d' '#comment' '<script>alert(1)</script>&amp;' '=' \
		'Kernel time of the largest operators - `touch hacked` "; system("touch hacked") END'
	like "$(texts top_operators.svg)" 'bell.\?.esc.\?'
	like "$(texts top_operators.svg)" 'yyyyyy…yyyyyy'
	refute [ -e hacked ]
	refute grep -q '<script' top_operators.svg
	tl-plot --plot_dpi 20 -d . ops_summary.tsv ops_summary_prefill.tsv
	refute [ -e hacked ]
}

@test "numbers: negative and tiny ones are drawn, too large ones are an error" {
	printf '%s\n' $'name\ttotal_direct_kernel_time_ms\tCount\tPercentage (%)' $'a\t-5\t-1\t-1' $'b\t1e-300\t0\t0' $'c\t1e20\t1e15\t1e9' $'d\t\t\t' >ops_summary_prefill.tsv
	tl-plot -q --plot_dpi 20 -d . ops_summary_prefill.tsv >paths
	equal "$(wc -l <paths)" 5
	printf '%s\n' $'name\ttotal_direct_kernel_time_ms' $'a\t1' $'b\t1e300' >ops_summary.tsv
	run -1 --separate-stderr tl-plot -d . ops_summary.tsv
	like "$stderr" "ops_summary.tsv: row 2: column 'total_direct_kernel_time_ms': 1e\+300 is too large"
}

@test "without gnuplot the error says what is missing" {
	two_phases
	run -1 --separate-stderr env PATH=/nowhere "$TL_BIN/tl-plot" -d x ops_summary_prefill.tsv
	like "$stderr" 'cannot run gnuplot.*Debian: gnuplot-nox'
	equal "$(ls x)" ''
}

@test "if gnuplot fails at any picture, none appears" {
	two_phases
	mkdir bin x
	printf '#!/bin/sh\n[ ! -e failed ] || { echo "line 7: cannot do that" >&2; exit 1; }\ntouch failed\necho picture\n' >bin/gnuplot
	chmod +x bin/gnuplot
	PATH=$PWD/bin:$PATH run -1 --separate-stderr tl-plot -d x ops_summary_prefill.tsv
	like "$stderr" 'x/time_distributions.png: gnuplot failed: cannot do that'
	equal "$(ls x)" ''
}

@test "if gnuplot draws nothing, it is an error" {
	two_phases
	mkdir bin
	printf '#!/bin/sh\ncat >/dev/null\n' >bin/gnuplot
	chmod +x bin/gnuplot
	PATH=$PWD/bin:$PATH run -1 --separate-stderr tl-plot --pictures phase_overview -o x.png ops_summary_prefill.tsv
	failed 1 'x.png: gnuplot drew nothing'
	refute [ -e x.png ]
}

# ---- nothing is cut, nothing is empty -----------------------------------------------------

# discs SVG: slices of pies, which alone have so many corners
discs() {
	awk 'BEGIN { RS = "/>" } sub(/.*<polygon fill = .rgb/, "") && NF > 40 { n++ } END { print n + 0 }' "$1"
}

@test "a phase that takes all time is a full disc" {
	two_phases
	drawn phase_overview ops_summary_prefill.tsv ops_summary_decode.tsv >texts
	equal "$(discs phase_overview.svg)" 2
	drawn phase_overview ops_summary_prefill.tsv >texts
	equal "$(discs phase_overview.svg)" 1
	has "$(cat texts)" Prefill '50 ms, 100.0 %'
	phase_sheet 1,1,tiny >ops_summary_decode.tsv
	phase_sheet 99999,1,aten::mm >ops_summary_prefill.tsv # nearly all
	drawn phase_overview ops_summary_prefill.tsv ops_summary_decode.tsv >texts
	refute [ "$(discs phase_overview.svg)" = 0 ]
}

# edges PNG: what is not white at its edges
edges() {
	printf '%s\n' 'set table "pixels"' "plot '$1' binary filetype=png with rgbimage" | gnuplot 2>said || { cat said >&2; return 1; }
	awk '!/^#/ && NF >= 5 { x = $1 > x ? $1 : x; y = $2 > y ? $2 : y; dark[$1, $2] = $3 + $4 + $5 < 765 }
		END { for (at in dark) { split(at, p, SUBSEP); n += dark[at] * (p[1] < 2 || p[1] > x - 2 || p[2] < 1 || p[2] == y) } print n + 0 }' pixels
}

# names SEED: 12 names of up to 300 letters, each mostly of one kind: wide, narrow or mixed ones
names() {
	awk -v seed="$1" 'BEGIN {
		srand(seed)
		split("WM@%mWQ il.Ij|,: ABCDEFGHKNOQSUVXYZ_ abcdefghmnow_<>(): _0123456789EIS", kinds, " ")
		for (i = 0; i < 12; i++) {
			kind = kinds[1 + int(rand() * 5)]
			name = ""
			for (n = 2 + int(rand() * rand() * 300); n > 0; n--)
				name = name substr(kind, 1 + int(rand() * length(kind)), 1)
			print name
		}
	}'
}

@test "whatever letters names have, none is cut at an edge of a picture" {
	local name i=0 picture
	names 1 >names
	while IFS= read -r name; do
		printf '%s\t%d\t%d\t%d\n' "$name" $((900 - i * 60)) $((900 - i * 60)) 25
		i=$((i + 1))
	done <names >rows
	{ printf 'name\ttotal_direct_kernel_time_ms\tCount\tPercentage (%%)\n'; cat rows; } >ops_summary_prefill.tsv
	cp ops_summary_prefill.tsv ops_summary_decode.tsv
	{ printf 'name\tTotal Kernel Time (ms)\tx\tPercent of kernels time (%%)\n'; cat rows; } >kernel_summary.tsv
	awk -F '\t' 'NR == FNR { of[NR] = $1; next }
		FNR == 1 { print "operator\tFLOPS/Byte\tTFLOPS/s\tPct Roofline\tunified_perf_summary row\troof FLOPS/Byte\troof " of[1] }
		{ print $1 "\t" 2 ^ FNR "\t" 3 ^ FNR "\t" 40 + FNR "\t" FNR + 1 "\t" 2 ^ FNR "\t900" }' names rows >roofline_chart.tsv
	{ printf 'name\tKernel Time (µs)_sum\tx\ty\top category\n'; paste rows names; } >unified_perf_summary.tsv
	{ printf 'operator\tbytes\tx\ty\tmodule\n'; paste rows names; } >memory_peak.tsv
	awk -F '\t' 'BEGIN { print "process\tdevice\ttype\ttime ms" } { print $1 "\t0\tcomputation_time\t" 9 }' rows >gpu_timeline_by_device.tsv
	tl-plot --name "$(head -n 1 names)" --plot_dpi 40 -d . ./*.tsv \
		--pictures time_distributions,operation_frequencies,timeline_by_device,top_kernels,roofline,memory_peak >pictures
	while read -r picture; do
		equal "$picture $(edges "$picture")" "$picture 0"
	done <pictures
	equal "$(wc -l <pictures)" 6
}

@test "names of kernels that are too wide lose their arguments and namespaces, mangled or not" {
	printf '%s\t%s\t\t9\n' name 'Total Kernel Time (ms)' \
		'void at::native::(anonymous namespace)::softmax_warp_forward<float, float>(float*, float const*, int, int, int, bool const*)' 3 \
		_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_ 2 \
		_ZN5aiter20a_name_with_no_shapeEPfS0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_iiiiiiii 1 >kernel_summary.tsv
	sed -i '1s/\t\t9$/\tx\tPercent of kernels time (%)/' kernel_summary.tsv
	drawn top_kernels kernel_summary.tsv >texts
	has "$(cat texts)" 'softmax_warp_forward<float, float>' a_name_with_no_shape
	like "$(cat texts)" 'vectorized_elementwise_kernel<Li4ENS0_11Fill.*…'
}

# parts_of TEXTS: the parts of the picture that the window is told by, as ms
parts_of() {
	sed -nE 's/^(kernels|exposed communication|exposed copies|idle|unrecorded)  <?([0-9.,]+) (ms|µs|s), .*/\1\t\2\t\3/p' <<<"$1" | tr -d , |
		awk -F '\t' '{ print $1 "\t" $2 * ($3 == "s" ? 1000 : $3 == "µs" ? .001 : 1) }'
}

@test "picture, overview, populations, ledger, idle_summary, idle_gaps and steps tell the same of one window" {
	local seed t
	for seed in 1 2 3; do
		tl-gen --seed $seed -n 2500 --loader $((seed * 300)) >whole.json
		tl-slice -q --from ${seed}ms whole.json >t.json
		rm -rf s
		tl-sheets -q -d s t.json >/dev/null
		t=$(drawn timeline s/ledger.tsv s/gpu_timeline.tsv)
		parts_of "$t" >drawn
		awk -F '\t' '
			FNR == 1 { file = FILENAME; sub(".*/", "", file); split("", at); for (i = 1; i <= NF; i++) at[$i] = i; next }
			file == "drawn" { next }
			file == "ledger.tsv" { ledger[$at["class"]] += $at["time_ms"]; all += $at["time_ms"] }
			file == "idle_summary.tsv" { summary[$at["cause"] == "unrecorded"] += $at["idle_ms"] }
			(file == "populations.tsv") * ($at["sheet"] == "idle_summary") { busy = $at["busy_ms"]; window = $at["window_ms"]; out = $at["left_out_ms"]; share = $at["Busy (%)"] }
			(file == "overview.tsv") * ($at["item"] == "GPU busy") { told = $at["value"] }
			(file == "idle_gaps.tsv") * ($at["cause"] != "unrecorded") { gaps += $at["Percent of idle time (%)"] }
			function differ(what, a, b) { if (a - b > 1e-6 || b - a > 1e-6) { print what, a, b; exit 1 } }
			END {
				differ("idle", ledger["idle"], summary[0]); differ("unrecorded", ledger["unrecorded"], summary[1]); differ("left out", out, summary[1])
				differ("busy", busy, all - ledger["idle"] - ledger["unrecorded"]); differ("window", window + out, all); differ("GPU busy", told, share)
				differ("share", share, busy / window * 100); if (gaps > 100.000001) print "gaps", gaps
				for (c in ledger) print c "\t" ledger[c] >"wanted"
			}' s/ledger.tsv s/idle_summary.tsv s/populations.tsv s/overview.tsv s/idle_gaps.tsv >wrong
		equal "$(cat wrong)" ''
		equal "$(sort drawn wanted | awk -F '\t' '$1 == last && ($2 - of > .06 || of - $2 > .06) { print $1, of, $2 } { n++; last = $1; of = $2 } END { if (n < 4) print "too few" }')" ''
	done
}

# ---- in a report --------------------------------------------------------------------------

@test "tl-report --generate_plots: beside the trace, beside the workbook, in the folder of CSV files" {
	tl-gen -n 900 >t.x.json
	tl-report -q --generate_plots --plot_dpi 20 t.x.json
	equal "$(ls t.x_inference_plots | tr '\n' ' ')" 'operator_categories.png step_times.png timeline.png top_operators.png '
	tl-report -q --generate_plots --plot_format svg -o book.xlsx t.x.json
	has "$(texts book_inference_plots/timeline.svg)" 'Where the time goes - t'
	tl-report -q --generate_plots --plot_format pdf --output_csvs_dir csv -o book.xlsx t.x.json
	equal "$(head -c 5 csv/inference_plots/timeline.pdf)" '%PDF-'
	equal "$(ls csv/*.csv | wc -l)" "$(tl-report -q --output_csvs_dir plain t.x.json; ls plain/*.csv | wc -l)"
}

@test "tl-report makes no pictures unless asked, and none with --disable_plots" {
	tl-gen -n 900 >t.json
	tl-report -q --output_csvs_dir csv t.json
	tl-report -q --generate_plots --disable_plots --output_csvs_dir csv t.json
	refute [ -e csv/inference_plots ]
	refute [ -e t_inference_plots ]
	run -2 --separate-stderr tl-report --generate_plots --plot_format gif t.json
	like "$stderr" 'png, pdf or svg'
}
