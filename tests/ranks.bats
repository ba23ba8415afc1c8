#!/usr/bin/env bats
# ranks.bats - tl-ranks: collective communication of all ranks of a job.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers
load ranks

@test "how long a collective took, and who waited for whom" {
	two_ranks
	run -0 --separate-stderr tl-ranks --reference-clocks -d out --trace_dir . --world_size 2
	equal "$stderr" ''
	equal "$output" "$(printf 'out/%s.tsv\n' ranks_overview nccl_summary_implicit_sync nccl_summary_long nccl_long nccl_implicit_sync \
		ranks_causes ranks_judged straggler_summary ranks_stragglers ranks_bandwidth ranks_communication ranks_collectives ranks_wait_pairs)"
	s=out/nccl_implicit_sync.tsv
	equal "$(cell $s collective_id 1) $(cell $s collective_id 2)" 'g_0 g_1'
	equal "$(cell $s comm_latency) $(cell $s 'skew in start time') $(cell $s 'skew in end time')" '32 20.0 2.0'
	equal "$(cell $s 'earliest arrival rank' 1) $(cell $s 'earliest arrival rank' 2)" '0 1'
	equal "$(cell $s avg_wait_time)" 10.0
	equal "$(cell $s rank_0_wait_time) $(cell $s rank_1_wait_time)" '20.0 0.0'
	# 4 MiB in 32 us; each link carries 2 (n - 1) / n of it
	equal "$(cell $s 'Full msg size (MB)') $(cell $s 'algo bw (GB/s)') $(cell $s 'bus bw (GB/s)')" '4.0 122.0703125 122.0703125'
	like "$(cell $s 'bus bw (GB/s)' 2)" "^195.3(125$|124999)"
	s=out/straggler_summary.tsv
	equal "$(sed -n 2p $s)" $'1\t10.5\t5.2\t1\t1\t50.0\t2\t53'
	equal "$(sed -n 3p $s)" $'0\t20.0\t10.0\t1\t1\t50.0\t2\t60'
	equal "$(cut -f 1-3,16,17 out/nccl_long.tsv | tail -n 1)" $'g_1\t1\t1\t290.0\t21'
}

@test "traces by pattern, by glob and as operands make the same sheets" {
	two_ranks
	tl-ranks -d a --trace_dir . --world_size 2
	tl-ranks -d b --trace_pattern 'rank*_trace.json' --world_size 2
	tl-ranks -d c --trace_glob '**/rank*.json' --world_size 2
	tl-ranks -d d rank1_trace.json rank0_trace.json
	same_sheets a b
	same_sheets a c
	same_sheets a d
}

@test "a search by glob enters a folder once: links in circles, a deep tree" {
	coll allreduce 1 1
	rank rank_0.json
	deep="tree$(printf '/d%.0s' {1..100})"
	mkdir -p "$deep" elsewhere
	cp rank_0.json "$deep"
	cp rank_0.json elsewhere/rank_1.json
	ln -s . tree/loop
	ln -s .. tree/d/up
	ln -s ../elsewhere tree/a
	ln -s ../../elsewhere tree/d/there
	ln -s d tree/before_d
	run -0 --separate-stderr timeout 60 tl-ranks --parts parts -d out --world_size 2 --trace_glob 'tree/**/**/**/**/**/**/rank_*.json'
	# what is in the tree has its own path, what is elsewhere that of the first link
	equal "$(cd parts && printf '%s\n' *.part)" $'tree%a%rank_1.json.part\n'"${deep//\//%}%rank_0.json.part"
}

@test "parts are made in the order of ranks, not of names" {
	two_ranks
	mv rank0_trace.json rank2.json
	mv rank1_trace.json rank10.json
	printf '#!/bin/sh\ngrep -o "rank[0-9]*.json$" "$TL_LIST" >made\n' >runner.sh
	run -1 --separate-stderr tl-ranks -q -d out --runner ./runner.sh --trace_glob '*.json' --world_size 11 --lenient
	equal "$(head -n 2 made | tr '\n' ' ')" 'rank2.json rank10.json '
}

@test "parts made alone merge into the same sheets" {
	two_ranks
	tl-ranks -d a --trace_dir . --world_size 2
	for i in 0 1; do
		tl-ranks --part rank${i}_trace.json >rank$i.part
	done
	tl-ranks -d b rank0.part rank1.part
	same_sheets a b
	tl-ranks -d c rank0_trace.json rank1.part
	same_sheets a c
}

