#!/usr/bin/env bats
# ops.bats - tl-ops: the operator sheets and the launchers.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR"
	worked=$TL_ROOT/tests/data/worked-example.json
}

# sheet NAME [OPTION…]: a sheet of t.json in NAME.tsv
sheet() {
	tl-ops --sheet "$1" "${@:2}" t.json >"$1.tsv"
}

@test "the worked example gives ops_summary" {
	run -0 --separate-stderr tl-ops "$worked"
	equal "$stderr" ''
	equal "$output" "name	total_direct_kernel_time_sum	total_subtree_kernel_time_sum	total_direct_kernel_time_ms	total_subtree_kernel_time_ms	Count	Categories	Percentage (%)	Cumulative Percentage (%)
aten::foo	12.5	12.5	0.0125	0.0125	1	['other']	75.18796992481202	75.18796992481202
aten::outer	4.125	41.25	0.004125	0.04125	1	['other']	24.81203007518797	100.0"
}

@test "the worked example gives ops_summary_by_category" {
	run -0 tl-ops --sheet ops_summary_by_category "$worked"
	equal "$output" "op category	Count	total_direct_kernel_time_ms	Percentage (%)	Cumulative Percentage (%)
other	2	0.016625	100.0	100.0"
}

@test "the worked example gives ops_unique_args" {
	tl-ops --sheet ops_unique_args "$worked" >t.tsv
	equal "$(head -n 1 t.tsv)" "name	op category	process_name	process_label	thread_name	Input Dims	Input type	Input Strides	Concrete Inputs	operation_count	total_direct_kernel_time_mean	total_subtree_kernel_time_mean	total_direct_kernel_time_median	total_subtree_kernel_time_median	total_direct_kernel_time_std	total_subtree_kernel_time_std	total_direct_kernel_time_min	total_subtree_kernel_time_min	total_direct_kernel_time_max	total_subtree_kernel_time_max	total_direct_kernel_time_sum	total_subtree_kernel_time_sum	ex_UID	kernel_details_summary	trunc_kernel_details	Percentage (%)	Cumulative Percentage (%)"
	equal "$(sed -n 2p t.tsv | cut -f 1-15,23)" "aten::foo	other	python	Unknown	thread 10 (python)	((4, 8), ())	('float', 'Scalar')	((8, 1), ())	('', '1')	1	12.5	12.5	12.5	12.5		3"
	equal "$(sed -n 3p t.tsv | cut -f 6-9,21-23)" "				4.125	41.25	2"
	equal "$(cell t.tsv trunc_kernel_details 2)" "[{'name': 'Memcpy HtoD', 'stream': 8, 'mean_duration_us': 4.12}]"
	equal "$(cell t.tsv kernel_details_summary 1)" "[{'name': 'k1', 'stream': 7, 'count': 1, 'total_duration_us': 12.5, 'mean_duration_us': 12.5, 'median_duration_us': 12.5, 'std_dev_duration_us': 0.0, 'min_duration_us': 12.5, 'max_duration_us': 12.5}]"
}

@test "the worked example gives ops_unique_args_kl_overlap" {
	tl-ops --sheet ops_unique_args_kl_overlap "$worked" >t.tsv
	equal "$(cell t.tsv overlapping_kernel_names 1)" "['Memcpy HtoD', 'ncclDevKernel_AllReduce']"
	equal "$(cell t.tsv overlapping_kernel_names 2)" "['ncclDevKernel_AllReduce', 'k1']"
	equal "$(cell t.tsv overlap_pct_mean 1)" 0.22
	equal "$(cell t.tsv overlap_pct_mean 2)" 1.0
	like "$(cell t.tsv overlapping_kernels_details_summary 1)" "'Memcpy HtoD', 'stream': 8, 'overlap_pct': 0.22, 'count': 1, 'total_duration_us': 4.12,"
	like "$(cell t.tsv overlapping_kernels_details_summary 1)" "'stream': 20, 'overlap_pct': 0.14,"
	like "$(cell t.tsv overlapping_kernels_details_summary 2)" "'overlap_pct': 0.67,.*'overlap_pct': 0.76,"
	equal "$(sed -n 1p t.tsv | cut -f 1-3)" "name	overlapping_kernel_names	op category"
}

