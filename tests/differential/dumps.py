"""Compares the findings per pass in dumps by the real mlir-opt with those of each section checked separately.

    python -m tests.differential.dumps --llvm 22 --seed 7 --count 50

takes a sample of the shared programs, dumps pipelines on them, at module scope, at that of the pass,
and as a log with a prefix on each line, and prints the programs for which the results differ.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from gpuasync_lsp.ide.document.checker import Checker
from gpuasync_lsp.ide.document.settings import Settings
from gpuasync_lsp.ide.document.targets import Resolved, SettingsResolver
from gpuasync_lsp.ide.dumps.logs import without_beginnings
from gpuasync_lsp.ide.dumps.passes import PassRun, pass_runs
from gpuasync_lsp.ide.dumps.sections import header_spans, sections
from gpuasync_lsp.text import Finding
from tests.support.tools import CASES, SHARED, Tool, mlir_opt

PIPELINES = (
    "canonicalize,func.func(gpu-async-region,canonicalize,cse),gpu-kernel-outlining,gpu.module(canonicalize),"
    "convert-scf-to-cf,gpu-to-llvm,canonicalize,reconcile-unrealized-casts",
    "cse,gpu-kernel-outlining,func.func(cse,canonicalize,gpu-async-region),inline,symbol-dce,gpu-to-llvm",
    "canonicalize,inline,func.func(gpu-async-region),gpu-kernel-outlining,gpu.module(cse,convert-gpu-to-nvvm),"
    "gpu-to-llvm,cse",
    "canonicalize,func.func(affine-loop-unroll,convert-linalg-to-loops,convert-scf-to-cf,gpu-async-region,cse),"
    "gpu-kernel-outlining,gpu-to-llvm",
)
"""Pipelines to dump. The first pass runs on the module, so the functions around a section's one are known."""
WAYS = (
    ("--mlir-print-ir-after-all",),
    ("--mlir-print-ir-before-all", "--mlir-print-ir-after-all"),
    ("--mlir-print-ir-after-all", "--mlir-print-ir-after-change"),
    ("--mlir-print-ir-after-all", "--mlir-print-debuginfo"),
    ("--mlir-print-ir-before-all",),
)

BEGINNINGS = {
    "of CI": "2026-01-02T03:04:{1:02}.678Z ",
    "of a rank": "[rank 0] ",
    "of lit": "# | ",
    "of a service": "web_1  | [{0:9}.{1:06}] ",
}
"""Prefixes of log lines, which may contain the line's number."""

_FUNCTION = re.compile(
    r'^ *(?:(?:func|llvm|gpu)\.func[^@\n]*@|"(?:func|llvm|gpu)\.func"[^\n]*\bsym_name = ")([\w$.-]+)'
    r"|^ *(?:gpu\.)?(module)\b",
    re.MULTILINE,
)

Told = Counter[tuple[str, str]]
"""The number of findings by rule and function."""


def dump(tool: Tool, text: str, pipeline: str, *options: str) -> str:
    """Return what the real tool prints to standard output and standard error."""
    done = tool(
        text,
        f"--pass-pipeline=builtin.module({pipeline})",
        "--allow-unregistered-dialect",
        "--mlir-disable-threading",
        *options,
    )
    return done.err + done.out


def settings(version: int) -> Resolved:
    """Return settings for one LLVM version."""
    return SettingsResolver(Settings(llvm=version)).resolve(None, "")


