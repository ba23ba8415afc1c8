# panel-bars.gp - a bar for each row, the first on top: its name beside it, its value at its end.
# $rows: value, colour. $names, $ends: texts of the rows. across: how many digits the bars and $ends have room for.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid xtics linestyle 100
set ytics scale 0
set lmargin widest_names + 3
room = (widest_ends + 3) / across
set xrange [0 : largest / (1 - (room < 0.6 ? room : 0.6))]
set yrange [(n < 6 ? 6 : n) - 0.4 : -0.6]
if (largest >= 1e5) { set format x "%.1s%c" }
plot $rows using (0.5 * $1):0:(0.5 * $1):(0.38):2:ytic(said($names[int($0) + 1])) with boxxyerror linecolor rgb variable, \
	$rows using 1:0:(said($ends[int($0) + 1])) with labels left offset character 0.6, 0 textcolor rgb "#333333"
