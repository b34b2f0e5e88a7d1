"""Compares our gpu-to-llvm with the real one over the measured cases.

    python -m tests.differential.lowering 22            # the table for LLVM 22, with every difference by name
    python -m tests.differential.lowering 22 NAME ...   # both texts of these cases, normalized

Both sides are normalized by the same `mlir-opt-22 --canonicalize --cse`, so that texts can be compared. LLVM
16 prints typed pointers, which mlir-opt-22 rejects: for it the runtime calls are compared, in order and
with their operands. If the real tool fails, the first message is compared.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import Path
from typing import Any

from gpuasync_lsp.analysis import rejections
from gpuasync_lsp.lowering import LoweringOptions, lower
from gpuasync_lsp.syntax.printer import print_module, spell_for
from gpuasync_lsp.syntax.provenance import module_of
from gpuasync_lsp.syntax.source import parse_source
from tests.support.tools import CASES, ROOT, cases, mlir_opt

SEPARATOR = "\n// -----\n"
UNORDERED = {
    "E_yield_two": "streams are destroyed in the order of a set of addresses, which differs from run to run",
}
"""Cases whose lines the real tool prints in varying order: the sorted lines are compared."""
NOT_LOWERED = ("parse_error", "verify_error", "pre_pass_error", "crash", "crash(parse)")
"""Outcomes of runs that did not reach gpu-to-llvm, or crashed in it."""

WRITTEN_DOWN = (16, 19, 22, 24)
"""The releases whose outcomes the shared material contains."""

OTHER_PIPELINE = ("H_convert_to_llvm", "A_launch_fullpipe")
"""Cases that were measured with a pipeline other than gpu-to-llvm."""


@dataclass(frozen=True)
class Case:
    """A measured case in one LLVM version."""

    name: str
    version: int
    text: str
    outcome: str
    message: str
    pre: tuple[str, ...]
    options: str

    @property
    def fails(self) -> bool:
        """Whether the exit status of the real gpu-to-llvm was 1."""
        return self.outcome in ("legalization_error", "pass_error")


FIXTURES = ROOT / "tests" / "fixtures" / "lowering"


@dataclass(frozen=True)
class Result:
    """The result of gpu-to-llvm: a text, or the first message of a failure."""

    text: str = ""
    error: str = ""
    stopped: bool = False
    """Whether the real tool ended by an assertion, which only some builds have."""


@dataclass
class Comparison:
    """The number of compared cases of a version, and those that differ."""

    version: int
    compared: int = 0
    equal: int = 0
    raw_equal: int = 0
    stopped: int = 0
    different: dict[str, tuple[str, str]] = field(default_factory=dict)

    def count(self, name: str, theirs: str, ours: str) -> None:
        """Record one comparison of normalized texts or messages."""
        self.compared += 1
        if theirs == ours:
            self.equal += 1
        else:
            self.different[name] = theirs, ours

    def __str__(self) -> str:
        share = self.equal / self.compared if self.compared else 0
        return (
            f"LLVM {self.version}: compared {self.compared}, equal {self.equal} ({share:.3f}), "
            f"without normalizing {self.raw_equal}, stopped at an assertion {self.stopped}"
        )


def load(version: int) -> list[Case]:
    """Return the cases on which gpu-to-llvm of this version was run.

    For a release without recorded outcomes these are the cases that 22 accepts, for 17 those that 16
    accepts; they are run now."""
    folder = cases()
    outcomes: dict[str, Any] = json.loads((folder / "outcomes.json").read_text())
    found: list[Case] = []
    for name, facts in sorted(outcomes.items()):
        seen = facts["versions"].get(str(version))
        if version not in WRITTEN_DOWN:
            seen = facts["versions"].get("16" if version == 17 else "22")
            seen = seen and {
                "outcome": seen["outcome"] if seen["outcome"] in NOT_LOWERED else "",
                "message": "",
            }
        if seen is None or seen["outcome"] in NOT_LOWERED or name.startswith(OTHER_PIPELINE):
            continue
        source = _source(folder, name, version)
        found.append(
            Case(
                name,
                version,
                source.read_text(),
                seen["outcome"],
                seen["message"],
                tuple(facts.get("pre") or ()),
                _options(facts, version),
            )
        )
    return found


def fixtures(version: int) -> list[Case]:
    """Return the parts of our own fixtures as cases without recorded outcomes.

    `// since 19` at the start of a part means that older releases reject it, or print text that
    mlir-opt-22 rejects; `// since 16 until 19` excludes newer ones in the same way."""
    found: list[Case] = []
    for path in sorted(FIXTURES.glob("*.mlir")):
        for number, text in enumerate(path.read_text().split(SEPARATOR[1:])):
            since = re.match(r"// since (\d+)(?: until (\d+))?", text)
            if since is None or int(since[1]) <= version <= int(since[2] or version):
                found.append(Case(f"{path.stem}#{number}", version, text, "", "", (), ""))
    return found


def reference(version: int, wanted: Sequence[Case], inputs: Mapping[str, str]) -> dict[str, Result]:
    """Return the real tool's results: recorded ones for failures and for LLVM 24, else of a new run."""
    results: dict[str, Result] = {}
    folder = CASES
    to_run: dict[str, list[Case]] = {}
    for case in wanted:
        if case.fails:
            results[case.name] = Result(error=_first_message(case.message))
        elif version == 24 and case.outcome:
            results[case.name] = Result((folder / "lowered-llvm24" / f"{case.name}.mlir").read_text())
        else:
            to_run.setdefault(case.options, []).append(case)
    for options, group in to_run.items():
        texts = [inputs[case.name] for case in group]
        for case, text in zip(group, run_all(version, texts, _pass(options)), strict=True):
            results[case.name] = (
                Result(text) if text.strip() else _failure(version, inputs[case.name], options)
            )
    return results


