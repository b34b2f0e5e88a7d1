"""Prints the `custom` directives of MLIR's formats that `DIRECTIVES` does not include."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute
from xdsl.printer import Printer

from gpuasync_lsp.syntax.ods.custom.parts import Written, names
from gpuasync_lsp.syntax.ods.formats import Directive
from gpuasync_lsp.syntax.ods.reading import DYNAMIC, in_parentheses
from gpuasync_lsp.syntax.ods.writing.attributes import TextOf, numbers
from gpuasync_lsp.syntax.ods.writing.values import types_of
from gpuasync_lsp.syntax.printer import attribute_text

MAY_BE_NOTHING = (
    "AllReduceOperation",
    "AsyncDependencies",
    "OptionalDynamicIndexList",
    "SequenceOpOperands",
)
"""The `custom` directives that print nothing if their values are absent."""


def write_function_type(printer: Printer, inputs: Sequence[Attribute], outputs: Sequence[Attribute]) -> None:
    """Print a function type with MLIR's parentheses: `(f32) -> i32`."""
    with printer.in_parens():
        printer.print_list(inputs, printer.print_attribute)
    printer.print_string(" -> ")
    if len(outputs) == 1 and not attribute_text(outputs[0]).startswith("("):
        printer.print_attribute(outputs[0])
    else:
        with printer.in_parens():
            printer.print_list(outputs, printer.print_attribute)


def write_custom(written: Written, directive: Directive, text_of: TextOf | None) -> None:
    """Print a directive; `text_of` prints its attribute."""
    printer, put = written.printer, written.put
    properties = written.op.properties
    named = names(directive.arguments)
    match directive.function:
        case "SemiFunctionType":
            inputs, *outputs = (
                types_of(written, each) for each in directive.arguments if isinstance(each, Directive)
            )
            flat = [type for each in outputs for type in each]
            if flat:
                write_function_type(printer, inputs, flat)
            else:
                printer.print_list(inputs, printer.print_attribute)
        case "AllReduceOperation":
            value = properties.get(named[0])
            put("" if value is None or text_of is None else text_of(value) or "")
        case "AsyncDependencies":
            is_async = any(
                types_of(written, each) for each in directive.arguments if isinstance(each, Directive)
            )
            put("async" if is_async else "")
            if values := written.operands[named[0]]:
                put(" [" if is_async else "[")
                printer.print_list(values, printer.print_ssa_value)
                put("]")
        case "MNKDimensionList":
            sizes = [properties.get(name) for name in named]
            put("x".join(str(each.value.data) for each in sizes if isinstance(each, IntegerAttr)))
        case "TransformMatchDims":
            listed, inverted, whole = (properties.get(name) for name in named)
            text = ", ".join(map(str, numbers(listed)))
            put("all" if whole is not None else f"except({text})" if inverted is not None else text)
        case "SequenceOpOperands":
            values = [value for name in named for value in written.operands[name]]
            printer.print_list(values, printer.print_ssa_value)
            put(" : (" if len(values) > 1 else " : ")
            printer.print_list([value.type for value in values], printer.print_attribute)
            put(")" if len(values) > 1 else "")
        case _:
            _write_indices(written, directive)


def _write_indices(written: Written, directive: Directive) -> None:
    """Print `[%i, 2, [4]]`, with an SSA value for each dynamic size."""
    dynamic, static, *scalable = names(directive.arguments)
    values = iter(written.operands[dynamic])
    properties = written.op.properties
    flags = numbers(properties.get(scalable[0])) if scalable else ()
    opening, closing = "()" if in_parentheses(directive.arguments) else "[]"
    put = written.put
    put(opening)
    for index, number in enumerate(numbers(properties.get(static))):
        if index:
            put(", ")
        marked = index < len(flags) and bool(flags[index])
        if marked:
            put("[")
        value = next(values, None) if number == DYNAMIC else None
        if value is not None:
            written.printer.print_ssa_value(value)
        else:
            put(str(number))
        if marked:
            put("]")
    put(closing)