def disagreements(tool: Tool, version: int, text: str, pipeline: str, way: tuple[str, ...]) -> Iterator[str]:
    """Yield differences between the findings per pass and those of the sections."""
    resolved = settings(version)
    whole = dump(tool, text, pipeline, *way, "--mlir-print-ir-module-scope")
    yield from separately(whole, resolved)
    parts = dump(tool, text, pipeline, *way)
    yield from logged(parts, resolved)
    if way in (WAYS[2], WAYS[4]):
        return  # Some sections are printed only at one scope, or show several functions.
    of_module, of_parts = list(pass_runs(whole, resolved)), list(pass_runs(parts, resolved))
    if len(of_module) != len(of_parts):
        yield f"{len(of_module)} passes at module scope, {len(of_parts)} at their own"
        return
    for one, other in zip(of_module, of_parts, strict=True):
        if told(one, whole) != told(other, parts):
            yield f"{one.pass_name} on {one.scope}: {told(one, whole)} at module scope, {told(other, parts)}"


def logged(text: str, resolved: Resolved) -> Iterator[str]:
    """Compare the findings in a dump with those in logs that contain it."""
    expected = [told(run, text) for run in pass_runs(text, resolved)]
    lines = text.splitlines(keepends=True)
    for name, begin in BEGINNINGS.items():
        whole = "".join(begin.format(number, number % 60) + line for number, line in enumerate(lines))
        log = without_beginnings(whole, header_spans(whole))
        if [told(run, log.text) for run in pass_runs(log.text, resolved)] != expected:
            yield f"in a log {name} the passes did something else"


def told(run: PassRun, text: str) -> tuple[object, ...]:
    """Return a pass's name, whether it changed the IR, and the findings that it added and removed."""
    return run.pass_name, run.changed, *(counted(found, text) for found in (run.begin, run.end))


def separately(text: str, resolved: Resolved) -> Iterator[str]:
    """Compare the findings that the report attributes to a section with those of the section alone."""
    runs = list(pass_runs(text, resolved))
    shown = Told()
    for section in sections(text):
        for run in runs:
            if run.section is section or run.section == section:
                shown.update(counted(run.begin, text))
                shown.subtract(counted(run.end, text))
        body = section.body.of(text)
        alone = counted(Checker(resolved).check(body), body)
        if +shown != alone or -shown:
            name = f"{section.phase.value} {section.pass_name} on {section.scope}"
            yield f"{name}: {+shown} {-shown}, not {alone}"
            return


def counted(findings: tuple[Finding, ...], text: str) -> Told:
    """Return the number of findings by rule and function."""
    return Told((finding.code, function_at(text, finding.span.start)) for finding in findings)


def function_at(text: str, offset: int) -> str:
    """Return the name of the last function whose header begins before `offset` or in its line."""
    end = text.find("\n", offset)
    start = max(text.rfind("IR Dump", 0, offset), 0)
    heads = list(_FUNCTION.finditer(text, start, len(text) if end < 0 else end))
    return heads[-1][1] or "" if heads else ""


def programs(version: int) -> list[Path]:
    """Return the available shared programs."""
    named = re.compile(r"\.llvm(\d+)\.mlir$")
    found = sorted(CASES.glob("*.mlir")) + sorted((SHARED / "llvm-tests").glob(f"llvm{version}-*/*.mlir"))
    return [file for file in found if (m := named.search(file.name)) is None or int(m[1]) == version]


def sample(version: int, seed: int, count: int) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """Yield the name, text, pipeline and kind of dump of each sampled program."""
    chance = random.Random(seed)
    for file in chance.sample(programs(version), count):
        chunks = re.split(r"^// -----.*$", file.read_text("utf-8"), flags=re.MULTILINE)
        yield file.name, chance.choice(chunks), chance.choice(PIPELINES), chance.choice(WAYS)


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--llvm", type=int, default=22)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=50)
    args = parser.parse_args()
    tool, wrong, compared = mlir_opt(args.llvm), 0, 0
    for name, text, pipeline, way in sample(args.llvm, args.seed, args.count):
        compared += bool(sections(dump(tool, text, pipeline, *way)))
        for said in disagreements(tool, args.llvm, text, pipeline, way):
            wrong += 1
            print(f"{name}: {pipeline} {' '.join(way)}\n    {said}")
    print(f"{args.count} programs, {compared} with a dump, {wrong} disagreements")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
