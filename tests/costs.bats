#!/usr/bin/env bats
# costs.bats - time and memory grow with the trace, not with its square, whatever its
# shape; where they cannot, the program refuses the trace in time.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# shape N AWK: a trace; the program AWK adds its events by op(), frame(), call() and
# kernel(). Times are in µs.
shape() {
	awk -v n="$1" '
		function event(cat, name, tid, ts, dur, args) {
			printf "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":1,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,\"args\":{%s}}",
				separator, cat, name, tid, ts, dur, args
			separator = ",\n"
		}
		function op(name, ts, dur) { event("cpu_op", name, 1, ts, dur, "") }
		function frame(name, ts, dur) { event("python_function", name, 1, ts, dur, "") }
		function call(id, ts, name) { event("cuda_runtime", name ? name : "cudaLaunchKernel", 1, ts, 0.5, "\"correlation\":" id) }
		function kernel(id, name, ts, dur, stream) {
			event("kernel", name, stream, ts, dur, "\"correlation\":" id ",\"stream\":" stream)
		}
		BEGIN { printf "{\"traceEvents\":[" }
		BEGIN { '"$2"' }
		BEGIN { print "]}" }'
}

# linear N AWK COMMAND: four times the trace must not take more than nine times the CPU
# and five times the memory. With the square of the trace either would take 16 times.
linear() {
	shape "$1" "$2" >small.json
	shape $((4 * $1)) "$2" >large.json
	in_proportion "$3" small.json large.json
}
# in_proportion COMMAND SMALL LARGE: the same of two files, of which one is four times the other
in_proportion() {
	[ -z "${TL_SANITIZED-}" ] || skip 'sanitizers take time and memory of their own'
	run -0 "$TL_TOOLS/measure" 1 "$1 $2 >/dev/null" "$1 $3 >/dev/null"
	echo "$output"
	awk '{ cpu[NR] = $2; kib[NR] = $3 } END { exit cpu[2] > 9 * cpu[1] || kib[2] > 5 * kib[1] }' <<<"$output"
}

# n calls and n kernels of one correlation, and an operator around them
crossed='op("o", 0, 4 * n); for (i = 0; i < n; i++) { call(1, 2 * i + 1, "cudaGraphLaunch"); kernel(1, "k" i % 9, 2 * i, 1, 7) }'

@test "every call launches every kernel of its correlation, in a small trace" {
	shape 300 "$crossed" >t.json
	run -0 --separate-stderr pipe 'tl-link -q t.json | tl-view'
	equal "$(grep -c '^link	launch' <<<"$output")" 90000
	tl-ops -q --sheets ops_unique_args t.json >u.tsv
	equal "$(cell u.tsv total_direct_kernel_time_sum)" 300.0
}

@test "many calls and kernels of one correlation: what is left out is counted" {
	shape 1000 "$crossed" >t.json
	run -0 --separate-stderr tl-link -o t.tls t.json
	like "$stderr" 'tl-link: warning: too many runtime calls and device events of one correlation: 721000 of their launches were left out'
	equal "$(tl-view t.tls | grep -c '^link	launch')" 279000
	equal "$(tl-view t.tls | awk '$2 == "launch" { print $4 }' | sort -u | wc -l)" 1000
	# 528 * 512 launches more than one a device event are as many as the limit of 2^18 + 16 * 512
	local calls
	for calls in 529 530; do
		shape 512 'for (i = 0; i < n; i++) kernel(1, "k", 2 * i, 1, 7); for (i = 0; i < '$calls'; i++) call(1, 2 * i, "cudaGraphLaunch")' >t.json
		tl-link -q t.json | tl-view | grep -c '^link	launch' >>launches
	done
	equal "$(<launches)" $'270848\n270848'
	linear 1000 "$crossed" 'tl-ops -q'
}

# n operators, each inside the one before; each launches a kernel. The calls come last, so
# that the launches are in another order than the operators.
inside='for (i = 0; i < n; i++) op("o" i % 7, 2 * i, 4 * (n - i))
	for (i = 0; i < n; i++) { call(i + 1, 2 * i + 0.5); kernel(i + 1, "k", 2 * i, 1, 7) }'

@test "operators that launch work, nested by the thousand" {
	shape 3000 "$inside" >t.json
	tl-ops -q -d out t.json
	equal "$(cell out/ops_summary.tsv total_subtree_kernel_time_sum "$(row out/ops_summary.tsv name=o0)")" 644358.0
	shape 13000 'for (i = 0; i < n; i++) { op("o", 2 * i, 4 * (n - i)); call(i + 1, 2 * i + 0.5); kernel(i + 1, "k", 2 * i, 1, 7) }' >t.json
	run -1 --separate-stderr tl-ops -q -d none t.json
	failed 1 'operators are nested too deeply: a device event lies below more than 64 of them on average'
	[ ! -e none ]
}

