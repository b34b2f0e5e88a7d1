"""Builders for ops of the llvm dialect.

Each function inserts at the rewriter's insertion point and returns the result. Ops are built with `create`,
which skips the checks of the op's constructor: a preview builds thousands of ops.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from xdsl.dialects.builtin import (
    BoolAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    UnregisteredAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import PTR
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import llvm
from gpuasync_lsp.syntax.dialects.llvm_attributes import (
    CConvAttr,
    FastmathFlagsAttr,
    LinkageAttr,
    LLVMFunctionType,
    TailCallKindAttr,
    element_at,
)
from gpuasync_lsp.syntax.ods.operation import OdsOperation, op_class

INDEX = IndexType()
DYNAMIC_GEP_INDEX = -(2**31)
"""The marker for a dynamic index among a getelementptr's constant indices."""

_CCONV = CConvAttr("ccc")
_NO_FASTMATH = FastmathFlagsAttr("none")
_VISIBILITY = IntegerAttr(0, i64)
_NO_BUNDLES = DenseArrayBase.from_list(i32, [])
_CALL = {
    "CConv": _CCONV,
    "TailCallKind": TailCallKindAttr("none"),
    "fastmathFlags": _NO_FASTMATH,
    "op_bundle_sizes": _NO_BUNDLES,
}


def table_op(name: str) -> type[OdsOperation]:
    """Return the class of an op, generated from its definition in the table of ops."""
    found = op_class(name)
    assert found is not None, name
    return found


def constant(
    rewriter: ConversionRewriter,
    value: Attribute,
    type: Attribute,
    attributes: Mapping[str, Attribute] | None = None,
) -> SSAValue:
    """Insert `llvm.mlir.constant(value) : type`; `attributes` are added to the op."""
    return rewriter.create(llvm.ConstantOp, [], type, {"value": value}, attributes=attributes or {})


def index_constant(rewriter: ConversionRewriter, value: int) -> SSAValue:
    """Insert `llvm.mlir.constant(value : index) : i64`, as MLIR does for sizes and strides."""
    return constant(rewriter, _index_attribute(value), rewriter.types.index)


def integer_constant(rewriter: ConversionRewriter, value: int, type: IntegerType = i32) -> SSAValue:
    """Insert `llvm.mlir.constant(value : type) : type`."""
    return constant(rewriter, IntegerAttr(value, type), type)


def zero(rewriter: ConversionRewriter, type: Attribute = PTR) -> SSAValue:
    """Insert the null pointer: `llvm.mlir.zero`, or its predecessor in older releases."""
    op = llvm.ZeroOp if rewriter.profile.null_is_zero else llvm.NullOp
    return rewriter.create(op, [], type)


def undefined(rewriter: ConversionRewriter, type: Attribute) -> SSAValue:
    """Insert `llvm.mlir.poison` (undef in older releases), from which an aggregate is built."""
    op = llvm.PoisonOp if rewriter.profile.poison_aggregates else llvm.UndefOp
    return rewriter.create(op, [], type)


def insert_value(rewriter: ConversionRewriter, value: SSAValue, into: SSAValue, *position: int) -> SSAValue:
    """Insert `llvm.insertvalue value, into[position]`."""
    return rewriter.create(llvm.InsertValueOp, [into, value], into.type, {"position": _positions(position)})


def extract_value(rewriter: ConversionRewriter, container: SSAValue, *position: int) -> SSAValue:
    """Insert `llvm.extractvalue container[position]`."""
    type = element_at(container.type, position)
    assert type is not None, "the position is one of the container's"
    return rewriter.create(llvm.ExtractValueOp, [container], type, {"position": _positions(position)})


def element_pointer(
    rewriter: ConversionRewriter,
    base: SSAValue,
    element: Attribute,
    indices: Sequence[int | SSAValue],
    flags: int = 0,
    type: Attribute | None = None,
) -> SSAValue:
    """Insert `llvm.getelementptr base[indices] : element`; the result type is `type`, or that of `base`."""
    return rewriter.create(
        llvm.GEPOp,
        [base, *(index for index in indices if isinstance(index, SSAValue))],
        base.type if type is None else type,
        {
            "elem_type": element,
            "noWrapFlags": _flags(flags),
            "rawConstantIndices": i32_array(
                tuple(DYNAMIC_GEP_INDEX if isinstance(index, SSAValue) else index for index in indices)
            ),
        },
    )


def size_in_bytes(
    rewriter: ConversionRewriter, element: Attribute, count: SSAValue, pointer: Attribute = PTR
) -> SSAValue:
    """Emit the size in bytes of `count` elements: the address of element `count` of an array at null."""
    end = element_pointer(rewriter, zero(rewriter, pointer), element, [count])
    return rewriter.create(llvm.PtrToIntOp, [end], rewriter.types.index)


def size_of(rewriter: ConversionRewriter, element: Attribute) -> SSAValue:
    """Emit the size in bytes of an element: the address of element 1 of an array at null."""
    end = element_pointer(rewriter, zero(rewriter), element, [1])
    return rewriter.create(llvm.PtrToIntOp, [end], rewriter.types.index)


