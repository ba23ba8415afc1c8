#!/usr/bin/env bats
# jaxcoll.bats - tl-jaxcoll: the collectives of a job of JAX.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# event OPERATION OFFSET DURATION: a kernel of a collective, in µs; "-": it names no operation
event() {
	local operation=
	[ "$1" = - ] || operation="4:{ 1:3 5:\"$1\" } 4:{ 1:4 5:\"${MODULE-jit_f}\" }"
	printf '4:{ 1:1 2:%s 3:%s 4:{ 1:1 3:7 } %s } ' "$(($2 * 1000000))" "$(($3 * 1000000))" "$operation"
}
# gpu NUMBER EVENTS…: a plane with one stream
gpu() {
	printf '1:{ 1:%s 2:"/device:GPU:%s" 3:{ 1:1 2:"Stream #1(Kernel)" 3:1000 %s } 4:{ 1:1 2:{ 1:1 2:"ncclDevKernel_Generic" } } 4:{ 1:2 2:{ 1:2 2:"fusion" } }
		5:{ 1:1 2:{ 1:1 2:"correlation_id" } } 5:{ 1:3 2:{ 1:3 2:"hlo_op" } } 5:{ 1:4 2:{ 1:4 2:"hlo_module" } } }' "$1" "$1" "${*:2}"
}
# profile FILE GPUS…
profile() {
	mkdir -p "$(dirname "$1")"
	printf '%s\n' "${@:2}" | "$TL_TOOLS/protobuf" >"$1"
}
# two OPERATION µs µs µs µs: two nodes of two GPUs, each runs the operation once, and needs so long
two() {
	profile a.xplane.pb "$(gpu 0 "$(event "$1" 10 "$2")")" "$(gpu 1 "$(event "$1" 20 "$3")")"
	profile b.xplane.pb "$(gpu 0 "$(event "$1" 30 "$4")")" "$(gpu 1 "$(event "$1" 40 "$5")")"
}
# dump LINE…: d.txt, the program jit_f
dump() {
	printf 'HloModule jit_f, is_scheduled=true\n\n'
	printf '  %s\n' "$@"
}
# groups [OPTION]…: name, group, present, GiB/s (three decimals), bus, scaler, µs, fastest, bytes of all, of one; of 0=a 1=b with d.txt
groups() {
	rm -rf out
	tl-jaxcoll -q --dump 0=d.txt --dump 1=d.txt -d out "$@" 0=a.xplane.pb 1=b.xplane.pb >printed
	awk -F '\t' -v OFS='|' 'NR > 1 { print $4, $5, sprintf("%.3f", $6), sprintf("%.3f", $7), $8, $9, $10, $11, $12 }' out/jax_collectives_groups.tsv
}
# slice: what each GPU brings, of the first line of the dump
slice() {
	tail -n +2 out/jax_collectives_xla.tsv | head -n 1 | cut -f 8,9
}

# bats test_tags=quick
@test "what a group moves, by the time of its fastest GPU; as TraceLens counts it with --reference" {
	two all-gather.1 100 50 80 200
	dump '%a = f32[8,1048576]{1,0} all-gather(%p), replica_groups={{0,1},{2,3}}, dimensions={0}, metadata={scheduling_name="all-gather.1"}' >d.txt
	# each brings 4 x 2^20 floats, 16 MiB; the message is 32 MiB
	equal "$(groups)" $'[0, 1]|[0, 1]|625.000|312.500|0.5|50.0|1|33554432|16777216\n[2, 3]|[2, 3]|390.625|195.312|0.5|80.0|2|33554432|16777216'
	equal "$(slice)" $'[{\'dtype\': \'f32\', \'dimensions\': (4, 1048576), \'bytes\': 16777216}]\t16777216'
	equal "$(awk -F '\t' 'NR > 1 { print $2, $3, sprintf("%.3f", $4), $5, $6, sprintf("%.3f", $7), $8, $9 }' out/jax_collectives_slices.tsv)" \
		'all-gather.1_0 507.8125 390.625 625.0 253.90625 195.312 312.5 2'
	equal "$(tail -n +2 out/jax_collectives_operations.tsv)" $'all-gather.1\t507.8125\t253.90625\t1\t16777216'
	equal "$(cut -f 1-11,19 out/jax_collectives_types.tsv | tail -n +2)" $'all-gather\t1\t1\t1\t507.8125\t507.8125\t507.8125\t507.8125\t0.0\t507.8125\t507.8125\t16.0'
	equal "$(tail -n 1 printed)" 'all-gather      1    507.8    253.9   '
	# on both nodes, in groups over nodes; a rank that no profile has
	dump '%a = f32[8,1048576]{1,0} all-gather(%p), replica_groups=[2,2]<=[2,2]T(1,0), dimensions={0}, metadata={scheduling_name="all-gather.1"}' >d.txt
	equal "$(groups | cut -d '|' -f 1,2,6,7)" $'[0, 2]|[0, 2]|80.0|2\n[1, 3]|[1, 3]|50.0|1'
	# TraceLens does not see T, has 8 GPUs in a node, and counts sent and received
	equal "$(groups --reference | cut -d '|' -f 1,2,3,6,7,8)" '[0, 1]|[0, 1]|625.000|50.0|1|33554432'
	dump '%a = f32[8]{0} all-reduce(%p), replica_groups={{0,1,8,9}}, metadata={scheduling_name="all-gather.1"}' >d.txt
	equal "$(groups --reference)" '[0, 1, 8, 9]|[0, 1, 8, 9]|0.004|0.003|0.75|50.0|1|192|32'
}

