#!/usr/bin/env bats
# kcat.bats - tl-kcat: the kernel sheets and kernel categories.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR"
	worked=$TL_ROOT/tests/data/worked-example.json
}

# sheet NAME [OPTION…]: a sheet of t.json in NAME.tsv
sheet() {
	tl-kcat --sheet "$1" "${@:2}" t.json >"$1.tsv"
}

# names FILE: a trace whose kernels have the names that stand in FILE, one a line
names() {
	sed 's/[\\"]/\\&/g' "$1" | awk 'BEGIN { print "{\"traceEvents\":[" }
		{ printf "%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":1,\"args\":{}}", (NR > 1 ? ",\n" : ""), $0, NR }
		END { print "]}" }'
}

@test "the worked example gives kernel_summary" {
	run -0 --separate-stderr tl-kcat "$worked"
	equal "$stderr" ''
	equal "$output" "Parent op category	Parent cpu_op	Kernel name	Kernel stream	Kernel duration (µs)_sum	Kernel duration (µs)_count	Kernel duration (µs)_mean	Kernel duration (µs)_min	Kernel duration (µs)_max	Percent of kernels time (%)	Percent of total time (%)
other	aten::outer	ncclDevKernel_AllReduce	20	30.5	1	30.5	30.5	30.5	70.93023255813954	73.93939393939394
other	aten::foo	k1	7	12.5	1	12.5	12.5	12.5	29.069767441860467	30.303030303030305"
}

@test "the worked example gives short_kernels_summary" {
	run -0 tl-kcat --sheet short_kernels_summary --short_kernel_threshold_us 20 "$worked"
	equal "$output" "Parent cpu_op	Input dims	Input strides	Concrete Inputs	Kernel name	Short Kernel duration (µs) sum	Short Kernel count	Short Kernel duration (µs) mean	Short Kernel duration (µs) percent of total time
aten::foo	((4, 8), ())	((8, 1), ())	('', '1')	k1	12.5	1	12.5	30.303030303030305"
}

@test "a kernel is short below the threshold, not at it" {
	for i in 1 2 3; do
		op a "${i}0" 5 '"Input Dims":[],"Input Strides":[],"Concrete Inputs":[]'
		call "$i" "${i}1" 1
	done
	gpu 1 k 100 9.999
	gpu 2 k 200 10
	gpu 3 k 300 1
	trace t.json
	sheet short_kernels_summary
	equal "$(cell short_kernels_summary.tsv 'Short Kernel count')" 2
	equal "$(cell short_kernels_summary.tsv 'Input dims')" '()'
}

@test "the histogram spans the short kernels, its last bin holds the longest" {
	for i in 1 2 3 4; do
		lone "$i" k "${i}00" "$i"
	done
	trace t.json
	sheet short_kernel_histogram --short_kernel_histogram_bins 3
	equal "$(cat short_kernel_histogram.tsv)" $'bin_start\tbin_end\tcount\n1.0\t2.0\t1\n2.0\t3.0\t1\n3.0\t4.0\t2'
	lone 1 k 100 4
	trace t.json
	sheet short_kernel_histogram --short_kernel_histogram_bins 2
	equal "$(cat short_kernel_histogram.tsv)" $'bin_start\tbin_end\tcount\n3.5\t4.0\t0\n4.0\t4.5\t1'
}

@test "without short kernels both sheets are their normal header" {
	tl-kcat -q -d out --short_kernel_threshold_us 0 "$worked"
	equal "$(cat out/short_kernel_histogram.tsv)" $'bin_start\tbin_end\tcount'
	equal "$(wc -l <out/short_kernels_summary.tsv)" 1
	like "$(cat out/short_kernels_summary.tsv)" '^Parent cpu_op	.*percent of total time$'
}

@test "short kernels without operator or recorded arguments are left out" {
	op a 0 5; call 1 1 1; gpu 1 k 100 1
	call 2 10 1; gpu 2 k 110 1
	trace t.json
	sheet short_kernels_summary
	equal "$(wc -l <short_kernels_summary.tsv)" 1
}