@test "a part that is not whole, or no part, is an error" {
	two_ranks
	tl-ranks --part -o whole rank0_trace.json
	for lines in 1 2 3 4 5 6; do
		head -n $lines whole >rank0.part
		run -1 --separate-stderr tl-ranks -d out rank0.part rank1_trace.json
		failed 1 'rank0.part: .*not whole'
	done
	sed -n '/^edges$/,/^$/!p' whole | sed 4d >rank0.part
	run -1 --separate-stderr tl-ranks -d out rank0.part
	failed 1 'it has 1 rows, its last line says 9'
	awk -F'\t' -v OFS='\t' 'NR == 4 { $3 = "4611686018427387904" } { print }' whole >rank0.part
	run -1 --separate-stderr tl-ranks -d out rank0.part
	failed 1 'rank0.part: a row of the part has times beyond 2\^62'
	sed '/^collectives$/,/^$/d; $s/\t9\t/\t7\t/' whole >rank0.part
	run -1 --separate-stderr tl-ranks -d out rank0.part
	failed 1 'rank0.part: the part lacks the table collectives'
	cat <(sed '$d' whole) <(sed '1d; $s/\t9\t/\t18\t/' whole) >rank0.part
	run -1 --separate-stderr tl-ranks -d out rank0.part
	failed 1 'rank0.part: the part has two tables collectives'
	sed '3s/uid/other/' whole >rank0.part
	run -1 --separate-stderr tl-ranks -d out rank0.part
	failed 1 'rank0.part: the table collectives of the part has not the columns of that sheet'
	sed '$s/\t9\t/\tx\t/' whole >rank0.part
	run -1 --separate-stderr tl-ranks -d out rank0.part
	failed 1 'rank0.part: the last line of the part: expected numbers'
	sed '4s/^/\\q/' whole >rank0.part
	run -1 --separate-stderr tl-ranks --lenient -d out rank0.part
	like "$stderr" 'warning: rank0.part: field 1: unknown escape.*: this rank is left out'
	failed 1 'no rank can be used'
	cat whole <(tail -n 1 whole) >rank0.part
	run -1 --separate-stderr tl-ranks -d out rank0.part
	failed 1 'rows stand behind the last line'
	[ ! -e out/nccl_long.tsv ]
}

@test "the rank is in the trace, else in the name, else the order counts" {
	coll allreduce 1 1
	rank a.json '"distributedInfo":{"rank":5,"world_size":8}'
	coll allreduce 1 1
	rank b_rank3.json
	tl-ranks -q -d out a.json b_rank3.json
	equal "$(cut -f 3 out/nccl_long.tsv | xargs)" 'rank 3 5'
	coll allreduce 1 1
	rank c.json
	run -0 --separate-stderr tl-ranks -d out c.json
	like "$stderr" 'neither the traces nor their names tell ranks: they are numbered by their order, from c.json'
	equal "$(cell out/nccl_long.tsv rank)" 0
	run -1 --separate-stderr tl-ranks -d out c.json a.json
	failed 1 'c.json: neither the trace nor its name tells a rank of its own: see --rank_regex'
	coll allreduce 1 1
	rank rank9.json '"distributedInfo":{"world_size":2}'
	run -0 --separate-stderr tl-ranks -d out rank9.json
	like "$stderr" 'rank9.json: 9 in its name is no rank: there are 2 ranks'
	unlike "$stderr" 'the trace says that it is of rank'
	rm rank9.json
	cp a.json rank7.json
	run -0 --separate-stderr tl-ranks -d out rank7.json
	like "$stderr" 'rank7.json: the trace says that it is of rank 5, its name 7: what the trace says is taken'
	equal "$(cell out/nccl_long.tsv rank)" 5
	cp a.json rank6.json
	run -0 --separate-stderr tl-ranks -d out rank6.json rank7.json
	like "$stderr" 'traces say that they are of one and the same rank: the numbers in their names are taken'
	equal "$(cut -f 3 out/nccl_long.tsv | xargs)" 'rank 6 7'
	cp c.json rank002147483647.json
	cp c.json rank1234567890123456789.json
	cp c.json rank2.json
	tl-ranks -q -d long rank002147483647.json
	equal "$(cell long/nccl_long.tsv rank)" 2147483647
	run -1 --separate-stderr tl-ranks -d long rank1234567890123456789.json rank2.json
	failed 1 'neither the trace nor its name tells a rank of its own'
	tl-ranks --part --rank 4 -o c.part c.json
	tl-ranks -q -d out c.part
	equal "$(cell out/nccl_long.tsv rank)" 4
}

