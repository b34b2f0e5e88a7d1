"""Parses commands as lit's internal shell does; nothing here starts a program.

Source: lit's ShUtil and TestRunner (LLVM 16 to 23). The shell has quotes, pipes, redirections, and the
operators `&&`, `||` and `;`, of equal precedence. A `$` is an ordinary character. But lit may be configured
to use an external shell, in which `$(`, `${` and backquotes have a meaning, so these are rejected.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpuasync_lsp.ide.runlines.unsupported import Unsupported


@dataclass(frozen=True, slots=True)
class Redirection:
    """`2>&1`, `> FILE`, `< FILE`."""

    operator: str
    descriptor: int | None
    target: str


@dataclass(frozen=True, slots=True)
class Call:
    """A program with its arguments and redirections."""

    words: tuple[str, ...]
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Calls connected by `|`; `after` is the preceding operator: `&&`, `||`, `;`, or nothing."""

    calls: tuple[Call, ...]
    after: str = ""


@dataclass(frozen=True, slots=True)
class _Operator:
    text: str
    descriptor: int | None = None


_OPERATORS = ("||", "&&", "&>", ">&", ">>", "<&", "<<", "|", "&", ";", ">", "<")
"""The operators of the shell, longer ones first."""
_REDIRECTS = frozenset({"&>", ">&", ">>", ">", "<"})


def parse(command: str) -> tuple[Pipeline, ...]:
    """Return the pipelines of a command in order. Raises Unsupported, including for what lit's shell
    rejects."""
    tokens = _tokens(command)
    pipelines: list[Pipeline] = []
    calls: list[Call] = []
    words: list[str] = []
    redirections: list[Redirection] = []
    after = ""
    position = 0
    while position < len(tokens):
        token = tokens[position]
        position += 1
        if isinstance(token, str):
            words.append(token)
            continue
        if token.text in _REDIRECTS:
            target = tokens[position] if position < len(tokens) else None
            if not isinstance(target, str) or not words:
                raise Unsupported(f"{token.text} without {'a file' if words else 'a program'}")
            position += 1
            redirections.append(Redirection(token.text, token.descriptor, target))
            continue
        if token.text not in ("|", "||", "&&", ";"):
            raise Unsupported(f"uses {token.text}")
        if not words:
            raise Unsupported(f"no command before {token.text}")
        calls.append(Call(tuple(words), tuple(redirections)))
        words, redirections = [], []
        if token.text != "|":
            pipelines.append(Pipeline(tuple(calls), after))
            calls, after = [], token.text
    if not words:
        raise Unsupported("no command after the last operator" if tokens else "an empty RUN line")
    calls.append(Call(tuple(words), tuple(redirections)))
    return (*pipelines, Pipeline(tuple(calls), after))


def _tokens(command: str) -> list[str | _Operator]:
    found: list[str | _Operator] = []
    at, end = 0, len(command)
    while at < end:
        if command[at].isspace():
            at += 1
            continue
        operator = _operator(command, at)
        if operator is not None:
            found.append(_Operator(operator))
            at += len(operator)
            continue
        word, at = _word(command, at)
        redirect = _operator(command, at)
        # `2>` is one operator; `a2>` is a word and a redirection.
        if redirect is not None and redirect[0] in "<>" and word.isdecimal() and len(word) == 1:
            found.append(_Operator(redirect, int(word)))
            at += len(redirect)
        else:
            found.append(word)
    return found


def _operator(command: str, at: int) -> str | None:
    return next((each for each in _OPERATORS if command.startswith(each, at)), None)


def _word(command: str, at: int) -> tuple[str, int]:
    """Return the word that begins at `at`, unquoted, and its end."""
    parts: list[str] = []
    end = len(command)
    while at < end:
        character = command[at]
        if character.isspace() or character in "|&;<>":
            break
        at += 1
        if character == "'":
            close = command.find("'", at)
            if close < 0:
                raise Unsupported("an unterminated quote")
            parts.append(command[at:close])
            at = close + 1
        elif character == '"':
            at = _quoted(command, at, parts)
        elif character == "\\":
            if at == end:
                raise Unsupported("a backslash at the end")
            parts.append(command[at])
            at += 1
        else:
            _reject_expansion(command, at - 1)
            parts.append(character)
    return "".join(parts), at


def _quoted(command: str, at: int, parts: list[str]) -> int:
    """Parse the text between double quotes; return its end."""
    while at < len(command):
        character = command[at]
        at += 1
        if character == '"':
            return at
        if character == "\\" and command[at : at + 1] in ('"', "\\", "$"):
            parts.append(command[at])
            at += 1
        else:
            _reject_expansion(command, at - 1)
            parts.append(character)
    raise Unsupported("an unterminated quote")


def _reject_expansion(command: str, at: int) -> None:
    if command[at] == "`":
        raise Unsupported("uses `")
    if command[at] == "$" and command[at + 1 : at + 2] in ("(", "{"):
        raise Unsupported(f"uses {command[at : at + 2]}")
