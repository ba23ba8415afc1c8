#!/usr/bin/env bats
# phase.bats - tl-phase: prefill and decode.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR"
	methods='union gemm_params kernel_names attention_patterns framework_apis operation_frequency hybrid'
	id=0
}

# launch OP KERNEL [DIMS]: an operator that launches a kernel of 10 µs
launch() {
	id=$((id + 1))
	op "$1" "${id}00" 50 "${3:+\"Input Dims\":$3}"
	call $id "${id}10" 5
	gpu $id "$2" "${id}60" 10
}

# labels METHOD [OPTION…]: the phases of the launches of t.json, one a line
labels() {
	tl-phase -q --phase_detection_method "$@" --sheets launcher_phases --columns phase t.json | tail -n +2
}

@test "made-up launches get the labels of TraceLens by each of its methods" {
	launchers=$TL_ROOT/../shared/traces/phase-ref/synthetic-launchers.tsv
	[ -e "$launchers" ] || skip '../shared is not here'
	awk -F'\t' '
		function add(text) { printf "%s\n%s", n++ ? "," : "{\"traceEvents\":[", text }
		NR > 1 {
			names = $3
			gsub(/^\["|"\]$/, "", names)
			k = split(names, kernel, /", "/)
			dims = $2 == "null" ? "" : "\"Input Dims\":" $2
			add(sprintf("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":900,\"args\":{%s}}", $1, NR * 1000, dims))
			for (i = 1; i <= k; i++) {
				add(sprintf("{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"c\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1,\"args\":{\"correlation\":%d}}", NR * 1000 + i * 2, ++id))
				add(sprintf("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":1,\"args\":{\"correlation\":%d,\"stream\":7}}", kernel[i], NR * 1000 + i * 2, id))
			}
		}
		END { print "]}" }' "$launchers" >t.json
	for method in $methods; do
		awk -F'\t' -v name="$method" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }' "$launchers" >wanted
		[ "$(wc -l <wanted)" = 400 ]
		labels "$method" >got
		cmp wanted got
	done
}

# phases_of OPTION…: "NAME PHASE CONFIDENCE" of the launches of t.json
phases_of() {
	tl-phase -q "$@" --sheets launcher_phases --columns name,phase,confidence t.json | tail -n +2 | tr '\t' ' '
}

@test "the signals of union vote, and the majority has its share as confidence" {
	launch aten::mm gemm '[[64,8],[8,8]]'       # 3 for prefill
	launch aten::mm gemm_USL1_x '[[64,8],[8,8]]' # 3 against 4: a sequence length of 1
	launch aten::mm gemm '[[10,8],[8,8]]'       # at the threshold: 3 for decode
	launch vllm::decode k '[[64,8],[8,8]]'      # 3 against 4 and 2
	launch request_batch k '[[8,8]]'            # one vote is not enough
	trace t.json
	run -0 phases_of --phase_detection_method union
	equal "$output" 'aten::mm Prefill 1.0
aten::mm Decode 0.5714285714285714
aten::mm Decode 1.0
vllm::decode Decode 0.6666666666666666
request_batch Mixed 0.0'
	run -0 phases_of --phase_detection_method union --decode_threshold 9
	like "$output" $'0.57[0-9]*\naten::mm Prefill 1.0'
}

@test "of launches without votes the frequent names decode and the rare ones prefill" {
	for i in 1 2 3 4 5; do launch many k; done
	launch few k
	launch few k
	launch one k
	trace t.json
	equal "$(phases_of --phase_detection_method union | sort | uniq -c | tr -s ' ')" ' 2 few Mixed 0.0
 5 many Decode 0.2
 1 one Prefill 0.2'
}

