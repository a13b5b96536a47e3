# SPDX-License-Identifier: MIT
"""--help and --version, of the program and of every command."""
import re

import tap


def _commands():
    return re.findall(r'^  ([a-z]+) ', tap.run('--help').stdout, re.MULTILINE)


def every_command_has_help_that_fits_a_terminal():
    commands = _commands()
    tap.equal(commands, sorted(commands))
    tap.expect({'backends', 'check', 'parse', 'plan', 'report', 'run', 'topo'} <= set(commands))
    for command in ([], *([name] for name in commands), ['measure']):
        for option in ('--help', '-?'):
            result = tap.run(*command, option)
            tap.equal((result.returncode, result.stderr), (0, ''), command)
            tap.expect(result.stdout.startswith(' '.join(['Usage: memcgbench', *command])), command)
            for line in result.stdout.splitlines():
                tap.expect(len(line) <= 80, command, line)


def every_command_says_what_its_exit_codes_mean():
    for command in ([], *([name] for name in _commands())):
        text = ' '.join(tap.run(*command, '--help').stdout.split())
        tap.expect(re.search(r'Exit codes: 0 .*2 trouble', text), command, text)


def every_command_that_takes_a_scenario_says_where_from():
    for command in _commands():
        text = ' '.join(tap.run(command, '--help').stdout.split())
        if re.match(r'Usage: \S+ \S+ \[OPTION\.\.\.\] SCENARIO', text):
            tap.contains(text, 'SCENARIO may be - for standard input.')


def every_command_says_the_same_version():
    versions = {tap.run(*command, option).stdout
                for command in ([], *([name] for name in _commands()), ['measure'])
                for option in ('--version', '-V')}
    tap.equal(len(versions), 1)
    tap.expect(re.fullmatch(r'memcgbench \d+\.\d+\.\d+\n', versions.pop()))


def what_is_no_command_is_exit_code_2():
    for arguments, message in (([], 'a command is missing'), (['walk'], "unknown command 'walk'"),
                               (['--walk'], "unknown option '--walk'")):
        result = tap.run(*arguments)
        tap.equal((result.returncode, result.stdout), (2, ''), arguments)
        tap.contains(result.stderr, f'memcgbench: {message}\n')


tap.main(globals())
