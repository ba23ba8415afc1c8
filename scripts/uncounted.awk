# uncounted.awk - finds lines of bats files whose failure bats does not see.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
#
# usage: awk -f scripts/uncounted.awk tests/*.bats
# The shell does not stop at a failed `! COMMAND`, nor at a failed A in `A && B`,
# and `run COMMAND` hides the status unless the test looks at it.

# A line without its quoted texts and comment; nothing for a line of a here-document.
# `quote` and `heredoc` say what is open at its end.
function bare(s,  i, c, out) {
	if (heredoc) { if (s ~ "^\t*" heredoc "$") heredoc = ""; return "" }
	for (i = 1; i <= length(s); i++) {
		c = substr(s, i, 1)
		if (c == "\\" && quote != "'") { i++; continue }
		if (quote) { if (c == quote) quote = ""; continue }
		if (c == "'" || c == "\"") { quote = c; continue }
		if (c == "#" && (i == 1 || substr(s, i - 1, 1) ~ /[ \t]/)) break
		out = out c
	}
	return out
}
FNR == 1 { heredoc = quote = run = "" }
{
	quoted = quote != "" || heredoc != ""
	line = bare($0)
	if (quoted)
		next
	if (line ~ /<</ && match($0, /<<-?['"]?[A-Z]+/)) {
		heredoc = substr($0, RSTART, RLENGTH)
		gsub(/[^A-Z]/, "", heredoc)
	}
	if (line ~ /^[ \t]*! /)
		print FILENAME ":" FNR ": write `refute COMMAND` in place of `! COMMAND`"
	if (line ~ / && / && line !~ /^[ \t]*(if|elif|while|until) / && line !~ / \|\| *(return|exit|skip|false|fail|break|continue|true|\{[^&]*$)/)
		print FILENAME ":" FNR ": write two lines in place of `A && B`"
	if ($0 ~ /failed|status/)
		run = ""
	if (run && (line ~ /^}/ || line ~ /^[ \t]*run /))
		print run ": say which status is right: `run -N`"
	if (line ~ /^}/ || line ~ /^[ \t]*run /)
		run = line ~ /^}/ || $0 ~ /run (-[0-9]|"-|!)/ ? "" : FILENAME ":" FNR
}
