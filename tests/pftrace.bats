#!/usr/bin/env bats
# pftrace.bats - tl-pftrace, and tl-report on traces of Perfetto.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# trace EVENT…: a trace as traceconv writes it, as t.json
trace() {
	local IFS=,
	printf '{"traceEvents":[%s]}' "$*" >t.json
}
# e CATEGORY NAME BEGIN NS [ARGS [PID]]: an event
e() {
	printf '{"ph":"X","cat":"%s","name":"%s","pid":%s,"tid":8,"ts":0,"dur":0,"args":{"begin_ns":%s,"end_ns":%s,"delta_ns":%s%s}}' \
		"$1" "$2" "${6-7}" "$3" $(($3 + $4)) "$4" "${5+,$5}"
}
gpu() { # NAME BEGIN NS [AGENT [ARGS]]
	e kernel_dispatch "$1" "$2" "$3" "\"agent\":\"${4-GPU-3}\"${5+,$5}"
}
# column SHEET COLUMNS [OPTION]…
column() {
	tl-pftrace -q --sheets "$1" --columns "$2" "${@:3}" t.json | tail -n +2
}

@test "category_summary: time by class, shares, the mean of the GPUs" {
	trace "$(gpu Cijk_a 1000000 4000000)" "$(gpu fusion 9000000 1000000)" "$(gpu ncclAllReduce 4000000 3000000)" \
		"$(gpu flash_fprop_copy 20000000 5000000 GPU-1)" "$(gpu short 30000000 4999)"
	column category_summary 'GPU ID,Category,Total runtime (ms),Total count,Fraction of compute runtime,Fraction of total runtime' >s
	equal "$(wc -l <s)" 42
	for row in $'0\tgemm\t4.0\t1.0\t0.8\t0.5' $'0\txla\t1.0\t1.0\t0.2\t0.125' $'0\trccl\t3.0\t1.0\t0.6\t0.375' \
		$'0\toverlapped_comm\t1.0\t0.0\t0.2\t0.125' $'0\tnon_overlapped_comm\t2.0\t0.0\t0.4\t0.25' \
		$'0\ttotal_incl_comm\t8.0\t0.0\t1.6\t1.0' $'1\tckfwd\t5.0\t1.0\t1.0\t1.0' $'Avg\tgemm\t2.0\t0.5\t0.4\t0.25'; do
		grep -qxF "$row" s
	done
	equal "$(sed -n '1p;14p;29p' s | cut -f 1,2)" "$(printf '%s\n' $'0\txla' $'0\ttotal_incl_comm' $'Avg\taiterbwd')"
}

@test "--communication says which kernels are of the class rccl" {
	trace "$(gpu my_ring_gemm 1000 9000)"
	printf '1\tcommunication\tmy_ring\n' >mine.tsv
	class() {
		column category_summary 'GPU ID,Category,Total count' "$@" | grep -E '^0.(gemm|rccl)' | cut -f 3 | tr '\n' ' '
	}
	equal "$(class)" '1.0 0.0 '
	equal "$(class --communication mine.tsv)" '0.0 1.0 '
}

@test "kernel_summary: by name and configuration, or by name" {
	trace "$(gpu k1 1000 9000 GPU-0 '"grid_size":128,"workgroup_size":64,"VGPR_Count":16')" \
		"$(gpu k1 20000 11000 GPU-0 '"grid_size":128,"workgroup_size":64,"VGPR_Count":16')" \
		"$(gpu k1 40000 30000 GPU-0 '"grid_size":256,"workgroup_size":64,"VGPR_Count":16')" "$(gpu k2 80000 50000)" "$(gpu nccl 200000 100000)"
	equal "$(column kernel_summary 'Name,Instances,Time,Total Time,Avg,StdDev,GridXYZ,VGPR,Total Time (ns),Avg (ns),StdDev (ns),GridX,GridY')" "$(printf '%s\n' \
		$'k2\t1\t25.0%\t50.000 μs\t50.000 μs\t0 ns\t      0    1    1\t0\t50000\t50000.0\t0.0\t0\t1' \
		$'k1\t1\t15.0%\t30.000 μs\t30.000 μs\t0 ns\t    256    1    1\t16\t30000\t30000.0\t0.0\t256\t1' \
		$'k1\t2\t10.0%\t20.000 μs\t10.000 μs\t1.000 μs\t    128    1    1\t16\t20000\t10000.0\t1000.0\t128\t1')"
	equal "$(column kernel_summary 'Name,Instances,Time %' --kernel_summary_group name --kernel_summary_baseline compute --kernel_summary_include_rccl)" \
		"$(printf '%s\n' $'nccl\t1\t100.0' $'k1\t3\t50.0' $'k2\t1\t50.0')"
	equal "$(column kernel_summary 'Name,Instances' --kernel_summary_group name --merge_kernels)" $'k\t4'
	equal "$(column kernel_summary Name --min_event_ns 50000)" k2
	equal "$(column kernel_summary Name --max_tid 7)" ''
}

