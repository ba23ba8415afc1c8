# helpers.bash - what the bats files share; `load helpers` at their top.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# TL_BIN is the folder of the built programs (tests/run sets it; default: the
# plain build). Files are made only below $BATS_TEST_TMPDIR.
#
# Every line of a test counts: bats stops at the first command that fails. The
# shell never stops at `! COMMAND` and `A && B`, so tests use `refute` and one
# command a line (scripts/lint checks that). The two options below make a
# failure in a pipeline and in $(…) count too.

bats_require_minimum_version 1.5.0
set -o pipefail
shopt -s inherit_errexit

TL_ROOT=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
TL_BIN=${TL_BIN:-$TL_ROOT/build/bin}
TL_TOOLS=${TL_TOOLS:-$TL_ROOT/build/tests}
PATH=$TL_BIN:$TL_ROOT/build/bin:$PATH
export TL_ROOT TL_BIN TL_TOOLS PATH LC_ALL=C.UTF-8
unset SOURCE_DATE_EPOCH

# A file that needs more has a setup of its own.
setup() {
	cd "$BATS_TEST_TMPDIR"
}

# ---- programs -------------------------------------------------------------------

# Every filter of the project, built or not.
tl_filters() {
	make -s --no-print-directory -C "$TL_ROOT" print-FILTERS
}

# Skips the test, visibly, when a program of the system is not there.
need() {
	local p
	for p; do
		command -v "$p" >/dev/null || skip "$p is not here"
	done
}

# A pipeline in which every stage's failure counts: pipe 'tl-parse x | tl-link'.
# Use as `run -N --separate-stderr pipe '…'`.
pipe() {
	bash -o pipefail -c "$1"
}

# Runs a command with a standard output that nobody reads.
unread() {
	mkfifo "$BATS_TEST_TMPDIR/unread" 2>/dev/null || true
	(exec 8<>"$BATS_TEST_TMPDIR/unread" 9>"$BATS_TEST_TMPDIR/unread" 8>&-; exec "$@" >&9 9>&-)
}

# ---- assertions -----------------------------------------------------------------

# Fails with both texts when they differ.
equal() {
	[ "$1" = "$2" ] && return
	printf 'got:    %q\nwanted: %q\n' "$1" "$2" >&2
	return 1
}

# like TEXT REGEX: the extended regular expression matches somewhere.
like() {
	[[ $1 =~ $2 ]] && return
	printf 'text:          %q\ndoes not match %s\n' "$1" "$2" >&2
	return 1
}

# unlike TEXT REGEX: the extended regular expression matches nowhere.
unlike() {
	[[ $1 =~ $2 ]] || return 0
	printf 'text:    %q\nmatches: %s\n' "$1" "$2" >&2
	return 1
}

# refute COMMAND…: the command fails, but not by a signal.
refute() {
	local status=0
	"$@" || status=$?
	case $status in
	0) printf 'did not fail: %s\n' "$*" >&2; return 1 ;;
	12[6-9] | 1[3-9]? | 2??) printf 'ended with status %s: %s\n' "$status" "$*" >&2; return 1 ;;
	esac
}

# The last `run` must have ended with this status and an error message in the
# agreed form that matches the regex: failed STATUS REGEX
failed() {
	if [ "$status" != "$1" ]; then
		printf 'got status %s, wanted %s; stderr: %s\n' "$status" "$1" "$stderr" >&2
		return 1
	fi
	like "$stderr" "tl-[a-z]+: error: .*$2" || return 1
	unlike "$stderr" 'Sanitizer|runtime error|core dumped' || return 1
}

# ---- sheets ---------------------------------------------------------------------

# cell FILE COLUMN [ROW]: a cell of a sheet by column name (row 1 is the first).
cell() {
	awk -F'\t' -v col="$2" -v row="${3:-1}" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == col) c = i }
		NR == row + 1 { if (!c) exit 3; print $c; found = 1; exit }
		END { if (!found) exit 3 }' "$1"
}

# same_sheets [OPTION…] FOLDER FOLDER: as diff -r, but for manifests, which name traces and options
same_sheets() {
	diff -r -x '.tl-*' "$@"
}

# row FILE COLUMN=VALUE…: the number of the first row with all these values
row() {
	local file=$1
	shift
	awk -F'\t' -v wants="$(printf '%s\036' "$@")" '
		NR == 1 {
			n = split(wants, w, "\036") - 1
			for (i = 1; i <= NF; i++) at[$i] = i
			for (i = 1; i <= n; i++) {
				eq = index(w[i], "=")
				c[i] = at[substr(w[i], 1, eq - 1)]
				v[i] = substr(w[i], eq + 1)
				if (!c[i]) exit 3
			}
			next
		}
		{ for (i = 1; i <= n; i++) if ($c[i] != v[i]) next; print NR - 1; found = 1; exit }
		END { if (!found) exit 3 }' "$file"
}

# ---- traces ---------------------------------------------------------------------

# gen FILE [OPTION…]: a generated trace, gzipped when FILE ends in .gz.
gen() {
	local file=$1
	shift
	case $file in
	*.gz) tl-gen "$@" | gzip -1 >"$file" ;;
	*) tl-gen "$@" >"$file" ;;
	esac
}

# A trace made by hand: these functions add events to $EVENTS, `trace FILE`
# writes them. ts and dur are in µs; ids join a call and its kernel.
EVENTS=()

event() {
	EVENTS+=("$1")
}
# op NAME TS DUR [ARGS]: an operator on thread 1
op() {
	event "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"$1\",\"pid\":1,\"tid\":1,\"ts\":$2,\"dur\":$3,\"args\":{${4-}}}"
}
# frame NAME TS DUR: a Python function on thread 1
frame() {
	event "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"$1\",\"pid\":1,\"tid\":1,\"ts\":$2,\"dur\":$3,\"args\":{}}"
}
# call ID TS DUR [NAME]: a runtime call with its launch arrow
call() {
	event "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"${4-cudaLaunchKernel}\",\"pid\":1,\"tid\":1,\"ts\":$2,\"dur\":$3,\"args\":{\"correlation\":$1}}"
	event "{\"ph\":\"s\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":$1,\"pid\":1,\"tid\":1,\"ts\":$2}"
}
# gpu ID NAME TS DUR [STREAM [CAT [ARGS]]]: device work with its arrow end
gpu() {
	lone "$@"
	event "{\"ph\":\"f\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":$1,\"pid\":0,\"tid\":${5-7},\"ts\":$3,\"bp\":\"e\"}"
}
# lone …: the same without an arrow
lone() {
	event "{\"ph\":\"X\",\"cat\":\"${6-kernel}\",\"name\":\"$2\",\"pid\":0,\"tid\":${5-7},\"ts\":$3,\"dur\":$4,\"args\":{\"correlation\":$1,\"stream\":${5-7}${7:+,$7}}}"
}
# trace FILE: writes the events added so far, and forgets them
trace() {
	device_trace "$1" ''
	EVENTS=()
}
# device_trace FILE DEVICES: writes them with these deviceProperties, and keeps them
device_trace() {
	printf '{"deviceProperties":[%s],"traceEvents":[\n' "$2" >"$1"
	printf '%s,\n' "${EVENTS[@]}" | sed '$s/,$//' >>"$1"
	printf ']}\n' >>"$1"
}
