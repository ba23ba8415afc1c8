#!/usr/bin/env bats
# replay.bats - tl-replay: operators as benchmarks, and their results.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# args DIMS STRIDES TYPES VALUES: the arguments of an operator
args() {
	echo "\"Input Dims\":$1,\"Input Strides\":$2,\"Input type\":$3,\"Concrete Inputs\":$4"
}
# launch ID TS DUR [NAME]: an operator's call and kernel
launch() {
	call "$1" "$2" 2
	gpu "$1" "${4-Cijk_Ailk_Bljk_kernel}" "$2" "$3" 7
}
# The operators: three products (one of 1 % of the time), a convolution, an addition, a call of a library.
add_ops() {
	op aten::mm 100 10 "$(args '[[64,32],[32,16]]' '[[32,1],[1,32]]' '["float","float"]' '["",""]')"
	launch 1 101 80
	op aten::addmm 200 10 "$(args '[[16],[64,32],[32,16],[],[]]' '[[1],[32,1],[16,1],[],[]]' '["c10::Half","c10::Half","c10::Half","Scalar","Scalar"]' '["","","","1","1"]')"
	launch 2 201 18
	op aten::bmm 300 10 "$(args '[[4,8,2],[4,2,6]]' '[[16,2,1],[12,6,1]]' '["c10::BFloat16","c10::BFloat16"]' '["",""]')"
	launch 3 301 2
	op aten::convolution 400 10 "$(args '[[2,3,8,8],[5,3,3,3],[],[],[],[],[],[],[]]' '[[192,64,8,1],[27,9,3,1],[],[],[],[],[],[],[]]' '["float","float","","ScalarList","ScalarList","ScalarList","Scalar","ScalarList","Scalar"]' '["","","","[2, 2]","[1, 1]","[1, 1]","False","[0, 0]","1"]')"
	launch 4 401 7
	op aten::add 500 10 "$(args '[[8],[],[]]' '[[0],[],[]]' '["long int","Scalar","Scalar"]' '["","2","1"]')"
	op aten::add 600 10 "$(args '[[8],[],[]]' '[[0],[],[]]' '["long int","Scalar","Scalar"]' '["","2","1"]')"
	op my::norm 700 10 "$(args '[[8],[]]' '[[1],[]]' '["float","Scalar"]' '["","0.5"]')"
}
trace_of_ops() {
	add_ops
	trace "$1"
}
# tool NAME: a program that prints what stands in NAME.prints and notes its arguments in `calls`
tool() {
	mkdir -p tools
	printf '#!/bin/sh\necho "%s $*" >>%s\ncat %s\nexit %s\n' "$1" "$PWD/calls" "$PWD/$1.prints" "${2-0}" >"tools/$1"
	chmod +x "tools/$1"
}
# A python3 with PyTorch that logs calls as the libraries do, and measures 40 µs.
torch() {
	mkdir -p tools
	cat >tools/python3 <<-'END'
		#!/bin/sh
		case "$*" in
		*'import torch') exit 0 ;;
		*gemm-1.py*) echo 'no such kernel' >&2; exit 1 ;;
		*--once) if [ "$HIPBLASLT_LOG_FILE" ]; then
			echo 'hipblaslt-bench -m 9 --aux_type f32_r --algo_method index --solution_index 77 --rotating 3 --cold_iters 4 --iters 5' >"$HIPBLASLT_LOG_FILE"
			else echo 'MIOpen: [LogCmdFindConvolution] ./bin/MIOpenDriver conv -n 8'; echo 'MIOpen: [LogCmdConvolution] ./bin/MIOpenDriver conv -n 9'; fi >&2 ;;
		*) printf 'no,op,count,us\n0,x,1,40.0\n' ;;
		esac
	END
	chmod +x tools/python3
}
run_tools() { # OPTION...
	PATH=$PWD/tools:$PATH tl-replay --run -d out "$@"
}

@test "command lines of products: column by column, layouts from strides, types, bias, batches" {
	trace_of_ops t.json
	tl-replay -q -d out t.json
	equal "$(sed -E '1d; s/ --alpha.*--transA/ --transA/; s/ --algo_method.*//' out/hipblaslt-bench.sh)" "$(cat <<-'END'
		hipblaslt-bench --api_method c -m 16 -n 64 -k 32 --lda 32 --ldb 32 --ldc 16 --ldd 16 --stride_a 0 --stride_b 0 --stride_c 0 --stride_d 0 --transA T --transB N --batch_count 1 --a_type f32_r --b_type f32_r --c_type f32_r --d_type f32_r --scale_type f32_r --bias_type f32_r --compute_type f32_r
		hipblaslt-bench --api_method c -m 16 -n 64 -k 32 --lda 16 --ldb 32 --ldc 16 --ldd 16 --stride_a 0 --stride_b 0 --stride_c 0 --stride_d 0 --transA N --transB N --batch_count 1 --bias_vector --bias_source d --a_type f16_r --b_type f16_r --c_type f16_r --d_type f16_r --scale_type f32_r --bias_type f16_r --compute_type f32_r
		hipblaslt-bench --api_method c -m 6 -n 8 -k 2 --lda 6 --ldb 2 --ldc 6 --ldd 6 --stride_a 12 --stride_b 16 --stride_c 48 --stride_d 48 --transA N --transB N --batch_count 4 --a_type bf16_r --b_type bf16_r --c_type bf16_r --d_type bf16_r --scale_type f32_r --bias_type bf16_r --compute_type f32_r
	END
	)"
	equal "$(head -n 1 out/hipblaslt-bench.sh)" '#!/bin/sh'
	like "$(sed -n 3p out/hipblaslt-bench.yaml)" '^- \{function: matmul, transA: N, transB: N, M: 16, N: 64, K: 32, lda: 16, .* bias_vector: 1, .*, a_type: f16_r, .*, flush: true, use_gpu_timer: true, print_kernel_info: true\}$'
	equal "$(sed 1d out/cublasMatmulBench.sh)" "$(cat <<-'END'
		cublasMatmulBench -P=sss -m=16 -n=64 -k=32 -ta=1 -tb=0 -lda=32 -ldb=32 -ldc=16 -A=1 -B=0 -T=100
		cublasMatmulBench -P=hsh -m=16 -n=64 -k=32 -ta=0 -tb=0 -lda=16 -ldb=32 -ldc=16 -A=1 -B=0 -T=100
		# gemm 2: cublasMatmulBench has no option for 4 products at a time
	END
	)"
	equal "$(sed 1d out/MIOpenDriver.sh)" 'MIOpenDriver conv -n 2 -c 3 -H 8 -W 8 -k 5 -y 3 -x 3 -p 1 -q 1 -u 2 -v 2 -l 1 -j 1 -m conv -g 1 -F 1 -t 1'
}

