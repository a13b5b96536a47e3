# SPDX-License-Identifier: MIT
"""Records of runs that nobody measured: figures from a rule and a seed, the same everywhere."""
import json
import random

HOST = 'Example CPU 2.0 GHz, 1 socket, 1 node, 2 CPUs, virtual, cgroup v1'
MACHINE = {'machine.nodes': 2, 'machine.cpus': 72}


def point_id(parameters):
    """64-bit FNV-1a of the sorted lines of what is not default; whole numbers and words only."""
    value = 0xcbf29ce484222325
    for byte in ''.join(f'{k}={v}\n' for k, v in sorted(parameters.items())).encode():
        value = (value ^ byte) * 0x100000001b3 % (1 << 64)
    return f'{value:016x}'


def sample(median, spread, processes, seed):
    """Processes of log-normal times."""
    rng = random.Random(seed)
    return [median * rng.lognormvariate(0, spread) for _ in range(processes)]


def result(backend, values, repetitions=None, **changes):
    """One back end of a point; `values` by metric, or the list of p50."""
    if not isinstance(values, dict):
        values = {'p50': values}
    processes = len(next(iter(values.values())))
    made = {'backend': backend, 'failed': 0,
            'repetitions': repetitions or list(range(1, processes + 1)), 'values': values,
            'counts': {'text_bytes': 412, 'memcgs_visited': 0, 'loads_hierarchical': 0,
                       'loads_local': 2160, 'css_gets': 0, 'atomics': 30, 'adds': 0,
                       'items_scanned': 0, 'flushes': 0, 'bytes_touched': 34176},
            'counts_differ': False, 'error': None, 'cells_beyond_bound': 0,
            'samples': 200 * processes, 'reads': 200 * processes, 'reads_per_sample': 1,
            'floor_ns': 21.3, 'placement': 'fold', 'placement_found': None}
    made.update(changes)
    return made


def point(parameters, *results):
    return {'id': point_id(parameters), 'parameters': parameters, 'results': list(results)}


def record(points, **changes):
    made = {'schema': {'name': 'memcgbench-record', 'version': 1}, 'scenario': 'made',
            'title': 'A run that nobody measured', 'label': None, 'build_id': '0.2.0-base',
            'host_class': HOST, 'started_at': '2026-11-30T15:03:00Z',
            'context': {'kernel': '6.1.0-base', 'cpu_model': 'Example CPU 2.0 GHz'}, 'seed': 1,
            'repetitions': 10, 'samples': 200, 'time_ns': 2000000000, 'points': list(points)}
    made.update(changes)
    return made


def sweep(factor=lambda backend, parameters: 1, seed=1, processes=10, spread=0.01, backends=None,
          memcgs=(10, 100, 1000, 10000), caches=('hot', 'cold'), update=True, **changes):
    """walk, linear in memcgs, and others, constant; times what `factor` says."""
    points = []
    for cache in caches:
        for number in memcgs:
            parameters = dict(MACHINE, **{'tree.memcgs': number})
            if cache != 'hot':
                parameters['read.cache'] = cache
            results = []
            for backend in backends or ('walk', 'cached'):
                median = 30000 * (number + 1) if 'walk' in backend else 11700
                median *= factor(backend, parameters) * (1 if cache == 'hot' else 1.6)
                name = f'{seed} {backend} {sorted(parameters.items())}'
                values = {'p50': sample(median, spread, processes, name)}
                if update:
                    values['update'] = sample(14.5, spread, processes, f'update {name}')
                results.append(result(backend, values))
            points.append(point(parameters, *results))
    return record(points, **changes)


def write(path, document):
    with open(path, 'w', encoding='ascii') as file:
        json.dump(document, file, indent=1)
    return path
