"""Lowers vector.outerproduct, and builds the arithmetic of contractions.

Source: `OuterProductOpLowering` and `createContractArithOp` in
mlir/lib/Dialect/Vector/Transforms/LowerVectorContract.cpp, `makeArithReduction` in VectorOps.cpp.
"""

from __future__ import annotations

from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion.worklist import Rewriter
from gpuasync_lsp.lowering.passes.convert_vector_to_llvm import making
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.building import Builder
from gpuasync_lsp.lowering.passes.kernels.names import op_class
from gpuasync_lsp.syntax.dialects import arith, vector
from gpuasync_lsp.syntax.kinds import text_of, vector_type

_OF_FLOATS = {
    "add": "addf",
    "mul": "mulf",
    "minf": "minimumf",
    "maxf": "maximumf",
    "minnumf": "minnumf",
    "maxnumf": "maxnumf",
    "minimumf": "minimumf",
    "maximumf": "maximumf",
}
_OF_INTEGERS = {
    "add": "addi",
    "mul": "muli",
    "minsi": "minsi",
    "maxsi": "maxsi",
    "minui": "minui",
    "maxui": "maxui",
    "and": "andi",
    "or": "ori",
    "xor": "xori",
}
_RENAMED = {"minimumf": "minf", "maximumf": "maxf"}
"""Maps names of arith ops to their names through LLVM 17."""


def lower_outer_product(product: vector.OuterProductOp, rewriter: Rewriter) -> bool:
    """Multiply each element of the first vector by the second vector, and insert the products as rows."""
    result = vector_type(product.result.type)
    if len(result.get_shape()) > 1 and making.scalable(result)[0]:
        return False
    kind = kind_of(product)
    if kind not in (_OF_FLOATS if is_float(result) else _OF_INTEGERS):
        return False
    outer = product.parent_op()
    root, mask = (outer, outer.mask) if isinstance(outer, vector.MaskOp) else (product, None)
    builder = Builder(rewriter, root)
    right = making.as_vector(product.rhs.type)
    if right is None:
        repeated = making.broadcast(builder, product.rhs, product.lhs.type)
        rewriter.replace(root, [multiplied(builder, product.lhs, repeated, product.acc, kind, mask)])
        return True
    whole = making.zero(builder, result)
    for place in range(result.get_shape()[0]):
        element = making.extract(builder, product.lhs, place)
        repeated = making.broadcast(builder, element, right)
        sum_so_far = None if product.acc is None else making.extract(builder, product.acc, place)
        lanes = None if mask is None else making.extract(builder, mask, place)
        row = multiplied(builder, repeated, product.rhs, sum_so_far, kind, lanes)
        whole = making.insert(builder, row, whole, place)
    rewriter.replace(root, [whole])
    return True


def kind_of(op: Operation) -> str:
    """Return the combining kind of a product or contraction."""
    return text_of(op.properties["kind"])


def is_float(type: Attribute) -> bool:
    """Return whether `type`, or the element type of a vector, is a float."""
    shape = making.as_vector(type)
    return isinstance(type if shape is None else shape.element_type, AnyFloat)


def multiplied(
    builder: Builder,
    left: SSAValue,
    right: SSAValue,
    acc: SSAValue | None,
    kind: str,
    mask: SSAValue | None = None,
) -> SSAValue:
    """Emit `left * right`, combined with `acc` if given; `mask` selects between the result and `acc`."""
    into = None if acc is None else making.as_vector(acc.type)
    if acc is not None and into is not None and is_float(left.type) and kind == "add":
        fma = builder.create(vector.FMAOp, [left, right, acc], into)
        return _chosen(builder, fma, acc, mask)
    product = arithmetic(builder, "mul", left, right)
    return product if acc is None else _chosen(builder, arithmetic(builder, kind, product, acc), acc, mask)


def _chosen(builder: Builder, value: SSAValue, otherwise: SSAValue, mask: SSAValue | None) -> SSAValue:
    if mask is None:
        return value
    types: list[Attribute] = [value.type]
    return builder.value(arith.SelectOp.create(operands=[mask, value, otherwise], result_types=types))


def arithmetic(builder: Builder, kind: str, left: SSAValue, right: SSAValue) -> SSAValue:
    """Insert an arith op that combines two values."""
    floats = is_float(left.type)
    name = (_OF_FLOATS if floats else _OF_INTEGERS)[kind]
    if not builder.profile.extrema_have_new_names:
        name = _RENAMED.get(name, name)
    properties: dict[str, Attribute] = {"fastmath": arith.NO_FASTMATH} if floats else {}
    types: list[Attribute] = [left.type]
    made = op_class(f"arith.{name}").create(operands=[left, right], result_types=types, properties=properties)
    return builder.value(made)
