# SPDX-License-Identifier: MIT
"""`read.cgroup`: what is read of the tree, counted, held against the definition of the tree."""
import json
import os

import tap
from tap import directory, equal, expect, run

NODES, CPUS, MEMCGS = 2, 3, 111
SCENARIO = f'''\
name: targets
tree:    {{memcgs: {MEMCGS}}}
machine: {{nodes: {NODES}, cpus: {CPUS}}}
read:    {{samples: 5, time: 1ms}}
backends: [walk, cached]
repetitions: 1
'''


def _measure(*sets, backends=()):
    """(target, back end) -> result, of all four targets."""
    sets = ('read.cgroup=[root, middle, leaf, all]',) + sets
    with directory() as d:
        r = run('run', '-', '--out', os.path.join(d, 'out'), '--format', 'json', stdin=SCENARIO,
                *(a for s in sets for a in ('--set', s)), *backends,
                env=tap.environment(MEMCGBENCH_LOCK=os.path.join(d, 'lock')))
    equal(r.returncode, 0, r.stderr)
    points = json.loads(r.stdout)['points']
    return {(p['parameters']['read.cgroup'], b['backend']): b for p in points
            for b in p['results']}


def _subtrees(parents):
    """Sizes of the subtrees, for parents that come before their children."""
    sizes = [1] * len(parents)
    for memcg in range(len(parents) - 1, 0, -1):
        sizes[parents[memcg]] += sizes[memcg]
    return sizes


def _expect_counts(results, files_of):
    """files_of: target -> sizes of the subtrees of the files read."""
    cells = 10 * (1 + NODES)
    for target, sizes in files_of.items():
        walk, cached = results[target, 'walk'], results[target, 'cached']
        equal(walk['loads_hierarchical'], cells * CPUS * sum(sizes), target)
        equal(walk['memcgs_visited'], 4 * (1 + NODES) * sum(sizes), target)
        equal(cached['loads_hierarchical'], 0, target)
        equal(cached['atomics'], cells * len(sizes), target)
        for result in (walk, cached):
            equal(result['loads_local'], cells * CPUS * len(sizes), target)
            expect(result['error_pages'] <= result['error_bound_pages'], target)


def the_subtree_read_is_what_is_visited_in_a_balanced_tree():
    sizes = _subtrees([0] + [(i - 1) // 10 for i in range(1, MEMCGS + 1)])
    # the last memcg, 111, is below 11, which is below 1
    results = _measure('tree.shape=balanced')
    _expect_counts(results, {'root': [MEMCGS + 1], 'middle': [sizes[1]], 'leaf': [1],
                             'all': sizes})


def the_subtree_read_is_what_is_visited_in_a_chain():
    results = _measure('tree.shape=chain')
    _expect_counts(results, {'root': [MEMCGS + 1], 'middle': [MEMCGS + 1 - MEMCGS // 2],
                             'leaf': [1], 'all': list(range(1, MEMCGS + 2))})


def times_are_divided_by_the_subtree_read_and_of_a_sweep_by_the_files():
    # six processes have a median
    results = _measure('tree.shape=chain', backends=('--backend', 'cached', '--repetitions', '6'))
    for target, share in {'root': MEMCGS + 1, 'middle': MEMCGS + 1 - MEMCGS // 2, 'leaf': 1,
                          'all': MEMCGS + 1}.items():
        result = results[target, 'cached']
        expect(abs(result['time_per_memcg_ns'] * share / result['median_ns'] - 1) < 1e-6, target)


def a_sweep_prints_every_file():
    results = _measure('tree.shape=flat', 'counters.pages=0')
    for backend in ('walk', 'cached'):
        # without pages all memcgs have the same text
        equal(results['all', backend]['text_bytes'],
              (MEMCGS + 1) * results['leaf', backend]['text_bytes'])
        equal(results['all', backend]['error_pages'], 0)


def dying_memcgs_have_no_file():
    results = _measure('tree.shape=flat', 'tree.dying=50%')
    alive = MEMCGS - MEMCGS // 2
    _expect_counts(results, {'root': [MEMCGS + 1], 'leaf': [1],
                             'all': [MEMCGS + 1] + [1] * alive})


def plans_guess_by_the_subtree_read():
    r = run('plan', '-', '--format', 'json', stdin=SCENARIO, *(a for s in (
        'tree.memcgs=100k', 'machine.cpus=64', 'read.cgroup=[root, leaf, all]',
        'read.samples=100') for a in ('--set', s)))
    equal(r.returncode, 0, r.stderr)
    ns = {p['parameters']['read.cgroup']: {b['backend']: b['process_ns'] for b in p['backends']}
          for p in json.loads(r.stdout)['points']}
    expect(ns['root']['walk'] > 3 * ns['leaf']['walk'], ns)
    expect(ns['all']['walk'] > 3 * ns['root']['walk'], ns)
    expect(ns['all']['cached'] > 1.5 * ns['leaf']['cached'], ns)
    expect(abs(ns['root']['cached'] / ns['leaf']['cached'] - 1) < 1e-6, ns)


if __name__ == '__main__':
    tap.main(globals())