def _failure(version: int, text: str, options: str) -> Result:
    """Return the first message of a run that printed no text."""
    done = mlir_opt(version)(text, _pass(options))
    if done.code not in (0, 1):
        return Result(stopped=True)
    message = re.search(r"(?:error: |^(?=<Pass-Options-Parser>))(.*)", done.err)
    return Result(error=_first_message(message[1]) if message else "no output")


def prepared(wanted: Sequence[Case]) -> dict[str, str]:
    """Return the inputs of gpu-to-llvm by case: the sources after the additional passes of the cases."""
    texts = {case.name: case.text for case in wanted}
    groups: dict[tuple[str, ...], list[Case]] = {}
    for case in wanted:
        if case.pre:
            groups.setdefault(case.pre, []).append(case)
    for pre, group in groups.items():
        # The tool for LLVM 24 lacks most of these passes.
        version = 22 if group[0].version == 24 else group[0].version
        outputs = run_all(version, [case.text for case in group], *pre)
        texts |= {case.name: text for case, text in zip(group, outputs, strict=True)}
    return texts


def run_all(version: int, texts: Sequence[str], *passes: str) -> list[str]:
    """Run passes on many texts in one process; the result for a failing text is empty."""
    if not texts:
        return []
    # The tool for LLVM 24 is not a real mlir-opt and has no threads.
    flags = ("--split-input-file", *(() if version == 24 else ("--mlir-disable-threading",)))
    output = mlir_opt(version)(SEPARATOR.join(texts), *flags, *passes).out
    parts = output.split("// -----\n")
    if len(parts) == len(texts):
        return parts
    return [mlir_opt(version)(text, *passes).out for text in texts]


def normalize(texts: Sequence[str], version: int = 22) -> list[str]:
    """Normalize texts of LLVM 19 and later with a tool that accepts their spelling."""
    tool = {21: 21, 23: 23, 24: 23}.get(version, 22)
    return [_strip(text) for text in run_all(tool, texts, "--canonicalize", "--cse")]


