# panel-note.gp - a panel without data says so: $note.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
unset tics
unset xlabel
unset ylabel
set border 15 linecolor rgb "#dddddd"
set xrange [-1 : 1]
set yrange [-1 : 1]
set label 1 said($note[1]) at 0, 0 center textcolor rgb "#777777"
plot NaN
