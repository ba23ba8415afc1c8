#!/usr/bin/env bats
# compare.bats - tl-compare: the sheets of several reports side by side.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers
load ranks

# sheet REPORT NAME ROW…: a sheet in TSV; rows as printf reads them
sheet() {
	mkdir -p "$1"
	printf '%b\n' "${@:3}" >"$1/$2.tsv"
}
# timeline REPORT MS: the sheet that every report has
timeline() {
	sheet "$1" gpu_timeline 'type\ttime ms\tpercent' "busy_time\t$2\t80" 'Total time\t10\t100'
}
summary() {
	sheet "$1" ops_summary 'name\ttotal_direct_kernel_time_sum\tCount\ttotal_direct_kernel_time_ms\tCumulative Percentage (%)' "${@:2}"
}
# args REPORT ROW…: operators by arguments: name, dims, time, mean, count
args() {
	sheet "$1" ops_unique_args 'name\tInput Dims\tInput type\tInput Strides\tConcrete Inputs\tex_UID\toperation_count\ttotal_direct_kernel_time_mean\ttotal_direct_kernel_time_sum' "${@:2}"
}
gemm() {
	sheet "$1" GEMM 'name\tparam: M\tparam: K\tGFLOPS_first\tKernel Time (µs)_mean\tKernel Time (µs)_std\tKernel Time (µs)_sum\tname_count\tTFLOPS/s_mean\tTB/s_mean' "${@:2}"
}

# same SHEET ROW…: what is in out/SHEET.tsv
same() {
	printf '%b\n' "${@:2}" >expected
	diff expected "out/$1.tsv"
}

@test "differences and percentages, by key, the columns of each report behind them" {
	timeline a 8
	timeline b 6
	tl-compare a b --sheets gpu_timeline -d out
	same gpu_timeline 'type\ttime ms__b_diff\ttime ms__b_pct\ta::time ms\ta::percent\tb::time ms\tb::percent' \
		'Total time\t0\t0.0\t10\t100\t10\t100' 'busy_time\t-2\t-25.0\t8\t80\t6\t80'
	refute test -e comparison.xlsx
}

@test "a percentage of nothing is empty, a row may be missing on either side" {
	sheet a gpu_timeline 'type\ttime ms' 'idle\t0' 'x\t1.5'
	sheet b gpu_timeline 'type\ttime ms' 'idle\t2' 'y\t3'
	tl-compare a b --sheets gpu_timeline -d out
	same gpu_timeline 'type\ttime ms__b_diff\ttime ms__b_pct\ta::time ms\tb::time ms' \
		'idle\t2.0\t\t0.0\t2' 'x\t\t\t1.5\t' 'y\t\t\t\t3'
}

@test "a summary comes by falling time of the baseline, rows that it lacks at the end, equal ones by name" {
	timeline a 8
	timeline b 8
	summary a 'mul\t1000\t2\t1.0\t90' 'add\t1000\t1\t1.0\t95' 'mm\t8000\t4\t8.0\t80'
	summary b 'sub\t1\t2\t3.0\t99' 'mm\t1\t5\t4.0\t50' 'abs\t1\t2\t7.0\t99'
	tl-compare a b --sheets ops_summary -d out
	equal "$(cut -f 1 out/ops_summary.tsv | tr '\n' ' ')" 'name mm add mul abs sub '
	equal "$(cell out/ops_summary.tsv total_direct_kernel_time_ms__b_pct)" -50.0
	equal "$(cell out/ops_summary.tsv Count__b_diff)" 1
	equal "$(head -n 1 out/ops_summary.tsv | tr '\t' '\n' | grep -c -e _sum -e 'b::Cum')" 0
	equal "$(cell out/ops_summary.tsv 'a::Cumulative Percentage (%)')" 80
	equal "$(ls out)" ops_summary.tsv
}

@test "operators by arguments are split in three, without empty columns" {
	timeline a 1
	timeline b 1
	args a 'mm\t[2]\tf\t\t\t1\t2\t10\t20' 'mm\t[3]\tf\t\t\t2\t1\t5\t5' 'mm\t[4]\tf\t\t\t2\t1\t50\t50'
	args b 'mm\t[2]\tf\t\t\t7\t2\t15\t30' 'add\t[3]\tf\t\t\t8\t1\t6\t6'
	tl-compare a b --sheets ops_all -d out
	equal "$(ls out | tr '\n' ' ')" 'ops_unique_args_intersect_b.tsv ops_unique_args_only_baseline_b.tsv ops_unique_args_only_variant_b.tsv '
	t=total_direct_kernel_time
	same ops_unique_args_intersect_b "name\tInput type\tInput Dims\t${t}_sum__b_diff\t${t}_sum__b_pct\t${t}_mean__b_diff\t${t}_mean__b_pct\toperation_count__b_diff\toperation_count__b_pct\ta::ex_UID\ta::operation_count\ta::${t}_mean\ta::${t}_sum\tb::ex_UID\tb::operation_count\tb::${t}_mean\tb::${t}_sum" \
		'mm\tf\t[2]\t10\t50.0\t5\t50.0\t0\t0.0\t1\t2\t10\t20\t7\t2\t15\t30'
	same ops_unique_args_only_baseline_b "name\tInput type\tInput Dims\ta::ex_UID\ta::operation_count\ta::${t}_mean\ta::${t}_sum" \
		'mm\tf\t[4]\t2\t1\t50\t50' 'mm\tf\t[3]\t2\t1\t5\t5'
	same ops_unique_args_only_variant_b "name\tInput type\tInput Dims\tb::ex_UID\tb::operation_count\tb::${t}_mean\tb::${t}_sum" 'add\tf\t[3]\t8\t1\t6\t6'
}

@test "a third report is compared with the first, in sheets of its own" {
	for r in a b c; do timeline $r 1; done
	args a 'mm\t[2]\tf\t\t\t1\t2\t10\t20'
	args b 'mm\t[2]\tf\t\t\t7\t2\t15\t30'
	args c 'mm\t[2]\tf\t\t\t7\t2\t5\t10'
	tl-compare a b c --sheets ops_all,gpu_timeline -d out
	equal "$(ls out | wc -l)" 7
	equal "$(cell out/ops_unique_args_intersect_c.tsv total_direct_kernel_time_sum__c_diff)" -10
	equal "$(head -n 1 out/ops_unique_args_intersect_c.tsv | grep -c 'b::')" 0
	equal "$(cell out/gpu_timeline.tsv 'time ms__c_diff')" 0
}

@test "the keys of roofline sheets are the parameters that all reports have" {
	timeline a 1
	timeline b 1
	gemm a 'mm\t2\t3\t7\t1\t\t1\t1\t5\t1'
	gemm b 'mm\t2\t9\t7\t2\t\t2\t1\t4\t1'
	sed -i 's/param: K/param: bias/' b/GEMM.tsv
	tl-compare a b --sheets roofline -d out
	equal "$(cut -f 1-4 out/GEMM_intersect_b.tsv | head -n 1)" $'name\tparam: M\tKernel Time (µs)_sum__b_diff\tKernel Time (µs)_sum__b_pct'
	equal "$(cell out/GEMM_intersect_b.tsv 'a::param: K') $(cell out/GEMM_intersect_b.tsv 'b::param: bias')" '3 9'
	equal "$(cell out/GEMM_intersect_b.tsv 'TFLOPS/s_mean__b_pct')" -20.0
	equal "$(head -n 1 out/GEMM_intersect_b.tsv | grep -o '.::GFLOPS_first')" a::GFLOPS_first
	equal "$(wc -c <out/GEMM_only_variant_b.tsv)" 1
}