@test "command lines of convolutions: dimensions, layouts, transposed ones" {
	# conv INPUT WEIGHT STRIDES TYPE PLACES TRANSPOSED GROUPS; PLACES: of the lists
	conv() {
		op aten::convolution "$((++n * 100))" 10 "$(args "[$1,$2,[],[],[],[],[],[],[]]" "[$3,[],[],[],[],[],[],[],[]]" "[\"$4\",\"$4\",\"\",\"ScalarList\",\"ScalarList\",\"ScalarList\",\"Scalar\",\"ScalarList\",\"Scalar\"]" "[\"\",\"\",\"\",$5,\"$6\",\"[0]\",\"$7\"]")"
		launch $n "$((n * 100 + 1))" "$((40 - 10 * n))"
	}
	conv '[2,3,8]' '[6,3,5]' '[24,8,1]' float '"[4]","[2]","[3]"' False 1
	conv '[2,4,8,8]' '[4,3,3,3]' '[256,1,32,4]' c10::Half '"[2, 1]","[1, 0]","[1, 1]"' True 2
	conv '[2,4,6,8,8]' '[5,4,1,3,3]' '[1536,384,64,8,1]' c10::BFloat16 '"[1, 2, 2]","[0, 1, 1]","[1, 1, 1]"' False 1
	trace t.json
	tl-replay -q -d out t.json
	equal "$(sed 1d out/MIOpenDriver.sh)" "$(cat <<-'END'
		MIOpenDriver conv -n 2 -c 3 -H 1 -W 8 -k 6 -y 1 -x 5 -p 0 -q 2 -u 1 -v 4 -l 1 -j 3 -m conv -g 1 -F 1 -t 1
		MIOpenDriver convfp16 -n 2 -c 4 -H 8 -W 8 -k 6 -y 3 -x 3 -p 1 -q 0 -u 2 -v 1 -l 1 -j 1 --in_layout NHWC --fil_layout NHWC --out_layout NHWC -m trans -g 2 -F 1 -t 1
		MIOpenDriver convbfp16 -n 2 -c 4 --in_d 6 -H 8 -W 8 -k 5 --fil_d 1 -y 3 -x 3 --pad_d 0 -p 1 -q 1 --conv_stride_d 1 -u 2 -v 2 --dilation_d 1 -l 1 -j 1 --spatial_dim 3 -m conv -g 1 -F 1 -t 1
	END
	)"
}

@test "a convolution at one place is laid out as the driver does by itself" {
	op aten::convolution 100 10 "$(args '[[2,4,1,1],[6,4,1,1],[],[],[],[],[],[],[]]' '[[4,1,4,4],[4,1,4,4],[],[],[],[],[],[],[]]' '["float","float","","ScalarList","ScalarList","ScalarList","Scalar","ScalarList","Scalar"]' '["","","","[1, 1]","[0, 0]","[1, 1]","False","[0, 0]","1"]')"
	launch 1 101 80
	trace t.json
	tl-replay -q -d out t.json
	like "$(sed 1d out/MIOpenDriver.sh)" '^MIOpenDriver conv -n 2 -c 4 -H 1 -W 1 -k 6 -y 1 -x 1 '
	unlike "$(sed 1d out/MIOpenDriver.sh)" layout
}

@test "a product of elements that hipblaslt-bench does not have is named" {
	op aten::mm 100 10 "$(args '[[64,32],[32,16]]' '[[32,1],[16,1]]' '["long int","long int"]' '["",""]')"
	launch 1 101 80
	trace t.json
	tl-replay -q -d out t.json
	equal "$(sed 1d out/hipblaslt-bench.sh)" '# gemm 0: hipblaslt-bench has no elements of type int64'
}

@test "a whole number beside tensors of reals is written as a real one" {
	for type in float c10::BFloat16 double c10::Half 'c10::complex<float>' 'long int' int; do
		op aten::add $((++n * 100)) 10 "$(args '[[8],[],[]]' '[[1],[],[]]' "[\"$type\",\"Scalar\",\"Scalar\"]" '["","2","1"]')"
	done
	op aten::add $((++n * 100)) 10 "$(args '[[8],[8],[]]' '[[1],[1],[]]' '["long int","float","Scalar"]' '["","","1"]')"
	trace t.json
	tl-replay --op aten::add --ir -o add.jsonl t.json
	equal "$(sed -E 's/.*"Scalar", "value": ([0-9.]*)\}\].*/\1/' add.jsonl | xargs)" '1.0 1.0 1.0 1.0 1.0 1 1 1.0'
}

