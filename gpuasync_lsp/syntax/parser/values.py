"""The layer of values: binds names to values, including uses before definitions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from xdsl.dialects.builtin import UnregisteredAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import UnresolvedOperand
from xdsl.parser.core import ForwardDeclaredValue
from xdsl.utils.lexer import Input
from xdsl.utils.lexer import Span as LexerSpan
from xdsl.utils.mlir_lexer import MLIRTokenKind

from gpuasync_lsp.syntax.lexer import FastSpan, FastToken
from gpuasync_lsp.syntax.ods.grouping import operands_of
from gpuasync_lsp.syntax.opaque import UNKNOWN, OpaqueOp, UnknownType
from gpuasync_lsp.syntax.parser.known_attributes import KnownAttributes
from gpuasync_lsp.syntax.spans import OpSpans, SpanTable, ValueSpan
from gpuasync_lsp.text import Span

_PLAIN_BODY = re.compile(r'[\w,?".]+')


class Operand(UnresolvedOperand):
    """An operand in the text, including its `#1`; the span of its name is created on first access."""

    def __init__(self, input: Input[str], start: int, name: str, index: int, end: int) -> None:  # pyright: ignore[reportMissingSuperCall]
        self._input = input
        self.name = name
        self.place = Span(start, end)
        self.index = index

    @property
    def operand_name(self) -> str:
        """The operand's name without `%`."""
        return self.name

    @property
    def span(self) -> LexerSpan[str]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The span of the operand's name with `%`, without `#1`."""
        start = self.place.start
        return FastSpan(start, start + 1 + len(self.name), self._input)


Use = tuple[Span, SSAValue]
"""An operand of the current op: the span of its text, and its value."""


