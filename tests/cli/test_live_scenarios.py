# SPDX-License-Identifier: MIT
"""scenarios/live: each is planned anywhere, and says why where it cannot run."""
import glob
import json
import os

import tap
from tap import contains, equal, expect, run

LIVE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'scenarios', 'live')
# Descriptions of other machines.
ELSEWHERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'place', 'data')


def _paths():
    paths = sorted(glob.glob(os.path.join(LIVE, '*.yaml')))
    expect(paths, 'there are no scenarios in', LIVE)
    return paths


def each_is_planned_with_reasons_where_it_is_not_possible():
    for path in _paths():
        r = run('plan', path, '--format', 'json')
        document = json.loads(r.stdout)
        equal(document['scenario'], 'live_' + os.path.basename(path)[:-len('.yaml')])
        equal(r.returncode, 0, path)
        for point in document['points']:
            for pair in point['backends']:
                equal(bool(pair['reasons']), not pair['possible'], path)


def each_has_a_comment_and_charges_few_pages():
    for path in _paths():
        with open(path, encoding='utf-8') as file:
            text = file.read()
        expect(text.startswith('# '), path)
        for part in ('\n# From: ', '\n# What should come out: '):
            contains(text, part)
        points = json.loads(run('plan', path, '--format', 'json').stdout)['points']
        for point in points:
            parameters = point['parameters']
            expect(parameters['counters.pages'] * parameters['tree.memcgs'] <= 200000, path)


def none_is_measured_on_a_machine_that_is_described():
    description = sorted(glob.glob(os.path.join(ELSEWHERE, '*.xml')))[0]
    for path in _paths():
        document = json.loads(run('plan', path, '--topology', description, '--format',
                                  'json').stdout)
        for point in document['points']:
            for pair in point['backends']:
                if pair['backend'].startswith('kernel'):
                    contains(json.dumps(pair['reasons']), 'live back ends read this machine')


if __name__ == '__main__':
    tap.main(globals())
