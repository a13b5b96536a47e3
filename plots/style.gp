# SPDX-License-Identifier: MIT
#
# What all charts have in common: sizes, fonts, colours, the places of title, legend and caption.
#
# The program puts the settings of one chart in front of this file, and the script that draws it
# behind; the three together are the NAME.gp that lies beside NAME.tsv and the pictures. So any chart
# can be drawn again, and changed, without the program:
#
#   gnuplot -d NAME.gp > NAME.svg
#   gnuplot -d -e "picture='png'" NAME.gp > NAME.png
#   gnuplot -d -e "picture='dumb'" NAME.gp
#
# Settings: data (file), bare (1: no title and no caption, as the page around the picture has both),
# narrow (1: for a telephone, 360 pixels wide),
# key_hidden (1: no legend), chart_title, chart_subtitle, x_title, y_title, nr_lines, line_label[],
# line_backend[] (colour and shape), line_facet[] (dashes), nr_captions, caption[], the ranges and
# the ticks. Times are in ns. Labels are plain text, never gnuplot's markup: names of scenarios and
# back ends have underscores.

set encoding utf8
set datafile separator tab

if (!exists("picture")) picture = 'svg'
dumb = picture eq 'dumb'
if (!exists('key_hidden')) key_hidden = 0
if (!exists('bare')) bare = 0
if (bare) {
    chart_title = ''
    chart_subtitle = ''
    nr_captions = 0
}

if (!exists('narrow')) narrow = 0
if (!exists('x_ticks')) x_ticks = 1
# Pixels of the SVG, and the sizes of names in the plot: what a page scales must stay legible.
width = narrow ? 360 : 960
row = narrow ? 20 : 24
terminal_font = narrow ? 'sans-serif,14' : 'sans-serif,16'
small = narrow ? 13.5 : bare ? 14 : 12
small_font = sprintf(',%g', small)
key_font = narrow ? ',13.5' : ',14'
# The parameter's name is enough where there is no room for what it means.
if (narrow && strstrt(x_title, '(')) { x_title = x_title[strstrt(x_title, '(') + 1:strlen(x_title) - 1] }

# The legend is above the plot, in as many columns as its longest name leaves room for.
longest = 0
do for [i = 1:nr_lines] { if (strlen(line_label[i]) > longest) { longest = strlen(line_label[i]) } }
key_columns = int((narrow ? 340 : 835) / (narrow ? 76 + 8.5 * longest : 92 + 10.3 * longest))
if (key_columns < 1) key_columns = 1
if (nr_lines <= 4 && key_columns > 2) key_columns = 2
key_rows = (nr_lines + key_columns - 1) / key_columns

# Heights in pixels of the SVG, from above: title, subtitle, legend, a name above the frame; the plot;
# x axis; caption.
top = (bare ? 6.0 : 56.0) + (chart_subtitle eq '' ? 0 : 24) + (key_hidden ? 0 : row * key_rows) + 32
bottom = (narrow ? 78.0 : bare ? 86.0 : 92.0) + 18 * nr_captions
if (narrow && x_ticks > 5) bottom = bottom + 24
height = (narrow ? 300 : 420) + top + bottom
if (picture eq 'svg') {
    set terminal svg size width,height noenhanced font terminal_font background rgb 'white' linewidth 1.2
}
if (picture eq 'png') {
    set terminal pngcairo size 1920,2*height noenhanced font 'sans-serif,16' fontscale 1.55 linewidth 2.4 pointscale 2.8 background rgb 'white'
}
if (dumb) {
    set terminal dumb size 79,25 nofeed noenhanced mono
}

# The colours of Okabe and Ito, which survive colour-blind eyes, in an order in which neighbours
# differ in lightness too, so that they survive a grey printer. Yellow is left out: too pale on white.
array palette[7] = [0x0072B2, 0xE69F00, 0x000000, 0xCC79A7, 0x009E73, 0x56B4E9, 0xD55E00]
array filled[5] = [7, 5, 9, 13, 11]
array hollow[5] = [6, 4, 8, 12, 10]
colour(backend) = backend < 0 ? 0x666666 : palette[1 + backend % 7]
# More back ends than colours: the same colour comes back with another shape.
shape(backend, facet) = facet == 0 ? filled[1 + (backend + backend / 7) % 5] : hollow[1 + (backend + backend / 7) % 5]

do for [i = 1:nr_lines] {
    backend = line_backend[i]
    facet = line_facet[i]
    if (facet == 0) { set linetype i lc rgb colour(backend) lw 2.2 dt solid pt shape(backend, facet) ps 1.0 }
    if (facet == 1) { set linetype i lc rgb colour(backend) lw 2.2 dt (9, 5) pt shape(backend, facet) ps 1.1 }
    if (facet == 2) { set linetype i lc rgb colour(backend) lw 2.2 dt (12, 4, 2, 4) pt shape(backend, facet) ps 1.1 }
    if (facet >= 3) { set linetype i lc rgb colour(backend) lw 2.2 dt (12, 4, 2, 4, 2, 4) pt shape(backend, facet) ps 1.1 }
}

set xlabel x_title
set tics nomirror out
if (dumb) {
    set title chart_subtitle eq '' ? chart_title : chart_subtitle
    set tics scale 0.5
    set ylabel y_title
    set key outside top horizontal left samplen 2 width 2
} else {
    set border 3 lc rgb '#444444' lw 0.8
    set grid xtics ytics back lc rgb '#cccccc' lw 0.7 dt solid
    set lmargin at screen (narrow ? 0.195 : 0.125)
    set rmargin at screen 0.965
    set tmargin at screen 1 - top / height
    set bmargin at screen bottom / height
    # Not an axis label: gnuplot would move it by the width of the ticks, off the picture.
    if (narrow) {
        set label 1000 y_title at screen 0.02, screen 1 - (top - 20) / height font small_font
        if (x_ticks > 5) { set xtics rotate by 45 right }
    } else {
        set label 1000 y_title at screen 0.018, graph 0.5 center rotate
    }
    if (!bare) { set label 1001 chart_title at screen 0.02, screen 1 - 26.0 / height font ',18' }
    if (chart_subtitle ne '') { set label 1002 chart_subtitle at screen 0.02, screen 1 - 54.0 / height }
    set key at screen (narrow ? 0.02 : 0.125), screen 1 - (top - row * key_rows - 32) / height left top vertical maxrows key_rows Left reverse samplen (narrow ? 3 : 4) spacing (narrow ? 1 : 1.1) width (narrow ? 0 : 2) font key_font
    if (key_hidden) { unset key }
    do for [i = 1:nr_captions] {
        set label 1010+i caption[i] at screen 0.02, screen (12.0 + 18 * (nr_captions - i)) / height font ',12' tc rgb '#444444'
    }
    # Text stands out from lines behind it.
    set style textbox opaque fillcolor rgb 'white' noborder margins 0.3, 0.1
}
