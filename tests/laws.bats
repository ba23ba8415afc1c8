#!/usr/bin/env bats
# laws.bats - what holds of the findings of any trace, and of changed copies of it: tests/laws. The slow part asks more traces.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

@test "the laws of findings hold for planted faults and for changed copies of them" {
	need python3
	run -0 "$TL_ROOT/tests/laws" --changed --plant dataloader,fp32-noshapes 3 1
	equal "$(grep -c '^ok law 2: dataloader, seed 3' <<<"$output")" 7
	equal "$(grep -cE '^ok law (5|6|8|9|11|12|14): ' <<<"$output")" 12
	run -0 "$TL_ROOT/tests/laws" --laws 1,2,3,4,10,13,14 --plant host-python,graph-already,healthy-head,memory-alloc 3 1
	equal "$(grep -c ^ok <<<"$output")" 28
}

# broken LAWS SHEET SED [copy]: those of the laws that do not hold if tl-findings writes this sheet so; copy: of changed copies
broken() {
	mkdir -p bin
	cat >bin/tl-findings <<-END
		#!/bin/sh
		$TL_BIN/tl-findings "\$@" || exit
		case "\$*" in
		*"${4-}".json) [ ! -e "\$3/$2.tsv" ] || sed -i '$3' "\$3/$2.tsv" ;;
		esac
	END
	chmod +x bin/tl-findings
	PATH=$PWD/bin:$PATH run "$TL_ROOT/tests/laws" --laws "$1" --plant dataloader 3 1
	equal "$status" 1
	BROKEN=$(sed -n 's/^not ok law \([0-9]*\): .*/\1/p' <<<"$output" | paste -s -d ' ')
}

@test "the check of laws notices what breaks them" {
	need python3
	broken 1 ledger '2s/[0-9]\.[0-9]*/999/'
	equal "$BROKEN" 1
	broken 1 idle_summary '2s/\t[0-9.]*\t/\t0.1\t/'
	equal "$BROKEN" 1
	broken 1 setup 's/^\(graphs\t\)0.0/\11.1/'
	equal "$BROKEN" 1
	broken 2,3,4 findings 's/^\(1\t[a-z]*\t[^\t]*\t\)[0-9.]*/\19999/'
	equal "$BROKEN" '2 3 4'
	broken 3,13 findings 's/^\(1\t[a-z]*\t\)/\1Not /'
	equal "$BROKEN" 13
	broken 14 findings 's/tl-timeline --sheets/false/'
	equal "$BROKEN" 14
	broken 14 findings 's/tl-slice --from/echo/'
	equal "$BROKEN" 14
	broken 6 findings '2,$s/dataloader/sync-points/' copy
	equal "$BROKEN" 6
}
