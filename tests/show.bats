#!/usr/bin/env bats
# show.bats - tl-show: sheets for people; --columns of the filters.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# The longest line in characters.
longest() {
	sed 's/[^ -~]/./g' | awk 'length($0) > n { n = length($0) } END { print n }'
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	unset COLUMNS
}

# sheet LINE...: makes the file sheet.tsv; printf formats
sheet() {
	printf '%b\n' "$@" >sheet.tsv
}

@test "columns are aligned, numbers have a unit and as many digits as tell them apart" {
	sheet 'type\ttime ms\tpercent' 'computation_time\t552.189219\t51.2098' 'exposed_comm_time\t0.0\t0.0' \
		'total_time\t1078.288379\t100.0'
	run -0 --separate-stderr tl-show sheet.tsv
	equal "$stderr" ''
	equal "$output" "$(cat <<'END'
type                  time ms   percent
-----------------  ----------  --------
computation_time     552.2 ms   51.21 %
exposed_comm_time      0.0 ms    0.00 %
total_time         1,078.3 ms  100.00 %
END
)"
}

@test "a column has one unit; a small number does not become zero" {
	sheet 'name\ta_us\tbytes\tCount\tTFLOPS/s_mean' 'x\t2500000\t3000000000\t1234567\t623.456' 'y\t0.002\t1500\t2\t0.01234' \
		'z\t\t\t\t'
	run -0 tl-show sheet.tsv
	equal "$output" "$(cat <<'END'
                                      TFLOPS/s_
name      a_us      bytes      Count       mean
----  --------  ---------  ---------  ---------
x      2.500 s   3.000 GB  1,234,567      623.5
y     <0.001 s  <0.001 GB          2    0.01234
z
END
)"
}

@test "a column of MB is no time, whatever its name contains" {
	sheet 'In msg size (MB)_first\tdur_sum' '9.2736816\t22843.9' '0.0003814\t1'
	run -0 tl-show sheet.tsv
	equal "$(tail -n 2 <<<"$output")" $'    9.274  22.84 ms\n3.814e-04  <0.01 ms'
}

@test "among texts a long fraction is rounded, not cut; other numbers stay" {
	sheet 'item\tvalue' 'busy\t13.725730074686599' 'CUDA\t12.4' 'size\t8160123469' 'small\t0.00012345678' 'GPU\tNVIDIA B200'
	run -0 tl-show -w 30 sheet.tsv
	equal "$(tail -n 5 <<<"$output")" $'busy   13.73\nCUDA   12.4\nsize   8160123469\nsmall  1.235e-04\nGPU    NVIDIA B200'
}

@test "long texts are cut in the middle, and lines are no longer than the width" {
	sheet 'n\tmodule\tCount' '1\tvoid cutlass::Kernel2<cutlass_75_tensorop_bf16_s1688gemm_bf16_256x128_tn_align1>(Params)\t3'
	for width in 42 60 80; do
		run -0 tl-show -w $width sheet.tsv
		equal "$(longest <<<"$output")" $width
		like "$output" ' Kernel2<cutlass_75.*1> +3$'
	done
	run -0 tl-show -w 0 sheet.tsv
	like "$output" 'tensorop_bf16_s1688gemm_bf16_256x128_tn_align1>\(Params\) +3$'
	COLUMNS=50 run -0 tl-show sheet.tsv
	equal "$(longest <<<"$output")" 50
}

@test "of a name of C++ its arguments and namespaces go first, then arguments of its template; any other is cut in its middle" {
	sheet 'name\tx' 'void at::native::(anonymous namespace)::cunn_Soft<8, c10::BFloat16, at::Epilogue<float> >(float*, int)\t1' \
		'_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_\t2' \
		'ncclDevKernel_AllReduce_Sum_f32_RING_LL_and_more(ncclDevKernelArgsStorage<4096ul>)\t3' \
		'torch/nn/modules/transformer/encoder_layer.py(1501): _call_impl\t4' 'a::b<int>\t5'
	run -0 --separate-stderr tl-show -w 60 sheet.tsv
	equal "${lines[2]}" 'cunn_Soft<8, BFloat16, Epilogue<float> >                   1'
	like "${lines[3]}" '^vectorized_elementwise_kernel<Li4ENS0_11F.*….*viT0_T1_>  2$'
	like "${lines[4]}" '^ncclDevKernel_AllReduce_Sum_f32_RING_LL_and_more +3$'
	like "${lines[5]}" '^torch/nn/modules/tra.*….*_call_impl +4$'
	like "${lines[6]}" '^a::b<int> +5$'
	run -0 tl-show -q -w 36 --columns name,x sheet.tsv
	equal "${lines[2]}" 'cunn_Soft<8, BFloat16, E…float> >  1'
	run -0 tl-show -w 0 sheet.tsv
	like "${lines[2]}" '^void at::native::.*\(float\*, int\) +1$'
}

