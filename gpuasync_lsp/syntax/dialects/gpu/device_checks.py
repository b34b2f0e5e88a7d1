"""What MLIR's verifier demands of the gpu ops of kernels, in its own words (those of LLVM 22)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyFloat, IntegerType, MemRefType, VectorType
from xdsl.ir import Attribute, Operation, Region

from gpuasync_lsp.syntax.dialects.assembly import UnprefixedVerifyException, fail, same_type, typed
from gpuasync_lsp.syntax.dialects.gpu.attributes import AddressSpaceAttr, MMAMatrixType
from gpuasync_lsp.syntax.opaque import UnknownType

INTEGERS_ONLY = frozenset({"minsi", "minui", "maxsi", "maxui", "and", "or", "xor"})
FLOATS_ONLY = frozenset({"minnumf", "maxnumf", "minimumf", "maximumf"})

NUMBER = "Integer or Float"
NUMBERS = "Integer or Float or fixed-length vector of Integer or Float values of ranks 1"


def check_same(op: Operation, value: Attribute, result: Attribute) -> None:
    """Raise a VerifyException unless what a reduction takes and gives is of one type."""
    if not same_type(value, result):
        fail(op, "requires the same type for all operands and results")


def check_number(op: Operation, type: Attribute, words: str = NUMBERS) -> None:
    """Raise a VerifyException unless operand 0 has a `type` of the kind that `words` names."""
    shape = _shape(type) if words == NUMBERS else None
    if not _is_number(_element(type) if shape is not None and len(shape) == 1 else type):
        fail(op, f"operand #0 must be {words}, but got {typed(type)}")


def check_reduction(operation: str, type: Attribute) -> None:
    """Raise a VerifyException if a reduction by `operation` is none of values of `type`."""
    element = _element(type)
    is_wrong = (operation in INTEGERS_ONLY and not isinstance(element, IntegerType)) or (
        operation in FLOATS_ONLY and not isinstance(element, AnyFloat)
    )
    if is_wrong:
        raise UnprefixedVerifyException(
            f"`{operation}` reduction operation is not compatible with type {typed(_element(type))}"
        )


def check_reduction_body(body: Region, operation: str | None, type: Attribute) -> None:
    """Check the body of gpu.all_reduce, which stands in the place of an `operation`.

    Raises a VerifyException.
    """
    block = body.blocks.first
    if (block is None) != (operation is not None):
        raise UnprefixedVerifyException("expected either an op attribute or a non-empty body")
    if operation is not None:
        check_reduction(operation, type)
    if block is None:
        return
    if len(block.args) != 2:
        raise UnprefixedVerifyException("expected two region arguments")
    if not all(same_type(argument.type, type) for argument in block.args):
        raise UnprefixedVerifyException("incorrect region argument type")
    yields = [last for each in body.blocks if (last := each.last_op) and last.name == "gpu.yield"]
    for last in yields:
        if len(last.operands) != 1:
            raise UnprefixedVerifyException("expected one gpu.yield operand")
        if not same_type(last.operands[0].type, type):
            raise UnprefixedVerifyException("incorrect gpu.yield type")
    if not yields:
        raise UnprefixedVerifyException("expected gpu.yield op in region")


def check_power_of_two(op: Operation, what: str, number: int) -> None:
    """Raise a VerifyException unless `number`, the cluster size or stride, is a power of two."""
    if number <= 0 or number & (number - 1):
        fail(op, f"cluster {what} {number} is not a power of two")


def check_dynamic_shared_memory(op: Operation, type: MemRefType[Attribute]) -> None:
    """Raise a VerifyException unless `type` is a buffer of bytes of unknown size in workgroup memory."""
    shape = type.get_shape()
    if len(shape) != 1 or type.element_type != IntegerType(8):
        wanted = "1D memref of 8-bit signless integer values"
        fail(op, f"result #0 must be {wanted}, but got {typed(type)}")
    space = type.memory_space
    if not isinstance(space, AddressSpaceAttr) or space.data != "workgroup":
        fail(op, "address space must be address_space<workgroup>")
    if shape[0] != DYNAMIC_INDEX:
        fail(op, "result memref type must be memref<?xi8, #gpu.address_space<workgroup>>")


def check_matrix_product(a: Attribute, b: Attribute, c: Attribute) -> None:
    """Raise a VerifyException unless `c` can be the sum of itself and of `a` times `b`."""
    if not (isinstance(a, MMAMatrixType) and isinstance(b, MMAMatrixType) and isinstance(c, MMAMatrixType)):
        return
    if [each.operand.data for each in (a, b, c)] != ["AOp", "BOp", "COp"]:
        raise UnprefixedVerifyException("operands must be in the order AOp, BOp, COp")
    inner, rows, columns = a.columns == b.rows, a.rows == c.rows, b.columns == c.columns
    if not (inner and rows and columns):
        raise UnprefixedVerifyException("operand shapes do not satisfy matmul constraints")


def check_warp(
    op: Operation, arguments: Sequence[Attribute], results: Sequence[Attribute], size: int
) -> None:
    """Check how gpu.warp_execute_on_lane_0 spreads vectors over the lanes of a warp of `size`.

    Raises a VerifyException.
    """
    block = op.regions[0].blocks.first
    if block is None:
        return
    if len(block.args) != len(arguments):
        fail(op, "expected same number op arguments and block arguments.")
    last = block.last_op
    yielded: Sequence[Attribute] = ()
    if last is not None and last.name == "gpu.yield":
        yielded = last.operand_types
        if len(yielded) != len(results):
            fail(op, "expected same number of yield operands and return values.")
    pairs = [*zip(block.arg_types, arguments, strict=True), *zip(yielded, results, strict=False)]
    for expanded, distributed in pairs:
        _check_distributed(op, expanded, distributed, size)


def _check_distributed(op: Operation, expanded: Attribute, distributed: Attribute, size: int) -> None:
    if same_type(expanded, distributed):
        return
    whole, part = _shape(expanded), _shape(distributed)
    if whole is None or part is None:
        fail(op, "expected vector type for distributed operands.")
    if len(whole) != len(part):
        fail(op, "expected distributed vectors to have same rank.")
    shares = 1
    for all_of_it, share in zip(whole, part, strict=True):
        shares *= all_of_it // share if all_of_it % share == 0 else 0
    if shares != size:
        types = f"from {typed(expanded)} to {typed(distributed)}"
        fail(op, f"incompatible distribution dimensions {types} with warp size = {size}")


def _shape(type: Attribute) -> Sequence[int] | None:
    return cast(VectorType[Attribute], type).get_shape() if isinstance(type, VectorType) else None


def _element(type: Attribute) -> Attribute:
    return cast(VectorType[Attribute], type).element_type if isinstance(type, VectorType) else type


def _is_number(type: Attribute) -> bool:
    return isinstance(type, IntegerType | AnyFloat | UnknownType)
