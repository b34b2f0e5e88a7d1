"""Expands `nvgpu.ldmatrix` and `nvvm.ldmatrix` for CPU execution: lanes read and distribute 16-byte rows.

As the PTX ISA specifies for ldmatrix, lane `8 * tile + row` has the address of a row and reads it; shuffles
distribute the words. From each tile, a lane gets word `lane % 4` of row `lane / 4`; if transposed, the 16-bit
elements of rows `2 * (lane % 4)` and `2 * (lane % 4) + 1` in column `lane / 4`.
"""

from __future__ import annotations

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.passes.kernels.snippets import call_text
from gpuasync_lsp.lowering.passes.kernels.warp import bits_of, element_of
from gpuasync_lsp.syntax.checks.view import View
from gpuasync_lsp.syntax.dialects import nvgpu
from gpuasync_lsp.syntax.kinds import number_of
from gpuasync_lsp.syntax.ods.by_table import TableOp

_ROW_BITS = 128
_ROWS = 8

_HEAD = """
  %lane = gpu.lane_id
  %givers = arith.constant {givers} : index
  %gives = arith.cmpi ult, %lane, %givers : index
  %row = scf.if %gives -> (vector<4xi32>) {{
    {load}
    scf.yield %read : vector<4xi32>
  }} else {{
    %none = arith.constant dense<0> : vector<4xi32>
    scf.yield %none : vector<4xi32>
  }}
  %l = arith.index_cast %lane : index to i32
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %n3 = arith.constant 3 : i32
  %n4 = arith.constant 4 : i32
  %n16 = arith.constant 16 : i32
  %width = arith.constant 32 : i32
  %group = arith.shrui %l, %n2 : i32
  %thread = arith.andi %l, %n3 : i32
  %pair = arith.shli %thread, %n1 : i32
  %column = arith.shrui %group, %n1 : i32
  %odd = arith.andi %group, %n1 : i32
  %shift = arith.muli %odd, %n16 : i32
  %w0 = vector.extract %row[0] : i32 from vector<4xi32>
  %w1 = vector.extract %row[1] : i32 from vector<4xi32>
  %w2 = vector.extract %row[2] : i32 from vector<4xi32>
  %w3 = vector.extract %row[3] : i32 from vector<4xi32>
"""

_GIVEN = """
  %off{at} = arith.constant {offset} : i32
  %from{at} = arith.addi %{first}, %off{at} : i32
  %a{at}, %a{at}ok = gpu.shuffle idx %w0, %from{at}, %width : i32
  %b{at}, %b{at}ok = gpu.shuffle idx %w1, %from{at}, %width : i32
  %c{at}, %c{at}ok = gpu.shuffle idx %w2, %from{at}, %width : i32
  %d{at}, %d{at}ok = gpu.shuffle idx %w3, %from{at}, %width : i32
  %is1{at} = arith.cmpi eq, %{which}, %n1 : i32
  %is2{at} = arith.cmpi eq, %{which}, %n2 : i32
  %is3{at} = arith.cmpi eq, %{which}, %n3 : i32
  %x{at} = arith.select %is1{at}, %b{at}, %a{at} : i32
  %y{at} = arith.select %is2{at}, %c{at}, %x{at} : i32
  %z{at} = arith.select %is3{at}, %d{at}, %y{at} : i32
"""
"""MLIR that defines `%z...` as word `which` of the row that lane `first + offset` has read."""

_PAIR = """
  %low{tile} = arith.shrui %z{lower}, %shift : i32
  %high{tile} = arith.shrui %z{upper}, %shift : i32
  %l16{tile} = arith.trunci %low{tile} : i32 to i16
  %lower{tile} = arith.extui %l16{tile} : i16 to i32
  %upper{tile} = arith.shli %high{tile}, %n16 : i32
  %t{tile} = arith.ori %lower{tile}, %upper{tile} : i32
"""


