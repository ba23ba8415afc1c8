#!/usr/bin/env bats
# diff.bats - tl-diff: two traces merged by their call trees, and what differs.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR"
	at=0 id=0 stack=()
}

# open NAME, close [ARGS]: an operator around what is added in between; with a name that ends in ".py: …" a Python frame
open() {
	stack+=("$at $1")
	at=$((at + 1))
}
# shellcheck disable=SC2120 # of operators that have any
close() {
	local top=${stack[-1]}
	unset 'stack[-1]'
	case $top in
	*.py*) frame "${top#* }" "${top%% *}" $((at - ${top%% *})) ;;
	*nn.Module*) frame "${top#* }" "${top%% *}" $((at - ${top%% *})) ;;
	*) op "${top#* }" "${top%% *}" $((at - ${top%% *})) "${1-}" ;;
	esac
	at=$((at + 1))
}
# work KERNEL [DUR [CALL [CAT]]]: a call and the device work that it launches
work() {
	id=$((id + 1))
	call $id $at 1 "${3-cudaLaunchKernel}"
	gpu $id "$1" $((at + 1000)) "${2-1}" 7 "${4-kernel}"
	at=$((at + 2))
}
# leaf OPERATOR KERNEL [DUR]: an operator with a launch
leaf() {
	open "$1"
	work "$2" "${3-1}"
	close
}
# done_with FILE: writes the trace; the next one begins
done_with() {
	trace "$1"
	at=0 id=0
}
# tree [OPTION…]: the merged tree of a.json and b.json, with two blanks for each level, and without calls
tree() {
	tl-diff -q "$@" a.json b.json | sed -e 's/[├└]── //; s/│   /\t/g; s/    /\t/g; s/\t/  /g' | grep -vE '^ *(<< trace2: |>> trace1: )?cudaLaunchKernel$'
}
lines() {
	printf '%s\n' "$@"
}

@test "the same call tree in both traces is one tree, and the tables have one half" {
	open step; leaf aten::mm gemm 3; leaf aten::add add; close
	trace a.json
	cp a.json b.json
	run -0 --separate-stderr tl-diff a.json b.json
	equal "$stderr" 'tl-diff: the traces are identical: the tables of what differs have the first one only'
	equal "$output" "$(lines '└── step' '    ├── aten::mm' '    │   └── cudaLaunchKernel' '    │       └── gemm' \
		'    └── aten::add' '        └── cudaLaunchKernel' '            └── add')"
	tl-diff -q --stats a.json b.json >stats
	equal "$(cut -f1,2,8,9,10 stats)" "$(lines $'name\tcpu_op_name\tkernel_time\tbusy_time\tlowest_common_ancestor_name' \
		$'gemm\taten::mm\t3\t3\tgemm' $'add\taten::add\t1\t1\tadd')"
	refute grep -q source stats
	tl-diff -q -d out a.json b.json
	equal "$(tr -d ' \n' <out/cpu_op_map.json)" \
		'{"aten::mm":{"kernels":["gemm"],"nn_module_parents":["root"]},"aten::add":{"kernels":["add"],"nn_module_parents":["root"]}}'
}

@test "children are matched by place if there are as many, else by name, and kernels are compared" {
	open step; leaf x1 kx; leaf y1 ky; close
	open step; leaf a ka; leaf b kb; leaf c kc; close
	done_with a.json
	open step; leaf x2 kx; leaf y1 ky2; close
	open step; leaf a ka; leaf c kc; close
	done_with b.json
	equal "$(tree)" "$(lines step '  combined: x1 | x2' '      kx' '  y1' '      combined: ky | ky2' \
		step '  a' '      ka' '  c' '      kc' '  >> trace1: b' '      >> trace1: kb')"
	tl-diff -q --stats a.json b.json >stats
	equal "$(cell stats lowest_common_ancestor_name "$(row stats name=ky2)")" 'ky | ky2'
	equal "$(cell stats lowest_common_ancestor_name "$(row stats name=kb)")" step
	equal "$(grep -c kb stats)" 1
}

