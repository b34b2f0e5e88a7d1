"""Op classes created from the ODS tables, which parse and print according to their assembly format.

Only the definition of such an op is known: its operands, attributes and results by name, its traits, its
constraints. If a format has unsupported parts (`custom` directives that MLIR implements in C++), the op has
no assembly and remains opaque; its generic form is parsed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import ClassVar, cast

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.irdl import traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    IsolatedFromAbove,
    IsTerminator,
    NoMemoryEffect,
    NoTerminator,
    OpTrait,
    SymbolOpInterface,
    SymbolTable,
)
from xdsl.utils.exceptions import ParseError

from gpuasync_lsp.syntax.dialects.llvm_attributes import FastmathFlagsAttr
from gpuasync_lsp.syntax.lexer import FastLexer
from gpuasync_lsp.syntax.ods.agreement import reads_same_text
from gpuasync_lsp.syntax.ods.by_hand import BY_HAND
from gpuasync_lsp.syntax.ods.formats import Element, FormatError, parse_format
from gpuasync_lsp.syntax.ods.grouping import SEGMENTS, Groups, groups
from gpuasync_lsp.syntax.ods.parts import Parts, ReachedRegion
from gpuasync_lsp.syntax.ods.reading import Reading, supports
from gpuasync_lsp.syntax.ods.table import OpEntry, Variant, entry
from gpuasync_lsp.syntax.ods.writing import Assembly
from gpuasync_lsp.syntax.opaque import OpaqueOp, written_name
from gpuasync_lsp.syntax.xdsl_speed import current_token, resume_from

_NO_FASTMATH = FastmathFlagsAttr("none")
_TRAITS: dict[str, type[OpTrait]] = {
    "IsTerminator": IsTerminator,
    "IsIsolatedFromAbove": IsolatedFromAbove,
    "NoMemoryEffect": NoMemoryEffect,
    "NoTerminator": NoTerminator,
    "SymbolTable": SymbolTable,
    "SymbolOpInterface": SymbolOpInterface,
}


class OdsOperation(Operation):
    """Base of the op classes that are created from the ODS tables."""

    variant: ClassVar[Variant]
    """The definition that this class implements; an op has one per group of releases that agree."""
    elements: ClassVar[tuple[Element, ...]]
    """The assembly format; empty if there is none or it is unsupported."""
    reading: ClassVar[Reading]
    """The parser for the format."""
    assembly: ClassVar[Assembly]
    """The printer for the format."""
    has_assembly: ClassVar[bool]
    """Whether the custom assembly of the op is supported."""

    @classmethod
    def inherent(cls) -> frozenset[str]:
        """Return the names of the op's inherent attributes."""
        return frozenset(cls.variant.attributes) | frozenset(SEGMENTS)

    @classmethod
    def parse(cls, parser: Parser) -> Operation:
        """Parse the custom assembly after the op's name in the spelling of any release, trying the newest
        first.

        Raises a ParseError, or NotImplementedError for input that may be valid but is not supported.
        """
        by_hand = BY_HAND.get(cls.name)
        if by_hand is not None:
            op = by_hand.read(parser, cls, cls.inherent())
            assert isinstance(op, OdsOperation)
            every = (each.variant.releases for each in op_classes(cls.name))
            note_spelling(op, frozenset[int]().union(*every))
            return op
        kind, parts, accepted = read_as_some(parser, cls.name, spellings_of(cls.name))
        op = kind.reading.make(parser, parts, kind)
        assert isinstance(op, OdsOperation)
        note_spelling(op, accepted)
        end_regions(parts, kind.reading.terminators, parser)
        return op

    def print(self, printer: Printer) -> None:
        """Print the custom assembly after the op's name."""
        by_hand = BY_HAND.get(self.name)
        if by_hand is not None:
            by_hand.write(printer, self)
        else:
            self.assembly.write(printer, self, self._left_out)

    def _left_out(self) -> Mapping[str, Attribute]:
        """Return the flag attributes that the printer omits, with the omitted values."""
        return _without_flags(self.variant)

    @property
    def is_printable(self) -> bool:
        """Whether the op can be printed in custom assembly: nothing that the assembly prints is missing."""
        by_hand = BY_HAND.get(self.name)
        if by_hand is not None:
            return by_hand.is_whole(self)
        return self.has_assembly and self.assembly.has_all(self)

    def operand_groups(self) -> Groups | None:
        """Return the operands by group name; None if their number does not match the definition."""
        return groups(self, self.variant.operands, self.operands, SEGMENTS[0])

    def result_groups(self) -> Groups | None:
        """Return the results by group name; None if their number does not match the definition."""
        return groups(self, self.variant.results, self.results, SEGMENTS[1])

    def named_results(self) -> Groups:
        """Return the results by the names that MLIR prints; empty unless the op defines several named
        results.

        Source: `OpAsmOpInterface` in `OpDefinitionsGen.cpp`.
        """
        found = self.result_groups() if len(self.variant.results) > 1 else None
        if found is None or any(name.startswith("#") for name in found):
            return {}
        return found


