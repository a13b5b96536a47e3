#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""manual.py PROGRAM TEMPLATE VERSION OUTPUT: make the manual page.

What --help of the program and of each command says takes the place of @COMMANDS@ in the template. So an
option is described in one place, the source of its command, and the page cannot be behind it.
"""

import os
import re
import subprocess
import sys

# As argp lays out --help: options at these columns, what they do from column 29 on.
OPTION = re.compile(r"^(?:  (?P<short>-\S), |      )--(?P<name>[a-z][a-z-]*)(?P<value>=\S+)?(?:  +(?P<text>.*))?$")
CONTINUED = re.compile(r"^ {29}(?P<text>\S.*)$")
# In every command, and described once for all.
COMMON = {"help", "usage", "version"}
# argp's own words, of no use on a page that shows short and long options together.
BOILERPLATE = "Mandatory or optional arguments to long options"


def help_of(*command):
    environment = {key: value for key, value in os.environ.items() if key != "ARGP_HELP_FMT"}
    done = subprocess.run([*command, "--help"], capture_output=True, text=True, env=environment, timeout=60)
    if done.returncode != 0 or not done.stdout.startswith("Usage: "):
        sys.exit(f"{' '.join(command)} --help: exit code {done.returncode}, and no help\n{done.stderr}")
    return done.stdout


def escape(text):
    """Text that troff prints as it is: no escapes, requests, or dashes that become hyphens."""
    text = text.replace("\\", "\\e")
    text = re.sub(r"(?<!\w)--?(?=\w)|(?<=\w)-(?=\w+=)", lambda match: match[0].replace("-", "\\-"), text)
    text = re.sub(r"`([^'`]*)['`]", lambda match: f"\\fB{match[1]}\\fR", text)
    return "\\&" + text if text.startswith((".", "'")) else text


def option_tag(match):
    short = f"\\fB\\{match['short']}\\fR, " if match["short"] else ""
    name = match["name"].replace("-", "\\-")
    value = f"=\\fI{escape(match['value'][1:])}\\fR" if match["value"] else ""
    return f"{short}\\fB\\-\\-{name}{value or chr(92) + 'fR'}"


def parse_help(text):
    """The usage, the paragraphs before and after the options, and [tag, description] of each option."""
    usage, before, options, after = [], [""], [], [""]
    current = None
    for line in text.splitlines():
        option, continued = OPTION.match(line), CONTINUED.match(line)
        if not before[0] and not options and (line.startswith("Usage: ") or line.startswith("  or:  ")):
            usage.append(line.split(": ", 1)[1].strip())
        elif option:
            current = [option["name"], option_tag(option), option["text"] or ""]
            options.append(current)
        elif continued and current:
            current[2] = f"{current[2]} {continued['text']}".strip()
        else:
            current = None
            paragraphs = after if options else before
            if line.strip():
                paragraphs[-1] = f"{paragraphs[-1]} {line.strip()}".strip()
            elif paragraphs[-1]:
                paragraphs.append("")
    options = [(tag, description) for name, tag, description in options if name not in COMMON]
    keep = [p for p in after if p and not p.startswith(BOILERPLATE)]
    return usage, [p for p in before if p], options, keep


def command_section(program, name):
    usage, before, options, after = parse_help(help_of(program, name))
    lines = [f".SS {name}"]
    for one in usage:
        lines += [f".B {escape(one)}", ".br"]
    for paragraph in before:
        lines += [".PP", escape(paragraph)]
    for tag, description in options:
        lines += [".TP", tag, escape(description)]
    for paragraph in after:
        lines += [".PP", escape(paragraph)]
    return lines


def main():
    program, template, version, output = sys.argv[1:]
    program = os.path.abspath(program)
    names = re.findall(r"^  ([a-z][a-z-]*) +\S", help_of(program), re.MULTILINE)
    if not names:
        sys.exit(f"{program} --help names no command")
    lines = [line for name in names for line in command_section(program, name)]
    with open(template, encoding="utf-8") as file:
        page = file.read()
    page = page.replace("@VERSION@", version).replace("@COMMANDS@", "\n".join(lines))
    with open(output, "w", encoding="utf-8") as file:
        file.write(page)


if __name__ == "__main__":
    main()