@test "a wrapper gives way to its children if the other trace has these" {
	open step; leaf aten::relu k1; open aten::wrap; leaf aten::conv k2; leaf aten::bias k3; close; close
	done_with a.json
	open step; leaf aten::conv k2b; leaf aten::relu k1; leaf aten::bias k3; close
	done_with b.json
	equal "$(tree)" "$(lines step '  aten::relu' '      k1' '  aten::conv' '      combined: k2 | k2b' '  aten::bias' '      k3')"
}

@test "the common name is that of the operator in the other, or of both" {
	names() {
		open step; open "$1"; work k1 1 hipLaunchKernel; close; leaf aten::r kr; close
		done_with a.json
		open step; open "$2"; work k2 1 hipExtLaunch; close; leaf aten::r kr; close
		done_with b.json
		rm -rf out
		tl-diff -q -d out a.json b.json
		tr -d ' \n' <out/cpu_op_map.json | grep -o '^{"[^"]*"'
	}
	equal "$(names aten::conv lib::my_conv2)" '{"conv"'
	# twenty equal characters at the beginning, and nineteen
	equal "$(names aten::abcdefghijklmnopqrst1 lib::abcdefghijklmnopqrst2)" '{"abcdefghijklmnopqrst1/abcdefghijklmnopqrst2"'
	equal "$(names aten::abcdefghijklmnopqrs1 lib::abcdefghijklmnopqrs2)" '{"root"'
}

@test "operators without a name do not make a wrapper give way" {
	open step; leaf aten::relu k1; open aten::wrap; leaf '' k2; leaf x kx; close; close
	done_with a.json
	open step; open ''; leaf y ky; leaf z kz; close; leaf aten::relu k1; leaf q kq; close
	done_with b.json
	like "$(tree)" '>> trace1: aten::wrap'
}

@test "of children of one name that are the same below, those of the same place stay together" {
	open step; leaf x kx; leaf lin gemm 4; close
	done_with a.json
	open step; leaf lin gemm 1; leaf x kx; leaf lin gemm 2; close
	done_with b.json
	equal "$(tree)" "$(lines step '  x' '      kx' '  lin' '      gemm' '  << trace2: lin' '      << trace2: gemm')"
	tl-diff -q --stats a.json b.json >stats
	equal "$(cell stats lowest_common_ancestor_name "$(row stats source=trace2 kernel_time=2)")" gemm
	equal "$(cell stats lowest_common_ancestor_name "$(row stats source=trace2 kernel_time=1)")" step
}

@test "chains of single children are followed" {
	open step; open aten::linear; leaf aten::addmm k; close; leaf aten::add a; leaf z z; close
	done_with a.json
	open step; leaf aten::addmm k2; leaf aten::add a; leaf q q; leaf z z; close
	done_with b.json
	equal "$(tree)" "$(lines step '  aten::add' '      a' '  z' '      z' '  aten::addmm' '      combined: k | k2' \
		'  << trace2: q' '      << trace2: q')"
	open one; leaf a ka; leaf b kb; close
	done_with a.json
	open two; open inner; leaf a ka; leaf b kb; close; close
	done_with b.json
	equal "$(tree)" "$(lines 'combined: one | inner' '  a' '      ka' '  b' '      kb')"
}

@test "children of one name are paired by what is below them" {
	open step
	open lin; leaf mm gemm; close
	open lin; leaf conv cudnn; close
	close
	done_with a.json
	open step
	open lin; leaf conv cudnn; close
	open lin; leaf mm gemm; close
	leaf extra k
	close
	done_with b.json
	equal "$(tree)" "$(lines step '  lin' '    mm' '        gemm' '  lin' '    conv' '        cudnn' '  << trace2: extra' '      << trace2: k')"
}

