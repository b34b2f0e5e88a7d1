"""Our parsed and printed text is the same program to mlir-opt: for every measured case and syntax fixture.

A round trip must not change the output of `mlir-opt --mlir-print-op-generic` of LLVM 22, both for handwritten
text and for mlir-opt's output.
"""

from __future__ import annotations

from functools import cache

import pytest

from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.printer import Names, print_module, spell_for
from tests.support.tools import ROOT, Tool, cases, mlir_opt

FIXTURES = ROOT / "tests" / "fixtures" / "syntax"
SEPARATOR = "\n// -----\n"
GENERIC = "--mlir-print-op-generic"

ALIASES = "mlir-opt makes an alias of each affine map, we write it where it is used"
DIFFERENT = {
    "by_table.mlir part 3": "the newest assembly of transform.structured.fuse is not understood",
    "arith.mlir": "of 3.140625, mlir-opt rounds the last digit up, we to the even one",
    "builtin.mlir": "mlir-opt makes aliases of maps and locations, we write them where they are used",
    "gpu_device.mlir": "the default triple of #nvvm.target is kept where the source writes it",
    "gpu_launch.mlir": ALIASES,
    "llvm_opaque.mlir": "ops that are kept as text are printed as the source has them",
    "memref.mlir": ALIASES,
    "one_line_regions.mlir part 2": "ops of pdl are named in full where mlir-opt need not",
    "round_trip.mlir": "mlir-opt makes aliases of debug information",
    "scf.mlir": "the empty scf.yield of scf.execute_region is written",
    "spelling.mlir part 2": ALIASES,
    "spelling.mlir part 3": "mlir-opt makes an alias of the entry",
    "spelling.mlir part 4": "mlir-opt makes aliases of the tags",
    "spelling.mlir part 5": ALIASES,
    "G_alloc_affine_sym.mlir": ALIASES,
    "G_memcpy_src_affine_tr.mlir": ALIASES,
}
"""Programs whose text differs from mlir-opt's in more than white space, with the reason."""


@pytest.mark.slow
@pytest.mark.parametrize("written", [pytest.param("source", marks=pytest.mark.slow), "mlir-opt"])
def test_round_trip(written: str, capsys: pytest.CaptureFixture[str]) -> None:
    tool = mlir_opt(22)
    programs = sources()
    before = run(tool, programs, GENERIC)
    texts = programs if written == "source" else run(tool, programs)
    accepted = {name for name, text in before.items() if text}
    printed: dict[str, str] = {}
    broken: dict[str, str] = {}
    for name in sorted(accepted):
        try:
            printed[name] = reprint(texts[name])
        except AssertionError as problem:
            broken[name] = str(problem)
    after = run(tool, printed, GENERIC)
    for name in printed:
        if after[name] != before[name]:
            broken[name] = "differs" if after[name] else "mlir-opt rejects what we print"
    with capsys.disabled():
        print(f"\nround trip of {written} text: {len(accepted)} programs, {len(broken)} not the same")
    assert broken == {}
    assert len(accepted) >= len(list(FIXTURES.glob("*.mlir")))


def test_text_of_mlir_opt(capsys: pytest.CaptureFixture[str]) -> None:
    """We print the same text as mlir-opt, including value names, except for white space."""
    programs = sources()
    different: set[str] = set()
    expected = {name: text for name, text in run(mlir_opt(22), programs).items() if text}
    for name, text in expected.items():
        if "".join(reprint(programs[name]).split()) != "".join(text.split()):
            different.add(name)
    with capsys.disabled():
        print(
            f"\nthe text of mlir-opt: {len(expected)} programs, {len(different)} not the same but for blanks"
        )
    assert different <= DIFFERENT.keys()


def test_names_of_the_source() -> None:
    (chunk,) = parse_source(
        "func.func @f(%in: i32) {\n  %t = gpu.wait async\n  gpu.wait [%t]\n  return\n}\n"
    ).chunks
    text = print_module(module_of(chunk), Names.SOURCE)
    assert "@f(%in: i32)" in text
    assert "%t = gpu.wait async" in text
    assert "gpu.wait [%t]" in text


def reprint(text: str) -> str:
    """Parse `text` and print it in the syntax of LLVM 22; fail if it has problems."""
    file = parse_source(text)
    problems = [
        problem
        for chunk in file.chunks
        for problem in (*chunk.problems, *(p for placed in chunk.items for p in placed.item.problems))
    ]
    assert not problems, problems[0].message
    modules = [module_of(chunk) for chunk in file.chunks]
    for module in modules:
        spell_for(module, 22)
    return "\n".join(map(print_module, modules))


@cache
def sources() -> dict[str, str]:
    """Return all programs for LLVM 22, by name."""
    found: dict[str, str] = {}
    for path in sorted(FIXTURES.glob("*.mlir")):
        first, *others = path.read_text().split("// -----")
        found[path.name] = first
        found.update({f"{path.name} part {index}": text for index, text in enumerate(others, 2)})
    for path in sorted(cases().glob("*.mlir")):
        if not path.name.endswith((".llvm16.mlir", ".llvm19.mlir")):
            found[path.name] = path.read_text()
    return found


def run(tool: Tool, programs: dict[str, str], *options: str) -> dict[str, str]:
    """Run mlir-opt once on all programs; return the output for each, empty if it is rejected."""
    text = SEPARATOR.join(programs.values())
    output = tool(text, "--split-input-file", "--allow-unregistered-dialect", *options).out
    parts = output.split("// -----")
    assert len(parts) == len(programs)
    return {name: part.strip() for name, part in zip(programs, parts, strict=True)}


@pytest.mark.slow
def test_lowered_cases(capsys: pytest.CaptureFixture[str]) -> None:
    """A round trip does not change LLVM 24's lowered cases, and nearly always gives mlir-opt's text."""
    tool = mlir_opt(22)
    programs = {path.name: path.read_text() for path in sorted((cases() / "lowered-llvm24").glob("*.mlir"))}
    expected = {name: text for name, text in run(tool, programs).items() if text}
    printed = {name: reprint(programs[name]) for name in expected}
    before, after = run(tool, programs, GENERIC), run(tool, printed, GENERIC)
    assert [name for name in printed if after[name] != before[name]] == []
    different = [
        name for name in printed if "".join(printed[name].split()) != "".join(expected[name].split())
    ]
    with capsys.disabled():
        print(f"\nlowered: {len(printed)} programs, {len(different)} differ in more than blanks: {different}")
    assert {name.partition(".")[0] for name in different} <= {name.partition(".")[0] for name in DIFFERENT}
