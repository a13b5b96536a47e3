# SPDX-License-Identifier: MIT
"""Chromium without a screen, driven over HTTP as the W3C's WebDriver has it, with a profile of its own.

Only what it started is ended. What is not installed is a reason to skip; what is and cannot start, to
fail: a page that nobody looked at has kept no promise.
"""
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

from pages import tap

ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'
START_SECONDS = 60
CALL_SECONDS = 60
ENTER = '\ue007'


def _find_browser():
    for name in ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'):
        path = shutil.which(name)
        if path and '/snap/' not in os.path.realpath(path) and os.path.basename(
                os.path.realpath(path)) != 'snap':
            return path
    raise tap.Skip('chromium is not installed')


def _find_driver():
    path = shutil.which('chromedriver')
    if not path:
        raise tap.Skip('chromedriver is not installed')
    return path


class Failure(Exception):
    pass


class Browser:
    def __init__(self):
        browser, driver = _find_browser(), _find_driver()
        self.session = None
        self.profile = tempfile.mkdtemp(prefix='memcgbench-browser-')
        self.browser = None
        self.environment = dict(os.environ, HOME=self.profile, XDG_CONFIG_HOME=self.profile,
                                XDG_CACHE_HOME=self.profile, TMPDIR=self.profile)
        self.driver = subprocess.Popen([driver, '--port=0'], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                       env=self.environment, start_new_session=True)
        try:
            self.base = f'http://127.0.0.1:{self._port()}'
            self._open(browser)
        except BaseException:
            self.close()
            raise

    def _port(self):
        lines = queue.Queue()

        def read():
            for line in self.driver.stdout:
                lines.put(line)
            lines.put('')

        threading.Thread(target=read, daemon=True).start()
        said, deadline = [], time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            try:
                line = lines.get(timeout=max(0.1, deadline - time.monotonic()))
            except queue.Empty:
                break
            found = re.search(r'on port ([1-9]\d*)', line)
            if found:
                return int(found.group(1))
            said.append(line)
            if not line:
                break
        raise Failure('chromedriver does not start: ' + ' '.join(''.join(said).split())[:200])

    def _start(self, browser):
        """The browser, and where it listens. chromedriver would look for it at the name localhost, which
        a bare system does not know."""
        self.browser = subprocess.Popen(
            [browser, '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
             '--no-first-run', '--disable-background-networking', '--disable-component-update',
             '--disable-sync', '--disable-extensions', '--hide-scrollbars', '--window-size=1200,900',
             '--remote-debugging-port=0', f'--user-data-dir={self.profile}/profile', 'about:blank'],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=self.environment, start_new_session=True)
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.browser.poll() is None:
            try:
                with open(f'{self.profile}/profile/DevToolsActivePort', encoding='ascii') as file:
                    lines = file.read().splitlines()
                if len(lines) == 2:
                    return f'127.0.0.1:{lines[0]}'
            except FileNotFoundError:
                pass
            time.sleep(0.05)
        raise Failure(f'chromium does not start: exit code {self.browser.poll()}')

    def _open(self, browser):
        options = {'debuggerAddress': self._start(browser)}
        wanted = {'capabilities': {'alwaysMatch': {
            'browserName': 'chrome', 'goog:chromeOptions': options, 'unhandledPromptBehavior': 'ignore',
            'goog:loggingPrefs': {'browser': 'ALL', 'performance': 'ALL'}}}}
        try:
            self.session = self._send('POST', '/session', wanted, START_SECONDS)['sessionId']
        except (Failure, OSError) as reason:
            raise Failure('chromium does not start: ' + ' '.join(str(reason).split())[:200]) from None

    def _send(self, method, path, body=None, seconds=CALL_SECONDS):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, method=method,
                                         headers={'Content-Type': 'application/json'})
        # No proxy of the environment stands between this machine and itself.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=seconds) as answer:
                return json.load(answer)['value']
        except urllib.error.HTTPError as error:
            value = json.load(error)['value']
            raise Failure(f"{value['error']}: {value['message']}") from None

    def _call(self, method, path, body=None):
        return self._send(method, f'/session/{self.session}{path}', body)

    def open(self, path):
        """The page of a file, without the logs of what was before it."""
        self._call('POST', '/url', {'url': 'about:blank'})
        self.log('browser')
        self.log('performance')
        self._call('POST', '/url', {'url': 'file://' + os.path.abspath(path)})

    def run(self, script, *arguments):
        return self._call('POST', '/execute/sync', {'script': script, 'args': list(arguments)})

    def find(self, selector):
        found = self._call('POST', '/element', {'using': 'css selector', 'value': selector})
        return found[ELEMENT]

    def click(self, selector):
        self._call('POST', f'/element/{self.find(selector)}/click', {})

    def type(self, selector, text):
        self._call('POST', f'/element/{self.find(selector)}/value', {'text': text})

    def log(self, kind):
        return self._call('POST', '/se/log', {'type': kind})

    def requests(self):
        """The addresses that were asked for since the page was opened."""
        messages = [json.loads(entry['message'])['message'] for entry in self.log('performance')]
        return [message['params']['request']['url'] for message in messages
                if message['method'] == 'Network.requestWillBeSent']

    def devtools(self, command, **parameters):
        return self._call('POST', '/goog/cdp/execute', {'cmd': command, 'params': parameters})

    def width(self, pixels):
        """As wide as that, as a telephone is; 0: as the window is again."""
        if not pixels:
            self.devtools('Emulation.clearDeviceMetricsOverride')
            return
        self.devtools('Emulation.setDeviceMetricsOverride', width=pixels, height=740,
                      deviceScaleFactor=2, mobile=True)

    def prefer(self, scheme):
        self.devtools('Emulation.setEmulatedMedia',
                      features=[{'name': 'prefers-color-scheme', 'value': scheme}])

    def close(self):
        try:
            if self.session:
                self._send('DELETE', f'/session/{self.session}', seconds=20)
        except (Failure, OSError):
            pass
        for process in (self.driver, self.browser):
            if process:
                self._end(process)
        shutil.rmtree(self.profile, ignore_errors=True)

    @staticmethod
    def _end(process):
        """With its own group: whatever it started."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, number)
                process.wait(10)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                pass
        process.wait()
