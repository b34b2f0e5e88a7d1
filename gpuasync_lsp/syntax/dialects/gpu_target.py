"""Target attributes, shared by the dialects of GPU targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from gpuasync_lsp.releases import NEWEST, Fact
from gpuasync_lsp.syntax.kinds import is_integer_attr

ORDER = ("O", "triple", "chip", "features", "abi", "flags", "link")
"""MLIR's print order of target options; other options follow in the order of the source."""
_LEVEL = 2


class TargetAttr(ParametrizedAttribute):
    """A target of a gpu.module: `#nvvm.target<O = 3, chip = "sm_90">`; omitted options have default
    values."""

    options: DictionaryAttr

    DEFAULTS: ClassVar[Mapping[str, Fact[str]]] = {}
    """The default value of each option per release. An option with its default value is not printed."""

    @property
    def optimization_level(self) -> int:
        """The value of the option `O`; 2 if it is omitted."""
        level = self.options.data.get("O")
        return level.value.data if isinstance(level, IntegerAttr) else _LEVEL

    def text(self, option: str, llvm: int) -> str:
        """Return the value of a string option; its default in LLVM `llvm` if it is omitted."""
        value = self.options.data.get(option)
        if isinstance(value, StringAttr):
            return value.data
        default = self.DEFAULTS.get(option)
        return "" if default is None else default.value(llvm)

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
                if is_integer_attr(value):
                    printer.print_string(str(value.value.data))
                else:
                    printer.print_attribute(value)

    def _is_default(self, option: str, value: Attribute, llvm: int | None) -> bool:
        if option == "O":
            return self.optimization_level == _LEVEL
        default = self.DEFAULTS.get(option)
        if default is None or not isinstance(value, StringAttr):
            return False
        return value.data == default.value(NEWEST if llvm is None else llvm)


def _rank(option: str) -> int:
    return ORDER.index(option) if option in ORDER else len(ORDER)