def ours(case: Case, text: str) -> Result:
    """Lower `text`, the prepared input of a case, by this project."""
    chunk = parse_source(text).chunks[0]
    for finding in rejections(chunk, case.version):
        return Result(error=_first_message(finding.message.partition("\n")[0]))
    lowered = lower(module_of(chunk), case.version, options_of(case.options))
    if lowered.error is not None:
        return Result(error=lowered.first_message)
    # mlir-opt-22, which prints both sides again, rejects the output of 16 and 17.
    if case.version in (16, 17):
        spell_for(lowered.module, 22)
    return Result(print_module(lowered.module).replace("llvm.mlir.null", "llvm.mlir.zero"))


def options_of(text: str) -> LoweringOptions:
    """Return gpu-to-llvm's options from the arguments in the cases."""
    given = dict(word.split("=", 1) for word in text.split())
    return LoweringOptions(
        use_bare_pointers_for_host=given.get("use-bare-pointers-for-host") == "1",
        use_bare_pointers_for_kernels=given.get("use-bare-pointers-for-kernels") == "1",
        intersperse_sizes_for_kernels=given.get("intersperse-sizes-for-kernels") == "1",
        gpu_binary_annotation=given.get("gpu-binary-annotation", "gpu.binary"),
    )


def compare(among: Sequence[Case], only: Iterable[str] = ()) -> Comparison:
    """Compare the cases of one version, or only those in `names`."""
    names = set(only)
    wanted = [case for case in among if not names or case.name in names]
    version = among[0].version
    inputs = prepared(wanted)
    theirs = reference(version, wanted, inputs)
    mine = {case.name: ours(case, inputs[case.name]) for case in wanted}
    comparison = Comparison(version)
    texts: list[str] = []
    for case in wanted:
        a, b = theirs[case.name], mine[case.name]
        if a.stopped:
            comparison.stopped += 1
            continue
        if a.error or b.error:
            comparison.count(
                case.name,
                f"error: {a.error}" if a.error else a.text,
                f"error: {b.error}" if b.error else b.text,
            )
            comparison.raw_equal += a.error == b.error
        else:
            texts.append(case.name)
    if version in (16, 17):
        # LLVM 16 converts address spaces by bitcasts, which 22 rejects.
        mine = {name: Result(POINTER_CAST.sub(r"llvm.addrspacecast\1", mine[name].text)) for name in texts}
        # Canonicalize each side as its release does, without merging blocks, which differs between them.
        typed = run_all(
            version, [theirs[name].text for name in texts], "--canonicalize=region-simplify=false", "--cse"
        )
        opaque = run_all(
            22, [mine[name].text for name in texts], "--canonicalize=region-simplify=disabled", "--cse"
        )
        for name, a_text, b_text in zip(texts, typed, opaque, strict=True):
            order = sorted if name in UNORDERED else list
            comparison.count(name, "\n".join(order(calls(a_text))), "\n".join(order(calls(b_text))))
        return comparison
    a_normal = normalize([theirs[name].text for name in texts], version)
    b_normal = normalize([mine[name].text for name in texts], version)
    for name, a_text, b_text in zip(texts, a_normal, b_normal, strict=True):
        if name in UNORDERED:
            a_text, b_text = _sorted_lines(a_text), _sorted_lines(b_text)
        if not a_text and not b_text:  # The tool that normalizes reads neither.
            a_text, b_text = _one_blank(theirs[name].text), _one_blank(mine[name].text)
        comparison.count(name, a_text, b_text or f"not accepted by mlir-opt:\n{mine[name].text}")
        comparison.raw_equal += _one_blank(theirs[name].text) == _one_blank(mine[name].text)
    return comparison


_LIKE = {16: 16, 17: 16, 19: 19}
"""The release whose spelling of the cases another release accepts, if that is not 22."""


def _source(folder: Path, name: str, version: int) -> Path:
    own = folder / f"{name}.llvm{_LIKE.get(version, 22)}.mlir"
    return own if own.exists() else folder / f"{name}.mlir"


