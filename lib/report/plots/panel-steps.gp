# panel-steps.gp - a column for each step: $rows: GPU busy, idle, colour. $parts, $colours: phases.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid ytics linestyle 100
if (n <= 20) { set xtics 1 }
set xrange [-0.6 : n - 0.4]
set yrange [0 : 1.1 * largest]
set bmargin 6
set key bmargin center horizontal Left reverse
plot $rows using 0:(0.5 * $1):(n > 100 ? 0.5 : 0.4):(0.5 * $1):3 with boxxyerror fillcolor rgb variable, \
	$rows using 0:($1 + 0.5 * $2):(n > 100 ? 0.5 : 0.4):(0.5 * $2) with boxxyerror fillcolor rgb "#c3c9d1", \
	for [i = 1 : n_parts] keyentry with boxes fillcolor rgb said($colours[i]) title said($parts[i])