@test "M is the first size of the first of two arguments or more" {
	launch a k '[[2.9,8],[8]]'
	launch a k '[[],[8]]'
	launch a k '[[8]]'
	launch a k '[[[3,4]],[8]]'
	launch a k '[7,[8]]'
	launch a k '[[0],[8]]'
	launch a k
	trace t.json
	equal "$(tl-phase --sheets launcher_phases --columns M t.json | tail -n +2 | tr '\n' ,)" 2,,,,,,,
}

@test "words and numbers count across the names of a launch" {
	op graph 0 50
	call 1 1 1; gpu 1 flash_attn 100 10
	call 2 3 1; gpu 2 x_decode 110 10
	op other 1000 50
	call 3 1001 1; gpu 3 x_decode 1100 10
	call 4 1003 1; gpu 4 flash_attn 1110 10
	op numbers 2000 50
	call 5 2001 1; gpu 5 SeqLen 2100 10
	call 6 2003 1; gpu 6 20_sl0 2110 10
	trace t.json
	run -0 tl-phase --sheets launcher_phases --columns paged_attention,explicit_names t.json
	equal "$output" $'paged_attention\texplicit_names\nDecode\tDecode\n\tDecode\n\tPrefill'
}

@test "a graph is one launch, nested calls are launches each, communication is none" {
	call 1 0 100 cudaGraphLaunch
	gpu 1 a 200 10
	gpu 1 b 205 10
	gpu 1 ncclDevKernel 230 10
	op nccl:all_reduce 300 50; call 2 310 5; gpu 2 ncclDevKernel_AllReduce 400 10
	call 3 500 20 outer
	call 4 505 5 inner; gpu 4 c 600 10
	op aten::add 700 50; frame torch.py 705 40; call 5 710 5; gpu 5 d 800 10
	trace t.json
	run -0 tl-phase -q --sheets launcher_phases --columns name,num_kernels,direct_ns t.json
	equal "$output" $'name\tnum_kernels\tdirect_ns
aten::add\t1\t10000
cudaGraphLaunch\t3\t25000
outer\t1\t10000
inner\t1\t10000'
	tl-link -q --python -o l.tls t.json
	equal "$(tl-phase -q --sheets launcher_phases --columns name,num_kernels,direct_ns l.tls)" "$output"
}

@test "the sheets of a phase have its launches, with the categories of the first one" {
	launch aten::mm sgemm '[[64,8],[8,8]]'
	launch aten::mm softmax '[[64,8],[8,8]]'
	launch aten::add elementwise '[[65,8],[8,8]]'
	launch aten::sub elementwise '[[1,8],[8,8]]'
	trace t.json
	tl-phase --phase_detection_method union -d out t.json >/dev/null
	equal "$(cat out/ops_summary_prefill.tsv)" "Kernel categories	name	total_direct_kernel_time_sum	Count	total_direct_kernel_time_ms	Percentage (%)	Cumulative Percentage (%)
GEMM-Generic	aten::mm	20	2	0.02	66.66666666666667	66.66666666666667
Elementwise	aten::add	10	1	0.01	33.333333333333336	100.0"
	equal "$(cut -f 2,4 out/ops_summary_decode.tsv)" $'name\tCount\naten::sub\t1'
	equal "$(cut -f 1,2,3,6 out/phase_summary.tsv)" $'phase\tlaunch_count\tkernel_count\tPercentage (%)\nPrefill\t3\t3\t75.0\nDecode\t1\t1\t25.0'
	tl-phase -d none --phase_detection_method attention_patterns t.json >/dev/null
	equal "$(ls none)" $'kernel_summary_decode.tsv\nkernel_summary_prefill.tsv\nphase_summary.tsv\nsteps.tsv'
}

@test "a report has the sheets with --inference_phase_analysis only" {
	launch aten::mm sgemm '[[64,8],[8,8]]'
	trace t.json
	tl-report -q --tsv-dir without t.json
	refute ls without/phase_summary.tsv
	tl-report -q --tsv-dir with --inference_phase_analysis --phase_detection_method kernel_names t.json
	equal "$(cell with/phase_summary.tsv phase)" Mixed
}