def _options(facts: dict[str, Any], version: int) -> str:
    options = facts.get("opts") or ""
    if version in (16, 17) and "lower" not in facts:
        options = f"gpu-binary-annotation=nvvm.cubin {options}".strip()
    return options


def _pass(options: str) -> str:
    return f"--gpu-to-llvm={options}" if options else "--gpu-to-llvm"


def _first_message(message: str) -> str:
    first = re.sub(r"(explicitly marked illegal): .*", r"\1", message.split(" | ")[0])
    first = re.sub(r"^LLVM \d+ does not parse this: |; LLVM \d+ added it$", "", first)
    return first.replace("!llvm.ptr<i8>", "!llvm.ptr")


def _strip(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


def _one_blank(text: str) -> str:
    """Collapse double blanks, which mlir-opt prints where an optional part is missing."""
    return _strip(re.sub(r"(?<=\S) +", " ", text))


def _sorted_lines(text: str) -> str:
    return "\n".join(sorted(text.splitlines()))


DEFINITION = re.compile(r"\s*(?:(%\w+)(?::\d+)? = )?(.*)")
CALL = re.compile(r"llvm\.call (@mgpu\w+)\((.*?)\)")
LABEL = re.compile(r"\s*\^(\w+)(?:\((.*)\))?:")
POINTER_CAST = re.compile(r"llvm\.bitcast( %\w+ : !llvm\.ptr)")
SAME_IN_BOTH = ("llvm.bitcast", "llvm.addrspacecast", "builtin.unrealized_conversion_cast")
"""Casts that only typed pointers need; ignored in comparisons."""


def calls(text: str) -> list[str]:
    """Return the runtime calls of a lowered text, with each operand replaced by the expression that
    defines it."""
    found: list[str] = []
    values: dict[str, str] = {}
    block = 0
    for line in text.splitlines():
        if "llvm.func" in line or "func.func" in line:
            values, block = {}, 0
            found.append(re.sub(r"\(.*| private", "", line.strip()) if line.rstrip().endswith("{") else "")
            continue
        label = LABEL.match(line)
        if label:
            block += 1
            names = re.findall(r"(%\w+):", label[2] or "")
            values |= {name: f"block{block}.{n}" for n, name in enumerate(names)}
            continue
        definition = DEFINITION.match(line)
        assert definition is not None
        name, body = definition.groups()
        call = CALL.match(body)
        if call:
            arguments = ", ".join(values.get(a.strip(), a.strip()) for a in call[2].split(",") if a.strip())
            found.append(f"{call[1]}({arguments})")
        if name:
            values[name] = f"call{len(found)}" if call else _expression(body, values)
    return [line for line in found if line]


def _expression(body: str, values: dict[str, str]) -> str:
    """Return a definition as an expression without types."""
    body = body.replace("llvm.mlir.null", "llvm.mlir.zero")
    op, _, rest = body.partition(" ")
    constant = re.match(r"llvm\.mlir\.constant\((-?\d+)", body)
    if constant:
        return constant[1]
    rest = re.sub(r"ptr<[\w<>, ]+>", "ptr", re.split(r" : |: [(!]", rest)[0])
    operands = re.sub(r"%\w+", lambda m: values.get(m[0], m[0]), rest)
    if op in SAME_IN_BOTH:
        return operands.strip()
    return f"{op.removeprefix('llvm.')}({operands.strip()})"


def main(arguments: Sequence[str]) -> int:
    """Print the table, or both texts of the given cases."""
    version = int(arguments[0])
    names = arguments[1:]
    for comparison in (compare(load(version), names), compare(fixtures(version), names)):
        print(comparison)
        for name, (theirs, mine) in comparison.different.items():
            print("  ", name)
            if names:
                diff = unified_diff(
                    theirs.splitlines(), mine.splitlines(), "mlir-opt", "ours", lineterm="", n=6
                )
                print("\n".join(diff))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
