"""Translates nvvm ops of tensor cores, and conversions to and from narrow floats, to intrinsics.

Names and arguments are those of mlir-translate 22. Only a GPU executes these intrinsics: for a run on the
CPU, `lowering/passes/kernels` rewrites the supported ops first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from gpuasync_lsp.lowering.llvm_ir.intrinsics import Call, Made
from gpuasync_lsp.lowering.llvm_ir.types import ir_type
from gpuasync_lsp.syntax.checks.view import NotKnown, View
from gpuasync_lsp.syntax.ods.by_hand.products import element_of

Operands = Sequence[str]
_EIGHT_BITS = ("e4m3", "e5m2", "e3m2", "e2m3", "e2m1")
_NARROW = {
    "f4E2M1FN": "e2m1", "f6E2M3FN": "e2m3", "f6E3M2FN": "e3m2", "f8E4M3FN": "e4m3", "f8E5M2": "e5m2",
    "f8E8M0FNU": "ue8m0",
}  # fmt: skip
"""The names of narrow float types in intrinsics."""
_TENSOR = "ptr addrspace(6)"


def _shape(view: View) -> str:
    """Return the extents of a product or matrix: `m16n8k16`."""
    extents = re.findall(r"([mnk]) = (\d+)", str(view.attribute("shape")))
    return "".join(letter + number for letter, number in extents) or "m8n8"


def _load(view: View, operands: Operands) -> Call:
    return Call(_matrix(view, "ldmatrix", view.integer("num")), operands)


def _store(view: View, operands: Operands) -> Call:
    return Call(_matrix(view, "stmatrix", len(operands) - 1), operands)


def _matrix(view: View, name: str, count: int) -> str:
    transposed = ".trans" * (view.word("layout") == "col")
    element = view.word("eltType") if view.attribute("eltType") is not None else "b16"
    return f"{name}.sync.aligned.{_shape(view)}.x{count}{transposed}.{element}.p3"


def _product(view: View, operands: Operands) -> Call:
    operation = view.word("b1Op")
    layouts = f"{view.word('layoutA')}.{view.word('layoutB')}"
    name = "".join(f".{each}" for each in (operation or "").split("_") if each)
    return Call(f"mma{name}.{_shape(view)}.{layouts}{_saturating(view)}.{_signature(view)}", operands)


def _sparse_product(view: View, operands: Operands) -> Call:
    metadata = "sp.ordered.metadata" if view.is_set("orderedMetadata") else "sp"
    kind = f".kind.{view.word('kind')}" if view.attribute("kind") is not None else ""
    name = f"mma.{metadata}.{_shape(view)}.row.col{kind}{_saturating(view)}.{_signature(view)}"
    return Call(name, operands)


def _saturating(view: View) -> str:
    return ".satfinite" * (view.word("intOverflowBehavior") == "satfinite")


def _signature(view: View) -> str:
    """Return the types in a product's name. Source: MMA_SIGNATURE in NVVMOps.td."""
    left, right = (
        view.word(f"multiplicand{letter}PtxType")
        or element_of(view.types(f"operand{letter}")[0], is_sum=False)
        for letter in "AB"
    )
    sums = element_of(view.types("operandC")[0], is_sum=True)
    result = element_of(view.op.results[0].type, is_sum=True)
    if left in _EIGHT_BITS:
        return f"{result}.{left}.{right}.{sums}"
    if left == "f16":
        return f"{result}.{sums}"
    return f"{left}" if left == right else f"{left}.{right}"


def _group(view: View) -> str:
    return "cg2" if view.word("group") == "cta_2" else "cg1"


def _of_group(name: str) -> Callable[[View, Operands], Call]:
    """Return the translation of a tcgen05 op whose intrinsic is named after its group of blocks."""

    def write(view: View, operands: Operands) -> Call:
        mask = ".mc" * (name == "commit" and len(operands) == 2)
        shared = ".shared" * any(each.startswith("ptr addrspace(3)") for each in operands[:1])
        return Call(f"tcgen05.{name}{mask}{shared}.{_group(view)}", operands)

    return write


def _fence(view: View, operands: Operands) -> Call:
    return Call(f"tcgen05.fence.{view.word('kind')}.thread.sync", operands)