@test "a child that launched nothing here stands for the one that did there" {
	open step; leaf a ka; open n; close; close
	done_with a.json
	open step; leaf a ka; open n; work kn 4; close; close
	done_with b.json
	equal "$(tree)" "$(lines step '  a' '      ka' '  n' '      << trace2: kn')"
	tl-diff -q --stats a.json b.json >stats
	equal "$(cell stats lowest_common_ancestor_name "$(row stats name=kn)")" n
}

@test "addresses and lines of Python files make no difference; loose names have no function" {
	open /app/model.py\(12\):\ run; leaf a ka; leaf b kb; leaf c kc; close
	done_with a.json
	open /app/model.py\(99\):\ run; leaf a ka; leaf b kb; close
	done_with b.json
	equal "$(tree --python)" "$(lines 'combined: /app/model.py(12): run | /app/model.py(99): run' '  a' '      ka' '  b' '      kb' \
		'  >> trace1: c' '      >> trace1: kc')"
	open step; leaf x kx; open /a/m.py\(1\):\ f; leaf p kp; leaf q kq; close; close
	done_with a.json
	open step; open /b/m.py\(2\):\ g; leaf p kp; leaf q2 kq; close; leaf x kx; leaf y ky; close
	done_with b.json
	like "$(tree --python)" '  combined: /a/m.py\(1\): f \| /b/m.py\(2\): g'
	open step; leaf 'free 0x7f01' k; leaf b k; leaf d k; close
	done_with a.json
	open step; leaf b k; leaf 'free 0x80ab' k; close
	done_with b.json
	like "$(tree)" 'step'
	like "$(tl-diff -q --stats a.json b.json | cut -f2)" 'free 0x80ab'
}

@test "modules of operators are in the tables" {
	open 'nn.Module: Net'; open 'nn.Module: Linear_12'; leaf aten::mm k; close; leaf aten::add a; close
	done_with a.json
	cp a.json b.json
	tl-diff -q --python --stats a.json b.json >stats
	cut -f13,14 stats | tail -n 2 >modules
	lines $'nn.Module: Net;nn.Module: Linear\tnn.Module: Linear' $'nn.Module: Net\tnn.Module: Net' | cmp - modules # byte by byte
}

@test "the summary joins rows that differ in their node only, the longest first" {
	open step; leaf a k 2; leaf b m 5; close
	done_with a.json
	open step; leaf a k 3; leaf b m 5; close
	done_with b.json
	tl-diff -q --unique_args a.json b.json >summary
	equal "$(cut -f1,2,5,15 summary)" "$(lines $'name\toperation_count\tsource\tkernel_time_sum' $'m\t1\ttrace1\t5' $'m\t1\ttrace2\t5' \
		$'k\t1\ttrace2\t3' $'k\t1\ttrace1\t2')"
}

@test "--summary sums up operators, with counts and times of both traces: what lost or saved most first" {
	open step; leaf a k 2; leaf a k 4; leaf b m 5; leaf gone g 7; close
	done_with a.json
	open step; leaf a k 3; leaf a other 9; leaf b m 5; close
	done_with b.json
	tl-diff -q --summary a.json b.json >summary
	lines $'cpu_op_name\ttrace1_count\ttrace2_count\ttrace1_ms\ttrace2_ms\tdifference_ms' $'gone\t1\t0\t0.007\t0.0\t-0.007' \
		$'a\t2\t2\t0.006\t0.012\t0.006' $'b\t1\t1\t0.005\t0.005\t0.0' | diff - summary
	tl-diff -q --summary b.json a.json >summary2 # the other way round, but for the signs
	cut -f 1 summary2 | diff - <(cut -f 1 summary)
	tl-diff -q --summary a.json a.json >same
	equal "$(cut -f 2,3,6 same | tail -n +2 | sort -u | tr '\t\n' ' ;')" '1 1 0.0;2 2 0.0;'
	tl-diff -q -d out a.json b.json
	cmp out/diff_summary.tsv summary
	like "$(tl-show out/diff_summary.tsv)" 'difference_ms|gone'
}

