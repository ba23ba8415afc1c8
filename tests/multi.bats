#!/usr/bin/env bats
# multi.bats - tl-multi: which traces are found, their parts, the sheets of all.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# rank FILE SCALE [RANK]: a trace whose kernels take SCALE times as long; with RANK it tells that rank
rank() {
	local gemm='"External id":1,"Input Dims":[[64,32],[32,16]],"Input type":["float","float"],"Input Strides":[[32,1],[16,1]],"Concrete Inputs":["",""]'
	local wide='"External id":2,"Input Dims":[[8],[8]],"Input type":["float","float"],"Input Strides":[[1],[1]],"Concrete Inputs":["",""]'
	local id='"External id":1'
	local coll='"Collective name":"allreduce","Process Group Name":"0","Process Group Ranks":"[0, 1]","Group size":2,"dtype":"Float","In msg nelems":262144,"Out msg nelems":262144,"In split size":"[]","Out split size":"[]"'
	op aten::mm 100 50 "$gemm"
	call 1 110 10
	gpu 1 gemm_kernel 200 $((20 * $2)) 7 kernel "$id"
	call 5 125 10
	gpu 5 transpose_kernel $((205 + 20 * $2)) $((5 * $2)) 7 kernel "$id"
	op aten::mul 300 30 "$wide"
	call 2 310 5
	gpu 2 mul_kernel 400 $((4 * $2)) 7 kernel "$id"
	op aten::mm 350 20 "$gemm" # launches nothing
	op other 500 30
	call 3 510 5
	gpu 3 ncclDevKernel_AllReduce 600 $((10 * $2)) 9 kernel "$id,$coll"
	call 4 520 5 cudaMemcpyAsync
	gpu 4 'Memcpy HtoD' 700 3 7 gpu_memcpy
	lone 99 stray 800 2
	trace plain.json
	if [ $# -gt 2 ]; then
		sed "1s/^{/{\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":$3,\"world_size\":4},/" plain.json >"$1"
	else
		cp plain.json "$1"
	fi
}
# ranks FOLDER: two traces in it
ranks() {
	mkdir -p "$1"
	rank "$1/rank_0.json" 1
	rank "$1/rank_2.json" 2
}
multi() {
	tl-multi -q "$@"
}
# tree PATH...: empty files
tree() {
	local p
	for p; do
		mkdir -p "$(dirname "$p")"
		: >"$p"
	done
}
# column FILE NAME: its cells, one a line
column() {
	awk -F'\t' -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }' "$1"
}

@test "traces are grouped by folder and ordered by rank" {
	tree in/b/x_rank_10.json in/b/x_rank_2.json in/b/x_rank_2b.json in/b/.x_rank_1.json in/b/.hid/x_rank_1.json \
		in/b/x_rank_1.json.bak in/a-b/x_rank_0.json in/a/x_rank_07.json in/top_rank_3.json
	ln -s ../a in/b/link
	run -0 --separate-stderr tl-multi -b in -f rank_ -d
	equal "$stderr" ''
	equal "$(grep -E '^(Parent|Excel|x_|top)' <<<"$output")" "$(cat <<-END
		Parent directory: $PWD/in
		Excel file: in_rank__performance_report.xlsx
		top_rank_3.json
		Parent directory: $PWD/in/a
		Excel file: a_rank__performance_report.xlsx
		x_rank_07.json
		Parent directory: $PWD/in/a-b
		Excel file: a-b_rank__performance_report.xlsx
		x_rank_0.json
		Parent directory: $PWD/in/b
		Excel file: b_rank__performance_report.xlsx
		x_rank_2.json
		x_rank_2b.json
		x_rank_10.json
		Parent directory: $PWD/in/b/link
		Excel file: link_rank__performance_report.xlsx
		x_rank_07.json
	END
	)"
}