class ValueParser(KnownAttributes):
    """Binds names to values. After an undefined or mistyped use is reported, parsing of the op continues."""

    def _start(self) -> None:
        super()._start()
        self.spans = SpanTable(self.text)
        self.ssa_values = {}
        self.forward_ssa_references = {}
        self._uses: list[Use] = []
        """The operands of the current op."""
        self._mismatched: list[Use] | None = None
        """The `_uses` of the last op with a reported type mismatch: each op reports only one."""
        self._defined: list[SSAValue] = []
        self._names_in_scope: list[str] = []
        self._first_uses: dict[tuple[str, int], tuple[Span, Attribute]] = {}
        self._settled: list[ForwardDeclaredValue] = []

    def parse_optional_unresolved_operand(self) -> UnresolvedOperand | None:
        """Parse `%name` or `%name#1` if present."""
        state, token = self._parser_state, self._token
        if token.kind is not MLIRTokenKind.PERCENT_IDENT:
            return None
        lexer = state.lexer
        next_token = state.current_token = lexer.lex()
        start, name = token.start, token.text[1:]
        index, end = 0, start + 1 + len(name)
        if next_token.kind is MLIRTokenKind.HASH_IDENT and next_token.text[1:].isdecimal():
            index, end = int(next_token.text[1:]), next_token.span.end
            state.current_token = lexer.lex()
        return Operand(lexer.input, start, name, index, end)

    def parse_unresolved_operand(self, msg: str = "expected SSA operand") -> UnresolvedOperand:
        """Parse `%name` or `%name#1`. Raises xdsl's ParseError with MLIR's message if there is no operand."""
        found = self.parse_optional_unresolved_operand()
        if found is None:
            self.raise_error(msg)
        return found

    def resolve_operand(self, operand: UnresolvedOperand, type: Attribute) -> SSAValue:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return the value of `operand`; report a use with a different type, but continue to parse the op."""
        name, index = operand.operand_name, operand.index
        span = operand.place if isinstance(operand, Operand) else Span(operand.span.start, operand.span.end)
        values = self.ssa_values.get(name)
        if values is None:
            references = self.forward_ssa_references.setdefault(name, {})
            value: SSAValue | None = references.get(index)
            if value is None:
                value = references[index] = ForwardDeclaredValue(type)
                self._first_uses[name, index] = (span, type)
            elif isinstance(value.type, UnknownType):
                value._type = type  # pyright: ignore[reportPrivateUsage]
        elif index < len(values):
            value = values[index]
        else:
            self._problem("GA001", span, "reference to invalid result number")
            value = values[0]
        if value.type != type and not isinstance(type, UnknownType):
            if isinstance(value.type, UnknownType):
                used_as = self.spans.used_as.setdefault(value, type)
                if used_as != type:
                    self.spans.used_as[value] = UNKNOWN
            elif not _may_be_one(value.type, type):
                self._type_mismatch(span, value, type, name)
        self._uses.append((span, value))
        return value

    def _type_mismatch(self, span: Span, value: SSAValue, type: Attribute, name: str) -> None:
        if self._mismatched is self._uses:
            return  # MLIR reports one mismatch per op.
        self._mismatched = self._uses
        place = self._place_of(value)
        related = () if place is None else ((place, "prior use here"),)
        message = f"use of value '%{name}' expects different type than prior uses: '{type}' vs '{value.type}'"
        self._problem("GA001", span, message, *related)

    def _place_of(self, value: SSAValue) -> Span | None:
        """Return the span of the name that defines `value`; None if it is unnamed."""
        return self.spans.result(value)

    def _register_ssa_definition(
        self, name: str, values: Sequence[SSAValue], span: LexerSpan[str], again: str | None = None
    ) -> None:
        self._define(name, values, Span(span.start, span.end), again)

    def _define(self, name: str, values: Sequence[SSAValue], place: Span, again: str | None = None) -> None:
        """Bind `name`, defined at `place`, to `values`; for a second definition, report `again` instead of
        the usual message."""
        known = self.ssa_values.get(name)
        if known is not None:
            first = self.spans.result(known[0])
            related = () if first is None else ((first, "previously defined here"),)
            self._problem("GA002", place, again or f"redefinition of SSA value '%{name}'", *related)
        else:
            self.ssa_values[name] = tuple(values)
            self._names_in_scope.append(name)
        table = self.spans.values
        self._defined += values
        if len(values) == 1:
            table[values[0]] = ValueSpan(place, "%" + name)
        else:
            for index, value in enumerate(values):
                table[value] = ValueSpan(place, f"%{name}#{index}")
        if self.forward_ssa_references and (references := self.forward_ssa_references.pop(name, None)):
            self._settle(name, references, values, place)
        hint = _hint(name)
        if hint is not None:
            for value in values:
                value._name = hint  # pyright: ignore[reportPrivateUsage]

    def _settle(
        self,
        name: str,
        references: dict[int, ForwardDeclaredValue],
        values: Sequence[SSAValue],
        place: Span,
    ) -> None:
        """Replace the forward references to a name with the values that it is now bound to."""
        for index, reference in references.items():
            if not reference.uses:
                # The using op is still being parsed: this definition is inside its region, where it does
                # not apply.
                self.forward_ssa_references.setdefault(name, {})[index] = reference
                continue
            span, _ = self._first_uses[name, index]
            if index >= len(values):
                self._problem("GA001", span, "reference to invalid result number")
                index = 0
            value = values[index]
            unknown = isinstance(reference.type, UnknownType) or isinstance(value.type, UnknownType)
            if not unknown and reference.type != value.type:
                message = f"definition of SSA value '%{name}#{index}' has type '{value.type}'"
                earlier = (span, f"previously used here with type '{reference.type}'")
                self._problem("GA001", place, message, earlier)
            _replace(reference, value)
            self._settled.append(reference)

    def _bind(self, op: Operation, results: Sequence[tuple[FastToken, int]]) -> None:
        """Bind the result names of `op`, each with the number of results that it names."""
        if len(op.results) == 1 == len(results) and results[0][1] == 1:
            token = results[0][0]
            self._define(token.text[1:], op.results, _place(token))
            return
        at = 0
        for token, count in results:
            self._define(token.text[1:], list(op.results[at : at + count]), _place(token))
            at += count

    def _record(self, op: Operation, whole: Span, name: Span) -> None:
        uses, operands = self._uses, operands_of(op)
        if tuple([value for _, value in uses]) == operands:
            spans: tuple[Span | None, ...] = tuple([span for span, _ in uses])
        else:
            rest = list(uses)
            spans = tuple(_claim(rest, value) for value in operands)
        self.spans.ops[op] = OpSpans(whole, name, spans)

    def _unlink(self) -> None:
        """Report ops with an operand that is defined only in their own region, if an earlier op uses it, too.

        MLIR's parser resolves only the earlier use, and its verifier then reports the error.
        """
        for reference in self._settled:
            users = [use.operation for use in reference.uses]
            if users:
                reference.replace_all_uses_with(undefined([reference.type]).results[0])
            for op in users:
                place = self.spans.ops.get(op)
                if place is not None:
                    self._problem("GA001", place.name, "operation's operand is unlinked")

    def _close_values(self) -> None:
        """Report names that are used but never defined in this scope; give their uses placeholder values."""
        for name, references in self.forward_ssa_references.items():
            for index, reference in references.items():
                if not reference.uses:
                    continue  # Its user could not be parsed as an op.
                span, _ = self._first_uses[name, index]
                message = f"use of undeclared SSA value name '%{name}'"
                self._problem("GA002", span, message)
                stand_in = undefined([reference.type])
                _replace(reference, stand_in.results[0])
                self.spans.values[stand_in.results[0]] = ValueSpan(span, "%" + name)
        self.forward_ssa_references = {}


_MANY = 64
"""Number of uses by one op above which its operands are replaced at once: one at a time is quadratic."""


def _replace(reference: SSAValue, value: SSAValue) -> None:
    for op, count in Counter(use.operation for use in reference.uses).items():
        if count >= _MANY:
            op.operands = [value if operand is reference else operand for operand in op.operands]
    reference.replace_all_uses_with(value)


def _place(token: FastToken) -> Span:
    start = token.start
    return Span(start, start + len(token.text))


@lru_cache(maxsize=4_096)
def _hint(name: str) -> str | None:
    """Return the hint that xDSL stores for a value name, or None; memoized because xDSL uses three
    regexes."""
    return SSAValue.extract_valid_name(name) if SSAValue.is_valid_name(name) else None


def undefined(types: Sequence[Attribute]) -> OpaqueOp:
    """Return an op that defines placeholder values and does not occur in the text."""
    return OpaqueOp.read("", "", operands=(), result_types=types, successors=(), regions=(), is_error=True)


def _claim(uses: list[Use], value: SSAValue) -> Span | None:
    for position, (span, used) in enumerate(uses):
        if used is value:
            del uses[position]
            return span
    return None


def _may_be_one(left: Attribute, right: Attribute) -> bool:
    """Return whether two unparsed types may be equal, since one may omit default parameters.

    Types with the same number of parameters but different text are not equal.
    """
    if not (isinstance(left, UnregisteredAttr) and isinstance(right, UnregisteredAttr)):
        return False
    if left.attr_name != right.attr_name:
        return False
    texts = ["".join(each.value.data.split()) for each in (left, right)]
    are_plain = all(_PLAIN_BODY.fullmatch(text) for text in texts)
    return not (are_plain and texts[0].count(",") == texts[1].count(",") and texts[0] != texts[1])