@test "products with scales, a result of another type, a factor of 0" {
	# scaled SCALES BIAS; SCALES: their dims
	scaled() {
		op aten::_scaled_mm $((++n * 100)) 10 "$(args "[[$n,32],[32,16],$1,[],[],[],[]]" "[[32,1],[1,32],$1,[],[],[],[]]" '["c10::Float8_e5m2","c10::Float8_e4m3fn","float","float","","","Scalar","Scalar"]' "[\"\",\"\",\"\",\"\",\"\",\"\",\"$2\",\"True\"]")"
		launch $n $((n * 100 + 1)) $((100 - n))
	}
	scaled '[],[]' 15
	scaled '[2,1],[1,16]' 15
	scaled '[3,2],[2,16]' 15
	scaled '[],[]' ''
	for beta in 0. 1; do
		op aten::baddbmm $((++n * 100)) 10 "$(args "[[4,$n,6],[4,$n,2],[4,2,6],[],[]]" '[[48,6,1],[16,2,1],[12,6,1],[],[]]' '["float","float","float","Scalar","Scalar"]' "[\"\",\"\",\"\",\"$beta\",\"0.5\"]")"
		launch $n $((n * 100 + 1)) $((100 - n))
	done
	trace t.json
	tl-replay -q -d out t.json
	equal "$(sed -E '1d; s/.* --beta ([01]).*--batch_count [14]/\1/; s/ --scale_type.*//' out/hipblaslt-bench.sh)" "$(cat <<-'END'
		0 --scaleA 1 --scaleB 1 --a_type f8_r --b_type bf8_r --c_type bf16_r --d_type bf16_r
		0 --scaleA 2 --scaleB 2 --a_type f8_r --b_type bf8_r --c_type bf16_r --d_type bf16_r
		# gemm 2: the scales of aten::_scaled_mm are neither one number nor one a row or column
		0 --scaleA 1 --scaleB 1 --a_type f8_r --b_type bf8_r --c_type bf8_r --d_type bf8_r
		0 --a_type f32_r --b_type f32_r --c_type f32_r --d_type f32_r
		1 --a_type f32_r --b_type f32_r --c_type f32_r --d_type f32_r
	END
	)"
}

@test "which operators are taken: what makes 99 %, with the one that reaches it" {
	trace_of_ops t.json
	tl-replay -q -d out t.json
	equal "$(cut -f 1-6,12 out/replay.tsv)" "$(cat <<-'END'
		group	no.	name	UID_first	name_count	Kernel Time (µs)_mean	script
		gemm	0	aten::mm	0	1	80.0	gemm-0.py
		gemm	1	aten::addmm	5	1	18.0	gemm-1.py
		gemm	2	aten::bmm	10	1	2.0	gemm-2.py
		conv	0	aten::convolution	15	1	7.0	conv-0.py
	END
	)"
	equal "$(cell out/replay.tsv kernel_time_sum_cum_pct 2)" 0.98
	run -0 --separate-stderr tl-replay -d again -v t.json
	like "$stderr" 'products of matrices: 3 of 3, which take 100\.0 % of their time'
	like "$stderr" 'again has 3 products of matrices, 1 convolutions to run again; --run runs them'
	like "$stderr" '100\.0 % of the device time without communication are run again$'
	# as TraceLens: without it
	run -0 --separate-stderr tl-replay --reference -d all -v t.json
	equal "$(cut -f 1,2 all/replay.tsv | tail -n +2 | tr '\n\t' '; ')" 'gemm 0;gemm 1;conv 0;'
	like "$stderr" 'products of matrices: 2 of 3, which take 98\.0 % of their time'
	[ ! -e all/coverage.tsv ]
}

# Attention, forward and backward, with their inner operators; a convolution's backward pass, grouped and scaled products; all
# launch work of as many µs as the comment says.
add_training() {
	local q='[2,4,64,32]' qs='[8192,2048,32,1]' r='"c10::Half"'
	op aten::_scaled_dot_product_flash_attention 100 10 "$(args "[$q,$q,$q,[],[],[],[]]" "[$qs,$qs,$qs,[],[],[],[]]" "[$r,$r,$r,\"Scalar\",\"Scalar\",\"Scalar\",\"\"]" '["","","","0.","True","False",""]')"
	op aten::_flash_attention_forward 101 8 "$(args "[$q,$q,$q]" "[$qs,$qs,$qs]" "[$r,$r,$r]" '["","",""]')"
	launch 1 102 20 # 20
	op aten::_scaled_dot_product_flash_attention_backward 200 10 "$(args "[$q,$q,$q,$q,$q,[2,4,64],[],[],[],[],[],[],[],[],[]]" \
		"[$qs,$qs,$qs,$qs,$qs,[256,64,1],[],[],[],[],[],[],[],[],[]]" \
		"[$r,$r,$r,$r,$r,\"float\",\"\",\"\",\"Scalar\",\"Scalar\",\"Scalar\",\"Scalar\",\"long int\",\"long int\",\"\"]" \
		'["","","","","","","","","64","64","0.","True","","",""]')"
	launch 2 201 40 # 40
	op aten::convolution_backward 300 10 "$(args '[[2,5,4,4],[2,3,8,8],[5,3,3,3],[],[],[],[],[],[],[],[]]' '[[80,16,4,1],[192,64,8,1],[27,9,3,1],[],[],[],[],[],[],[],[]]' '["float","float","float","ScalarList","ScalarList","ScalarList","ScalarList","Scalar","ScalarList","Scalar","ScalarList"]' '["","","","[0]","[2, 2]","[1, 1]","[1, 1]","False","[0, 0]","1","[True, True, False]"]')"
	launch 3 301 30 # 30
	op aten::_grouped_mm 400 10 "$(args '[[96,32],[3,32,16],[3],[],[]]' '[[32,1],[512,16,1],[1],[],[]]' '["c10::BFloat16","c10::BFloat16","int","",""]' '["","","","",""]')"
	launch 4 401 5 # 5
	op aten::mm 500 10
	launch 5 501 1 # 1, arguments not recorded
	op aten::gelu 600 10 "$(args '[[8]]' '[[1]]' '["float"]' '[""]')"
	launch 6 601 3 # 3
	gpu 7 graph_kernel 700 1 7 # 1, launched by no operator
	op odd::mm 800 10
	gpu 9 ncclDevKernel_AllReduce 900 50 8
}

