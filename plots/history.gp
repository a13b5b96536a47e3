# SPDX-License-Identifier: MIT
#
# One series of a history: the median of each run with its interval, the level between changes with a
# band of the A/A noise around it, and each change with its size.
#
# Settings beside those of style.gp: nr_runs, noise (a share, or NaN), nr_segments, segment_from[],
# segment_to[], segment_level[], nr_changes, change_x[], change_text[], change_worse[], change_row[],
# mark_height (of the marks of builds, 0 to 1).
# Columns: 1 run, 2 median, 3 and 4 its interval. The second block: places between two builds.

# Of the palette of style.gp: vermilion and green, which also differ in lightness.
worse = 0xD55E00
better = 0x009E73

# Many runs: small points, and no line that would only be a scribble between them.
size = nr_runs > (narrow ? 40 : 120) ? 0.45 : nr_runs > (narrow ? 15 : 40) ? 0.7 : 1.0

if (narrow) {
    # The last date would be cut off, and the sizes of changes need the place of the title.
    set xtics rotate by 45 right
    if (nr_changes) { unset label 1000 }
}
set grid noxtics ytics
set y2range [0:1]
do for [i = 1:nr_segments] {
    if (!dumb && noise == noise) {
        set object i rectangle from segment_from[i], segment_level[i] * (1 - noise) to segment_to[i], segment_level[i] * (1 + noise) fc rgb colour(line_backend[1]) fs transparent solid 0.16 noborder behind
    }
    if (!dumb) {
        set arrow 100+i from segment_from[i], segment_level[i] to segment_to[i], segment_level[i] nohead lc rgb colour(line_backend[1]) lw 1.6 dt solid back
    }
}
do for [i = 1:nr_changes] {
    if (dumb) {
        set arrow 500+i from change_x[i], graph 0 to change_x[i], graph 0.97 nohead
        set label 500+i change_text[i] at change_x[i], graph 1 - 0.06 * change_row[i] left offset 1, -1 front
    } else {
        set arrow 500+i from change_x[i], graph 0 to change_x[i], graph 1 nohead lc rgb (change_worse[i] ? worse : better) lw 1.8 dt (7, 4) front
        set label 500+i change_text[i].(narrow ? '' : change_worse[i] ? ' worse' : ' better') at change_x[i], graph 1 center offset 0, 0.6 + 1.0 * change_row[i] front font small_font tc rgb (change_worse[i] ? worse : better)
    }
}

if (dumb) {
    set title chart_title.', '.chart_subtitle
    plot data index 0 using 1:2 with points pt 15 notitle
} else {
    plot data index 1 using 1:(mark_height) axes x1y2 with impulses lc rgb '#bbbbbb' lw 0.7 dt (2, 3) notitle, \
         data index 0 using 1:3:(0):($4 - $3) with vectors heads size screen 0.003, 90 lc rgb colour(line_backend[1]) lw 0.9 dt solid notitle, \
         data index 0 using 1:2 with points lt 1 ps size notitle
}