@test "a sheet without rows in a report, or absent there, is empty: rows are new or gone, with a note" {
	timeline a 1
	timeline b 1
	gemm a 'mm\t2\t3\t7\t1\t\t1\t1\t5\t1'
	gemm b
	sheet b SDPA_fwd 'name' # nor has a any: there is nothing to compare
	local r
	run -0 --separate-stderr tl-compare a b --sheets gpu_timeline roofline -d out
	equal "$stderr" 'tl-compare: b: no rows of GEMM: what others have there is new or gone'
	equal "$(ls out | tr '\n' ' ')" 'GEMM_intersect_b.tsv GEMM_only_baseline_b.tsv GEMM_only_variant_b.tsv gpu_timeline.tsv '
	equal "$(wc -c <out/GEMM_intersect_b.tsv) $(wc -c <out/GEMM_only_variant_b.tsv)" '1 1'
	equal "$(cell out/GEMM_only_baseline_b.tsv 'param: K') $(cell out/GEMM_only_baseline_b.tsv 'a::Kernel Time (µs)_sum')" '3 1'
	rm b/GEMM.tsv
	for r in '' --verdict; do
		tl-compare -q a b --sheets gpu_timeline roofline $r -d absent -o absent.xlsx
		diff out/GEMM_only_baseline_b.tsv absent/GEMM_only_baseline_b.tsv
		tl-compare -q b a --sheets gpu_timeline roofline $r -d other -o other.xlsx
		cut -f 1-3,5- out/GEMM_only_baseline_b.tsv | diff - other/GEMM_only_variant_a.tsv # but for what is shown of the baseline only
	done
	run -3 --separate-stderr tl-compare -q a b --fail-if 'GEMM.gone > 0.5 us' --fail-if 'GEMM.new > 0' --fail-if 'GEMM.slower > 0' --fail-if 'GEMM.name_count < 0'
	equal "$output" 'b: GEMM.gone > 0.5 us: +0.001 ms (1 row, 0.001 ms; most: mm, 0.001 ms)'
	run -0 --separate-stderr tl-compare a b --sheets gpu_timeline --fail-if 'GEMM.slower > 0' --fail-if 'GEMM.name_count < 0' --fail-if 'CONV_bwd.new > 0'
	equal "$(grep warning <<<"$stderr")" "tl-compare: warning: b: --fail-if 'GEMM.slower > 0': not judged: none of 1 rows is in both reports
tl-compare: warning: b: --fail-if 'GEMM.name_count < 0': not judged: none of 1 rows is in both reports
tl-compare: warning: b: --fail-if 'CONV_bwd.new > 0': not judged: no report has rows of the sheet CONV_bwd"
}

@test "three reports, one without a family: the keys of the others stay" {
	local r
	for r in a b c; do timeline $r 1; done
	gemm a 'mm\t2\t3\t7\t1\t\t1\t1\t5\t1' 'mm\t4\t3\t7\t1\t\t2\t1\t5\t1'
	gemm b 'mm\t2\t3\t7\t1\t\t1\t1\t5\t1' 'mm\t4\t3\t7\t1\t\t3\t1\t5\t1'
	tl-compare -q a b c --sheets roofline -d out
	equal "$(cut -f 1-4 out/GEMM_intersect_b.tsv | tr '\t\n' ' ;')" 'name param: K param: M Kernel Time (µs)_sum__b_diff;mm 3 4 1;mm 3 2 0;'
	equal "$(wc -l <out/GEMM_only_baseline_c.tsv)" 3
	tl-compare -q --baseline a b --variant b c --sheets roofline -d runs
	equal "$(cut -f 1-4 runs/GEMM_intersect_variant.tsv | tr '\t\n' ' ;')" 'name param: K param: M Kernel Time (µs)_sum__variant_diff;mm 3 2 -0.5;mm 3 4 -1.0;'
}

@test "a sheet that a report has only on request tells nothing where it is absent, unless it was asked for" {
	timeline a 1
	timeline b 1
	kernels a 'k\t60\t5\t12\t10\t14'
	local pair
	for pair in 'a b' 'b a'; do
		rm -rf out
		# shellcheck disable=SC2086
		run -0 --separate-stderr tl-compare $pair -d out
		equal "$stderr;$(ls out)" 'tl-compare: kernel_summary: not compared, not all reports have this sheet;gpu_timeline.tsv'
		# shellcheck disable=SC2086
		run -0 --separate-stderr tl-compare $pair -d out --sheets all
		equal "$stderr" 'tl-compare: b: no rows of kernel_summary: what others have there is new or gone'
	done
	run -1 --separate-stderr tl-compare b b --names x y --fail-if 'kernel_summary.slower > 1 %'
	failed 1 'not judged: no report has rows of the sheet kernel_summary'
}

@test "a key in several rows is joined each with each, with a note" {
	sheet a gpu_timeline 'type\ttime ms' 'x\t1' 'x\t2' 'y\t1'
	sheet b gpu_timeline 'type\ttime ms' 'x\t10' 'x\t20' 'y\t1'
	run -0 --separate-stderr tl-compare a b --sheets gpu_timeline -d out
	like "$stderr" '^tl-compare: gpu_timeline: 1 key is in several rows of a report; every combination'
	equal "$(cut -f 1,4,5 out/gpu_timeline.tsv | tail -n +2 | tr '\t\n' ' ;')" 'x 1 10;x 1 20;x 2 10;x 2 20;y 1 1;'
}

@test "keys that are missing in both reports are equal, numbers equal texts of numbers" {
	timeline a 1
	timeline b 1
	args a 'mm\tNone\tnan\t\t\t1\t2\t10\t20' 'mm\t7\t\t\t\t1\t2\t10\t20'
	args b 'mm\t\tNA\t\t\t1\t2\t10\t25' 'mm\t7\t\t\t\t1\t2\t10\t26' 'mm\t[7]\t\t\t\t1\t2\t10\t20'
	tl-compare a b --sheets ops_all -d out
	equal "$(cut -f 1-3 out/ops_unique_args_intersect_b.tsv | tr '\t\n' ' ;')" \
		'name Input Dims total_direct_kernel_time_sum__b_diff;mm 7 6;mm  5;'
}