@test "xla_top: no event is too short, and --top_xla is a number of rows" {
	trace "$(gpu a 1000 100)" "$(gpu b 2000 300)" "$(gpu gemm 3000 9000)"
	equal "$(column xla_top 'Kernel,Total time (ms),Count,Fraction of XLA')" "$(printf '%s\n' $'b\t0.0003\t1\t0.75' $'a\t0.0001\t1\t0.25')"
	equal "$(column xla_top Kernel --top_xla 1)" b
}

@test "hip_summary: by name, stream and operation" {
	trace "$(e hip_api hipA 1 6000 '"stream_ID":1,"operation":3')" "$(e hip_api hipA 9 8000 '"stream_ID":2,"operation":3')" "$(e HIP_API hipB 9 9000)" \
		"$(e hip_api short 1 4999)"
	equal "$(column hip_summary 'Name,Instances,Total Time,Med (ns)')" $'hipA\t2\t14.000 μs\t7000.0'
	equal "$(column hip_summary 'Stream,Op,Total Time (ns)' --hip_summary_group name+stream+op)" "$(printf '%s\n' $'2\t3\t8000' $'1\t3\t6000')"
	run -2 tl-pftrace --hip_summary_group stream t.json
	[[ $output == *'expected name, name+stream, name+op or name+stream+op'* ]]
}

@test "api_kernel_summary: call, queue and kernel" {
	local call='"corr_id":1'
	trace "$(e hip_api hipLaunchKernel 1000 500 "$call")" "$(e kernel_dispatch late 5000 70 "$call")" "$(e kernel_dispatch early 2000 80 "$call,\"agent\":\"GPU-3\"")" \
		"$(e hip_api hipMemcpyAsync 9000 10 '"corr_id":2')" "$(e memory_copy MEMORY_COPY_HOST_TO_DEVICE 9005 30 '"corr_id":2')" \
		"$(e hip_api hipFree 9900 40 '"corr_id":3')" "$(e hip_api hipLaunchKernel 9990 5 '"corr_id":4')" "$(e kernel_dispatch redzone_checker_kernel 9999 9 '"corr_id":4')"
	local columns='PID,TID,DevId,Count,QCount,TAvg_ns,AMax_ns,QMed_ns,KMin_ns,TStdDev_ns,API Name,Kernel Name'
	equal "$(column api_kernel_summary "$columns")" $'7\t8\t0\t1\t1\t1080.0\t500\t500.0\t80\t0.0\thipLaunchKernel\tearly'
	equal "$(column api_kernel_summary 'API Name,Kernel Name,QAvg_ns,TMax_ns' --allow_multi_kernel_per_api --include_nonlaunch_apis)" "$(printf '%s\n' \
		$'hipFree\t\t0.0\t0' $'hipLaunchKernel\t\t0.0\t0' $'hipLaunchKernel\tearly\t500.0\t1080' $'hipLaunchKernel\tlate\t3500.0\t4070' \
		$'hipMemcpyAsync\tMEMORY_COPY_HOST_TO_DEVICE\t0.0\t40')"
	equal "$(column api_kernel_summary 'Kernel Name' --exclude_kernel_regex= | sort)" "$(printf '%s\n' early redzone_checker_kernel)"
	equal "$(column api_kernel_summary 'Kernel Name' --exclude_kernel_regex '^(?:ear|redzone)')" late
	run -2 tl-pftrace --exclude_kernel_regex '(' --sheets api_kernel_summary no-such-file # told before the trace is read
	[[ $output == *"--exclude_kernel_regex: '(': "* ]]
}