@test "a trace without host operators has short kernels by name alone" {
	call 1 0 1; gpu 1 k 100 1
	call 2 2 1; gpu 2 k 110 2
	trace t.json
	sheet short_kernels_summary
	equal "$(cut -f 1-3 short_kernels_summary.tsv)" $'Kernel name\tShort Kernel duration (µs) sum\tShort Kernel count\nk\t3\t2'
	sheet kernel_summary
	equal "$(cut -f 1-3 kernel_summary.tsv)" $'Parent op category\tKernel name\tKernel stream\nruntime\tk\t7'
}

@test "--topk_short_kernels keeps the first rows" {
	for i in 1 2 3; do
		lone "$i" "k$i" "${i}00" "$i"
	done
	trace t.json
	sheet short_kernels_summary --topk_short_kernels 2
	equal "$(cut -f 1 short_kernels_summary.tsv)" $'Kernel name\nk3\nk2'
	sheet short_kernels_summary --topk_short_kernels 0
	equal "$(wc -l <short_kernels_summary.tsv)" 1
}

@test "kernels outside of operators stand under the call, unlinked ones under nothing" {
	op a 0 5; call 1 1 1; gpu 1 k 100 4
	call 2 10 1 cudaGraphLaunch; gpu 2 k 110 3
	call 3 20 1; gpu 3 k 120 2
	lone 99 k 130 1
	trace t.json
	sheet kernel_summary
	equal "$(cut -f 1,2,10,11 kernel_summary.tsv | tail -n +2)" \
		$'other\ta\t40.0\t18.181818181818183\ngraph\tcudaGraphLaunch\t30.0\t13.636363636363635\nruntime\tcudaLaunchKernel\t20.0\t9.090909090909092\n\t\t10.0\t4.545454545454546'
}

@test "execute is a parent here, and a call around the call does not hide it" {
	op execute 0 50; call 1 1 10 cuOuter; call 2 2 1; gpu 2 k 100 4
	trace t.json
	sheet kernel_summary
	equal "$(cell kernel_summary.tsv 'Parent cpu_op')" execute
	equal "$(cell kernel_summary.tsv 'Parent op category')" other
}

@test "one kernel without a stream makes the column real" {
	op a 0 5; call 1 1 1; gpu 1 k 100 4
	event '{"ph":"X","cat":"kernel","name":"bare","pid":0,"tid":9,"ts":200,"dur":1,"args":{}}'
	trace t.json
	sheet kernel_summary
	equal "$(cut -f 4 kernel_summary.tsv)" $'Kernel stream\n7.0'
}

@test "copies and sets are not kernels; a trace without any has no summary" {
	op a 0 5; call 1 1 1; gpu 1 'Memcpy HtoD' 100 4 7 gpu_memcpy
	trace t.json
	sheet kernel_summary
	equal "$(wc -l <kernel_summary.tsv)" 1
	tl-kcat -d out --sheet kernel_summary t.json
	[ ! -e out ]
}

@test "the record dump has a row a kernel with category, launcher and operator" {
	run -0 tl-kcat --sheet kernels "$worked"
	equal "$output" "uid	category	name	ts_ns	dur_ns	process	device	stream	correlation	launcher	parent_op	parent_op_uid	parent_op_category	start_us
5	Uncategorized	k1	130250	12500	0		7	1	cudaLaunchKernel	aten::foo	3	other	30.25
13	Comm-AllReduce	ncclDevKernel_AllReduce	141000	30500	0		20	3	cudaLaunchKernel	aten::outer	2	other	41.0"
}

@test "rules of one's own come by priority and are shown where they go wrong" {
	printf '# mine\nlet\tfirst\tk1|k2\n1\tOne\t{first}\n250\tNot reached\tnccl\tDevKernel\tcase\n' >rules.tsv
	run -0 tl-kcat --kernel-categories rules.tsv --sheet kernels "$worked"
	like "$output" $'5\tOne\tk1'
	like "$output" $'13\tComm-AllReduce\tnccl'
	printf '1\tA\tk\n2\tB\t(x\n' >bad.tsv
	run -1 --separate-stderr tl-kcat --kernel-categories bad.tsv "$worked"
	failed 1 "bad.tsv:2:5: bad regular expression '\(x'"
	printf 'let\tl\ta\nlet\tl\tb\n' >bad.tsv
	run -1 --separate-stderr tl-kcat --kernel-categories bad.tsv "$worked"
	failed 1 "bad.tsv:2:5: list given twice: 'l'"
	printf '1\tX\ta\tis:communikation\n' >bad.tsv
	run -1 --separate-stderr tl-kcat --kernel-categories bad.tsv "$worked"
	failed 1 "bad.tsv:1:7: the other rules have no such answer: 'is:communikation'"
	run -1 --separate-stderr tl-kcat --kernel-categories nowhere.tsv "$worked"
	failed 1 'nowhere.tsv'
}

