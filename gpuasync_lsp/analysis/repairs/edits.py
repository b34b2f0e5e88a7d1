"""Builds edits of an item's text: dependency lists, new lines, removed lines, fresh names."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.model.context import FileContext
from gpuasync_lsp.analysis.model.function import AsyncFunction
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType
from gpuasync_lsp.syntax.printer import custom_text
from gpuasync_lsp.syntax.spans import ASYNC_PART, SpanTable
from gpuasync_lsp.text import BEGIN, END, MODULE, Edit, Span, merged


class Editor:
    """Builds the edits of one fix, in the file's style of names and indentation."""

    def __init__(self, function: AsyncFunction) -> None:
        self.spans: SpanTable = function.spans
        self.text = function.spans.text
        self.edits: list[Edit] = []
        self.function = function
        self.added: set[str] = set()

    def fresh(self, base: str) -> str:
        """Return an unused value name with `%`: the next number if most names are numbers, or one from
        `base`."""
        taken, numbers = self.function.names, self.function.numbers
        name, count = base, 0
        if len(numbers) * 2 > len(taken):
            count = numbers[-1] + 1
            name = str(count)
            base = ""
        while name in taken or name in self.added:
            name, count = f"{base}_{count}" if base else str(count), count + 1
        self.added.add(name)
        return f"%{name}"

    def before(self, op: Operation, *statements: str) -> None:
        """Insert `statements` as lines before `op`, which may be an implicit terminator."""
        start, end = self.spans.op(op)
        if start == end and op.prev_op is not None:
            self.after(op.prev_op, *statements)
            return
        self.edits.append(lines_before(self.spans, op, *statements))

    def after(self, op: Operation, *statements: str) -> None:
        """Insert `statements` as lines after `op` and any comment at the end of its line."""
        start, end = self.spans.op(op)
        indent = self.indent(start)
        rest = self.text[end : self._line_end(end)]
        bare = rest.strip()
        if not bare or bare.startswith("//"):
            at = end + len(rest.rstrip())
            self.edits.append(Edit(Span(at, at), "".join(f"\n{indent}{s}" for s in statements)))
        else:
            text = "".join(f"\n{indent}{s}" for s in statements) + f"\n{indent}"
            self.edits.append(Edit(Span(end, end + len(rest) - len(rest.lstrip())), text))

    def remove(self, op: Operation) -> None:
        """Remove `op`, including its line if nothing else is on it."""
        start, end = self.spans.op(op)
        line = self.text.rfind("\n", 0, start) + 1
        stop = self._line_end(end)
        rest = self.text[end:stop]
        if not self.text[line:start].strip() and not rest.strip() and stop < len(self.text):
            start, end = line, stop + 1
        elif rest.lstrip().startswith("//"):
            end += len(rest) - len(rest.lstrip())
        self.edits.append(Edit(Span(start, end), ""))

    def dependencies(self, op: Operation, names: Sequence[str]) -> bool:
        """Replace the op's dependency list with `names`; return whether the text could be changed."""
        return self.keywords(op, any(isinstance(r.type, AsyncTokenType) for r in op.results), names)

    def keywords(self, op: Operation, is_async: bool, names: Sequence[str]) -> bool:
        """Add or remove `async`, and replace the dependency list with `names`.

        An op in generic form is rewritten in its custom form. Returns whether the text could be changed."""
        if op not in self.spans.ops:
            return False
        listed = f" [{', '.join(names)}]" if names else ""
        part = f"{' async' if is_async else ''}{listed}"
        name = self.spans.name(op)
        if not self.spans.is_generic(op):
            self.edits.append(Edit(Span(name.end, _end_of_dependencies(self.text, name.end)), part))
            return True
        names_of = {value: self.function.span_name(value)[1:] for value in op.operands}
        text = None if op.regions else custom_text(op, names_of, self.function.profile.version)
        if text is None:
            return False
        rest = text[_end_of_dependencies(text, len(op.name)) :].lstrip()
        located = self.text.rfind(" loc(", name.end, self.spans.op(op).end)
        end = self.spans.op(op).end if located < 0 else located
        self.edits.append(Edit(Span(name.start, end), f"{op.name}{part} {rest}".rstrip()))
        return True

    def add_dependencies(self, op: Operation, names: Sequence[str]) -> bool:
        """Append `names` to the op's dependency list; return whether the text could be changed."""
        deps = self.spans.deps(op)
        if deps is None:
            return self.dependencies(op, [*self._dependency_names(op), *names])
        inner = self.text[deps.start + 1 : deps.end - 1]
        at = deps.end - 1 - (len(inner) - len(inner.rstrip()))
        lead = ", " if inner.strip() else ""
        self.edits.append(Edit(Span(at, at), lead + ", ".join(names)))
        return True

    def drop_dependency(self, op: Operation, operand: int) -> bool:
        """Remove one dependency of the op; return whether the text could be changed."""
        deps, span = self.spans.deps(op), self.spans.operand(op, operand)
        if self.spans.is_generic(op):
            names = self._dependency_names(op)
            return self.dependencies(op, names[:operand] + names[operand + 1 :])
        if deps is None or span is None:
            return False
        parts = self.text[deps.start + 1 : deps.end - 1].split(",")
        if len(parts) == 1:
            return self.dependencies(op, ())
        start, end = span
        if operand > 0:
            start = self.text.rindex(",", deps.start, start)
        else:
            comma = self.text.index(",", end)
            behind = self.text[comma + 1 : deps.end]
            end = comma + 1 + len(behind) - len(behind.lstrip())
        self.edits.append(Edit(Span(start, end), ""))
        return True

    def _dependency_names(self, op: Operation) -> list[str]:
        return [self.function.span_name(v) for v in op.operands if isinstance(v.type, AsyncTokenType)]

    def name_result(self, op: Operation, base: str) -> str:
        """Append a token to the result names of `op`; return the name of the token."""
        start = self.spans.op(op).start
        named = self.text[start : self.spans.name(op).start].rstrip(" \t=")
        if named:
            name = self.fresh(base)
            at = start + len(named)
            self.edits.append(Edit(Span(at, at), f", {name}"))
            return name
        # The op's results have no names in the text; the token comes after them.
        names = [self.fresh(each) for each in (*["result"] * len(op.results), base)]
        self.edits.append(Edit(Span(start, start), f"{', '.join(names)} = "))
        return names[-1]

    def drop_token(self, op: Operation) -> None:
        """Remove the token, the last result of `op`, from the result names."""
        start, end = self.spans.op(op).start, self.spans.name(op).start
        first, comma, _ = self.text[start:end].rpartition(",")
        # Two results may have one name: `%m:2`.
        rest = first if comma else self.text[start:end].partition(":")[0]
        self.edits.append(Edit(Span(start, end), f"{rest} = " if len(op.results) > 1 else ""))

    def replace_uses(self, value: SSAValue, name: str, *, besides: Operation | None = None) -> None:
        """Replace all uses of `value` with `name`."""
        for use in sorted(value.uses, key=lambda u: u.index):
            if use.operation is besides:
                continue
            span = self.spans.operand(use.operation, use.index)
            if span is not None:
                self.edits.append(Edit(span, name))

    def done(self) -> tuple[Edit, ...]:
        """Return the edits in text order; insertions at one offset are in the order of their creation."""
        return merged(self.edits)

    def indent(self, start: int) -> str:
        """Return the indentation of the line that contains `start`."""
        return _indent(self.text, start)

    def margins(self) -> tuple[str, str]:
        """Return the indentation of the function, and the additional indentation of its body."""
        # The item's text begins at the function's first word, so only the line of its last brace shows the
        # indentation.
        start, end = self.spans.op(self.function.op)
        margin = self.indent(end) if "\n" in self.text[start:end] else ""
        first = next((op for op in self.function.order if op in self.spans.ops), None)
        inside = "" if first is None else self.indent(self.spans.op(first).start)
        return margin, inside.removeprefix(margin) if len(inside) > len(margin) else "  "

    def _line_end(self, offset: int) -> int:
        end = self.text.find("\n", offset)
        return len(self.text) if end < 0 else end