_GOES_ON = frozenset({",", ":", "->", "="})
"""Tokens that continue an op: a spelling that stops before one has not parsed the whole op."""


def read_as_some(
    parser: Parser, name: str, spellings: Sequence[type[OdsOperation]]
) -> tuple[type[OdsOperation], Parts, frozenset[int]]:
    """Parse an op in any of `spellings`.

    Returns the spelling, the parts, and the releases, among those with ODS tables, that accept the
    input. Raises a ParseError, or NotImplementedError for input that may be valid but is not supported."""
    start, lexer = parser.pos, parser.lexer
    assert isinstance(lexer, FastLexer)
    chosen, failed = None, None
    accepted: frozenset[int] = frozenset()
    unclear: frozenset[int] = frozenset()
    left = tuple(spellings)
    while left:
        each, left = left[0], left[1:]
        parts = Parts(each.variant, start)
        try:
            each.reading.read(parser, parts)
        except (ParseError, NotImplementedError) as error:
            if parts.entered or each.variant.successors or len(spellings) == 1:
                raise
            if isinstance(error, NotImplementedError):
                unclear |= written_alike(each.variant)
            failed = failed or each
            resume_from(parser, start)
            continue
        end = parser.pos
        if current_token(parser).text in _GOES_ON:
            failed = failed or each
            resume_from(parser, start)
            continue
        if chosen is not None and end < chosen[2]:
            resume_from(parser, start)
            continue
        read_alike, left = _without_reading(each, parts.taken, left)
        if chosen is None or end > chosen[2]:
            # The spelling that consumes the most text is the intended one.
            chosen = (each, parts, end, lexer.previous_end)
            accepted = read_alike
            if each.variant.regions or each.variant.successors:
                # A block cannot be parsed twice, so other spellings parse the input only up to the first
                # block.
                for other in left:
                    if other.variant.successors or _reads_to_region(parser, other, start):
                        accepted |= written_alike(other.variant)
                break
        else:
            accepted |= read_alike
        if left:
            resume_from(parser, start)
    if chosen is None:
        if unclear:
            raise NotImplementedError(f"unsupported spelling of {name}")
        assert failed is not None
        # Parse again to raise the error with its position. If only the text after the op is wrong, the parser
        # reports it at the next op.
        parts = Parts(failed.variant, start)
        failed.reading.read(parser, parts)
        return failed, parts, written_alike(failed.variant)
    kind, parts, end, last = chosen
    if parser.pos != end:
        resume_from(parser, end)
        lexer.previous_end = last  # The end of the op's last token.
    return kind, parts, accepted | unclear