@test "names that differ stay different: in the middle, at the end, in their arguments only" {
	kernel='void at::native::vectorized_elementwise_kernel<4, at::native::'
	sheet 'name\tx' "${kernel}AUnaryFunctor<float, float, at::native::MulFunctor<float> > >(int)\t1" \
		"${kernel}AUnaryFunctor<float, float, at::native::AddFunctor<float> > >(int)\t2" \
		"${kernel}BUnaryFunctor<float, float, at::native::AddFunctor<float> > >(int)\t3" \
		"${kernel}BUnaryFunctor<float, float, at::native::AddFunctor<float> > >(long)\t4" \
		"${kernel}BUnaryFunctor<float, float, at::native::AddFunctor<float> > >(long)\t5"
	for width in 30 40 60 80; do
		run -0 tl-show -q -w $width sheet.tsv
		test "$(longest <<<"$output")" -le $width
		equal "${#lines[@]}" 7
		equal "$(tail -n 5 <<<"$output" | sed 's/ *[1-5]$//' | sort -u | wc -l)" 4
	done
}

@test "a letter may take two columns of a terminal, or none" {
	sheet 'name\tx' '矩阵乘法内核矩阵乘法内核矩阵乘法内核\t1' 'e\u0301e\u0301e\u0301\t2' 'plain\t3'
	run -0 tl-show -w 23 --columns name,x sheet.tsv
	equal "${lines[2]}" '矩阵乘法内核…法内核   1'
	equal "${lines[3]}" $'e\u0301e\u0301e\u0301                   2'
}

