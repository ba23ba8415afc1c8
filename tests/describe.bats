#!/usr/bin/env bats
# describe.bats - what sheets are: the .sheet files, what the build makes of them, and mistakes in them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR"
	make_sheets="$TL_ROOT/scripts/make-sheets"
}

# A family with one sheet; a mistake takes the place of one of its lines.
family() { # [NUMBER LINE]
	printf '%s\n' $'family\ttl-x' $'conditions\tlarge' '' $'rows call\tname, time_us, bytes' \
		$'sheet x_summary\tcall\ttime_us_sum desc, keys-ascending\tcalls' $'made\ttl_x_calls\tx_summary\tusual, needs-rows' \
		$'name\tkey\ttext\tplain\tkey\tkey\tThe name.' $'time_us_sum\thidden sum time_us' \
		$'time_ms\tms time_us_sum\treal\tms\ttime\ttotal\tThe sum. Two sentences.\tbar greatest' \
		$'time_us_*\tmean max time_us\treal\tµs\tmean\tother\tStatistics.\tif large' |
		if [ $# = 0 ]; then cat; else awk -v at="$1" -v line="$2" 'NR == at { print line; next } 1'; fi >x.sheet
}

has() { # FILE TEXT
	grep -qF -- "$2" "$1" || { cat "$1" >&2; return 1; }
}

refused() { # NUMBER LINE MESSAGE
	family "$1" "$2"
	run -1 awk -f "$make_sheets" -v what=c x.sheet
	like "$output" "x.sheet:$1: $3"
}

@test "a .sheet file gives enums, definition, registry entry, description and list of the manual" {
	family
	awk -f "$make_sheets" -v what=h x.sheet >x.h
	has x.h 'enum { CALL_NAME, CALL_TIME_US, CALL_BYTES, N_CALL };'
	has x.h 'void tl_x_calls(void *, struct tl_sheet_input *);'
	has x.h 'TL_X_IF_LARGE = 1'
	awk -f "$make_sheets" -v what=c x.sheet >x.c
	has x.c '.order = { { "time_us_sum", true } }, .keys_ascending = true'
	has x.c '{ "time_us_max", .kind = TL_MAX, .in = "time_us", .when = TL_X_IF_LARGE }'
	has x.c '"x_summary", TL_SHEET_USUAL | TL_SHEET_NEEDS_ROWS, 0, &tl_x_summary_sheet, tl_x_calls, NULL'
	awk -f "$make_sheets" -v what=list x.sheet >list.c
	has list.c '{ "time_us_max", TL_TYPE_REAL, TL_UNIT_US, TL_ROLE_MOST, TL_RANK_STATISTIC, TL_BAR_NONE, TL_METRIC_NONE, 24, false, true, "Statistics." }'
	printf '%s\n' '.Sh OUTPUT' '.\" columns of x/x_summary' '.Sh END' >page
	awk -f "$make_sheets" -v what=man x.sheet page >made
	equal "$(cat made)" "$(printf '%s\n' '.Sh OUTPUT' '.Bl -tag -width Ds' '.It name' Text. 'The name.' '.It time_ms' Milliseconds. 'The sum.' 'Two sentences.' \
		'.It time_us_mean , time_us_max' Microseconds. Statistics. .El '.Sh END')"
}

@test "a mistake in a .sheet file stops the build with file and line" {
	refused 7 $'name\tkey\tletters\tplain\tkey\tkey\tThe name.' "'letters' is no type"
	refused 7 $'name\tkey\ttext\tplain\towner\tkey\tThe name.' "'owner' is no role"
	refused 7 $'name\tkey\ttext\tfeet\tkey\tkey\tThe name.' "'feet' is no unit"
	refused 7 $'name\tkey\ttext\tplain\tkey\tkey' '6 fields, expected 7 or 8'
	refused 8 $'time_us_sum\thidden sum time' "no raw column 'time'"
	refused 9 $'time_ms\tms time_sum\treal\tms\ttime\ttotal\tThe sum.' "no column 'time_sum' above"
	refused 9 $'name\tms time_us_sum\treal\tms\ttime\ttotal\tThe sum.' 'two columns name'
	refused 10 $'time_us_*\tmean max time_us\treal\tµs\tmean\tother\tStatistics.\tif small' "no condition 'small' above"
	refused 10 $'time_us_*\tmean max time_us\treal\tµs\tmean\tother\tStatistics.\tblink' "'blink' is not if, width, bar, gauge or label"
	refused 10 $'y_ms\tms time_us_sum\treal\tms\ttime\tother\tAgain.' 'two columns with the role time'
	refused 5 $'sheet x_summary\tcalls\tas they come\tcalls' 'no rows calls above'
	refused 5 $'sheet x_summary\tcall\tat random\tcalls' "'at random' is no order"
	refused 6 $'made\ttl_x_calls\tx_summary\toften' "'often' is no needs"
	family
	printf '%s\n' '.\" columns of x/y' >page
	run -1 awk -f "$make_sheets" -v what=man x.sheet page
	like "$output" 'page:1: no sheet x/y'
}

@test "every sheet that is listed is described" {
	tl-sheets --describe --format tsv | sed 1d | cut -f 1,2 | sort -u >described
	tl-sheets --list-sheets | sed 1d | cut -f 1,2 | grep -vE '_(fwd|bwd)(_kl_overlap)?	tl-roofline$' | sort -u >listed
	# families of operators are described once
	equal "$(comm -23 listed described | grep -vxF "$(tl-models ops | cut -f 3 | sed 's/$/\ttl-roofline/')" | grep -v '^[A-Z][A-Za-z]*\(_kl_overlap\)\?	tl-roofline$')" ''
}

@test "keys of columns are unique in a sheet, and cells are what the description says" {
	tl-gen -n 6000 >t.json
	tl-sheets -q -d sheets --enable_kernel_summary --kernel_category --short_kernel_study --include_overlap_info --api_summary --memcpy_by_size \
		--memory --host --arch H100-SXM t.json >paths
	python3 - <<'EOF'
import json, re, subprocess

def told(*sheet):
    out = subprocess.run(["tl-sheets", "--describe", "--format", "json", *sheet], stdout=subprocess.PIPE, check=True, text=True).stdout
    return [json.loads(line) for line in out.splitlines()]

fits = {"integer": r"-?[0-9]+", "number": r"-?[0-9.]+(e[-+]?[0-9]+)?|inf|nan", "boolean": "True|False|0|1", "text": ".*", "number or text": ".*"}
wrong = []
for sheet in {s["sheet"] for s in told()}:
    for one in told(sheet):
        keys = [c["key"] for c in one["columns"]]
        wrong += [f"{sheet}: two columns {k}" for k in set(keys) if keys.count(k) > 1]
for path in open("paths").read().split():
    name = re.sub(r".*/|\.tsv$", "", path)
    rows = [line.split("\t") for line in open(path, encoding="utf-8").read().splitlines()]
    for at, header in enumerate(rows[0]):
        of = [c for one in told(name) for c in one["columns"] if header == c["name"] or (c["prefix"] and header.startswith(c["name"]))]
        if not of:
            wrong.append(f"{name}: nothing describes {header}")
        cells = {row[at] for row in rows[1:]} - {""}
        bad = [x for x in cells if not any(re.fullmatch(fits[c["type"]], x, re.S) for c in of)]
        wrong += [f"{name}: {header} is {of[0]['type']}, not {bad[0]}"] if bad and of else []
print("\n".join(wrong))
raise SystemExit(bool(wrong))
EOF
}
