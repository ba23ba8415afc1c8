# helpers.bash - what the bats files share; `load helpers` at their top.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# TL_BIN is the folder of the built programs (tests/run sets it; default: the
# plain build). Files are made only below $BATS_TEST_TMPDIR.

bats_require_minimum_version 1.5.0

TL_ROOT=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
TL_BIN=${TL_BIN:-$TL_ROOT/build/bin}
PATH=$TL_BIN:$TL_ROOT/build/bin:$PATH
export TL_ROOT TL_BIN PATH LC_ALL=C.UTF-8
unset SOURCE_DATE_EPOCH

# Every filter of the project, built or not.
tl_filters() {
	make -s --no-print-directory -C "$TL_ROOT" print-FILTERS
}

# Skips the test, visibly, when a program of the system is not there; one of our
# own must be.
need() {
	local p
	for p; do
		command -v "$p" >/dev/null && continue
		case $p in
		tl-*) echo "$p is not built" >&2; return 1 ;;
		*) skip "$p is not here" ;;
		esac
	done
}

# A pipeline in which every stage's failure counts: pipe 'tl-parse x | tl-link'.
# Use as `run -N --separate-stderr pipe '…'`.
pipe() {
	bash -o pipefail -c "$1"
}

# gen FILE [OPTION…]: a generated trace, gzipped when FILE ends in .gz.
gen() {
	local file=$1
	shift
	case $file in
	*.gz) tl-gen "$@" | gzip -1 >"$file" ;;
	*) tl-gen "$@" >"$file" ;;
	esac
}

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

# The last `run` must have ended with this status and an error message in the
# agreed form that matches the regex: failed STATUS REGEX
failed() {
	equal "$status" "$1" || { printf 'stderr: %s\n' "$stderr" >&2; return 1; }
	like "$stderr" "tl-[a-z]+: error: .*$2" || return 1
	case $stderr in
	*Sanitizer* | *'runtime error'* | *'core dumped'*) printf '%s\n' "$stderr" >&2; return 1 ;;
	esac
}

# cell FILE COLUMN [ROW]: a cell of a sheet by column name (row 1 is the first).
cell() {
	awk -F'\t' -v col="$2" -v row="${3:-1}" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == col) c = i }
		NR == row + 1 { if (!c) exit 3; print $c; found = 1; exit }
		END { if (!found) exit 3 }' "$1"
}