@test "shares are of the time that is not recomputed" {
	frame '/x/torch/utils/checkpoint.py(1): recompute_fn' 0 15
	op a 1 10; call 1 2 1; gpu 1 k 100 10
	op b 20 10; call 2 21 1; gpu 2 k 200 10
	trace t.json
	sheet kernel_summary
	equal "$(cell kernel_summary.tsv 'Percent of total time (%)' "$(row kernel_summary.tsv 'Parent cpu_op=b')")" 9.090909090909092
	sheet kernel_summary --detect_recompute
	equal "$(cell kernel_summary.tsv 'Percent of total time (%)' "$(row kernel_summary.tsv 'Parent cpu_op=b')")" 100.0
}

@test "every known kernel name gets the reference's category" {
	ref=$TL_ROOT/../shared/traces/phase-ref
	[ -d "$ref" ] || skip "no reference names here"
	for f in "$ref"/kernel-name-categories.tsv "$ref"/kernel-name-categories-synthetic.tsv; do
		# the name is the last field
		tail -n +2 "$f" | sed 's/.*\t//' >names
		tail -n +2 "$f" | cut -f 1 >wanted
		names names >t.json
		sheet kernels --kernel-categories reference
		tail -n +2 kernels.tsv | cut -f 2 >got
		cmp got wanted
	done
}

@test "--kernel_category: the category comes first in kernel_summary, and has a sheet" {
	op a 0 5; call 1 1 1; gpu 1 bmm_MxE4m3_MxE2m1MxE4m3_Fp32 100 4
	op b 20 5; call 2 21 1; gpu 2 'void gemm<1>()' 110 3
	call 3 30 1; gpu 3 'void gemm<2>()' 120 2
	call 4 40 1; gpu 4 mystery 130 1
	trace t.json
	sheet kernel_summary
	equal "$(head -n 1 kernel_summary.tsv | cut -f 1)" 'Parent op category'
	sheet kernel_summary --kernel_category
	equal "$(cut -f 1,3,4 kernel_summary.tsv)" "$(printf '%s\t%s\t%s\n' 'Kernel category' 'Parent cpu_op' 'Kernel name' \
		GEMM-FP4 a bmm_MxE4m3_MxE2m1MxE4m3_Fp32 GEMM-Generic b 'void gemm<1>()' \
		GEMM-Generic cudaLaunchKernel 'void gemm<2>()' Uncategorized cudaLaunchKernel mystery)"
	sheet kernel_categories
	equal "$(cat kernel_categories.tsv)" "$(printf '%s\t%s\t%s\t%s\t%s\n' 'Kernel category' 'Kernel duration (µs)_sum' \
		'Kernel duration (µs)_count' 'Percent of kernels time (%)' 'Percent of total time (%)' \
		GEMM-Generic 5 2 50.0 16.129032258064516 GEMM-FP4 4 1 40.0 12.903225806451612 \
		Uncategorized 1 1 10.0 3.225806451612903)"
	# in a folder, the sheet comes with the option
	tl-kcat -d without t.json >out
	[ ! -e without/kernel_categories.tsv ]
	tl-kcat -d with --kernel_category t.json >out
	cmp with/kernel_categories.tsv kernel_categories.tsv
	cmp with/kernel_summary.tsv kernel_summary.tsv
}

@test "time left out of the total is told with each sheet that has a share of the total" {
	op a 0 5; call 1 1 1; gpu 1 k 100 3
	lone 9 stray 200 1
	trace t.json
	for sheet in kernel_summary kernel_categories short_kernels_summary; do
		run -0 --separate-stderr tl-kcat --sheets $sheet t.json
		like "$stderr" "1 \(0.001 ms, 25 % of the busy time\), left out of the total time in $sheet"
	done
	for sheet in short_kernel_histogram kernels; do
		run -0 --separate-stderr tl-kcat --sheets $sheet t.json
		equal "$stderr" ''
	done
}

