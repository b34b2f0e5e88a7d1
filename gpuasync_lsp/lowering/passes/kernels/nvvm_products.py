"""Rewrites `nvvm.mma.sync` as `nvgpu.mma.sync`, whose operands are fragments, for CPU execution.

MMAs of f16, bf16, tf32 and f64, and of s8 and s4 with wrapping sums, are supported; their registers
have the order of the rows in nvgpu's fragments (`warp_ops.py`). Other MMAs are not expanded, such as
8x8x4 of f16, which has a different layout.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from gpuasync_lsp.lowering.conversion.edits import replace
from gpuasync_lsp.lowering.passes.kernels.snippets import call_text
from gpuasync_lsp.syntax.checks.nvvm.parts import sizes
from gpuasync_lsp.syntax.checks.view import View
from gpuasync_lsp.syntax.dialects import gpu
from gpuasync_lsp.syntax.ods.by_hand.products import element_of

_ELEMENTS = {"f16": "f16", "bf16": "bf16", "tf32": "f32", "f64": "f64", "s8": "i8", "s4": "i4"}
_PER_REGISTER = {"f16": 2, "bf16": 2, "tf32": 1, "f64": 1, "s8": 4, "s4": 8}
_SUMS = {"f16": "f16", "f32": "f32", "s32": "i32", "f64": "f64"}


def expand_nvvm_products(module: gpu.GPUModuleOp) -> None:
    """Replace the MMAs in `module` with nvgpu's, in place; call it before `expand_warp_ops`."""
    for op in list(module.walk()):
        if op.name == "nvvm.mma.sync" and (text := _text(View(op))) is not None:
            made = call_text(op, text, list(op.operands), [each.type for each in op.results])
            replace(op, made.results)


def _text(view: View) -> str | None:
    kind, shape = view.word("multiplicandAPtxType") or "", sizes(view, "shape")
    groups = [view.values(f"operand{name}") for name in "ABC"]
    if kind not in _ELEMENTS or view.word("multiplicandBPtxType") != kind or not all(groups):
        return None
    (m, n, k), result = (shape[each] for each in "mnk"), view.op.results[0].type
    sums = [_SUMS.get(element_of(type, is_sum=True) or "") for type in (groups[2][0].type, result)]
    if (m == 8 and kind == "f16") or n != 8 or sums[0] is None or sums[0] != sums[1]:
        return None
    if (view.word("layoutA"), view.word("layoutB")) != ("row", "col"):
        return None
    if view.word("intOverflowBehavior") not in (None, "wrapped"):
        return None
    element, per = _ELEMENTS[kind], _PER_REGISTER[kind]
    pair = f"vector<2x{sums[0]}>"
    lines: list[str] = []
    fragments = [
        _fragment(lines, letter, values, f"vector<{per}x{element}>", f"vector<{len(values)}x{per}x{element}>")
        for letter, values in zip("ab", groups, strict=False)
    ]
    halves = m // 8
    whole = f"vector<{halves}x2x{sums[0]}>"
    fragments.append(_sums(lines, groups[2], halves, pair, whole))
    names, types = zip(*fragments, strict=True)
    options = f"mmaShape = [{m}, {n}, {k}]" + (", tf32Enabled" if kind == "tf32" else "")
    lines.append(
        f"%d = nvgpu.mma.sync({', '.join(names)}) {{{options}}} : ({', '.join(types)}) -> {whole}",
    )
    last = _made(lines, halves, str(sums[0]), pair, whole, str(result), len(groups[2]) == halves)
    parameters = [
        f"%{letter}{n}: {v.type}" for letter, g in zip("abc", groups, strict=True) for n, v in enumerate(g)
    ]
    head = f"func.func private @NAME({', '.join(parameters)}) -> {result} {{"
    return "\n".join([head, *lines, f"return {last} : {result}", "}", ""])


def _fragment(
    lines: list[str], letter: str, values: Sequence[SSAValue], register: str, whole: str
) -> tuple[str, str]:
    """Emit code that packs registers into a fragment; return its name and type."""
    lines.append(f"%{letter}_0 = ub.poison : {whole}")
    for number, value in enumerate(values):
        name = f"%{letter}{number}"
        if str(value.type) != register:
            one = f"vector<1x{value.type}>"
            lines.append(f"{name}v = vector.broadcast {name} : {value.type} to {one}")
            given, name = f"{name}v", f"{name}w"
            lines.append(f"{name} = vector.bitcast {given} : {one} to {register}")
        put = f"vector.insert {name}, %{letter}_{number}[{number}] : {register} into {whole}"
        lines.append(f"%{letter}_{number + 1} = {put}")
    return f"%{letter}_{len(values)}", whole


def _sums(
    lines: list[str], values: Sequence[SSAValue], halves: int, pair: str, whole: str
) -> tuple[str, str]:
    """Emit code that packs the accumulators, two per row, into a fragment; return its name and type."""
    lines.append(f"%c_0 = ub.poison : {whole}")
    if len(values) == halves:
        for number in range(halves):
            lines.append(
                f"%c_{number + 1} = vector.insert %c{number}, %c_{number}[{number}] : {pair} into {whole}"
            )
    else:
        for number, value in enumerate(values):
            at = f"{number // 2}, {number % 2}"
            lines.append(
                f"%c_{number + 1} = vector.insert %c{number}, %c_{number}[{at}] : {value.type} into {whole}"
            )
    return f"%c_{len(values)}", whole


def _made(
    lines: list[str], halves: int, element: str, pair: str, whole: str, result: str, in_pairs: bool
) -> str:
    """Emit code that unpacks the resulting fragment into the result struct; return the struct's name."""
    lines.append(f"%s0 = llvm.mlir.undef : {result}")
    places = (
        [str(n) for n in range(halves)] if in_pairs else [f"{n // 2}, {n % 2}" for n in range(2 * halves)]
    )
    for number, place in enumerate(places):
        lines.append(
            f"%e{number} = vector.extract %d[{place}] : {pair if in_pairs else element} from {whole}"
        )
        lines.append(f"%s{number + 1} = llvm.insertvalue %e{number}, %s{number}[{number}] : {result}")
    return f"%s{len(places)}"
