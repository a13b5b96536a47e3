# SPDX-License-Identifier: MIT
#
# How many times as long a read takes as with the fastest back end, against one swept parameter, with
# the interval of the median over processes.
#
# Settings: those of style.gp.
# Columns: 1 x, 2 ratio, 3 and 4 its interval.

if (dumb) {
    plot for [i = 1:nr_lines] data index i-1 using 1:2 with linespoints lt i title line_drawn[i] ? line_label[i] : ''
} else {
    plot for [i = 1:nr_lines] data index i-1 using 1:2 with linespoints lt i title line_drawn[i] ? line_label[i] : '', \
         for [i = 1:nr_lines] data index i-1 using 1:3:(0):($4 - $3) with vectors heads size screen 0.004, 90 lc rgb colour(line_backend[i]) lw 1.6 dt solid notitle
}
