"""Formats one line: indents it according to the open brackets, and normalizes the spaces between its words.

All brackets that one line opens indent the following lines by one level. A line that begins by closing them
has the indentation of the op that opened them, for example `}) : () -> ()` in the generic form, or `}, {`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from gpuasync_lsp.ide.features.line_spaces import Spaced, Within, holds_ops, spaced, starts_op, starts_region
from gpuasync_lsp.ide.lookup.tokens import TokenKind

INDENT = 2
_CONTINUED = 4
"""Indentation of an op's continuation lines, relative to its first line."""
_MOST_OPEN = 256
"""The maximum number of open brackets, and of levels of indentation, that are tracked."""

_GOES_ON = (",", "=", "->")
_CLOSED_BY = {")": "(", "]": "[", "}": "{"}


class _Open(NamedTuple):
    mark: str
    """`(`, `[` or `{`."""
    op: int
    """The indentation of the bracket's op, and of a line that closes the bracket."""
    inside: int
    """The indentation of the lines inside the bracket."""
    within: Within


class State(NamedTuple):
    """The state of the formatter after a line."""

    open: tuple[_Open, ...] = ()
    metadata: bool = False
    """Whether the next line is inside `{-# ... #-}`, which is not formatted."""
    angles: int = 0
    """The number of open `<` of a dialect's attribute or type."""
    is_first: bool = True
    """Whether the innermost open bracket has no content so far."""
    goes_on: bool = False
    """Whether the previous line ended inside an op."""

    def indent_of(self, content: str) -> int:
        """Return the indentation of a line with the given content."""
        closed = _closers(content)
        if closed and self.open:
            return self.open[-min(closed, len(self.open))].op
        base = self.open[-1].inside if self.open else 0
        if self.is_label(content):
            return self.open[-1].op if self.open else 0
        return base + self.further(content)

    @property
    def within(self) -> Within:
        """The innermost construct that contains a line."""
        return self.open[-1].within if self.open else Within.OPS

    def is_label(self, content: str) -> bool:
        """Return whether a line begins with the label of a block."""
        return content.startswith("^") and not self.goes_on and self.within is Within.OPS

    def further(self, content: str) -> int:
        """Return the additional indentation of a line that continues an op."""
        if self.within is not Within.OPS or _closers(content) or self.is_label(content):
            return 0
        if self.goes_on:
            return _CONTINUED
        if self.is_first or not content or starts_op(content) or starts_region(content):
            return 0
        # `linalg.map` and `linalg.reduce` print the arguments of their region on a continuation line.
        return INDENT if content[0] == "(" and content[-1] == "{" else _CONTINUED


def within(modules: int) -> State:
    """Return the state after the headers of `modules` modules."""
    return State(
        tuple(_Open("{", depth * INDENT, (depth + 1) * INDENT, Within.OPS) for depth in range(modules))
    )


@lru_cache(maxsize=1 << 13)
def format_line(text: str, state: State) -> tuple[str, State]:
    """Return a formatted line, and the state after it. Memoized for unchanged lines."""
    content = text.strip()
    if not content:
        return "", state
    if state.metadata or content.startswith("{-#"):
        return text.rstrip(), state._replace(metadata="#-}" not in content)
    if re.match(r"//[ \t]*-----", content):
        # `// -----` separates chunks only at column 0, so the comment keeps its position.
        return text.rstrip(), within(0) if text.startswith("// -----") else state
    indent = state.indent_of(content)
    line = spaced(content, state.angles, state.within, state.is_label(content))
    # A line that begins inside `<...>` of a dialect keeps its indentation, which is part of that text.
    return (text if state.angles else " " * min(indent, _MOST_OPEN * INDENT) + line.text), _open_after(
        content, line, state, indent
    )


def _closers(content: str) -> int:
    """Return the number of brackets that a line closes at its beginning."""
    return len(content) - len(content.lstrip("}])"))


def _open_after(content: str, line: Spaced, state: State, indent: int) -> State:
    code = [word for word in line.words if word.kind is not TokenKind.COMMENT]
    if not code:
        return state
    stack = list(state.open)
    if state.is_first and stack and stack[-1].mark == "{" and not holds_ops(content):
        stack[-1] = stack[-1]._replace(within=Within.WORDS)
    op = indent - (_CONTINUED if state.further(content) == _CONTINUED else 0)
    for number, word in enumerate(code):
        mark = content[word.start : word.end]
        if word.kind is not TokenKind.MARK or mark not in _BRACKETS:
            continue
        rest = code[number + 1].start if number + 1 < len(code) else None
        if mark in _CLOSED_BY:
            op = _close(stack, _CLOSED_BY[mark], op)
        elif mark != "{":
            step = INDENT if mark == "[" and rest is None else _CONTINUED
            within = Within.ARGUMENTS if word.start == line.arguments else Within.WORDS
            stack.append(_Open(mark, op, indent + step, within))
        elif rest is None or holds_ops(content, rest):
            stack.append(_Open(mark, op, op + INDENT, Within.OPS))
            op += INDENT if rest is not None else 0
        else:
            stack.append(_Open(mark, op, op + _CONTINUED, Within.WORDS))
    end = content[code[-1].start : code[-1].end]
    is_mark = code[-1].kind is TokenKind.MARK
    return State(
        tuple(stack[-_MOST_OPEN:]),
        False,
        line.angles,
        end in ("(", "[", "{") and is_mark,
        end in _GOES_ON and is_mark,
    )


_BRACKETS = frozenset("()[]{}")


def _close(stack: list[_Open], mark: str, op: int) -> int:
    """Close the last open `mark` and return the indentation of its op; `op` if none is open."""
    if stack and stack[-1].mark == mark:
        return stack.pop().op
    if mark == "{":
        # Brackets inside the braces that were never closed are dropped.
        for depth in range(len(stack) - 1, -1, -1):
            if stack[depth].mark == "{":
                op = stack[depth].op
                del stack[depth:]
                break
    return op
