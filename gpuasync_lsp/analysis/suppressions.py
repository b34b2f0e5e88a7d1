"""`// gpuasync:` comments: the release of a file, suppressions, and unused suppressions."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gpuasync_lsp.analysis.config import Config, closeness, code_meant
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.rules import BY_CODE, RULES, unknown_suppression, unused_suppression
from gpuasync_lsp.releases import known_version
from gpuasync_lsp.text import Edit, Finding, Fix, Safety, Span
from gpuasync_lsp.text.spelling import LONGEST, Guesses

_KINDS = ("ignore", "ignore-file", "llvm")
_COMMENT = re.compile(r"//[^\S\n]*gpuasync:[^\S\n]*")
_DIRECTIVE = re.compile(
    r"(?P<kind>[A-Za-z][\w-]*)"
    r"(?:[^\S\n]*\[(?P<codes>[^\[\]\n]*)(?P<closed>\])?|[^\S\n]*=[^\S\n]*(?P<value>[^\s,;]*))?[\s,;]*"
)
_VERSION = re.compile(r"\bllvm[^\S\n]*=[^\S\n]*(?P<value>[^\s,;]+)")
_FOLLOWING = re.compile(r"\s//")
_WORD = re.compile(r"[^,\s](?:[^,]*[^,\s])?")
_OUTSIDE_STRINGS = re.compile(r'(?:[^"\n]|"(?:[^"\\\n]|\\.)*")*')
_Key = tuple[int, str]
"""The index of a suppression, and a word in its brackets."""
_ABOUT_COMMENTS = (unknown_suppression.RULE.code, unused_suppression.RULE.code)


@dataclass(frozen=True, slots=True)
class _Suppression:
    """An `ignore` or `ignore-file` directive of a comment."""

    span: Span
    """The span from the directive's first letter to its closing bracket."""
    comment: Span
    """The span of the comment, from `//` to the end of the line or to the next `//`."""
    words: tuple[tuple[str, Span], ...]
    """Codes, prefixes of codes, names or `ALL`, with spans; without brackets, `ALL`."""
    line: int | None
    """The 0-based line to which the directive applies; None for the whole file."""