@test "each kind of collective: bytes of a GPU, of the message, and the scaler of the bus" {
	kind() { # NAME LINE: bytes, algorithmic bytes, scaler of the first group, ours and those of TraceLens
		two "$1" 100 50 80 200
		dump "%x = $2, metadata={scheduling_name=\"$1\"}" >d.txt
		groups | head -n 1 | awk -F '|' -v ORS=' ' '{ print $9, $8, $5 "," }'
		groups --reference | head -n 1 | awk -F '|' '{ print $9, $8, $5 }'
	}
	local g='replica_groups={{0,1},{2,3}}'
	equal "$(kind all-reduce.1 "f32[100,10]{1,0} all-reduce(%p), $g")" '4000 4000 1.0, 4000 8000 1.0'
	equal "$(kind all-reduce-start "(bf16[100]{0}, s8[3]{0}) all-reduce-start(%p), $g")" '203 203 1.0, 203 406 1.0'
	# the shape of reduce-scatter is that of the result
	equal "$(kind reduce-scatter.2 "f32[100,10]{1,0} reduce-scatter(%p), $g, dimensions={0}")" '8000 8000 0.5, 2000 3000.0 0.5'
	equal "$(kind all-to-all.1 "f32[100,10]{1,0} all-to-all(%p), $g, dimensions={0}")" '4000 4000 0.5, 2000 2000.0 0.5'
	equal "$(kind all-to-all.1 "(f32[5]{0}, f32[5]{0}) all-to-all(%p), $g")" '40 40 0.5, 20 20.0 0.5'
	equal "$(kind all-gather-start "(f32[50]{0}, f32[100]{0}) all-gather-start(%p), $g, dimensions={0}")" '200 400 0.5, 200 400 0.5'
	equal "$(kind all-gather-start "((f32[50]{0}, u8[2]{0}), (f32[100]{0}, u8[4]{0})) all-gather-start(%p), $g, dimensions={0}")" '202 404 0.5, 202 404 0.5'
	equal "$(kind collective-permute-start "(f32[50]{0:T(8,128)S(1)}, f32[50]{0:T(8,128)S(1)}, u32[], u32[]) collective-permute-start(%p), source_target_pairs={{0,1},{1,0}}")" \
		'200 200 1.0, 400 800 1.0'
	equal "$(kind wrapped_all-reduce "f32[100]{0} all-reduce(%p), $g")" '400 400 1.0, 400 400 1.0'
	# types of less than a byte, and of f8
	equal "$(kind all-reduce "(f8e4m3fn[8]{0}, s4[5]{0}, pred[1]{0}, c64[2]{0}) all-reduce(%p), $g")" '28 28 1.0, 17 34 1.0'
}

@test "an asynchronous operation is what the computation does that it calls" {
	two all-to-all-start.4 100 50 80 200
	{
		printf 'HloModule jit_f\n\n%%async_computation.7 (p: f32[64]) -> f32[64] {\n  %%p = f32[64]{0} parameter(0)\n'
		printf '  ROOT %%all-to-all.9 = f32[64]{0} all-to-all(%%p), replica_groups={{0,1},{2,3}}, dimensions={0}, metadata={scheduling_name="all-to-all.9"}\n}\n\n'
		printf 'ENTRY %%main () -> f32[64] {\n  %%s = ((f32[64]{0}), f32[64]{0}) async-start(%%x), calls=%%async_computation.7, metadata={scheduling_name="all-to-all-start.4"}\n}\n'
	} >d.txt
	equal "$(groups | cut -d '|' -f 1,9)" $'[0, 1]|256\n[2, 3]|256'
	equal "$(tail -n +2 out/jax_collectives_xla.tsv | cut -f 1,2,3 | sort -u | wc -l)" 4
	equal "$(groups --reference)" ''
}