@test "device work at the bottom of deep Python frames" {
	linear 15000 'for (i = 0; i < n; i++) frame("f.py(" i "): f", 2 * i, 8 * (n - i))
		for (i = 0; i < n; i++) { op("o", 2 * n + i, 0.9); call(i + 1, 2 * n + i + 0.2); kernel(i + 1, "k", i, 1, 7) }' \
		'tl-roofline -q --include_call_stack'
}

@test "device work all the way down deep Python frames, below one operator" {
	linear 4000 'op("o", 0, 39 * n)
		for (i = 0; i < n; i++) { frame("f.py(" i "): f", 2 * i + 1, 20 * n - 4 * i); call(i + 1, 2 * i + 1.2); kernel(i + 1, "k", 2 * i, 1, 7) }' \
		'tl-roofline -q --include_call_stack'
	linear 6000 'op("o", 0, 39 * n)
		for (i = 1; i <= n; i++) { event("cuda_runtime", "x", 1, 2 * i, 20 * n - 4 * i, "\"correlation\":" i); kernel(i, "k", 2 * i, 1, 7) }' \
		'tl-roofline -q --include_call_stack'
}

@test "runtime calls inside each other, and below deep Python frames, without an operator" {
	linear 8000 'for (i = 1; i <= n; i++) {
		event("cuda_runtime", "cudaLaunchKernel", 1, 2 * i, 8 * (n - i), "\"correlation\":" i); kernel(i, "k", 9 * n + 2 * i, 1, 7)
	}' 'tl-kcat -q'
	linear 8000 'for (i = 1; i <= n; i++) frame("f.py(" i "): f", 2 * i, 8 * (n - i))
		for (i = 1; i <= n; i++) { call(i, 2 * n + i); kernel(i, "k", 9 * n + 2 * i, 1, 7) }' \
		'tl-roofline -q --include_call_stack'
}

@test "annotations of different names within each other, for the sheet mfu" {
	linear 400 'for (i = 0; i < n; i++) event("user_annotation", "r" i, 1, i, 20 * n - 2 * i, "")
		for (i = 1; i <= n; i++) {
			event("cpu_op", "aten::mm", 1, n + 5 * i, 4, "\"Input Dims\":[[64,64],[64,64]],\"Input type\":[\"float\",\"float\"]")
			call(i, n + 5 * i + 1); kernel(i, "k", n + 5 * i + 2, 3, 7)
		}' 'tl-sheets -q -d out --sheets mfu --arch H100-SXM'
}

@test "what findings have at stake, of a row of idle time a step" {
	linear 6000 'for (i = 1; i <= n; i++) {
		event("user_annotation", "ProfilerStep#" i, 1, 10 * i, 9, ""); op("o", 10 * i, 5); call(i, 10 * i + 1); kernel(i, "k", 10 * i + 5, 4, 7)
	}' 'tl-findings -q -d out'
}

@test "edits of a tree that is nested by the thousand are refused" {
	shape 26000 'for (i = 0; i < n; i++) op("o" i % 7, 2 * i, 4 * (n - i)); call(1, 2 * n); kernel(1, "k", 2 * n, 1, 7)' |
		tl-link -q >t.tls
	printf 'rule\tdeep\tinsert\n\top-like\t^o\n\tname\tnew\n' >insert.tsv
	printf 'rule\tdeep\tmove\n\top-like\t^o\n\tunder\tnone\n' >move.tsv
	run -1 --separate-stderr tl-rewrite --rules insert.tsv -o out.tls t.tls
	failed 1 'link reparent [0-9]+ [0-9]+: too many edits of a tree that is so deep'
	run -1 --separate-stderr tl-rewrite --rules move.tsv -o out.tls t.tls
	failed 1 'rule deep: its events have too many others above or below them'
	[ ! -e out.tls ]
}

@test "all kernels of one stream run at the same time" {
	linear 4000 'for (i = 1; i <= n; i++) { op("o", 2 * i, 1); call(i, 2 * i); kernel(i, "k", i, 2 * n, 7) }
		op("p", 2 * n + 8, 1); call(n + 1, 2 * n + 8); kernel(n + 1, "other", 0, 4 * n, 8)' \
		'tl-ops -q --include_overlap_info --sheets ops_unique_args_kl_overlap'
}

@test "too many kernels that run at the same time on different streams are refused" {
	# 13 million pairs; a million pairs, but every kernel has a name and a row of its own
	local each='op("o" i, 2 * i, 1); call(i, 2 * i); kernel(i, "k" i % names, i, 2 * n, i)'
	shape 5200 "names = 1; for (i = 1; i <= n; i++) { $each }" >pairs.json
	shape 1500 "names = n; for (i = 1; i <= n; i++) { $each }" >names.json
	run -1 --separate-stderr tl-ops -q --include_overlap_info -d out pairs.json
	failed 1 'too many device events overlap: more than 8388608 pairs by event [0-9]+; leave out --include_overlap_info'
	for f in ops roofline; do
		run -1 --separate-stderr tl-$f -q --include_overlap_info -d out names.json
		failed 1 'too many device events overlap: the rows would name more than 2097152 of them; leave out'
	done
	[ ! -e out ]
}

