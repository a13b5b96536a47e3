# SPDX-License-Identifier: MIT
"""Tests of the program as a user runs it, speaking TAP.

A test file defines functions named after what they promise, and ends with `tap.main(globals())`.
The program under test is argv[1]. A test fails by an exception; `raise tap.Skip(reason)` skips it.
"""
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

PROGRAM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else None


class Skip(Exception):
    pass


def environment(**changes):
    """This environment without what changes the program's behaviour; None removes a variable."""
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(('HWLOC_', 'MEMCGBENCH_', 'BENCHMARK_'))}
    env['LC_ALL'] = 'C.UTF-8'
    for key, value in changes.items():
        if value is None:
            env.pop(key, None)
        else:
            env[key] = value
    return env


def run(*args, cwd=None, env=None, stdin=None, timeout=120, stdout=subprocess.PIPE):
    """Run `memcgbench ARGS`; gives .returncode, .stdout, .stderr as text."""
    return subprocess.run([PROGRAM, *map(str, args)], cwd=cwd, env=env or environment(),
                          input=stdin, stdin=subprocess.DEVNULL if stdin is None else None,
                          stdout=stdout, stderr=subprocess.PIPE, timeout=timeout,
                          text=True, encoding='utf-8', errors='backslashreplace')


def run_ignoring_children(*args, cwd=None, env=None, timeout=60):
    """The same, started by somebody who ignores SIGCHLD, which an exec passes on."""
    return subprocess.run([PROGRAM, *map(str, args)], cwd=cwd, env=env or environment(),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=timeout, text=True,
                          preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))


def _as_from_a_terminal(before):
    """Who was started by `&` ignores signals, and so would the program."""
    def prepare():
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        if before:
            before()
    return prepare


def start(*args, cwd=None, env=None, before=None):
    """The same, left running; `before` is called in the child before it becomes the program."""
    return subprocess.Popen([PROGRAM, *map(str, args)], cwd=cwd, env=env or environment(),
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True,
                            preexec_fn=_as_from_a_terminal(before))


def sanitized():
    """Whether the program reserves address space for a sanitizer's shadow."""
    with open(PROGRAM, 'rb') as file:
        text = file.read()
    return b'__asan_init' in text or b'__tsan_init' in text


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError('did not happen in time')


def measuring_child(parent):
    """The pid of `memcgbench measure` below `parent`, or None."""
    try:
        with open(f'/proc/{parent}/task/{parent}/children') as file:
            children = file.read().split()
        for child in children:
            with open(f'/proc/{child}/cmdline', 'rb') as file:
                if b'\0measure\0' in b'\0' + file.read():
                    return int(child)
    except FileNotFoundError:
        pass
    return None


@contextlib.contextmanager
def directory():
    path = tempfile.mkdtemp(prefix='memcgbench-test-')
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def expect(condition, *what):
    if not condition:
        raise AssertionError(' '.join(map(str, what)) or 'expectation not met')


def equal(found, wanted, what=''):
    expect(found == wanted, f'{what}: found {found!r}, wanted {wanted!r}')


def contains(text, part):
    expect(part in text, f'{part!r} is not in:\n{text}')


def main(names):
    tests = [(n, f) for n, f in names.items()
             if callable(f) and not n.startswith('_') and getattr(f, '__module__', '') == '__main__'
             and not isinstance(f, type) and f.__code__.co_argcount == 0
             and not hasattr(f, '__wrapped__')]
    print(f'1..{len(tests)}')
    failed = 0
    for number, (name, test) in enumerate(tests, 1):
        title = name.replace('_', ' ')
        try:
            test()
            print(f'ok {number} - {title}')
        except Skip as reason:
            print(f'ok {number} - {title} # SKIP {reason}')
        except Exception:
            failed += 1
            print(f'not ok {number} - {title}')
            for line in traceback.format_exc().splitlines():
                print(f'# {line}')
        sys.stdout.flush()
    sys.exit(1 if failed else 0)