@test "operators of one node get a common name in the map of both" {
	open step; open aten::miopen_convolution; work k1 1 hipLaunchKernel; close; leaf aten::x kx; leaf aten::r kr; close
	done_with a.json
	open step; open aten::convolution; work k2 1 hipExtLaunch; close; leaf aten::r kr; close
	done_with b.json
	tl-diff -q -d out a.json b.json
	equal "$(find out -type f -name '[!.]*' -printf '%f\n' | sort | paste -sd ' ')" 'cpu_op_map.json cpu_op_map_trace1.json cpu_op_map_trace2.json diff_stats.tsv diff_stats_unique_args_summary.tsv diff_summary.tsv merged_tree_output.txt'
	equal "$(tr -d ' \n' <out/cpu_op_map_trace1.json)" '{"aten::miopen_convolution":["k1"],"aten::r":["kr"],"aten::x":["kx"]}'
	like "$(tr -d ' \n' <out/cpu_op_map.json)" '"convolution":\{"trace1":\{"kernels":\["k1"\],"nn_module_parents":\["root"\]\},"trace2":\{"kernels":\["k2"\]'
	like "$(cat out/diff_stats_unique_args_summary.tsv)" $'k1\t1\tconvolution\t'
	like "$(cat out/diff_stats.tsv)" $'k1\taten::miopen_convolution\t'
}

@test "more roots in one trace, roots that launch nothing, and fills" {
	open idle; close; leaf a ka; leaf b kb 2
	done_with a.json
	open idle; close; open a; work ka; work fill 3 cudaMemsetAsync gpu_memset; close
	done_with b.json
	equal "$(tree | head -n 1)" idle
	equal "$(tree --prune_non_gpu | head -n 1)" a
	tl-diff -q --stats a.json b.json >stats
	equal "$(cell stats lowest_common_ancestor_id "$(row stats name=kb)")" ''
	like "$(cell stats lowest_common_ancestor_id 1)" '^[0-9]+\.0$'
	equal "$(cell stats kernel_time "$(row stats name=fill)")" 3
}

@test "a report with --comparison_json_path has diff_stats and the times of both traces" {
	open step; leaf aten::relu k 2; leaf aten::conv ka 4; leaf aten::conv ka 6; close
	done_with a.json
	open step; leaf aten::relu k 3; leaf aten::conv kb 10; leaf aten::conv kb 1; close
	done_with b.json
	tl-report -q --comparison_json_path b.json --tsv-dir out a.json
	tl-diff -q --stats a.json b.json | cmp - out/diff_stats.tsv
	local sheet=out/unified_perf_summary.tsv of
	of=$(row $sheet name=aten::conv)
	equal "$(cell $sheet 'speedup (trace2/trace1)' "$of")" 1.1
	equal "$(cell $sheet 'delta_us (trace2 - trace1)' "$of")" 1.0
	equal "$(cell $sheet lca_count_trace2 "$of")" 2.0
	equal "$(cell $sheet lca_name "$of")" 'ka | kb; ka | kb'
	like "$(cell $sheet lca_id "$of")" '^[0-9]+; [0-9]+$'
	equal "$(cell $sheet lca_total_kernel_time_trace1_us "$of")" 10.0
	equal "$(cell $sheet lca_total_kernel_time_trace2_us "$of")" 11.0
	tl-report -q --tsv-dir without a.json
	refute grep -q lca_id without/unified_perf_summary.tsv
	refute ls without/diff_stats.tsv
	# what only one trace has, and the same trace
	open step; leaf aten::relu k 2; close; leaf other o 5
	done_with c.json
	tl-roofline -q --comparison_json_path a.json c.json >unified
	of=$(row unified name=other)
	equal "$(cell unified lca_id "$of")" ''
	equal "$(cell unified 'speedup (trace2/trace1)' "$of")" ''
	tl-report -q --comparison_json_path a.json --tsv-dir same -o same.xlsx a.json
	equal "$(cell same/unified_perf_summary.tsv 'speedup (trace2/trace1)')" 1.0
	equal "$(wc -l <same/diff_stats.tsv)" 4
	run -1 --separate-stderr tl-report --comparison_json_path nosuch.json a.json
	failed 1 'nosuch.json'
}