@test "{} is one group of all; a device that sends to itself moves nothing" {
	two all-reduce.1 100 50 80 200
	dump '%x = f32[4]{0} all-reduce(%p), replica_groups={}, metadata={scheduling_name="all-reduce.1"}' >d.txt
	equal "$(groups | cut -d '|' -f 1,5)" '[0, 1, 2, 3]|1.5'
	equal "$(groups --gpus_per_node 3 | cut -d '|' -f 1,2)" '[0, 1, 2, 3, 4, 5]|[0, 1, 3, 4]'
	two collective-permute.1 100 50 80 200
	dump '%x = f32[4]{0} collective-permute(%p), source_target_pairs={{0,3},{1,1},{2,9}}, metadata={scheduling_name="collective-permute.1"}' >d.txt
	run -0 --separate-stderr tl-jaxcoll --dump 0=d.txt --dump 1=d.txt -d out 0=a.xplane.pb 1=b.xplane.pb
	equal "$(cut -f 4,5,10,13,14 out/jax_collectives_groups.tsv | tail -n +2)" $'[0, 3]\t[0, 3]\t0\t2\t2\n[2, 9]\t[2]\t2\t2\t1'
	[[ $stderr = *'dumps have groups of 10 GPUs, the nodes given have 4'* ]]
}

@test "which dump tells of a kernel: node, program and name" {
	local line='metadata={scheduling_name="all-reduce.1"}'
	profile a.xplane.pb "$(gpu 0 "$(event all-reduce.1 10 5)" "$(MODULE=jit_g event all-reduce.1 20 5)" "$(MODULE=jit_h event all-reduce.1 30 5)")"
	dump "%x = f32[4]{0} all-reduce(%p), replica_groups={{0}}, $line" "%y = f32[9]{0} all-reduce(%p), replica_groups={{0}}, $line" >f.txt
	sed 's/jit_f/jit_g/; s/f32\[4\]/f32[8]/' f.txt >g.txt
	run -0 --separate-stderr tl-jaxcoll --dump 0=f.txt --dump 0=g.txt -d out 0=a.xplane.pb
	equal "$(cut -f 7,11 out/jax_collectives_long.tsv | tail -n +2)" $'jit_f\t16.0\njit_g\t32.0\njit_h\t'
	[[ $stderr = *"collectives that a node's dumps have twice, with other groups or sizes: 2, the first all-reduce.1; the first of each counts"* ]]
	# a dump that does not tell its program is of any; the name of a file may tell it
	tail -n +2 f.txt >any.txt
	tail -n +2 g.txt >module_0012.jit_h.sm_90_gpu_after_optimizations.txt
	tl-jaxcoll -q --dump 0=any.txt --dump 0=module_0012.jit_h.sm_90_gpu_after_optimizations.txt -d out 0=a.xplane.pb >printed
	equal "$(cut -f 7,11 out/jax_collectives_long.tsv | tail -n +2)" $'jit_f\t16\njit_g\t16\njit_h\t32'
}

