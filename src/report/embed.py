#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a C file that holds files as bytes: embed.py OUTPUT FILE... (see source.h)."""
import base64
import hashlib
import os
import sys


def main(output, paths):
    with open(output, "w", encoding="ascii") as out:
        out.write("/* Made by embed.py. */\n"
                  '#include "report/source.h"\n\n#include <string.h>\n')
        rows = []
        for number, path in enumerate(paths):
            with open(path, "rb") as file:
                data = file.read()
            digest = base64.b64encode(hashlib.sha256(data).digest()).decode("ascii")
            rows.append(f'\t{{"{os.path.basename(path)}", text_{number}, '
                        f'sizeof(text_{number}) - 1,\n\t "sha256-{digest}"}},\n')
            out.write(f"\nstatic const char text_{number}[] = {{")
            for at in range(0, len(data), 16):
                out.write("\n\t" + " ".join(f"{byte:#04x}," for byte in data[at : at + 16]))
            out.write("\n\t0x00};\n")
        out.write("\nconst struct source sources[] = {\n")
        out.write("".join(rows))
        out.write("\t{0},\n};\n")
        out.write("\nconst struct source *source_find(const char *name)\n{\n"
                  "\tfor (const struct source *source = sources; source->name; source++)\n"
                  "\t\tif (!strcmp(source->name, name))\n\t\t\treturn source;\n"
                  "\treturn NULL;\n}\n")


main(sys.argv[1], sys.argv[2:])
