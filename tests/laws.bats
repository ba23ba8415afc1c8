#!/usr/bin/env bats
# laws.bats - what holds of the findings of any trace, and of changed copies of it: tests/laws. The slow part asks more traces.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

@test "the laws of findings hold for planted faults and for changed copies of them" {
	need python3
	run -0 "$TL_ROOT/tests/laws" --laws 1,2,3,4,5,6,8,9,10,11,13,14 --changed --plant dataloader,fp32-noshapes,host-python,graph-already,healthy-head 3 1
	equal "$(grep -c '^ok law 14: ' <<<"$output")" 5
	equal "$(grep -c '^ok law 2: dataloader, seed 3' <<<"$output")" 7
	equal "$(grep -cE '^ok law (5|8): ' <<<"$output")" 2
}

# broken SHEET SED [copy]: the laws that do not hold if tl-sheets writes this sheet so; copy: of changed copies
broken() {
	mkdir -p bin
	cat >bin/tl-sheets <<-END
		#!/bin/sh
		$TL_BIN/tl-sheets "\$@" || exit
		case "\$*" in
		*"${3-}".json) [ ! -e "\$3/$1.tsv" ] || sed -i '$2' "\$3/$1.tsv" ;;
		esac
	END
	chmod +x bin/tl-sheets
	PATH=$PWD/bin:$PATH run "$TL_ROOT/tests/laws" --laws 1,2,3,4,6,11,13,14 --plant dataloader 3 1
	equal "$status" 1
	BROKEN=$(sed -n 's/^not ok law \([0-9]*\): .*/\1/p' <<<"$output" | paste -s -d ' ')
}

@test "the check of laws notices what breaks them" {
	need python3
	broken ledger '2s/[0-9]\.[0-9]*/999/'
	like "$BROKEN" '^1'
	broken idle_summary '2s/\t[0-9.]*\t/\t0.1\t/'
	like "$BROKEN" '^1'
	broken setup 's/^\(graphs\t\)0.0/\11.1/'
	equal "$BROKEN" 1
	broken findings 's/^\(1\t[a-z]*\t[^\t]*\t\)[0-9.]*/\19999/'
	like "$BROKEN" '^2 3 4'
	broken findings 's/^\(1\t[a-z]*\t\)/\1Not /'
	equal "$BROKEN" 13
	broken findings 's/tl-timeline --sheets/false/'
	equal "$BROKEN" 14
	broken findings 's/tl-slice --from/echo/'
	equal "$BROKEN" 14
	broken findings '2,$s/dataloader/sync-points/' copy
	like "$BROKEN" '^6'
}
