#!/usr/bin/env bats
# planted.bats - what tl-findings says of planted faults: one program of each kind, and some of two. The slow part asks by the hundred.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# kinds that are not told right yet
LATER='idle-server pointwise-chain small-copies sync-item'

@test "planted faults: the first finding is the fault, what is at stake is what it costs, and without it nothing is said" {
	local kinds
	kinds=$(tl-gen --plant list | cut -f 1 | grep -vxF "$(printf '%s\n' $LATER)" | paste -s -d ,)
	run "$TL_ROOT/tests/planted" --first 7 --seeds 1 -v --at-least 100,94,100 --kinds "$kinds"
	equal "$status $(grep '^  ' <<<"$output")" '0 '
	[ "${#lines[@]}" -gt 30 ]
}

@test "two planted faults: both are told, the dearer one first" {
	# gc+fp32, pageable-copy+unfused-attention, sync-item+gc, unfused-attention+host-python are not told right yet
	run -0 "$TL_ROOT/tests/planted" --at-least 100,100,100 --seeds 1 -v \
		--kinds dataloader+cast-chain,memory-alloc+attention-low,tail+optimizer-loop,compile-in-recording+gemm-misaligned,allreduce-waiting+host-compute-op
	like "${lines[1]}" '^pairs +5/5 '
}