@test "CSV and TSV give the same, and CSV comes out" {
	timeline a 8
	sheet a gpu_timeline 'type\ttime ms' 'say "x", y\t8'
	cp -r a b
	mkdir c
	tl-csv -d c a/*.tsv
	tl-compare a b --names x y --sheets gpu_timeline -d out
	tl-compare c b --names x y --sheets gpu_timeline --output_csvs_dir csv -o book.xlsx
	tl-csv -r csv/gpu_timeline.csv | cmp - out/gpu_timeline.tsv
	equal "$(sed -n 2p csv/gpu_timeline.csv)" '"say ""x"", y",0,0.0,8,8'
}

@test "kernels of rocprofv3 reports are compared by name" {
	for r in a b; do
		timeline $r 1
		sheet $r kernel_summary 'name\tTotal Kernel Time (ms)\tMean Kernel Time (µs)\tCount\tStd Kernel Time (µs)' 'k\t1\t1000\t1\t'
	done
	run -0 --separate-stderr tl-compare a b -d out
	equal "$stderr" ''
	equal "$(ls out | tr '\n' ' ')" 'gpu_timeline.tsv kernel_summary.tsv '
	equal "$(cell out/kernel_summary.tsv Count__b_diff)" 0
	tl-compare a b -d out --sheets all
}

@test "a metric that a report lacks has no difference, with a note" {
	timeline a 1
	sheet b gpu_timeline 'type\tpercent' 'busy_time\t1'
	run -0 --separate-stderr tl-compare a b --sheets gpu_timeline -d out
	like "$stderr" "^tl-compare: b: sheet 'gpu_timeline' has no column 'time ms': no difference of it"
	equal "$(head -n 1 out/gpu_timeline.tsv)" $'type\ta::time ms\ta::percent\tb::percent'
}

@test "sheets of a workbook have names of their own, and folded columns of statistics" {
	need unzip
	for r in a b c; do
		timeline $r 1
		sheet $r unified_perf_summary 'name\tInput Dims\tInput type\tInput Strides\tConcrete Inputs\tKernel Time (µs)_sum\tKernel Time (µs)_mean\tKernel Time (µs)_std\toperation_count' 'mm\t[2]\tf\ts\tc\t4\t2\t0.1\t2'
	done
	tl-compare -q a b c --names 'x/y' b c --sheets gpu_timeline ops_all
	unzip -tq comparison.xlsx
	equal "$(unzip -p comparison.xlsx xl/workbook.xml | grep -o '<sheet name="[^"]*"' | cut -d '"' -f 2 | tr '\n' ' ')" \
		'gpu_timeline unified_perf_summary_intersect_ unified_perf_summary_only_basel unified_perf_summary_only_varia unified_perf_summary_intersect2 unified_perf_summary_only_base2 unified_perf_summary_only_vari2 '
	# 5 keys, 6 differences, sum, mean: column 14 is std of the first report
	unzip -p comparison.xlsx xl/worksheets/sheet2.xml | grep -o '<col [^>]*hidden="1"[^>]*>' | grep -q 'min="14" max="14"'
}

@test "--verdict tells how sure differences are" {
	timeline a 1
	timeline b 2
	gemm a 'one\t1\t1\t1\t10\t1\t90\t9\t1\t1' 'two\t1\t1\t1\t10\t1\t40\t5\t1\t1' 'tri\t1\t1\t1\t20\t1\t30\t5\t1\t1' 'single\t1\t1\t1\t9\t\t9\t1\t1\t1' 'three\t1\t1\t1\t9\t0.1\t27\t3\t1\t1' 'gone\t1\t1\t1\t9\t1\t9\t3\t1\t1'
	gemm b 'one\t1\t1\t1\t12\t1\t108\t9\t1\t1' 'two\t1\t1\t1\t10.5\t1\t42\t5\t1\t1' 'tri\t1\t1\t1\t10\t1\t15\t5\t1\t1' 'single\t1\t1\t1\t18\t\t18\t1\t1\t1' 'three\t1\t1\t1\t18\t0.1\t54\t3\t1\t1'
	tl-compare a b --sheets gpu_timeline roofline --verdict -d out
	equal "$(cell out/gpu_timeline.tsv 'time ms__b_verdict')" 'not judged: one run each'
	m='Kernel Time (µs)_mean__b'
	equal "$(head -n 1 out/GEMM_intersect_b.tsv | tr '\t' '\n' | tail -n 5 | tr '\n' ';')" "${m}_verdict;${m}_p;${m}_p_adjusted;${m}_low_pct;${m}_high_pct;"
	v() { cell out/GEMM_intersect_b.tsv "${m}_$2" "$(row out/GEMM_intersect_b.tsv "name=$1")"; }
	equal "$(v one verdict);$(v two verdict);$(v tri verdict);$(v single verdict);$(v three verdict)" \
		'slower;no difference shown;faster;not judged: under 4 calls;not judged: under 4 calls'
	like "$(v one p)" '^0.0028' # t = 4.243 of 8 degrees
	like "$(v one p_adjusted)" '^0.0084' # three times that
	like "$(v tri p)" '^0.00793650793' # five calls each: 2 of 252 orders
	like "$(v one low_pct) $(v one high_pct)" '^9.12.* 30.87' # 2 +- 2.306 * sqrt(2 / 9), of 10
	equal "$(v single p)" ''
	refute grep -q _verdict out/GEMM_only_baseline_b.tsv
	tl-compare a b --sheets gpu_timeline roofline -d plain
	n=$(head -n 1 plain/GEMM_intersect_b.tsv | tr '\t' '\n' | wc -l)
	cut -f "1-$n" out/GEMM_intersect_b.tsv | sort | cmp - <(sort plain/GEMM_intersect_b.tsv) # the others are behind these
	equal "$(cut -f 1 out/GEMM_intersect_b.tsv | tr '\n' ' ')" 'name three one single two tri ' # by the time lost
	refute grep -q _verdict plain/GEMM_intersect_b.tsv
}

@test "--verdict judges kernels by the limits of their times, and joins rows of one key in their order" {
	for r in a b; do timeline $r 1; done
	k='Kernel duration (µs)'
	sheet a kernel_summary "Kernel name\tParent cpu_op\t${k}_sum\t${k}_count\t${k}_mean\t${k}_min\t${k}_max" 'k\tx\t60\t5\t12\t10\t14' 'k\ty\t50\t5\t10\t9\t11' 'l\tx\t6\t2\t3\t2\t4'
	sheet b kernel_summary "Kernel name\tParent cpu_op\t${k}_sum\t${k}_count\t${k}_mean\t${k}_min\t${k}_max" 'k\tx\t35\t5\t7\t6\t9' 'k\ty\t50\t5\t10\t9\t11' 'l\tx\t6\t2\t3\t2\t4'
	run -0 --separate-stderr tl-compare a b --sheets kernel_summary --verdict -d out
	equal "$stderr" ''
	equal "$(wc -l <out/kernel_summary.tsv)" 4
	equal "$(cell out/kernel_summary.tsv "${k}_mean__b_verdict" 3);$(cell out/kernel_summary.tsv "${k}_mean__b_verdict")" 'faster;no difference shown'
	equal "$(cell out/kernel_summary.tsv "${k}_mean__b_p")" 1.0
	like "$(cell out/kernel_summary.tsv "${k}_mean__b_p" 3)" '^0.0172' # t = (5 - 0.2) / sqrt((5 + 2.5) / 5) of 4 degrees; 0.2: half a step of whole µs
	like "$(cell out/kernel_summary.tsv "${k}_mean__b_p_adjusted" 3)" '^0.0345' # of two judged rows the first: the other counts, though its ranges overlap
}

@test "a workbook is a report, too, the same as its sheets" {
	timeline a 8
	sheet a gpu_timeline 'type\ttime ms\tin use' 'say "x", <y>\t8.25\tTrue' '"b\t1e-05\tFalse' 'z\t\t'
	timeline b 6
	tl-xlsx -o a.xlsx a/*.tsv
	tl-compare a b --sheets gpu_timeline -d out
	tl-compare a.xlsx b --sheets gpu_timeline -d fromxlsx
	diff out/gpu_timeline.tsv fromxlsx/gpu_timeline.tsv
	cp a.xlsx kept
	run -1 --separate-stderr tl-compare a.xlsx b --sheets gpu_timeline -o a.xlsx
	failed 1 'a.xlsx: the output is the input'
	cmp kept a.xlsx
}

@test "the sheets of traces are made" {
	gen new.json.gz -n 3000 --seed 2
	gen old.json -n 3000
	mkdir temp
	TMPDIR=$PWD/temp tl-compare -q old.json new.json.gz -d out
	tl-sheets -q --enable_kernel_summary -d old old.json
	tl-sheets -q --enable_kernel_summary -d new new.json.gz
	tl-compare -q old new -d folders
	same_sheets out folders
	test -s out/kernel_summary.tsv
	equal "$(ls temp)" ''
	head -c 3000 old.json >short.json
	run -1 --separate-stderr env TMPDIR="$PWD/temp" tl-compare old.json short.json -d none
	failed 1 'tl-compare: error: short.json: its sheets could not be made'
	equal "$(ls temp)" ''
}

@test "programs that are started hear signals that the user's shell ignores" {
	timeline b 1
	mkdir bin
	cp "$(command -v tl-compare)" bin
	printf '#!/bin/sh\ngrep SigIgn /proc/$$/status >said\nexit 1\n' >bin/tl-sheets
	chmod 755 bin/tl-sheets
	echo '{}' >trace.json
	# shellcheck disable=SC2016
	run -1 --separate-stderr bash -c 'trap "" HUP INT TERM PIPE; bin/tl-compare trace.json b'
	equal "$((0x$(cut -f 2 said) & (1 << 0 | 1 << 1 | 1 << 12 | 1 << 14)))" 0
}

@test "a signal while sheets are made leaves nothing behind" {
	timeline b 1
	mkdir temp
	mkfifo slow
	mkdir bin
	cp "$(command -v tl-compare)" bin
	printf '#!/bin/sh\necho made >"$2/x.tsv"\necho started >slow\nexec sleep 20\n' >bin/tl-sheets
	chmod 755 bin/tl-sheets
	echo '{}' >trace.json
	TMPDIR=$PWD/temp bin/tl-compare trace.json b 3>&- &
	local pid=$!
	read -r _ <slow
	equal "$(ls temp/*)" x.tsv
	kill "$pid"
	local status=0
	wait "$pid" || status=$?
	equal "$status" 143
	equal "$(ls temp)" ''
}

# ---- what is wrong ----------------------------------------------------------------

# refused STATUS REGEX ARGUMENT…: nothing is written
refused() {
	run "-$1" --separate-stderr tl-compare "${@:3}" -d out
	failed "$1" "$2"
	equal "$output" ''
	refute test -e out
}

@test "wrong usage" {
	timeline a 1
	timeline b 1
	refused 2 'need at least two reports, 0 given'
	refused 2 'need at least two reports, 1 given' a
	refused 2 "'--names: 1 names for 2 reports'|--names: 1 name" a b --names x
	refused 2 "--sheets: 'nothing' is none of gpu_timeline" a b --sheets gpu_timeline nothing
}

@test "reports need names of their own" {
	timeline a 1
	mkdir sub
	cp -r a sub/a
	mv sub/a sub/a.v2
	refused 1 "a and sub/a.v2/ would both be called 'a': name them with --names" a sub/a.v2/
	refused 1 "would both be called 'x': --names must differ" a sub/a.v2 --names x x
	tl-compare a sub/a.v2 --names x y --sheets gpu_timeline -d out
}

@test "a report or a sheet that is not there, or is none" {
	timeline a 1
	timeline b 1
	refused 1 'absent: cannot open: No such file' a absent
	printf 'a\n' >file
	refused 1 'file: byte 0: not a trace' a file
	mkfifo pipe
	refused 1 'pipe: expected a folder or a file' a pipe
	head -c 50 <(printf 'PK\3\4%s' "$(seq 50)") >short.xlsx
	refused 1 'short.xlsx: the archive is damaged or cut short' a short.xlsx
	mkdir empty
	refused 1 "a and empty have no sheet in common: expected reports of one kind, SHEET.tsv or SHEET.csv in a folder" a empty
	refused 1 'no report has rows in the sheets that are to be compared' a b --sheets ops_summary
}

@test "whole numbers stay whole, with any sign" {
	sheet a gpu_timeline 'type\ttime ms' 'x\t-5'
	sheet b gpu_timeline 'type\ttime ms' 'x\t+7'
	tl-compare a b --sheets gpu_timeline -d out
	equal "$(cell out/gpu_timeline.tsv 'time ms__b_diff') $(cell out/gpu_timeline.tsv 'a::time ms')" '12 -5'
}

@test "a damaged sheet is an error that names it" {
	timeline a 1
	timeline b 1
	printf 'type\ttime ms\nx' >b/gpu_timeline.tsv
	refused 1 'b/gpu_timeline.tsv: .*no line end' a b
	printf 'kind\ttime ms\nx\t1\n' >b/gpu_timeline.tsv
	refused 1 "b: sheet 'gpu_timeline': no column 'type', by which rows are compared" a b
	rm b/gpu_timeline.tsv
	printf 'type,"time ms\n' >b/gpu_timeline.csv
	refused 1 'b/gpu_timeline.csv: .*double quote' a b
}

@test "too many combinations of rows are refused, not made" {
	timeline a 1
	awk 'BEGIN { print "type\ttime ms"; for (i = 0; i < 5000; i++) print "x\t1" }' >a/gpu_timeline.tsv
	cp -r a b
	refused 1 "sheet 'gpu_timeline': rows with equal keys would be joined to more than" a b
}

@test "an output that is an input, or cannot be made, leaves all files as they were" {
	timeline a 1
	timeline b 1
	cp a/gpu_timeline.tsv kept
	run -1 --separate-stderr tl-compare a b --sheets gpu_timeline -d a
	failed 1 'a/gpu_timeline.tsv: the output is the input'
	cmp kept a/gpu_timeline.tsv
	run -1 --separate-stderr tl-compare a b --sheets gpu_timeline -d out -o no/such/book.xlsx
	failed 1 'no/such/book.xlsx: cannot create'
	equal "$(ls out)" ''
}

# ---- conditions ----------------------------------------------------------------------------------

# kernels REPORT ROW…: name, sum, count, mean, least, greatest
kernels() {
	local k='Kernel duration (µs)'
	sheet "$1" kernel_summary "Kernel name\t${k}_sum\t${k}_count\t${k}_mean\t${k}_min\t${k}_max" "${@:2}"
}
# Busy 8 and 9 ms. slow costs 20 calls of 40 µs, fast saves 20 of 10; tiny is twice as slow, but 0.05 % of the time
two_runs() {
	timeline a 8; timeline b 9
	kernels a 'slow\t8000\t20\t400\t395\t405' 'fast\t800\t20\t40\t39.5\t40.5' 'tiny\t4\t20\t0.2\t0.19\t0.21' 'gone\t200\t2\t100\t99\t101'
	kernels b 'slow\t8800\t20\t440\t435\t445' 'fast\t600\t20\t30\t29.5\t30.5' 'tiny\t8\t20\t0.4\t0.39\t0.41' 'fresh\t300\t3\t100\t99\t101'
}
# gate STATUS CONDITION…: compares a with b by these conditions
gate() {
	local words=()
	for c in "${@:2}"; do words+=(--fail-if "$c"); done
	run "-$1" --separate-stderr tl-compare a b --sheets gpu_timeline kernel_summary "${words[@]}"
}

@test "--fail-if ends with 3 and a line for each condition that holds, else with 0" {
	two_runs
	gate 3 'gpu_timeline.busy_time > +12 %' 'busy_time > 1.5 ms' 'busy_time >= 1ms' 'busy_time < -1 us'
	equal "$output" 'b: gpu_timeline.busy_time > +12 %: +12.5 % (9 ms, was 8 ms)
b: busy_time >= 1ms: +1 ms (9 ms, was 8 ms)'
	gate 0 'busy_time > 12.5 %' 'busy_time <= 0.999 ms'
	equal "$output;$stderr" ';'
	refute test -e comparison.xlsx
}

@test "--fail-if adds up what rows that are slower cost, faster save, and what is new or gone" {
	two_runs
	gate 3 'kernel_summary.slower > 8 % of time' 'kernel_summary.slower > 0' 'kernel_summary.faster > 0.19 ms' 'kernel_summary.new > 290 us' \
		'kernel_summary.gone > 2 %'
	equal "$output" 'b: kernel_summary.slower > 8 % of time: +8.88 % (1 row, 0.8 ms; most: slow, 0.8 ms)
b: kernel_summary.slower > 0: +1 (1 row, 0.8 ms; most: slow, 0.8 ms)
b: kernel_summary.faster > 0.19 ms: +0.2 ms (1 row, 0.2 ms; most: fast, 0.2 ms)
b: kernel_summary.new > 290 us: +0.3 ms (1 row, 0.3 ms; most: fresh, 0.3 ms)
b: kernel_summary.gone > 2 %: +2.22 % (1 row, 0.2 ms; most: gone, 0.2 ms)'
	gate 0 'kernel_summary.slower > 9 %' 'kernel_summary.slower > 1' 'kernel_summary.gone > 1 s'
	equal "$output" ''
}

@test "--fail-if of a column holds if it does for any row with a share of the time" {
	two_runs
	m='kernel_summary.Kernel duration (µs)_mean'
	gate 3 "$m > 9 %" "$m > 11 %" "$m < 0"
	equal "$output" "b: $m > 9 %: +10 % (slow)
b: $m < 0: -10 (fast)"
	run -3 --separate-stderr tl-compare a b --sheets kernel_summary --min-share 0 --fail-if "$m > 9 %" --fail-if 'kernel_summary.slower > 1'
	equal "$output" "b: $m > 9 %: +100 % (most: tiny; 2 rows)
b: kernel_summary.slower > 1: +2 (2 rows, 0.804 ms; most: slow, 0.8 ms)"
	run -0 --separate-stderr tl-compare a b --sheets gpu_timeline --min-share 50% --fail-if 'kernel_summary.new > 0' -d out
	equal "$output" 'b against a: busy 8 → 9 ms (+12.5 %); kernel_summary: 1 new (0.3 ms), 1 gone (0.2 ms), of 5 rows'
	[ -e out/gpu_timeline.tsv ]
	[ -e out/kernel_summary.tsv ] # the condition needs it
}

@test "rows of three sheets, and of several reports, are counted once" {
	for r in a b c; do timeline $r 8; done
	args a 'mm\t[2]\tf\ts\tc\t1\t2\t50\t100' 'old\t[2]\tf\ts\tc\t1\t2\t50\t100'
	args b 'mm\t[2]\tf\ts\tc\t1\t2\t50\t100' 'add\t[2]\tf\ts\tc\t1\t2\t25\t50'
	args c 'mm\t[2]\tf\ts\tc\t1\t2\t50\t100' 'old\t[2]\tf\ts\tc\t1\t2\t50\t100'
	run -3 --separate-stderr tl-compare a b c --sheets ops_all --fail-if 'ops_unique_args.gone > 10 %' --fail-if 'ops_unique_args.new > 0'
	equal "$output" 'b: ops_unique_args.gone > 10 %: +50 % (1 row, 0.1 ms; most: old, 0.1 ms)
b: ops_unique_args.new > 0: +1 (1 row, 0.05 ms; most: add, 0.05 ms)'
}

@test "a name in a condition that means nothing is wrong usage, before any report is opened" {
	for c in 'bussy_time > 1 %;has no .bussy_time.; expected one of computation_time, .*, idle' 'kernels.new > 1;no sheet .kernels. is compared; expected one of device_times, gpu_timeline, ops_summary' \
		'ops_summary.slower > 1 %;ops_summary has no .slower.; expected one of new, gone, total_direct_kernel_time_ms, Count' \
		'busy_time;expected NAME > NUMBER' 'busy_time > x;expected a number' 'busy_time > 1;expected a unit' 'busy_time > 1 h;unknown unit .h.' \
		'ops_summary.Count > 1 ms;a column has its own unit' '> 3 %;expected NAME'; do
		run --separate-stderr tl-compare nosuch neither --fail-if "${c%%;*}"
		failed 2 "--fail-if: '${c%%;*}': .*${c#*;}"
	done
	run --separate-stderr tl-compare nosuch neither --min-share lots
	failed 2 '--min-share: .lots.: expected percent'
	two_runs
	gate 1 'micro_idle_time > 1 ms'
	failed 1 'gpu_timeline of a has no row micro_idle_time'
}

# ---- the comparison in a few lines -----------------------------------------------------------------

@test "--markdown tells times, verdicts and the rows that lost and won most" {
	two_runs
	tl-compare a b --sheets gpu_timeline kernel_summary --markdown out.md
	refute test -e comparison.xlsx
	printf '%s\n' '**b against a: busy 8 → 9 ms (+12.5 %); kernel_summary: 2 slower (+0.804 ms), 1 faster (-0.2 ms), 1 new (0.3 ms), 1 gone (0.2 ms), of 5 rows**' '' \
		'Time lost (kernel_summary, 2 of 2 rows)' '' \
		'|    ms |   was ms |   difference ms | verdict   | name   |' \
		'|------:|---------:|----------------:|:----------|:-------|' \
		'| 8.8   |    8     |           0.8   | slower    | `slow` |' \
		'| 0.008 |    0.004 |           0.004 | slower    | `tiny` |' '' \
		'Time won (kernel_summary, 1 of 1 rows)' '' \
		'|   ms |   was ms |   difference ms | verdict   | name   |' \
		'|-----:|---------:|----------------:|:----------|:-------|' \
		'|  0.6 |      0.8 |            -0.2 | faster    | `fast` |' '' \
		'New (kernel_summary, 1 of 1 rows)' '' \
		'|   ms |   was ms |   difference ms | verdict   | name    |' \
		'|-----:|---------:|----------------:|:----------|:--------|' \
		'|  0.3 |        0 |             0.3 |           | `fresh` |' '' \
		'Gone (kernel_summary, 1 of 1 rows)' '' \
		'|   ms |   was ms |   difference ms | verdict   | name   |' \
		'|-----:|---------:|----------------:|:----------|:-------|' \
		'|    0 |      0.2 |            -0.2 |           | `gone` |' | diff - out.md
}

@test "--markdown has ten rows of a list, names are code that no table breaks, and a part for each report" {
	timeline a 0; timeline b 0; timeline c 0
	kernels a 'k|`1`\t1\t4\t0.25\t0.25\t0.25' "$(printf 'x%.0s' {1..120})\t3\t4\t0.75\t0.75\t0.75"
	local fresh=()
	for i in {11..23}; do fresh+=("n$i\t$i\t4\t1\t1\t1"); done
	kernels b 'z\t0\t4\t0\t0\t0' "${fresh[@]}"
	kernels c 'k|`1`\t1\t4\t0.25\t0.25\t0.25'
	tl-compare a b c --sheets gpu_timeline kernel_summary --markdown - >out.md
	equal "$(grep -o '^.*against a: [^;]*' out.md)" '**b against a: busy 0 → 0 ms (+0 %)
**c against a: busy 0 → 0 ms (+0 %)'
	equal "$(grep -c '`n' out.md);$(grep -o 'New .*' out.md);$(grep -m 1 -o '`n.*`' out.md)" '10;New (kernel_summary, 10 of 13 rows);`n23`'
	equal "$(grep -o "\`k.*\`" out.md)" "\`k\\|'1'\`"
	equal "$(grep -m 1 -o '`x.*`' out.md)" "\`$(printf 'x%.0s' {1..100})…\`"
}

@test "--json has the same; reports without verdicts have times" {
	two_runs
	tl-compare a b --sheets gpu_timeline kernel_summary --json out.json --fail-if 'busy_time > 1 s'
	equal "$(tr -d '\n' <out.json | sed 's/  */ /g')" '[ { "report": "b", "baseline": "a", "headline": "b against a: busy 8 → 9 ms (+12.5 %); kernel_summary: 2 slower (+0.804 ms), 1 faster (-0.2 ms), 1 new (0.3 ms), 1 gone (0.2 ms), of 5 rows", "sheet": "kernel_summary", "categories": [], "operators": [],'\
' "lost": [ { "name": "slow", "ms": 8.8, "was_ms": 8.0, "difference_ms": 0.8, "verdict": "slower" }, { "name": "tiny", "ms": 0.008, "was_ms": 0.004, "difference_ms": 0.004, "verdict": "slower" } ],'\
' "won": [ { "name": "fast", "ms": 0.6, "was_ms": 0.8, "difference_ms": -0.2, "verdict": "faster" } ],'\
' "new": [ { "name": "fresh", "ms": 0.3, "was_ms": 0.0, "difference_ms": 0.3 } ], "gone": [ { "name": "gone", "ms": 0.0, "was_ms": 0.2, "difference_ms": -0.2 } ] }]'
	summary a 'mm\t8000\t4\t8\t50'
	summary b 'mm\t9000\t4\t9\t50'
	tl-compare a b --sheets gpu_timeline ops_summary --json out.json
	equal "$(grep -c '"difference_ms": 1.0$' out.json);$(grep -c verdict out.json)" '2;0'
	tl-compare a b --sheets gpu_timeline --json out.json
	equal "$(grep -c '"headline": "b against a: busy 8 → 9 ms (+12.5 %); 1 sheet compared",$' out.json);$(grep -c '"sheet"' out.json)" '1;0'
}