def multiply(rewriter: ConversionRewriter, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """Insert `llvm.mul`."""
    return arithmetic(rewriter, llvm.MulOp, lhs, rhs)


def arithmetic(
    rewriter: ConversionRewriter, op: type[Operation], lhs: SSAValue, rhs: SSAValue, overflow: int = 0
) -> SSAValue:
    """Insert an integer op, with overflow flags if given."""
    return rewriter.create(op, [lhs, rhs], lhs.type, {"overflowFlags": _flags(overflow)})


def cast(rewriter: ConversionRewriter, op: type[Operation], value: SSAValue, type: Attribute) -> SSAValue:
    """Insert a conversion op such as bitcast, addrspacecast or sext."""
    return rewriter.create(op, [value], type)


def alloca(
    rewriter: ConversionRewriter,
    count: SSAValue,
    element: Attribute,
    alignment: int | None = None,
    type: Attribute = PTR,
) -> SSAValue:
    """Insert `llvm.alloca count x element`, which returns a pointer of `type`."""
    properties: dict[str, Attribute] = {"elem_type": element}
    if alignment is not None:
        properties["alignment"] = IntegerAttr(alignment, i64)
    return rewriter.create(llvm.AllocaOp, [count], type, properties)


def load(rewriter: ConversionRewriter, address: SSAValue, type: Attribute) -> SSAValue:
    """Insert `llvm.load`."""
    return rewriter.create(llvm.LoadOp, [address], type, {"ordering": IntegerAttr(0, i64)})


def store(rewriter: ConversionRewriter, value: SSAValue, address: SSAValue) -> Operation:
    """Insert `llvm.store` and return it."""
    return rewriter.add(
        llvm.StoreOp.create(operands=[value, address], properties={"ordering": IntegerAttr(0, i64)})
    )


def address_of(rewriter: ConversionRewriter, name: str, type: Attribute = PTR) -> SSAValue:
    """Insert `llvm.mlir.addressof @name`."""
    return rewriter.create(llvm.AddressOfOp, [], type, {"global_name": SymbolRefAttr(name)})


def global_constant(name: str, type: Attribute, value: Attribute, linkage: str) -> llvm.GlobalOp:
    """Create a constant `llvm.mlir.global`; the caller inserts it."""
    properties: dict[str, Attribute] = {
        "sym_name": StringAttr(name),
        "global_type": type,
        "linkage": LinkageAttr(linkage),
        "constant": UnitAttr(),
        "value": value,
        "addr_space": IntegerAttr(0, i32),
        "visibility_": IntegerAttr(0, i64),
    }
    return llvm.GlobalOp.create(properties=properties, regions=[Region()])


def memcpy(rewriter: ConversionRewriter, destination: SSAValue, source: SSAValue, size: SSAValue) -> None:
    """Insert `llvm.intr.memcpy`."""
    properties = {"isVolatile": BoolAttr.from_bool(False)}
    rewriter.add(
        table_op("llvm.intr.memcpy").create(operands=[destination, source, size], properties=properties)
    )


def call(
    rewriter: ConversionRewriter, callee: str, arguments: Sequence[SSAValue], results: Sequence[Attribute]
) -> Operation:
    """Insert `llvm.call @callee(arguments)`; return the op. Without `callee`, call the first argument."""
    properties: dict[str, Attribute] = {**_CALL, "operandSegmentSizes": i32_array((len(arguments), 0))}
    if callee:
        properties["callee"] = _reference(callee)
    return rewriter.add(llvm.CallOp.create(operands=arguments, result_types=results, properties=properties))


def branch(rewriter: ConversionRewriter, to: Block, arguments: Sequence[SSAValue]) -> None:
    """Insert `llvm.br`."""
    rewriter.add(llvm.BrOp.create(operands=arguments, successors=[to]))


def return_(
    rewriter: ConversionRewriter,
    values: Sequence[SSAValue],
    attributes: Mapping[str, Attribute] | None = None,
) -> None:
    """Insert `llvm.return`; `attributes` are added to the op."""
    rewriter.add(llvm.ReturnOp.create(operands=values, attributes=dict(attributes or {})))


def function_properties(
    name: StringAttr, type: LLVMFunctionType, linkage: str = "external"
) -> dict[str, Attribute]:
    """Return the properties of a `llvm.func`."""
    return {
        "CConv": _CCONV,
        "function_type": type,
        "linkage": _linkage(linkage),
        "sym_name": name,
        "visibility_": _VISIBILITY,
    }


def memory_effects(profile: Profile, arguments: str = "none") -> Attribute:
    """Return `#llvm.memory_effects` for a function that accesses only memory to which its arguments point.

    `arguments` is the kind of access, such as `read`."""
    _, locations = profile.memory_effects
    body = f"other = none, argMem = {arguments}, inaccessibleMem = none{locations}"
    kind = UnregisteredAttr.with_name_and_type("llvm.memory_effects", False)
    return kind("llvm.memory_effects", False, False, body)


@cache
def _index_attribute(value: int) -> Attribute:
    return IntegerAttr(value, INDEX)


@cache
def _positions(position: tuple[int, ...]) -> DenseArrayBase[IntegerType]:
    return DenseArrayBase.from_list(i64, position)


@cache
def i32_array(numbers: tuple[int, ...]) -> DenseArrayBase[IntegerType]:
    """Return `array<i32: ...>`."""
    return DenseArrayBase.from_list(i32, numbers)


@lru_cache(maxsize=1024)
def _reference(name: str) -> Attribute:
    return SymbolRefAttr(name)


@cache
def _linkage(word: str) -> Attribute:
    return LinkageAttr(word)


@cache
def _flags(bits: int) -> Attribute:
    return IntegerAttr(bits, i32)