@test "ranks that are missing or twice" {
	two_ranks
	run -1 --separate-stderr tl-ranks -d out --trace_dir . --world_size 3
	failed 1 'expected trace file not found: ./rank2_trace.json'
	run -0 --separate-stderr tl-ranks -d out --trace_dir . --world_size 3 --lenient
	like "$stderr" 'warning: rank 2 is missing'
	run -0 --separate-stderr tl-ranks -d out --trace_glob 'rank*.json' --world_size 3 --lenient
	like "$stderr" 'tl-ranks: warning: missing ranks: 2$'
	run -1 --separate-stderr tl-ranks -d out --trace_glob 'rank*.json' --world_size 30
	failed 1 'missing ranks: 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, ...; all of 0 to 29 are needed'
	run -1 --separate-stderr tl-ranks -d out --trace_glob 'no*' --world_size 1
	failed 1 'no files matched --trace_glob: no\*'
	cp rank0_trace.json rank3_trace.json
	run -0 --separate-stderr tl-ranks -d out rank0_trace.json rank1_trace.json rank3_trace.json
	like "$stderr" 'warning: no trace of 1 of 4 ranks: 2'
	mkdir x
	cp rank0_trace.json x/rank0.json
	coll allreduce 1 1
	rank y.json '"distributedInfo":{"rank":0}'
	run -1 --separate-stderr tl-ranks -d out rank0_trace.json y.json
	failed 1 'rank0_trace.json and y.json both are of rank 0'
}

@test "a damaged trace stops the report, or is left out" {
	two_ranks
	head -c 600 rank1_trace.json >part
	mv part rank1_trace.json
	run -1 --separate-stderr tl-ranks -d out --trace_dir . --world_size 2
	failed 1 'rank1_trace.json: no part of this rank could be made'
	[ ! -e out ]
	echo nonsense >rank1_trace.json
	run -0 --separate-stderr tl-ranks -d out --trace_dir . --world_size 2 --lenient
	like "$stderr" 'warning: ./rank1_trace.json: no part of this rank could be made: it is left out'
	equal "$(cut -f 3 out/nccl_long.tsv | sort -u | xargs)" '0 rank'
}

@test "ranks that do not agree about a collective" {
	coll allreduce 1 1
	coll allreduce 5 1
	rank rank0.json
	coll allreduce 1 1 '"dtype":"Half"'
	coll allreduce 5 1
	rank rank1.json
	run -1 --separate-stderr tl-ranks -d out rank0.json rank1.json
	failed 1 "metadata mismatch in 'dtype' for collective g_0: rank 0 says Float, rank 1 says Half"
	run -0 --separate-stderr tl-ranks -d out --lenient rank0.json rank1.json
	like "$stderr" 'left out: 1 of 2 collectives'
	equal "$(cut -f 1 out/nccl_implicit_sync.tsv | xargs)" 'collective_id g_1'
}

@test "collectives that lack ranks, and clocks that are apart, have a warning" {
	coll allreduce 100 10
	coll allreduce 200 10
	rank rank0.json
	coll allreduce 150 10
	rank rank1.json
	run -0 --separate-stderr tl-ranks --reference-clocks -d out rank0.json rank1.json
	like "$stderr" '1 of 2 collectives lack ranks of their group: g_1 has 1 of 2 ranks'
	like "$stderr" '1 collectives ended on one rank before they began on another, by up to 40.000 us \(rank 0 before rank 1\)'
	equal "$(cell out/nccl_implicit_sync.tsv rank_1_ts 2)" ''
	# of several the largest gap
	for at in 100 200 300; do coll allreduce $at 10; done
	rank rank0.json
	for at in 120 250 330; do coll allreduce $at 10; done
	rank rank1.json
	run -0 --separate-stderr tl-ranks --reference-clocks -d out rank0.json rank1.json
	like "$stderr" '3 collectives ended on one rank before they began on another, by up to 40.000 us \(rank 0 before rank 1\)'
}

@test "all_to_allv: amounts, imbalance, and what each rank sends to each" {
	coll all_to_allv 100 20 '"In msg nelems":3145728,"In split size":"[1048576, 2097152]"'
	rank rank0.json
	coll all_to_allv 110 20 '"In split size":[1048576,0]'
	rank rank1.json
	tl-ranks --all2allv_heatmap --agg_metrics sum -d out rank0.json rank1.json
	s=out/nccl_all2allv.tsv
	equal "$(cell $s 'total data communicated (MB)') $(cell $s 'wall_time (us)') $(cell $s size_imbalance)" '16.0 30 1.5'
	equal "$(cell $s 'rank_1_skew in start time')" 10
	equal "$(sed 1d out/nccl_all2allv_heatmap.tsv)" $'0\t0\t4.0\t4.0\t1\n0\t1\t8.0\t8.0\t1\n1\t0\t4.0\t4.0\t1\n1\t1\t0.0\t0.0\t1'
	equal "$(cell out/nccl_summary_all2allv.tsv 'wall_time (us)_sum') $(cell out/nccl_summary_all2allv.tsv 'Total wall_time (us)')" '30 30'
	# PyTorch cuts long lists
	coll all_to_allv 100 20 '"In split size":"[1, 2, ...]"'
	rank rank0.json
	run -0 --separate-stderr tl-ranks --all2allv_heatmap -d out2 rank0.json rank1.json
	like "$stderr" 'nccl_all2allv_heatmap leaves out 1 events'
}

