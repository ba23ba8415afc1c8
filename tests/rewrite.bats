#!/usr/bin/env bats
# rewrite.bats - tl-rewrite: names, pseudo operators, moved nodes.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# A trace from lines `cat name pid tid ts dur [args]`, see link.bats; every
# device event is linked by its correlation.
trace() {
	awk 'BEGIN { printf "{\"traceEvents\": [" }
	{
		rest = ""
		for (i = 7; i <= NF; i++) rest = rest (i > 7 ? " " : "") $i
		printf "%s\n{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %s, \"tid\": %s, \"ts\": %s, \"dur\": %s, \"args\": {%s}}", \
			(NR > 1 ? "," : ""), $1, $2, $3, $4, $5, $6, rest
	}
	END { print "\n]}" }' >trace.json
}

# What the rules added to trace.json: rewritten N OPTION…; N events are there.
rewritten() {
	local n=$1
	shift
	tl-link -q trace.json >before
	tl-rewrite -q "$@" trace.json | tl-view | awk -F'\t' -v n="$n" '
		$1 == "event" && $2 >= n { s = $2 " " $10; for (i = 12; i <= NF; i++) s = s " " $i; print s }
		$1 == "link" { print $2, $3 ($4 != "" ? " " $4 : "") }'
}

fused_moe() {
	trace <<-E
		cpu_op vllm::moe_forward 1 1 0 1000
		cpu_op vllm::rocm_aiter_fused_moe 1 1 10 500 "Input Dims": [[8,4]], "Concrete Inputs": ["1"]
		cuda_runtime hipLaunchKernel 1 1 20 5 "correlation": 1
		cuda_runtime hipLaunchKernel 1 1 30 5 "correlation": 2
		kernel aiter::MoeSorting_fmoe 0 7 40 5 "correlation": 1
		kernel aiter::fmoe_g1u1 0 7 50 5 "correlation": 2
	E
}

@test "a fused MoE operator's one compute kernel is isolated" {
	fused_moe
	run -0 --separate-stderr rewritten 6 --enable_pseudo_ops
	equal "$output" 'node 0
root 0
node 1 0
node 2 1
node 3 1
launch 2 4
launch 3 5
6 pseudo_op::moe_aiter_fused_1stage Input Dims:j=[[8,4]] Input type:j=null Input Strides:j=null Concrete Inputs:j=["1"] Sequence number:i=1 External id:i=2 Pseudo op:j=true
node 6 1
adopt 6 3
work 6 5'
}

@test "isolating leaves the operator sheets as they were" {
	fused_moe
	tl-rewrite -q --enable_pseudo_ops trace.json >edited
	tl-ops edited >after
	tl-ops trace.json >before 2>/dev/null
	[ -s before ]
	cmp before after
}

@test "events and links of the input pass through unchanged" {
	fused_moe
	tl-link -q --no-provenance trace.json | tl-view | grep -v ^end >before
	tl-rewrite -q --no-provenance --enable_pseudo_ops trace.json | tl-view >after
	run -0 --separate-stderr pipe 'diff before after | grep -c "^<"; true'
	equal "$output" 0
}

@test "a linked stream on stdin gives what the raw trace gives" {
	fused_moe
	tl-rewrite -q --no-provenance --enable_pseudo_ops trace.json >raw
	tl-link -q --no-provenance trace.json | tl-rewrite -q --no-provenance --enable_pseudo_ops >piped
	[ -s raw ]
	cmp raw piped
}

@test "without a gate's operator nothing is made" {
	fused_moe
	sed -i 's/vllm::moe_forward/vllm::other/' trace.json
	run -0 --separate-stderr pipe 'tl-rewrite -v --enable_pseudo_ops trace.json >out'
	like "$stderr" "operators added: 0"
}

# bats test_tags=quick
@test "a paged-attention operator keeps all pseudo operators away, with a warning" {
	fused_moe
	sed -i 's/aiter::MoeSorting_fmoe/_rocm_C::paged_attention/' trace.json
	run -0 --separate-stderr pipe 'tl-rewrite -v --enable_pseudo_ops trace.json >out'
	like "$stderr" "operators added: 0"
	like "$stderr" "rule rocm-paged-attention"
}