@test "a method that is none is refused with those that are" {
	run -2 --separate-stderr tl-phase --phase_detection_method magic /dev/null
	failed 2 'expected one of union, gemm_params, kernel_names, attention_patterns, framework_apis, operation_frequency, hybrid, steps'
}

# ---- steps ----------------------------------------------------------------------------

# note NAME TS DUR [TID]: an annotation on the host
note() {
	event "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"$1\",\"pid\":1,\"tid\":${4-1},\"ts\":$2,\"dur\":$3,\"args\":{}}"
}

# steps COLUMN,…: these columns of the sheet of t.json
steps() {
	tl-phase -q --sheets steps --columns "$1" t.json | tail -n +2 | tr '\t' ' '
}

@test "annotations of engines are steps, and all that is launched in one has its phase" {
	note 'execute_40_context_2(sq40sk40sqsq800sqsk800)_generation_0(sq0sk0sqsq0sqsk0)' 0 100
	note 'step[DECODE bs=40]' 10 50 # within a step
	note 'execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk900sqsq32sqsk900)' 200 100
	note 'execute_40_context_1(sq30sk30sqsq900sqsk900)_generation_10(sq10sk90sqsq10sqsk90)' 400 100
	note 'execute_0_context_0(sq0sk0sqsq0sqsk0)_generation_0(sq0sk0sqsq0sqsk0)' 600 100
	note 'capture_32_FULL' 800 100
	call 1 20 5; gpu 1 gemm 1000 10
	call 2 220 5 cudaGraphLaunch; gpu 2 a 2000 10; gpu 2 ncclDevKernel 2020 10
	call 3 420 5; gpu 3 a 3000 10
	call 4 620 5; gpu 4 a 4000 10
	call 5 820 5; gpu 5 a 5000 10
	call 6 950 5; gpu 6 a 6000 10
	trace t.json
	run -0 steps phase,confidence,evidence,prefill_requests,decode_requests,prefill_tokens,decode_tokens,"prefill_share (%)",launch_count,kernel_count
	equal "$output" 'Prefill 1.0 annotation 2 0 40 0 100.0 1 1
Decode 1.0 annotation 0 32 0 32 0.0 1 2
Mixed 1.0 annotation 1 10 30 10 75.0 1 1
Unknown 0.0 idle 0 0 0 0  1 1
Unknown 0.0 capture      1 1'
	equal "$(steps start_us,duration_us,device_start_us,device_span_us,gpu_busy_us,gpu_idle_us,top_category | sed -n 1,2p)" \
		$'0.0 100.0 1000.0 10.0 10.0 0.0 GEMM-Generic\n200.0 100.0 2000.0 30.0 20.0 10.0 Uncategorized'
	equal "$(tl-phase -q --sheets launcher_phases --columns phase t.json | tail -n +2 | tr '\n' ' ')" 'Prefill Decode Mixed Unknown Unknown Unknown '
}

@test "a mixed step that does not tell its requests is Mixed all the same" {
	note 'step[MIXED bs=3]' 0 100
	trace t.json
	equal "$(steps phase,confidence,prefill_requests,kernel_count)" 'Mixed 1.0  0'
}

@test "other threads belong to the steps of the process, unless they have their own" {
	note 'step[DECODE bs=1]' 0 100
	note 'prefill[bs=1 tok=9 ctx=[9]]' 20 100 2
	for tid in 1 2 3; do
		event "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":$tid,\"ts\":10,\"dur\":5,\"args\":{\"correlation\":$tid}}"
		event "{\"ph\":\"s\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":$tid,\"pid\":1,\"tid\":$tid,\"ts\":10}"
		gpu $tid k "${tid}000" 10
	done
	trace t.json
	equal "$(tl-phase -q --sheets launcher_phases --columns phase t.json | tail -n +2 | tr '\n' ' ')" 'Decode Unknown Decode '
}