@test "all_to_allv: of a rank whose size is no number there is no sum" {
	for i in 0 1; do
		coll all_to_allv 10$i 20
		coll all_to_allv 20$i 20
		rank rank$i.json
		tl-ranks --part -o rank$i.part rank$i.json
	done
	awk -F'\t' -v OFS='\t' 'NR == 3 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 4 { $at["in_mib"] = $at["in_nelems"] = "much" } { print }' rank1.part >bad_rank1.part
	tl-ranks -q -d out rank0.part bad_rank1.part
	s=out/nccl_all2allv.tsv
	equal "$(cell $s 'total data communicated (MB)' 1) $(cell $s size_imbalance 1)" '8.0 1.0'
	equal "$(cell $s 'total data communicated (MB)' 2)$(cell $s size_imbalance 2)$(cell $s 'throughput (GB/s)' 2)" ''
	equal "$(cell $s 'total nelems communicated' 1) $(cell $s 'total nelems communicated' 2)" '2097152.0 '
}

@test "all_to_allv: the heatmap adds up several of them, and leaves out what has no amounts" {
	for amounts in '[1048576,0]' '[3145728,1048576]' '[1,2,3]' '' '[1,x]'; do
		coll all_to_allv $((++n * 100)) 20 "\"In split size\":\"$amounts\""
	done
	coll all_to_allv 600 20 '"In split size":"[1048576,0]","dtype":"Strange"'
	coll all_to_allv 700 20 '"In split size":"[1048576,0]","dtype":null'
	rank rank0.json
	run -0 --separate-stderr tl-ranks --all2allv_heatmap -d out rank0.json
	like "$stderr" 'nccl_all2allv_heatmap leaves out 5 events'
	equal "$(sed 1d out/nccl_all2allv_heatmap.tsv)" $'0\t0\t16.0\t8.0\t2\n0\t1\t4.0\t2.0\t2'
}

@test "a rank that lacks its first collectives: paired by what fits, named, and not a straggler" {
	job 2 2 --steps 3 --layers 1 --clocks 2000 --lossy 1
	run -0 --separate-stderr tl-ranks -d out rank?.json
	like "$stderr" 'warning: the trace of rank 1 lacks the first 2 collectives of a group'
	unlike "$stderr" 'ended on one rank before they began'
	equal "$(awk -F'\t' '$1 == "tp0_1"' out/ranks_collectives.tsv | cut -f 2 | xargs) $(awk -F'\t' '$1 == "tp0_2"' out/ranks_collectives.tsv | cut -f 2 | xargs)" '0 0 1'
	# as TraceLens does: by their numbers
	run -0 --separate-stderr tl-ranks --reference-clocks -d raw rank?.json
	unlike "$stderr" 'lacks the first'
	like "$(cut -f 1,3 raw/nccl_long.tsv | xargs)" 'tp0_0 1'
	# the numbers of the library say the same
	job 2 2 --steps 3 --layers 1 --clocks 2000 --lossy 1 --numbered
	tl-ranks -q -d numbered rank?.json
	same_sheets out numbered
}

@test "a trace that begins some steps later, and a clock that is an hour ahead" {
	job 2 2 --steps 4 --layers 1 --clocks 2000 --ahead 3
	run -0 --separate-stderr tl-ranks -d out rank?.json
	unlike "$stderr" 'another run'
	like "$stderr" 'the clock of rank 3 is (3600|3599)[0-9]{6}\.[0-9]+ us ahead of that of rank 0: all times'
	equal "$(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["skew in end time"] > 2 { bad++ } END { print NR, bad + 0 }' out/nccl_implicit_sync.tsv)" '49 0'
	# two ranks of which one begins an all-reduce later; what differs is when they end
	local i at=1000
	for i in 1 2 3 4 5 6 7 8 9 10; do
		at=$((at + 1000 + i * i * 7 % 13))
		ends+=("$at")
	done
	for i in "${ends[@]}"; do coll allreduce $((i - 500)) 500; done
	rank rank0.json
	for i in "${ends[@]:1}"; do coll allreduce $((i - 100)) 100; done
	rank rank1.json
	run -0 --separate-stderr tl-ranks -d out rank0.json rank1.json
	like "$stderr" 'warning: the trace of rank 1 begins 1 collectives of each group later than others, as by whole steps'
	unlike "$stderr" 'the clock of'
	equal "$(cut -f 1,2 out/ranks_collectives.tsv | sed -n '2,4p' | xargs)" 'g_0 0 g_1 0 g_1 1'
}

