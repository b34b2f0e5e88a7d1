"""Creates classes for the enumerations of dialects, with the cases from the ODS tables."""

from __future__ import annotations

from collections.abc import Sequence
from threading import RLock
from types import new_class
from typing import ClassVar, cast

from xdsl.ir import Data, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

from gpuasync_lsp.syntax.ods.table import enumeration


class Enumeration(Data[StrEnum]):
    """One case of an enumeration; `data` is its keyword. xDSL's own class is slower to import."""

    enum_type: ClassVar[type[StrEnum]]

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> StrEnum:
        return parser.parse_str_enum(cls.enum_type)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_identifier_or_string_literal(self.data.value)


class _Bracketed(Enumeration):
    """An enumeration case whose keyword is in angle brackets: `#gpu.address_space<global>`."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> StrEnum:
        with parser.in_angle_brackets():
            return parser.parse_str_enum(cls.enum_type)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)


class _Cases:
    """A class attribute with the cases of an enumeration, created on first access."""

    def __init__(self, name: str, more: Sequence[str]) -> None:
        self._name, self._more = name, more
        self._made: type[StrEnum] | None = None

    def __get__(self, _: object, owner: type[Enumeration]) -> type[StrEnum]:
        with _MAKING:  # All threads must get the same class.
            made = self._made
            if made is None:
                known = (word for each in enumeration(self._name) for word in each.cases)
                words = dict.fromkeys((*known, *self._more))
                made = self._made = cast("type[StrEnum]", StrEnum(self._name, {word: word for word in words}))
        owner.enum_type = made
        return made


_MAKING = RLock()


def enumeration_attr(name: str, *more: str, bracketed: bool = False) -> type[Enumeration]:
    """Return a class for the attribute `name` with the cases of all releases in the ODS tables, and `more`.

    It is spelled `#gpu<dim x>`, or `#gpu.address_space<global>` if `bracketed`.
    """
    bases = (_Bracketed,) if bracketed else (Enumeration, SpacedOpaqueSyntaxAttribute)
    fields = {"name": name, "enum_type": _Cases(name, more), "__doc__": f"`#{name}`"}
    made = new_class(name, bases, exec_body=lambda body: body.update(fields))
    return irdl_attr_definition(cast("type[Enumeration]", made))


def case(kind: type[Enumeration], word: str) -> Enumeration:
    """Return the attribute for the case `word`; raises ValueError if `kind` has no such case."""
    return kind(kind.enum_type(word))
