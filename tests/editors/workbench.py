"""VS Code in a browser: code-server with our .vsix, and the driver `vscode.mjs` that controls it."""

from __future__ import annotations

import atexit
import functools
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from .conftest import CACHE, HERE, REPO, require

SCREENSHOTS = REPO / "docs" / "screenshots"
VSIX = REPO / "vscode-extension" / "gpuasync-lsp.vsix"
NODE = CACHE / "node" / "bin" / "node"
CODE_SERVER = CACHE / "vscode" / "node_modules" / ".bin" / "code-server"

CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
"""The former needs a third less processor time."""

BUILT_IN = (
    *("configuration-editing", "json", "markdown-basics", "markdown-language-features", "theme-defaults"),
    "theme-seti",
)
"""The extensions of VS Code that tests need: loading all hundred takes half the time of a new window."""

SETTINGS = {
    "telemetry.telemetryLevel": "off",
    "update.mode": "none",
    "extensions.autoUpdate": False,
    "extensions.autoCheckUpdates": False,
    "chat.disableAIFeatures": True,
    "workbench.startupEditor": "none",
    "workbench.colorTheme": "Default Dark Modern",
    "workbench.tips.enabled": False,
    "workbench.reduceMotion": "on",
    "editor.cursorBlinking": "solid",
    "editor.fontFamily": "DejaVu Sans Mono",
    "editor.minimap.enabled": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "window.restoreWindows": "none",
    "files.hotExit": "off",
}