# by NAME ROW…: the sheets by category and operator of report NAME: rows of name, ms, count
categories() {
	sheet "$1" ops_summary_by_category 'op category\tCount\ttotal_direct_kernel_time_ms' "${@:2}"
}
# launched REPORT ROW…: kernels with their operators: operator, name, sum, count
launched() {
	local k='Kernel duration (µs)'
	sheet "$1" kernel_summary "Parent cpu_op\tKernel name\t${k}_sum\t${k}_count\t${k}_mean\t${k}_min\t${k}_max" "${@:2}"
}

@test "the first line tells what changed by category and operator, then of kernels; kernels of an operator that are replaced are one change" {
	sheet a gpu_timeline 'type\ttime ms' 'busy_time\t17.6' 'idle_time\t2.4' 'total_time\t20'
	sheet b gpu_timeline 'type\ttime ms' 'busy_time\t10.2' 'idle_time\t13.8' 'total_time\t24'
	categories a 'moe\t4\t13.21' 'other\t9\t4.39'
	categories b 'moe\t4\t5.92' 'other\t9\t4.28'
	summary a 'vllm::moe_forward\t13210\t4\t13.21\t75' 'aten::mm\t4000\t8\t4\t98' 'aten::add\t390\t1\t0.39\t99' 'aten::mul\t0.1\t1\t0.0001\t100'
	summary b 'vllm::moe_forward\t5920\t4\t5.92\t58' 'aten::mm\t4280\t8\t4.28\t100'
	launched a 'vllm::moe_forward\told_1\t9000\t4\t2250\t2250\t2250' 'vllm::moe_forward\told_2\t4210\t4\t1052.5\t1052.5\t1052.5' \
		'aten::mm\tgemm\t4000\t8\t500\t500\t500' 'aten::add\tadd\t390\t1\t390\t390\t390' '\tcopy\t5\t1\t5\t5\t5'
	launched b 'vllm::moe_forward\tnew\t5920\t4\t1480\t1480\t1480' 'aten::mm\tgemm\t4280\t8\t535\t535\t535' '\tfill\t7\t1\t7\t7\t7'
	run -0 --separate-stderr tl-compare a b -d out --verdict --json out.json --markdown out.md --fail-if 'kernel_summary.replaced > 0 ms' --fail-if 'busy_time > 3 %'
	head='b against a: total 20 → 24 ms (+20 %); busy 17.6 → 10.2 ms (-42 %); idle 2.4 → 13.8 ms (+475 %); categories: moe 13.21 → 5.92 ms (-55.2 %), and 1 more; '
	head+='operators: vllm::moe_forward 13.21 → 5.92 ms (-55.2 %), aten::add 0.39 → 0 ms (-100 %), aten::mm 4 → 4.28 ms (+7 %), and 1 more; '
	head+='kernel_summary: 1 slower (+0.28 ms), 0 faster, 1 replaced (-7.29 ms), 1 new (0.007 ms), 2 gone (0.395 ms), of 5 rows'
	equal "$output" "$head"
	equal "$(head -n 1 out.md)" "**$head**"
	like "$(cat out.json)" "\"headline\": \"${head//[()]/.}\""
	equal "$(grep -A 3 '^By category' out.md | head -n 1);$(grep -o '^By operator.*' out.md)" 'By category (ops_summary_by_category, 2 of 2 rows);By operator (ops_summary, 4 of 4 rows)'
	equal "$(grep -c vllm::moe_forward out.md)" 3
	like "$(grep replaced out.md | tail -n 1)" '5.92 .* 13.21 .* -7.29 .* replaced .*`vllm::moe_forward`'
	equal "$(grep -A 5 '"operators": \[' out.json | tr -d ' \n')" '"operators":[{"name":"vllm::moe_forward","ms":5.92,"was_ms":13.21,"difference_ms":-7.29'
	# the same numbers as in the sheets
	equal "$(cell out/ops_summary.tsv a::total_direct_kernel_time_ms "$(row out/ops_summary.tsv name=vllm::moe_forward)")" 13.21
	run -3 --separate-stderr tl-compare a b --fail-if 'kernel_summary.replaced < -7 ms' --fail-if 'kernel_summary.gone > 0' --fail-if 'kernel_summary.new > 1'
	equal "$output" 'b: kernel_summary.replaced < -7 ms: -7.29 ms (1 row, -7.29 ms; most: vllm::moe_forward, -7.29 ms)
b: kernel_summary.gone > 0: +1 (1 row, 0.39 ms; most: add, 0.39 ms)' # copy has less than 0.1 % of the time
	# a report that tells no operators has not lost their time
	mkdir c
	cp b/gpu_timeline.tsv b/kernel_summary.tsv c
	run -0 --separate-stderr tl-compare a c -d out --verdict --markdown out.md
	like "$output" 'idle 2.4 → 13.8 ms .+475 %.; categories: c has none; operators: c has none; kernel_summary: 1 slower'
	refute grep -q '^By ' out.md
	like "$stderr" 'c: no rows of ops_summary, ops_summary_by_category: what others have there is new or gone'
	run -2 --separate-stderr tl-compare a b --fail-if 'ops_summary.replaced > 0'
	failed 2 'ops_summary has no .replaced.'
	# runs have operators, too
	cp -r a a2
	cp -r b b2
	tl-compare -q --baseline a a2 --variant b b2 --sheets kernel_summary --markdown out.md
	like "$(head -n 1 out.md)" 'kernel_summary: 1 replaced .-7.29 ms., 1 new'
}