# product ROWS COLUMNS: a matrix product
product() {
	launch aten::mm gemm "[[$1,64],[64,$2]]"
}

# attention QUERIES CAUSAL: attention of PyTorch
attention() {
	id=$((id + 1))
	op aten::_flash_attention_forward "${id}00" 50 \
		"\"Input Dims\":[[4,$1,2,8],[4,99,2,8],[4,99,2,8],[],[],[],[],[],[]],\"Concrete Inputs\":[\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"$2\"]"
	call $id "${id}10" 5
	gpu $id flash "${id}60" "${3-10}"
}

@test "without annotations, arguments of attention tell the phase" {
	attention 99 True
	trace t.json
	equal "$(steps name,phase,confidence,evidence)" '(whole trace) Prefill 0.9 attention arguments'
	attention 1 False
	trace t.json
	equal "$(steps phase,confidence)" 'Decode 0.9'
	attention 99 True; attention 1 False
	trace t.json
	equal "$(steps phase,confidence)" 'Mixed 0.9'
	attention 99 True 100; attention 1 False 1
	trace t.json
	like "$(steps phase,confidence)" 'Prefill 0.89'
	attention 99 False
	trace t.json
	equal "$(steps phase,confidence)" 'Unknown 0.0'
	launch aiter::mha_batch_prefill k '[[90,2,8],[5,2,8],[5,2,8],[4],[4]]'
	trace t.json
	equal "$(steps phase,prefill_requests,prefill_tokens)" 'Prefill 3 90'
	launch x::varlen_fwd k '[[24,2,8],[5,2,8],[5,2,8],[4],[4]]'
	trace t.json
	equal "$(steps phase,decode_requests,decode_tokens)" 'Decode 3 24'
}

@test "without these, tokens against requests; then kernels; they may contradict" {
	product 500 64; product 4 20000
	trace t.json
	equal "$(steps phase,confidence,evidence,prefill_requests,prefill_tokens)" 'Prefill 0.8 tokens and requests 4 500'
	product 16 64; product 4 20000
	trace t.json
	equal "$(steps phase,decode_requests,decode_tokens)" 'Decode 4 16'
	product 500 64; product 500 20000
	trace t.json
	equal "$(steps phase)" Unknown
	launch a paged_attention_ll4mi_QKV_kernel
	trace t.json
	equal "$(steps phase,confidence,evidence)" 'Decode 0.7 attention kernels'
	launch a fmhaSm100_PagedContext
	trace t.json
	equal "$(steps phase)" Prefill
	product 500 64; product 4 20000; launch a paged_attention_ll4mi_QKV_kernel
	trace t.json
	equal "$(steps phase,confidence)" 'Prefill 0.4'
	launch a mine
	trace t.json
	equal "$(steps phase)" Unknown
	printf '1\tDecode\tmine\n' >mine.tsv
	run -0 tl-phase --phase-kernels mine.tsv --sheets steps --columns phase t.json
	equal "$output" $'phase\nDecode'
	printf '1\tBoth\tmine\n' >mine.tsv
	run -1 --separate-stderr tl-phase --phase-kernels mine.tsv t.json
	failed 1 "mine.tsv:1:3: expected one of Prefill, Decode, Mixed: 'Both'"
}

@test "without annotations of engines, profiler steps are steps; then graphs" {
	note ProfilerStep#7 0 100
	note ProfilerStep#8 100 100
	attention 99 True # starts at 100
	trace t.json
	equal "$(steps name,phase)" $'ProfilerStep#7 Unknown\nProfilerStep#8 Prefill'
	call 3 50 10 cudaGraphInstantiate # launches nothing
	call 1 0 10 cudaGraphLaunch; gpu 1 decode_attention 100 10
	call 2 200 10 cudaGraphLaunch; gpu 2 other 300 10
	trace t.json
	equal "$(steps name,phase)" $'cudaGraphLaunch Decode\ncudaGraphLaunch Unknown'
}