@test "collectives with many names in one group" {
	local n
	for n in 8000 32000; do
		shape $n 'for (i = 0; i < n; i++) event("kernel", "ncclDevKernel_X", 7, 9 * i, 5, "\"correlation\":1,\"stream\":7,\"dtype\":\"Float\"," \
			"\"Process Group Name\":\"g\",\"Process Group Ranks\":\"[0, 1]\",\"Group size\":2,\"In msg nelems\":8,\"Out msg nelems\":8," \
			"\"In split size\":\"[]\",\"Out split size\":\"[]\",\"Collective name\":\"c" i "\"")' >rank0_$n.json
	done
	in_proportion 'tl-ranks -q -d out' rank0_8000.json rank0_32000.json
	equal "$(wc -l <out/ranks_stragglers.tsv)" 32001
}

# planes N FILE: an XPlane file of so many GPUs with a kernel each
planes() {
	awk -v n="$1" 'BEGIN {
		for (i = 0; i < n; i++)
			printf "1:{ 1:%d 2:\"/device:GPU:%d\" 3:{ 1:1 2:\"Stream #1(Kernel)\" 3:1000 4:{ 1:1 2:%d 3:5 4:{ 1:1 5:\"grid:1,1,1\" } } }" \
				" 4:{ 1:1 2:{ 1:1 2:\"fusion\" } } 5:{ 1:1 2:{ 1:1 2:\"kernel_details\" } } }\n", i, i, 10 * i
	}' | "$TL_TOOLS/protobuf" >"$2"
}

@test "planes of many GPUs" {
	planes 5000 small.xplane.pb
	planes 20000 large.xplane.pb
	in_proportion 'tl-jax -q -d out' small.xplane.pb large.xplane.pb
	equal "$(wc -l <out/gpu_timeline.tsv)" 160001
}

@test "call stacks of all kernels of one graph" {
	linear 10000 'op("o", 0, 9); call(1, 1, "cudaGraphLaunch"); for (i = 0; i < n; i++) kernel(1, "k" i, 2 * i, 1, 7)' \
		'tl-roofline -q --include_call_stack'
}

@test "categories of kernels whose names repeat a word" {
	linear 2000 'k = split("chunk_ mla_ pa_ bwd_ moe_ gmm_ ar_ _ a9 é", words, " ")
		for (w = 1; w <= k; w++) { name = "k"; for (i = 0; i < n; i++) name = name words[w]; kernel(w, name, w, 1, 7) }' \
		'tl-kcat -q --sheets kernel_categories'
}

@test "too many regular expressions, and those that repeat much, are refused" {
	for i in $(seq 500); do
		printf '%d\tC%d\tk(a?){500}%d\n' "$i" "$i" "$i"
	done >rules.tsv
	for i in $(seq 500); do
		printf 'rule\tr%d\trename\n\twhat\tk(a?){500}%d\n\tto\tx\n' "$i" "$i"
	done >edits.tsv
	for i in $(seq 1100); do
		printf '%d\tC%d\tk.%d\n' "$i" "$i" "$i"
	done >many.tsv
	shape 1 'kernel(1, "k", 0, 1, 7)' >t.json
	run -1 --separate-stderr tl-kcat --kernel-categories many.tsv --sheets kernels t.json
	failed 1 "many.tsv:[89][0-9][0-9]:10: bad regular expression 'k.[0-9]*': too many regular expressions before it, or they repeat too much"
	head -n 800 many.tsv >some.tsv
	tl-kcat --kernel-categories some.tsv --sheets kernels t.json >k.tsv
	run -1 --separate-stderr tl-kcat --kernel-categories rules.tsv --sheets kernels t.json
	failed 1 "rules.tsv:1[0-9][0-9]:10: bad regular expression '.*': too many regular expressions before it, or they repeat too much"
	run -1 --separate-stderr tl-rewrite --rules edits.tsv -n
	failed 1 "edits.tsv:[0-9]*:7: regular expression .*: too many regular expressions before it, or they repeat too much"
}

# n recomputed functions, each called by the one before; each launches a kernel
nested='for (i = 0; i < n; i++) {
	frame("a.py(1): recompute_fn", 2 * i, 4 * (n - i)); op("o" i % names, 2 * i + 0.2, 1); call(i + 1, 2 * i + 0.4)
	kernel(i + 1, "k", 2 * i, 1, 7)
}'

@test "call stacks of recomputed work, where one is shown of many deep ones" {
	linear 2000 "names = 7; $nested" 'tl-roofline -q --detect_recompute'
}

@test "call stacks that would fill the memory are refused" {
	shape 5000 "names = n; $nested" >t.json
	for o in detect_recompute include_call_stack; do
		run --separate-stderr tl-roofline -q --$o -o out.tsv t.json
		failed 1 "call stacks .*more than 256 MB of text; leave out --$o"
		[ ! -e out.tsv ]
	done
}