@test "where there is no dump, the programs in a node's profile tell" {
	local array='3:{ 2:11 3:64 5:{ 1:0 } }' tuple
	tuple="3:{ 2:13 4:{ 2:11 3:64 } 4:{ 2:11 3:64 } }"
	profile a.xplane.pb "$(gpu 0 "$(event all-reduce.1 10 5)" "$(event all-to-all-start.4 20 5)" "$(event collective-permute.2 30 5)")" \
		"$(gpu 1 "$(event all-reduce.1 10 4)" "$(event all-to-all-start.4 20 4)" "$(event collective-permute.2 30 4)")" \
		"1:{ 1:9 2:\"/host:metadata\" 4:{ 1:15 2:{ 1:15 2:\"jit_f(15)\" 5:{ 1:1 6:{ 1:{ 1:\"jit_f\" 6:2
			3:{ 1:\"async\" 5:3 6:31 2:{ 1:\"all-to-all.9\" 2:\"all-to-all\" $array 35:31 14:0 49:{ 1:0 1:1 } } }
			3:{ 1:\"main\" 5:2 6:9
			2:{ 1:\"all-reduce.1\" 2:\"all-reduce\" $array 35:1 }
			2:{ 1:\"all-to-all-start.4\" 2:\"async-start\" $tuple 35:2 38:3 }
			2:{ 1:\"permute\" 2:\"collective-permute\" $array 35:3 52:{ 1:1 2:0 } 7:{ 16:\"collective-permute.2\" } }
			2:{ 1:\"all-reduce-done\" 2:\"all-reduce-done\" $array 35:4 }
			} } } } } } 5:{ 1:1 2:{ 2:\"Hlo Proto\" } } }"
	run -0 --separate-stderr tl-jaxcoll -d out 0=a.xplane.pb
	equal "$(cut -f 2-4,7,9 out/jax_collectives_xla.tsv | tail -n +2)" "$(printf '%s\n' $'all-to-all.9\t{{0,1}}\t[[0, 1]]\t0\t256' $'all-reduce.1\t{}\t[[0, 1]]\t\t256' \
		$'all-to-all-start.4\t{{0,1}}\t[[0, 1]]\t0\t256' $'collective-permute.2\t{{1,0}}\t[[1, 0]]\t\t256')"
	equal "$(cut -f 1,4,9 out/jax_collectives_groups.tsv | tail -n +2)" $'all-reduce.1\t[0, 1]\t4.0\nall-to-all-start.4\t[0, 1]\t4.0\ncollective-permute.2\t[1, 0]\t4.0'
	[[ $stderr = *'nodes without a dump: 1; the programs in their profiles tell groups and sizes'* ]]
	# a dump counts before them; TraceLens does not read them
	dump '%x = f32[2]{0} all-reduce(%p), replica_groups={}, metadata={scheduling_name="all-reduce.1"}' >d.txt
	tl-jaxcoll -q --dump 0=d.txt -d out 0=a.xplane.pb >printed
	equal "$(cut -f 2,9 out/jax_collectives_xla.tsv | tail -n +2)" $'all-reduce.1\t8'
	tl-jaxcoll -q --reference -d out 0=a.xplane.pb >printed
	equal "$(wc -l <out/jax_collectives_xla.tsv)" 1
}

@test "dumps are searched: those whose paths share most with the profile's" {
	local line='replica_groups={{0}}, metadata={scheduling_name="all-reduce.1"}' host d
	for host in h1 h10; do
		profile "job/$host/prof/$host.xplane.pb" "$(gpu 0 "$(event all-reduce.1 10 5)")"
		for d in "job/$host/a/xla_dumps" "job/$host/b/c/xla_dumps"; do mkdir -p "$d"; done
		dump "%x = f32[${#host}]{0} all-reduce(%p), $line" >"job/$host/b/c/xla_dumps/module_1.jit_f.sm_90_gpu_after_optimizations.txt"
		dump "%x = f32[100]{0} all-reduce(%p), $line" >"job/$host/b/c/xla_dumps/module_1.jit_f.sm_90_gpu_before_optimizations.txt"
		printf 'HloModule jit_train_step\n' >"job/$host/a/xla_dumps/module_2.jit_train_step.sm_90_gpu_after_optimizations.txt"
	done
	tl-jaxcoll -q --dir job -d out 1=job/h1/prof/h1.xplane.pb 10=job/h10/prof/h10.xplane.pb >printed
	equal "$(cut -f 1,2,11,12 out/jax_collectives_long.tsv | tail -n +2)" $'1\t1\t8\th1 /device:GPU:0\n10\t10\t12\th10 /device:GPU:0'
	# TraceLens takes programs of this name only, and the first of them
	run -0 --separate-stderr tl-jaxcoll --reference --dir job -d out 1=job/h1/prof/h1.xplane.pb
	equal "$(cut -f 1,2,11 out/jax_collectives_long.tsv | tail -n +2)" $'1\t8\t'
	[[ $stderr = *'job/h1/a/xla_dumps/module_2.jit_train_step.sm_90_gpu_after_optimizations.txt: no collectives'* ]]
	run -0 --separate-stderr tl-jaxcoll --dir job/h1/prof -d out 1=job/h1/prof/h1.xplane.pb
	[[ $stderr = *'there are no dumps job/h1/prof/**/xla_dumps/*_gpu_after_optimizations.txt'*'nodes without a dump (--dump, --dir), whose profiles have no programs either: 1, the first 1; no groups and sizes, no bandwidth'* ]]
}

@test "logs tell which profile is of which node" {
	profile job/x/tw-2.xplane.pb "$(gpu 0 "$(event all-reduce.1 10 5)")"
	cp job/x/tw-2.xplane.pb job/x/tw1.xplane.pb
	cp job/x/tw-2.xplane.pb job/x/other.xplane.pb
	printf 'NODE_RANK=4\nRunning on tw1\n--nnodes=3\n' >job/1.log
	printf 'NODE_RANK: 0\n' >job/tw-2.log
	run -0 --separate-stderr tl-jaxcoll --node_map --dir job
	equal "$output" $'0\tx/tw-2.xplane.pb\n4\tx/tw1.xplane.pb\nworld_size\t3'
	equal "$stderr" $'tl-jaxcoll: warning: job/x/other.xplane.pb: no log tells which node \'other\' is: the profile does not count\ntl-jaxcoll: warning: logs tell of 3 nodes, and the numbers of 2'
	tl-jaxcoll -q --dir job -d out >printed
	equal "$(cut -f 1,2 out/jax_collectives_long.tsv | tail -n +2)" $'0\t0\n4\t4'
	# logs in folders count if there is none at the top; of two profiles of a node the last counts
	mkdir job/logs
	mv job/*.log job/logs
	printf 'NODE_RANK=4\nhost: other' >job/logs/2.log
	ln -s . job/loop
	ln -s .. job/logs/up
	run -0 --separate-stderr timeout 60 tl-jaxcoll --node_map --dir job
	equal "$output" $'0\tx/tw-2.xplane.pb\n4\tx/tw1.xplane.pb\nworld_size\t3'
	[[ $stderr = *'two profiles of node 4: job/x/tw1.xplane.pb counts, not job/x/other.xplane.pb'* ]]
	rm -r job/logs
	run -1 --separate-stderr tl-jaxcoll --dir job
	[[ $stderr = *'job: no profile *.xplane.pb of a node that a log there tells (NODE=FILE names them)'* ]]
}

@test "slices pair by number: kernels shorter than 1 ns, ranks with one event more, different groups" {
	profile a.xplane.pb "$(gpu 0 "$(event all-reduce.1 10 5)" "$(event all-reduce.1 20 5)" "$(event all-reduce.2 30 5)" "$(event - 40 5)")" \
		"$(gpu 1 "$(event all-reduce.1 10 0)" "$(event all-reduce.2 30 4)")"
	profile b.xplane.pb "$(gpu 0 "$(event all-reduce.2 30 3)")"
	dump '%x = f32[4]{0} all-reduce(%p), replica_groups={{0,1}}, metadata={scheduling_name="all-reduce.1"}' \
		'%y = f32[4]{0} all-reduce(%p), replica_groups={{0,1,2}}, metadata={scheduling_name="all-reduce.2"}' >d.txt
	sed 's/0,1,2/2,1,0/' d.txt >e.txt
	run -0 --separate-stderr tl-jaxcoll --dump 0=d.txt --dump 1=e.txt -d out 0=a.xplane.pb 1=b.xplane.pb
	equal "$(cut -f 2,4,5,9,10,14 out/jax_collectives_groups.tsv | tail -n +2)" $'all-reduce.1_0\t[0, 1]\t[0, 1]\t5.0\t0\t2\nall-reduce.1_1\t[0, 1]\t[0]\t5.0\t0\t1'
	equal "$(cut -d ' ' -f 3- <<<"$stderr")" "$(printf '%s\n' 'of 2 GPUs, as the profiles have (--gpus_per_node N for others)' \
		'collectives without groups, left out: 1, the first unknown_0' 'collectives whose GPUs have different groups, left out: 1, the first all-reduce.2_0' \
		'collectives that some GPUs have more often than others, paired by their number: 1, the first all-reduce.1' \
		'kernels shorter than 1 ns, from which no bandwidth comes: 1')"
	# the size is known though the dump of the fastest node lacks it
	run -0 --separate-stderr tl-jaxcoll --dump 0=d.txt -d out 0=a.xplane.pb 1=b.xplane.pb
	equal "$(cut -f 2,5,9,10,12 out/jax_collectives_groups.tsv | tail -n 1)" $'all-reduce.2_0\t[0, 1, 2]\t3.0\t2\t16'
}

@test "what cannot be used is said: no collectives, no dumps, groups that make no sense, wrong names" {
	profile a.xplane.pb "$(gpu 0 "$(event all-reduce.1 10 5)")"
	profile none.xplane.pb "$(gpu 0 '4:{ 1:2 2:0 3:5000000 }')"
	run -0 --separate-stderr tl-jaxcoll -d out 0=none.xplane.pb
	[[ $stderr = *'none.xplane.pb: no kernel of a collective'*'no collectives: the sheets have no rows'* ]]
	equal "$(cat out/*.tsv | wc -l)" 6
	run -0 --separate-stderr tl-jaxcoll -d out 0=a.xplane.pb
	[[ $stderr = *'nodes without a dump (--dump, --dir), whose profiles have no programs either: 1, the first 0; no groups and sizes, no bandwidth'* ]]
	equal "$(wc -l <out/jax_collectives_long.tsv)" 2
	dump '%x = f32[4]{0} all-reduce(%p), replica_groups=[2,4]<=[9], metadata={scheduling_name="all-reduce.1"}' \
		'%y = f32[4]{0} all-reduce(%p), replica_groups=[2,2]<=[2,2]T(1,1), metadata={scheduling_name="all-reduce.2"}' \
		'%z = x[4]{0} all-reduce(%p), replica_groups={{0}}, metadata={scheduling_name="all-reduce.3"}' >d.txt
	run -0 --separate-stderr tl-jaxcoll --dump 0=d.txt --dump 3=gone.txt -d out 0=a.xplane.pb
	[[ $stderr = *'node 3: there is no dump gone.txt'*'groups that make no sense: 2, the first of node 0, line 3: [2,4]<=[9]'* ]]
	[[ $stderr = *'arrays of unknown size, which count as 0 bytes: 1, the first x[4]'* ]]
	equal "$(cut -f 2,3 out/jax_collectives_xla.tsv | tail -n 1)" $'all-reduce.3\t{{0}}'
	for wrong in x=a.xplane.pb a.xplane.pb 0= -- -1=a.xplane.pb; do
		[ "$wrong" != -- ] || continue
		run -2 --separate-stderr tl-jaxcoll -- "$wrong"
		[[ $stderr = *"expected NODE=FILE, NODE a whole number, not '$wrong'"* ]]
	done
	run -2 --separate-stderr tl-jaxcoll 0=a.xplane.pb 0=b.xplane.pb
	[[ $stderr = *'two profiles of node 0'* ]]
	run -2 --separate-stderr tl-jaxcoll
	[[ $stderr = *'no profiles: name them as NODE=FILE, or give --dir'* ]]
	run -1 --separate-stderr tl-jaxcoll --dir nowhere
	[[ $stderr = *'nowhere: no such folder'* ]]
	run -1 --separate-stderr tl-jaxcoll 0=nowhere.pb
	[[ $stderr = *nowhere.pb* ]]
}

@test "a workbook, CSV and a page of the sheets" {
	two all-reduce.1 100 50 80 200
	dump '%x = f32[4]{0} all-reduce(%p), replica_groups={}, metadata={scheduling_name="all-reduce.1"}' >d.txt
	tl-jaxcoll -q --dump 0=d.txt -o book.xlsx --output_csvs_dir csv --html page.html 0=a.xplane.pb 1=b.xplane.pb >printed
	equal "$(ls csv)" "$(printf 'jax_collectives_%s.csv\n' groups long operations slices types xla)"
	[ -s book.xlsx ]
	grep -q jax_collectives_types page.html
}

@test "the cases with sheets of TraceLens: all cells, and what it prints" {
	cases=$TL_ROOT/../shared/traces/jax-collectives
	[ -d "$cases" ] || skip 'no ../shared'
	run -0 "$TL_ROOT/../shared/tools/parity" --run 'eval "tl-jaxcoll -q --reference $FLAGS --output_csvs_dir $OUT" >/dev/null' "$cases"
	[[ ${lines[-1]} = *'(100.000%)'* ]]
	for case in "$cases"/*/stdout; do
		# shellcheck disable=SC2034 # flags have it
		INPUT=${case%/stdout}/input
		eval "tl-jaxcoll -q --reference $(cat "${case%/stdout}/flags")" | cmp - "$case"
	done
	for case in "$cases"/node-logs/*/map.tsv; do
		tl-jaxcoll -q --node_map --dir "${case%/map.tsv}/input" | cmp - "$case"
	done
}