@test "execute and python frames are passed over, a call around the call is not" {
	op outer 0 100
	op execute 1 50
	call 1 2 1
	gpu 1 k1 200 1
	call 2 60 10 cudaOuterCall
	call 3 61 1
	gpu 3 k3 300 1
	trace t.json
	sheet launchers
	equal "$(cut -f 2,7 launchers.tsv)" $'name\tnum_kernels\nouter\t1\ncudaLaunchKernel\t1'
}

@test "a call outside of every operator is its own launcher" {
	op a 0 10
	call 1 20 1; gpu 1 k 30 1
	trace t.json
	sheet ops_summary
	equal "$(cut -f 1,7 ops_summary.tsv | tail -n 1)" $'cudaLaunchKernel\t[\'other\']'
}

@test "communication is nobody's direct time but part of the subtree's" {
	op outer 0 100
	call 1 1 1; gpu 1 k 200 5
	call 2 3 1; gpu 2 ncclAllReduce 210 7 8
	trace t.json
	sheet ops_summary
	equal "$(cut -f 2,3 ops_summary.tsv | tail -n 1)" $'5\t12'
}

@test "whole stamps make whole times, one fraction makes a column real" {
	op a 0 10; call 1 1 1; gpu 1 k 100 5
	op b 20 10; call 2 21 1; gpu 2 k 110 4
	trace t.json
	sheet ops_summary
	equal "$(cut -f 2,4 ops_summary.tsv | tail -n 1)" $'4\t0.004'
	op a 0 10; call 1 1 1; gpu 1 k 100 5
	op b 20 10; call 2 21 1; gpu 2 k 110 4.0
	trace t.json
	sheet ops_summary
	equal "$(cut -f 2,4 ops_summary.tsv | tail -n 2)" $'5.0\t0.005\n4.0\t0.004'
}

@test "sums of time are exact where double arithmetic is not" {
	for i in 1 2 3; do
		op a "${i}0" 5; call "$i" "${i}1" 1; gpu "$i" k "${i}00" 0.1
	done
	trace t.json
	sheet ops_summary
	equal "$(cell ops_summary.tsv total_direct_kernel_time_sum)" 0.3
}

@test "rows of ops_unique_args differ by arguments, thread and, if asked, number of kernels" {
	op a 0 10 '"Input Dims":[[1]]'; call 1 1 1; gpu 1 k 100 1
	op a 20 10 '"Input Dims":[[1]]'; call 2 21 1; gpu 2 k 110 1; call 3 23 1; gpu 3 k 120 1
	op a 40 10 '"Input Dims":[[2]]'; call 4 41 1; gpu 4 k 130 1
	op a 60 10; call 5 61 1; gpu 5 k 140 1
	trace t.json
	sheet ops_unique_args
	equal "$(cut -f 6,10 ops_unique_args.tsv | tail -n +2)" $'((1,),)\t2\n((2,),)\t1\n\t1'
	sheet ops_unique_args --group_by_num_kernels
	equal "$(cut -f 6,10,11 ops_unique_args.tsv)" $'Input Dims\tnum_kernels\toperation_count\n((1,),)\t2\t1\n((1,),)\t1\t1\n((2,),)\t1\t1\n\t1\t1'
}

@test "first_occurrence_time counts from the first launcher" {
	op a 5 10; call 1 6 1; gpu 1 k 100 1
	op b 20.5 10; call 2 21 1; gpu 2 k 110 2
	op b 50.5 10; call 3 51 1; gpu 3 k 120 2
	trace t.json
	sheet ops_unique_args --include_first_occurrence_time
	equal "$(cut -f 1,11 ops_unique_args.tsv)" $'name\tfirst_occurrence_time\nb\t15.5\na\t0.0'
}

