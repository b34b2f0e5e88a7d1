"""Classes of the enumerations of dialects, whose cases the tables know."""

from __future__ import annotations

from types import new_class
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

from gpuasync_lsp.syntax.ods.table import enumeration

if TYPE_CHECKING:

    class Enumeration(EnumAttribute[StrEnum]):
        """One case of an enumeration: `data` is its word."""

else:
    Enumeration = EnumAttribute


class _Bracketed:
    """Mixin of those whose word stands in angle brackets: `#gpu.address_space<global>`."""

    data: StrEnum
    enum_type: type[StrEnum]

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> StrEnum:
        with parser.in_angle_brackets():
            return parser.parse_str_enum(cls.enum_type)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)


def enumeration_attr(name: str, *more: str, bracketed: bool = False) -> type[Enumeration]:
    """Return the class of the attribute `name`: the cases of all releases in the tables, then `more`.

    It is written `#gpu<dim x>`, or `#gpu.address_space<global>` where `bracketed`.
    """
    words = dict.fromkeys((*(word for each in enumeration(name) for word in each.cases), *more))
    cases = cast(Any, StrEnum(name, {word: word for word in words}))
    bases = (
        (_Bracketed, EnumAttribute[cases])
        if bracketed
        else (EnumAttribute[cases], SpacedOpaqueSyntaxAttribute)
    )
    made = new_class(name, bases, exec_body=lambda body: body.update(name=name, __doc__=f"`#{name}`"))
    return irdl_attr_definition(cast("type[Enumeration]", made))


def case(kind: type[Enumeration], word: str) -> Enumeration:
    """Return the attribute that is the case `word`; raises ValueError where `kind` has no such case."""
    return kind(kind.enum_type(word))
