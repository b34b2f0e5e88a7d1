"""Determines the spaces between the words of a line, as mlir-opt prints them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from gpuasync_lsp.ide.lookup.tokens import Token, TokenKind, tokens

_OF_DIALECTS = (TokenKind.ATTRIBUTE, TokenKind.TYPE)
_TYPE = re.compile(
    r"!|(?:memref|vector|tensor|complex|tuple|index|none|bf16|tf32|f\d\w*|[su]?i\d+)(?![\w$.])"
)
"""Matches the beginning of a type, directly after a colon."""
_BEFORE_TYPES = (TokenKind.NUMBER, TokenKind.STRING)
_FUNCTION = re.compile(r"(?:[a-z_]+\.)?func\b[^(]*\(")
_LABEL = re.compile(r"\^[\w$.\-]+\s*\(?")
_STARTS_OP = re.compile(
    r"""(?:%[\w$.\-]+(?::\d+)?(?:\s*,\s*%[\w$.\-]+(?::\d+)?)*\s*=(?!=)|"[\w.]+"\s*(?:\(|<)|[a-z_]\w*\.[\w.]+|\^|\}|//|[\#!][\w.]+\s*=
    |(?:module|func|return|call|yield|br|cond_br|scf|llvm)\b|\{-\#)""",
    re.VERBOSE,
)
_STARTS_REGION = re.compile(r"(?!attributes\b)[a-z_]\w*(?: +-?\d+)? *\{|\{\s*(?://|\Z)")
"""Matches the beginning of an op's second region, `default {`, `case 2 {`, `combiner {`, or body, `{`."""
_ENTRY = re.compile(r"""(?:[\w.$]+|"[^"\\]*")\s*(?:=|,|\})""")
"""Matches an entry of an attribute dictionary, which may begin like an op."""


_NEAR = 100
_COMPLEX = re.compile(r"[<\[,] ?\([^(),]*\Z")
_DEPENDENCIES = re.compile(r"\basync ?\[[^\[\]]*\Z")
_FASTMATH = re.compile(r"fastmath<[\w, ]*\Z")


def starts_op(line: str) -> bool:
    """Return whether a line begins an op, a block, an alias or a comment, rather than continuing one."""
    return _STARTS_OP.match(line.lstrip()) is not None


def starts_region(line: str) -> bool:
    """Return whether a line begins a region of an op that started on an earlier line."""
    return _STARTS_REGION.match(line) is not None


def holds_ops(content: str, start: int = 0) -> bool:
    """Return whether the brace before `content[start:]` encloses ops rather than attributes."""
    if _ENTRY.match(content, start):
        return False
    return bool(_STARTS_OP.match(content, start) or _STARTS_REGION.match(content, start))


class Within(Enum):
    """The construct around a line or a word."""

    OPS = "ops"
    WORDS = "words"
    """Inside parentheses or square brackets of an op."""
    ARGUMENTS = "arguments"
    """Inside the parentheses around the arguments of a function or a block, which are written `%n: index`."""


class Spaced(NamedTuple):
    """A line with canonical spaces."""

    text: str
    words: list[Token]
    """The original words."""
    angles: int
    """The number of `<` of dialects' attributes or types that remain open."""
    arguments: int
    """The position of the parenthesis that opens arguments; -1 if there is none."""


def spaced(content: str, angles: int, within: Within, is_label: bool) -> Spaced:
    """Return a line with canonical spaces.

    `angles` is the number of open `<` of dialects' attributes or types before the line, `within` its context.
    """
    words = list(tokens(content))
    texts = [content[word.start : word.end] for word in words]
    tight, tight_behind, kept = _braces(words, texts)
    loose = _around_ops(content, words, texts)
    header = _LABEL.match(content) if is_label else _FUNCTION.match(content)
    arguments = header.end() - 1 if header and header[0].endswith("(") else -1
    parts: list[str] = []
    open_ones = [within]
    for number, (word, text) in enumerate(zip(words, texts, strict=True)):
        if number:
            left = words[number - 1]
            gap = content[left.end : word.start]
            if angles > 0 or (text == "<" and left.kind in _OF_DIALECTS):
                parts.append(gap)
            elif word.kind is TokenKind.COMMENT:
                # Keep the spaces before a comment: people align comments.
                parts.append(gap or " ")
            elif (
                number in tight
                or number - 1 in tight_behind
                or (text == ":" and is_label and open_ones == [within] and _ends_label(words, texts, number))
            ):
                parts.append("")
            elif number in kept:
                parts.append(gap)
            elif number in loose:
                parts.append(" ")
            else:
                parts.append(_gap(content, left, word, gap, open_ones[-1]))
            if text == "<" and (angles > 0 or (not gap and content[left.start] in "#!")):
                angles += 1
        if text == ">":
            angles = max(angles - 1, 0)
        parts.append(text)
        if word.kind is TokenKind.MARK:
            if text in ("(", "["):
                open_ones.append(Within.ARGUMENTS if word.start == arguments else Within.WORDS)
            elif text in (")", "]") and len(open_ones) > 1:
                open_ones.pop()
            elif text in (")", "]"):
                open_ones[0] = Within.OPS
    return Spaced("".join(parts), words, angles, arguments)


def _braces(words: Sequence[Token], texts: Sequence[str]) -> tuple[set[int], set[int], set[int]]:
    """Return the indices of braces without a space before, of those without one after, and of unchanged ones.

    These braces open and close on this line, around an attribute dictionary, `{a = 1}`, or around words,
    `ops{["gpu.launch"]}`.
    """
    tight: set[int] = set()
    tight_behind: set[int] = set()
    kept: set[int] = set()
    open_ones: list[int] = []
    for number, text in enumerate(texts):
        if text == "{":
            open_ones.append(number)
            is_key = number + 2 < len(texts) and words[number + 1].kind in (TokenKind.WORD, TokenKind.STRING)
            if is_key and texts[number + 2] == "=":
                tight_behind.add(number)
        elif text == "}" and open_ones:
            begin = open_ones.pop()
            if begin in tight_behind:
                tight.add(number)
            if begin and words[begin - 1].kind is TokenKind.WORD:
                kept.add(begin)
    return tight, tight_behind, kept


def _around_ops(content: str, words: Sequence[Token], texts: Sequence[str]) -> set[int]:
    """Return the indices of the words after `{`, and of the `}`, of regions that begin on this line."""
    found: set[int] = set()
    open_ones: list[bool] = []
    for number, text in enumerate(texts):
        if text == "{":
            following = texts[number + 1] if number + 1 < len(texts) else "}"
            is_region = following != "}" and holds_ops(content, words[number + 1].start)
            open_ones.append(is_region)
            if is_region:
                found.add(number + 1)
        elif text == "}" and open_ones and open_ones.pop():
            found.add(number)
    return found


def _ends_label(words: Sequence[Token], texts: Sequence[str], number: int) -> bool:
    return words[number - 1].kind is TokenKind.BLOCK or texts[number - 1] == ")"


def _gap(content: str, left: Token, right: Token, gap: str, within: Within) -> str:
    a, b = content[left.start : left.end], content[right.start : right.end]
    if left.kind is TokenKind.COMMENT or (left.kind is TokenKind.STRING and right.kind is TokenKind.STRING):
        return gap
    if b == ",":
        return ""
    if a == "," and _is_tight_list(content, left, right, gap):
        return ""
    if a == "," or "->" in (a, b):
        return " "
    if a == "=" or b == "=":
        # `==`, `>=` and `<=` in affine sets are two words without a space between them.
        return gap if not gap and {a, b} & set("=<>!") == {a, b} else " "
    if a in ("(", "[") or b in (")", "]"):
        return ""
    if _around_dependencies(content, left, a, b):
        return " "
    if b == "{" and a not in ("{", "<"):
        return " "
    if a == "}" and b == ">":
        return ""  # For properties, `<{a = 1}>`, and in wasmssa, `}> ^bb1`.
    is_behind = b == ":" and a in (")", "]", "}") and not _ends_line(content, right.end)
    if is_behind or (a == ":" and b == "("):
        return " "
    if a == ":" and (gap or right.kind is TokenKind.TYPE):
        return " "
    if b == ":" and left.kind is TokenKind.VALUE and within is Within.ARGUMENTS:
        return ""
    if b == ":" and not gap and _TYPE.match(content, right.end):
        # `%n: index` in parentheses, `%n : index` after an op; `%n:2` are two results.
        is_typed = left.kind is TokenKind.VALUE and within is Within.OPS
        return " " if is_typed or left.kind in _BEFORE_TYPES else ""
    if left.kind is TokenKind.WORD and right.kind is TokenKind.SYMBOL:
        return " "
    return " " if gap else ""


def _around_dependencies(content: str, left: Token, a: str, b: str) -> bool:
    """Return whether MLIR prints a space here: `gpu.alloc async [%t] (%n)`, `gpu.wait [%t]`."""
    if b == "[":
        return a in ("async", "gpu.wait")
    near = content[max(left.start - _NEAR, 0) : left.start]
    return a == "]" and b == "(" and _DEPENDENCIES.search(near) is not None


def _ends_line(content: str, at: int) -> bool:
    """Return whether at most a comment follows on the line, as after the colon of a block's label."""
    return content[at : at + _NEAR].lstrip()[:2] in ("", "//")


def _is_tight_list(content: str, comma: Token, right: Token, gap: str) -> bool:
    """Return whether a list is written without spaces, as in `fastmath<nnan,ninf>` and `dense<(1.0,2.0)>`."""
    near = content[max(comma.start - _NEAR, 0) : comma.start]
    if right.kind is TokenKind.NUMBER:
        return not gap and _COMPLEX.search(near) is not None
    return _FASTMATH.search(near) is not None