@test "the default takes backward passes, attention and grouped products; what is left out is said in percent" {
	add_training
	trace t.json
	run -0 --separate-stderr tl-replay -d out t.json
	equal "$(cut -f 1-3,6 out/replay.tsv)" "$(cat <<-'END'
		group	no.	name	Kernel Time (µs)_mean
		gemm	0	aten::_grouped_mm	5.0
		conv	0	aten::convolution_backward	30.0
		attn	0	aten::_scaled_dot_product_flash_attention_backward	40.0
		attn	1	aten::_scaled_dot_product_flash_attention	20.0
	END
	)"
	equal "$(cat out/coverage.tsv)" "$(cat <<-'END'
		what	name	count	Kernel Time (µs)_sum	Percentage (%)
		run again	aten::_scaled_dot_product_flash_attention_backward	1	40.0	40.0
		run again	aten::convolution_backward	1	30.0	30.0
		run again	aten::_scaled_dot_product_flash_attention	1	20.0	20.0
		run again	aten::_grouped_mm	1	5.0	5.0
		no product, convolution or attention	aten::gelu	1	3.0	3.0
		arguments not recorded	aten::mm	1	1.0	1.0
		launched by no operator	graph_kernel	1	1.0	1.0
	END
	)"
	like "$stderr" '95\.0 % of the device time without communication are run again; left out: 3\.0 % no product, convolution or attention, 1\.0 % arguments not recorded, 1\.0 % launched by no operator; coverage.tsv names all'
	equal "$(sed 1d out/MIOpenDriver.sh)" 'MIOpenDriver conv -n 2 -c 3 -H 8 -W 8 -k 5 -y 3 -x 3 -p 1 -q 1 -u 2 -v 2 -l 1 -j 1 -m conv -g 1 -F 6 -t 1'
	# undefined tensors stay so; the ends of groups part the rows
	like "$(grep attention_backward out/ops.jsonl)" '"arg_name": "cum_seq_q", "arg_type": "Tensor\?", "value": null'
	like "$(cat out/gemm-0.py)" '"arg_name": "offs", "arg_type": "Tensor\?", "value": \{"shape": \[3\], "dtype": "int", "strides": \[1\], "init": \{"parts_of": 96, "zero": false\}\}'
	equal "$(cd out && echo *.py)" 'attn-0.py attn-1.py conv-0.py gemm-0.py'
	tl-replay -q --reference -d none t.json
	equal "$(wc -l <none/replay.tsv)" 1
}

@test "what is beyond 99 %, or has no declaration, is counted" {
	add_ops
	op aten::bmm 800 10 "$(args '[[4,8,2],[4,2,6]]' '[[16,2,1],[12,6,1]]' '["float","float"]' '["",""]')"
	launch 8 801 1
	op flash_attn_3::fwd 900 10 "$(args '[[8]]' '[[1]]' '["float"]' '[""]')"
	launch 9 901 92
	trace t.json
	run -0 --separate-stderr tl-replay -d out t.json
	like "$stderr" '53\.5 % of the device time .*; left out: 46\.0 % cannot be called again, 0\.5 % beyond 99 % of its group;'
	like "$stderr" 'attn 0: no declaration of flash_attn_3::fwd is known, so there is no script of it'
}

@test "operators of a category of products or attention are in the groups, if they can be called by their name" {
	op aiter::gemm_a8w8_ck 100 10 "$(args '[[8,4],[8,4]]' '[[4,1],[4,1]]' '["float","float"]' '["",""]')"
	launch 1 101 60
	op FlashAttnFunc 200 10 "$(args '[[8]]' '[[1]]' '["float"]' '[""]')"
	op flash_attn::_flash_attn_forward 201 8 "$(args '[[8]]' '[[1]]' '["float"]' '[""]')"
	launch 2 202 40
	trace t.json
	printf 'flash_attn::_flash_attn_forward\tTensor q\n' >mine.tsv
	tl-replay -q --schemas mine.tsv -d out t.json
	equal "$(cut -f 1,2,4 out/coverage.tsv | tail -n +2)" $'cannot be called again\taiter::gemm_a8w8_ck\t60.0\nrun again\tflash_attn::_flash_attn_forward\t40.0'
}

@test "ends of sequences and groups part their tokens evenly" {
	need python3
	local q='[300,4,32]' qs='[128,32,1]'
	printf 'my::varlen\tTensor q, Tensor k, Tensor cu_seqlens_q, Tensor cu_seqlens_k\n' >mine.tsv
	op my::varlen 100 10 "$(args "[$q,[12,4,32],[4],[4]]" "[$qs,$qs,[1],[1]]" '["float","float","int","int"]' '["","","",""]')"
	op aten::_grouped_mm 200 10 "$(args '[[8,20],[20,16],[2],[],[]]' '[[20,1],[16,1],[1],[],[]]' '["float","float","int","",""]' '["","","","",""]')"
	trace t.json
	tl-replay -q --schemas mine.tsv --op my::varlen,aten::_grouped_mm t.json >ops.py
	mkdir torch
	cat >torch/torch.py <<-'END'
		class Type:
		    def __init__(self, real): self.is_floating_point, self.is_complex = real, False
		float32, int32 = Type(True), Type(False)
		class Tensor:
		    said = "-"
		    def normal_(self): return self
		    def copy_(self, numbers): self.said = numbers
		def tensor(numbers): return numbers
		def empty(size, dtype, device): return Tensor()
		def as_strided(t, shape, strides): return t
		class Space:
		    def __getattr__(self, op): return lambda *args: print(op, *[a and a.said for a in args])
		class ops:
		    aten = Space()
		    my = Space()
	END
	PYTHONPATH=torch python3 ops.py --device cpu --once >said
	equal "$(cat said)" $'varlen - - [0, 96, 192, 300] [0, 4, 8, 12]\n_grouped_mm - - [10, 20] None None'
}

@test "traces of ranks are added up; streams and sheets are read as well" {
	trace_of_ops t.json
	cp t.json u.json
	tl-replay -q -d two t.json u.json
	equal "$(cell two/replay.tsv name_count 1)" 2
	tl-parse t.json | tl-link | tl-replay -q -d one
	tl-multi -q -b . -e json -f t.json -p t --output_tsvs_dir sheets >/dev/null 2>&1 || true
	tl-replay -q -d plain t.json
	diff -r one plain
}