@test "filters must all occur in the path, the pattern is a regular expression" {
	tree in/run1/rank_0.json in/run1/rank_1.json in/run2/rank_0.json in/w/worker-4.json in/w/worker-11.json
	run -0 tl-multi -b in -f run1 rank_0 -d
	equal "${lines[4]} ${lines[3]}" 'Rank pattern: rank_ Filters: run1, rank_0'
	equal "${lines[6]}" rank_0.json
	equal "${#lines[@]}" 8
	run -0 tl-multi -b in -p '(?:rank_|wor(k)er\W)' -f '' -d
	like "$output" $'worker-4.json\nworker-11.json'
	run -2 --separate-stderr tl-multi -b in -p '(' -d
	like "$stderr" 'no regular expression'
}

@test "messages where nothing is done" {
	tree in/a/rank_0.json in/b/rank_0.json
	run -1 --separate-stderr tl-multi -b in -e sqlite
	failed 1 'Invalid extension sqlite, json and gz are supported'
	run -1 --separate-stderr tl-multi -b nowhere
	failed 1 'nowhere: cannot open: No such file or directory'
	mkdir none
	run -1 --separate-stderr tl-multi -b none
	equal "$output$stderr" '==================== No json files found, check filters and filepaths ===================='
	tree zipped/rank_0.json
	gzip zipped/rank_0.json
	run -1 --separate-stderr tl-multi -b zipped
	equal "$output" '==================== No json files found, check filters and filepaths ===================='
	equal "$stderr" 'tl-multi: error: zipped: files *.gz are there: -e gz takes them'
	run -1 --separate-stderr tl-multi -b in -e gz
	equal "$stderr" 'tl-multi: error: in: files *.json are there: -e json takes them'
	run -1 tl-multi -b in -o x.xlsx
	like "$output" '^Multiple parent directories with traces found'
	: >in/a/a_rank_0_performance_report.xlsx
	run -0 tl-multi -b in
	equal "${lines[7]}" "Excel file already exists: ($PWD/in/a/a_rank_0_performance_report.xlsx)"
	equal "${lines[8]}" Terminating...
	run -2 --separate-stderr tl-multi -d
	like "$stderr" 'say with -b'
	run -2 --separate-stderr tl-multi -b in -d more
	like "$stderr" 'no operand expected, 1 given: -b names the folder'
}

@test "below each link to a folder stand its own files, as TraceLens lists them, and no more; links to nothing are told" {
	tree in/a/rank_0.json
	ln -s .. in/a/up
	ln -s nothing in/a/rank_0_b.json
	run -0 --separate-stderr tl-multi -b in -d
	unlike "$stderr" 'up'
	equal "$(grep -c 'rank_0.json' <<<"$output")" 1
	like "$stderr" 'rank_0_b.json: No such file'
	like "$output" $'Traces:\nrank_0.json\n'
	tree many/z/rank_0.json more/rank_1.json
	ln -s "$PWD/more" many/linked
	for i in {0..19}; do
		mkdir "many/$i"
		ln -s ../z "many/$i/y"
		ln -s "../$(((i + 1) % 20))" "../$(((i + 3) % 20))" ../linked "many/$i/"
	done
	run -0 --separate-stderr timeout 60 tl-multi -b many -f rank_ -d
	# 20 folders with a link to each of z and linked: 40 more lists, and not a list for each way through the links
	equal "$(grep -o 'rank_..json' <<<"$output" | sort | uniq -c | xargs)" '21 rank_0.json 21 rank_1.json'
}

@test "a name without a number: the trace tells its rank, else it is left out" {
	mkdir in
	rank in/rank_x.json 1 3
	rank in/rank_1.json 1
	run -0 --separate-stderr tl-multi -b in -f rank_ -d
	like "$stderr" '1 of 2 traces do not tell a rank, as rank_x.json'
	multi -b in -f rank_ --output_tsvs_dir out
	equal "$(cut -f 1 out/linked_and_short_kernels.tsv | paste -sd ' ')" 'rank 1 3'
	rank in/rank_x.json 1
	run -1 --separate-stderr tl-multi -b in -f rank_ --output_tsvs_dir again
	like "$stderr" 'rank_x.json: neither the trace nor its name tells the rank, others do'
	equal "$(cut -f 1 again/linked_and_short_kernels.tsv | paste -sd ' ')" 'rank 1'
}

