# SPDX-License-Identifier: MIT
"""What is counted is what happens: valgrind's lackey watches every memory access of plain reads.

The program under test, marked_reads, makes each read between two marked stores. Its trace comes
through a pipe, and only what lies between the marks is kept.
"""
import functools
import os
import shutil
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
import tap  # noqa: E402

LINE = 64


class Case:
    """One read: where its memory lies, what was counted, what was seen."""

    def __init__(self, name):
        self.name = name
        self.ranges = {'region': [], 'area': [], 'shared': []}
        self.counts = {}
        self.accesses = []  # (kind, address, bytes); kind L, S or M (both)

    def add(self, line):
        name, *values = line.split()
        if name in self.ranges:
            start, size = (int(value, 16) for value in values)
            self.ranges[name].append((start, start + size))
        else:
            self.counts[name] = int(values[0])

    def inside(self, what, kinds):
        return [(address, size) for kind, address, size in self.accesses if kind in kinds
                and any(low <= address < high for low, high in self.ranges[what])]


class Trace(threading.Thread):
    """Drains lackey's log; what comes before the marks are known is start-up."""

    def __init__(self, fd):
        super().__init__(daemon=True)
        self.fd, self.marks, self.sections = fd, None, []

    def run(self):
        rest, inside = b'', False
        with os.fdopen(self.fd, 'rb', buffering=0) as log:
            while chunk := log.read(1 << 20):
                if not self.marks:
                    continue
                rest += chunk
                while (at := rest.find(self.marks[inside])) >= 0:
                    if inside:
                        self.sections.append(rest[:at])
                    rest = rest[at + len(self.marks[inside]):]
                    inside = not inside
                if not inside:
                    rest = rest[-len(self.marks[0]):]


def accesses(section):
    for line in section.decode().splitlines():
        kind, where = line[:3].strip(), line[3:]
        if kind in ('L', 'S', 'M'):
            address, size = where.split(',')
            yield kind, int(address, 16), int(size)


@functools.lru_cache(maxsize=None)
def _cases():
    if not shutil.which('valgrind'):
        raise tap.Skip('valgrind is not installed')
    log, end_of_child = os.pipe()
    trace = Trace(log)
    trace.start()
    # hwloc's plugins are not needed, and loading them is most of the trace.
    child = subprocess.Popen(
        ['valgrind', '--tool=lackey', '--trace-mem=yes', f'--log-fd={end_of_child}', tap.PROGRAM],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[end_of_child], text=True,
        env=tap.environment(HWLOC_PLUGINS_PATH='/nonexistent'))
    os.close(end_of_child)
    marks = [int(child.stdout.readline().split()[1], 16) for _ in range(2)]
    trace.marks = [b' S %08x,8\n' % mark for mark in marks]
    output, _ = child.communicate('\n')
    trace.join()
    tap.equal(child.returncode, 0, 'exit code')

    cases = []
    for line in output.splitlines():
        if line.startswith('case '):
            cases.append(Case(line))
        else:
            cases[-1].add(line)
    tap.equal(len(trace.sections), len(cases), 'marked sections')
    tap.expect(cases, 'no read was marked')
    for case, section in zip(cases, trace.sections):
        case.accesses = list(accesses(section))
    return cases


def loads_of_per_cpu_counters_are_as_counted():
    for case in _cases():
        loads = len(case.inside('area', 'LM'))
        # a reference of a living memcg is taken and dropped by a load and a store each
        stores = len(case.inside('area', 'SM'))
        tap.equal(loads - stores, case.counts['loads'], case.name)


def references_of_living_memcgs_are_stored_twice_each():
    for case in _cases():
        walks = case.counts['visited'] - case.counts['css_gets']
        dying = case.counts['atomics'] // 2 if walks else 0
        tap.equal(len(case.inside('area', 'SM')), 2 * (case.counts['css_gets'] - dying), case.name)


def accesses_of_shared_counters_are_as_counted():
    for case in _cases():
        # lackey shows an atomic addition as loads and one store
        additions = len(case.inside('shared', 'SM'))
        reads = len(case.inside('shared', 'L'))
        tap.equal(additions or reads, case.counts['atomics'], case.name)


def lines_touched_are_as_counted():
    for case in _cases():
        lines = {line for address, size in case.inside('region', 'LSM')
                 for line in range(address // LINE, (address + size - 1) // LINE + 1)}
        tap.equal(len(lines) * LINE, case.counts['bytes'], case.name)


if __name__ == '__main__':
    tap.main(globals())