def load_matrix(op: Operation) -> list[SSAValue] | None:
    """Insert the expansion of an ldmatrix before it; return its results, or None if it is not supported."""
    return _of_memref(op) if isinstance(op, nvgpu.LdMatrixOp) else _of_pointer(op)


def _of_memref(op: TableOp) -> list[SSAValue] | None:
    element = element_of(op.src_memref)
    tiles, per = op.res.type.get_shape()
    bits = bits_of(element)
    transposed = bool(op.transpose.value.data)
    if (
        bits not in (8, 16, 32)
        or bits * per != 32
        or element_of(op.res) != element
        or (transposed and bits != 16)
    ):
        return None
    indices = [f"%i{number}" for number in range(len(op.indices))]
    source, row = op.src_memref.type, VectorType(element, [_ROW_BITS // bits])
    place = f"%m[{', '.join(indices)}] {{alignment = 16 : i64}}"
    load = f"%as = vector.load {place} : {source}, {row}\n"
    load += f"%read = vector.bitcast %as : {row} to vector<4xi32>"
    code = _words(load, tiles, transposed)
    register, result = VectorType(element, [per]), op.res.type
    last = "%v0"
    lines = [f"%v0 = arith.constant dense<0{'' if _is_integer(element) else '.0'}> : {result}"]
    for tile in range(tiles):
        lines += [
            f"%o{tile} = vector.broadcast %t{tile} : i32 to vector<1xi32>",
            f"%r{tile} = vector.bitcast %o{tile} : vector<1xi32> to {register}",
            f"%v{tile + 1} = vector.insert %r{tile}, {last}[{tile}] : {register} into {result}",
        ]
        last = f"%v{tile + 1}"
    taken = ", ".join([f"%m: {source}", *(f"{index}: index" for index in indices)])
    text = f"func.func private @NAME({taken}) -> {result} {{\n{code}\n"
    text += "\n".join([*lines, f"return {last} : {result}", "}", ""])
    return list(call_text(op, text, [op.src_memref, *op.indices], [result]).results)


def _is_integer(element: Attribute) -> bool:
    return element.name.startswith("integer")


def _of_pointer(op: Operation) -> list[SSAValue] | None:
    view = View(op)
    shape = view.attribute("shape")
    if view.word("eltType") not in (None, "b16") or (shape is not None and "m = 8, n = 8" not in str(shape)):
        return None
    tiles, (pointer,) = number_of(view.attribute("num")), op.operands
    load = f"%read = llvm.load %p {{alignment = 16 : i64}} : {pointer.type} -> vector<4xi32>"
    result = op.results[0].type
    lines = [_words(load, tiles, view.word("layout") == "col")]
    last = "%t0"
    if tiles > 1:
        lines.append(f"%v0 = llvm.mlir.undef : {result}")
        for tile in range(tiles):
            lines.append(f"%v{tile + 1} = llvm.insertvalue %t{tile}, %v{tile}[{tile}] : {result}")
        last = f"%v{tiles}"
    text = f"func.func private @NAME(%p: {pointer.type}) -> {result} {{\n"
    text += "\n".join([*lines, f"return {last} : {result}", "}", ""])
    return list(call_text(op, text, [pointer], [result]).results)


def _words(load: str, tiles: int, transposed: bool) -> str:
    """Return the code that defines `%t0`, `%t1`, ...: the lane's register of each tile."""
    code = _HEAD.format(givers=_ROWS * tiles, load=load)
    for tile in range(tiles):
        if transposed:
            for at in range(2):
                code += _GIVEN.format(
                    at=f"{tile}_{at}", offset=_ROWS * tile + at, first="pair", which="column"
                )
            code += _PAIR.format(tile=tile, lower=f"{tile}_0", upper=f"{tile}_1")
        else:
            code += _GIVEN.format(at=f"{tile}_0", offset=_ROWS * tile, first="group", which="thread")
            code += f"  %t{tile} = arith.addi %z{tile}_0, %n0 : i32\n"
    return code
