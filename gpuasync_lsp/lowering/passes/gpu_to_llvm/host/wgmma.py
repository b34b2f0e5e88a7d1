"""`nvvm.wgmma.mma_async`, an MMA by four warps, becomes PTX in `llvm.inline_asm`.

Source: the output of mlir-opt 19 to 24; LLVM 18's different format of the op is not parsed.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import Float32Type, IntegerAttr, IntegerType, StringAttr, i16, i32, i64
from xdsl.ir import Attribute, Operation

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.syntax.checks.nvvm.parts import members, sizes
from gpuasync_lsp.syntax.checks.view import NotKnown, View
from gpuasync_lsp.syntax.dialects import llvm
from gpuasync_lsp.syntax.dialects.assembly import UNIT, i64_attr
from gpuasync_lsp.syntax.ods.operation import op_classes

_SCALES = {"one": 1, "neg": -1}
_REGISTERS = {i16: "h", i32: "r", i64: "l"}


class WarpGroupProduct(ConversionPattern[Operation], ops=op_classes("nvvm.wgmma.mma_async")):
    """`nvvm.wgmma.mma_async` becomes PTX that updates each member of the accumulator in its register."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        view = View(op)
        try:
            types = members(view.type("inouts"))
            registers = [_register(type) for type in types]
            constants = _constants(view)
            text = _text(view, len(types), len(constants))
        except NotKnown:
            rewriter.match_failure("this tool does not support its registers or types")
        numbers = [build.constant(rewriter, IntegerAttr(number, i32), i32) for number in constants]
        inout = rewriter.lowered(view.values("inouts")[0])
        values = [build.extract_value(rewriter, inout, number) for number in range(len(types))]
        values += rewriter.lowered_all([*view.values("descriptorA"), *view.values("descriptorB")])
        constraints = [
            *(f"={each}" for each in registers),
            *(str(number) for number in range(len(types))),
            *("l", "l"),
            *("n" for _ in numbers),
        ]
        product = rewriter.create(
            llvm.InlineAsmOp,
            [*values, *numbers],
            op.results[0].type,
            {
                "asm_string": StringAttr(text),
                "constraints": StringAttr(",".join(constraints)),
                "has_side_effects": UNIT,
                "asm_dialect": i64_attr(0),
            },
        )
        rewriter.replace(op, [product])


def _constants(view: View) -> list[int]:
    """Return the constants after the descriptors: scale-d, the float inputs' scales, the transpositions."""
    constants = [int(view.word("scaleD") == "one")]
    if view.word("typeD") != "s32":
        constants += [_SCALES[view.word(name) or ""] for name in ("scaleA", "scaleB")]
    if view.word("typeA") in ("f16", "bf16"):
        constants += [int(view.word("layoutA") == "col"), int(view.word("layoutB") == "row")]
    return constants


def _text(view: View, count: int, constants: int) -> str:
    """Return the PTX of an MMA with `count` registers and `constants` constants."""
    shape = sizes(view, "shape")
    name = "".join(f"{letter}{shape[letter]}" for letter in "mnk" if letter in shape)
    name += "".join(f".{view.word(type)}" for type in ("typeD", "typeA", "typeB"))
    saturates = ".satfinite" if view.word("satfinite") == "satfinite" else ""
    first = 2 * count
    text = f"{{\n.reg .pred p;\nsetp.ne.b32 p, ${first + 2}, 0;\n"
    text += f"wgmma.mma_async.sync.aligned.{name}{saturates} "
    text += "{" + ", ".join(f"${number}" for number in range(count)) + f"}}, ${first}, ${first + 1}, p"
    for number in range(1, constants):
        # The spaces are those of mlir-opt: `p, $11,  $12, $13,  $14;`.
        text += f",{' ' * (2 - number % 2)}${first + 2 + number}"
    return text + ";\n}\n"


def _register(type: Attribute) -> str:
    """Return the register constraint of a member. Raises NotKnown for types that MLIR rejects (f16)."""
    if isinstance(type, Float32Type):
        return "f"
    if isinstance(type, IntegerType) and type in _REGISTERS:
        return _REGISTERS[type]
    raise NotKnown


PATTERNS: Sequence[AnyPattern] = (WarpGroupProduct(),)