@cache
def _without_reading(
    read: type[OdsOperation], taken: int, others: tuple[type[OdsOperation], ...]
) -> tuple[frozenset[int], tuple[type[OdsOperation], ...]]:
    """Return the releases that certainly accept the input parsed by `read`, and the spellings to try."""
    accepted, left = written_alike(read.variant), list[type[OdsOperation]]()
    for each in others:
        if reads_same_text(read.variant, read.elements, taken, each.variant, each.elements):
            accepted |= written_alike(each.variant)
        else:
            left.append(each)
    return accepted, tuple(left)


_SPELLED_IN = "spelled_in"


def note_spelling(op: Operation, releases: frozenset[int]) -> None:
    """Record the releases, among those with ODS tables, that accept the text of `op`."""
    vars(op)[_SPELLED_IN] = releases


def spelled_in(op: Operation) -> frozenset[int] | None:
    """Return the releases, among those with ODS tables, that accept the text of `op`; None if no spelling
    was recorded."""
    return vars(op).get(_SPELLED_IN)


_UNNAMED = "unnamed"


def note_unnamed(op: Operation) -> None:
    """Record that the text of `op` does not name its results, as in releases in which the op has none."""
    vars(op)[_UNNAMED] = True


def is_unnamed(op: Operation) -> bool:
    """Return whether `note_unnamed` recorded that the text of `op` names no results."""
    return _UNNAMED in vars(op)


def is_spelled_for(op: Operation, version: int) -> bool:
    """Return whether LLVM `version` accepts the source text of `op`; true if that is unknown."""
    releases = spelled_in(op)
    of_version = None if releases is None else definition_in(op.name, version)
    if releases is None or of_version is None:
        return True
    return not of_version.has_assembly or bool(of_version.variant.releases & releases)


def spelling(name: str, version: int) -> str:
    """Return the assembly format of the op `name` in LLVM `version`; empty if it has none."""
    of_version = definition_in(name, version)
    return "" if of_version is None else of_version.variant.format


@cache
def _without_flags(variant: Variant) -> Mapping[str, Attribute]:
    return {
        name: _NO_FASTMATH
        for name, each in variant.attributes.items()
        if each.written == FastmathFlagsAttr.name and each.has_default
    }


def _reads_to_region(parser: Parser, kind: type[OdsOperation], start: int) -> bool:
    """Return whether a spelling accepts the text at `start` up to the first region."""
    parts = Parts(kind.variant, start)
    parts.stops_at_region = True
    resume_from(parser, start)
    try:
        kind.reading.read(parser, parts)
    except (ReachedRegion, NotImplementedError):
        return True  # Unknown, so assume that it may be.
    except ParseError:
        return False
    return True


def end_regions(parts: Parts, terminators: Sequence[str], parser: Parser) -> None:
    """Add the implicit terminator to the last block of each parsed region."""
    if not parts.regions:
        return
    for name in terminators:
        for group, regions in parts.regions.items():
            for region in () if group in parts.unended else regions:
                block = region.blocks.last
                if block is None or not _ends(block.last_op):
                    _end(region, name, parser)


def _end(region: Region, name: str, parser: Parser) -> None:
    written = parser.ctx.get_optional_op(name)
    kind = op_class(name) if written is None or issubclass(written, UnregisteredOp) else written
    found = entry(name)
    if kind is None or found is None:
        return
    if any(not each.variadic for _, each in found.variants[-1].operands):
        return  # MLIR adds no terminator that needs operands; the verifier reports the block.
    if not region.blocks:
        region.add_block(Block())
    block = region.blocks.last
    assert block is not None
    inner = [Region(Block()) for group in found.variants[-1].regions if not group.variadic]
    block.add_op(kind.create(regions=inner))


def _ends(op: Operation | None) -> bool:
    """Return whether `op` terminates its block.

    An unknown op may be a terminator; in generic form, MLIR requires a known one."""
    if isinstance(op, OpaqueOp | UnregisteredOp):
        known = op_class(written_name(op))
        return isinstance(op, OpaqueOp) if known is None else known.has_trait(IsTerminator)
    return op is not None and op.has_trait(IsTerminator)