@test "a sheet has one line a row, no longer than the terminal; names that differ stay different" {
	tl-gen -n 3000 --memory >trace.json
	tl-report -q --arch H100-SXM --host --memory --series --critical_path --api_summary --range_summary --enable_kernel_summary \
		--short_kernel_study --tsv-dir out trace.json
	for rank in 0 1 2 3; do
		tl-gen --tp 2 --dp 2 --steps 2 --layers 1 --slow-rank 3 --rank $rank >rank_$rank.json
	done
	tl-ranks -q -d out rank_?.json >paths
	test "$(printf '%s\n' out/*.tsv | wc -l)" -ge 60
	for file in out/*.tsv; do
		for width in 80 120; do
			tl-show -q --top 0 --width $width "$file" >shown
			test "$(longest <shown)" -le $width
			case $file in *findings* | *overview* | *trace_health*) continue ;; esac # they have sentences
			rows=$(sed -n '/^[- ]*-[- ]*$/,$p' shown | tail -n +2 | wc -l)
			equal "$file $rows" "$file $(($(wc -l <"$file") - 1))"
		done
	done
	tl-show -q --top 0 -w 80 --columns 'Kernel name' out/kernel_summary.tsv | tail -n +3 | sort -u >shown
	equal "$(wc -l <shown)" "$(cut -f 3 out/kernel_summary.tsv | tail -n +2 | sort -u | wc -l)"
}

@test "80 columns have what tells rows of rooflines apart and how good they are; a time is shown once" {
	tl-gen -n 3000 >trace.json
	tl-roofline -q --arch H100-SXM trace.json | tl-show -q -w 80 >shown
	for column in Input Dims TB/s TFLOPS/s Roofline; do
		grep -q "$column" <(head -n 5 shown)
	done
	tl-kcat -q --sheets kernel_stats trace.json | tl-show -q -w 80 >shown
	like "$(grep -B 1 '^--' shown)" 'name .* time_ms '
	tl-ops -q trace.json | tl-show -q -w 80 >shown
	refute grep -q 'time_sum' shown
	equal "$(head -n 5 shown | grep -o 'time_ms' | wc -l)" 1
	tl-ops -q trace.json | tl-show -q -w 0 >shown
	grep -q '_sum.*_ms' shown
	sheet 'name\tInput Dims\tKernel stream\tKernel duration (µs)_sum\tCount' 'a\t\t7\t30\t1' 'a\t\t9\t30\t1'
	run -0 tl-show -q -w 80 sheet.tsv # a key without a word takes no room; streams tell rows apart
	unlike "$output" Dims
	like "${lines[-2]}" '^a +7 '
	like "${lines[-1]}" '^a +9 '
}

@test "names, verdicts and who is waited for are on every page, however narrow" {
	sheet 'Process Group Name\tranks\tCollective name\twait_ms\tstraggler_rank\tstraggler_last\tstraggler_last_pct\tstraggler_wait_ms' \
		'0\t8\tallreduce\t12.5\t3\t15\t100.0\t134.1'
	for width in 30 60 80; do
		run -0 --separate-stderr tl-show -q -w $width sheet.tsv
		like "${lines[-1]}" '^ +0 .*allreduce .* 3 +15 +100.00 % +134.1 ms$'
	done
	sheet 'name\ttime ms__b_diff\ttime ms__b_pct\ta::name\ta::time ms\tb::time ms\ta::percent\tb::percent\ttime ms__b_verdict' \
		'op\t1.5\t50.0\tother\t3.0\t4.5\t60.0\t61.0\tslower'
	run -0 tl-show -q -w 40 sheet.tsv
	like "${lines[-1]}" '^op .* slower$'
	unlike "${lines[-1]}" other
}

@test "findings have their title and advice whole on 80 columns, beside what is at stake" {
	printf 'rank\tseverity\ttitle\tat_stake_ms\tPercent of window (%%)\treachable_ms\tconfidence\teffort\tevidence\twhat_to_do\tnext_command\talso\trule\tid\n' >findings.tsv
	printf '1\thigh\tThe GPU waits 47.3 ms (27.9 %%) for the data loader\t47.27\t27.9\t47.27\thigh\tsetting\tidle_summary: rows 1, 2\tLoad ahead: DataLoader(num_workers=2), or do this work on the GPU.\ttl-timeline\t\tdataloader\tdataloader-1\n' >>findings.tsv
	run -0 --separate-stderr tl-show -w 80 findings.tsv
	equal "$(sed 1,3d <<<"$output")" "\
rank  severity  title                   stake_ms      (%)  what_to_do
----  --------  ----------------------  --------  -------  ---------------------
   1  high      The GPU waits 47.3 ms   47.27 ms  27.90 %  Load ahead:
                (27.9 %) for the data                      DataLoader(num_
                loader                                     workers=2), or do
                                                           this work on the GPU."
}

@test "a narrow page has the columns people look at, and a note tells of the rest" {
	sheet 'name\tprocess_name\tthread_name\tInput Strides\tx_std\tPercentage (%)\tkernel_details_summary' \
		'op\tpython\tmain\t((1, 2, 3), (4, 5, 6))\t1.5\t60.0\t[a long list of kernels]'
	run -0 --separate-stderr tl-show -w 25 sheet.tsv
	equal "${lines[1]}|${lines[3]}" 'name  x_std         (%)|op    1.500     60.00 %'
	equal "$stderr" 'tl-show: sheet.tsv: 3 of 7 columns are shown; --columns, --width and --expanded show others'
	run -0 --separate-stderr tl-show -q -w 25 sheet.tsv
	equal "$stderr" ''
	run -0 --separate-stderr tl-show -w 25 --columns 'process_name,name' sheet.tsv
	equal "$stderr" ''
	equal "${lines[0]}|${lines[1]}|${lines[3]}" 'process_|name      name|python    op'
}

@test "--sort, --reverse and --top choose rows; the sort is stable, empty cells come last" {
	sheet 'k\tn' 'a\t2' 'b\t10' 'c\t' 'd\t2' 'e\t-1'
	rows() { tl-show -q "$@" sheet.tsv | tail -n +3 | cut -c 1 | tr -d '\n'; }
	equal "$(rows)" abcde
	equal "$(rows -r)" edcba
	equal "$(rows --sort n)" badec
	equal "$(rows --sort n -r)" eadbc
	equal "$(rows --sort k -r)" edcba
	equal "$(rows --sort n --top 2)" ba
	equal "$(rows --top 2)" ab
	equal "$(rows -r --top 2)" ed
	run -0 --separate-stderr tl-show --top 2 sheet.tsv
	equal "$stderr" 'tl-show: sheet.tsv: 2 of 5 rows are shown; --top N shows others'
	seq 0 100 | sed '1s/.*/n/' >sheet.tsv
	equal "$(rows | wc -l)$(tl-show -q sheet.tsv | wc -l)" "$((1 - 1))27"
	equal "$(tl-show --top 0 sheet.tsv | wc -l)" 102
}