def _wait(view: View, operands: Operands) -> Call:
    return Call(f"tcgen05.wait.{'ld' if view.word('kind') == 'load' else 'st'}", operands)


def _copy(view: View, operands: Operands) -> Call:
    multicast, source = view.word("multicast"), view.word("srcFormat")
    shape = (view.word("shape") or "").removeprefix("shape_")
    shape += f"_{multicast}" if multicast not in (None, "none") else ""
    return Call(f"tcgen05.cp.{shape}.{f'{source}.' if source else ''}{_group(view)}", operands)


_WORDS_PER_STEP = {"16x64b": 1, "16x128b": 2, "16x256b": 4, "32x32b": 1, "16x32bx2": 1}
"""The 32-bit words that a thread moves in one repetition of a tensor memory access."""


def _tensor_access(kind: str, flag: str) -> Callable[[View, Operands], Call]:
    def write(view: View, operands: Operands) -> Call:
        shape = (view.word("shape") or "").removeprefix("shape_")
        vector = re.match(r"<(\d+)", ir_type(view.type("val" if kind == "st" else "res")))
        count = int(vector[1]) // _WORDS_PER_STEP[shape] if vector is not None else 1
        if kind == "st" and len(operands) == 3:  # The offset precedes the value.
            operands = [operands[0], operands[2], operands[1]]
        given = "true" if view.is_set(flag) else "false"
        return Call(f"tcgen05.{kind}.{shape}.x{count}", [*operands, f"i1 {given}"])

    return write


_KINDS = ("f16", "tf32", "f8f6f4", "i8")
_COLLECTORS = ("discard", "lastuse", "fill", "use")


def _tensor_product(name: str) -> Callable[[View, Operands], Call]:
    """Return the translation of `nvvm.tcgen05.NAME`, a product of a matrix in tensor or shared memory."""

    def write(view: View, operands: Operands) -> Call:
        collector = _COLLECTORS.index(view.word("collectorOp") or "discard")
        space = "tensor" if operands[1].startswith(_TENSOR) else "shared"
        group = 2 if view.word("ctaGroup") == "cta_2" else 1
        if "block_scale" in name:
            scale = view.word("blockScale")
            block = f".{scale}" if scale not in (None, "default") else ""
            base = name.removesuffix(".block_scale")
            full = f"tcgen05.{base}.{space}.{view.word('kind')}.block_scale{block}"
            return Call(full, [*operands, f"i32 {group}", f"i32 {collector}"])
        kind = _KINDS.index(view.word("kind") or "")
        if ".ws" in name:
            buffer = int((view.word("collectorBBuffer") or "b0").removeprefix("b"))
            mask = ".zero_col_mask" * view.count("zeroColMask")
            numbers = [f"i32 {each}" for each in (kind, buffer, collector)]
            return Call(f"tcgen05.{name}.{space}{mask}", [*operands, *numbers])
        full = f"tcgen05.{name}.{space}{'.scale_d' * view.count('scaleInputD')}"
        shift = ".ashift" * view.is_set("aShift")
        if view.count("disableOutputLane"):
            full += f".disable_output_lane.cg{group}{shift}"
            return Call(full, [*operands, f"i32 {kind}", f"i32 {collector}"])
        return Call(full + shift, [*operands, f"i32 {kind}", f"i32 {group}", f"i32 {collector}"])

    return write


def _modes(view: View) -> str:
    """Return the suffix of a conversion for rounding, ReLU and saturation."""
    rounding, saturation = view.word("rnd"), view.word("sat")
    text = f".{rounding}" if rounding not in (None, "none") else ""
    return text + ".relu" * view.is_set("relu") + ".satfinite" * (saturation == "satfinite")


def _type(view: View, name: str) -> str:
    found = str(view.attribute(name))
    if found not in _NARROW:
        raise NotKnown
    return _NARROW[found]


def _to_tf32(view: View, operands: Operands) -> Call:
    return Call(f"f2tf32{_modes(view)}", operands)


def _to_halves(name: str) -> Callable[[View, Operands], Call]:
    return lambda view, operands: Call(f"ff2{name}x2{_modes(view)}", operands)