@test "a rank whose collectives fit those of no other is named, and charged with nothing" {
	local i
	for r in 0 1 2; do
		for i in 1 2 3 4 5 6 7 8 9 10; do coll allreduce $((i * 1000 + i * i * (r == 1 ? 97 * (i % 3) : 0))) 100; done
		rank rank$r.json
	done
	run -0 --separate-stderr tl-ranks -d out rank?.json
	like "$stderr" 'warning: the collectives of rank 1 fit those of no other rank in any order: it is charged with nothing'
	equal "$(cell out/ranks_communication.tsv collectives "$(row out/ranks_communication.tsv rank=1)")" 0
	equal "$(cut -f 2 out/ranks_collectives.tsv | sort -u | xargs)" '0 2 rank'
}

@test "of several files of one rank a glob takes the first" {
	two_ranks
	cp rank1_trace.json rank1_other.json
	coll allreduce 1 1
	rank rank1_zzz.json
	tl-ranks -d wanted rank0_trace.json rank1_other.json
	run -0 --separate-stderr tl-ranks -d out --trace_glob 'rank*.json' --world_size 2
	equal "$stderr" ''
	same_sheets wanted out
}

@test "parts that count time in other units do not go together" {
	two_ranks
	tl-ranks --part -o rank0.part rank0_trace.json
	tl-ranks --part rank1_trace.json | sed '3s/_ns/_ps/g' >rank1.part
	run -1 --separate-stderr tl-ranks -d out rank0.part rank1.part
	failed 1 'the part of rank 1 counts time in other units than that of rank 0'
	tl-ranks --part rank0_trace.json | sed '3s/_ns/_ps/g' >rank0.part
	tl-ranks -q -d out rank0.part rank1.part
	equal "$(cell out/nccl_implicit_sync.tsv comm_latency)" 0.032
}

@test "collectives come in the order of the first rank that has them" {
	coll allreduce 100 10
	coll allreduce 200 10
	rank rank0.json
	coll allreduce 50 10 '"Process Group Name":"h","Process Group Ranks":"[1]","Group size":1'
	coll allreduce 100 10
	coll allreduce 200 10
	rank rank1.json
	tl-ranks -q -d out rank0.json rank1.json
	equal "$(cut -f 1 out/nccl_implicit_sync.tsv | xargs)" 'collective_id g_0 g_1 h_0'
}

@test "the statistics of the summaries" {
	coll allreduce 100 10
	coll allreduce 200 14
	coll allreduce 300 20
	rank rank0.json
	tl-ranks -q --output_csvs_dir out --trace_glob 'rank*.json' --world_size 1 --agg_metrics mean median std var min max sum count first
	tr ',' '\t' <out/nccl_summary_implicit_sync.csv >s.tsv
	equal "$(for m in mean median std var min max sum count first; do cell s.tsv comm_latency_$m; done | xargs)" \
		'14.666666666666666 14.0 5.033222956847167 25.333333333333336 10 20 44 3 10'
}

@test "nodes: by option, or as the first trace says" {
	two_ranks
	tl-ranks --gpus_per_node 1 -d out --trace_dir . --world_size 2
	equal "$(cut -f 18,19 out/nccl_long.tsv | tail -n 1)" $'1\tinter_node'
	equal "$(cell out/straggler_summary.tsv node_id)" 1
	equal "$(cell out/nccl_implicit_sync.tsv node_span)" inter_node
	equal "$(cell out/nccl_summary_long.tsv node_span)" inter_node
	coll allreduce 1 1 '"Process Group Ranks":"[0, 1, ...]"'
	rank rank0.json '"deviceProperties":[{"id":0},{"id":1}]'
	run -0 --separate-stderr tl-ranks -d two rank0.json
	like "$stderr" 'nodes of 2 GPUs'
	equal "$(cell two/nccl_long.tsv node_span)" intra_node
	run -2 --separate-stderr tl-ranks --gpus_per_node 0 -d out rank0.json
	failed 2 'gpus_per_node'
}

@test "without group names and with one stream, all collectives are one group" {
	bare='"Process Group Name":null,"Collective name":null,"dtype":null'
	coll x 10 5 "$bare"
	coll x 20 5 "$bare"
	rank rank0.json
	coll x 11 5 "$bare"
	rank rank1.json
	tl-ranks -q -d out rank0.json rank1.json
	equal "$(cut -f 1,4 out/nccl_long.tsv | tail -n +2 | tr '\t\n' ', ')" '0,all 1,all 0,all '
	equal "$(wc -l <out/nccl_implicit_sync.tsv)" 3
	equal "$(cell out/nccl_summary_implicit_sync.tsv 'Collective name')" Unknown
	# a second stream on one rank: the groups have no name
	coll x 11 5 "$bare"
	coll x 30 5 "$bare,\"stream\":8"
	rank rank1.json
	tl-ranks -q -d two rank0.json rank1.json
	equal "$(cut -f 1 two/nccl_long.tsv | xargs)" 'collective_id Unknown_Group_0 Unknown_Group_1 Unknown_Group_0 Unknown_Group_1'
}