@test "--expanded shows each row as a block, with all columns and texts in full" {
	sheet 'name\tdur_us\tcall_stack' 'op\t1500\t[a very long list]' 'op2\t20\t'
	run -0 --separate-stderr tl-show -x -w 10 sheet.tsv
	equal "$stderr" ''
	equal "$output" "$(cat <<'END'
-- row 1
name        op
dur_us      1,500 µs
call_stack  [a very long list]

-- row 2
name        op2
dur_us      20 µs
call_stack
END
)"
}

@test "several sheets stand under their names; standard input is a sheet" {
	sheet 'a' '1'
	cp sheet.tsv two.tsv
	run -0 tl-show sheet.tsv two.tsv
	equal "$output" $'== sheet.tsv\na\n-\n1\n\n== two.tsv\na\n-\n1'
	equal "$(tl-show <sheet.tsv)" $'a\n-\n1'
	equal "$(tl-show -o out - <sheet.tsv; cat out)" $'a\n-\n1'
}

# bats test_tags=quick
@test "texts of a trace cannot speak to the terminal" {
	printf 'name\tx\n\033[31m\033]0;title\007\xc2\x9b1m\t\\n\\t\xff\n' >sheet.tsv
	for options in '' '-x'; do
		# shellcheck disable=SC2086
		tl-show $options sheet.tsv >out
		equal "$(LC_ALL=C tr -d '\n\040-\176\200-\377' <out | wc -c)" 0
		refute env LC_ALL=C grep -q $'\xc2\x9b' out
		grep -q $'??\xef\xbf\xbd' out
	done
}

@test "a column that is not there, and what is no sheet, are errors" {
	sheet 'a\tb' '1\t2'
	run -2 --separate-stderr tl-show --columns a,c sheet.tsv
	grep -qE "tl-show: error: sheet.tsv: no column 'c'; the sheet has a, b" <<<"$stderr"
	run -2 --separate-stderr tl-show --sort c -o out sheet.tsv
	grep -qE "no column 'c'" <<<"$stderr"
	[ ! -e out ]
	printf 'a\tb\n1\n' >sheet.tsv
	run -1 --separate-stderr tl-show sheet.tsv
	equal "$stderr" 'tl-show: error: sheet.tsv: row 1: 1 field, the header has 2'
	run -1 --separate-stderr tl-show </dev/null
	like "$stderr" 'empty input; expected a header line'
}

@test "an empty sheet and one without a name are shown" {
	sheet 'name\tCount'
	equal "$(tl-show sheet.tsv)" $'name  Count\n----  -----'
	sheet '\t' '1\t2'
	run -0 tl-show sheet.tsv
	equal "${lines[-1]}" '1  2'
}

@test "--columns of a filter writes these columns in this order" {
	tl-gen -n 2000 >trace.json
	tl-ops trace.json >all
	tl-ops --columns 'Count,name' trace.json >some
	awk -F '\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } { print $at["Count"], $at["name"] }' all | cmp - some
	tl-sheets --sheets ops_summary --columns Count --columns name trace.json | cmp - some
	tl-report -q --tsv-dir out --sheets ops_summary --columns Count,name trace.json
	cmp out/ops_summary.tsv some
	run -2 --separate-stderr tl-ops -d new --sheets ops_summary --columns name,Counts trace.json
	grep -qE "tl-ops: error: --columns: 'Counts' is not a column of ops_summary, which has name, .*Count, " <<<"$stderr"
	[ ! -e new ]
	run -2 --separate-stderr tl-ops -d new --columns name trace.json
	like "$stderr" 'tl-ops: error: --columns is for a single sheet: name it with --sheets'
}