@test "tl-multi's sheets become the same files" {
	mkdir in
	trace_of_ops in/rank_0.json
	tl-multi -q -b in --output_tsvs_dir sheets >/dev/null
	tl-replay -q --sheets sheets -d from-sheets
	tl-replay -q -d from-trace in/rank_0.json
	rm from-trace/coverage.tsv
	diff -r from-sheets from-trace
}

@test "records of single operators, by name and UID" {
	trace_of_ops t.json
	tl-replay -q --op aten::mm --ir t.json >mm.jsonl
	equal "$(cat mm.jsonl)" '{"op_name": "aten::mm", "replay_ir": {"list_pos_args": [{"arg_name": "self", "arg_type": "Tensor", "value": {"shape": [64, 32], "dtype": "float", "strides": [32, 1], "init": "normal"}}, {"arg_name": "mat2", "arg_type": "Tensor", "value": {"shape": [32, 16], "dtype": "float", "strides": [1, 32], "init": "normal"}}], "list_kwargs": []}, "count": 1}'
	tl-replay -q --uid 0 --ir t.json | cmp - mm.jsonl
	tl-replay -q --op aten::add --ir t.json >add.jsonl
	equal "$(grep -c . add.jsonl)" 1
	like "$(cat add.jsonl)" '"strides": \[0\], .*"arg_name": "other", "arg_type": "Scalar", "value": 2\}.*"count": 2\}$'
	tl-replay -q --op aten::convolution --ir -o conv.jsonl t.json
	like "$(cat conv.jsonl)" '\{"arg_name": "bias", "arg_type": "Tensor\?", "value": null\}, \{"arg_name": "stride", "arg_type": "int\[\]", "value": \[2, 2\]\}'
	like "$(cat conv.jsonl)" '\{"arg_name": "transposed", "arg_type": "bool", "value": false\}.*\{"arg_name": "groups", "arg_type": "int", "value": 1\}'
}

@test "records of calls with a tensor for the result, types by number, texts with a default" {
	op aten::mul 100 10 "$(args '[[4],[],[4]]' '[[1],[],[1]]' '["float","double","float"]' '["","",""]')"
	op aten::_to_copy 200 10 "$(args '[[2],[],[],[],[],[],[]]' '[[1],[],[],[],[],[],[]]' '["int","Scalar","","","","Scalar",""]' '["","4","","","","False",""]')"
	op aten::gelu 300 10 "$(args '[[2],[]]' '[[1],[]]' '["float",""]' '["",""]')"
	op aten::copy_ 400 10 "$(args '[[2],[2],[]]' '[[1],[1],[]]' '["float","float","Scalar"]' '["","","False"]')"
	op aten::sum 500 10 "$(args '[[2,2],[],[],[]]' '[[2,1],[],[],[]]' '["float","ScalarList","Scalar",""]' '["","[0]","False",""]')"
	trace t.json
	record() {
		tl-replay -q --op "$1" --ir t.json | sed -E 's/\{"shape": \[[0-9, ]*\], "dtype": "([a-z]*)", "strides": \[[0-9, ]*\], "init": ("normal"|null)\}/\1-\2/g; s/\{"arg_name": ("[a-z_]*"), "arg_type": ("[^"]*"), "value": ([^}]*)\}/\1 \2 \3/g; s/.*"list_pos_args": //; s/, "count.*//'
	}
	equal "$(record aten::mul)" '["self" "Tensor" float-"normal", "other" "Tensor" double-"normal"], "list_kwargs": ["out" "Tensor(a!)" float-"normal"]}'
	equal "$(record aten::_to_copy)" '["self" "Tensor" int-"normal"], "list_kwargs": ["dtype" "ScalarType?" 4, "layout" "Layout?" null, "device" "Device?" null, "pin_memory" "bool?" null, "non_blocking" "bool" false, "memory_format" "MemoryFormat?" null]}'
	equal "$(record aten::gelu)" '["self" "Tensor" float-"normal"], "list_kwargs": []}'
	equal "$(record aten::copy_)" '["self" "Tensor(a!)" float-null, "src" "Tensor" float-"normal", "non_blocking" "bool" false], "list_kwargs": []}'
	equal "$(record aten::sum)" '["self" "Tensor" float-"normal", "dim" "int[1]?" [0], "keepdim" "bool" false], "list_kwargs": ["dtype" "ScalarType?" null]}'
}

@test "operators that are not declared, or have unknown types, are named and left out" {
	trace_of_ops t.json
	run -0 --separate-stderr tl-replay --op aten::mm,my::norm --ir t.json
	like "$stderr" 'my::norm, 1 times: left out: no declaration of my::norm is known'
	equal "${#lines[@]}" 1
	run -1 --separate-stderr tl-replay -q --op my::norm t.json
	failed 1 't.json: none of these operators can be run again'
	printf 'my::norm\tTensor x, *, float eps\n' >mine.tsv
	tl-replay -q --op my::norm --ir --schemas mine.tsv t.json >norm.jsonl
	like "$(cat norm.jsonl)" '"list_kwargs": \[\{"arg_name": "eps", "arg_type": "float", "value": 0\.5\}\]'
	printf '# a comment\nmy::norm\tTensor\n' >bad.tsv
	run -1 --separate-stderr tl-replay -q --op my::norm --schemas bad.tsv t.json
	failed 1 'bad.tsv:2:1: expected an operator'
	op aten::mm 100 10 "$(args '[[64,32],[32,16]]' '[[32,1],[16,1]]' '["my_type","my_type"]' '["",""]')"
	launch 1 101 80
	trace odd.json
	run -0 --separate-stderr tl-replay -d odd odd.json
	like "$stderr" 'gemm 0: no declaration of aten::mm fits its arguments, so there is no script of it'
	equal "$(sed 1d odd/hipblaslt-bench.sh)" '# gemm 0: aten::mm: unknown type of elements my_type'
	[ ! -e odd/gemm-0.py ]
}