@test "what an operator is compared with stands in the order of the merged tree" {
	open step; open aten::linear; leaf aten::conv k; close; leaf aten::add a; open z; leaf aten::conv m; close; close
	done_with a.json
	open step; leaf aten::conv k2; leaf aten::add a; leaf q q; open z; leaf aten::conv m2; close; close
	done_with b.json
	tl-roofline -q --comparison_json_path b.json a.json >unified
	equal "$(cell unified lca_name "$(row unified name=aten::conv)")" 'm | m2; k | k2'
}

@test "very deep and very wide trees take no longer than others" {
	awk 'BEGIN {
		print "{\"traceEvents\":["
		for (i = 0; i < 30000; i++)
			printf "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"f\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d,\"args\":{}},\n", i, 100000 - 2 * i
	}' >a.json
	cat >>a.json <<-'END'
	{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":35000,"dur":1,"args":{"correlation":1}},
	{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":200000,"dur":1,"args":{"correlation":1,"stream":7}}]}
	END
	sed 's/"name":"k"/"name":"k2"/' a.json >b.json
	timeout 20 tl-diff -q --stats a.json b.json >stats
	equal "$(tail -n 1 stats | cut -f1,11)" $'k2\tk | k2'
	wide() {
		awk -v n="$1" 'BEGIN {
			print "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"top\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":900000,\"args\":{}}"
			for (i = 1; i <= n; i++) {
				printf ",{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1,\"args\":{\"correlation\":%d}}\n", 2 * i, i
				printf ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%d\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":1,\"args\":{\"correlation\":%d,\"stream\":7}}\n", i % 50, 1000000 + 2 * i, i
			}
			print "]}"
		}'
	}
	wide 20000 >a.json
	wide 20003 >b.json
	timeout 20 tl-diff -q --stats a.json b.json >stats
	equal "$(grep -c 'top' stats)" 40003
}

@test "wrong use and wrong traces are told" {
	leaf a k
	done_with a.json
	event '{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":1,"args":{"stream":7}}'
	trace b.json
	run -1 --separate-stderr tl-diff a.json b.json
	failed 1 'a.json, b.json: the second trace has no operators'
	head -c 300 a.json >cut.json
	run -1 --separate-stderr tl-diff -o tree a.json cut.json
	failed 1 'cut.json'
	run -1 --separate-stderr tl-diff -d files cut.json a.json
	failed 1 'cut.json'
	refute ls tree
	refute ls files
	run -1 --separate-stderr tl-diff -o nosuch/tree a.json a.json
	failed 1 'nosuch/tree'
	run -1 --separate-stderr tl-diff -o /dev/full a.json a.json
	failed 1 '/dev/full'
	run -2 --separate-stderr tl-diff a.json
	failed 2 'two traces expected, 1 given'
	run -2 --separate-stderr tl-diff - -
	failed 2 'standard input cannot be both'
	run -2 --separate-stderr tl-diff --stats --summary a.json a.json
	failed 2 'exclude each other'
	run -1 --separate-stderr tl-diff -o a.json a.json a.json
	failed 1 'a.json'
	mkdir out
	cp a.json out/diff_stats.tsv
	run -1 --separate-stderr tl-diff -d out a.json out/diff_stats.tsv
	failed 1 'out/diff_stats.tsv'
	equal "$(ls out)" diff_stats.tsv
	# before anything is read
	run -1 --separate-stderr tl-diff -d out cut.json out/diff_stats.tsv
	failed 1 'out/diff_stats.tsv: the output is the input'
}