@test "the first line says how much was compared and judged; nothing judged is no 'no difference'" {
	timeline a 8
	timeline b 8
	kernels a 'k\t100\t2\t50\t49\t51' 'l\t10\t8\t1.25\t1\t2'
	kernels b 'k\t100\t2\t50\t49\t51' 'l\t10\t8\t1.25\t1\t2'
	run -0 --separate-stderr tl-compare a b -d out --verdict
	like "$output" 'kernel_summary: 0 slower, 0 faster, 0 new, 0 gone, of 2 rows, 1 not judged$'
	kernels b 'k\t100\t2\t50\t49\t51'
	kernels a 'k\t100\t2\t50\t49\t51'
	run -0 --separate-stderr tl-compare a b -d out --verdict --fail-if 'kernel_summary.slower > 0'
	like "$output" 'kernel_summary: 0 new, 0 gone, of 1 row, 1 not judged$'
	equal "$(grep warning <<<"$stderr")" "tl-compare: warning: b: --fail-if 'kernel_summary.slower > 0': not judged: none of 1 rows has a verdict"
	summary a 'mm\t8000\t4\t8\t50'
	summary b 'mm\t8000\t4\t8\t50'
	run -0 --separate-stderr tl-compare a b -d out --sheets gpu_timeline ops_summary
	equal "$output" 'b against a: busy 8 → 8 ms (+0 %); operators: of 1 none changed by 1 % of the time; ops_summary: 0 new, 0 gone, of 1 row'
}