# on_terminal ROWS COMMAND: what it shows on a terminal of 80 columns
on_terminal() {
	timeout 20 script -qec "stty cols 80 rows $1; $2" /dev/null </dev/null | tr -d '\r'
}

@test "colours and a pager on a terminal only" {
	need script
	script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip "no terminal can be made here"
	unset NO_COLOR PAGER
	export TERM=xterm TL_PAGER='sed s/^/paged:/'
	sheet 'name\tx' 'a\t'{1..9}
	equal "$(on_terminal 0 'tl-show sheet.tsv' | head -n 3)" $'\033[1mname  x\n\033[0m\033[2m----  -\n\033[0ma     1'
	plain=$(tl-show sheet.tsv)
	unlike "$plain" $'\033'
	equal "$(tl-show --color always sheet.tsv | tail -n +3 | sed 's/\x1b\[0m//')" "$(tail -n +3 <<<"$plain")"
	for no in NO_COLOR=1 TERM=dumb 'true; '; do
		option=
		[ "$no" != 'true; ' ] || option='--color never'
		equal "$no $(on_terminal 0 "$no tl-show $option sheet.tsv")" "$no $plain"
	done
	# the sheet has 11 lines
	equal "$(on_terminal 12 'NO_COLOR=1 tl-show sheet.tsv')" "$plain"
	equal "$(on_terminal 11 'NO_COLOR=1 tl-show sheet.tsv')" "$(sed 's/^/paged:/' <<<"$plain")"
	equal "$(on_terminal 5 'NO_COLOR=1 TL_PAGER= tl-show sheet.tsv')" "$plain"
	equal "$(on_terminal 5 'unset TL_PAGER; NO_COLOR=1 PAGER=cat tl-show sheet.tsv')" "$plain"
	equal "$(on_terminal 5 'NO_COLOR=1 TL_PAGER=no-such-pager tl-show sheet.tsv 2>/dev/null' | grep -v no-such)" "$plain"
	on_terminal 5 'tl-show -o file sheet.tsv'
	equal "$(cat file)" "$plain"
	tl-gen -n 300 >trace.json
	like "$(on_terminal 3 'tl-ops -q trace.json')" $'^paged:\033\\[1m'
	equal "$(on_terminal 3 'tl-ops -q trace.json | cat' | head -c 5)" "$(tl-ops -q trace.json | head -c 5)"
}

@test "a sheet with a column of depths is a tree" {
	sheet 'name\tdepth\tx' 'a\t0\t1' 'at::native::b<int, float, at::native::c>\t1\t2' 'd\t2\t3'
	equal "$(tl-show -q sheet.tsv | tail -n 3 | sed 's/ *[0-9].*//')" $'a\n at::native::b<int, float, at::native::c>\n  d'
	equal "$(tl-show -q -w 30 sheet.tsv | tail -n 3 | cut -c 1-3)" $'a\n b<\n  d'
	equal "$(tl-show -q --sort x sheet.tsv | tail -n 3 | cut -c 1)" $'d\na\na'
}

@test "usual sheets of recorded traces: 80 columns, one line a row but for sentences" {
	shared=$TL_ROOT/../shared/traces/pytorch
	[ -d "$shared" ] || skip 'no recorded traces here'
	for case in h100-owlv2 vllm-piecewise mi300-resnet; do
		tl-sheets -q -d "$case" "$shared/$case/input.json.gz" >/dev/null
		for file in "$case"/*.tsv; do
			tl-show -q --width 80 "$file" >shown
			test "$(longest <shown)" -le 80
			case $file in *findings* | *overview* | *trace_health*) continue ;; esac # they have sentences
			rows=$(sed -n '/^[- ]*-[- ]*$/,$p' shown | tail -n +2 | wc -l) n=$(($(wc -l <"$file") - 1))
			equal "$file $rows" "$file $((n < 25 ? n : 25))"
		done
	done
}