@test "kernel_launchers adds up the ranks, gpu_timelines shows them" {
	ranks in
	multi -b in -f rank_ --output_tsvs_dir out
	equal "$(cut -f 1-3,6,7 out/kernel_launchers.tsv)" "$(cat <<-'END'
		name	count	kernel_time_ms	time_ms_avg	count_avg
		aten::mm	2	0.075	0.0375	1.0
		aten::mul	2	0.012	0.006	1.0
		other	2	0.006	0.003	1.0
	END
	)"
	equal "$(head -n 1 out/gpu_timelines.tsv)" $'type\ttime_ms_0\tpercent_0\ttime_ms_2\tpercent_2\ttime_ms_avg\ttime_ms_std'
	equal "$(grep total_comm_time out/gpu_timelines.tsv | cut -f 2,4,6,7)" $'0.01\t0.02\t0.015\t0.005'
	equal "$(cut -f 1 out/gpu_timelines.tsv | paste -sd ' ')" \
		'type computation_time exposed_comm_time exposed_memcpy_time busy_time idle_time total_time total_comm_time total_memcpy_time'
}

@test "device events, unlinked ones, operators of short kernels, calls" {
	ranks in
	multi -b in -f rank_ --output_tsvs_dir out
	equal "$(tail -n +2 out/linked_and_short_kernels.tsv)" $'0\t6\t4\t2\t2\t2\n2\t6\t4\t2\t1\t2'
	equal "$(tail -n +2 out/unlinked_short_kernels_summary.tsv)" \
		$'Memcpy HtoD\tgpu_memcpy\t2\t3\t3\t3.0\nstray\tkernel\t2\t2\t2\t2.0'
	equal "$(cat out/short_cpu_op_counts.tsv)" $'\tcount\naten::mul\t2\naten::mm\t1\nTotal\t3'
	equal "$(head -n 1 out/cuda_events_summary.tsv)" \
		$'name\tcat\tcount_0\tcount_2\tmin_dur_0\tmin_dur_2\tmax_dur_0\tmax_dur_2\tmean_dur_0\tmean_dur_2'
	equal "$(grep cudaLaunchKernel out/cuda_events_summary.tsv | cut -f 3,5,7,9)" $'4\t5\t10\t7.5'
}

@test "grouped_breakdown has the means of groups, and all time once" {
	ranks in
	run -0 --separate-stderr tl-multi -b in -f rank_ --output_tsvs_dir out
	equal "$(column out/grouped_breakdown.tsv Group | paste -sd ' ')" \
		'Attention GEMM Conv Norm UpSample Pad Elemwise Concat MoE Triton Comms Memcpy Other Total'
	equal "$(awk -F'\t' '/^(GEMM|Elemwise|Comms|Total)/ { printf "%s\t%.3g\n", $1, $2 }' out/grouped_breakdown.tsv | paste -sd ' ')" \
		$'GEMM\t3.75e-05 Elemwise\t6e-06 Comms\t1.5e-05 Total\t6.45e-05'
	like "$stderr" 'launchers in no group count as Other; they are 1: other'
}

@test "groups of operators: parameters, rates, kernels place by place" {
	ranks in
	run -0 --separate-stderr tl-multi -b in -f rank_ --output_tsvs_dir out
	like "$stderr" '2 GEMMs launched no kernel'
	equal "$(column out/gemm.tsv name_count)" 2
	equal "$(column out/gemm.tsv 'param: M') $(column out/gemm.tsv 'param: N') $(column out/gemm.tsv 'param: K')" '64 16 32'
	equal "$(column out/gemm.tsv 'Kernel Time (µs)_sum') $(column out/gemm.tsv 'Kernel Time (µs)_mean')" '75.0 37.5'
	equal "$(column out/gemm.tsv 'Non-Data-Mov Kernel Time (µs)_sum')" 60.0
	equal "$(column out/gemm.tsv kernel_time_sum_cum_pct)" 1.0
	like "$(column out/gemm.tsv kernel_details__summarize_kernel_stats)" \
		"'gemm_kernel', 'stream': 7, 'count': 2, 'total_duration_us': 60.0, 'mean_duration_us': 30.0, 'std_dev_duration_us': 10.0"
	like "$(column out/gemm.tsv kernel_details__summarize_kernel_stats)" "'transpose_kernel', 'stream': 7, 'count': 2"
	equal "$(column out/bin_elemwise.tsv name)" aten::mul
	[ ! -e out/conv.tsv ]
}

