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
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .conftest import CACHE, HERE, REPO, require

SCREENSHOTS = REPO / "docs" / "screenshots"
VSIX = REPO / "vscode-extension" / "gpuasync-lsp.vsix"
NODE = CACHE / "node" / "bin" / "node"
CODE_SERVER = CACHE / "vscode" / "node_modules" / ".bin" / "code-server"

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
    "editor.fontFamily": "DejaVu Sans Mono",
    "editor.minimap.enabled": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "window.restoreWindows": "none",
    "files.hotExit": "off",
}


@dataclass(frozen=True)
class Workbench:
    """A running code-server."""

    url: str
    folder: Path
    """The folder of its own files: `server.pid` has the process id of the last started language server."""

    def act(self, steps: str, workspace: Path, **values: str) -> str:
        """Run steps of `vscode.mjs` in a new browser window on `workspace`; return the driver's output.

        Several steps are separated by spaces; each starts with a fresh window and files.

        Screenshots are written to docs/screenshots if GPUASYNC_SCREENSHOTS=1, else not taken. Raises
        AssertionError with the driver's output, and the path of a screenshot of the failure, if a step
        fails.
        """
        environment = {
            **os.environ,
            "HOME": str(self.folder),
            "NODE_PATH": str(CACHE / "vscode" / "node_modules"),
            "GPUASYNC_URL": f"{self.url}/?folder={workspace}",
            "GPUASYNC_WORKSPACE": str(workspace),
            "GPUASYNC_SHOTS": str(SCREENSHOTS) if os.environ.get("GPUASYNC_SCREENSHOTS") == "1" else "",
            "GPUASYNC_FAILURE": str(self.folder / f"failed-{steps.split()[0]}.png"),
            "GPUASYNC_PID_FILE": str(self.folder / "server.pid"),
            "GPUASYNC_AXE": str(REPO / "vscode-extension" / "node_modules" / "axe-core" / "axe.min.js"),
            "GPUASYNC_CHROMIUM": require("Chromium", shutil.which("chromium")),
            **{f"GPUASYNC_{name.upper()}": value for name, value in values.items()},
        }
        command = [str(NODE), str(HERE / "vscode.mjs"), *steps.split()]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=3000, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@functools.cache
def _installed() -> Path:
    """The folder of extensions with ours installed, which takes seconds and so is done once per test run."""
    folder = Path(tempfile.mkdtemp(prefix="gpuasync-extensions-"))
    atexit.register(shutil.rmtree, folder)
    command = [str(NODE), str(CODE_SERVER.resolve()), "--user-data-dir", str(folder / "data")]
    command += ["--extensions-dir", str(folder / "extensions"), "--install-extension", str(VSIX), "--force"]
    environment = {"PATH": f"{NODE.parent}:/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8"}
    subprocess.run(command, env=environment, check=True, capture_output=True, timeout=900)
    return folder / "extensions"


@contextmanager
def workbench(
    folder: Path,
    server: str | None,
    *,
    trust: bool = True,
    settings: Mapping[str, object] = {},
    beside: str | None = None,
    python: str | None = "/usr/bin/python3",
) -> Iterator[Workbench]:
    """Run code-server in `folder` with our extension; `server` is the setting for the server's command.

    `trust=False` leaves workspace trust on, so that a new folder opens in restricted mode. `settings`
    are settings of the machine. `beside` names a stand-in in the folder `extensions` that is installed,
    too. Without `server`, PATH contains only `python` (or nothing), and each start of it is logged in
    `python.log`: the extension then starts the server with the program that PATH contains.
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
        **passed,
        **dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"), str(folder)),
    }
    command = [str(NODE), str(CODE_SERVER.resolve()), "--config", str(folder / "config.yaml")]
    command += ["--user-data-dir", str(folder / "data"), "--extensions-dir", str(folder / "extensions")]
    shutil.copytree(_installed(), folder / "extensions", ignore=shutil.ignore_patterns("extensions.json"))
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
        yield Workbench(url, folder)
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