@test "GPTQ kernels become up and down by start, with the arguments of the operator" {
	trace <<-E
		cpu_op vllm::outplace_fused_experts 1 1 0 500 "Input Dims": [[1],[2],[3],[4],[5,6]], "Sequence number": 9
		cuda_runtime hipLaunchKernel 1 1 20 5 "correlation": 1
		cuda_runtime hipLaunchKernel 1 1 30 5 "correlation": 2
		kernel fused_moe_kernel_gptq_awq 0 7 90 5 "correlation": 1
		kernel fused_moe_kernel_gptq_awq 0 7 50 5 "correlation": 2
	E
	run -0 --separate-stderr pipe 'tl-rewrite -q --enable_pseudo_ops trace.json | tl-view | awk -F"\t" "\$1 == \"event\" && \$2 > 4 { print \$10, \$16, \$17, \$19, \$20, \$21, \$22 }"'
	equal "$output" 'pseudo_op::moe_gptq_awq_up Sequence number:i=9 External id:i=2 MoE GEMM type:s=up MoE GEMM index:i=0 MoE GEMM gated:j=true MoE topk:i=6
pseudo_op::moe_gptq_awq_down Sequence number:i=9 External id:i=1 MoE GEMM type:s=down MoE GEMM index:i=1 MoE GEMM gated:j=false MoE topk:i=6'
}

mla() {
	trace <<-E
		python_function /x/aiter/mla.py(7):_mla_decode_fwd 1 1 0 500
		cpu_op aiter::mla_decode_stage1_asm_fwd 1 1 10 100 "Input Dims": [[3,3]]
		cuda_runtime hipLaunchKernel 1 1 20 5 "correlation": 1
		kernel k 0 7 50 5 "correlation": 1
	E
	sed -i 's/:_mla/: mla/' trace.json
}

@test "a frame's children go below a pseudo operator, the new root" {
	mla
	run -0 --separate-stderr rewritten 4 --enable_pseudo_ops --python
	equal "$output" 'node 0
node 1 0
root 1
node 2 1
launch 2 3
4 pseudo_mla_decode_fwd Input Dims:j=[[3,3]] Input type:j=null Input Strides:j=null Concrete Inputs:j=null Sequence number:i=0 Pseudo op:j=true
node 4 0
reparent 4 1
root 4'
}

@test "rules on frames do nothing without frames in the tree" {
	mla
	run -0 --separate-stderr pipe 'tl-rewrite -v --enable_pseudo_ops trace.json >out'
	like "$stderr" "operators added: 0"
}

@test "an inserted operator stands between a frame and its parent" {
	trace <<-E
		cpu_op aiter::fused_moe_ 1 1 0 500 "Input Dims": [[3,3]]
		python_function f.py(7):_flydsl_moe_stage1 1 1 10 100
		cuda_runtime hipLaunchKernel 1 1 20 5 "correlation": 1
		kernel k 0 7 50 5 "correlation": 1
	E
	sed -i 's/:_flydsl/: flydsl/' trace.json
	run -0 --separate-stderr pipe "tl-rewrite -q --enable_pseudo_ops --python trace.json | tl-view | awk -F'\t' '(\$1 == \"event\" && \$2 > 3) || /replace|reparent/ { print \$2, \$3, \$4, \$5, \$10 }'"
	equal "$output" "4 cpu_op 10000 100000 pseudo_op::moe_flydsl_stage1
replace 4 1  
reparent 4 1  "
}

# made HOSTS KERNELS: what the built-in rules make of hosts in each other and the kernels that the innermost launches
made() {
	awk -F'\t' -v hosts="$1" -v kernels="$2" 'BEGIN {
		n = split(hosts, host, " > ")
		for (i = 1; i <= n; i++)
			printf "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d,\"args\":{\"Input Dims\":[[%d,1]%s],\"Concrete Inputs\":[\"%d\",\"%d\"]}}",
				(i > 1 ? ",\n" : "{\"traceEvents\":[\n"), (host[i] ~ /\.py/ ? "python_function" : "cpu_op"), host[i], i, 1000 - 2 * i,
				i, (i > 1 ? ",[2],[3],[4],[5,6]" : ""), i, 20 + i
		m = split(kernels, kernel, " ; ")
		for (i = 1; i <= m; i++) {
			printf ",\n{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"hipLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":5,\"args\":{\"correlation\":%d}}", 100 + 10 * i, i
			printf ",\n{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":5,\"args\":{\"correlation\":%d}}", kernel[i], 200 + 10 * i, i
		}
		print "]}"
	}' >trace.json
	tl-rewrite -q --enable_pseudo_ops --python --set model=M --set tp=8 trace.json | tl-view | awk -F'\t' -v known="$1 > hipLaunchKernel > $2" '
		BEGIN { n = split(known, name, / > | ; /); for (i = 1; i <= n; i++) old[name[i]] = 1 }
		$1 == "event" && !($10 in old) {
			s = s (s == "" ? "" : "; ") $10
			for (i = 12; i <= NF; i++)
				if ($i !~ /^(Input type|Input Strides|Concrete Inputs|Sequence number|External id|Pseudo op):/) s = s ", " $i
		}
		$1 == "link" && $2 ~ /adopt|work|replace|reparent/ { s = s "; " $2 " " $3 " " $4 }
		END { print (s == "" ? "-" : s) }'
}

