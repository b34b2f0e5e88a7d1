"""Matches the text of an incomplete op against its assembly format, and returns what may follow.

All alternatives of the format are followed in parallel, over words rather than IR, so an incomplete op can be
matched; an alternative ends at a word that it does not accept. The time is at most proportional to the number
of words times the size of the format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache, partial
from typing import NamedTuple

from gpuasync_lsp.ide.lookup.custom_formats import full_name, typed_elements
from gpuasync_lsp.ide.lookup.tokens import TokenKind, tokens
from gpuasync_lsp.syntax.ods.formats import (
    AnyOrder,
    Directive,
    Element,
    FormatError,
    Literal,
    Optional,
    Space,
    Text,
    Variable,
)
from gpuasync_lsp.syntax.ods.table import AttrConstraint, Variant, entry

MOST_WORDS = 1_000
"""The maximum number of words of an op that are matched; the time is quadratic, 20,000 words take 0.8 s."""


class Place(Enum):
    """The kind of an expected word."""

    WORD = "word"
    """The keyword `name`."""
    CASE = "case"
    """An enum case of the attribute `name`."""
    OPERAND = "operand"
    """A value for the operand `name`."""
    SYMBOL = "symbol"
    """A symbol for the attribute `name`."""
    NEW_SYMBOL = "new symbol"
    TYPE = "type"
    """The type of the operand or result `name`."""
    SIGNATURE = "signature"
    """The types of operands and results, `(...) -> ...`."""
    ATTRIBUTE = "attribute"
    """A literal for the attribute `name`."""
    BLOCK = "block"
    REGION = "region"
    DICTIONARY = "dictionary"
    INSIDE_TYPE = "inside type"


class Expected(NamedTuple):
    """A word that may come next."""

    place: Place
    name: str = ""
    number: int = 0
    """The index of the type in its list of types; -1 for the type of the operand's last value."""


@dataclass(frozen=True, slots=True)
class Written:
    """The parts of an incomplete op: its format, and the words written so far."""

    variant: Variant | None
    expected: tuple[Expected, ...]
    """The words that may follow, in the order of the format."""
    is_whole: bool
    """Whether the op may end here."""
    values: dict[str, list[str]]
    """Maps each operand to the names of the values written for it, in order."""
    symbols: dict[str, str]


class Word(NamedTuple):
    """A word of the text, and its position."""

    kind: TokenKind
    text: str
    start: int
    end: int


def words_of(text: str) -> list[Word]:
    """Return the words of a string without comments."""
    return [
        Word(t.kind, text[t.start : t.end], t.start, t.end)
        for t in tokens(text)
        if t.kind is not TokenKind.COMMENT
    ]


def assembly_elements(name: str) -> tuple[Element, ...] | None:
    """Return the format of the op `name`, dialect included; None if unknown."""
    found = entry(name)
    return _typed(name, found.variants[-1].format if found is not None else "")


def follow(name: str, words: Sequence[Word]) -> Written | None:
    """Match `words`, which follow the op's name, against its format; None if the op is unknown."""
    name = full_name(name)
    elements = assembly_elements(name)
    if elements is None or len(words) > MOST_WORDS:
        return None
    found = entry(name)
    walk = _Walk(found.variants[-1] if found is not None else None, words)
    ends = walk.sequence(elements, frozenset({0}))
    return Written(walk.variant, tuple(walk.expected), len(words) in ends, walk.values, walk.symbols)


@lru_cache(maxsize=512)
def _typed(name: str, of_table: str) -> tuple[Element, ...] | None:
    try:
        return typed_elements(name, of_table) or None
    except FormatError:
        return None


Ends = frozenset[int]
_NOWHERE: Ends = frozenset()
_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}


