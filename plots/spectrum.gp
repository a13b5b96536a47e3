# SPDX-License-Identifier: MIT
#
# The distribution of times per read: the latency at each percentile, the axis stretched towards the
# slowest reads (as HdrHistogram plots it). Dotted where the samples do not carry a percentile.
#
# Settings beside those of style.gp: floor_ns, floor_label.
# Columns: 1 depth, which is 1/(1-q), 2 percentile, 3 latency, 4 latency where it is dotted.

if (floor_ns == floor_ns) {
    set arrow 1 from graph 0, first floor_ns to graph 1, first floor_ns nohead lc rgb '#777777' lw 1.2 dt (3, 3) back
    if (dumb) {
        set label 1 floor_label at graph 0.98, first floor_ns right offset 0, 1 front
    } else {
        set label 1 floor_label at graph 0.995, first floor_ns right offset 0, 0.6 font small_font tc rgb '#555555'
    }
}

# No room for two names.
if (narrow) { set xtics add ('' 1) }

if (dumb) {
    plot for [i = 1:nr_lines] data index i-1 using 1:(valid(3) ? $3 : $4) with lines lt i title line_label[i]
} else {
    plot for [i = 1:nr_lines] data index i-1 using 1:3 with linespoints lt i pointinterval 12 title line_label[i], \
         for [i = 1:nr_lines] data index i-1 using 1:4 with lines lt i lw 2 dt (2, 3) notitle
}