@test "each built-in rule makes what its examples say" {
	local row hosts kernels want n=0
	while IFS=$'\t' read -r row hosts kernels want; do
		equal "$row: $(made "$hosts" "$kernels")" "$row: $want"
		n=$((n + 1))
	done < <(grep -v '^#' "$TL_ROOT/tests/vectors/pseudo-ops.tsv")
	[ "$n" -gt 50 ]
}

@test "SGLang names lose their running number, once" {
	trace <<-E
		cpu_op sglang_profiler::op_12_34 1 1 0 5
		cpu_op sglang_profiler::op 1 1 10 5
		cpu_op other::op_1 1 1 20 5
	E
	run -0 --separate-stderr pipe 'tl-rewrite -q --enable_pseudo_ops trace.json | tl-view | awk -F"\t" "\$1 == \"event\" { print \$10 }"'
	equal "$output" "sglang_profiler::op_12
sglang_profiler::op
other::op_1"
}

@test "rules of one's own rename, recategorize, move and isolate" {
	trace <<-E
		cpu_op aten::linear 1 1 0 500 "Input Dims": [[3,3]]
		cpu_op aten::mid 1 1 5 400
		cpu_op aten::addmm 1 1 10 300
		cuda_runtime hipLaunchKernel 1 1 20 5 "correlation": 1
		kernel my_gemm 0 7 50 5 "correlation": 1
	E
	printf 'rule\tshort\trename\n\twhat\t^aten::(.*)\n\tto\tx::\\1\n' >rules
	printf '# a comment\n\nrule\tcat\tcategory\n\twhat\t^cuda_runtime$\n\tto\thip_runtime\n' >>rules
	printf 'rule\tup\tmove\n\top\tx::addmm\n\tunder\t^x::lin\n' >>rules
	printf 'rule\tgemm\tisolate\n\top\tx::addmm\n\tkernel-i\tGEMM\n\tname\tmy::gemm\n\targ\ta\t"t"\n\targ\tb\t[1, 2]\n' >>rules
	run -0 --separate-stderr rewritten 5 --rules rules
	equal "$(tail -n 5 <<<"$output")" 'reparent 0 2
5 my::gemm Input Dims:j=null Input type:j=null Input Strides:j=null Concrete Inputs:j=null Sequence number:i=2 External id:i=1 Pseudo op:j=true a:s=t b:j=[1,2]
node 5 2
adopt 5 3
work 5 4'
	run -0 --separate-stderr pipe 'tl-rewrite -q --rules rules trace.json | tl-view | awk -F"\t" "\$1 == \"event\" { print \$8, \$10 }" | head -n 4'
	equal "$output" "cpu_op x::linear
cpu_op x::mid
cpu_op x::addmm
hip_runtime hipLaunchKernel"
	run -0 --separate-stderr tl-rewrite -v -o edited --rules rules trace.json
	equal "$stderr" "$(printf 'tl-rewrite: %s\n' 'operators renamed: 3' 'operators added: 1' 'events moved: 1')"
}

@test "a gate on a kernel asks for a kernel, not for a call or a copy of that name" {
	local kind
	printf 'rule\tx\tmove\n\top\tmm\n\tunder\touter\n\tif-kernel\tgemm\n' >rules
	for kind in kernel cpu_op gpu_memcpy; do
		trace <<-E
			cpu_op outer 1 1 0 500
			cpu_op inner 1 1 10 400
			cpu_op mm 1 1 20 300
			$kind my_gemm 1 1 600 5
		E
		tl-rewrite -q --rules rules trace.json | tl-view | grep -c reparent >>said || true
	done
	equal "$(<said)" $'1\n0\n0'
}

