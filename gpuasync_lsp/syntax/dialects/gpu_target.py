"""What the dialects of GPU targets share: target attributes and ops that read special registers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, IntegerType, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.hints import isa

from gpuasync_lsp.syntax.dialects.assembly import named, parse_attributes, print_attributes

ORDER = ("O", "triple", "chip", "features", "abi", "flags", "link")
"""The order in which MLIR prints the options of a target; others follow in the order of the source."""
_LEVEL = 2


class TargetAttr(ParametrizedAttribute):
    """A target of a gpu.module: `#nvvm.target<O = 3, chip = "sm_90">`; the rest are defaults."""

    options: DictionaryAttr

    DEFAULTS: ClassVar[Mapping[str, Sequence[tuple[int, str]]]] = {}
    """By option, its default from a release on, the newest first. What is its default is not printed."""

    @property
    def optimization_level(self) -> int:
        """The option `O`, 2 unless written."""
        level = self.options.data.get("O")
        return level.value.data if isinstance(level, IntegerAttr) else _LEVEL

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        options: dict[str, Attribute] = {}
        if parser.parse_optional_punctuation("<") is not None:
            while True:
                key = parser.parse_identifier()
                parser.parse_punctuation("=")
                options[key] = parser.parse_attribute()
                if parser.parse_optional_punctuation(",") is None:
                    break
            parser.parse_punctuation(">")
        return (DictionaryAttr({key: options[key] for key in sorted(options, key=_rank)}),)

    def print_parameters(self, printer: Printer) -> None:
        llvm: int | None = getattr(printer, "llvm", None)
        shown = [pair for pair in self.options.data.items() if not self._is_default(*pair, llvm)]
        if not shown:
            return
        with printer.in_angle_brackets():
            for index, (key, value) in enumerate(shown):
                printer.print_string(f"{', ' if index else ''}{key} = ")
                if isinstance(value, IntegerAttr):
                    printer.print_string(str(cast(IntegerAttr[IntegerType], value).value.data))
                else:
                    printer.print_attribute(value)

    def _is_default(self, option: str, value: Attribute, llvm: int | None) -> bool:
        if option == "O":
            return self.optimization_level == _LEVEL
        known = self.DEFAULTS.get(option, ())
        default = next((text for since, text in known if llvm is None or since <= llvm), None)
        return isinstance(value, StringAttr) and value.data == default


def _rank(option: str) -> int:
    return ORDER.index(option) if option in ORDER else len(ORDER)


@irdl_attr_definition
class ConstantRangeAttr(ParametrizedAttribute):
    """`#llvm.constant_range<i32, 0, 32>`: from the lower bound up to below the upper one."""

    name = "llvm.constant_range"

    type: IntegerType
    lower: IntegerAttr
    upper: IntegerAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            found = parser.parse_type()
            if not isa(found, IntegerType):
                parser.raise_error("expected integer type")
            parser.parse_punctuation(",")
            lower = IntegerAttr(parser.parse_integer(), found)
            parser.parse_punctuation(",")
            upper = IntegerAttr(parser.parse_integer(), found)
        return (found, lower, upper)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.type)
            printer.print_string(f", {self.lower.value.data}, {self.upper.value.data}")


class SpecialRegisterOp(IRDLOperation):
    """An op that reads a register: `nvvm.read.ptx.sreg.tid.x range <i32, 0, 1024> : i32`.

    Before LLVM 20 a range is an array among the attributes: `{range = array<i32: 0, 1024>}`."""

    range = opt_prop_def(Attribute)
    res = result_def(IntegerType)

    @classmethod
    def parse(cls, parser: Parser) -> SpecialRegisterOp:
        found = None
        if parser.parse_optional_keyword("range") is not None:
            found = ConstantRangeAttr.new(ConstantRangeAttr.parse_parameters(parser))
        properties, attributes = parse_attributes(parser, cls)
        if found is not None:
            properties["range"] = found
        parser.parse_punctuation(":")
        return cls.create(result_types=[parser.parse_type()], properties=properties, attributes=attributes)

    def print(self, printer: Printer) -> None:
        named = isinstance(self.range, ConstantRangeAttr)
        if named:
            printer.print_string(" range " + str(self.range).removeprefix(f"#{ConstantRangeAttr.name}"))
        print_attributes(printer, self, ("range",) if named else ())
        printer.print_string(" : ")
        printer.print_attribute(self.res.type)


class ConstantRegisterOp(SpecialRegisterOp):
    """An op that reads a register which does not change by itself, as a clock does."""

    traits = traits_def(Pure())


def special_registers(
    names: Iterable[str], base: type[SpecialRegisterOp] = ConstantRegisterOp
) -> list[type[SpecialRegisterOp]]:
    """Return one op class of `base` per name: they differ in nothing else."""
    return [named(base, name) for name in names]
