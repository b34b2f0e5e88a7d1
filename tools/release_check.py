"""Checks that the results of `make dist` and `make site` are ready for a release.

    python -m tools.release_check [--tag v0.2.0]

Prints a line per problem and exits with 1 if there is one: versions that disagree, no dated section in the
change log, files missing from dist/.
"""

from __future__ import annotations

import argparse
import re
import sys
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path

from gpuasync_lsp import __version__

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
VERSIONS = {
    "vscode-extension/package.json": r'^  "version": "(.+)",$',
    "vscode-extension/package-lock.json": r'^  "version": "(.+)",$',
    "vscode-extension/CHANGELOG.md": r"^## (\S+)$",
    "editors/emacs/gpuasync.el": r"^;; Version: (\S+)$",
    "editors/zed/Cargo.toml": r'^version = "(.+)"$',
    "editors/zed/extension.toml": r'^version = "(.+)"$',
    "docs/cli.md": r'"tool": "gpuasync-lsp (.+)",$',
}
"""Files that contain the version, and the pattern that finds it."""
_FIELDS = ("Name", "Version", "Summary", "License-Expression", "Requires-Python", "Description-Content-Type")


def problems(tag: str | None) -> Iterator[str]:
    """Yield the problems of the build in dist/; `tag` is the git tag of the release, if any."""
    if tag is not None and tag != f"v{__version__}":
        yield f"the tag is {tag}, the package is {__version__}"
    for path, pattern in VERSIONS.items():
        found = re.search(pattern, (ROOT / path).read_text(), re.M)
        if found is None or found[1] != __version__:
            yield f"{path} has version {found[1] if found else 'none'}, the package {__version__}"
    section = rf"^## \[?{re.escape(__version__)}\]? - \d{{4}}-\d\d-\d\d$"
    if not re.search(section, (ROOT / "CHANGELOG.md").read_text(), re.M):
        yield f"CHANGELOG.md has no dated section for {__version__}"
    wheel = DIST / f"gpuasync_lsp-{__version__}-py3-none-any.whl"
    sdist = DIST / f"gpuasync_lsp-{__version__}.tar.gz"
    for path in (wheel, sdist, DIST / "gpuasync-lsp.vsix", DIST / "site" / "index.html"):
        if not path.is_file():
            yield f"{path.relative_to(ROOT)} is missing: run `make dist site`"
    if wheel.is_file():
        yield from _metadata(wheel)


def _metadata(wheel: Path) -> Iterator[str]:
    with zipfile.ZipFile(wheel) as archive:
        metadata = Parser().parsestr(archive.read(f"gpuasync_lsp-{__version__}.dist-info/METADATA").decode())
    for field in _FIELDS:
        if not metadata.get(field):
            yield f"the wheel's metadata lacks {field}"
    if metadata.get("Version") != __version__:
        yield f"the wheel has version {metadata.get('Version')}"


def main() -> int:
    """Print the problems, and return the exit status."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--tag", help="the git tag that the release is made from")
    found = list(problems(arguments.parse_args().tag))
    for problem in found:
        print(f"release-check: {problem}", file=sys.stderr)
    if not found:
        print(f"release-check: {__version__} is ready")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