@test "only kernels are isolated, no copy of that name" {
	trace <<-E
		cpu_op mm 1 1 0 500
		cuda_runtime cudaMemcpyAsync 1 1 20 5 "correlation": 1
		gpu_memcpy my_gemm 0 7 50 5 "correlation": 1
		cuda_runtime cudaLaunchKernel 1 1 30 5 "correlation": 2
		kernel my_gemm 0 7 60 5 "correlation": 2
	E
	printf 'rule\tgemm\tisolate\n\top\tmm\n\tkernel\tgemm\n\tname\tmy::gemm\n' >rules
	equal "$(tl-rewrite -q --rules rules trace.json | tl-view | grep $'link\twork')" $'link\twork\t5\t4'
}

@test "renaming alone works on a stream that is not linked" {
	printf 'rule\tshort\trename\n\twhat\t^aten::\n\tto\t\n' >rules
	run -0 --separate-stderr pipe "tl-parse '$TL_ROOT/tests/data/worked-example.json' | tl-rewrite --rules rules | tl-ops | cut -f 1 | sort"
	equal "$output" "foo
name
outer"
}

@test "a mistake in the rules names file, line and column" {
	local case
	fused_moe
	while IFS='|' read -r case message; do
		printf '%b' "$case" >rules
		run --separate-stderr tl-rewrite --rules rules trace.json
		failed 1 "$message"
		equal "$output" ""
	done <<-'E'
		rule\tx\n|rules:1:1: expected: rule, name, action
		rule\tx\tfly\n|rules:1:8: expected rename.*: 'fly'
		\top\tx\n|rules:1:2: expected a line 'rule' first
		rule\tx\trename\n\twhat\t(\n|rules:2:7: regular expression '\('
		rule\tx\trename\n|rules:1:1: rule 'x' has no what$
		rule\tx\trename\n\twhat\ta\n|rules:1:1: rule 'x' has no to$
		rule\tx\tcategory\n\tto\ta\n|rules:1:1: rule 'x' has no what$
		rule\tx\tmove\n\top\ta\n\tkernel\tb\n|rules:3:2: 'kernel' does not belong
		rule\tx\tmove\n\top\ta\n\tbad\tb\n|rules:3:2: unknown key: 'bad'
		rule\tx\tisolate\n\targ\ta\t@no 1\n|rules:2:8: unknown function
		rule\tx\tisolate\n\targ\ta\t@dim 1 x 2\n|rules:2:15: expected a number from 0.*: 'x'
		rule\tx\tisolate\n\targ\ta\t@dim 1 -1 2\n|rules:2:15: expected a number from 0.*: '-1'
		rule\tx\tisolate\n\targ\ta\t@below x 1 -1 2\n|rules:2:19: expected a number from 0.*: '-1'
		rule\tx\tisolate\n\targ\ta\t@set-int x y\n|rules:2:19: expected an integer.*: 'y'
		rule\tx\tisolate\n\targ\ta\t@set-int x 0 1\n|rules:2:8: the default 0 is less than the least
		rule\tx\tisolate\n\targ\ta\t@set-int x 0 y\n|rules:2:21: expected an integer.*: 'y'
		rule\tx\tisolate\n\targ\ta\t@set-int x\n|rules:2:18: @set-int has too few operands
		rule\tx\tisolate\n\targ\ta\t@set-int x 1 1 1\n|rules:2:23: @set-int has too many operands
		rule\tx\twrap\n\targ\ta\t@capture 2 (.)\n|rules:2:8: the regular expression has no group 2
		rule\tx\twrap\n\targ\ta\t@capture -1 (.)\n|rules:2:17: expected a number from 0
		rule\tx\tisolate\n\targ\ta\t{\n|rules:2:8: expected a JSON value
		rule\tx\tisolate\n\top a\n|rules:2:2: unknown key
		rule\tx\tisolate\n\top\ta\n|rules:1:1: rule 'x' has no name
		rule\tx\trename\n\twhat\t(a)b\n\tto\tx\\1\\2\n|rules:3:8: the regular expression has no such group: '..'
		rule\tx\tcategory\n\tto\t\\1\n\twhat\ta\n|rules:2:5: the regular expression has no such group
		rule\tx\trename\n\twhat\ta\n\tto\tb\\t\n|rules:3:6: expected .0 to .9 for a group
		rule\tx\trename\n\twhat\ta\n\tto\tb\\\n|rules:3:6: expected .0 to .9 for a group
	E
}

@test "what is given twice in a rule is an error" {
	fused_moe
	while IFS='|' read -r case message; do
		printf '%b' "$case" >rules
		run --separate-stderr tl-rewrite --rules rules trace.json
		failed 1 "$message"
	done <<-'E'
		rule\tx\trename\n\twhat\ta\n\twhat\tb\n|rules:3:2: given twice: 'what'
		rule\tx\trename\n\tto\ta\n\tto\tb\n|rules:3:2: given twice: 'to'
		rule\tx\tisolate\n\tcount\t1\n\tcount\t2\n|rules:3:2: given twice: 'count'
		rule\tx\tisolate\n\targ\tk\t1\n\targ\tk\t2\n|rules:3:2: argument given twice: 'k'
		rule\tx\twrap\n\tpick\ta\n\tpick\tb\tx\n|rules:3:2: never picked.*: 'b'
	E
	{ printf 'rule\tx\tisolate\n'; printf '\targ\tk%d\t1\n' {1..58}; } >rules
	run --separate-stderr tl-rewrite --rules rules trace.json
	failed 1 "rules:59:2: more arguments than an operator can have: 'k58'"
}

@test "a replacement may name the whole match, groups and a backslash" {
	trace <<<'cpu_op aten::add_ 1 1 0 5'
	printf 'rule\tx\trename\n\twhat\t(t)(x)?en\n\tto\t<\\0\\1\\2\\\\>\n' >rules
	run -0 --separate-stderr pipe 'tl-rewrite -q --rules rules trace.json | tl-view | grep ^event | cut -f 10'
	equal "$output" 'a<tent\\>::add_'
}

paged_decode() {
	trace <<-E
		cpu_op aiter::v4_attention_with_output 1 1 0 500 "Input Dims": [[3,3]]
		python_function paged_decode.py(7):_sparse_attn_v4_paged_decode 1 1 10 100
		cuda_runtime hipLaunchKernel 1 1 20 5 "correlation": 1
		kernel hca_k 0 7 50 5 "correlation": 1
	E
	sed -i 's/:_sparse/: sparse/' trace.json
}
settings() { # OPTION…: what the pseudo operator has
	tl-rewrite -q --enable_pseudo_ops --python "$@" trace.json | tl-view |
		awk -F'\t' '$1 == "event" && $2 > 3 { for (i = 12; i <= NF; i++) if ($i ~ /^v4_(model|tp)/) print $i }'
}

@test "--set gives the rules' settings values, the environment does not" {
	paged_decode
	export TL_MODEL=x TL_TP=4
	equal "$(settings)" $'v4_model_name:j=null\nv4_tp:i=1'
	equal "$(settings --set model=DeepSeek-V4-Pro --set tp=8)" $'v4_model_name:s=DeepSeek-V4-Pro\nv4_tp:i=8'
	equal "$(settings --set model= --set tp=8 --set tp=2)" $'v4_model_name:s=\nv4_tp:i=2'
	run -2 --separate-stderr tl-rewrite --enable_pseudo_ops --set tp=many trace.json
	failed 2 "--set tp=many: 'tp' is to be an integer"
	for tp in 0 -1; do
		run -2 --separate-stderr tl-rewrite --enable_pseudo_ops --set tp=$tp trace.json
		failed 2 "--set tp=$tp: 'tp' is to be at least 1, not '$tp'"
	done
	run -2 --separate-stderr tl-rewrite --enable_pseudo_ops --set modle=x trace.json
	failed 2 "no rule asks for 'modle'"
	run -2 --separate-stderr tl-rewrite --enable_pseudo_ops --set tp trace.json
	failed 2 "expected NAME=VALUE"
}

@test "a dry run checks options and rules, reads no trace and writes nothing" {
	run -0 --separate-stderr tl-rewrite -n --enable_pseudo_ops --set tp=2 -o out no-such-file
	equal "$output$stderr" ''
	run -2 --separate-stderr tl-rewrite --dry-run --enable_pseudo_ops --set tp=many -o out
	failed 2 "--set tp=many: 'tp' is to be an integer"
	echo x >rules
	run -1 --separate-stderr tl-rewrite -n --rules rules -o out
	failed 1 'rules:1:1'
	[ ! -e out ]
}

@test "an integer that no rule bounds may be set to any, and is the default without" {
	paged_decode
	printf 'rule\tx\twrap\n\tframe\tpaged_decode$\n\tname\tn\n\targ\tv4_tp\t@set-int depth -2\n' >rules
	equal "$(settings --rules rules | tail -n 1)" v4_tp:i=-2
	equal "$(settings --rules rules --set depth=-7 | tail -n 1)" v4_tp:i=-7
}

@test "no rules are a usage error" {
	run --separate-stderr tl-rewrite trace.json
	failed 2 "nothing to do"
}
