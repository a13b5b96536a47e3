#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a C file that holds files as bytes: embed.py OUTPUT FILE... (see chart_scripts.h)."""
import os
import sys


def main(output, paths):
    with open(output, "w", encoding="ascii") as out:
        out.write('/* Made by embed.py from plots/. */\n#include "report/chart_scripts.h"\n')
        for number, path in enumerate(paths):
            with open(path, "rb") as script:
                data = script.read()
            out.write(f"\nstatic const char script_{number}[] = {{")
            for at in range(0, len(data), 16):
                out.write("\n\t" + " ".join(f"{byte:#04x}," for byte in data[at : at + 16]))
            out.write("\n\t0x00};\n")
        out.write("\nconst struct chart_script chart_scripts[] = {\n")
        for number, path in enumerate(paths):
            out.write(f'\t{{"{os.path.basename(path)}", script_{number}, '
                      f"sizeof(script_{number}) - 1}},\n")
        out.write("\t{0},\n};\n")


main(sys.argv[1], sys.argv[2:])
