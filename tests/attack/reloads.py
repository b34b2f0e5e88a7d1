"""Documents that grow, shrink and are reverted while they are parsed, and every answer about each of their
states.

    python -m tests.attack.reloads --steps 2000 --seed 1

The texts are IR dumps and modules of many sizes, as a compiler writes them to an open file: the file is
replaced, truncated, reverted, edited, and parsed again before the previous parse has ended. Every
answer of the server is requested at random positions, for each state that it may be computed from.
Prints the errors: answers that raise any exception other than those for an invalid request.
"""

from __future__ import annotations

import argparse
import random
import traceback
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from pygls.exceptions import JsonRpcException

from benchmarks.generate import module
from gpuasync_lsp.ide.document.cancel import Cancel
from gpuasync_lsp.ide.document.options import EditorOptions
from gpuasync_lsp.ide.document.state import FileState, in_steps
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.lsp.caches import Caches
from gpuasync_lsp.lsp.client import Client
from gpuasync_lsp.lsp.convert import Places
from gpuasync_lsp.lsp.diagnostics import diagnostics_json
from gpuasync_lsp.lsp.documents import Document
from gpuasync_lsp.lsp.view import View
from gpuasync_lsp.server import ANSWERS, AT_ONCE, NEARBY
from gpuasync_lsp.text import LineIndex, Span
from tests.attack.soak import CAPABILITIES

Json = dict[str, Any]

URI = "file:///nowhere/dump.mlir"
BY_OTHERS = frozenset(
    {"codeAction/resolve", "completionItem/resolve", "textDocument/semanticTokens/full/delta"}
)
"""Requests whose parameters include the result of another request."""
ASKED = 4
"""Number of requests per state."""


def dump(rng: random.Random) -> str:
    """Return a dump of several passes; some sections have whole modules, others functions."""
    body = module(rng.choice((40, 200, 900)), rng.choice((20, 50, 400)))
    sections: list[str] = []
    for number in range(rng.randrange(1, 9)):
        name = rng.choice(("Canonicalizer", "CSE", "GpuAsyncRegionPass", "GpuToLLVMConversionPass"))
        scope = rng.choice(("", "", f" ('func.func' operation: @f{number})"))
        sections.append(
            f"// -----// IR Dump {rng.choice(('After', 'Before'))} {name}{scope} //----- //\n{body}\n"
        )
    return "\n".join(sections)


def texts(rng: random.Random) -> Iterator[str]:
    """Yield the versions of a document, each derived from the previous or the first one."""
    first = text = rng.choice((dump, lambda rng: module(rng.choice((100, 1_500)))))(rng)
    while True:
        yield text
        kind = rng.random()
        if kind < 0.25:
            text += dump(rng)
        elif kind < 0.4:
            text = text[: rng.randrange(len(text) + 1)]
        elif kind < 0.5:
            text = first
        elif kind < 0.6:
            first = text = dump(rng)
        else:
            at = rng.randrange(len(text) + 1)
            typed = rng.choice(
                ("\n", "}", "{", "%t = gpu.wait async\n", '"', "// ", "func.func @g() {", "loc(")
            )
            text = text[:at] + typed + text[at + rng.choice((0, 0, 1, 30, 400)) :]


def wrong_answers(state: FileState, rng: random.Random, methods: list[str], span: Span) -> Iterator[str]:
    """Yield the tracebacks of failed answers about `span`."""
    places, client = Places(state.lines, "utf-16"), Client.of({"capabilities": CAPABILITIES})
    document = Document(URI, 1, state.lines)
    found = diagnostics_json(state, URI, places, client)
    view = View(
        document, state, places, client, EditorOptions(), Cancel(), found, (), Caches(), lambda _: None
    )
    for method in rng.sample(methods, min(ASKED, len(methods))):
        where, _, name = ANSWERS[method].partition(":")
        answer = getattr(import_module(f"gpuasync_lsp.lsp.answers.{where}"), name)
        try:
            params = asked(view, span, rng)
            if method.startswith("callHierarchy"):
                prepare = import_module("gpuasync_lsp.lsp.answers.structure").prepare_calls
                for item in prepare(view, params) or ():
                    answer(view, {"item": item})
            else:
                answer(view, params)
        except JsonRpcException:
            continue
        except Exception:  # noqa: BLE001 - whatever it is, it is what is looked for
            yield f"{method}: {traceback.format_exc()}"


def asked(view: View, span: Span, rng: random.Random) -> Json:
    """Return parameters with the fields of all requests."""
    return {
        "textDocument": {"uri": URI},
        "position": view.places.position(span.start),
        "positions": [view.places.position(span.start)],
        "range": view.places.range(span),
        "context": {"diagnostics": [], "includeDeclaration": True},
        "options": {"tabSize": 2, "insertSpaces": True},
        "ch": "\n",
        "newName": "%renamed",
        "format": rng.choice(("text", "json", "svg")),
        "row": rng.randrange(4),
    }


def search(seed: str, steps: int) -> Iterator[str]:
    """Yield the errors in `steps` versions of several documents."""
    rng = random.Random(seed)
    resolver = SettingsResolver()
    previous: FileState | None = None
    versions = texts(rng)
    for step in range(steps):
        if step % 25 == 0:
            previous, versions = None, texts(rng)
        text = next(versions)
        lines = LineIndex(text)
        spans = [_somewhere(text, rng) for _ in range(rng.randrange(3))]
        building = in_steps(lines, None, resolver, previous, lambda spans=spans: spans)
        stops = rng.random() < 0.3
        answer: bool | None = None
        try:
            while True:
                partial = building.send(answer)
                answer = stops and rng.random() < 0.2
                if partial is None:
                    continue
                span = rng.choice(spans) if spans else _somewhere(text, rng)
                if partial.waiting:
                    yield from wrong_answers(
                        partial, rng, sorted(AT_ONCE - {"textDocument/diagnostic"}), span
                    )
                elif partial.shown is not None or partial.covers(span):
                    yield from wrong_answers(partial, rng, sorted(NEARBY), span)
                if rng.random() < 0.2:
                    spans.append(_somewhere(text, rng))
        except StopIteration as end:
            previous = end.value
        except Exception:  # noqa: BLE001 - whatever it is, it is what is looked for
            yield f"the build: {traceback.format_exc()}"
            previous = None
            continue
        if not answer and previous is not None:
            methods = sorted(set(ANSWERS) - BY_OTHERS)
            yield from wrong_answers(previous, rng, methods, _somewhere(text, rng))


def _somewhere(text: str, rng: random.Random) -> Span:
    start = rng.randrange(len(text) + 1)
    return Span(start, min(len(text), start + rng.choice((0, 0, 40, 4_000))))


def main() -> int:
    """Search for errors, and print them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=1_000)
    parser.add_argument("--seed", default="1")
    args = parser.parse_args()
    found = list(search(args.seed, args.steps))
    for each in dict.fromkeys(found):
        print(each)
    print(f"{args.steps} versions, {len(found)} wrong answers")
    return int(bool(found))


if __name__ == "__main__":
    raise SystemExit(main())