# longer FACTOR TRACE: the trace, all of which takes so many times as long
longer() {
	awk -v factor="$1" '{ while (match($0, /"(ts|dur)": [0-9.]+/)) {
			colon = index(substr($0, RSTART), ":")
			printf "%s%s %.3f", substr($0, 1, RSTART - 1), substr($0, RSTART, colon), substr($0, RSTART + colon, RLENGTH - colon) * factor
			$0 = substr($0, RSTART + RLENGTH)
		} print }' "$2"
}

# ---- laws, for any trace -----------------------------------------------------------------------------

# differences FOLDER TAG SIGN: sheet, key, column and value of each difference, times SIGN
differences() {
	local f
	for f in "$1"/*.tsv; do
		case $f in
		*_only_*) continue ;;
		esac
		f=${f##*/}
		awk -F'\t' -v tag="$2" -v sign="$3" -v name="${f%_intersect_*}" '
			NR == 1 { for (n = 1; n <= NF && $n !~ /__/; n++) ; for (i = 1; i <= NF; i++) c[i] = $i ~ "__" tag "_diff$" ? $i : ""; next }
			{ key = name; for (i = 1; i < n; i++) key = key "\t" $i
			  for (i = n; i <= NF; i++) if (c[i] != "" && $i != "") { sub("__.*", "", c[i]); printf "%s\t%s\t%.9g\n", key, c[i], sign * $i + 0; c[i] = c[i] "__" } }
		' "$1/$f" | sed 's/__$//'
	done | sort
}
# both_ways A B: compares both ways; what one way gained, the other way lost
both_ways() {
	local part
	rm -rf there back
	tl-compare -q "$1" "$2" --names a b --verdict -d there --json there.json
	tl-compare -q "$2" "$1" --names b a --verdict -d back --json back.json
	differences there b 1 >there.differences
	differences back a -1 | diff there.differences -
	for part in there/*_only_baseline_b.tsv; do
		diff <(cut -f 1 "$part" | sort) <(cut -f 1 "back/$(basename "$part" baseline_b.tsv)variant_a.tsv" | sort)
	done
	[ "$(grep -c . there.differences)" -gt 20 ]
	equal "$(kinds there.json | sort)" "$(kinds back.json | sed 's/slower/x/; s/faster/slower/; s/x/faster/; s/new/x/; s/gone/new/; s/x/gone/' | sort)"
}
# kinds JSON: how many rows are slower, faster, replaced, new and gone
kinds() {
	grep -o '[0-9]* \(slower\|faster\|replaced\|new\|gone\)\>' "$1"
}

@test "law: compared both ways, with any sheet absent on either side, differences are each other's negatives; a report does not differ from itself" {
	local seed sheet side n=0 sides=('' a b)
	for seed in 1 2; do
		gen a.json -n 1200 --seed "$seed"
		longer 0.8 a.json | sed 's/aten::gelu/my::fused/g' >b.json
		for side in a b; do tl-sheets -q -d $side --enable_kernel_summary --kernel_std $side.json >made; done
		both_ways a b
		for sheet in gpu_timeline ops_summary ops_summary_by_category kernel_summary ops_unique_args unified_perf_summary step_times findings \
			GEMM SDPA_fwd SDPA_bwd CONV_fwd CONV_bwd UnaryElementwise BinaryElementwise; do
			side=${sides[seed]} # compared both ways, either says the same
			n=$((n + 1))
			[ $((n % 2)) = 0 ] || [ $seed$sheet = 1kernel_summary ] || continue
			mv $side/$sheet.tsv away
			both_ways a b
			mv away $side/$sheet.tsv
		done
		rm $side/GEMM.tsv $side/kernel_summary.tsv
		tl-compare -q a b --sheets all -o all.xlsx
		tl-compare -q a a --names a b --verdict -d same --markdown same.md --sheets all
		equal "$(differences same b 1 | cut -f 2- | grep -v "$(printf '\t0')$" || true)" ''
		equal "$(grep -c '^|' same.md || true)" 0
		like "$(cat same.md)" 'categories: of [0-9]+ none changed by 1 % of the time; operators: of [0-9]+ none changed .* 0 new, 0 gone, of'
	done
}

@test "law: a gate that a faster build passes is passed, too, if it has lost a family of operators" {
	local seed sheet gates=(--fail-if 'busy_time > +3 %' --fail-if 'ops_summary.total_direct_kernel_time_ms > 3 %' --fail-if 'kernel_summary.slower > 1 %'
		--fail-if 'GEMM.slower > 1 %' --fail-if 'BinaryElementwise.slower > 1 %' --fail-if 'UnaryElementwise.new > 1 %')
	for seed in 3 4; do
		gen b.json -n 1200 --seed "$seed"
		longer 1.2 b.json >a.json
		for side in a b; do tl-sheets -q -d $side --enable_kernel_summary --kernel_std $side.json >made; done
		tl-compare -q a b "${gates[@]}"
		run -3 tl-compare -q b a "${gates[@]}"
		for sheet in b/[A-Z]*.tsv; do
			mv "$sheet" away
			tl-compare -q a b "${gates[@]}"
			mv away "$sheet"
		done
		# the trace itself has lost it
		sed 's/aten::add\([_"]\)/my::fused\1/g; s/aten::mul"/my::fused"/g' b.json >c.json
		tl-compare -q a c.json "${gates[@]}" -d out
		like "$(cat out/bin_eltwise_only_baseline_c.tsv)" 'aten::(add|mul)'
	done
}

# ---- several runs a side ---------------------------------------------------------------------------

# times SIDE MS…: a run SIDE1, SIDE2, … for each: busy so long, in two kernels, of which one is in two parts
times() {
	local i=0 ms
	for ms in "${@:2}"; do
		timeline "$1$((++i))" "$ms"
		kernels "$1$i" "k\t$(awk "BEGIN { print $ms * 600 }")\t6\t1\t1\t1" "k\t$(awk "BEGIN { print $ms * 300 }")\t3\t1\t1\t1" 'l\t5\t1\t5\t5\t5'
	done
}

@test "--baseline and --variant: the spread between runs judges" {
	times a 9.9 10 10.1
	times b 10.9 11 11.1
	kernels b3 'k\t9990\t9\t1\t1\t1' 'fresh\t30\t1\t30\t30\t30'
	run -0 --separate-stderr tl-compare --baseline a1 a2 a3 --variant b1 b2 b3 --sheets gpu_timeline kernel_summary -d out
	equal "$stderr" ''
	m='time ms__variant'
	busy=$(row out/gpu_timeline.tsv type=busy_time)
	v() { cell out/gpu_timeline.tsv "$1" "$busy"; }
	like "$(v 'baseline::time ms') $(v 'baseline::time ms_std') $(v 'baseline::runs') $(v 'variant::time ms_min')" '^10.0 0.0?99999.* 3 10.9$|^10.0 0.1[0-9]* 3 10.9$'
	equal "$(v "${m}_verdict")" slower
	like "$(v "${m}_p")" '^0.00025' # t = 1 / sqrt(0.01 * 2 / 3) = 12.25 of 4 degrees
	like "$(v "${m}_low_pct") $(v "${m}_high_pct")" '^7.73[0-9]* 12.26' # 1 +- 2.776 * 0.0816, of 10
	k='Kernel duration (µs)'
	w() { cell out/kernel_summary.tsv "$2" "$(row out/kernel_summary.tsv "Kernel name=$1")"; }
	equal "$(cut -f 1 out/kernel_summary.tsv | tr '\n' ' ')" 'Kernel name k fresh l '
	like "$(w k "baseline::${k}_sum") $(w k "baseline::${k}_count")" '^(9000.0|8999.99.*) 9.0$'
	equal "$(w l "variant::runs");$(w fresh "baseline::runs");$(w fresh "variant::${k}_sum");$(w fresh "${k}_sum__variant_verdict")" '2;;10.0;'
}

@test "names of sides, options that are repeated, and which numbers of runs are judged" {
	times a 9.9 10 10.1
	times b 10.9
	tl-compare --baseline a1 --baseline a2 --baseline a3 --variant b1 --names old new --sheets gpu_timeline -d out
	m='time ms__new'
	equal "$(cell out/gpu_timeline.tsv "${m}_verdict" "$(row out/gpu_timeline.tsv type=busy_time)")" 'slower'
	tl-compare --baseline a1 a2 --variant b1 --sheets gpu_timeline -d out
	equal "$(cell out/gpu_timeline.tsv 'time ms__variant_verdict' "$(row out/gpu_timeline.tsv type=busy_time)")" 'not judged: under 4 runs in all'
	tl-compare --baseline a1 --variant b1 --sheets gpu_timeline -d out
	equal "$(cell out/gpu_timeline.tsv 'time ms__variant_verdict' "$(row out/gpu_timeline.tsv type=busy_time)")" 'not judged: one run each'
	run -0 --separate-stderr tl-compare --baseline a1 a1 --variant b1 b1 --sheets gpu_timeline -d out
	like "$stderr" 'gpu_timeline: the runs of baseline are equal in all times, as copies of one run are'
	equal "$(cell out/gpu_timeline.tsv 'time ms__variant_verdict' "$(row out/gpu_timeline.tsv type=busy_time)")" 'not judged: spread unknown'
	for c in 'a1 b1 --baseline a1;--baseline and --variant belong together' 'a1 --baseline a1 --variant b1;there are no other reports' \
		'--baseline a1 a2 --variant b1 --names x;--names: 1 name for 2 sides'; do
		# shellcheck disable=SC2086
		run --separate-stderr tl-compare ${c%%;*}
		failed 2 "${c#*;}"
	done
}

@test "--fail-if over several runs wants more than chance" {
	times a 9.9 10 10.1
	times b 10.9 11 11.1
	times c 9.2 11 12.8
	run -3 --separate-stderr tl-compare --baseline a1 a2 a3 --variant b1 b2 b3 --sheets gpu_timeline kernel_summary --fail-if 'busy_time > 5 %' \
		--fail-if 'kernel_summary.slower > 1 %' --fail-if "kernel_summary.Kernel duration (µs)_sum > 5 %"
	like "${lines[0]}" '^variant: busy_time > 5 %: [+]10 % .11 ms, was 10 ms, p 0.00026.$'
	like "${lines[1]}" '^variant: kernel_summary.slower > 1 %: [+]9.99 % .1 row, 0.9 ms; most: k, 0.9 ms.$'
	like "${lines[2]}" '_sum > 5 %: [+]10 % .k.$'
	equal "${#lines[@]}" 3
	run -0 --separate-stderr tl-compare --baseline a1 a2 a3 --variant c1 c2 c3 --sheets gpu_timeline kernel_summary --fail-if 'busy_time > 5 %' \
		--fail-if 'kernel_summary.slower > 1 %' --fail-if "kernel_summary.Kernel duration (µs)_sum > 5 %"
	equal "$output" ''
}

@test "made runs: equal ones do not differ; one with other clock rates does; steps are judged" {
	local i
	for i in 1 2 3; do
		gen "a$i.json" -n 6000 --seed "$i"
		gen "b$i.json" -n 6000 --seed "1$i"
		longer 1.05 "b$i.json" >"c$i.json"
	done
	tl-compare -q --baseline a?.json --variant b?.json -d same
	refute grep -rqE "$(printf '\t')(slower|faster)($(printf '\t')|$)" same
	tl-compare -q --baseline a?.json --variant c?.json -d slow --markdown slow.md
	equal "$(cell slow/step_times.tsv mean__variant_verdict "$(row slow/step_times.tsv type=busy_ms)")" slower
	equal "$(cell slow/gpu_timeline.tsv 'time ms__variant_verdict' "$(row slow/gpu_timeline.tsv type=computation_time)")" slower
	[ "$(grep -c slower slow/kernel_summary.tsv)" -ge $(($(wc -l <slow/kernel_summary.tsv) * 2 / 3)) ]
	refute grep -q "$(printf '\tfaster\t')" slow/kernel_summary.tsv
	like "$(head -n 1 slow.md)" 'variant against baseline: total .*; busy .*; operators: .*; ops_summary: [0-9]+ slower .*, 0 faster'
}

# ---- any profiler ------------------------------------------------------------------------------------

# perfetto FILE NS…: a trace as traceconv writes it, of a kernel k with these durations
perfetto() {
	local at=1000000 ns between=
	printf '{"traceEvents":[' >"$1"
	for ns in "${@:2}"; do
		printf '%s{"ph":"X","cat":"kernel_dispatch","name":"k","pid":7,"tid":8,"ts":0,"dur":0,"args":{"begin_ns":%s,"end_ns":%s,"delta_ns":%s,"agent":"GPU-3"}}' \
			"$between" $at $((at + ns)) "$ns" >>"$1"
		at=$((at + ns + 1000)) between=,
	done
	printf ']}' >>"$1"
}

@test "two traces of Perfetto, and folders of their sheets" {
	perfetto a.json 100000 101000 99000 100500 99500 100200 99800 100100
	perfetto b.json 120000 121000 119000 120500 119500 120200 119800 120100
	run -3 --separate-stderr tl-compare -q a.json b.json --verdict -d out --fail-if 'kernel_summary.slower > 5 %'
	like "$output" '^b: kernel_summary.slower > 5 %: [+]20 % .1 row, 0.16 ms; most: k, 0.16 ms.$'
	equal "$(ls out | tr '\n' ' ')" 'category_summary.tsv device_times.tsv findings.tsv kernel_stats.tsv kernel_summary.tsv '
	equal "$(cell out/kernel_summary.tsv 'Avg (ns)__b_verdict')" slower
	equal "$(cell out/category_summary.tsv 'Total count__b_diff')" 0.0
	tl-sheets -q -d a a.json
	tl-sheets -q -d b b.json
	tl-compare -q a b --verdict -d folders --fail-if 'kernel_summary.slower > 50 %'
	same_sheets out folders
	tl-compare -q --baseline a.json a --variant b.json b --sheets kernel_summary -d runs
	like "$(cell runs/kernel_summary.tsv 'Avg (ns)__variant_diff') $(cell runs/kernel_summary.tsv 'Total Time (ns)__variant_verdict')" '^20000.0 not judged: spread unknown'
}

@test "two databases of Nsight, a trace against another profiler's" {
	need sqlite3
	local name ns
	for name in a:100 b:130; do
		ns=${name#*:}
		sqlite3 "${name%:*}.sqlite" <<-SQL
			CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
			INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'gemm(float*)'), (3, 'gemm');
			CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, eventClass INT, globalTid INT, correlationId INT, nameId INT, returnValue INT);
			INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 150, 0, (7<<24)+71, 5, 1, 0);
			CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, correlationId INT, globalPid INT,
				demangledName INT, shortName INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT);
			INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (2000, 2000 + $ns * 1000, 0, 9, 5, 7<<24, 2, 3, 4, 2, 1, 64, 1, 1);
		SQL
	done
	tl-compare -q a.sqlite b.sqlite -d out
	equal "$(cell out/kernel_stats.tsv time_ms__b_pct)" 30.0
	[ ! -e out/kernel_summary.tsv ]
	tl-compare -q a.sqlite b.sqlite --sheets kernel_summary -d asked
	equal "$(cell asked/kernel_summary.tsv 'Total Kernel Time (ms)__b_pct')" 30.0
	equal "$(cell out/gpu_timeline.tsv 'time ms__b_diff' "$(row out/gpu_timeline.tsv type=kernel)")" 0.03
	gen c.json -n 3000
	tl-compare -q c.json a.sqlite -d profilers
	equal "$(cell profilers/kernel_stats.tsv a::time_ms "$(row profilers/kernel_stats.tsv name='gemm(float*)')")" 0.1
	equal "$(cell profilers/device_times.tsv a::busy_ms "$(row profilers/device_times.tsv device=0)")" 0.1
	tl-compare -q c.json a.sqlite --sheets kernel_summary -d asked-of-two
	equal "$(echo asked-of-two/*)" asked-of-two/kernel_stats.tsv
	perfetto d.json 100000
	run -1 --separate-stderr tl-compare -q a.sqlite d.json --sheets kernel_summary -d none
	failed 1 "d.json: sheet 'kernel_summary': no column 'name'|a.sqlite: sheet 'kernel_summary': no column 'Name'"
}

@test "two traces of rocprofv3, and reports of JAX" {
	local r ns
	for r in a:500 b:750; do
		ns=${r#*:}
		printf '{"rocprofiler-sdk-tool":[{"metadata":{"node":{"hostname":"h1"},"pid":7,"init_time":1000,"fini_time":9000,"command":["x"]},"agents":[{"id":{"handle":42},"type":2,"logical_node_type_id":0,"name":"gfx950"}],"strings":{"buffer_records":[{"kind":"NONE","operations":[]}]},"kernel_symbols":[{"kernel_id":3,"formatted_kernel_name":"gemm(int)","truncated_kernel_name":"gemm"}],"buffer_records":{"kernel_dispatch":[{"kind":9,"operation":2,"thread_id":71,"correlation_id":{"internal":5,"external":0},"start_timestamp":2000,"end_timestamp":%s,"dispatch_info":{"agent_id":{"handle":42},"queue_id":{"handle":17},"kernel_id":3,"workgroup_size":{"x":64,"y":1,"z":1},"grid_size":{"x":256,"y":2,"z":1}}}]}}]}' \
			$((2000 + ns)) >"${r%:*}_results.json"
	done
	tl-compare -q a_results.json b_results.json --names a b -d out
	equal "$(cell out/kernel_stats.tsv time_ms__b_pct)" 50.0
	for r in x:8 y:9; do
		timeline "${r%:*}" "${r#*:}"
		sheet "${r%:*}" kernel_launchers_summary 'name\ttotal_direct_kernel_time_ms\tCount' "dot\t${r#*:}\t4"
	done
	run -3 --separate-stderr tl-compare -q x y -d out --fail-if 'kernel_launchers_summary.total_direct_kernel_time_ms > 10 %' --fail-if 'busy_time > 10 %'
	equal "${#lines[@]}" 2
	equal "$(ls out | tr '\n' ' ')" 'gpu_timeline.tsv kernel_launchers_summary.tsv '
}

@test "kernels of traces are judged by their standard deviation" {
	gen a.json -n 3000
	tl-kcat -q --kernel_std --sheets kernel_summary a.json >with
	tl-kcat -q --sheets kernel_summary a.json >without
	d='Kernel duration (µs)'
	equal "$(diff <(head -n 1 with | tr '\t' '\n') <(head -n 1 without | tr '\t' '\n') | grep '^[<>]')" "< ${d}_std"
	many=$(awk -F'\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) { c[i] = $i; at[$i] = i } next }
		$at["'"$d"'_count"] > 3 { print NR - 1; exit }' with)
	kernel=$(cell with 'Kernel name' "$many")
	op=$(cell with 'Parent cpu_op' "$many")
	tl-kcat -q --sheets kernels --columns name,parent_op,dur_ns a.json |
		awk -F'\t' -v k="$kernel" -v o="$op" -v said="$(cell with "${d}_std" "$many")" '
			$1 == k && $2 == o { n++; sum += $3 / 1000; squares += $3 * $3 / 1e6 }
			END { std = sqrt((squares - sum * sum / n) / (n - 1)); exit !(n > 3 && (std - said) ^ 2 < 1e-6) }'
}

@test "two jobs: which rank became slow, in sheets, verdict and conditions" {
	mkdir well slow
	cd well
	job 2 4 --steps 4 --layers 1
	tl-ranks -q -d ../was rank?.json
	cd ../slow
	job 2 4 --steps 4 --layers 1 --slow-rank 5
	tl-ranks -q -d ../is rank?.json
	cd ..
	run -3 --separate-stderr tl-compare was is -d out --fail-if 'ranks_communication.caused_wait_ms > +5 %' --fail-if 'ranks_overview.new > 1 %' --markdown is.md
	like "${lines[0]}" '^is against was: ranks_communication: caused_wait_ms [0-9.]+ → [0-9.]+ ms \(\+[0-9]+ %\), 0 new, 0 gone, of 8 rows; first finding: Drain the node of rank 5: it computes .*, was: no cause above 0\.1 %: .*; 1 new findings, 0 gone$'
	like "${lines[1]}" '^is: ranks_communication.caused_wait_ms > \+5 %: .*rank 4[;)]'
	equal "${#lines[@]}" 3
	equal "$(ls out | tr '\n' ' ')" 'ranks_causes.tsv ranks_communication.tsv ranks_judged.tsv ranks_overview.tsv ranks_stragglers.tsv '
	# what ranks_overview says of the job has no id, and is no row
	equal "$(wc -l <out/ranks_overview.tsv)" 2
	equal "$(cell out/ranks_overview.tsv is::rule)" slow-rank
	like "$(grep -m1 '`rank' is.md)" '`rank 5`'
	run -0 --separate-stderr tl-compare was was --names a b -d same --fail-if 'ranks_communication.caused_wait_ms > +0 %' --fail-if 'ranks_overview.new > 0 %'
	caused=$(awk -F'\t' 'NR == 1 { while ($++i != "caused_wait_ms"); next } { sum += $i } END { printf "%.4g", sum }' was/ranks_communication.tsv)
	equal "$output" "b against a: ranks_communication: caused_wait_ms $caused → $caused ms (+0 %), 0 new, 0 gone, of 8 rows; first finding of both: $(cell was/ranks_overview.tsv title)"
	run -1 --separate-stderr tl-compare was slow/rank0.json -d none
	failed 1 "was and slow/rank0.json have no sheet in common"
}

@test "findings by their id: what is new, gone, more" {
	local r
	for r in a b; do timeline $r 10; done
	sheet a findings 'rank\tseverity\ttitle\tat_stake_ms\tid' '1\thigh\tCopies take 9 ms\t9\tcopies-1' '2\tlow\tOld\t1\told-1' '0\tjob\tall else\t\t'
	sheet b findings 'rank\tseverity\ttitle\tat_stake_ms\tid' '1\thigh\tCopies take 12 ms\t12\tcopies-1' '2\tlow\tSmall\t1\tsmall-1' '3\tlow\tNew\t2\tnew-1' '0\tjob\tall else\t\t'
	run -0 --separate-stderr tl-compare a b -d out --sheets gpu_timeline findings
	like "$output" '; first finding: Copies take 12 ms, was: Copies take 9 ms; 2 new findings, 1 gone$'
	equal "$(cut -f 1,2 out/findings.tsv | tr '\n' ' ')" 'id	at_stake_ms__b_diff copies-1	3 old-1	 new-1	 small-1	 '
	# its order is that of the report, not that of the time at stake; silence is quoted, too
	sheet b findings 'rank\tseverity\ttitle\tat_stake_ms\tid' '0\thealth\tNo shapes\t\tshapes-1' '1\tlow\tSmall\t1\tsmall-1' '2\thigh\tOnce\t9\tonce-1' '\tgone\tOld\t\told-1'
	like "$(tl-compare a b -d out --sheets findings)" 'first finding: Small, was: Copies take 9 ms; 2 new findings, 2 gone$'
	sheet b findings 'rank\tseverity\ttitle\tat_stake_ms\tid' '0\thealth\tNo shapes\t\tshapes-1' '1\tunknown\tNot judged: all of it\t\t'
	like "$(tl-compare a b -d out --sheets findings)" 'first finding: Not judged: all of it, was: Copies take 9 ms; 0 new findings, 2 gone$'
	equal "$(tl-compare a a --names b c -d out --sheets findings)" 'c against b: findings: 0 new, 0 gone, of 2 rows; first finding of both: Copies take 9 ms'
}