def _end_of_dependencies(text: str, start: int) -> int:
    """Return the end of `async` and the dependencies in `text` after an op's name, which ends at `start`."""
    found = ASYNC_PART.match(text, start)
    return start if found is None else max(start, found.end(1), found.end(2))


def lines_before(spans: SpanTable, op: Operation, *statements: str) -> Edit:
    """Return the edit that inserts `statements` as lines before `op`."""
    start = spans.op(op).start
    indent = _indent(spans.text, start)
    return Edit(Span(start, start), "".join(f"{s}\n{indent}" for s in statements))


def _indent(text: str, start: int) -> str:
    line = text.rfind("\n", 0, start) + 1
    lead = text[line:start]
    return lead[: len(lead) - len(lead.lstrip())]


def mark_module(context: FileContext) -> tuple[Edit, ...] | None:
    """Return the edits that mark the closest module with `gpu.container_module`, or create a module.

    Returns an empty tuple if the module has the attribute, and None if no edit is possible.
    """
    if context.container_module:
        return ()
    header = context.module_header
    if header is None:
        if not context.wrappable:
            return None
        start = Edit(Span(0, 0), "module attributes {gpu.container_module} {\n", BEGIN)
        return (start, Edit(Span(0, 0), "\n}", END))
    text = header.item.text
    if "attributes" in text:
        at, added = text.index("{", text.index("attributes")) + 1, "gpu.container_module, "
        if text[at:].lstrip().startswith("}"):
            added = "gpu.container_module"
    else:
        at, added = text.index("{"), "attributes {gpu.container_module} "
    return (Edit(Span(at, at), added, MODULE),)