@test "a priority has up to nine digits" {
	printf '999999999\tLast\tk1\n' >rules.tsv
	run -0 --separate-stderr tl-kcat --kernel-categories rules.tsv "$worked"
	printf '1000000000\tLast\tk1\n' >rules.tsv
	run -1 --separate-stderr tl-kcat --kernel-categories rules.tsv "$worked"
	failed 1 "rules.tsv:1:1: expected a priority, a number from 0 to 999999999, or let: '1000000000'"
}

@test "--kernel-categories reference leaves what TraceLens leaves" {
	lone 1 bmm_MxE4m3_MxE2m1MxE4m3_Fp32 100 4
	lone 2 gemm 110 3
	trace t.json
	categories() {
		sheet kernel_categories "$@"
		cut -f 1 kernel_categories.tsv | tail -n +2 | tr '\n' ' '
	}
	equal "$(categories)" 'GEMM-FP4 GEMM-Generic '
	equal "$(categories --kernel-categories reference)" 'Uncategorized GEMM-Generic '
	printf '9000\tMine\tbmm\n' >mine.tsv
	equal "$(categories --kernel-categories mine.tsv)" 'GEMM-FP4 GEMM-Generic '
	equal "$(categories --kernel-categories mine.tsv --kernel-categories reference)" 'Mine GEMM-Generic '
	printf '10\tFile\tgemm\n' >reference
	equal "$(categories --kernel-categories ./reference)" 'GEMM-FP4 File '
}

@test "communication that no rule knows is Comm-Generic" {
	lone 1 my_ring 100 4
	trace t.json
	sheet kernel_categories
	equal "$(cell kernel_categories.tsv 'Kernel category')" Uncategorized
	printf '1\tcommunication\tring\n' >ring.tsv
	sheet kernel_categories -q --communication ring.tsv
	equal "$(cell kernel_categories.tsv 'Kernel category')" Comm-Generic
}

@test "kernel_categories tells the time in each phase" {
	op a 0 5; call 1 1 1; gpu 1 gemm_prefill 100 4
	op b 20 5; call 2 21 1; gpu 2 gemm_decode 110 3
	op c 30 5; call 3 31 1; gpu 3 softmax 120 2
	trace t.json
	phases='Kernel category,Prefill (µs),Decode (µs),Mixed (µs),Unknown (µs)'
	tl-kcat -q --sheets kernel_categories --columns "$phases" --phase_detection_method union t.json >k.tsv
	equal "$(tail -n +2 k.tsv)" $'GEMM-Generic\t4.0\t3.0\t0.0\t0.0\nActivation-Softmax\t0.0\t0.0\t2.0\t0.0'
	tl-report -q --tsv-dir report --kernel_category --enable_kernel_summary t.json
	refute grep -q Prefill report/kernel_categories.tsv
	tl-report -q --tsv-dir phases --kernel_category --enable_kernel_summary --inference_phase_analysis --phase_detection_method union t.json
	equal "$(cut -f 1,6-9 phases/kernel_categories.tsv)" "$(cat k.tsv)"
	equal "$(cut -f 1 phases/kernel_summary.tsv | head -n 2 | tr '\n' ' ')" 'Kernel category GEMM-Generic '
}

@test "the time of categories by phase is what the reference meant" {
	ref=$TL_ROOT/../shared/traces/phase-ref/sglang_prefilldecode__sglang_Qwen3-8B_prefilldecode/kernel_phase_intended
	[ -d "$ref" ] || skip "no reference numbers here"
	tl-kcat -q --sheets kernel_categories --phase_detection_method union --kernel-categories reference \
		"$TL_ROOT/../shared/traces/pytorch/sglang-prefilldecode/input.json.gz" |
		awk -F'\t' 'NR == 1 { for (i = 6; i <= 9; i++) phase[i] = substr($i, 1, index($i, " ") - 1); next }
			{ for (i = 6; i <= 9; i++) if ($i > 0) printf "%s %s %.3f\n", phase[i], $1, $i }' | sort >got
	awk -F, 'NR > 1 { us[$1 " " $2] += $5 } END { for (k in us) printf "%s %.3f\n", k, us[k] }' "$ref/kernel_phase_counts.csv" | sort >wanted
	[ -s wanted ]
	diff wanted got
}

