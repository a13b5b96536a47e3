#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The readers of reader.h side by side, as the patch's discussion had them: size and speed.

    bench/reader_table.py build/bench/bench_reader OBJECT...

An object's file name says which reader it holds: now, pointers or branch, and retpoline. Sizes are
binutils' `size`; times are CPU time of the hierarchical rows, which are 30 reads at two nodes (`now`
walks 11 memcgs of 72 CPUs for them).
"""
import json
import re
import subprocess
import sys

bench, *objects = sys.argv[1:]
run = subprocess.run([bench, '--benchmark_filter=rows:hierarchical', '--benchmark_format=json',
                      '--benchmark_repetitions=9', '--benchmark_min_time=0.05s',
                      '--benchmark_report_aggregates_only=true'],
                     check=True, capture_output=True, text=True)
times = {}
for case in json.loads(run.stdout)['benchmarks']:
    if case['name'].endswith('_median'):
        _, reader, retpolines = case['name'].split('/')[:3]
        times[reader, retpolines == 'retpolines:yes'] = case['cpu_time']

sizes = {}
for path in objects:
    reader = re.search(r'reader_(now|pointers|branch)(_retpoline)?', path)
    lines = subprocess.run(['size', path], check=True, capture_output=True, text=True).stdout
    sizes[reader[1], bool(reader[2])] = [int(n) for n in lines.splitlines()[1].split()[:3]]

print(f'{"":12}{"text":>8}{"data":>8}{"bss":>8}{"more text":>12}{"time":>14}')
for retpolines in sorted({key[1] for key in sizes}):
    print('with retpolines' if retpolines else 'without retpolines')
    for reader in ('now', 'pointers', 'branch'):
        text, data, bss = sizes[reader, retpolines]
        more = text - sizes['now', retpolines][0]
        print(f'  {reader:10}{text:8}{data:8}{bss:8}{more:+12}{times[reader, retpolines]:11.1f} ns')