class Comments:
    """The `// gpuasync:` comments in a source file.

    `llvm=22` sets the release, and `ignore-file[GA501]` suppresses rules in the file. `ignore[GA501]` at the
    end of a line suppresses them in that line, and on a separate line in the next line. Without brackets, all
    rules are suppressed. Any text, such as the reason, may follow a directive.
    """

    def __init__(self, text: str) -> None:
        self.version: tuple[str, int] | None = None
        """The release that the first `llvm=` sets, and the span of its comment."""
        self._text = text
        self._starts = [0]
        """Offsets of the lines; only computed if there is a comment."""
        self._suppressions: list[_Suppression] = []
        self._of_line: dict[int | None, list[_Key]] = {}
        """The suppressions that apply to each line; those for the whole file have the key None."""
        self._mistakes: list[Draft] = []
        self._used: set[_Key] = set()
        if "gpuasync:" not in text:
            return
        at = text.find("\n")
        while at >= 0:
            self._starts.append(at + 1)
            at = text.find("\n", at + 1)
        guesses = Guesses()
        for comment in _COMMENT.finditer(text):
            if not _is_in_string(text, self._starts[self._line(comment.start())], comment.start()):
                self._read(comment, guesses)

    def _line(self, offset: int) -> int:
        return bisect_right(self._starts, offset) - 1

    def _read(self, comment: re.Match[str], guesses: Guesses) -> None:
        """Add the directives of one comment."""
        text, line = self._text, self._line(comment.start())
        end = text.find("\n", comment.end())
        following = _FOLLOWING.search(text, comment.end(), end if end >= 0 else len(text))
        end = following.start() if following else end if end >= 0 else len(text)
        whole = Span(comment.start(), comment.end() + len(text[comment.end() : end].rstrip()))
        own = not text[self._starts[line] : comment.start()].strip()
        position, is_first = comment.end(), True
        while (directive := _DIRECTIVE.match(text, position, end)) is not None:
            kind, codes, value = directive["kind"], directive["codes"], directive["value"]
            span = Span(directive.start(), directive.start() + len(directive[0].rstrip(" \t\r,;")))
            if kind in ("ignore", "ignore-file") and value is None and (codes is None or directive["closed"]):
                silent = None if kind == "ignore-file" else line + own
                self._suppress(directive, span, whole, silent, guesses)
            elif kind == "llvm" and value:
                self.version = self.version or (value, comment.start())
            elif kind in _KINDS:
                form = "llvm=22" if kind == "llvm" else f"{kind}[GA501]"
                self._mistakes.append(Draft(span, f"This comment does nothing; write `{form}`."))
            else:
                guess = guesses.closest(kind, _KINDS)
                shaped = codes is not None or value is not None
                if not (shaped or guess if is_first else shaped and guess):
                    break  # What follows is the reason, or ordinary prose.
                span = Span(*directive.span("kind"))
                self._mistakes.append(_misspelt(span, f"'{kind}' is not a gpuasync directive", guess))
            position, is_first = directive.end(), False
        if self.version is None and (named := _VERSION.search(text, position, end)) is not None:
            self.version = (named["value"], comment.start())

    def _suppress(
        self, directive: re.Match[str], span: Span, comment: Span, line: int | None, guesses: Guesses
    ) -> None:
        words: list[tuple[str, Span]] = []
        for word, place in _words(directive) or [("ALL", span)]:
            if any(closeness(word, rule.code, rule.name) >= 0 for rule in RULES):
                words.append((word, place))
                self._of_line.setdefault(line, []).append((len(self._suppressions), word))
            else:
                code = code_meant(word)
                # Codes are too similar to each other, so suggest names only.
                names = [rule.name for rule in RULES]
                guess = code if code in BY_CODE else guesses.closest(word, names)
                self._mistakes.append(_misspelt(place, f"there is no rule '{word[:LONGEST]}'", guess))
        self._suppressions.append(_Suppression(span, comment, tuple(words), line))

    @property
    def any(self) -> bool:
        """Whether the file contains any suppression."""
        return bool(self._suppressions)

    @property
    def llvm(self) -> int | None:
        """The release that a comment sets; None if there is none, or if the release is unknown."""
        return None if self.version is None else known_version(self.version[0])

    def silences(self, finding: Finding) -> bool:
        """Return whether a comment suppresses `finding`, and mark this comment as used."""
        if not self._suppressions:
            return False
        relevant = (self._of_line.get(None, ()), self._of_line.get(self._line(finding.span.start), ()))
        # A comment that suppresses everything does not suppress findings about itself.
        least = int(finding.code in _ABOUT_COMMENTS)
        hits = [
            key for keys in relevant for key in keys if closeness(key[1], finding.code, finding.name) >= least
        ]
        self._used.update(hits)
        return bool(hits)

    def mistakes(self, config: Config) -> Iterator[Finding]:
        """Yield a finding for each comment that is misspelled or names no rule (GA009)."""
        yield from self._of_rule(unknown_suppression.RULE, self._mistakes, config)

    def unused(self, config: Config) -> Iterator[Finding]:
        """Yield a finding for each comment that suppresses nothing (GA010).

        `silences` must have been called with every finding before. Comments for a disabled rule are not
        reported, since the rule, if enabled, might report something."""
        unused = {at: self._unused_words(at, config) for at in range(len(self._suppressions))}
        drafts = [self._unused_draft(at, words, unused) for at, words in unused.items() if words]
        yield from self._of_rule(unused_suppression.RULE, drafts, config)

    def _of_rule(self, rule: Rule, drafts: Iterable[Draft], config: Config) -> Iterator[Finding]:
        severity = config.level(rule.code, rule.name, rule.severity)
        if severity is not None:
            found = (draft.finding(rule, severity) for draft in drafts)
            yield from (finding for finding in found if not self.silences(finding))

    def _unused_words(self, at: int, config: Config) -> list[str]:
        return [
            word
            for word, _ in self._suppressions[at].words
            if (at, word) not in self._used and _is_judged(word, config)
        ]

    def _unused_draft(self, at: int, unused: list[str], all_unused: dict[int, list[str]]) -> Draft:
        each = self._suppressions[at]
        what = "Nothing" if "ALL" in unused else f"No {' or '.join(unused)}"
        where = "in this file" if each.line is None else f"on line {each.line + 1}"
        left = [word for word, _ in each.words if word not in unused]
        if left:
            edit = Edit(Span(each.words[0][1].start, each.words[-1][1].end), ", ".join(left))
        elif all(
            len(all_unused[other]) == len(beside.words)
            for other, beside in enumerate(self._suppressions)
            if beside.comment == each.comment
        ) and not _VERSION.search(self._text, *each.comment):
            edit = Edit(self._whole(each.comment), "")
        else:
            blanks = re.compile(r"[^\S\n]*[,;]?[^\S\n]*").match(self._text, each.span.end)
            edit = Edit(Span(each.span.start, blanks.end() if blanks else each.span.end), "")
        title = f"Remove {', '.join(unused)} from the comment" if left else "Remove the comment"
        return Draft(
            each.span,
            f"{what} is found {where}: this comment suppresses nothing.",
            fixes=(Fix(title, Safety.SAFE, (edit,)),),
            tags=("unnecessary",),
        )

    def _whole(self, comment: Span) -> Span:
        """Return the span to delete with a comment: the whole line, or the comment and the blanks before
        it."""
        line = self._starts[self._line(comment.start)]
        start = line + len(self._text[line : comment.start].rstrip())
        newline = self._text.find("\n", comment.end)
        rest = self._text[comment.end : newline if newline >= 0 else len(self._text)]
        if start == line and not rest.strip():
            return Span(start, newline + 1 if newline >= 0 else len(self._text))
        return Span(comment.start if rest.strip() else start, comment.end)