@test "recomputed work has rows of its own" {
	frame '/x/torch/utils/checkpoint.py(1): recompute_fn' 0 15
	op a 1 10; call 1 2 1; gpu 1 k 100 1
	op a 20 10; call 2 21 1; gpu 2 k 110 2
	trace t.json
	sheet ops_summary --detect_recompute
	equal "$(cut -f 1-3 ops_summary.tsv)" $'name\tis_recompute\ttotal_direct_kernel_time_sum\na\tFalse\t2\na\tTrue\t1'
	sheet ops_unique_args --detect_recompute
	equal "$(cut -f 10 ops_unique_args.tsv)" $'is_recompute\nFalse\nTrue'
	sheet ops_summary_by_category --detect_recompute
	equal "$(cut -f 1-3 ops_summary_by_category.tsv)" $'op category\tis_recompute\tCount\nother\tFalse\t1\nother\tTrue\t1'
	sheet launchers --detect_recompute
	equal "$(cut -f 8 launchers.tsv)" $'is_recompute\nTrue\nFalse'
}

@test "kernels overlap when they share a microsecond on streams that differ" {
	op a 0 10; call 1 1 1; gpu 1 ka 100 10 1
	op b 20 10; call 2 21 1; gpu 2 kb 109 10 2
	op c 40 10; call 3 41 1; gpu 3 kc 118.001 10 3
	op d 60 10; call 4 61 1; gpu 4 kd 120 1 3
	trace t.json
	sheet ops_unique_args_kl_overlap
	t=ops_unique_args_kl_overlap.tsv
	equal "$(cell $t overlapping_kernel_names "$(row $t name=a)")" "['kb']"
	equal "$(cell $t overlapping_kernel_names "$(row $t name=b)")" "['ka']"
	equal "$(cell $t overlapping_kernel_names "$(row $t name=c)")" ''
	equal "$(cell $t overlapping_kernels_details_summary "$(row $t name=c)")" '[]'
	equal "$(cell $t trunc_overlapping_kernels_details "$(row $t name=c)")" ''
	equal "$(cell $t overlap_pct_mean "$(row $t name=d)")" ''
	equal "$(cell $t overlap_pct_mean "$(row $t name=a)")" 0.1
}

@test "streams are the same if their numbers or texts are" {
	local case i
	for case in '7 7.0' '7.5 7.5' '"a" "a"' '7 "7"' '7 7.5' '"a" "b"' 'null null'; do
		i=0
		for stream in $case; do
			i=$((i + 1))
			op "a$i" "${i}0" 5
			call $i "${i}1" 1
			event "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k$i\",\"pid\":0,\"tid\":$i,\"ts\":10$i,\"dur\":10,\"args\":{\"correlation\":$i,\"stream\":$stream}}"
			event "{\"ph\":\"f\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":$i,\"pid\":0,\"tid\":$i,\"ts\":10$i,\"bp\":\"e\"}"
		done
		trace t.json
		tl-ops -q --sheet ops_unique_args_kl_overlap --columns overlap_pct_mean t.json | sed -n 2p >>overlaps
	done
	equal "$(paste -sd , overlaps)" ',,,0.9,0.9,0.9,0.9'
}

@test "unlinked device work overlaps only when asked for" {
	op a 0 10; call 1 1 1; gpu 1 ka 100 10 1
	lone 9 stray 100 10 2
	trace t.json
	sheet ops_unique_args_kl_overlap
	equal "$(cell ops_unique_args_kl_overlap.tsv overlapping_kernel_names)" ''
	sheet ops_unique_args_kl_overlap --include_unlinked_kernels
	equal "$(cell ops_unique_args_kl_overlap.tsv overlapping_kernel_names)" "['stray']"
}