@test "kernel_summary has the reference's categories" {
	ref=$TL_ROOT/../shared
	[ -x "$ref/tools/parity" ] || skip "no reference sheets here"
	while read -r case input; do
		mkdir -p "cases/$case/ref"
		ln -s "$ref/traces/$input" "cases/$case/input.json.gz"
		ln -s "$ref/traces/phase-ref/$case/union/kernel_summary.csv" "cases/$case/ref"
	done <<-'C'
		h100__Qwen_Qwen1.5-0.5B-Chat__1016005 pytorch/h100-qwen/input.json.gz
		mi300__Qwen_Qwen1.5-0.5B-Chat__1016005 pytorch/mi300-qwen/input.json.gz
		mi210__gpu_only_trace pytorch/mi210-gpu-only/input.json.gz
		sglang_prefilldecode__sglang_Qwen3-8B_prefilldecode pytorch/sglang-prefilldecode/input.json.gz
		sglang_decode__sglang_Qwen3-8B_decode inference/report/sglang-decode-all/input.json.gz
		vllm_prefilldecode_piecewise__graph_execution pytorch/vllm-piecewise/input.json.gz
	C
	# the branch with the categories knows fewer operators, and adds microseconds as doubles
	run -0 "$ref/tools/parity" --ignore 'Parent op category' --tol 1e-6 \
		--run 'tl-kcat -q --kernel_category --kernel-categories reference --sheets kernel_summary -d "$OUT" "$INPUT"' cases
	like "${lines[-1]}" '^sheets 6/6'
}

@test "every cell of the reference's sheets is met" {
	ref=$TL_ROOT/../shared
	[ -x "$ref/tools/parity" ] || skip "no reference sheets here"
	cat >make.sh <<-'M'
		o=
		set -- $FLAGS
		for f; do
			case $f in
			--topk_short_kernels | --short_kernel_threshold_us | --short_kernel_histogram_bins) o="$o $f $2" ;;
			--include_unlinked_kernels | --detect_recompute) o="$o $f" ;;
			esac
			shift
		done
		tl-kcat $o -d "$OUT" "$INPUT"
	M
	run -0 "$ref/tools/parity" --only 'kernel_summary|short_.*' --run "sh $PWD/make.sh" "$ref/traces/pytorch"
	like "${lines[-1]}" '100.000%'
}

@test "kernel_kinds: kind, precision, matrix units, library and inner work by names, and all kernels are in it" {
	ID=0
	for k in 'ampere_sgemm_128x64_tn 30' 'ampere_sgemm_32x32_nn 50' 'void cublasLt::splitKreduce_kernel<32> 5' 'matmul_k(float*) 15'; do
		ID=$((ID + 1))
		call $ID $((ID * 100)) 1
		gpu $ID "${k% *}" $((ID * 100 + 10)) "${k##* }"
	done
	trace t.json
	tl-kcat --sheets kernel_kinds -o k.tsv t.json
	equal "$(tr '\t' '|' <k.tsv)" 'kind|precision|tensor_cores|library|internal|count|ms|Percent of kernels time (%)|top_name|ex_UID
product|fp32|no|cublas||2|0.08|80.0|ampere_sgemm_32x32_nn|6
unknown|||||1|0.015|15.0|matmul_k(float*)|14
product|||cublas|reduce|1|0.005|5.0|void cublasLt::splitKreduce_kernel<32>|10'
}

