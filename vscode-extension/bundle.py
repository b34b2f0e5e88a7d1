"""Puts the Python part of the extension into dist/libs: the server's wheel, and all that it requires.

Usage: python bundle.py WHEEL [FOLDER]

With a FOLDER, the packages are written there and nothing else is: the playground uses the same
packages.

The packages are those of bundled/requirements.txt, verified by their hashes. A package that is not pure
Python, that another one requires and that is missing, or whose version does not fit ends the program
with a message. Also written: dist/requirements.json, the further requirements of runs, which have
compiled parts and are therefore installed when they are first needed.

The modules that the server imports for a first file are also compiled, for each Python of `PYTHONS` on
PATH: compiling them takes longer than everything else that happens until the first squiggle.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from importlib.metadata import Distribution, distributions
from importlib.util import source_from_cache
from pathlib import Path, PurePosixPath

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from pygls.client import JsonRPCClient

HERE = Path(__file__).parent
LIBS = HERE / "dist" / "libs"
NAME = "gpuasync-lsp"
EXTRAS = ("run", "cuda")

STRAY = frozenset({"benchmarks", "docs", "scripts", "tests", "typings"})
"""Folders in xDSL's wheel that do not belong to its package."""

METADATA = frozenset({"METADATA", "entry_points.txt", "licenses"})
"""The metadata of a wheel that are kept."""

COMPILED = frozenset({".so", ".pyd", ".dll", ".dylib"})

EXAMPLES = HERE.parent / "examples" / "broken"

LINE = {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}}
REQUESTS: dict[str, dict[str, object]] = {
    "textDocument/diagnostic": {},
    "textDocument/codeAction": {**LINE, "context": {"diagnostics": []}},
    "textDocument/codeLens": {},
    "textDocument/documentLink": {},
    "textDocument/documentSymbol": {},
    "textDocument/foldingRange": {},
    "textDocument/inlayHint": LINE,
    "textDocument/semanticTokens/full": {},
    "gpuasync/target": {},
}
"""The requests of VS Code for a file that it has opened."""

PYTHONS = ("python3.11", "python3.12", "python3.13", "python3.14")

COMPILE = """
import py_compile, sys
for source in sys.argv[1:]:
    py_compile.compile(source, dfile=source, doraise=True,
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
"""
"""Compiles files for the Python that runs this; the results stay valid whenever the files are unpacked."""


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
    compile_first(libs)


async def open_examples() -> None:
    """Start the server, open the examples and request what VS Code requests."""
    client = JsonRPCClient()
    await client.start_io(sys.executable, "-I", str(HERE / "bundled" / "start.py"), "--stdio")
    request, notify = client.protocol.send_request_async, client.protocol.notify
    capabilities = {"textDocument": {"diagnostic": {}}}
    await request("initialize", {"processId": None, "rootUri": None, "capabilities": capabilities})
    notify("initialized", {})
    for path in sorted(EXAMPLES.glob("*.mlir")):
        document = {"uri": f"untitled:{path.name}", "languageId": "mlir", "version": 1}
        notify("textDocument/didOpen", {"textDocument": {**document, "text": path.read_text()}})
        for method, params in REQUESTS.items():
            await request(method, {"textDocument": document, **params})
    await request("shutdown", None)
    notify("exit", None)
    await client.stop()


def compile_first(libs: Path) -> None:
    """Compile the modules of `libs` that the server imports for a first file, for each Python of PYTHONS."""
    asyncio.run(open_examples())
    # The server's Python wrote these, which are valid only for the present times of the files.
    written = [*libs.rglob("*.pyc")]
    sources = sorted(str(Path(source_from_cache(str(each))).relative_to(libs)) for each in written)
    for each in written:
        each.unlink()
    for name in PYTHONS:
        if starts(name):
            subprocess.run([name, "-I", "-c", COMPILE, *sources], cwd=libs, check=True)
        else:
            print(f"bundle.py: {name} is not on PATH, so its first start compiles {len(sources)} modules")


def starts(python: str) -> bool:
    """Return whether a Python is on PATH and starts; a shim of pyenv may have no Python behind it."""
    return (
        shutil.which(python) is not None
        and subprocess.run([python, "-I", "-c", ""], capture_output=True, check=False).returncode == 0
    )


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