# bats test_tags=quick
@test "calls launch kernels of their own process" {
	trace "$(e hip_api hipLaunchKernel 1000 500 '"corr_id":1' 7)" "$(e kernel_dispatch mine 2000 80 '"corr_id":1' 7)" \
		"$(e hip_api hipLaunchKernel 1100 500 '"corr_id":1' 9)" "$(e kernel_dispatch theirs 1900 80 '"corr_id":1' 9)" \
		"$(e hip_api hipLaunchKernel 3000 500 '"corr_id":2' 9)" "$(e kernel_dispatch elsewhere 4000 80 '"corr_id":2' 7)" \
		"$(e hip_api hipLaunchKernel 5000 500 '"corr_id":3' 9)" "$(e kernel_dispatch device 6000 80 '"corr_id":3' 0)"
	equal "$(column api_kernel_summary 'PID,Kernel Name')" "$(printf '%s\n' $'7\tmine' $'9\tdevice' $'9\ttheirs')"
	equal "$(column api_kernel_summary 'PID,Kernel Name' --reference-units)" "$(printf '%s\n' $'9\tdevice' $'9\telsewhere' $'9\ttheirs')"
}

@test "memory_copy_by_copy_bytes: by size and direction" {
	trace "$(e memory_copy MEMORY_COPY_HOST_TO_DEVICE 1 9 '"copy_bytes":64,"dst_agent":2')" "$(e memory_copy MEMORY_COPY_HOST_TO_DEVICE 2 9 '"copy_bytes":"64","dst_agent":2')" \
		"$(e memory_copy MEMORY_COPY_DEVICE_TO_HOST 3 9 '"copy_bytes":4,"src_agent":"GPU-1"')" "$(e memory_copy MEMORY_COPY_DEVICE_TO_DEVICE 3 9 '"copy_bytes":64,"src_agent":1,"dst_agent":2')" \
		"$(e memory_copy MEMORY_COPY_HOST_TO_HOST 3 9 '"copy_bytes":1')" "$(e memory_copy MEMORY_COPY_HOST_TO_HOST 3 9)"
	equal "$(column memory_copy_by_copy_bytes 'copy_bytes,direction,count')" "$(printf '%s\n' $'1\tother\t1' $'4\td2h (GPU ?)\t1' $'64\td2d (GPU 1 -> GPU 2)\t1' $'64\th2d (GPU 2)\t2')"
}

@test "times of an event itself are exact; --reference-units cuts them as TraceLens does" {
	printf '{"traceEvents":[{"ph":"X","cat":"kernel_dispatch","name":"a","pid":1,"tid":1,"ts":5.5,"dur":6.75,"args":{"agent":1}},
		{"ph":"X","cat":"kernel_dispatch","name":"b","pid":1,"tid":1,"ts":20000000000,"dur":7000,"args":{"agent":1}}]}' >t.json
	equal "$(column kernel_summary 'Name,Total Time (ns)')" "$(printf '%s\n' $'b\t7000000' $'a\t6750')"
	equal "$(column kernel_summary 'Name,Total Time (ns)' --reference-units)" "$(printf '%s\n' $'b\t7000' $'a\t6000')"
}

@test "numbers may be texts as Python's int takes them, and reals" {
	local good bad
	for good in '" +64 "' '"6_4"' 64.9 '"00000000000000000000000000064"'; do
		trace "$(e memory_copy MEMORY_COPY_HOST_TO_HOST 3 9 "\"copy_bytes\":$good")"
		equal "$(column memory_copy_by_copy_bytes copy_bytes,count)" $'64\t1'
	done
	for bad in '"6__4"' '"_64"' '"64_"' '"6 4"' '""' '"64x"' 1e19 '"-"' '"9223372036854775808"'; do
		trace "$(e memory_copy MEMORY_COPY_HOST_TO_HOST 3 9 "\"copy_bytes\":$bad")"
		equal "$(column memory_copy_by_copy_bytes copy_bytes,count)" ''
	done
}

@test "a call and its kernel without times in arguments have those of the event" {
	printf '{"traceEvents":[{"ph":"X","cat":"hip_api","name":"hipLaunchKernel","pid":7,"tid":8,"ts":1,"dur":2,"args":{"corr_id":1}},
		{"ph":"X","cat":"kernel_dispatch","name":"x","pid":7,"tid":8,"ts":5,"dur":4,"args":{"corr_id":1,"KernelName":"k"}}]}' >t.json
	equal "$(column api_kernel_summary 'TAvg_ns,AMax_ns,QMed_ns,KMin_ns,Kernel Name')" $'8000.0\t2000\t2000.0\t4000\tk'
}

@test "a time that is no number is told" {
	trace "$(gpu k 1 9000)" '{"ph":"X","cat":"kernel_dispatch","name":"bad","pid":1,"tid":1,"args":{"agent":"GPU-3","begin_ns":"x","delta_ns":1}}'
	run -0 --separate-stderr tl-pftrace --sheets kernel_summary t.json
	[[ $stderr == *'events whose begin_ns, end_ns or delta_ns is no number, left out'* ]]
	equal "$(column kernel_summary Name)" k
}

