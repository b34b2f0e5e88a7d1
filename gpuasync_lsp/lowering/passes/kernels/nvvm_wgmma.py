"""Expands `nvvm.wgmma.mma_async`, an MMA of workgroup memory matrices, for CPU execution.

Each of 128 threads computes its elements of D (`warpgroups.py`) synchronously, so waits for it are
no-ops. A descriptor is decoded as the PTX ISA specifies ("Matrix Descriptor Format" of `wgmma`): at bit
0 the address, at bit 16 the leading and at bit 32 the stride byte offset, each without its 4 lowest
bits; at bit 62 the swizzle: none, 128, 64 or 32 bytes. Matrices are stored in rows of that many bytes
(16 without a swizzle), eight to a group, along K, or, for transposed 16-bit elements, along M or N. The
groups of 16 bytes in a row are permuted by bits 7 to 9 of their address.

A descriptor contains the 18 lowest bits of an address; the address closest to a variable of the kernel
is used. Elements may be f16, bf16, tf32, s8 and u8; other MMAs, and saturating ones, are not
expanded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType, StringAttr, SymbolRefAttr, UnitAttr, i8
from xdsl.ir import SSAValue

from gpuasync_lsp.lowering.conversion.edits import replace
from gpuasync_lsp.lowering.passes.expand_vectors.elements import Builder
from gpuasync_lsp.lowering.passes.kernels.mbarriers import WORKGROUP
from gpuasync_lsp.lowering.passes.kernels.snippets import call_text
from gpuasync_lsp.lowering.passes.kernels.warpgroups import HEAD, PLACE, drop_waits
from gpuasync_lsp.syntax.checks.nvvm.parts import members, sizes
from gpuasync_lsp.syntax.checks.view import NotKnown, View
from gpuasync_lsp.syntax.dialects import gpu, memref

_BASE = MemRefType(i8, [1], memory_space=WORKGROUP)
_NAME = "gpuasync_wgmma"
_BYTES = {"f16": 2, "bf16": 2, "tf32": 4, "s8": 1, "u8": 1}
_ELEMENTS = {"f16": "f16", "bf16": "bf16", "tf32": "f32", "s8": "i8", "u8": "i8"}
_SUMS = {"f16": "f16", "f32": "f32", "s32": "i32"}

_DESCRIPTOR = """
  %start0@ = arith.andi %d@, %low14 : i64
  %start@ = arith.shli %start0@, %n4 : i64
  %l0@ = arith.shrui %d@, %n16 : i64
  %l1@ = arith.andi %l0@, %low14 : i64
  %leading@ = arith.shli %l1@, %n4 : i64
  %s0@ = arith.shrui %d@, %n32 : i64
  %s1@ = arith.andi %s0@, %low14 : i64
  %stride@ = arith.shli %s1@, %n4 : i64
  %mode@ = arith.shrui %d@, %n62 : i64
  %plain@ = arith.cmpi eq, %mode@, %n0 : i64
  %wide@ = arith.shrui %n256, %mode@ : i64
  %width@ = arith.select %plain@, %n16, %wide@ : i64
  %chunks@ = arith.shrui %width@, %n4 : i64
  %mask@ = arith.subi %chunks@, %n1 : i64
  %far@ = arith.select %plain@, %stride@, %leading@ : i64
  %near@ = arith.select %plain@, %leading@, %stride@ : i64
  %step@ = arith.select %plain@, %leading@, %n16 : i64
  %away0@ = arith.subi %start@, %base : i64
  %away1@ = arith.addi %away0@, %slack : i64
  %away2@ = arith.andi %away1@, %low18 : i64
  %away@ = arith.subi %away2@, %slack : i64
  %first@ = arith.addi %base, %away@ : i64
"""

_ALONG_K = """
      %byte@ = arith.muli %kw, %bytes : i64
      %chunk@ = arith.divui %byte@, %n16 : i64
      %o0@ = arith.remui %byte@, %n16 : i64
      %o1@ = arith.muli %chunk@, %step@ : i64
      %group@ = arith.divui %at@, %n8 : i64
      %o2@ = arith.muli %group@, %stride@ : i64
      %inner@ = arith.remui %at@, %n8 : i64
      %o3@ = arith.muli %inner@, %width@ : i64
