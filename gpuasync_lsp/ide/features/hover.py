"""Hover: a token's stream, an op's lowering, a value's type, a symbol's signature, a rule's documentation."""

from __future__ import annotations

import re
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis import AsyncFunction, explain
from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.features.hover_discardable import about_discardable
from gpuasync_lsp.ide.features.hover_values import about_value
from gpuasync_lsp.ide.features.hover_words import about_word
from gpuasync_lsp.ide.features.hover_written import about_written, listed_lines
from gpuasync_lsp.ide.lookup.mentions import mention_at, op_at
from gpuasync_lsp.ide.lookup.op_docs import op_documentation
from gpuasync_lsp.ide.lookup.symbols import Definition, definition_of, references_to, symbol_at
from gpuasync_lsp.ide.streams.words import facts, function_with, label, runtime_calls
from gpuasync_lsp.releases import PROFILES, Profile
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType
from gpuasync_lsp.syntax.opaque import OpaqueOp
from gpuasync_lsp.syntax.printer import attribute_text
from gpuasync_lsp.syntax.source import PlacedItem
from gpuasync_lsp.text import Span

_COMMENT = re.compile(r"//\s*gpuasync:[^\n]*")
_CODE = re.compile(r"GA\d+")

MANY_OPS = 2_000
"""In functions with more ops, hover describes only the target version, since nine analyses take too long."""


@dataclass(frozen=True, slots=True)
class Hover:
    """Markdown, and the span that it describes."""

    markdown: str
    span: Span


def hover(state: FileState, offset: int) -> Hover | None:
    """Return the hover text for `offset`, or None."""
    rule = _rule(state, offset) or _run_line(state, offset)
    if rule is not None:
        return rule
    found = _in_item(state, offset)
    if found is None and (discardable := about_discardable(state, offset)) is not None:
        return Hover(*discardable)
    return found


def _in_item(state: FileState, offset: int) -> Hover | None:
    placed = state.source.item_at(offset)
    if placed is None:
        return _written(state, offset)
    found = mention_at(placed.item, offset - placed.offset)
    if found is not None:
        text = _value(state, placed, found.value)
        return Hover(text, found.span.shift(placed.offset))
    symbol = symbol_at(state.source, offset)
    if symbol is not None:
        target = definition_of(state.source, symbol)
        if target is None:
            return None
        return Hover(_symbol(state, target), symbol.span)
    op = op_at(placed.item, offset - placed.offset)
    if op is None or op not in placed.item.spans.ops:
        return _written(state, offset)
    name = placed.item.spans.name(op)
    if not name.contains(offset - placed.offset):
        if (written := _written(state, offset)) is not None:
            return written
        word = about_word(state, placed, offset)
        return None if word is None else Hover(*word)
    return Hover(_op(state, placed, op), name.shift(placed.offset))


def _written(state: FileState, offset: int) -> Hover | None:
    found = about_written(state, offset)
    return None if found is None else Hover(*found)


def _symbol(state: FileState, target: Definition) -> str:
    found = [f"```mlir\n{target.header}\n```"]
    users = [r for r in references_to(state.source, target) if not r.defines]
    lines = list(dict.fromkeys(state.lines.position(user.span.start)[0] + 1 for user in users))
    if lines:
        found.append(f"Used in {listed_lines(lines)}.")
    else:
        found.append("It has no uses in this file.")
    return "\n\n".join(found)


def _rule(state: FileState, offset: int) -> Hover | None:
    lines = state.lines
    line = lines.position(offset)[0]
    start, end = lines.starts[line], lines.line_end(line)
    comment = _COMMENT.search(state.text, start, end)
    if comment is None or not comment.start() <= offset <= comment.end():
        return None
    for code in _CODE.finditer(state.text, comment.start(), comment.end()):
        text = explain(code[0]) if code.start() <= offset <= code.end() else None
        if text is not None:
            return Hover(text, Span(code.start(), code.end()))
    return None


