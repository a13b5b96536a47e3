# SPDX-License-Identifier: MIT
"""scripts/ci-bench as CI calls it: a regression made on purpose is caught, and the same build passes."""
import functools
import glob
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
import tap  # noqa: E402

COUNTED, TIMED, SOURCE = map(os.path.abspath, sys.argv[2:5])
SCENARIO = os.path.join(SOURCE, 'tests', 'gate', 'gate.yaml')
SCRIPT = os.path.join(SOURCE, 'scripts', 'ci-bench')
LONG = os.environ.get('MEMCGBENCH_TEST_LONG') == '1'
PASSES = 20 if LONG else 3


def _bench(name, *args, program=None):
    """One call; its runs, and what it says of them, are in DIRECTORY/name."""
    return subprocess.run(
        [SCRIPT, '--no-install', '--no-charts', '--scenario', SCENARIO, '--out', f'{DIRECTORY}/{name}',
         '--baseline', f'{DIRECTORY}/baseline.json', '--history', f'{DIRECTORY}/history',
         '--program', program or tap.PROGRAM, *args],
        env=tap.environment(GITHUB_STEP_SUMMARY=None), stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=240, check=False)


@functools.lru_cache(maxsize=None)
def _need_baseline():
    result = _bench('base', '--renew-baseline')
    tap.equal(result.returncode, 0, result.stderr)


def _caught(name, program):
    """What each of the two measurements is told."""
    _need_baseline()
    result = _bench(name, program=program)
    tap.equal(result.returncode, 1, result.stdout + result.stderr)
    tap.contains(result.stdout, '**Failed**: two runs, one after the other, have the same faults.')
    tap.contains(result.stderr, 'measuring once more before that is believed')
    for run in ('gate', 'gate-again'):
        tap.equal(len(glob.glob(f'{DIRECTORY}/{name}/{run}/*.cached.*.json')), 20, f'processes kept of {run}')
    verdicts = []
    for verdict in ('gate-gate', 'gate-gate-again'):
        with open(f'{DIRECTORY}/{name}/{verdict}.json', encoding='utf-8') as file:
            verdicts.append(json.load(file))
    return verdicts


def an_extra_pass_that_is_counted_fails_the_gate_by_its_operation_counts():
    for verdict in _caught('counted', COUNTED):
        faults = {(fault['fault'], fault['backend']) for fault in verdict['failures']}
        tap.expect(('count', 'cached') in faults, faults)
        loads = [(d['backend'], d['base'], d['new']) for d in verdict['counts']['differences']
                 if d['name'] == 'loads_hierarchical']
        # 5 lists of each memcg, on 8 CPUs each.
        tap.equal(loads, [('cached', 0, 5 * 8 * 11), ('cached', 0, 5 * 8 * 101)])
        tap.equal({d['backend'] for d in verdict['counts']['differences']}, {'cached'})


def an_extra_pass_that_only_costs_time_fails_the_gate_by_the_ratio_of_back_ends():
    for verdict in _caught('timed', TIMED):
        tap.equal(verdict['counts']['differences'], [], 'the counts do not show it')
        faults = {(fault['fault'], fault['backend']) for fault in verdict['failures']}
        tap.equal(faults, {('ratio', 'cached')})


def the_same_build_passes_every_time():
    _need_baseline()
    again = 0
    for i in range(PASSES):
        result = _bench(f'same-{i}')
        tap.equal(result.returncode, 0, result.stdout + result.stderr)
        tap.contains(result.stdout, '**Passed**')
        again += os.path.exists(f'{DIRECTORY}/same-{i}/gate-again')
    print(f'# {PASSES} of {PASSES} passed, {again} of them at the second attempt')


with tap.directory() as DIRECTORY:
    tap.main(globals())
