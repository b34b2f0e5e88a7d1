"""Malformed uses of every known op, passed through everything that inspects ops.

    python -m tests.attack.malformed --minutes 10 --seed 1

Each text has one use: no operands or too many, results without a name, empty blocks, attributes of the
wrong kind; in generic form, and as in the corpus with parts removed. A defect of this tool is an
exception that a feature raises, or a reported one. Prints each with its text; the exit status is 1 if
there is any.
"""

from __future__ import annotations

import argparse
import random
import re
import time
import traceback
from collections.abc import Callable, Iterator

from gpuasync_lsp.ide.document.fix_all import fix_all
from gpuasync_lsp.ide.document.options import EditorOptions
from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.features.formatting import formatted
from gpuasync_lsp.ide.features.hover import hover
from gpuasync_lsp.ide.features.inlay_hints import inlay_hints
from gpuasync_lsp.ide.features.lenses import lenses
from gpuasync_lsp.ide.features.semantic_tokens import segments
from gpuasync_lsp.ide.streams import stream_view
from gpuasync_lsp.lowering import lower_chunk
from gpuasync_lsp.syntax.ods.table import dialect_names, entry, ops_of
from gpuasync_lsp.syntax.parser.problem import DEFECT
from gpuasync_lsp.text import Safety, Span
from gpuasync_lsp.text.defects import is_defect
from tests.support.marks import state_of
from tests.syntax.corpus import TEXTS

TYPES = (
    "i1", "i32", "i64", "f32", "index", "none", "memref<4xf32>", "memref<?x?xi8, 3>", "memref<*xf32>",
    "tensor<4xf32>", "tensor<*xi32>", "vector<4xf32>", "vector<[4]xi1>", "!gpu.async.token", "!async.token",
    "!async.value<f32>", "!llvm.ptr", "tuple<>", "() -> ()", "complex<f32>", "!gpu.sparse.spmat_handle",
)  # fmt: skip
ATTRIBUTES = (
    "unit", "1 : i32", "-1", "1.5 : f32", '"word"', "[]", "[1, 2]", "{}", "{a = 1}", "i32", "@name", "@a::@b",
    "array<i32: 1>", "array<i64>", "array<i32: 1, 2, 3, 4, 5, 6, 7, 8>", "dense<1> : tensor<2xi64>",
    "affine_map<(d0) -> (d0)>", "#u.x", "true", "() -> ()", 'loc("a")', "dense<> : tensor<0xi32>",
)  # fmt: skip
BODIES = (
    "{}",
    "{\n^bb0:\n}",
    "{\n^bb0(%x: i32):\n}",
    '{\n  "u.end"() : () -> ()\n}',
    "{\n^a:\n  cf.br ^a\n}",
)
_SEGMENTS = ("operandSegmentSizes", "resultSegmentSizes")


def ops() -> list[str]:
    """Return the names of all known ops."""
    return sorted(name for dialect in dialect_names() for name in ops_of(dialect))


def generic(name: str, chance: random.Random) -> str:
    """Return a function with a malformed use of an op in generic form."""
    found = entry(name)
    assert found is not None
    variant = chance.choice(found.variants)
    operands = [chance.choice(TYPES) for _ in range(chance.choice((0, 0, 1, 2, 3, len(variant.operands))))]
    results = [chance.choice(TYPES) for _ in range(chance.choice((0, 1, 2, len(variant.results))))]
    names = [each for each in (*variant.attributes, *_SEGMENTS) if chance.random() < 0.6]
    entries = ", ".join(
        each if (value := chance.choice(ATTRIBUTES)) == "unit" else f"{each} = {value}" for each in names
    )
    regions = ", ".join(chance.choice(BODIES) for _ in range(chance.choice((0, len(variant.regions), 1, 2))))
    arguments = ", ".join(f"%a{number}: {type}" for number, type in enumerate(operands))
    used = ", ".join(f"%a{number}" for number in range(len(operands)))
    named = f"%r:{len(results)} = " if results and chance.random() < 0.5 else ""
    written = entries and chance.choice((f" <{{{entries}}}>", f" {{{entries}}}"))
    before, after = (written, "") if written.startswith(" <") else ("", written)
    op = f'{named}"{name}"({used}){before}' + (f" ({regions})" if regions else "")
    op += f"{after} : ({', '.join(operands)}) -> ({', '.join(results)})"
    parents = [names[0] for names in (rule[0] for rule in variant.rule("parent")) if names]
    if parents and chance.random() < 0.5:
        op = f'"{parents[0]}"() ({{\n  {op}\n  }}) : () -> ()'
    end = chance.choice(("  return\n", ""))
    return f"func.func @f({arguments}) {{\n  {op}\n{end}}}\n"