@test "scripts are Python, and make the calls that were recorded" {
	need python3
	trace_of_ops t.json
	tl-replay -q --op aten::mm,aten::add,aten::convolution t.json >ops.py
	mkdir torch
	cat >torch/torch.py <<-'END'
		class Type:
		    def __init__(self, name): self.name, self.is_floating_point, self.is_complex = name, name[0] == "f", False
		float32, int64, bool = Type("float32"), Type("int64"), Type("bool")
		class Tensor:
		    def __init__(self, size, dtype): self.text = f"{dtype.name}[{size}]"
		    def normal_(self): self.text += " normal"
		    def random_(self, low, high): self.text += f" {low}-{high}"
		def empty(size, dtype, device): return Tensor(size, dtype)
		def as_strided(t, shape, strides): return f"{t.text} {shape} {strides}"
		class Space:
		    def __init__(self, name): self.name = name
		    def __getattr__(self, op): return lambda *args, **kwargs: print(self.name, op, *args, kwargs)
		class ops: aten = Space("aten")
	END
	PYTHONPATH=torch python3 ops.py --device cpu --once >said
	equal "$(cat said)" "$(cat <<-'END'
		aten mm float32[2048] normal [64, 32] [32, 1] float32[512] normal [32, 16] [1, 32] {}
		aten convolution float32[384] normal [2, 3, 8, 8] [192, 64, 8, 1] float32[135] normal [5, 3, 3, 3] [27, 9, 3, 1] None [2, 2] [1, 1] [1, 1] False [0, 0] 1 {}
		aten add int64[1] 0-1 [8] [0] 2 1 {}
	END
	)"
	PYTHONPATH=torch python3 ops.py --device cpu --warm-up 0 --calls 2 | grep -v '^aten' >table
	equal "$(cut -d, -f 1-3 table)" "$(printf '%s\n' no,op,count 0,aten::mm,1 1,aten::convolution,1 2,aten::add,2)"
}

@test "scripts measure on a GPU by its events, tell which calls fail, and fill tensors by their type" {
	need python3
	trace_of_ops t.json
	tl-replay -q --op aten::mm,aten::add,aten::convolution t.json >ops.py
	mkdir torch
	cat >torch/torch.py <<-'END'
		class Type:
		    def __init__(self, name, real): self.name, self.is_floating_point, self.is_complex = name, real, False
		float32, int64, bool = Type("float32", True), Type("int64", False), Type("bool", False)
		class Tensor:
		    def __init__(self, size, dtype, device): self.shape, self.dtype, self.device = [size], dtype, device
		    def normal_(self):
		        if self.device != "cpu": raise NotImplementedError()
		        self.text = "numbers"
		        return self
		    def copy_(self, other): self.text = "copy of " + other.dtype.name
		    def random_(self, low, high): self.text = f"{low} to {high}"
		def empty(size, dtype, device): return Tensor(size[0] if isinstance(size, list) else size, dtype, "cpu" if dtype is float32 and isinstance(size, list) else device)
		def as_strided(t, shape, strides): return t
		class Space:
		    def mm(self, *args): print("mm", *[a.text for a in args])
		    def add(self, a, b, alpha=None): print("add", a.text)
		    def convolution(self, *args): raise RuntimeError("too large")
		class ops: aten = Space()
		class Event:
		    def __init__(self, enable_timing): print("event", enable_timing)
		    def record(self): print("record")
		    def elapsed_time(self, end): return 0.5
		class cuda:
		    Event = Event
		    set_device = lambda device: print("device", device)
		    synchronize = lambda device: print("wait", device)
	END
	run -1 --separate-stderr env PYTHONPATH=torch python3 ops.py --device cuda:1 --integers 7 --warm-up 1 --calls 2
	equal "$stderr" 'aten::convolution: too large'
	equal "$output" "$(cat <<-'END'
		device cuda:1
		no,op,count,us
		mm copy of float32 copy of float32
		event True
		event True
		wait cuda:1
		record
		mm copy of float32 copy of float32
		mm copy of float32 copy of float32
		record
		wait cuda:1
		0,aten::mm,1,250.0
		add 0 to 7
		event True
		event True
		wait cuda:1
		record
		add 0 to 7
		add 0 to 7
		record
		wait cuda:1
		2,aten::add,2,250.0
	END
	)"
	run -1 --separate-stderr env PYTHONPATH=torch python3 ops.py --once
	equal "$output" $'mm copy of float32 copy of float32\nwait cuda\nadd 0 to 1\nwait cuda'
	sed -i 's/^float32, int64, bool = .*/float32 = Type("float32", True)/' torch/torch.py
	run -1 --separate-stderr env PYTHONPATH=torch python3 ops.py --once
	like "$stderr" 'aten::add: this PyTorch has no type long int'
}

@test "all columns measure with tensors that caches do not hold: --rotate" {
	need python3
	trace_of_ops t.json
	tl-replay -q -d out t.json
	like "$(sed -n 2p out/hipblaslt-bench.sh)" ' --rotating 512 '
	tl-replay -q --rotate 3 -d some t.json
	like "$(sed -n 2p some/hipblaslt-bench.sh)" ' --rotating 3 '
	like "$(sed -n 2p some/hipblaslt-bench.yaml)" ', rotating: 3, '
	mkdir torch
	cat >torch/torch.py <<-'END'
		class Type: is_floating_point = True
		float32 = Type()
		made = 0
		class Tensor:
		    def __init__(self, size):
		        global made
		        made += 1
		        self.size, self.number = size, made
		    def normal_(self): return self
		    def numel(self): return self.size
		    def element_size(self): return 4
		def empty(size, dtype, device): return Tensor(size)
		def as_strided(t, shape, strides): return t
		class Space:
		    def mm(self, a, b): print(a.number)
		class ops: aten = Space()
	END
	# turns ARGUMENT...: the numbers of the left matrices, in the order of the calls
	turns() { PYTHONPATH=torch python3 "$@" --device cpu --warm-up 1 | grep -v , | xargs; }
	# tensors of 64 * 32 + 32 * 16 numbers, 10 KiB: 3 MB are 308 of them
	tl-replay -q --op aten::mm t.json >mm.py
	equal "$(turns mm.py --calls 3)" '1 3 5 1'
	equal "$(turns mm.py --calls 3 --rotate 0)" '1 1 1 1'
	equal "$(turns some/gemm-0.py --calls 400 | tr ' ' '\n' | sort -u | wc -l)" 309
	torch
	: >hipblaslt-bench.prints
	tool hipblaslt-bench
	run_tools -q --rotate 7 t.json
	like "$(cat out/hipblaslt-bench-0.log)" ' --rotating 7 '
	run -2 --separate-stderr tl-replay --rotate -1 t.json
	failed 2 '--rotate'
}