def _run_line(state: FileState, offset: int) -> Hover | None:
    """Return Markdown on the pipeline of the first RUN line, and whether previews use it."""
    line = state.lines.position(offset)[0]
    start, end = state.lines.starts[line], state.lines.line_end(line)
    if state.text.find("RUN:", start, end) < 0:
        return None
    # Imported here because it loads the lowering, which other hovers do not need.
    from gpuasync_lsp.ide.runlines.pipeline import run_line_pipeline

    found = run_line_pipeline(state.lines)
    if found is None or found.line != line + 1:
        return None
    span = Span(start, end)
    if found.pipeline is None:
        message = "Previews do not support this RUN line and show the stage `lowered`"
        return Hover(f"{message}: {found.missing}.", span)
    steps = "".join(f"\n{number}. `{step}`" for number, step in enumerate(found.pipeline.steps, 1))
    if state.resolved.settings.pipeline is not None:
        return Hover(f"The passes of this RUN line. The setting `pipeline` overrides them:\n{steps}", span)
    return Hover(f"Previews run the passes of the first RUN line of this file:\n{steps}", span)


def _value(state: FileState, placed: PlacedItem, value: SSAValue) -> str:
    head = about_value(state, placed, value)
    if not isinstance(value.type, AsyncTokenType):
        return head
    texts: dict[str, list[int]] = {}
    for facts_of in _profiles(state, placed):
        functions = state.models_at_once(placed, facts_of)
        function = function_with(functions, value)
        if function is not None:
            texts.setdefault(_token(function, value), []).append(facts_of.version)
    target = state.resolved.target.version
    ordered = sorted(texts.items(), key=lambda entry: target not in entry[1])
    return "\n\n".join([head, *(f"**{_versions(versions)}**: {text}" for text, versions in ordered)])


def _token(function: AsyncFunction, value: SSAValue) -> str:
    handle = function.handle(value)
    assert handle is not None
    return "\n".join([label(function, handle), *(f"- {fact}" for fact in facts(function, handle))])


def _op(state: FileState, placed: PlacedItem, op: Operation) -> str:
    name = op.op_name if isinstance(op, OpaqueOp) else op.name
    parts = [f"**`{name}`**"]
    types = (
        ", ".join(attribute_text(v.type) for v in op.operands),
        ", ".join(attribute_text(r.type) for r in op.results),
    )
    if op.results and not isinstance(op, OpaqueOp):
        parts.append(f"```mlir\n({types[0]}) -> ({types[1]})\n```")
    texts: dict[str, list[int]] = {}
    for facts_of in _profiles(state, placed):
        for function in state.models_at_once(placed, facts_of):
            info = function.by_op.get(op)
            if info is None:
                continue
            if info.rejections:
                text = "not lowered: " + "; ".join(r.reason for r in info.rejections)
            elif info.erased:
                text = "erased before the lowering: it has no uses"
            else:
                calls = runtime_calls(function, op)
                text = " → ".join(f"`{call}`" for call in calls) if calls else "nothing"
                if info.handle is not None:
                    text += f", on {label(function, info.handle)}"
            texts.setdefault(text, []).append(facts_of.version)
    target = state.resolved.target.version
    for text, versions in sorted(texts.items(), key=lambda entry: target not in entry[1]):
        parts.append(f"**{_versions(versions)}**: {text}")
    parts += _advice(state, placed, op)
    # The text about this op comes first: editors cut off long hovers.
    documentation = op_documentation(name)
    if documentation is not None:
        parts += ["---", documentation]
    return "\n\n".join(parts)


def _advice(state: FileState, placed: PlacedItem, op: Operation) -> list[str]:
    """Return the advice of the findings about the lowering of `op`."""
    findings = next((group.findings for group in state.findings if group.offset == placed.offset), ())
    advice = (
        finding.message.partition("\n")[2]
        for finding in findings
        if finding.code.startswith("GA1") and op_at(placed.item, finding.span.start) is op
    )
    return list(dict.fromkeys(filter(None, advice)))


def _profiles(state: FileState, placed: PlacedItem) -> list[Profile]:
    if len(placed.item.spans.ops) > MANY_OPS:
        return [state.profile]
    return list(PROFILES.values())


def _versions(versions: list[int]) -> str:
    """Return `LLVM 16, 19 to 22` for a list of versions."""
    runs: list[list[int]] = []
    for version in sorted(versions):
        if runs and version == runs[-1][-1] + 1:
            runs[-1].append(version)
        else:
            runs.append([version])
    return "LLVM " + ", ".join(str(r[0]) if len(r) == 1 else f"{r[0]} to {r[-1]}" for r in runs)