@test "without annotations, an operator that picks tokens ends a step" {
	attention 99 True
	for i in $(seq 16); do launch aten::add k; done
	launch aten::argmax k '[[4,20000],[],[]]'
	launch aten::multinomial k '[[4,20000],[],[]]' # the same step: hardly anything between
	attention 1 False
	for i in $(seq 16); do launch aten::add k; done
	launch aten::argmax k '[[4,100],[],[]]' # no vocabulary
	launch aten::argmax k '[[4,20000],[],[]]'
	id=$((id + 1)); call $id "${id}10" 5 cudaGraphLaunch; gpu $id decode_attention "${id}60" 10
	launch aten::argmax k '[[4,20000],[],[]]'
	launch aten::add k
	trace t.json
	equal "$(steps name,phase,kernel_count)" '(up to aten::argmax) Prefill 19
(up to aten::argmax) Decode 19
(up to aten::argmax) Decode 2'
	equal "$(tl-phase -q --columns phase,launch_count t.json)" $'phase\tlaunch_count\nDecode\t21\nPrefill\t19\nUnknown\t1'
}

@test "words that mislead the methods of TraceLens prove nothing in steps" {
	note 'step[EXTEND bs=1 toks=99]' 0 90000
	launch aten::mm Cijk_USL1_decode '[[64,8],[8,8]]'
	launch aten::mm Cijk_USL1_decode '[[64,8],[8,8]]'
	launch aten::mm Cijk_USL1_decode '[[64,8],[8,8]]'
	trace t.json
	equal "$(tl-phase -q --columns phase,launch_count t.json)" $'phase\tlaunch_count\nPrefill\t3'
	equal "$(tl-phase -q --phase_detection_method union --columns phase t.json)" $'phase\nDecode'
}

@test "a note tells when a method contradicts the steps, or no language model is seen" {
	note 'step[EXTEND bs=1 toks=99]' 0 90000
	for i in 1 2 3 4 5 6 7 8 9 10; do launch a k_prefill; done
	launch b k_decode
	trace t.json
	run -0 --separate-stderr tl-phase --phase_detection_method kernel_names t.json
	equal "$stderr" ''
	note 'step[EXTEND bs=1 toks=99]' 0 90000
	launch a k_prefill; launch b k_decode; launch b k_decode; launch c k
	trace t.json
	run -0 --separate-stderr tl-phase --phase_detection_method kernel_names t.json
	equal "$stderr" 'tl-phase: the method kernel_names contradicts the steps of the trace in 67 % of the time that it gives a phase (--phase_detection_method steps)'
	run -0 --separate-stderr tl-phase t.json
	equal "$stderr" ''
	launch a k_decode
	trace t.json
	run -0 --separate-stderr tl-phase --phase_detection_method union t.json
	like "$stderr" 'nothing shows that the trace is of a language model'
}