@test "--run: logs become commands, results are found by the name of their column" {
	trace_of_ops t.json
	torch
	printf 'hipBLASLt version 1\n[0]:transA,m,us\n   N,9,12.5\n    --Solution index: 3\n    --kernel name: k\n' >hipblaslt-bench.prints
	printf 'stats: name, n, timeMs\nstats: fwd, 9, 0.014\nForward Convolution Verifies OK\n' >MIOpenDriver.prints
	tool hipblaslt-bench
	tool MIOpenDriver
	run -0 --separate-stderr run_tools t.json
	equal "$(cat out/hipblaslt-bench-0.log)" 'hipblaslt-bench -m 9  --algo_method heuristic --requested_solution 1 --rotating 512 --cold_iters 100 --iters 100 --flush --initialization trig_float --use_gpu_timer --print_kernel_info'
	equal "$(cat out/miopen-driver-0.log)" 'MIOpenDriver conv -n 9'
	equal "$(cut -d ' ' -f 1-3 calls)" "$(printf '%s\n' 'hipblaslt-bench -m 9' 'hipblaslt-bench --api_method c' 'hipblaslt-bench -m 9' 'MIOpenDriver conv -n')"
	equal "$(cat out/gemm_node_replay.tsv)" "$(cat <<-'END'
		gemm no.	Avg. gemm-bench time (us)	Avg. replay time (us)	Avg. profile time (us)	Diff profile vs. replay (us)	Diff profile vs. gemm-bench (us)	Diff profile vs. replay (pct)	Diff profile vs. gemm-bench (pct)
		0	12.5	40.0	80.0	-40.0	-67.5	-50.0	-84.375
		1	12.5		18.0		-5.5		-30.555555555555557
		2	12.5	40.0	2.0	38.0	10.5	1900.0	525.0
	END
	)"
	equal "$(cut -f 2 out/conv_node_replay.tsv | tail -n 1)" 14.0
	# the call that failed is named, and its benchmark has the command made of the arguments
	like "$stderr" 'gemm 1: gemm-1.py failed with status 1'
	equal "$(cat out/hipblaslt-bench-1.log)" "$(sed -n 3p out/hipblaslt-bench.sh)"
}

@test "--run: passes of a backward call add up; attention is run by PyTorch alone" {
	add_training
	trace t.json
	torch
	printf 'stats: name, timeMs\nstats: bwdd, 0.003\nstats: name, timeMs\nstats: bwdw, 0.004\n' >MIOpenDriver.prints
	tool MIOpenDriver
	run -0 --separate-stderr run_tools t.json
	equal "$(sed -n 2p out/conv_node_replay.tsv | cut -f 1-4)" $'0\t7.0\t40.0\t30.0'
	equal "$(cut -f 1-4 out/attn_node_replay.tsv | tail -n +2)" $'0\t\t40.0\t40.0\n1\t\t40.0\t20.0'
	unlike "$stderr" 'attention: no benchmark'
	[ ! -e out/hipblaslt-bench-1.log ]
}

@test "tl-multi -r takes attention and what reaches 99 %, or what TraceLens takes" {
	mkdir in
	add_ops
	op aten::_scaled_dot_product_flash_attention 800 10 "$(args '[[2,4,64,32],[2,4,64,32],[2,4,64,32],[],[],[],[]]' '[[8192,2048,32,1],[8192,2048,32,1],[8192,2048,32,1],[],[],[],[]]' '["float","float","float","Scalar","Scalar","Scalar",""]' '["","","","0.","True","False",""]')"
	launch 8 801 1
	trace in/rank_0.json
	torch
	: >hipblaslt-bench.prints
	tool hipblaslt-bench
	PATH=$PWD/tools:$PATH tl-multi -q -b in --replay-only --output_tsvs_dir all
	PATH=$PWD/tools:$PATH tl-multi -q -b in --replay-only --replay-reference --output_tsvs_dir some
	equal "$(wc -l all/* | awk '{ print $1 }' | xargs)" '2 2 4 8'
	equal "$(wc -l some/* | awk '{ print $1 }' | xargs)" '2 3 5'
}

@test "--run: a benchmark that fails or prints no time leaves its cell empty" {
	trace_of_ops t.json
	torch
	echo 'usage: ...' >hipblaslt-bench.prints
	echo 'stats: name, timeMs' >MIOpenDriver.prints
	tool hipblaslt-bench 3
	tool MIOpenDriver
	run -0 --separate-stderr run_tools t.json
	like "$stderr" 'gemm 0: hipblaslt-bench failed with status 3'
	like "$stderr" 'conv 0: MIOpenDriver printed no time'
	equal "$(sed -n 2p out/gemm_node_replay.tsv)" $'0\t\t40.0\t80.0\t-40.0\t\t-50.0\t'
	equal "$(sed -n 2p out/conv_node_replay.tsv | cut -f 1-4)" $'0\t\t40.0\t7.0'
}

@test "--run: tools that are missing are named, cublasMatmulBench stands in" {
	trace_of_ops t.json
	mkdir tools
	program=$(command -v tl-replay)
	alone() { PATH=$PWD/tools "$program" --run -d out "$@"; }
	run -0 --separate-stderr alone t.json
	like "$stderr" 'the scripts were not run: python3 is not in PATH'
	like "$stderr" 'products of matrices: no benchmark was run: hipblaslt-bench or cublasMatmulBench is not in PATH'
	like "$stderr" 'convolutions: no benchmark was run: MIOpenDriver is not in PATH'
	equal "$(sed -n 2p out/gemm_node_replay.tsv)" $'0\t\t\t80.0\t\t\t\t'
	printf '#!/bin/sh\necho "^^^^ gpu time statistics: runs 100, mean 0.025 ms, min 0.02 ms"\n' >tools/cublasMatmulBench
	chmod +x tools/cublasMatmulBench
	alone -q --output_tsvs_dir sheets t.json
	equal "$(cut -f 2 sheets/gemm_node_replay.tsv)" $'Avg. gemm-bench time (us)\n25.0\n25.0'
}

