# panel-bars.gp - a bar for each row, the first on top: its name beside it, its value at its end.
# $rows: value, colour. $names, $ends: texts of the rows. longest_name, longest_end: characters; across: how
# many the panel has room for.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid xtics linestyle 100
set ytics scale 0
set lmargin 0.86 * longest_name + 3 # gnuplot thinks letters are wider than they are
room = (longest_end + 3.0) / across
set xrange [0 : largest / (1 - (room < 0.6 ? room : 0.6))]
set yrange [(n < 6 ? 6 : n) - 0.4 : -0.6]
if (largest >= 1e5) { set format x "%.1s%c" }
plot $rows using (0.5 * $1):0:(0.5 * $1):(0.38):2:ytic(said($names[int($0) + 1])) with boxxyerror linecolor rgb variable, \
	$rows using 1:0:(said($ends[int($0) + 1])) with labels left offset character 0.6, 0 textcolor rgb "#333333"