"""
_ALONG_MN = """
      %byte@ = arith.muli %at@, %bytes : i64
      %row@ = arith.divui %byte@, %width@ : i64
      %o0@ = arith.remui %byte@, %width@ : i64
      %o1@ = arith.muli %row@, %far@ : i64
      %group@ = arith.divui %kw, %n8 : i64
      %o2@ = arith.muli %group@, %near@ : i64
      %inner@ = arith.remui %kw, %n8 : i64
      %o3@ = arith.muli %inner@, %width@ : i64
"""
_LOAD = """
      %p0@ = arith.addi %first@, %o0@ : i64
      %p1@ = arith.addi %p0@, %o1@ : i64
      %p2@ = arith.addi %p1@, %o2@ : i64
      %p3@ = arith.addi %p2@, %o3@ : i64
      %b0@ = arith.shrui %p3@, %n7 : i64
      %b1@ = arith.andi %b0@, %mask@ : i64
      %b2@ = arith.shli %b1@, %n4 : i64
      %p4@ = arith.xori %p3@, %b2@ : i64
      %p@ = llvm.inttoptr %p4@ : i64 to !llvm.ptr<3>
      %e@ = llvm.load %p@ : !llvm.ptr<3> -> {element}
"""


@dataclass(frozen=True)
class _Product:
    rows: str
    """The element type of A and B in memory, as MLIR text."""
    kinds: Sequence[str]
    sum: str
    columns: int
    depth: int
    transposed: Sequence[bool]
    negated: bool
    adds: bool
    result: str
    registers: int


def expand_wgmma(module: gpu.GPUModuleOp) -> None:
    """Expand the MMAs in `module` in place if all of them are supported; otherwise do nothing."""
    ops = [op for op in module.walk() if op.name == "nvvm.wgmma.mma_async"]
    products = [_product(View(op)) for op in ops]
    if not ops or None in products:
        return
    _declare(module)
    for op, product in zip(ops, products, strict=True):
        assert product is not None
        view = View(op)
        base = Builder(op).create(memref.GetGlobalOp, [], _BASE, {"name": SymbolRefAttr(_NAME)})
        operands: list[SSAValue] = [view.values(f"descriptor{letter}")[0] for letter in "AB"]
        operands += [view.values("inouts")[0], base]
        made = call_text(op, _text(product), operands, [op.results[0].type])
        replace(op, made.results)
    drop_waits(module)


def _product(view: View) -> _Product | None:
    try:
        kinds = [view.word(f"type{letter}") or "" for letter in "AB"]
        shape, into = sizes(view, "shape"), _SUMS.get(view.word("typeD") or "")
        count = len(members(view.type("inouts")))
        signs = [view.word(f"scale{letter}") == "neg" for letter in "AB"]
        layouts = [view.word("layoutA") == "col", view.word("layoutB") == "row"]
        saturates = view.word("satfinite") == "satfinite"
        adds = view.word("scaleD") == "one"
    except NotKnown:
        return None
    known = kinds[0] in _BYTES and (kinds[0] == kinds[1] or {*kinds} == {"s8", "u8"})
    per_register = 2 if into == "f16" else 1
    if not known or into is None or saturates or (into == "i32") != (kinds[0] in ("s8", "u8")):
        return None
    if (any(layouts) and _BYTES[kinds[0]] != 2) or count * per_register != shape["n"] // 2:
        return None
    negated, result = signs[0] != signs[1], str(view.op.results[0].type)
    return _Product(
        _ELEMENTS[kinds[0]], kinds, into, shape["n"], shape["k"], layouts, negated, adds, result, count
    )


def _declare(module: gpu.GPUModuleOp) -> None:
    """Declare a variable whose address is close to all workgroup memory of a block."""
    place = memref.GlobalOp.create(
        properties={"sym_name": StringAttr(_NAME), "type": _BASE, "initial_value": UnitAttr()}
    )
    body = module.body_region.blocks[0]
    first = body.first_op
    assert first is not None, "the module contains the kernel"
    place.location = first.location
    body.insert_op_before(place, first)


def _text(product: _Product) -> str:
    count = product.columns // 2
    wide = "i32" if product.sum == "i32" else "f32"
    sums = f"vector<{count}x{product.sum}>"
    register = "i32" if product.sum == "f16" else product.sum
    registers = f"vector<{product.registers}x{register}>"
    lines = [
        f"func.func private @NAME(%da: i64, %db: i64, %c: {product.result}, %words: {_BASE})"
        f" -> {product.result} {{",
        HEAD.format(half=count, count=count),
        f"  %depth = arith.constant {product.depth} : index",
        f"  %zero = arith.constant {'0' if wide == 'i32' else '0.0'} : {wide}",
        *(f"  %n{n} = arith.constant {n} : i64" for n in (0, 1, 4, 7, 8, 16, 32, 62, 256)),
        f"  %bytes = arith.constant {_BYTES[product.kinds[0]]} : i64",
        f"  %low14 = arith.constant {(1 << 14) - 1} : i64",
        f"  %low18 = arith.constant {(1 << 18) - 1} : i64",
        # Other workgroup variables may precede the variable at `%base`.
        f"  %slack = arith.constant {1 << 14} : i64",
        f"  %address = memref.extract_aligned_pointer_as_index %words : {_BASE} -> index",
        "  %base = arith.index_cast %address : index to i64",
        *(_DESCRIPTOR.replace("@", letter) for letter in "ab"),
        f"  %v0 = ub.poison : {registers}",
    ]
    for n in range(product.registers):
        lines.append(f"  %c{n}r = llvm.extractvalue %c[{n}] : {product.result}")
        lines.append(f"  %v{n + 1} = vector.insert %c{n}r, %v{n}[{n}] : {register} into {registers}")
    last = f"%v{product.registers}"
    if registers != sums:
        lines.append(f"  %sums = vector.bitcast {last} : {registers} to {sums}")
        last = "%sums"
    is_narrow = product.sum == "f16"
    widened = ["    %begin = arith.extf %old : f16 to f32"] if is_narrow else []
    narrowed = ["    %end = arith.truncf %new : f32 to f16"] if is_narrow else []
    begin, end = ("%begin", "%end") if is_narrow else ("%old", "%new")
    lines += [
        f"  %made = scf.for %i = %c0 to %count step %c1 iter_args(%v = {last}) -> ({sums}) {{",
        PLACE,
        "    %ata = arith.index_cast %row : index to i64",
        "    %atb = arith.index_cast %col : index to i64",
        f"    %old = vector.extract %v[%i] : {product.sum} from {sums}",
        *widened,
        f"    %new = scf.for %k = %c0 to %depth step %c1 iter_args(%acc = "
        f"{begin if product.adds else '%zero'}) -> ({wide}) {{",
        "      %kw = arith.index_cast %k : index to i64",
    ]
    for letter, transposed, kind in zip("ab", product.transposed, product.kinds, strict=True):
        place = (_ALONG_MN if transposed else _ALONG_K) + _LOAD.format(element=product.rows)
        lines.append(place.replace("@", letter))
        lines += _factor(letter, kind)
    add, times = ("addi", "muli") if wide == "i32" else ("addf", "mulf")
    lines.append(f"      %xy = arith.{times} %fa, %fb : {wide}")
    if product.negated:
        lines.append(f"      %signed = arith.negf %xy : {wide}")
    more = "%signed" if product.negated else "%xy"
    lines += [
        f"      %sum = arith.{add} %acc, {more} : {wide}",
        f"      scf.yield %sum : {wide}",
        "    }",
        *narrowed,
        f"    %put = vector.insert {end}, %v[%i] : {product.sum} into {sums}",
        f"    scf.yield %put : {sums}",
        "  }",
        f"  %r0 = llvm.mlir.undef : {product.result}",
    ]
    given = "%made"
    if registers != sums:
        lines.append(f"  %packed = vector.bitcast %made : {sums} to {registers}")
        given = "%packed"
    for n in range(product.registers):
        lines.append(f"  %m{n} = vector.extract {given}[{n}] : {register} from {registers}")
        lines.append(f"  %r{n + 1} = llvm.insertvalue %m{n}, %r{n}[{n}] : {product.result}")
    lines += [f"  return %r{product.registers} : {product.result}", "}", ""]
    return "\n".join(lines)


def _factor(letter: str, kind: str) -> list[str]:
    """Return code that converts an element to the factor `%fa` or `%fb`, of type f32 or i32."""
    if kind in ("s8", "u8"):
        return [f"      %f{letter} = arith.ext{kind[0]}i %e{letter} : i8 to i32"]
    if kind == "tf32":
        # tf32 has 10 mantissa bits: the hardware ignores the lowest 13 bits of an f32.
        return [
            f"      %w{letter} = arith.bitcast %e{letter} : f32 to i32",
            f"      %h{letter} = arith.constant -8192 : i32",
            f"      %t{letter} = arith.andi %w{letter}, %h{letter} : i32",
            f"      %f{letter} = arith.bitcast %t{letter} : i32 to f32",
        ]
    return [f"      %f{letter} = arith.extf %e{letter} : {kind} to f32"]
