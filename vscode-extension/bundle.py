"""Puts the Python part of the extension into dist/libs: the server's wheel, and all that it requires.

Usage: python bundle.py WHEEL [FOLDER]

With a FOLDER, the packages are written there and nothing else is: the playground uses the same
packages.

The packages are those of bundled/requirements.txt, verified by their hashes. A package that is not pure
Python, that another one requires and that is missing, or whose version does not fit ends the program
with a message. Also written: dist/requirements.json, the further requirements of runs, which have
compiled parts and are therefore installed when they are first needed.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from importlib.metadata import Distribution, distributions
from pathlib import Path, PurePosixPath

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

HERE = Path(__file__).parent
LIBS = HERE / "dist" / "libs"
NAME = "gpuasync-lsp"
EXTRAS = ("run", "cuda")

STRAY = frozenset({"benchmarks", "docs", "scripts", "tests", "typings"})
"""Folders in xDSL's wheel that do not belong to its package."""

METADATA = frozenset({"METADATA", "entry_points.txt", "licenses"})
"""The metadata of a wheel that are kept."""

COMPILED = frozenset({".so", ".pyd", ".dll", ".dylib"})


def main() -> None:
    """Write dist/libs and dist/requirements.json, or the FOLDER, from scratch."""
    own, *others = map(Path, sys.argv[1:])
    libs = others[0] if others else LIBS
    shutil.rmtree(libs, ignore_errors=True)
    libs.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
        pip += ["--require-hashes", "--only-binary", ":all:", "--dest", folder]
        subprocess.run([*pip, "--requirement", HERE / "bundled" / "requirements.txt"], check=True)
        for wheel in [own, *sorted(Path(folder).iterdir())]:
            unpack(wheel, libs)
    held = {canonicalize_name(each.name): each for each in distributions(path=[str(libs)])}
    for each in held.values():
        check(each, held)
    if others:
        return
    requirements = {extra: of_extra(held[NAME], extra) for extra in EXTRAS}
    (HERE / "dist" / "requirements.json").write_text(json.dumps(requirements, indent=2) + "\n")


def unpack(wheel: Path, libs: Path) -> None:
    """Write the packages of a wheel, and its metadata, into `libs`."""
    if not wheel.name.endswith("-py3-none-any.whl"):
        sys.exit(f"{wheel.name} is not pure Python")
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            path = PurePosixPath(name)
            top, *below = path.parts
            if top.endswith(".data") and below[:2] == ["data", "share"]:
                continue  # man pages, and completions of shells
            if path.suffix in COMPILED or top.endswith(".data"):
                sys.exit(f"{wheel.name} has {name}, which is more than a package")
            if top in STRAY or (top.endswith(".dist-info") and below[0] not in METADATA):
                continue
            if (libs / name).exists():
                sys.exit(f"two packages have {name}")
            archive.extract(name, libs)


def check(distribution: Distribution, held: dict[str, Distribution]) -> None:
    """End the program if a requirement of `distribution` is not among `held`."""
    for text in distribution.requires or []:
        requirement = Requirement(text)
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        found = held.get(canonicalize_name(requirement.name))
        if found is None or not requirement.specifier.contains(found.version):
            have = "not there" if found is None else found.version
            sys.exit(f"{distribution.name} requires {text}, which is {have}: see bundled/requirements.txt")


def of_extra(distribution: Distribution, extra: str) -> list[str]:
    """Return the requirements of an extra, including their markers of platforms."""
    found: list[str] = []
    for text in distribution.requires or []:
        requirement = Requirement(text)
        marker = str(requirement.marker)
        if not marker.endswith(f'extra == "{extra}"'):
            continue
        marker = marker.removesuffix(f'extra == "{extra}"').removesuffix(" and ")
        requirement.marker = None
        found.append(f"{requirement}; {marker}" if marker else str(requirement))
    return found


if __name__ == "__main__":
    main()
