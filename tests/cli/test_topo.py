# SPDX-License-Identifier: MIT
"""memcgbench topo."""
import json
import os
import sys

import tap

DATA = sys.argv[2]


def _topo(*args, **kwargs):
    return tap.run('topo', *args, cwd=DATA, **kwargs)


def this_machine_is_described_in_json_as_the_contract_says():
    result = _topo('--format', 'json')
    tap.equal(result.returncode, 0, 'exit code')
    tap.equal(result.stderr, '', 'stderr')
    document = json.loads(result.stdout)
    tap.equal(document['thissystem'], True, 'thissystem')
    tap.expect(document['host_class'], 'host_class is empty')
    node = document['nodes'][0]
    tap.expect(isinstance(node['os_index'], int) and isinstance(node['bytes'], int), node)
    tap.expect(isinstance(node['allowed'], bool), node)
    cpus = [cpu for node in document['nodes'] for cpu in node['cpus']]
    tap.equal(len(cpus), document['online_cpus'], 'CPUs')
    allowed = {cpu for node in document['nodes'] for cpu in node['allowed_cpus']}
    tap.equal(allowed, os.sched_getaffinity(0), 'allowed CPUs')


def the_table_fits_a_terminal():
    result = _topo()
    tap.equal(result.returncode, 0, 'exit code')
    for line in result.stdout.splitlines():
        tap.expect(len(line) <= 80, line)


def recorded_machines_are_described():
    for name in ('power9', 'grace-hopper', 'threadripper', 'hidden-node'):
        with open(os.path.join(DATA, name + '.topo'), encoding='utf-8') as golden:
            wanted = golden.read()
        result = _topo('--topology', name + '.xml')
        tap.equal(result.returncode, 0, name)
        tap.equal(result.stderr, '', name)
        tap.equal(result.stdout, wanted, name)


def a_recorded_machine_is_not_this_system():
    result = _topo('--topology', 'hidden-node.xml', '--format', 'json')
    document = json.loads(result.stdout)
    tap.equal(document['thissystem'], False, 'thissystem')
    tap.equal(document['source'], 'hidden-node.xml', 'source')
    tap.equal([node['allowed'] for node in document['nodes']], [True, False], 'allowed')


def faulty_files_are_trouble_and_named():
    for name, message in (('missing.xml', 'cannot open'), ('truncated.xml', 'truncated'),
                          ('malformed.xml', 'not a valid topology'),
                          ('not-xml.xml', "not a topology in hwloc's XML"),
                          ('version3.xml', 'lstopo --export-xml-flags v2')):
        result = _topo('--topology', name)
        tap.equal(result.returncode, 2, name)
        tap.equal(result.stdout, '', name)
        tap.contains(result.stderr, f'memcgbench: {name}: ')
        tap.contains(result.stderr, message)


def a_variable_that_bends_hwloc_is_warned_about():
    result = _topo('--format', 'json', env=tap.environment(HWLOC_SYNTHETIC='node:2 pu:2'))
    tap.equal(result.returncode, 0, 'exit code')
    tap.equal(json.loads(result.stdout)['thissystem'], False, 'thissystem')
    tap.contains(result.stderr, 'HWLOC_SYNTHETIC is set: this is not this machine')


def a_bad_file_in_a_variable_is_told_to_have_no_effect():
    result = _topo('--format', 'json', env=tap.environment(HWLOC_XMLFILE='/nonexistent.xml'))
    tap.equal(json.loads(result.stdout)['thissystem'], True, 'thissystem')
    tap.contains(result.stderr, 'HWLOC_XMLFILE is set: hwloc made nothing of it')


def wrong_usage_is_trouble():
    for args in (['--format', 'tsv'], ['--format', 'xml'], ['--format', ''], ['spare'],
                 ['--nonsense'], ['--topology']):
        result = _topo(*args)
        tap.equal(result.returncode, 2, args)
        tap.equal(result.stdout, '', args)
        tap.contains(result.stderr, 'Try `memcgbench topo --help')


def help_and_version_are_data():
    for option in ('--help', '--version'):
        result = _topo(option)
        tap.equal(result.returncode, 0, option)
        tap.equal(result.stderr, '', option)
        tap.contains(result.stdout, 'memcgbench')


def a_full_disk_is_trouble():
    with open('/dev/full', 'w', encoding='utf-8') as full:
        for kind in ('table', 'json'):
            result = _topo('--format', kind, stdout=full)
            tap.equal(result.returncode, 2, kind)
            tap.contains(result.stderr, 'cannot write to standard output')


tap.main(globals())