@test "every column has its row in the table of columns" {
	ranks in
	multi -b in -f rank_ -a --output_tsvs_dir out
	"$TL_TOOLS/test_columns" out/*.tsv
}

@test "-a adds the kernels of each rank" {
	ranks in
	rank in/rank_2_again.json 1
	multi -b in -f rank_ -a --output_tsvs_dir out
	equal "$(wc -l <out/kernels_0.tsv)" 6
	equal "$(grep gemm_kernel out/kernels_2.tsv | cut -f 4,7,13-)" $'40\taten::mm\t50.0\t2\t80.0'
	equal "$(grep stray out/kernels_0.tsv | cut -f 6-)" $'\t\t\t\t\t\t\t\t\t'
	[ -e out/kernels_2_2.tsv ]
}

@test "collectives of two traces and more; the traces are numbered from 0" {
	ranks in
	run -0 --separate-stderr tl-multi -b in -f rank_ --output_tsvs_dir out
	like "$stderr" 'rank 1 is rank_2.json'
	equal "$(cut -f 3,6,9,17 out/long.tsv)" $'rank\tCollective name\tIn msg nelems\tdur\n0\tallreduce\t262144\t10\n1\tallreduce\t262144\t20'
	equal "$(column out/nccl_implicit_sync_cat.tsv comm_latency)" 10
	refute grep -q rank_0 out/nccl_implicit_sync_cat.tsv
	equal "$(column out/nccl_implicit_sync_cat_detailed.tsv rank_1_dur)" 20
	equal "$(column out/summary_nccl_implicit_sync_cat.tsv comm_latency_mean)" 10.0
	multi -b in --output_tsvs_dir one
	[ ! -e one/long.tsv ] # one trace
	sed -i 's/ncclDev/otherDev/' in/*
	run -0 --separate-stderr tl-multi -b in -f rank_ --output_tsvs_dir none
	like "$stderr" 'no sheets about collectives: no rank has a collective'
	[ ! -e none/long.tsv ]
}

@test "the workbook has the sheets in their order" {
	need unzip
	ranks in
	multi -b in -f rank_ -a
	equal "$(unzip -p in/in_rank__performance_report.xlsx xl/workbook.xml | grep -o '<sheet name="[^"]*"' | cut -d '"' -f 2 | paste -sd ' ')" \
		"kernels_0 kernels_2 gemm bin_elemwise kernel_launchers gpu_timelines linked_and_short_kernels unlinked_short_kernels_summary$(
		) short_cpu_op_counts cuda_events_summary grouped_breakdown summary_nccl_implicit_sync_cat long$(
		) nccl_implicit_sync_cat nccl_implicit_sync_cat_detailed"
	equal "$(ls in)" "$(printf '%s\n' in_rank__performance_report.xlsx rank_0.json rank_2.json)"
}

@test "several experiments: a workbook or a folder each" {
	ranks runs/one
	ranks runs/two/deep
	multi -b runs --output_tsvs_dir out --output_csvs_dir csv
	[ -e out/one/gemm.tsv ]
	[ -e out/two/deep/gemm.tsv ]
	[ -e csv/two/deep/gemm.csv ]
	multi -b runs
	[ -e runs/one/one_rank_0_performance_report.xlsx ]
	[ -e runs/two/deep/deep_rank_0_performance_report.xlsx ]
}

@test "a damaged trace is left out and named, the rest is reported, the same command goes on" {
	ranks in
	cp in/rank_0.json whole
	head -c 900 whole >in/rank_0.json
	run -1 --separate-stderr tl-multi -b in -f rank_ --output_tsvs_dir out
	like "$stderr" 'error: .*in/rank_0.json: '
	like "$stderr" 'in/rank_0.json: the report does not count this trace'
	equal "$(cut -f 1 out/linked_and_short_kernels.tsv | paste -sd ' ')" 'rank 2'
	[ -e out.parts/rank_2.json.part ]
	[ ! -e out.parts/rank_0.json.part ]
	sed -i 's/^other\t/made before\t/' out.parts/rank_2.json.part # shows that the part is used
	cp whole in/rank_0.json
	multi -b in -f rank_ --output_tsvs_dir out
	grep -q 'made before' out/kernel_launchers.tsv
	equal "$(cut -f 1 out/linked_and_short_kernels.tsv | paste -sd ' ')" 'rank 0 2'
	[ ! -e out.parts ]
	head -c 900 whole >in/rank_0.json
	head -c 900 whole >in/rank_2.json
	run -1 --separate-stderr tl-multi -b in -f rank_ --output_tsvs_dir out
	like "$stderr" 'error: .*: no trace could be used, of 2'
}

@test "traces without device events are counted" {
	ranks in
	printf '[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]' >in/rank_0.json
	run -0 --separate-stderr tl-multi -b in -f rank_ --output_tsvs_dir out
	like "$stderr" 'tl-multi: warning: 1 of the traces have no device events'
}

@test "a part is made again if its trace or the options changed" {
	ranks in
	multi -b in -f rank_ --keep-parts --output_tsvs_dir out
	sed -i 's/^aten::mm\t/old\t/' out.parts/*.part
	rank in/rank_0.json 3
	multi -b in -f rank_ --keep-parts --output_tsvs_dir out
	equal "$(cut -f 1 out/kernel_launchers.tsv | paste -sd ' ')" 'name aten::mm old aten::mul other'
	multi -b in -f rank_ --keep-parts --communication table --output_tsvs_dir out
	equal "$(cut -f 1 out/kernel_launchers.tsv | paste -sd ' ')" 'name aten::mm aten::mul other'
	multi -b in -f rank_ --keep-parts -a --output_tsvs_dir out
	[ -e out/kernels_0.tsv ]
}

@test "two runs do not work in one folder of parts" {
	need flock
	ranks in
	mkdir out.parts
	: >out.parts/lock
	exec 8<out.parts/lock
	flock 8
	run -1 --separate-stderr tl-multi -b in --output_tsvs_dir out
	like "$stderr" 'out.parts: another program works in this folder'
	exec 8<&-
}

@test "a full disk: no workbook, and the same command goes on later" {
	ranks in
	(ulimit -f 1; run -1 --separate-stderr tl-multi -b in -f rank_; like "$stderr" 'xlsx.parts/.*: cannot write: File too large')
	equal "$(ls in)" "$(printf '%s\n' in_rank__performance_report.xlsx.parts rank_0.json rank_2.json)"
	(ulimit -f 4; run -1 --separate-stderr tl-multi -b in -f rank_; like "$stderr" 'error: .*File too large')
	[ ! -e in/in_rank__performance_report.xlsx ]
	multi -b in -f rank_
	equal "$(ls in)" "$(printf '%s\n' in_rank__performance_report.xlsx rank_0.json rank_2.json)"
}

@test "a run that is killed leaves whole parts or none" {
	need flock
	mkdir in
	gen in/rank_0.json -n 60000
	cp in/rank_0.json in/rank_1.json
	tl-multi -q -b in -f rank_ -j 1 --output_tsvs_dir out >/dev/null 2>&1 &
	local pid=$! n=0
	until ls out.parts/rank_0.json.part* >/dev/null 2>&1 || [ $((n += 1)) -gt 200 ]; do sleep 0.01; done
	kill -9 $pid
	wait $pid || true
	flock out.parts/lock true # its processes end with it
	multi -b in -f rank_ --output_tsvs_dir out
	multi -b in -f rank_ --output_tsvs_dir fresh
	same_sheets out fresh
	[ ! -e out.parts ]
}

@test "a damaged table of a part is an error that names it" {
	ranks in
	multi -b in -f rank_ --keep-parts --output_tsvs_dir out
	sed -i 's/^aten::mul\t1\t/aten::mul\tmany\t/' out.parts/rank_2.json.part
	run -1 --separate-stderr tl-multi -b in -f rank_ --keep-parts --output_tsvs_dir out
	like "$stderr" "error: .*rank_2.json.part: launchers: .*'many' is no number"
	sed -i '/^launchers$/,/^$/d; $s/\t24\t/\t21\t/' out.parts/rank_2.json.part
	run -1 --separate-stderr tl-multi -b in -f rank_ --keep-parts --output_tsvs_dir out
	failed 1 'rank_2.json.part: the part lacks the table launchers'
}

@test "ranks of one time give the same as one, and the order of files does not matter" {
	mkdir many one
	local i
	rank one/rank_0.json 1
	for i in 0 1 2 3; do
		cp one/rank_0.json many/rank_$i.json
	done
	multi -b one -f rank_ --output_tsvs_dir 1
	multi -b many -f rank_ -j 3 --output_tsvs_dir 4
	equal "$(cut -f 1,6,7 4/kernel_launchers.tsv)" "$(cut -f 1,6,7 1/kernel_launchers.tsv)"
	equal "$(cat 4/grouped_breakdown.tsv)" "$(cat 1/grouped_breakdown.tsv)"
	equal "$(column 4/gemm.tsv TFLOPS/s_mean) $(column 4/gemm.tsv TFLOPS/s_std)" "$(column 1/gemm.tsv TFLOPS/s_mean) 0.0"
}

@test "the time in a name that torch.profiler gives is no rank: the trace says it" {
	mkdir in
	for i in 0 1; do
		gen in/host_12$i.173376878994744857$i.pt.trace.json -n 500 --seed $i
		sed -i "s/\"rank\": 0/\"rank\": $i/" in/host_12$i.*
	done
	tl-multi -q -b in -f host -p '\.' --dir out >said
	equal "$(cut -f 1 out/linked_and_short_kernels.tsv | paste -sd ' ')" 'rank 0 1'
	# without an option about names: all traces of the folder
	run -0 --separate-stderr tl-multi -b in --dir usual
	like "$stderr" 'no name has rank_0 in it: all traces are taken'
	equal "$(cut -f 1 usual/linked_and_short_kernels.tsv | paste -sd ' ')" 'rank 0 1'
}

# plain FILE [MEMBERS]: a small trace that tells what MEMBERS say
plain() {
	printf '{"schemaVersion":1,%s"traceEvents":[{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":0,"dur":9},
		{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":1,"dur":1,"args":{"correlation":1}},
		{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":2,"dur":5,"args":{"correlation":1,"stream":7,"device":0}}]}' "${2:+$2,}" >"$1"
}

@test "no trace and no name tells a rank: they are numbered by their order, and it is said" {
	mkdir in
	plain in/host_4711.1733768789947448570.pt.trace.json
	plain in/host_4712.1733768789947448571.pt.trace.json
	run -0 --separate-stderr tl-multi -b in --dir out
	like "$stderr" 'neither the traces nor their names tell ranks: they are numbered by their order, from .*host_4711'
	equal "$(cut -f 1 out/linked_and_short_kernels.tsv | paste -sd ' ')" 'rank 0 1'
	[ -e out/gpu_timelines.tsv ]
}

@test "a number beyond the ranks that the traces tell is no rank; what a trace tells counts before its name" {
	mkdir in
	plain in/rank_4711.json '"distributedInfo":{"world_size":2}'
	plain in/rank_4712.json '"distributedInfo":{"world_size":2}'
	run -0 --separate-stderr tl-multi -b in -f rank_ --dir out
	like "$stderr" 'rank_4711.json: 4711 in its name is no rank: there are 2 ranks'
	equal "$(cut -f 1 out/linked_and_short_kernels.tsv | paste -sd ' ')" 'rank 0 1'
	plain in/rank_4711.json '"distributedInfo":{"rank":1,"world_size":2}'
	plain in/rank_4712.json '"distributedInfo":{"rank":0,"world_size":2}'
	tl-multi -q -b in -f rank_ -a --dir out 2>/dev/null >said
	equal "$(ls out/kernels_* | paste -sd ' ')" 'out/kernels_0.tsv out/kernels_1.tsv'
	like "$(cut -f 1 out/.tl-tsv-sheets | paste -sd ' ')" 'kernels_0.tsv kernels_1.tsv'
}
