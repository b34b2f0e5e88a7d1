"""Compares our passes with the real ones over the measured cases and all fixtures.

    python -m tests.differential.passes 22 gpu-async-region   # the figures, with every difference by name
    python -m tests.differential.passes 22 gpu-async-region NAME ...   # both texts of these programs

Both texts are printed again by the same mlir-opt-22, with the passes of `NORMALIZED` if a pass of ours
is known to produce an equivalent result in another form. Typed pointers, which 16 prints, are converted
to opaque ones first. If the real pass fails, ours must fail with the same message. A program that a
release rejects, or that we cannot parse completely, is skipped.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from functools import cache

from gpuasync_lsp.lowering.pipeline.pipeline import parse_pipeline, run_pipeline
from gpuasync_lsp.releases import profile
from gpuasync_lsp.syntax import OpaqueOp, module_of, parse_source
from gpuasync_lsp.syntax.dialects import scf
from gpuasync_lsp.syntax.printer import print_module
from tests.support.tools import ROOT, Output, Tool, cases, mlir_opt_for_many, mlir_opt_out_of_wheels
from tests.support.typed_pointers import opaque_pointers

SEPARATOR = "\n// -----\n"
FIXTURES = ROOT / "tests" / "fixtures"
NORMALIZED: dict[str, tuple[str, ...]] = {
    "gpu-kernel-outlining": ("--canonicalize", "--cse"),
    "convert-gpu-to-nvvm": ("--canonicalize", "--cse"),
    "convert-gpu-to-rocdl": ("--canonicalize", "--cse"),
}


@dataclass
class Comparison:
    """The number of compared programs, and those that differ."""

    version: int
    pass_name: str
    compared: int = 0
    equal: int = 0
    failures: int = 0
    """How many of the equal ones fail with the same message."""
    different: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])

    def count(self, name: str, theirs: str, ours: str) -> None:
        """Record one comparison."""
        self.compared += 1
        if theirs == ours:
            self.equal += 1
            self.failures += theirs.startswith("error: ")
        else:
            self.different[name] = theirs, ours

    def __str__(self) -> str:
        share = self.equal / self.compared if self.compared else 0
        return (
            f"LLVM {self.version} {self.pass_name}: compared {self.compared}, equal {self.equal} "
            f"({share:.3f}), {self.failures} of them failures"
        )


@cache
def programs(version: int) -> Mapping[str, str]:
    """Return every program by name: the cases in the spelling of `version`, and each part of each fixture."""
    found: dict[str, str] = {}
    for path in sorted(cases().glob("*.mlir")):
        if ".llvm" not in path.name:
            own = path.with_name(f"{path.stem}.llvm{version if version in (16, 19) else 22}.mlir")
            found[path.stem] = (own if own.exists() else path).read_text("utf-8")
    for path in sorted(FIXTURES.rglob("*.mlir")):
        text = path.read_text("utf-8")
        for number, part in enumerate(re.split(r"^// -----.*\n", text, flags=re.MULTILINE)):
            found[f"{path.parent.name}/{path.stem}#{number}"] = part
    return found


@cache
def readable(version: int, names: frozenset[str] = frozenset()) -> dict[str, str]:
    """Return the programs, or those in `names`, that the release accepts and prints, and that we parse
    completely."""
    asked = {name: text for name, text in programs(version).items() if not names or name in names}
    everything = {name: text for name, text in asked.items() if _is_known(text)}
    printed = run_all(version, list(everything.values()))
    return {name: text for (name, text), out in zip(everything.items(), printed, strict=True) if out.strip()}


@cache
def _is_known(text: str) -> bool:
    """Return whether we parse a program completely for the release."""
    source = parse_source(text)
    if len(source.chunks) != 1 or source.problems():
        return False
    return not any(isinstance(op, OpaqueOp) for op in module_of(source.chunks[0]).walk())


def tool_with(version: int, *passes: str) -> Tool:
    """Return an mlir-opt that has `passes`; of LLVM 24, one with all passes only if its fast library lacks
    some."""
    if version == 24 and not _LIBRARY_LACKS.isdisjoint(each.partition("=")[0] for each in passes):
        return mlir_opt_out_of_wheels(version)
    return mlir_opt_for_many(version)


_LIBRARY_LACKS = frozenset(
    {
        *("--gpu-kernel-outlining", "--gpu-async-region", "--expand-strided-metadata", "--lower-affine"),
        *("--nvvm-attach-target", "--rocdl-attach-target"),
    }
)


def run_all(version: int, texts: Sequence[str], *passes: str) -> list[str]:
    """Run passes on many texts in few processes; the result for a text that fails or crashes is empty."""
    if not texts:
        return []
    done = tool_with(version, *passes)(SEPARATOR.join(texts), "--split-input-file", *passes)
    parts = done.out.split("// -----\n")
    if len(parts) == len(texts) and done.code in (0, 1):
        return parts
    if len(texts) == 1:
        return [done.out if done.code == 0 else ""]
    half = len(texts) // 2
    return run_all(version, texts[:half], *passes) + run_all(version, texts[half:], *passes)


def compare(
    version: int,
    pass_name: str,
    names: Sequence[str] = (),
    wanted: Callable[[str], bool] = lambda text: True,
) -> Comparison:
    """Compare a pass over the programs that `wanted` accepts, or over those of them in `names`."""
    known = readable(version, frozenset(names)) if names else readable(version)
    chosen = {name: text for name, text in known.items() if names or wanted(text)}
    return compare_texts(version, pass_name, chosen)


def compare_texts(version: int, pass_name: str, chosen: Mapping[str, str]) -> Comparison:
    """Compare a pass over the given programs, which are by name."""
    theirs = run_all(version, list(chosen.values()), f"--{pass_name}")
    if not profile(version).opaque_pointers:
        theirs = [opaque_pointers(text) for text in theirs]
    ours = [lowered(text, version, pass_name) for text in chosen.values()]
    normalize = NORMALIZED.get(pass_name.partition("=")[0], ())
    theirs, ours = _normalized(theirs, normalize), _normalized(ours, normalize)
    if "--lower-affine" in normalize:
        # Remove a flag that --lower-affine sets on its ops: ours existed before.
        theirs, ours = ([text.replace(" overflow<nsw>", "") for text in texts] for texts in (theirs, ours))
    comparison = Comparison(version, pass_name)
    for (name, text), their, our in zip(chosen.items(), theirs, ours, strict=True):
        if their.strip():
            comparison.count(name, strip(their), strip(our))
            continue
        run = tool_with(version, f"--{pass_name}")(text, f"--{pass_name}")
        if run.code == 1:
            comparison.count(name, f"error: {_message(run)}", strip(our))
    return comparison


def flag(pass_name: str) -> str:
    """Return the command-line argument for the pass `NAME` or `NAME=OPTIONS`."""
    name, equals, options = pass_name.partition("=")
    return f"--{name}={options!r}" if equals else f"--{name}"


def lowered(text: str, version: int, pass_name: str) -> str:
    """Return the output of our pass, or `error: ` and the first message."""
    result = run_pipeline(module_of(parse_source(text).chunks[0]), parse_pipeline(flag(pass_name)), version)
    if result.error is not None:
        return f"error: {result.first_message}"
    return print_module(result.module)


def _normalized(texts: list[str], passes: Sequence[str]) -> list[str]:
    good = [_readable_to_22(text) for text in texts if text.strip() and not text.startswith("error: ")]
    printed = run_all(22, good, *passes)
    fresh = iter(new or _reprinted(old, passes) for old, new in zip(good, printed, strict=True))
    return [next(fresh) if text.strip() and not text.startswith("error: ") else text for text in texts]


def _reprinted(text: str, passes: Sequence[str]) -> str:
    """Print the text of an older release again by our own tool, since 22 rejects it."""
    if _is_known(text):
        module = module_of(parse_source(text).chunks[0])
        for loop in [op for op in module.walk() if isinstance(op, scf.ParallelOp)]:
            _end_with_reduce(loop)
        text = print_module(module)
    return run_all(22, [text], *passes)[0] or f"not read by mlir-opt-22:\n{text}"


def _end_with_reduce(loop: scf.ParallelOp) -> None:
    """Remove the scf.yield that ended scf.parallel up to LLVM 17."""
    block = loop.body.block
    if isinstance(block.last_op, scf.YieldOp):
        block.erase_op(block.last_op)
        if not isinstance(block.last_op, scf.ReduceOp):
            block.add_op(scf.ReduceOp.create())


def _readable_to_22(text: str) -> str:
    """Rename attributes that 22 would parse as its own: id ranges of 19, and the null of 17."""
    text = text.replace("llvm.mlir.null", "llvm.mlir.zero")
    return re.sub(r"\{range = (array<i32: [^>]*>)\}", r"{known_range = \1}", text)


def strip(text: str) -> str:
    """Return `text` without blank lines, trailing blanks, and comments about blocks."""
    lines = (
        re.sub(r"\s*// (?:\d+ preds?|no predecessors|pred).*", "", line).rstrip()
        for line in text.splitlines()
    )
    return "\n".join(line for line in lines if line)


def _message(run: Output) -> str:
    """Return the first message, without the op that LLVM 24 appends."""
    found = re.search(r"error: (.*?)(?:(?<=explicitly marked illegal): .*)?$", run.err, flags=re.MULTILINE)
    return found[1] if found else run.err


def report(comparison: Comparison, whole: bool) -> Iterator[str]:
    """Yield the lines that describe a comparison."""
    yield str(comparison)
    for name, (theirs, ours) in comparison.different.items():
        yield f"  {name}"
        if whole:
            yield from unified_diff(
                theirs.splitlines(), ours.splitlines(), "mlir-opt", "ours", lineterm="", n=4
            )


def main(arguments: Sequence[str]) -> int:
    """Print the comparison of one pass."""
    version, pass_name, *names = arguments
    for line in report(compare(int(version), pass_name, names), bool(names)):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