@test "CSV, a workbook, and the workbook that nobody asked for" {
	two_ranks
	run -0 --separate-stderr tl-ranks -q --trace_dir . --world_size 2 --output_csvs_dir x/y --output_xlsx_path r.xlsx
	[ -s x/y/nccl_long.csv ]
	[ -s r.xlsx ]
	run -0 --separate-stderr tl-ranks --trace_dir . --world_size 2
	like "$stderr" 'the workbook becomes ./nccl_analysis_report.xlsx'
	[ -s nccl_analysis_report.xlsx ]
	run -0 --separate-stderr tl-ranks rank0_trace.json rank1_trace.json
	equal "$output" "$PWD/nccl_analysis_report.xlsx"
	mkdir -p up/here up/here2
	mv rank0_trace.json up/here
	mv rank1_trace.json up/here2
	run -0 --separate-stderr tl-ranks up/here/rank0_trace.json up/here2/rank1_trace.json # in the folder of both
	equal "$output" "$PWD/up/nccl_analysis_report.xlsx"
	coll allreduce 100 50 '"Group size":1,"dtype":"'"$(printf 'k%.0s' {1..33000})"'"'
	rank rank0_trace.json
	run -0 --separate-stderr tl-ranks --output_xlsx_path r.xlsx rank0_trace.json
	like "$stderr" 'tl-ranks: warning: .*nccl_long.*: 1 cell longer than 32767 characters cut to that'
	run -0 --separate-stderr tl-ranks -q --output_xlsx_path r.xlsx rank0_trace.json
	equal "$stderr" ''
}

@test "nothing is left behind, also after a failure" {
	two_ranks
	mkdir tmp
	TMPDIR=$PWD/tmp tl-ranks -q --output_csvs_dir out --trace_dir . --world_size 2
	equal "$(ls tmp)" ''
	coll allreduce 1 1 '"dtype":"Half"'
	rank rank1_trace.json
	TMPDIR=$PWD/tmp run -1 tl-ranks -q --output_csvs_dir out2 --trace_dir . --world_size 2
	equal "$(ls tmp)" ''
	[ ! -e out2 ]
}

@test "no collective at all, and wrong usage" {
	rank rank0.json
	run -1 --separate-stderr tl-ranks -d out rank0.json
	failed 1 'no rank has a collective'
	run -2 --separate-stderr tl-ranks
	failed 2 'no traces'
	run -2 --separate-stderr tl-ranks --trace_dir . --trace_glob '*'
	failed 2 'exclude each other'
	run -1 --separate-stderr tl-ranks --trace_dir .
	failed 1 'world_size must be provided: --world_size N'
	run -1 --separate-stderr tl-ranks --trace_pattern '*_*' --world_size 1
	failed 1 "exactly one '\*'"
	run -1 --separate-stderr tl-ranks --agg_metrics p99 rank0.json
	failed 1 "'p99' is none of"
}

# sheets_of RANK MS_COMPUTATION MS_IDLE MS_EXPOSED: sheets as tl-sheets makes them, but fewer
sheets_of() {
	mkdir -p "s/rank$1"
	printf 'type\ttime ms\tpercent\ncomputation_time\t%s\t1\nidle_time\t%s\t1\nexposed_comm_time\t%s\t1\ntotal_time\t%s\t1\n' \
		"$2" "$3" "$4" "$(($2 + $3 + $4))" >"s/rank$1/gpu_timeline.tsv"
	printf 'Kernel name\tKernel duration (µs)_sum\nk\t%s000\nk\t1000\nncclDevKernel_X\t%s0000\n' "$2" "$2" >"s/rank$1/kernel_summary.tsv"
}

@test "ranks side by side: which rank is slow, in what, and which differ from all others" {
	two_ranks
	for i in 0 1 2 3 4; do
		tl-ranks --part --rank $i -o $i.part rank0_trace.json
		sheets_of $i 100 5 20
	done
	sheets_of 3 130 5 1
	sheets_of 4 100 20 2
	tl-ranks -q --rank_sheets s -d out ./?.part
	s=out/ranks_summary.tsv
	equal "$(cut -f 1-6 $s)" "$(printf '%s\n' 'rank own_ms own_excess_ms slow_in slow_operator slow_kernel' '3 135.0 30.0 compute  k' \
		'4 120.0 15.0 waiting  ' '0 105.0 0.0   ' '1 105.0 0.0   ' '2 105.0 0.0   ' | tr ' ' '\t')"
	s=out/ranks_timeline.tsv
	n=$(row $s type=computation_time)
	equal "$(sed -n "$((n + 1))p" $s)" $'computation_time\t5\t100.0\t100.0\t130.0\t0\t3\t30.0\t30.0\t3'
	equal "$(cell $s outliers "$(row $s type=idle_time)")" 4
	# kernels of one name are one row, in ms
	equal "$(sed -n 3p out/ranks_kernels.tsv)" $'k\t5\t101.0\t101.0\t131.0\t0\t3\t29.702970297029704\t30.0\t3'
	# a kernel that waits for other ranks is not why one computes longer
	like "$(sed -n 2p out/ranks_kernels.tsv)" $'^ncclDevKernel_X\t'
	[ ! -e out/ranks_operators.tsv ]
}