@test "launchers with another number of kernels are counted but not measured by kernel" {
	op a 0 10; call 1 1 1; gpu 1 k 100 1
	op a 20 10; call 2 21 1; gpu 2 k 110 1; call 3 23 1; gpu 3 k 120 1
	op a 40 10; call 4 41 1; gpu 4 other 130 2
	trace t.json
	sheet ops_unique_args
	equal "$(cell ops_unique_args.tsv operation_count)" 3
	like "$(cell ops_unique_args.tsv kernel_details_summary)" "^\[\{'name': 'k', 'stream': 7, 'count': 2, 'total_duration_us': 3, "
}

@test "--topk_ops keeps the largest rows and their shares" {
	op a 0 10; call 1 1 1; gpu 1 k 100 3
	op b 20 10; call 2 21 1; gpu 2 k 110 1
	trace t.json
	sheet ops_unique_args --topk_ops 1
	equal "$(cut -f 1,26 ops_unique_args.tsv | tail -n +2)" $'a\t75.0'
}

@test "an operator that no table knows takes the category of its first kernel" {
	op mystery 0 10; call 1 1 1; gpu 1 'void at::native::elementwise_kernel<4>' 100 3
	op aten::mm 20 10; call 2 21 1; gpu 2 k 110 2
	op triton_poi_x 40 10; call 3 41 1; gpu 3 k 120 1
	trace t.json
	sheet ops_summary
	equal "$(cut -f 1,7 ops_summary.tsv | tail -n +2)" $'mystery\t[\'elementwise\']\naten::mm\t[\'GEMM\']\ntriton_poi_x\t[\'triton\']'
}

@test "a table of one's own gives categories" {
	printf 'category\tk\tMine\ncategory\taten::foo\tFoo\n' >ops.tsv
	run -0 tl-ops --ops ops.tsv --sheet ops_summary_by_category "$worked"
	like "$output" $'\nFoo\t1\t'
	run -1 --separate-stderr tl-ops --ops nowhere.tsv "$worked"
	failed 1 'nowhere.tsv'
}

@test "all sheets in one pass are those made one by one" {
	gen t.json -n 4000
	tl-ops -d out --include_overlap_info t.json
	equal "$(ls out)" "kernel_sequences.tsv
ops_summary.tsv
ops_summary_by_category.tsv
ops_unique_args.tsv
ops_unique_args_kl_overlap.tsv"
	local -A overlap=([ops_unique_args_kl_overlap]=--include_overlap_info)
	for s in kernel_sequences ops_summary ops_summary_by_category ops_unique_args ops_unique_args_kl_overlap; do
		sheet $s ${overlap[$s]-}
		cmp "out/$s.tsv" "$s.tsv"
	done
	tl-ops -d two --sheet launchers --sheet ops_summary t.json
	equal "$(ls two)" $'launchers.tsv\nops_summary.tsv'
	run -2 --separate-stderr tl-ops --sheet launchers --sheet ops_summary t.json
	failed 2 'use -d DIR for several'
}

@test "the clock's origin changes nothing" {
	gen a.json -n 3000 --no-python --origin 0
	gen b.json -n 3000 --no-python --origin 1700000000000000
	tl-ops -d a --include_overlap_info a.json
	tl-ops -d b --include_overlap_info b.json
	same_sheets a b
}

@test "without launchers or operators the sheets have no rows and -d leaves them out" {
	op a 0 10; call 1 1 1; gpu 1 ncclX 100 3
	trace t.json
	run -0 --separate-stderr tl-ops t.json
	like "$stderr" '^tl-ops: the sheet ops_summary has no row; the trace has '
	equal "${#lines[@]}" 1
	call 1 1 1; gpu 1 k 100 3
	trace u.json
	run -0 --separate-stderr tl-ops u.json
	equal "${#lines[@]}" 1
	tl-ops -d out t.json
	tl-ops -d out u.json
	[ ! -e out ]
}