class Workbench:
    """A running code-server, and the browser that shows it."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.folder = folder
        """The folder of its own files: `server.pid` has the process id of the last started server."""
        self.workspace = folder / "workspace"
        """The folder that is open in it."""
        self.machine = folder / "data" / "Machine" / "settings.json"
        """The settings of the machine."""
        self._driver: subprocess.Popen[str] | None = None

    @contextmanager
    def changed(self, settings: Mapping[str, object]) -> Generator[None]:
        """Change settings of the machine meanwhile."""
        before = self.machine.read_text()
        self.machine.write_text(json.dumps({**json.loads(before), **settings}))
        try:
            yield
        finally:
            self.machine.write_text(before)

    def act(self, steps: str, source: Path, **values: object) -> str:
        """Run steps of `vscode.mjs`, separated by spaces, each with the files of `source`; return its output.

        Screenshots are written to docs/screenshots if GPUASYNC_SCREENSHOTS=1, else not taken. Raises
        AssertionError with the driver's output, and the path of a screenshot of the failure, if a step
        fails.
        """
        if self._driver is None or self._driver.poll() is not None:
            self._driver = self._start_driver()
        assert self._driver.stdin is not None
        assert self._driver.stdout is not None
        test = {"steps": steps.split(), "source": str(source), "values": values}
        self._driver.stdin.write(json.dumps(test, default=str) + "\n")
        self._driver.stdin.flush()
        limit = threading.Timer(1800, self._driver.kill)
        limit.start()
        output = ""
        for line in self._driver.stdout:
            if line == "DONE\n":
                limit.cancel()
                return output
            output += line
        limit.cancel()
        raise AssertionError(output)

    def _start_driver(self) -> subprocess.Popen[str]:
        environment = {
            **os.environ,
            "HOME": str(self.folder),
            "NODE_PATH": str(CACHE / "vscode" / "node_modules"),
            "GPUASYNC_URL": f"{self.url}/?folder={self.workspace}",
            "GPUASYNC_WORKSPACE": str(self.workspace),
            "GPUASYNC_SHOTS": str(SCREENSHOTS) if os.environ.get("GPUASYNC_SCREENSHOTS") == "1" else "",
            "GPUASYNC_FAILURES": str(self.folder),
            "GPUASYNC_PID_FILE": str(self.folder / "server.pid"),
            "GPUASYNC_AXE": str(REPO / "vscode-extension" / "node_modules" / "axe-core" / "axe.min.js"),
            "GPUASYNC_CHROMIUM": require("Chromium", CHROMIUM),
        }
        command = [str(NODE), str(HERE / "vscode.mjs")]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            command, env=environment, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, text=True
        )

    def close(self) -> None:
        """Close the browser."""
        if self._driver is not None:
            self._driver.communicate(timeout=300)


@functools.cache
def _installed() -> Path:
    """Return a folder with our extension in `extensions`, VS Code's own in `built-in`, and code that Node has
    compiled in `compiled`; installing takes seconds, so all workbenches of a worker share it."""
    folder = Path(tempfile.mkdtemp(prefix="gpuasync-extensions-"))
    atexit.register(shutil.rmtree, folder)
    command = [str(NODE), str(CODE_SERVER.resolve()), "--user-data-dir", str(folder / "data")]
    command += ["--extensions-dir", str(folder / "extensions"), "--install-extension", str(VSIX), "--force"]
    environment = {"PATH": f"{NODE.parent}:/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8"}
    subprocess.run(command, env=environment, check=True, capture_output=True, timeout=900)
    theirs = CODE_SERVER.resolve().parents[2] / "lib" / "vscode" / "extensions"
    (folder / "built-in").mkdir()
    for name in BUILT_IN:
        (folder / "built-in" / name).symlink_to(theirs / name)
    return folder


@contextmanager
def workbench(
    folder: Path,
    server: str | None,
    *,
    trust: bool = True,
    settings: Mapping[str, object] = {},
    beside: str | None = None,
    python: str | None = "/usr/bin/python3",
    whole: bool = False,
) -> Generator[Workbench]:
    """Run code-server in `folder` with our extension; `server` is the setting for the server's command.

    `trust=False` leaves workspace trust on, so that a new folder opens in restricted mode. `settings`
    are settings of the machine. `beside` names a stand-in in the folder `extensions` that is installed,
    too. Without `server`, PATH contains only `python` (or nothing), and each start of it is logged in
    `python.log`: the extension then starts the server with the program that PATH contains. `whole` also
    loads the extensions of VS Code itself that are not in `BUILT_IN`.
    """
    require("code-server", CODE_SERVER)
    require("the .vsix (make dist)", VSIX)
    chosen = {**SETTINGS, "security.workspace.trust.enabled": not trust}
    # Settings of scope "machine" apply only where extensions run.
    binaries = folder / "bin"
    given = {"gpuasync.serverPath": str(binaries / "gpuasync-lsp")} if server is not None else {}
    for place, values in (("User", chosen), ("Machine", {**given, **settings})):
        (folder / "data" / place).mkdir(parents=True)
        (folder / "data" / place / "settings.json").write_text(json.dumps(values))
    (folder / "config.yaml").write_text("auth: none\n")
    binaries.mkdir()
    path = f"{binaries}:{NODE.parent}:/usr/local/bin:/usr/bin:/bin"
    if server is not None:
        shim(binaries, server, folder / "server.pid")
    else:
        path = str(binaries)
        if python is not None:
            program = binaries / "python3"
            program.write_text(f'#!/bin/sh\necho "$*" >> "{folder}/python.log"\nexec "{python}" "$@"\n')
            program.chmod(0o755)
    # VS Code gets the environment of extensions from a login shell, and Debian's resets PATH.
    (folder / ".profile").write_text(f'export PATH="{path}"\n')
    passed = {name: value for name, value in os.environ.items() if re.search("(?i)_proxy$|^PIP_", name)}
    environment = {
        "PATH": path,
        "SHELL": "/bin/bash",
        "LANG": "C.UTF-8",
        "NODE_COMPILE_CACHE": str(_installed() / "compiled"),
        **passed,
        **dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"), str(folder)),
    }
    command = [str(NODE), str(CODE_SERVER.resolve()), "--config", str(folder / "config.yaml")]
    command += ["--user-data-dir", str(folder / "data"), "--extensions-dir", str(folder / "extensions")]
    command += [] if whole else ["--builtin-extensions-dir", str(_installed() / "built-in")]
    own = _installed() / "extensions"
    shutil.copytree(own, folder / "extensions", ignore=shutil.ignore_patterns("extensions.json"))
    if beside is not None:
        _install_stand_in(HERE / "extensions" / beside, folder / "extensions" / beside)
    port = _free_port()
    url = f"http://127.0.0.1:{port}"
    command += ["--bind-addr", f"127.0.0.1:{port}", "--disable-telemetry", "--disable-update-check"]
    command += ["--disable-getting-started-override", "--reconnection-grace-time", "5"]
    command += ["--disable-workspace-trust"] if trust else []
    with (folder / "code-server.log").open("wb") as log:
        process = subprocess.Popen(
            command, env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        _wait_until_healthy(url, process, folder / "code-server.log")
        running = Workbench(url, folder)
        running.workspace.mkdir()
        try:
            yield running
        finally:
            running.close()
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=300)


def _install_stand_in(source: Path, folder: Path) -> None:
    """Copy a stand-in extension; one with the main file `dist.js` is bundled with our extension's
    libraries."""
    shutil.copytree(source, folder)
    if json.loads((source / "package.json").read_text()).get("main") == "./dist.js":
        modules = REPO / "vscode-extension" / "node_modules"
        esbuild = require("node_modules of the extension", modules / "esbuild" / "bin" / "esbuild")
        command = [esbuild, str(folder / "extension.js"), f"--outfile={folder / 'dist.js'}", "--bundle"]
        command += ["--platform=node", "--external:vscode", "--log-level=warning"]
        subprocess.run(command, env={**os.environ, "NODE_PATH": str(modules)}, check=True, timeout=900)


def shim(folder: Path, server: str, pid_file: Path) -> None:
    """Write a `gpuasync-lsp` to `folder` that stores its process id in a file and then executes `server`."""
    program = folder / "gpuasync-lsp"
    program.write_text(f'#!/bin/sh\necho $$ > "{pid_file}"\nexec "{server}" "$@"\n')
    program.chmod(0o755)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_healthy(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + 600
    while time.monotonic() < end:
        assert process.poll() is None, log.read_text(errors="replace")
        try:
            with urllib.request.urlopen(f"{url}/healthz", timeout=5):
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    raise AssertionError(log.read_text(errors="replace"))
