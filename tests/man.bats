#!/usr/bin/env bats
# man.bats - the manual pages: clean, complete, and their examples work.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup_file() {
	load helpers
	gen "$BATS_FILE_TMPDIR/trace.json.gz" -n 12000
}

programs() {
	tl_filters
	echo tl-report
}

@test "every program and format has its page" {
	for p in $(programs); do
		[ -e "$TL_ROOT/man/$p.1" ] || { echo "no man/$p.1" >&2; missing=1; }
	done
	[ -e "$TL_ROOT/man/tl-tools.7" ] || { echo "no man/tl-tools.7" >&2; missing=1; }
	[ -e "$TL_ROOT/man/tl-stream.5" ] || { echo "no man/tl-stream.5" >&2; missing=1; }
	[ -z "${missing-}" ]
}

@test "mandoc has no warning about any page" {
	need mandoc
	for p in "$TL_ROOT"/man/*.[1-8]; do
		# a reference to a page that is not installed is not the page's fault
		mandoc -Tlint -Wwarning "$p" || { echo "$p" >&2; bad=1; }
	done
	[ -z "${bad-}" ]
}

@test "the sections of a page are all there and in the agreed order" {
	for p in $(programs); do
		# others may stand between these; options may be part of the description
		order=$(sed -n 's/^\.Sh //p' "$TL_ROOT/man/$p.1" | grep -xE 'NAME|SYNOPSIS|DESCRIPTION|OUTPUT|EXIT STATUS|EXAMPLES|SEE ALSO' | tr '\n' ';')
		equal "$order" 'NAME;SYNOPSIS;DESCRIPTION;OUTPUT;EXIT STATUS;EXAMPLES;SEE ALSO;' || { echo "$p" >&2; bad=1; }
	done
	[ -z "${bad-}" ]
}

# Options as --help lists them, one a line: -o, --output
options_of_help() {
	"$1" --help | sed -nE 's/^ +((-[^ -]), )?--([A-Za-z0-9_-]+).*/\2 --\3/p; s/^ +(-[^ -])( .*)?$/\1/p' | tr ' ' '\n' | grep . | sort -u
}
# Options as the page's lists tag them.
options_of_page() {
	sed -n '/^\.Sh EXAMPLES/q; /^\.It /p' "$TL_ROOT/man/$1.1" |
		grep -oE 'F[lc] [^ ]+( Fl [^ ]+)*|Xo.*' | sed -E 's/Fl Fl /Fl -/g' | grep -oE 'Fl [^ ,]+' | sed -E 's/Fl /-/; s/^-\\-/--/' | sort -u
}

@test "every option in --help is in the page, and the other way round" {
	for p in $(programs); do
		need "$p"
		diff <(options_of_help "$p") <(options_of_page "$p") >"$BATS_TEST_TMPDIR/diff" || { echo "$p: < only in --help, > only in the page" >&2; grep '^[<>]' "$BATS_TEST_TMPDIR/diff" >&2; bad=1; }
	done
	[ -z "${bad-}" ]
}

@test "the purpose in --help is the one in the page" {
	for p in $(programs); do
		need "$p"
		equal "$("$p" --help | sed -n 2p)" "$(sed -n 's/^\.Nd //p' "$TL_ROOT/man/$p.1")" || bad=1
	done
	[ -z "${bad-}" ]
}

# The blocks of a section, one after another in one folder that has a trace.
run_examples() {
	local block n=0
	while IFS= read -r -d '' block; do
		n=$((n + 1))
		if ! bash -e -c "$block" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" </dev/null || grep -q 'error: ' "$BATS_TEST_TMPDIR/err"; then
			printf '%s, failed:\n%s' "$1" "$block" >&2
			cat "$BATS_TEST_TMPDIR/err" >&2
			return 1
		fi
	done < <("$TL_ROOT/tests/examples-of" "$1" "$2")
	[ $n -gt 0 ] || { echo "$1 has no examples" >&2; return 1; }
}

@test "the examples of every page work" {
	need mandoc
	for p in $(programs); do
		need "$p"
		mkdir "$BATS_TEST_TMPDIR/$p"
		cd "$BATS_TEST_TMPDIR/$p"
		cp "$BATS_FILE_TMPDIR/trace.json.gz" .
		run_examples "$TL_ROOT/man/$p.1" EXAMPLES || bad=1
	done
	[ -z "${bad-}" ]
}