@test "kernel_kinds: names of 5 % of the kernel time at most are unknown, but for programs' own kernels" {
	traces=$TL_ROOT/../shared/traces
	[ -d "$traces" ] || skip 'no ../shared'
	for t in "$traces"/pytorch/*/input.json.gz "$traces"/ranks/multi/{resnet2,timesformer2,amd-cifar4}/input/*rank_0*.gz "$traces"/rocprof/{mi300-908,many-agents,topk}/input.json.gz \
		"$traces"/sqlite/{nsys-mfu-before-2026.2,rpd-matmul}/input.*.gz "$traces"/inference/report/{sglang-decode-all,xdit-sd3.5-all}/input.json.gz \
		"$traces"/wild/{fp32-in-graph,vendor-kernels-in-convolution,first-use-cold-start,foreach-already-on,launch-bound-compile}/trace.json; do
		tl-kcat -q --sheets kernel_kinds -o k.tsv "$t"
		share=$(awk -F '\t' '$1 == "unknown" { sum += $8 } END { if (sum > 5) print sum }' k.tsv)
		equal "${t#"$traces"/}: $share" "${t#"$traces"/}: "
	done
	# the program's own: saxpy, a kernel whose name the trace lost
	tl-kcat -q --sheets kernel_kinds -o k.tsv "$traces/sqlite/nsys-saxpy-2022.2/input.sqlite.gz"
	equal "$(cut -f 1 k.tsv)" $'kind\nunknown'
}

@test "kernel_stats: kernels of each device by name, their shares of its kernels, what all launches have in common" {
	call 1 0 1; gpu 1 gemm 10 30 7 kernel '"device":0,"grid":[4,1,1],"block":[64,1,1]'
	call 2 2 1; gpu 2 gemm 50 10 7 kernel '"device":0,"grid":[8,1,1],"block":[64,1,1]'
	call 3 4 1 cudaGraphLaunch; gpu 3 add_kernel 70 10 7 kernel '"device":0,"grid":[2,1,1],"block":[32,1,1]'
	gpu 3 add_kernel 90 10 7 kernel '"device":1,"graph node id":5'
	gpu 3 'Memcpy HtoD' 100 20 9 gpu_memcpy '"device":1'
	trace t.json
	equal "$(tl-kcat -q --sheets kernel_stats t.json | cut -f 3-15)" "$(printf '%s\t' device name category count time_ms mean_us std_us min_us max_us 'Percent of kernels time (%)' grid block)graph_count
0	gemm	GEMM-Generic	2	0.04	20.0	14.142135623730951	10.0	30.0	80.0		[64, 1, 1]	0
0	add_kernel	Elementwise	1	0.01	10.0		10.0	10.0	20.0	[2, 1, 1]	[32, 1, 1]	1
1	add_kernel	Elementwise	1	0.01	10.0		10.0	10.0	100.0			1"
}

@test "kernel_stats is part of every report but that of PyTorch's traces, where --kernel_stats asks for it" {
	op aten::mm 0 50; call 1 1 1; gpu 1 gemm 10 30
	trace t.json
	tl-sheets -q -d usual t.json >list
	refute grep -e kernel_stats -e kernel_categories list
	grep -q device_times list
	tl-sheets -q -d asked --kernel_stats --kernel_category t.json >list
	equal "$(grep -c -e kernel_stats -e kernel_categories list)" 2
	# in PyTorch's form, by another profiler
	printf '%s' '{"traceEvents":[{"name":"SequentialExecutor::Execute","cat":"Session","ph":"X","pid":1,"tid":1,"ts":0,"dur":90},' \
		'{"name":"conv_kernel","cat":"Kernel","ph":"X","pid":-1,"tid":-1,"ts":10,"dur":30,"args":{"op_name":"Conv"}},' \
		'{"name":"conv_kernel_time","cat":"Node","ph":"X","pid":1,"tid":1,"ts":5,"dur":40,"args":{"op_name":"Conv","provider":"CUDAExecutionProvider"}}]}' >ort.json
	tl-sheets -q -d ort ort.json >list
	equal "$(grep -c -e kernel_stats -e kernel_categories -e device_times list)" 3
	printf '%s' '{"traceEvents":[{"ph":"X","cat":"kernel_dispatch","name":"k","pid":7,"tid":8,"ts":0,"dur":0,"args":{"begin_ns":100,"end_ns":300,"delta_ns":200,"agent":"GPU-3"}}]}' >perfetto.json
	tl-sheets -q -d perfetto perfetto.json >list
	equal "$(grep -c -e kernel_stats -e kernel_categories -e device_times -e /kernel_summary list)" 4
}
