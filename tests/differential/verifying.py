"""Runs parts of LLVM's `-verify-diagnostics` tests with the built-in passes and with the real mlir-opt.

    python -m tests.differential.verifying --seed 7 --count 200

takes parts (between `// -----`) of LLVM's tests with expected diagnostics, changes the expectations of
half of them, runs each in both ways, and prints those whose verdicts differ and why some parts have no
verdict.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from gpuasync_lsp.ide.runlines.results import FileResult, Verdict
from gpuasync_lsp.ide.runlines.script import read_script
from gpuasync_lsp.ide.runlines.shell import parse
from gpuasync_lsp.ide.runlines.unsupported import Unsupported
from gpuasync_lsp.text import LineIndex
from tests.differential.runlines import by_us
from tests.support.tools import SHARED, mlir_opt

_EXPECTED = re.compile(r"expected-(?:error|warning|note|remark)(?:-re)?[^\n]*")


def parts(release: str) -> Iterator[tuple[str, str, str]]:
    """Yield the name, mlir-opt's options and the text of each part of a test with expected diagnostics."""
    for file in sorted(SHARED.glob(f"llvm-tests/{release}*/*.mlir")):
        text = file.read_bytes().decode("latin-1")
        try:
            runs = read_script(LineIndex(text)).runs
            calls = [call for run in runs for each in parse(run.command) for call in each.calls]
        except Unsupported:
            continue
        for call in calls:
            words = [word for word in call.words if word != "%s"]
            if words[0] == "mlir-opt" and any(word.lstrip("-").startswith("verify-diag") for word in words):
                separator = r"^// -----.*\n" if any("split-input" in word for word in words) else r"\Z"
                for number, part in enumerate(re.split(separator, text, flags=re.MULTILINE)):
                    said = part if number else re.sub(r"RUN:[^\n]*", "", part)
                    yield f"{file.stem}/{number}", " ".join(f'"{word}"' for word in words[1:]), said
                break


def changed(text: str, chance: random.Random) -> str:
    """Return a part with one expectation removed, moved, repeated, or of another kind or text."""
    found = list(_EXPECTED.finditer(text))
    if not found:
        return text + "\n// expected-error @above {{something}}\n"
    each = chance.choice(found)
    said = each[0]
    way = chance.choice(("gone", "moved", "kind", "words", "twice", "pattern"))
    if way == "gone":
        new = ""
    elif way == "moved":
        new = re.sub(r"@[+-]\d+|@above|@below", "", said) if "@" in said else said.replace("{{", " @+7 {{", 1)
    elif way == "kind":
        kinds = [kind for kind in ("error", "warning", "note", "remark") if kind not in said[:20]]
        new = re.sub(r"^expected-\w+", f"expected-{chance.choice(kinds)}", said)
    elif way == "twice":
        new = f"{said}\n// expected-error @above {{{{something else}}}}"
    elif way == "pattern":
        new = re.sub(r"^(expected-\w+)(?!-re)", r"\1-re", said).replace("'", "{{['\"]}}", 1)
    else:
        at = chance.randrange(said.find("{{") + 1, len(said)) if "{{" in said else len(said) - 1
        new = said[:at] + "xq" + said[at:]
    return text[: each.start()] + new + text[each.end() :]


def main() -> int:
    """Compare a sample; return 1 if a verdict differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--skip", type=int, default=0, help="how many parts of the order are left out")
    parser.add_argument("--llvm", type=int, default=22)
    parser.add_argument("--release", default="llvm22")
    parser.add_argument("--changed", type=float, default=0.5, help="the part that expects something else")
    args = parser.parse_args()
    chance = random.Random(args.seed)
    everything = list(parts(args.release))
    chance.shuffle(everything)
    counts: Counter[str] = Counter()
    tool = mlir_opt(args.llvm).command
    different = 0
    with tempfile.TemporaryDirectory() as made:
        for number, (name, options, text) in enumerate(everything[args.skip : args.skip + args.count]):
            own = random.Random(f"{args.seed} {name}")
            is_changed = own.random() < args.changed
            path = Path(made) / f"{number}.mlir"
            said = changed(text, own) if is_changed else text
            path.write_bytes(f"// RUN: mlir-opt %s {options}\n{said}".encode("latin-1"))
            theirs, ours = by_us(path, tool, args.llvm), by_us(path, (), args.llvm)
            if theirs.verdict is Verdict.UNSUPPORTED:
                counts["left out"] += 1
                continue
            kind = "changed" if is_changed else "as it is"
            counts[f"{kind}: {ours.verdict.value} (mlir-opt: {theirs.verdict.value})"] += 1
            if ours.verdict is Verdict.UNSUPPORTED:
                print(f"{name} ({theirs.verdict.value}): {_reason(ours)}")
            elif ours.verdict is not theirs.verdict:
                different += 1
                print(f"DIFFERENT {name} {kind}: {ours.verdict.value}, not {theirs.verdict.value}")
                for result in (ours, theirs):
                    print(f"    {[each.message for run in result.runs for each in run.failures]}")
    for what, count in sorted(counts.items()):
        print(f"{count:5} {what}")
    judged = sum(count for what, count in counts.items() if "unsupported" not in what and what != "left out")
    print(f"{judged} judged, {different} of them differ (seed {args.seed}).")
    return int(different > 0)


def _reason(result: FileResult) -> str:
    return "; ".join({run.unsupported for run in result.runs} or {result.reason})


if __name__ == "__main__":
    sys.exit(main())
