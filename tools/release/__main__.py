"""Measures an LLVM release on a build of it, and updates the tables for it.

    python -m tools.release 23 --mlir-opt mlir-opt-23 --include /usr/lib/llvm-23/include
    python -m tools.release 24 --mlir-opt ./mlir-opt-24 --bindings site-packages/mlir

Prints, line by line: each fact that differs from the previous release; each that differs from the
recorded value; each that this build cannot determine; what the tables gain and lose; and what needs a
review. With `--write` it changes `gpuasync_lsp/releases/data/`. The facts themselves are lines of
`releases/facts/*.py`. The exit status is 1 if anything differs from the recorded values.
`docs/releases.md` explains each step.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gpuasync_lsp.lowering.pipeline.registry import PASSES as PASSES_HERE
from gpuasync_lsp.releases import facts, profile
from gpuasync_lsp.releases.passes import OPTIONS, PASSES, has_option, has_pass
from gpuasync_lsp.releases.table import DEFINED, KNOWN
from tools.release import bindings, definitions
from tools.release.asking import Command, known_ops, knows_option, knows_pass, read_names
from tools.release.probes import probes
from tools.release.tables import Tables, difference

DATA = Path(__file__).resolve().parents[2] / "gpuasync_lsp" / "releases" / "data"
_VALUES: Mapping[str, str] = {
    "mapping-policy": "outermost-first",
    "ptxas-cmd-options": "-v",
    "section": "s",
    "vector-contract-lowering": "dot",
    "vector-transpose-lowering": "eltwise",
}
"""A valid value for each option that is not a flag."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure one release; return 1 if anything differs from the recorded values."""
    options = _parser().parse_args(arguments)
    command, version = shlex.split(options.mlir_opt), options.version
    different = [*_facts(command, version), *_passes(command, version)]
    tables = Tables(options.data)
    before = Tables(options.data)
    if options.include or options.bindings:
        for line in _define(tables, command, options):
            print(line)
    elif version not in DEFINED:
        tables.answer(version, known_ops(command, tables.all_ops))
        for line in _ask_names(tables, command, version):
            print(line)
    changed = difference(before, tables, version) + _changed_presence(before, tables, version)
    for line in [*different, *changed]:
        print(line)
    if options.write and changed:
        tables.write()
        print(f"written: {options.data}")
    return 1 if different or changed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.release",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("version", type=int, help="the LLVM major version")
    parser.add_argument("--mlir-opt", required=True, metavar="COMMAND", help="its mlir-opt")
    parser.add_argument("--include", type=_folders, metavar="DIR[,DIR]", help="MLIR's headers, and LLVM's")
    parser.add_argument("--tblgen", type=Path, metavar="PROGRAM", help="llvm-tblgen (default: in DIR/../bin)")
    parser.add_argument("--bindings", type=Path, metavar="DIR", help="or its Python bindings")
    parser.add_argument("--data", type=Path, default=DATA, help=argparse.SUPPRESS)
    parser.add_argument("--write", action="store_true", help="write the tables")
    return parser


def _folders(text: str) -> list[Path]:
    return [Path(each) for each in text.split(",")]


def _facts(command: Command, version: int) -> Iterator[str]:
    """Measure all probes; print differences to the previous release, and yield those to the recorded
    values."""
    asked, recorded, older = probes(), profile(version), profile(version - 1)
    for name in sorted(facts()):
        was, is_recorded = getattr(older, name), getattr(recorded, name)
        if name not in asked:
            if was != is_recorded:
                print(f"look at {name}: no probe asks; recorded {is_recorded!r}, before {was!r}")
            continue
        value, why = asked[name].measure(command)
        if why:
            print(f"cannot determine {name}: {why}")
            continue
        if value != was:
            print(f"new in {version}: {name} is {_shown(value)}, before {_shown(was)}")
        if value != is_recorded:
            yield f"not as recorded: {name} is {_shown(value)}, recorded {_shown(is_recorded)}"
    unasked = sorted((fact.unprobed, name) for name, fact in facts().items() if name not in asked)
    print(f"no probe asks for {len(unasked)} facts: {', '.join(f'{name} ({why})' for why, name in unasked)}")


def _shown(value: Any) -> str:
    return repr(set(value)) if isinstance(value, frozenset) else repr(value)


def _passes(command: Command, version: int) -> Iterator[str]:
    """Yield the passes, and options of passes, whose presence differs from the recorded one."""
    for name in PASSES:
        known = knows_pass(command, name, PASSES_HERE[name].runs_on if name in PASSES_HERE else "")
        if known != has_pass(name, version):
            yield f"not as recorded: this build {'has' if known else 'lacks'} the pass {name}"
    for name, option in OPTIONS:
        if not has_pass(name, version):
            continue
        anchor = PASSES_HERE[name].runs_on if name in PASSES_HERE else ""
        known = knows_option(command, name, anchor, option, _VALUES.get(option, "true"))
        if known is not None and known != has_option(name, option, version):
            yield f"not as recorded: {name} {'has' if known else 'lacks'} the option {option}"


def _define(tables: Tables, command: Command, options: argparse.Namespace) -> Iterator[str]:
    """Add the definitions in headers or bindings to the tables; yield a line for each op that needs a
    review."""
    if options.include:
        tblgen = options.tblgen or options.include[0].parent / "bin" / "llvm-tblgen"
        ops, names = definitions.read(options.include, tblgen)
        if not ops:
            raise SystemExit(f"no ops are defined below {options.include[0]}: does {tblgen} run?")
        tables.define(options.version, ops)
        tables.name(options.version, names)
        return
    known = [version for version in DEFINED if version != options.version]
    found = bindings.definitions(options.bindings, tables.ops[known[-1]])
    gone = [name for name, has in known_ops(command, found.lacking).items() if has is False]
    for name in gone:
        del found.ops[name]
    tables.define(options.version, found.ops)
    yield from (f"look at {name}: its operands, attributes or results are others" for name in found.differ)


def _ask_names(tables: Tables, command: Command, version: int) -> Iterator[str]:
    """Measure the types and attributes that only one of the neighboring releases has; yield the changes.

    Used for a release without definitions; all other names follow from its neighbors."""
    older = max(each for each in DEFINED if each <= version)
    newer = min((each for each in DEFINED if each >= version), default=older)
    for dialect, known in tables.names.items():
        if not {older, newer} <= set(known.get("", ())):
            continue
        unsure = [
            name for name, releases in known.items() if name and len({older, newer} & set(releases)) == 1
        ]
        for name, is_read in read_names(command, [f"{dialect}.{name}" for name in unsure]).items():
            releases = known[name.partition(".")[2]]
            if is_read is not None and is_read != (version in releases):
                yield f"{name}: {'read' if is_read else 'not read'}"
                (releases.append if is_read else releases.remove)(version)
                releases.sort()


def _changed_presence(before: Tables, after: Tables, version: int) -> list[str]:
    """Return a line for each op whose presence in the release has changed."""

    def has(tables: Tables, name: str) -> object:
        if version in tables.unknown.get(name, ()):
            return None
        return version not in tables.lacking.get(name, ())

    if version in DEFINED or version not in KNOWN:
        return []
    words = {True: "has", False: "lacks", None: "says nothing of"}
    return [
        f"not as recorded: {version} {words[has(after, name)]} {name}"  # type: ignore[index]
        for name in after.all_ops
        if has(before, name) is not has(after, name)
    ]


if __name__ == "__main__":
    sys.exit(main())