@test "kernels of a phase have their sheets" {
	note 'step[EXTEND bs=1 toks=99]' 0 1000
	note 'step[DECODE bs=1]' 2000 1000
	id=0
	launch aten::mm sgemm '[[64,8],[8,8]]'
	launch aten::mm sgemm '[[64,8],[8,8]]'
	call 8 900 1; gpu 8 ncclDevKernel_AllGather 5000 20
	call 9 2900 1 cudaGraphLaunch; gpu 9 softmax 6000 30
	trace t.json
	tl-phase -d out t.json >/dev/null
	equal "$(cat out/kernel_summary_prefill.tsv)" "Kernel category	Parent op category	Parent cpu_op	Kernel name	Kernel stream	Kernel duration (µs)_sum	Kernel duration (µs)_count	Kernel duration (µs)_mean	Kernel duration (µs)_min	Kernel duration (µs)_max	Percent of kernels time (%)
Comm-AllGather	runtime	cudaLaunchKernel	ncclDevKernel_AllGather	7	20	1	20.0	20	20	50.0
GEMM-Generic	GEMM	aten::mm	sgemm	7	20	2	10.0	10	10	50.0"
	equal "$(cut -f 1-4,7 out/kernel_summary_decode.tsv | tail -n +2)" $'Activation-Softmax\tgraph\tcudaGraphLaunch\tsoftmax\t1'
	tl-report -q --tsv-dir without --inference_phase_analysis t.json
	refute ls without/kernel_summary_prefill.tsv
	tl-report -q --tsv-dir with --inference_phase_analysis --phase_detection_method kernel_names --enable_kernel_summary t.json
	equal "$(cell with/kernel_summary_prefill.tsv 'Kernel name')" sgemm
	tl-phase --phase_detection_method kernel_names --sheets kernel_summary_prefill t.json | cmp - with/kernel_summary_prefill.tsv
	note 'step[EXTEND bs=1 toks=99]' 0 1000
	call 8 900 1; gpu 8 sgemm 5000 20
	trace t.json # without operators there is no column of them
	equal "$(tl-phase -q --sheets kernel_summary_prefill t.json | cut -f 1-4 | paste -s)" \
		$'Kernel category\tParent op category\tKernel name\tKernel stream\tGEMM-Generic\truntime\tsgemm\t7'
}

@test "--explain tells what each method and signal says, and why" {
	note 'step[EXTEND bs=1 toks=99]' 0 1000
	id=0
	launch aten::mm gemm_USL1_decode '[[64,8],[8,8]]'
	launch aten::mm gemm_USL1_decode '[[64,8],[8,8]]'
	launch aten::add other
	launch x::add other
	trace t.json
	run -0 tl-phase -q --explain USL1 t.json
	equal "$output" "name	launch_count	device_time_ms	asked	phase	weight	because
aten::mm	2	0.02	steps	Prefill	1.0	annotation; first in step[EXTEND bs=1 toks=99]
aten::mm	2	0.02	gemm_dimension	Prefill	3	M is 64, the threshold 10
aten::mm	2	0.02	explicit_names	Decode	4	sequence lengths in names: 1, 1 on average; words for decode
aten::mm	2	0.02	paged_attention	Mixed		
aten::mm	2	0.02	framework_api	Mixed		
aten::mm	2	0.02	batch_pattern	Mixed		
aten::mm	2	0.02	union	Decode	0.5714285714285714	votes for prefill: 3, for decode: 4
aten::mm	2	0.02	gemm_params	Decode		
aten::mm	2	0.02	kernel_names	Decode		
aten::mm	2	0.02	attention_patterns	Mixed		
aten::mm	2	0.02	framework_apis	Mixed		
aten::mm	2	0.02	operation_frequency	Decode		
aten::mm	2	0.02	hybrid	Decode		"
	equal "$(tl-phase --explain add t.json | cut -f 1,4 | grep -c union)" 2
	equal "$(tl-phase --explain aten::mm t.json)" "$output"
	run -0 --separate-stderr tl-phase --explain nowhere t.json
	equal "${#lines[@]}" 1
	equal "${stderr_lines[0]}" "tl-phase: warning: no launch has 'nowhere' in its name or in that of a device event"
	run -2 --separate-stderr tl-phase --explain '' t.json
	failed 2 'the argument is empty'
}

@test "calls nested in each other by the thousand are an error, not a long wait" {
	awk 'BEGIN {
		print "{\"traceEvents\":["
		for (i = 1; i <= 2500; i++) {
			printf "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d,\"args\":{\"correlation\":%d}},\n", i, 20000 - 2 * i, i
			printf "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":1,\"args\":{\"correlation\":%d}}%s\n", i + 30000, i, i < 2500 ? "," : "]}"
		}
	}' >t.json
	run -1 --separate-stderr tl-phase t.json
	failed 1 'calls are nested too deeply'
}