def op_class(name: str) -> type[OdsOperation] | None:
    """Return the class of the op `name` in the newest release that has it; None if there is no such op."""
    found = entry(name)
    return None if found is None else class_of(name, found.variants[-1])


def op_classes(name: str) -> tuple[type[OdsOperation], ...]:
    """Return the classes of the op `name`, one per definition, the newest last."""
    found = entry(name)
    return () if found is None else tuple(class_of(name, each) for each in found.variants)


def definition_in(name: str, version: int) -> type[OdsOperation] | None:
    """Return the class of the op `name` as LLVM `version` defines it; None if unknown."""
    found = entry(name)
    variant = None if found is None else found.of(version)
    return None if variant is None else class_of(name, variant)


def with_assembly(name: str) -> type[OdsOperation] | None:
    """Return the newest class of `name`; None if its custom assembly is not supported.

    An older definition's assembly is not used instead: it may parse the start of a newer spelling."""
    newest = op_class(name)
    return newest if newest is not None and newest.has_assembly else None


def is_understood(variant: Variant) -> bool:
    """Return whether the custom assembly of a definition is supported."""
    return class_of(variant.name, variant).has_assembly


@cache
def understood_in_some(name: str) -> tuple[Variant, ...]:
    """Return the definitions whose assembly is supported, of an op that other releases parse in C++."""
    found = entry(name)
    variants = () if found is None else found.variants
    if name in BY_HAND or all(each.format or not each.custom for each in variants):
        return ()
    return tuple(each for each in variants if is_understood(each))


@cache
def class_of(name: str, variant: Variant) -> type[OdsOperation]:
    """Return the class of the op `name` with the definition `variant`."""
    elements: tuple[Element, ...] = ()
    understood = name in BY_HAND
    if variant.format:
        try:
            elements = parse_format(variant.format)
            understood = understood or supports(elements, variant)
        except FormatError:
            elements = ()
    traits = [made() for kind, made in _TRAITS.items() if kind in variant.traits]
    body = {
        "name": name,
        "variant": variant,
        "elements": elements,
        "reading": Reading(variant, elements),
        "assembly": Assembly(variant, elements),
        "has_assembly": understood,
        "traits": traits_def(*traits),
        "__doc__": f"`{name}`",
    }
    return cast("type[OdsOperation]", type(f"Ods_{name.replace('.', '_')}", (OdsOperation,), body))


def is_spelled_differently(name: str) -> bool:
    """Return whether the releases have more than one supported spelling of the op `name`."""
    return len(spellings_of(name)) > 1


def spellings_of(name: str) -> tuple[type[OdsOperation], ...]:
    """Return one class per supported spelling of the op, the newest first."""
    found = entry(name)
    return () if found is None else _spellings_of(found)


@cache
def _spellings_of(found: OpEntry) -> tuple[type[OdsOperation], ...]:
    kinds: dict[object, type[OdsOperation]] = {}
    for variant in reversed(found.variants):
        kind = class_of(found.name, variant)
        if kind.has_assembly:
            kinds.setdefault(_way_to_write(variant), kind)
    return tuple(kinds.values())


@cache
def written_alike(variant: Variant) -> frozenset[int]:
    """Return the releases with the same spelling of the op as `variant`."""
    found = entry(variant.name)
    if found is None:  # Another thread has unloaded the dialect.
        return variant.releases
    alike = [each for each in found.variants if _way_to_write(each) == _way_to_write(variant)]
    return frozenset(release for each in alike for release in each.releases)


def _way_to_write(variant: Variant) -> object:
    """Return a key for a variant's spelling: its format, its operands' names, and its enumeration cases."""
    cases = tuple((name, each.cases) for name, each in variant.attributes.items() if each.cases)
    return variant.format, tuple(name for name, _ in variant.operands), cases