@test "ranks side by side: a median of 0, and ranks that are equal" {
	two_ranks
	for i in 0 1 2; do
		tl-ranks --part --rank $i -o $i.part rank0_trace.json
		sheets_of $i 100 0 20
	done
	sheets_of 2 100 7 20
	tl-ranks -q --rank_sheets s -d out ./?.part
	s=out/ranks_timeline.tsv
	equal "$(sed -n 2p $s)" $'idle_time\t3\t0.0\t0.0\t7.0\t0\t2\t\t7.0\t2'
	# of equal ranks the first is the fastest and the slowest
	equal "$(grep ^computation $s)" $'computation_time\t3\t100.0\t100.0\t100.0\t0\t0\t0.0\t0.0\t'
}

@test "the sheets of each rank are made of its trace" {
	gen rank0.json -n 2000
	gen rank1.json -n 2000
	run -0 --separate-stderr tl-ranks -q --rank_sheets s -d out rank0.json rank1.json
	unlike "$output" '^s/'
	cmp s/rank0/ops_summary.tsv <(tl-ops --sheets ops_summary rank0.json)
	equal "$(cell out/ranks_operators.tsv ranks) $(cell out/ranks_operators.tsv spread_pct)" '2 0.0'
	rm -r s/rank1
	tl-ranks --part -q --rank 1 -o rank1.part rank1.json
	run -0 --separate-stderr tl-ranks --rank_sheets s -d out rank0.json rank1.part
	like "$stderr" 's/rank1: rank 1 has no sheet gpu_timeline here: it is not in ranks_'
	sed -i 1d s/rank0/gpu_timeline.tsv
	tl-ranks --part -q --rank 0 -o rank0.part rank0.json
	run -1 --separate-stderr tl-ranks --rank_sheets s -d out rank0.part
	failed 1 "s/rank0/gpu_timeline.tsv: .*lacks the column 'type'"
}

@test "a rank without device events has no sheets of them, and stops no other rank" {
	gen rank0.json -n 2000
	gen rank1.json -n 2000
	printf '{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":0,"dur":9,"args":{}}]}' >rank2.json
	run -0 --separate-stderr tl-ranks --rank_sheets s -d out rank0.json rank1.json rank2.json
	like "$stderr" 'warning: No GPU events found in the trace'
	like "$stderr" 's/rank2: rank 2 has no sheet gpu_timeline here: it is not in ranks_'
	equal "$(ls s/rank2);$(cell out/ranks_operators.tsv ranks)" 'trace_health.tsv;2'
	tl-sheets -q --sheets trace_health,gpu_timeline,kernel_summary -d none rank2.json
	equal "$(ls none)" trace_health.tsv
}

# steps_of RANK OWN...: its step_times, in each of which it computes for so many ms
steps_of() {
	local r=$1 own n=0
	shift
	mkdir -p "s/rank$r"
	{
		printf 'process\tstep\tcompute_ms\texposed_copy_ms\tidle_ms\texposed_comm_ms\tperiod_ms\tslow_in\n'
		for own; do
			printf '1\t%d\t%s\t1\t2\t3\t20\t\n' $((n += 1)) "$own"
		done
	} >"s/rank$r/step_times.tsv"
}