def _is_judged(word: str, config: Config) -> bool:
    """Return whether all rules that `word` names and that are on by default are enabled."""
    of_word = [rule for rule in RULES if closeness(word, rule.code, rule.name) >= 0]
    named = [rule for rule in of_word if rule.code not in _ABOUT_COMMENTS]
    levels = [config.level(r.code, r.name, r.severity, only_named=r.only_named) is not None for r in named]
    return any(levels) and all(on or rule.only_named for on, rule in zip(levels, named, strict=True))


def comments(text: str) -> Comments:
    """Parse the `// gpuasync:` comments in `text`."""
    return Comments(text)


def _is_in_string(text: str, line: int, at: int) -> bool:
    """Return whether position `at` is inside a string literal; `line` is the start of its line."""
    before = text[line:at]
    if '"' not in before:
        return False
    outside = _OUTSIDE_STRINGS.match(before)
    # A quote after `//` does not begin a string.
    return outside is not None and outside.end() < len(before) and "//" not in before[: outside.end()]


def _words(directive: re.Match[str]) -> list[tuple[str, Span]]:
    start = directive.start("codes")
    found = _WORD.finditer(directive["codes"] or "")
    return [(word[0], Span(*word.span()).shift(start)) for word in found]


def _misspelt(span: Span, what: str, guess: str | None) -> Draft:
    fixes: tuple[Fix, ...] = ()
    if guess is not None:
        edit = Edit(span, guess)
        fixes = (Fix(f"Write '{guess}'", Safety.UNSAFE, (edit,), "the directive takes effect"),)
    meant = f"; did you mean '{guess}'?" if guess is not None else "."
    return Draft(span, f"{what[0].upper()}{what[1:]}{meant}", fixes=fixes)