# bats test_tags=quick
@test "the activity report as Markdown" {
	trace "$(gpu kernel_func_x 1000 9000 GPU-0)" "$(gpu fusion 20000 1500000 GPU-0)" "$(e hip_api hipA 1 6000)"
	tl-report -q --write_md --output_csvs_dir csv t.json
	equal "$(head -n 8 t_report.md)" "$(printf '%s\n' '# ROCm Perfetto Trace Report' '' '- Agents (GPUs): GPU-0' '- Used FA v3 kernels detected: **1**' '' \
		'## Category Summary (per GPU)' \
		'| GPU ID   | Category            |   Total runtime (ms) |   Total count |   Fraction of compute runtime |   Fraction of total runtime |' \
		'|:---------|:--------------------|---------------------:|--------------:|------------------------------:|----------------------------:|')"
	grep -qxF '| 0        | ckbwd               |                0.009 |             1 |                    0.00596421 |                  0.00596421 |' t_report.md
	grep -qxF '| `fusion` | 1.50 | 1 | 100.00% |' t_report.md
	grep -q '^| 99.4%  | 1.500 ms     |           1 | 1.500 ms ' t_report.md
	grep -qx '### HIP API Summary Table' t_report.md
	tl-pftrace -q --output_md_path short.md --kernel_summary_top 1 --no_hip_summary t.json >s
	equal "$(grep -c '^| [0-9.]*% ' short.md)" 1
	refute grep -q '### HIP' short.md
	run -2 tl-pftrace --write_md <t.json
	[[ $output == *'name the file by --output_md_path'* ]]
}

@test "tl-report: the report of its trace, with TraceLens's options and names of workbooks" {
	trace "$(gpu k 1 9000)" "$(e hip_api hipLaunchKernel 1 9)"
	tl-report -q --trace_path t.json --traceconv nowhere --output_csvs_dir all
	like "$(sed -n 2p all/findings.csv)" '^[01],'
	rm -f all/{overview,setup,trace_health,populations,findings,findings_unasked,finding_evidence,gpu_work,judged}.csv
	every='device_times.csv kernel_categories.csv kernel_stats.csv ledger.csv'
	same_names() { equal "$(cd "$1" && echo *)" "$(printf '%s\n' $every $2 | sort | paste -sd ' ')"; }
	same_names all 'api_kernel_summary.csv category_summary.csv hip_summary.csv kernel_summary.csv memory_copy_by_copy_bytes.csv xla_top.csv'
	tl-report -q --pftrace_report activity --no_kernel_summary --no_hip_summary --output_csvs_dir activity t.json
	rm -f activity/{overview,setup,trace_health,populations,findings,findings_unasked,finding_evidence,gpu_work,judged}.csv
	same_names activity 'category_summary.csv xla_top.csv'
	tl-report -q t.json
	tl-report -q --pftrace_report api t.json
	tl-report -q --pftrace_report memory-copy t.json
	tl-report -q --pftrace_report activity t.json
	equal "$(echo *.xlsx)" 't_pftrace_activity_report.xlsx t_pftrace_hip_api_report.xlsx t_pftrace_memory_copy_report.xlsx t_pftrace_report.xlsx'
	tl-pftrace -q --pftrace_report activity --pftrace_report api -d two t.json
	equal "$(cd two && echo *)" 'api_kernel_summary.tsv category_summary.tsv hip_summary.tsv kernel_summary.tsv xla_top.tsv'
	printf '1:{ 8:1 10:2 11:{ 9:3 23:"x" } }' | "$TL_TOOLS/protobuf" | gzip >p.pftrace.gz
	tl-report -q p.pftrace.gz
	[ -s p_pftrace_report.xlsx ]
	run -2 tl-report --pftrace_report all t.json
	[[ $output == *'expected activity, api or memory-copy'* ]]
	run -2 tl-pftrace --pftrace_report api t.json
	[[ $output == *'category_summary is not of the report'* ]]
	# a trace of another source gets the report if it is asked for
	printf '{"traceEvents":[]}' >none.json
	tl-report -q --pftrace_report memory-copy --output_csvs_dir none none.json
	equal "$(cat none/memory_copy_by_copy_bytes.csv)" copy_bytes,direction,count
	run -2 tl-report --top_xla 3 --output_csvs_dir none none.json
	[[ $output == *'an option of the pftrace report; this trace gets the pytorch report'* ]]
}
