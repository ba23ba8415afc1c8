# panel-columns.gp - a column for each row: its name below it, its value above it.
# $rows: height, colour. $names, $ends: texts of the rows. whole: heights are
# whole numbers.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set grid ytics linestyle 100
set xtics scale 0
if (whole && largest < 8) { set ytics 1 }
set xrange [-0.6 : n - 0.4]
set yrange [0 : 1.12 * largest]
plot $rows using 0:1:(0.7):2:xtic(said($names[int($0) + 1])) with boxes linecolor rgb variable, \
	$rows using 0:1:(said($ends[int($0) + 1])) with labels offset 0, 0.7
