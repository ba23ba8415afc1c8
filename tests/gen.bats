#!/usr/bin/env bats
# gen.bats - the trace generator that tests, demo and benchmarks rest on.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR"
}

@test "the same options give the same trace, another seed another" {
	tl-gen -n 3000 >a
	tl-gen -n 3000 >b
	tl-gen -n 3000 --seed 2 >c
	cmp a b
	refute cmp -s a c
}

# between LOW NUMBER HIGH
between() {
	[ "$1" -le "$2" ]
	[ "$2" -le "$3" ]
}

@test "the trace is about as large as asked for" {
	between 36000 "$(tl-gen -n 40000 | grep -c '"ph": ')" 44000
	between 4700000 "$(tl-gen --size 5M | wc -c)" 5800000
	between 100 "$(tl-gen -n 50 --no-python | grep -c '"ph": ')" 600
}

@test "every host event lies inside its parent and every kernel comes after its launch" {
	need tl-parse tl-link tl-view
	tl-gen -n 8000 --recompute | tl-parse -q >a.tls
	run -0 --separate-stderr tl-link -v --python -o b.tls a.tls
	like "$stderr" 'that fit nowhere in the tree: 0'
	run -0 pipe "tl-view b.tls | awk -F'\t' '
		\$1 == \"event\" { ts[\$2] = \$4 }
		\$1 == \"link\" && \$2 == \"launch\" { n++; if (ts[\$4] < ts[\$3]) bad++ }
		END { print (n > 100), bad + 0 }'"
	equal "$output" '1 0'
}

@test "what is left out is left out" {
	tl-gen -n 2000 --no-arrows --no-python --no-nccl >a
	refute grep -E 'ac2g|python_function|nccl' a
	tl-gen -n 2000 --gpu-only >a
	refute grep -E '"cpu_op"|"cuda_runtime"|ac2g' a
	grep -q '"kernel"' a
}

@test "wrong usage ends with 2" {
	for o in --no-such -x "--size 5X" "-n x" "--origin x" operand; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr tl-gen $o
		equal "$output" ''
	done
	run -0 tl-gen --help
	run -1 bash -c 'tl-gen -n 500 >/dev/full'
}
