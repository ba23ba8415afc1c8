# panel-table.gp - a table. $rows: column and line, from 0; colour of the ground. $names: texts.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
unset border
unset tics
unset xlabel
unset ylabel
set style fill solid 1.0 border linecolor rgb "#bbbbbb"
set xrange [-0.5 : columns - 0.5]
set yrange [lines - 0.5 : -0.5]
plot $rows using 1:2:(0.5):(0.5):3 with boxxyerror fillcolor rgb variable, \
	$rows using ($2 > 0 && $1 > 0 ? $1 : NaN):2:(said($names[int($0) + 1])) with labels center, \
	$rows using ($2 > 0 && $1 > 0 ? NaN : $1):2:(said($names[int($0) + 1])) with labels center font bold