@test "tl-multi -r: sheets behind those of their operators, files beside the traces" {
	need unzip
	mkdir in
	trace_of_ops in/rank_0.json
	PATH=$PWD/tools:$PATH run -1 --separate-stderr tl-multi -b in -r --output_tsvs_dir sheets
	equal "$output" $'Dependency not found: ROCm platform\nNode replay dependencies not met, terminating...'
	[ ! -e sheets ]
	torch
	printf 'us,\n12.5,\n' >hipblaslt-bench.prints
	printf 'name,timeMs\nx,0.014\n' >MIOpenDriver.prints
	: >amd-smi.prints
	tool hipblaslt-bench
	tool MIOpenDriver
	tool amd-smi
	PATH=$PWD/tools:$PATH tl-multi -q -b in -r --output_tsvs_dir sheets -o book.xlsx
	equal "$(cut -f 2,3 sheets/gemm_node_replay.tsv | tail -n +2)" $'12.5\t40.0\n12.5\t\n12.5\t40.0'
	equal "$(cut -f 2 sheets/conv_node_replay.tsv | tail -n 1)" 14.0
	[ -s in/hipblaslt-bench-0.log ]
	[ -s in/gemm-0.py ]
	names=$(unzip -p book.xlsx xl/workbook.xml | grep -o '<sheet name="[^"]*' | cut -d '"' -f 2 | head -n 4 | tr '\n' ' ')
	equal "$names" 'gemm gemm_node_replay conv conv_node_replay '
}

@test "tl-multi --replay-only: a workbook of the two sheets, also without tools" {
	need unzip
	mkdir in
	trace_of_ops in/rank_0.json
	run -0 --separate-stderr tl-multi -b in --replay-only -d
	like "$output" '= Creating node replay report =.*Excel file: in_rank_0_node_replay_report.xlsx.*Filters: rank_0.Traces:.rank_0.json'
	run -0 --separate-stderr tl-multi -b in --replay-only --replay_dir files
	like "$stderr" 'convolutions: no benchmark was run: MIOpenDriver is not in PATH'
	equal "$(unzip -p in/in_rank_0_node_replay_report.xlsx xl/workbook.xml | grep -o '<sheet name="[^"]*' | cut -d '"' -f 2 | tr '\n' ' ')" 'gemm_node_replay conv_node_replay '
	[ -s files/conv-0.py ]
	equal "$(ls in)" $'in_rank_0_node_replay_report.xlsx\nrank_0.json'
	# a sheet of an earlier run is not run again
	mkdir none sheets
	op aten::relu 100 10
	trace none/rank_0.json
	echo junk >sheets/conv.tsv
	run -0 --separate-stderr tl-multi -b none --replay-only --output_tsvs_dir sheets
	like "$stderr" 'no products of matrices, no convolutions and no attention with recorded shapes'
	equal "$(ls sheets)" ''
	run -2 --separate-stderr tl-multi -b none --replay-only -a
	failed 2 '--replay-only does not go with -a'
}

# bats test_tags=quick
@test "a log cannot run other programs" {
	trace_of_ops t.json
	mkdir tools
	printf '#!/bin/sh\ncase "$*" in *import*) exit 0 ;; *--once) echo "touch %s/ran" >"$HIPBLASLT_LOG_FILE" ;; esac\n' "$PWD" >tools/python3
	chmod +x tools/python3
	: >hipblaslt-bench.prints
	tool hipblaslt-bench
	run -0 --separate-stderr run_tools t.json
	like "$stderr" 'gemm 0: the log has a line that is no command of hipblaslt-bench'
	[ ! -e ran ]
}

@test "a trace without such operators, wrong usage" {
	op aten::relu 100 10
	trace none.json
	run -0 --separate-stderr tl-replay -d out none.json
	like "$stderr" 'no products of matrices, no convolutions and no attention with recorded shapes'
	equal "$(wc -l <out/replay.tsv)" 1
	run -1 --separate-stderr tl-replay --op aten::nothing none.json
	failed 1 'none.json: no operator has such a name or UID'
	run -2 --separate-stderr tl-replay --op aten::mm --run none.json
	failed 2 'do not go with --run'
	run -2 --separate-stderr tl-replay --ir none.json
	failed 2 '--ir needs --op or --uid'
	run -2 --separate-stderr tl-replay --uid x none.json
	failed 2 '--uid expects a number'
}

@test "what a trace says about arguments is not trusted" {
	op aten::mm 100 10 "$(args '[[9223372036854775807,2],[2,9223372036854775807]]' '[[2,1],[1]]' '["float","float"]' '["",""]')"
	launch 1 101 5
	op aten::mm 200 10 "$(args '[[4,4],[4,4]]' '[["a",1],[4,1]]' '["float","float"]' '["",""]')"
	launch 2 201 5
	for groups in 9223372036854775807 -1 0; do
		op aten::convolution $((++n * 100 + 200)) 10 "$(args '[[2,4,8,8],[4,3,3,3],[],[],[],[],[],[],[]]' '[[256,64,8,1],[27,9,3,1],[],[],[],[],[],[],[]]' '["float","float","","","","","Scalar","","Scalar"]' "[\"\",\"\",\"\",\"\",\"\",\"\",\"True\",\"\",\"$groups\"]")"
		launch $((n + 2)) $((n * 100 + 201)) 5
	done
	trace t.json
	run -0 --separate-stderr tl-replay -d out t.json
	unlike "$(cat out/*.sh)" '9223372036854775807'
	unlike "$(cat out/*.sh)" '^MIOpenDriver'
	equal "$(grep -c 'aten::convolution is no convolution' out/MIOpenDriver.sh)" 3
}
