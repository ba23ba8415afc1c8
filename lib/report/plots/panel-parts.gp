# panel-parts.gp - stacked bars that lie: $rows: bar, begin, end, colour. $names: texts of the
# bars; $parts, $colours: texts and colours of the parts.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid xtics linestyle 100
set style fill solid 1.0 border linecolor rgb "#ffffff"
set ytics scale 0
set lmargin widest_names + 3
set xrange [0 : largest]
set yrange [n - 0.4 : -0.6]
set bmargin n_parts > 6 ? 5 + (n_parts + 2) / 3 : 6
set key bmargin center horizontal Left reverse
plot $rows using (0.5 * ($2 + $3)):1:(0.5 * ($3 - $2)):(0.38):4:ytic(said($names[int($1) + 1])) with boxxyerror fillcolor rgb variable, \
	for [i = 1 : n_parts] keyentry with boxes fillcolor rgb said($colours[i]) title said($parts[i])