@test "ranks side by side: a rank that is slow in one step only, and why a rank waits" {
	two_ranks
	for i in 0 1 2 3; do
		tl-ranks --part --rank $i -o $i.part rank0_trace.json
		sheets_of $i 100 $((i == 1 ? 9 : 1)) 1
		printf 'cause\tidle_ms\nqueued\t1\n' >"s/rank$i/idle_summary.tsv"
		steps_of $i 10 "10.$((i * 25))" $((i == 2 ? 15 : 10))
	done
	printf 'data loading\t5\ndata loading\t3\n' >>s/rank1/idle_summary.tsv
	tl-ranks -q --rank_sheets s -d out ./?.part
	s=out/ranks_summary.tsv
	# columns rank, slow_cause, and of steps
	equal "$(cut -f 1,7,13- $s | tr '\t' ' ' | sort)" "$(printf '%s\n' '0  3 0 0  ' '1 data loading 3 0 0  ' '2  3 1 1 3 5.0' '3  3 1 0 2 0.375' \
		'rank slow_cause steps steps_slowest steps_outlier worst_step worst_step_excess_ms')"
	s=out/ranks_steps.tsv
	equal "$(sed 1q $s | tr '\t' ' ')" 'step rank own_ms excess_ms slowest outlier compute_ms exposed_copy_ms idle_ms exposed_comm_ms period_ms'
	equal "$(awk -F'\t' '$1 == 3 { print $2, $3, $4, $5, $6 }' $s)" "$(printf '%s\n' '0 13.0 0.0 0 0' '1 13.0 0.0 0 0' '2 18.0 5.0 1 1' '3 13.0 0.0 0 0')"
	# ranks without a cause have 0 of it
	equal "$(grep ^data out/ranks_host.tsv)" $'data loading\t4\t0.0\t0.0\t8.0\t0\t1\t\t8.0\t1'
	sed -i 's/^1\t2/1\tx/' s/rank2/step_times.tsv
	run -1 --separate-stderr tl-ranks --rank_sheets s -d out ./?.part
	failed 1 "s/rank2/step_times.tsv: row 2 .*expected a number in the column 'step'"
	sed -i 's/idle_ms/other/' s/rank2/step_times.tsv
	run -1 --separate-stderr tl-ranks --rank_sheets s -d out ./?.part
	failed 1 "s/rank2/step_times.tsv: .*no sheet step_times: it lacks the column 'idle_ms'"
}

@test "steps of generated ranks: the one whose host loads for long is the slowest of each" {
	for i in 0 1 2 3; do
		gen "rank$i.json" -n 8000 --rank $i --world-size 4 --loader $((i == 2 ? 3000 : 1))
	done
	tl-ranks -q --rank_sheets s -d out rank?.json
	s=out/ranks_summary.tsv
	equal "$(cell $s rank) $(cell $s slow_in)" '2 waiting'
	n=$(cell $s steps)
	[ "$n" -gt 3 ]
	equal "$(cell $s steps_slowest) $(cell $s steps_outlier)" "$n $n"
	# a sheet of one rank says the same
	equal "$(awk -F'\t' '$2 == 2 { print $7 }' out/ranks_steps.tsv)" "$(awk -F'\t' 'NR == 1 { while ($(++k) != "compute_ms"); next } { print $k }' s/rank2/step_times.tsv)"
}

@test "parts that are kept are made once, and again when the trace has changed" {
	two_ranks
	mkdir sub
	mv rank1_trace.json sub
	tl-ranks -q --parts p -d a rank0_trace.json sub/rank1_trace.json
	equal "$(echo p/*)" 'p/lock p/rank0_trace.json.part p/sub%rank1_trace.json.part'
	# what is not made again stays as it is
	sed -i 's/ncclDevKernel_X/mark/' p/rank0_trace.json.part
	head -n 2 "p/sub%rank1_trace.json.part" >half
	mv half "p/sub%rank1_trace.json.part"
	tl-ranks -q --parts p -d b rank0_trace.json sub/rank1_trace.json
	same_sheets a b
	equal "$(grep -c mark p/rank0_trace.json.part)" 2
	equal "$(tail -n 1 "p/sub%rank1_trace.json.part" | cut -f 1)" end
	coll allreduce 1 1
	rank rank0_trace.json
	tl-ranks -q --parts p -d b rank0_trace.json sub/rank1_trace.json
	refute grep mark p/rank0_trace.json.part
}

@test "the rank in a name: expressions of Python" {
	rank t.json
	# expression, name, the rank that it finds
	while read -r regex name wanted; do
		mkdir -p "names/${name%/*}"
		cp t.json "names/$name"
		run -1 --separate-stderr tl-ranks -d out --world_size 999 --lenient --rank_regex "$regex" --trace_glob "names/$name"
		case $wanted in
		none) failed 1 'none matched' ;;
		*) like "$stderr" "names/$name|no rank has a collective"; unlike "$stderr" "ranks: (.*, )?$wanted(,|\$)" ;;
		esac
	done <<-'END'
		rank[\[\-_/]?(?P<rank>\d+) a/rank-3.json 3
		(?:x|y)(\d+) a/y007.json 7
		(?P<node>n\d)r(?P<rank>\d) a/n1r2.json 2
		[\w.]+_([\d]+) a/b.c_14.json 14
		r[^\]\d-]([0-9]) a/r_5.json 5
		r[^\]\d-]([0-9]) b/r-5.json none
		step(\d+) step12/x.json 12
		(\d+) a/1234567890123456789.json none
	END
	for regex in '(' '[' 'rank' '(?:\d)' '(?=\d)'; do
		run -2 --separate-stderr tl-ranks -d out --rank_regex "$regex" t.json
		failed 2 "rank_regex '"
	done
}