def _narrowed(source: str) -> Callable[[View, Operands], Call]:
    """Return the translation of a conversion of two floats, named `source`, to a narrow type."""

    def write(view: View, operands: Operands) -> Call:
        type = _type(view, "dstTy")
        modes = _modes(view)
        if type != "ue8m0":
            saturates = ".satfinite" * type.startswith(("e2", "e3"))
            modes = f".rn{'.relu' * view.is_set('relu')}{saturates}"
        return Call(f"{source}.to.{type}x2{modes}", operands, "i16")

    return write


def _widened(to: str) -> Callable[[View, Operands], Call]:
    def write(view: View, operands: Operands) -> Call:
        type = _type(view, "srcType")
        modes = "" if type == "ue8m0" else f".rn{'.relu' * view.is_set('relu')}"
        how = "zext" if operands[0].startswith("i8 ") else "bitcast"
        return Call(f"{type}x2.to.{to}x2{modes}", [Made(f"{how} {operands[0]} to i16", "i16")])

    return write


def _rounded_at_random(view: View, operands: Operands) -> Call:
    relu = ".relu" * view.is_set("relu")
    return Call(f"f32x4.to.{_type(view, 'dstTy')}x4.rs{relu}.satfinite", operands)


def _dot(name: str) -> Callable[[View, Operands], Call]:
    def write(view: View, operands: Operands) -> Call:
        signs = [("s" if view.word(f"{each}_type") == "signed" else "u") for each in "ab"]
        words = [Made(f"bitcast {each} to i32", "i32") for each in operands[:2]]
        high = [f"i1 {'true' if view.is_set('b_hi') else 'false'}"] if name == "idp2a" else []
        return Call(f"{name}.{'.'.join(signs)}", [*words, *high, operands[2]])

    return write


CALLS: Mapping[str, Callable[[View, Operands], Call]] = {
    "nvvm.convert.bf16x2.to.f8x2": _narrowed("bf16x2"),
    "nvvm.convert.f16x2.to.f8x2": _narrowed("f16x2"),
    "nvvm.convert.f32x2.to.bf16x2": _to_halves("bf16"),
    "nvvm.convert.f32x2.to.f16x2": _to_halves("f16"),
    "nvvm.convert.f32x2.to.f4x2": _narrowed("ff"),
    "nvvm.convert.f32x2.to.f6x2": _narrowed("ff"),
    "nvvm.convert.f32x2.to.f8x2": _narrowed("ff"),
    "nvvm.convert.f32x4.to.f4x4": _rounded_at_random,
    "nvvm.convert.f32x4.to.f6x4": _rounded_at_random,
    "nvvm.convert.f32x4.to.f8x4": _rounded_at_random,
    "nvvm.convert.f4x2.to.f16x2": _widened("f16"),
    "nvvm.convert.f6x2.to.f16x2": _widened("f16"),
    "nvvm.convert.f8x2.to.bf16x2": _widened("bf16"),
    "nvvm.convert.f8x2.to.f16x2": _widened("f16"),
    "nvvm.convert.float.to.tf32": _to_tf32,
    "nvvm.dot.accumulate.2way": _dot("idp2a"),
    "nvvm.dot.accumulate.4way": _dot("idp4a"),
    "nvvm.ldmatrix": _load,
    "nvvm.mma.sp.sync": _sparse_product,
    "nvvm.mma.sync": _product,
    "nvvm.stmatrix": _store,
    "nvvm.tcgen05.alloc": _of_group("alloc"),
    "nvvm.tcgen05.commit": _of_group("commit"),
    "nvvm.tcgen05.cp": _copy,
    "nvvm.tcgen05.dealloc": _of_group("dealloc"),
    "nvvm.tcgen05.fence": _fence,
    "nvvm.tcgen05.ld": _tensor_access("ld", "pack"),
    "nvvm.tcgen05.relinquish_alloc_permit": _of_group("relinq.alloc.permit"),
    "nvvm.tcgen05.shift": _of_group("shift.down"),
    "nvvm.tcgen05.st": _tensor_access("st", "unpack"),
    "nvvm.tcgen05.wait": _wait,
} | {
    f"nvvm.tcgen05.{name}": _tensor_product(name)
    for name in ("mma", "mma.block_scale", "mma.sp", "mma.sp.block_scale", "mma.ws", "mma.ws.sp")
}
"""Translations by the name of the op."""