def custom(chance: random.Random) -> str:
    """Return a text of the corpus with a part removed or repeated."""
    text = chance.choice(TEXTS)
    for _ in range(chance.choice((1, 1, 2, 4))):
        places = [*chance.choice(_PARTS).finditer(text)]
        if places:
            place = chance.choice(places)
            text = text[: place.start()] + chance.choice(("", place[0] * 2, "")) + text[place.end() :]
    return text


_PARTS = [
    re.compile(pattern)
    for pattern in (
        r"%[\w#]+(?:, %\w+)* = ", r"%\w+(, )?", r"\{[^{}]*\}", r"\([^()]*\)", r"\[[^\[\]]*\]", r"<[^<>]*>",
        r" async\b", r"\bkernel\b", r"@\w+", r" : [^\n]*", r"-> [^\n{]*", r"\n[^\n]*", r"\w+ = [^,}\n]+,? ?",
    )
]  # fmt: skip


def texts(chance: random.Random) -> Iterator[tuple[str, str]]:
    """Yield texts endlessly, each with a description: every op once, in random order, then again."""
    names = ops()
    while True:
        chance.shuffle(names)
        for name in names:
            yield name, generic(name, chance)
            if chance.random() < 0.3:
                yield "corpus", custom(chance)


def defects(text: str, chance: random.Random) -> list[str]:
    """Return the defects of this tool that a text causes."""
    found: list[str] = []

    def tried(what: str, work: Callable[[], list[str]]) -> None:
        try:
            found.extend(f"{what}: {said}" for said in work() if is_defect(said))
        except Exception:  # noqa: BLE001 - what leaves a feature is what is looked for
            found.append(f"{what}:\n{traceback.format_exc(limit=-6)}")

    state = state_of(text)
    place = chance.randrange(len(text) + 1)
    version = chance.choice((16, 17, 19, 22, 24))
    whole = Span(0, len(text))
    findings = state.all_findings()
    tried("check", lambda: [f.message for f in findings if f.code == DEFECT])
    tried("lower", lambda: _lowered(state, version))
    tried("streams", lambda: [] if state.rejections else [stream_view(state, "text").text][:0])
    tried("format", lambda: [formatted(text)][:0])
    tried("hover", lambda: [str(hover(state, place))][:0])
    tried("hints", lambda: [*map(str, inlay_hints(state, whole, EditorOptions()))][:0])
    tried("lenses", lambda: [*map(str, lenses(state))][:0])
    tried("tokens", lambda: [*map(str, segments(state, "utf-16"))][:0])
    allowed = {Safety.SAFE, Safety.UNSAFE}
    tried("fix", lambda: [fix_all(text, findings, state.checker.check, allowed).text][:0])
    return found


def _lowered(state: FileState, version: int) -> list[str]:
    if state.rejections:
        return []
    lowered = [lower_chunk(chunk, version) for chunk in state.source.chunks]
    said = [each.error.text for each in lowered if each.error is not None]
    return [*said, *(note.text for each in lowered for note in each.notes)]


def main() -> int:
    """Try texts until the time is up; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    chance, end = random.Random(args.seed), time.monotonic() + 60 * args.minutes
    seen: dict[str, int] = {}
    count = 0
    for name, text in texts(chance):
        if time.monotonic() > end:
            break
        count += 1
        for said in defects(text, chance):
            key = re.sub(r"'[^']*'|\d+", "_", said)
            seen[key] = seen.get(key, 0) + 1
            if seen[key] == 1:
                print(f"----- {name} (text {count})\n{text}\n{said}", flush=True)
    print(f"{count} texts with seed {args.seed}: {len(seen)} kinds of defects, {sum(seen.values())} in all")
    return int(bool(seen))


if __name__ == "__main__":
    raise SystemExit(main())