@test "launchers without args, names or known threads do no harm" {
	event '{"ph":"X","cat":"cpu_op","pid":1,"tid":1,"ts":0,"dur":10}'
	call 1 1 1; gpu 1 k 100 3
	event '{"ph":"X","cat":"cpu_op","name":"b","ts":20,"dur":10,"args":null}'
	event '{"ph":"X","cat":"cpu_op","name":"c","pid":1,"tid":1,"ts":40,"dur":10,"args":{"Input Dims":"text","Input type":7,"Input Strides":{"k":[1]},"Concrete Inputs":null}}'
	call 2 41 1; gpu 2 k 110 3
	trace t.json
	sheet ops_unique_args
	equal "$(cut -f 1,3,6-9 ops_unique_args.tsv | tail -n +2)" $'\tUnknown\t\t\t\t\nc\tUnknown\ttext\t7\t{\'k\': (1,)}\t'
}

@test "every cell of the reference's sheets is met" {
	ref=$TL_ROOT/../shared
	[ -x "$ref/tools/parity" ] || skip "no reference sheets here"
	cat >make.sh <<-'M'
		o=
		for f in $FLAGS; do
			case $f in
			--include_overlap_info | --include_first_occurrence_time | --group_by_num_kernels | \
				--include_unlinked_kernels | --detect_recompute) o="$o $f" ;;
			esac
		done
		tl-ops $o -d "$OUT" "$INPUT"
	M
	run -0 "$ref/tools/parity" --only 'ops_.*' --run "sh $PWD/make.sh" "$ref/traces/pytorch"
	like "${lines[-1]}" '100.000%'
}

@test "the overlapped part is rounded from ticks, not from rounded microseconds" {
	# 8150 of 10000: 0.815 as a double is less than that, and so is what is shown
	op a::x 100 20
	call 1 101 2
	gpu 1 k 200 10
	op a::y 130 20
	call 2 131 2
	gpu 2 other 201.85 40 8
	trace t.json
	tl-ops --include_overlap_info --sheet ops_unique_args_kl_overlap t.json >t.tsv
	equal "$(cell t.tsv overlap_pct_mean "$(row t.tsv name=a::x)")" 0.81
}

@test "device work without host operators is noted, and the lack of device work" {
	call 1 1 1
	gpu 1 k 100 10
	gpu 2 k 105 10
	trace gpu.json
	note='the trace has no host operators: its device events, 2 (0.015 ms), are in no sheet by operator'
	for program in tl-ops tl-roofline; do
		run -0 --separate-stderr $program -d out gpu.json
		equal "$stderr" "$program: $note"
		run -0 --separate-stderr $program gpu.json
		grep -qxF "$program: $note" <<<"$stderr"
		run -0 --separate-stderr $program -q gpu.json
		equal "$stderr" ''
	done
	run -0 --separate-stderr tl-report --tsv-dir report gpu.json
	equal "$(grep -cxF "tl-report: $note" <<<"$stderr")" 1
	grep -qF "$note" report/overview.tsv
	run -0 --separate-stderr tl-timeline gpu.json
	refute grep -q operators <<<"$stderr"
	op a 0 50
	trace cpu.json
	warning="warning: the trace has no device events: sheets of the device's work are empty or left out; the program used no GPU, or one of a kind that is not known, or the profiler was not asked for it (ProfilerActivity.CUDA)"
	for program in tl-ops tl-roofline tl-kcat tl-api; do
		run -0 --separate-stderr $program cpu.json
		equal "${stderr_lines[0]}" "$program: $warning"
	done
	run -0 --separate-stderr tl-report --tsv-dir none cpu.json
	grep -qF 'tl-report: warning: No GPU events found in the trace: it has 1 event, among them 1 cpu_op; the program' <<<"$stderr"
}