@dataclass(slots=True)
class _Walk:
    """The paths through an assembly format.

    Each method takes the indices of words at which an element may start and returns those at which it may
    end."""

    variant: Variant | None
    words: Sequence[Word]
    expected: dict[Expected, None] = field(default_factory=dict[Expected, None])
    values: dict[str, list[str]] = field(default_factory=dict[str, "list[str]"])
    symbols: dict[str, str] = field(default_factory=dict[str, str])

    def sequence(self, elements: Iterable[Element], at: Ends) -> Ends:
        for element in elements:
            at = self.element(element, at)
            if not at:
                break
        return at

    def element(self, element: Element, at: Ends) -> Ends:
        match element:
            case Literal():
                return self.literal(element.text, at)
            case Space() | Text():
                return at
            case Variable():
                return self.variable(element.name, at)
            case Optional():
                return self.sequence(element.then, at) | (
                    self.sequence(element.otherwise, at) if element.otherwise else at
                )
            case AnyOrder():
                return self.repeated(
                    lambda places: _union(self.sequence(clause, places) for clause in element.clauses), at
                )
            case Directive():
                return self.directive(element, at)

    def repeated(self, step: Callable[[Ends], Ends], at: Ends) -> Ends:
        found = at
        while at:
            at = step(at) - found
            found |= at
        return found

    def separated(self, one: Callable[[Ends], Ends], at: Ends) -> Ends:
        """Match one or more elements, separated by commas."""
        return self.numbered(lambda _, places: one(places), at)

    def numbered(self, one: Callable[[int, Ends], Ends], at: Ends) -> Ends:
        """Match one or more elements, separated by commas; `one` gets the index of each."""
        found = new = one(0, at)
        number = 1
        while new:
            new = one(number, self.literal(",", new)) - found
            found |= new
            number += 1
        return found

    def word(self, place: int) -> Word | None:
        return self.words[place] if place < len(self.words) else None

    def expect(self, at: Ends, place: Place, name: str = "", index: int = 0) -> None:
        if len(self.words) in at:
            self.expected[Expected(place, name, index)] = None

    def literal(self, text: str, at: Ends) -> Ends:
        parts = [word.text for word in words_of(text)]
        if parts and (parts[0][0].isalpha() or parts[0][0] == "_"):
            self.expect(at, Place.WORD, text)
        size = len(parts)
        return frozenset(p + size for p in at if [word.text for word in self.words[p : p + size]] == parts)

    def one_of(self, kinds: Iterable[TokenKind], at: Ends) -> Ends:
        return frozenset(p + 1 for p in at if (word := self.word(p)) is not None and word.kind in kinds)

    def operand(self, name: str, at: Ends) -> Ends:
        self.expect(at, Place.OPERAND, name)
        found = set[int]()
        for place in at:
            word = self.word(place)
            if word is None or word.kind is not TokenKind.VALUE or len(word.text) < 2:
                continue
            end, text = place + 1, word.text
            numbered = self.word(end)
            if numbered is not None and numbered.text[:1] == "#" and numbered.start == word.end:
                end, text = end + 1, text + numbered.text
            names = self.values.setdefault(name, [])
            if text not in names:
                names.append(text)
            found.add(end)
        return frozenset(found)

    def variable(self, name: str, at: Ends) -> Ends:
        variant = self.variant
        if name == "sym_name":
            self.expect(at, Place.NEW_SYMBOL, name)
            return self.one_of((TokenKind.SYMBOL,), at)
        if variant is None:
            return self.operand(name, at)
        variadic = next((c.variadic for label, c in variant.operands if label == name), None)
        if variadic is not None:
            ends = (
                self.separated(lambda p: self.operand(name, p), at)
                if variadic != ""
                else self.operand(name, at)
            )
            return ends | at if variadic else ends
        if name in variant.attributes:
            return self.attribute(name, variant.attributes[name], at)
        region = next((g for g in variant.regions if g.name == name), None)
        if region is not None:
            self.expect(at, Place.REGION, name)
            ends = self.balanced("{", at)
            return ends | at if region.variadic else ends
        if any(group.name == name for group in variant.successors):
            return self.separated(self.block, at)
        return self.operand(name, at)

    def block(self, at: Ends) -> Ends:
        self.expect(at, Place.BLOCK)
        return self.one_of((TokenKind.BLOCK,), at)

    def attribute(self, name: str, constraint: AttrConstraint, at: Ends) -> Ends:
        if constraint.kind == "unit":
            return at
        if constraint.cases:
            return self.cases(name, constraint, at)
        if "symbol ref" in constraint.summary:
            return self.symbol(name, at)
        self.expect(at, Place.ATTRIBUTE, name)
        return self.any_attribute(at)

    def symbol(self, name: str, at: Ends) -> Ends:
        self.expect(at, Place.SYMBOL, name)
        found = set[int]()
        for place in at:
            end, word = place, self.word(place)
            while word is not None and word.kind is TokenKind.SYMBOL:
                end += 1
                colons, inner = self.word(end), self.word(end + 1)
                if colons is None or colons.text != "::" or inner is None:
                    break
                end, word = end + 1, inner
            if end > place:
                self.symbols[name] = "".join(word.text for word in self.words[place:end])
                found.add(end)
        return frozenset(found)

    def cases(self, name: str, constraint: AttrConstraint, at: Ends) -> Ends:
        opened = constraint.format.lstrip().startswith("`<`")
        start = self.literal("<", at) if opened else at

        def one(places: Ends) -> Ends:
            self.expect(places, Place.CASE, name)
            return frozenset(
                p + 1
                for p in places
                if (word := self.word(p)) is not None and word.text.strip('"') in constraint.cases
            )

        several = constraint.separator.strip()
        ends = one(start)
        if several:
            new = ends
            while new:
                new = one(self.literal(several, new)) - ends
                ends |= new
        ends = self.literal(">", ends) if opened else ends
        return ends | self.one_of((TokenKind.ATTRIBUTE,), at)

    def balanced(self, opening: str, at: Ends) -> Ends:
        ends = set[int]()
        for place in at:
            word = self.word(place)
            if word is not None and word.text == opening:
                end = self.closing(place)
                if end is not None:
                    ends.add(end)
                elif opening == "<":
                    self.expected[Expected(Place.INSIDE_TYPE)] = None
        return frozenset(ends)

    def closing(self, place: int) -> int | None:
        return closing_bracket(self.words, place)

    def type(self, name: str, at: Ends, index: int = 0) -> Ends:
        self.expect(at, Place.TYPE, name, index)
        names = self.one_of((TokenKind.TYPE,), at)
        functions = self.literal("->", self.balanced("(", at))
        if functions:
            functions = self.type(name, functions) | self.balanced("(", functions)
        return (names - self.before("<", names)) | self.balanced("<", names) | functions

    def before(self, text: str, at: Ends) -> Ends:
        return frozenset(p for p in at if (word := self.word(p)) is not None and word.text == text)

    def types(self, name: str, at: Ends) -> Ends:
        return self.numbered(lambda number, p: self.type(name, p, number), at)

    def any_attribute(self, at: Ends) -> Ends:
        plain = self.one_of(
            (TokenKind.NUMBER, TokenKind.STRING, TokenKind.WORD, TokenKind.ATTRIBUTE), at
        ) | self.symbol("", at)
        brackets = _union(self.balanced(bracket, at) for bracket in "[{")
        with_more = _union(self.balanced(bracket, plain) for bracket in "<(")
        plain -= self.before("<", plain)
        ends = plain | brackets | with_more | self.typed(at)
        colons = self.literal(":", plain | with_more)
        return ends | (self.type("", colons) if colons else _NOWHERE)

    def typed(self, at: Ends) -> Ends:
        names = self.one_of((TokenKind.TYPE,), at)
        return (names - self.before("<", names)) | self.balanced("<", names)

    def directive(self, directive: Directive, at: Ends) -> Ends:
        inner = directive.arguments[0] if directive.arguments else None
        match directive.name:
            case "attr-dict" | "prop-dict":
                return at | self.dictionary(at)
            case "attr-dict-with-keyword":
                return at | self.dictionary(self.literal("attributes", at))
            case "operands":
                return at | self.separated(lambda p: self.operand("operands", p), at)
            case "results" | "regions" | "successors" | "ref":
                return at
            case "qualified" if inner is not None:
                return self.element(inner, at)
            case "type":
                return self.types_of(inner, at)
            case "functional-type":
                return self.signature(at)
            case "custom":
                return self.custom(directive, at)
            case _:
                return self.anything(at)

    def dictionary(self, at: Ends) -> Ends:
        self.expect(at, Place.DICTIONARY)
        return self.balanced("{", at)

    def types_of(self, of: Element | None, at: Ends) -> Ends:
        name = of.name if isinstance(of, Variable | Directive) else ""
        variadic = ""
        if self.variant is not None:
            declared = {label: c.variadic for label, c in (*self.variant.operands, *self.variant.results)}
            variadic = declared.get(name, "v")
        if variadic:
            # A list of types may be empty, unless values were written for the operand.
            return self.types(name, at) | (at if not self.values.get(name) else _NOWHERE)
        return self.type(name, at)

    def signature(self, at: Ends) -> Ends:
        self.expect(at, Place.SIGNATURE)
        arrows = self.literal("->", self.balanced("(", at))
        return self.type("", arrows) | self.balanced("(", arrows)

    def custom(self, directive: Directive, at: Ends) -> Ends:
        names = [a.name for a in directive.arguments if isinstance(a, Variable)]
        first = names[0] if names else ""
        match directive.function:
            case "AsyncDependencies":
                ready = at | self.literal("async", at)
                return ready | self.listed("[", "]", first, ready)
            case "DynamicIndexList":
                return self.literal("]", self.numbers(first, self.literal("[", at)))
            case "OptionalDynamicIndexList":
                return at | self.literal("]", self.numbers(first, self.literal("[", at)))
            case "AllReduceOperation":
                constraint = self.variant.attributes.get("op") if self.variant is not None else None
                return at | (self.cases("op", constraint, at) if constraint is not None else _NOWHERE)
            case "LaunchDimType":
                return at | self.type("", self.literal(":", at))
            case "LaunchFuncOperands":
                start = self.literal("(", self.literal("args", at))
                return at | self.literal(")", self.separated(partial(self.argument, first), start) | start)
            case "GlobalMemrefOpTypeAndInitialValue":
                typed = self.type("type", at)
                value = self.literal("=", typed)
                self.expect(value, Place.WORD, "uninitialized")
                return typed | self.any_attribute(value)
            case "Params":
                return at | self.separated(self.parameter, at)
            case "Names":
                return self.separated(lambda p: self.one_of((TokenKind.VALUE,), p), at)
            case "Assigned":
                return self.separated(partial(self.assigned, first), at)
            case "Types":
                return self.types("", at) | self.balanced("(", at)
            case "Dictionary":
                self.expect(at, Place.DICTIONARY)
                return self.balanced("{", at) | self.one_of((TokenKind.ATTRIBUTE,), at)
            case "Signature":
                return self.signature(at) | self.types("", at)
            case "Affine":
                self.operand(first, at)
                return self.anything(at)
            case _:
                return self.anything(at)

    def parameter(self, at: Ends) -> Ends:
        """Match `%name: type {attributes}`, a type, or an ellipsis."""
        named = self.literal(":", self.one_of((TokenKind.VALUE,), at))
        typed = self.type("", named | at) | self.literal("...", at)
        return typed | self.balanced("{", typed)

    def listed(self, opening: str, closing: str, name: str, at: Ends) -> Ends:
        start = self.literal(opening, at)
        return self.literal(closing, self.separated(lambda p: self.operand(name, p), start) | start)

    def numbers(self, name: str, at: Ends) -> Ends:
        return at | self.separated(partial(self.number, name), at)

    def number(self, name: str, at: Ends) -> Ends:
        return self.operand(name, at) | self.one_of((TokenKind.NUMBER,), at)

    def argument(self, name: str, at: Ends) -> Ends:
        """Match `%value : type`."""
        return self.type(name, self.literal(":", self.operand(name, at)), -1)

    def assigned(self, name: str, at: Ends) -> Ends:
        """Match `%new = %value`."""
        return self.operand(name, self.literal("=", self.one_of((TokenKind.VALUE,), at)))

    def anything(self, at: Ends) -> Ends:
        """Match any number of words; brackets are matched with their contents as a whole."""
        found = set[int]()
        for start in at:
            place = start
            while place < len(self.words) and place not in found:
                found.add(place)
                text = self.words[place].text
                if text in (")", "]", "}"):
                    break
                if text in _PAIRS and text != "<":
                    end = self.closing(place)
                    if end is None:
                        break
                    place = end
                else:
                    place += 1
            else:
                if place == len(self.words):
                    found.add(place)
        return frozenset(found)


def closing_bracket(words: Sequence[Word], place: int) -> int | None:
    """Return the index after the bracket that closes the one at `place`; None if it is not closed."""
    open_ones: list[str] = []
    for at in range(place, len(words)):
        text = words[at].text
        if text in _PAIRS and not (text == "<" and open_ones[-1:] == ["{"]):
            open_ones.append(text)
        elif open_ones and text == _PAIRS[open_ones[-1]]:
            open_ones.pop()
            if not open_ones:
                return at + 1
    return None


def _union(ends: Iterable[Ends]) -> Ends:
    return frozenset[int]().union(*ends)
