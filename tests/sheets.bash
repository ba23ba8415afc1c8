# sheets.bash - small traces for the tests of the sheet filters; `load sheets`.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# Functions add events to $EVENTS; `trace FILE` writes them as a trace. ts and
# dur are in µs; ids join a call and its kernel.
EVENTS=

event() {
	EVENTS+="${EVENTS:+,
}$1"
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
# trace FILE: everything so far, and starts anew
trace() {
	printf '{"traceEvents":[\n%s\n]}\n' "$EVENTS" >"$1"
	EVENTS=
}
# row FILE COLUMN=VALUE…: the number of the first row in which they all hold
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
