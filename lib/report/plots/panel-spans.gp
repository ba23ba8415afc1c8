# panel-spans.gp - when each step runs: $rows: begin, end, lane (0: host, 1: GPU), colour. n: how many
# rows; many have no room for gaps between them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid xtics linestyle 100
set ytics scale 0 ("host" 0, "GPU" 1)
set xrange [0 : largest]
set yrange [1.6 : -0.6]
if (n <= 200) { set style fill solid 1.0 border linecolor rgb "#ffffff" }
plot $rows using (0.5 * ($1 + $2)):3:(0.5 * ($2 - $1)):(0.35):4 with boxxyerror fillcolor rgb variable