@test "the examples of the overview work" {
	need mandoc tl-parse tl-link tl-view tl-timeline tl-ops tl-kcat tl-coll tl-roofline tl-report
	cd "$BATS_TEST_TMPDIR"
	cp "$BATS_FILE_TMPDIR/trace.json.gz" .
	run_examples "$TL_ROOT/man/tl-tools.7" EXAMPLES
}

# alone SHEET COMMAND...: what the command writes is the report's sheet, if it has one.
alone() {
	local sheet=$1
	shift
	"$@" trace.json.gz >out 2>err </dev/null || { echo "failed: $*" >&2; return 1; }
	if [ -e "report/$sheet.tsv" ]; then
		cmp out "report/$sheet.tsv" && ! grep -v '^tl-roofline: the trace is of' err
	else
		[ "$(wc -l <out)" = 1 ] && grep -q "warning: no row for the sheet $sheet\$" err
	fi || { echo "not as in the report: $*" >&2; return 1; }
}

@test "the overview names a command for each sheet that makes it alone" {
	need tl-timeline tl-ops tl-kcat tl-coll tl-roofline tl-report
	cd "$BATS_TEST_TMPDIR"
	cp "$BATS_FILE_TMPDIR/trace.json.gz" .
	tl-report -q --enable_kernel_summary --short_kernel_study --include_overlap_info --tsv_dir report trace.json.gz
	sed -n '/^\.Sh SHEETS/,/^\.Sh [^S]/s/^\.It \([^ ]*\) Ta \(.*\) F$/\1 \2/p' "$TL_ROOT/man/tl-tools.7" >commands
	while read -r sheet command; do
		# shellcheck disable=SC2086 # words
		alone "$sheet" $command || bad=1
		case $command in
		*--sheet*_perf_* | tl-roofline) ;;
		tl-roofline*)
			# shellcheck disable=SC2086
			alone "${sheet}_kl_overlap" ${command}_kl_overlap || bad=1 ;;
		esac
	done <commands
	# none is missing: neither of this report nor a family's
	for sheet in report/*.tsv; do
		sheet=$(basename "$sheet" .tsv)
		grep -q -e "^$sheet " -e "^${sheet%_kl_overlap} " commands || { echo "not there: $sheet" >&2; bad=1; }
	done
	for family in $(tl-roofline --list-ops | tail -n +2 | cut -f 3 | sort -u); do
		grep -q -e "^$family " -e "^${family}_fwd " commands || { echo "not there: $family" >&2; bad=1; }
	done
	[ -z "${bad-}" ]
}

@test "every page another page refers to is there" {
	for page in $(sed -nE 's/^\.Xr (tl-[a-z-]+) ([1-8]).*/\1.\2/p' "$TL_ROOT"/man/*.[1-8] | sort -u); do
		[ -e "$TL_ROOT/man/$page" ] || { echo "no $page" >&2; bad=1; }
	done
	[ -z "${bad-}" ]
}

@test "the overview lists every filter" {
	for p in $(programs); do
		grep -q "^\.It Xr $p " "$TL_ROOT/man/tl-tools.7" || { echo "$p" >&2; bad=1; }
		sed '1,/^\.Sh SEE ALSO/d' "$TL_ROOT/man/tl-tools.7" | grep "^\.Xr $p " >/dev/null || { echo "see also $p" >&2; bad=1; }
	done
	[ -z "${bad-}" ]
}

@test "completion offers every option of every program" {
	"$TL_ROOT/scripts/completion" "$TL_BIN" >"$BATS_TEST_TMPDIR/completion" || return 1
	bash -n "$BATS_TEST_TMPDIR/completion"
	for p in $(programs); do
		need "$p"
		offered=$(bash -c '. "$1"; COMP_WORDS=("$2" --); COMP_CWORD=1; _tl_tools "$2" -- "$2"; printf "%s\n" "${COMPREPLY[@]}"' sh "$BATS_TEST_TMPDIR/completion" "$p" | sed 's/[= ]*$//' | sort -u)
		equal "$offered" "$(options_of_help "$p" | grep '^--' | sort -u)" || { echo "$p" >&2; bad=1; }
	done
	[ -z "${bad-}" ]
}
