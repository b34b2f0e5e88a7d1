"""Translates the C++ code of predicates, the leaves of TableGen's constraints, if it has a known form.

The inputs are the code of `CPred` records, the outputs are predicates for `predicates.py` (on one type or
attribute) and `op_predicates.py` (on a whole op). A leaf of unknown form becomes None: it is assumed to
hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Tree = list[Any]
"""A word and its arguments, some of which are trees: `["and", ["is", "memref"], ["rank", "==", 2]]`."""
Made = Callable[["re.Match[str]"], Tree]

MAX_LEAF = 1_000
"""The maximum length of translated code in characters; the known forms are shorter."""

BUILTIN = {
    "VectorType": "vector", "RankedTensorType": "ranked-tensor", "UnrankedTensorType": "unranked-tensor",
    "TensorType": "tensor", "MemRefType": "memref", "UnrankedMemRefType": "unranked-memref",
    "BaseMemRefType": "any-memref", "ShapedType": "shaped", "IndexType": "index", "IntegerType": "integer",
    "FloatType": "float", "ComplexType": "complex", "NoneType": "none", "FunctionType": "function",
    "TupleType": "tuple", "FixedVectorType": "fixed-vector", "ScalableVectorType": "scalable-vector",
    "BFloat16Type": "bf16", "FloatTF32Type": "tf32", "Float16Type": "f16", "Float32Type": "f32",
    "Float64Type": "f64", "Float80Type": "f80", "Float128Type": "f128",
    "Float8E4M3FNType": "f8E4M3FN", "Float8E5M2Type": "f8E5M2", "Float8E5M2FNUZType": "f8E5M2FNUZ",
    "Float8E4M3FNUZType": "f8E4M3FNUZ", "Float4E2M1FNType": "f4E2M1FN", "Float6E2M3FNType": "f6E2M3FN",
    "Float6E3M2FNType": "f6E3M2FN", "Float8E8M0FNUType": "f8E8M0FNU",
    "IntegerAttr": "#integer", "FloatAttr": "#float", "StringAttr": "#string", "ArrayAttr": "#array",
    "UnitAttr": "#unit", "BoolAttr": "#bool", "TypeAttr": "#type", "DictionaryAttr": "#dictionary",
    "FlatSymbolRefAttr": "#flat-symbol", "SymbolRefAttr": "#symbol", "AffineMapAttr": "#affine-map",
    "DenseI64ArrayAttr": "#i64-array", "DenseI32ArrayAttr": "#i32-array", "DenseI16ArrayAttr": "#i16-array",
    "DenseI8ArrayAttr": "#i8-array", "DenseBoolArrayAttr": "#bool-array", "DenseF32ArrayAttr": "#f32-array",
    "DenseF64ArrayAttr": "#f64-array", "ElementsAttr": "#elements", "DenseElementsAttr": "#dense",
    "DenseIntElementsAttr": "#dense-int",
    # Types and groups of types that MLIR defines in C++.
    "gpu::AsyncTokenType": "!gpu.async.token", "gpu::MMAMatrixType": "!gpu.mma_matrix",
    "gpu::SparseSpMatHandleType": "!gpu.sparse.spmat_handle",
    "gpu::SparseDnTensorHandleType": "!gpu.sparse.dntensor_handle",
    "gpu::SparseSpGEMMOpHandleType": "!gpu.sparse.spgemmop_handle",
    "LLVM::LLVMTokenType": "!llvm.token", "LLVM::LLVMFunctionType": "!llvm.func",
    "spirv::PointerType": "!spirv.ptr", "spirv::StructType": "!spirv.struct",
    "spirv::ArrayType": "!spirv.array", "spirv::RuntimeArrayType": "!spirv.rtarray",
    "spirv::MatrixType": "!spirv.matrix", "spirv::CooperativeMatrixType": "!spirv.coopmatrix",
    "spirv::TensorArmType": "!spirv.arm.tensor", "spirv::ImageType": "!spirv.image",
    "spirv::SampledImageType": "!spirv.sampled_image",
    "quant::QuantizedType": "any-quantized", "pdl::PDLType": "any-pdl",
    "transform::TransformHandleTypeInterface": "any-transform-op",
    "transform::TransformParamTypeInterface": "any-transform-param",
    "transform::TransformValueHandleTypeInterface": "any-transform-value",
    "acc::PointerLikeType": "any-pointer", "omp::PointerLikeType": "any-pointer",
}  # fmt: skip

_CAST = r"(?:\$_self\.cast<(?:::)?(?:mlir::)?\w+>\(\)|(?:::)?llvm::cast<(?:::)?(?:mlir::)?[\w:]+>\(\$_self\))"
_NUMBERS = r"\(\{(-?\d+(?:,-?\d+)*)\}\)"


def _numbers(text: str) -> list[int]:
    return [int(each) for each in text.split(",")]


_LEAVES: list[tuple[re.Pattern[str], Made]] = [
    (re.compile(r"true$"), lambda m: ["true"]),
    (re.compile(r"\$_self\.isF(\d+)\(\)$"), lambda m: ["is", f"f{m[1]}"]),
    (re.compile(r"\$_self\.isBF16\(\)$"), lambda m: ["is", "bf16"]),
    (re.compile(r"\$_self\.is(Signless|Signed|Unsigned|)Integer\((\d*)\)$"),
     lambda m: ["int", m[1].lower(), int(m[2] or 0)]),
    (re.compile(r"\$_self\.isSignlessIntOrIndex\(\)$"),
     lambda m: ["or", ["int", "signless", 0], ["is", "index"]]),
    (re.compile(rf"{_CAST}\.getRank\(\)(==|>=|>|<=)(\d+)$"), lambda m: ["rank", m[1], int(m[2])]),
    (re.compile(rf"{_CAST}\.getNumElements\(\)==(\d+)$"), lambda m: ["count", int(m[1])]),
    (re.compile(rf"{_CAST}\.hasRank\(\)$"), lambda m: ["ranked"]),
    (re.compile(rf"{_CAST}\.hasStaticShape\(\)$"), lambda m: ["static"]),
    (re.compile(rf"{_CAST}\.getAddressSpace\(\)==(\d+)$"), lambda m: ["space", int(m[1])]),
    (re.compile(rf"{_CAST}\.getType\(\)\.isSignlessInteger\((\d+)\)$"), lambda m: ["#width", int(m[1])]),
    (re.compile(r"::llvm::isa<::mlir::IndexType>\(::llvm::cast<::mlir::IntegerAttr>\(\$_self\)\.getType\(\)\)$"),
     lambda m: ["#width", 0]),
    (re.compile(rf"{_CAST}\.getInt\(\)>=(-?\d+)$"), lambda m: ["#least", int(m[1])]),
    (re.compile(rf"{_CAST}\.getInt\(\)<=(-?\d+)$"), lambda m: ["#most", int(m[1])]),
    (re.compile(rf"{_CAST}\.getValue\(\)\.isStrictlyPositive\(\)$"), lambda m: ["#least", 1]),
    (re.compile(rf"!{_CAST}\.getValue\(\)\.isNegative\(\)$"), lambda m: ["#least", 0]),
    (re.compile(rf"{_CAST}\.getValue\(\)\.isPowerOf2\(\)$"), lambda m: ["#power-of-2"]),
    (re.compile(rf"::llvm::is_contained\(\{{(-?\d+(?:,-?\d+)*)\}},{_CAST}\.getInt\(\)\)$"),
     lambda m: ["#among", *_numbers(m[1])]),
    (re.compile(rf"{_CAST}\.size\(\)(==|<=|>=)(\d+)$"), lambda m: ["#size", m[1], int(m[2])]),
    (re.compile(rf"{_CAST}\.getType\(\)\.getElementType\(\)\.isSignlessInteger\((\d+)\)$"),
     lambda m: ["#dense-width", int(m[1])]),
    (re.compile(rf"{_CAST}\.getType\(\)\.getShape\(\)==::mlir::ArrayRef<int64_t>{_NUMBERS}$"),
     lambda m: ["#dense-shape", *_numbers(m[1])]),
    (re.compile(rf"{_CAST}\.getShape\(\)==(?:::llvm|::mlir)::ArrayRef<int64_t>{_NUMBERS}$"),
     lambda m: ["shape", *_numbers(m[1])]),
    (re.compile(rf"::llvm::all_of\({_CAST}\.getShape\(\),\[\]\(autov\)\{{returnv(!=|==)(\d+);\}}\)$"),
     lambda m: ["dims", m[1], int(m[2])]),
    (re.compile(r"\$_self\.hasTrait<(?:::)?(?:mlir::)?ValueSemantics>\(\)$"),
     lambda m: ["is", "value-semantics"]),
    (re.compile(r"::llvm::isa<(?:::)?mlir::(\w+)>\(::llvm::cast<::mlir::TypeAttr>\(\$_self\)\.getValue\(\)\)$"),
     lambda m: ["#type-of", ["true"] if m[1] == "Type" else ["is", BUILTIN.get(m[1], "?")]]),
    (re.compile(r"::llvm::isa<(?:::)?mlir::([\w:]+)>\(::llvm::cast<::mlir::TypeAttr>\(\$_self\)\.getValue\(\)\)$"),
     lambda m: ["#type-of", ["is", BUILTIN.get(m[1], "?")]]),
    (re.compile(rf'{_CAST}\.getOperationName\(\)=="([\w.]+)"$'), lambda m: ["handle-of", m[1]]),
    (re.compile(r"\$_self\.hasTrait<::mlir::gpu::OffloadingTranslationAttrTrait>\(\)$"),
     lambda m: ["is", "#offloading"]),
    (re.compile(r"!!::mlir::sparse_tensor::getSparseTensorEncoding\(\$_self\)$"), lambda m: ["is", "sparse"]),
    (re.compile(r"emitc::isSupportedEmitCType\(\$_self\)$"), lambda m: ["emitc-type"]),
    (re.compile(r"emitc::isIntegerIndexOrOpaqueType\(\$_self\)$"), lambda m: ["emitc-integer"]),
    (re.compile(r"emitc::isSupportedFloatType\(\$_self\)$"), lambda m: ["emitc-float"]),
    (re.compile(r"::mlir::LLVM::isCompatibleOuterType\(\$_self\)$"), lambda m: ["llvm-type"]),
    (re.compile(r"::mlir::LLVM::isCompatibleVectorType\(\$_self\)$"), lambda m: ["llvm-vector"]),
    (re.compile(r"::mlir::LLVM::isCompatibleFloatingPointType\(\$_self\)$"), lambda m: ["llvm-float"]),
]  # fmt: skip
_ISA = re.compile(r"(?:(?:::)?llvm::isa<([\w:,]+)>\(\$_self\)|\$_self\.isa<([\w:,]+)>\(\))$")

_TRANSFORMS: list[tuple[re.Pattern[str], str]] = [
    (re.compile(r"\$_self$"), "same"),
    (re.compile(r"::llvm::cast<Type>\(\$_self\)$"), "same"),
    (re.compile(r"(?:::)?(?:getI1SameShape|getUnaryOpResultType)\(\$_self\)$"), "i1-like"),
    (re.compile(r"::llvm::cast<ShapedType>\(\$_self\)\.clone\(IntegerType::get\(\$_self\.getContext\(\),1\)\)$"),
     "i1-like"),
    (re.compile(r"(?:::mlir::)?getElementTypeOrSelf\(\$_self\)$"), "element"),
    (re.compile(rf"{_CAST}\.getElementType\(\)$"), "element"),
]  # fmt: skip
"""C++ functions that map a type to a type, and their names in the ODS tables."""

_REFERENCE = re.compile(r"\$_op\.get(Operand|Result)\((\d+)\)|\$([A-Za-z]\w*)")
_TENSOR_SHAPE = (
    "::llvm::isa<::mlir::TensorType>(@.getType())?::llvm::cast<::mlir::TensorType>(@.getType()).getShape()"
    ":::llvm::ArrayRef<int64_t>{}"
)
_SIDES = {
    "getElementTypeOrSelf(@)": "element",
    "::mlir::getElementTypeOrSelf(@)": "element",
    "getElementTypeOrSelf(@.getType())": "element",
    "::llvm::cast<::mlir::ShapedType>(@.getType()).getShape()": "shape",
    "::llvm::cast<::mlir::ShapedType>(@.getType()).getRank()": "rank",
    "llvm::cast<::mlir::ShapedType>(@.getType()).getNumElements()": "count",
    "::llvm::cast<::mlir::ShapedType>(@.getType()).getNumElements()": "count",
    "@.getType()": "type",
    _TENSOR_SHAPE: "tensor-shape",
}
"""Maps a side of `==` to the property that it computes; `@` replaces the value."""


def unspaced(name: str) -> str:
    """Return a C++ name without MLIR's namespace."""
    return name.strip(":").removeprefix("mlir::")


def leaf(text: str, classes: Mapping[str, str]) -> Tree | None:
    """Translate a predicate on one type or attribute; `classes` maps C++ names to a dialect's types."""
    code = _compact(text)
    if match := _ISA.match(code):
        kinds = [_kind(unspaced(each), classes) for each in (match[1] or match[2]).split(",")]
        if len(kinds) == 1:
            return kinds[0]
        return ["or", *(["?"] if each is None else each for each in kinds)]
    for pattern, make in _LEAVES:
        if match := pattern.match(code):
            return make(match)
    return None


def is_builtin_token(text: str) -> bool:
    """Return whether a predicate requires the builtin token type, which no type in the IR satisfies."""
    return _compact(text) == "::llvm::isa<::mlir::TokenType>($_self)"


def transform(text: str) -> str:
    """Translate a C++ function that maps a type to a type; `?` if it is unknown."""
    code = "".join(text[:MAX_LEAF].split())
    return next((name for pattern, name in _TRANSFORMS if pattern.match(code)), "?")


def reference(text: str) -> str | None:
    """Return the name of the value in a C++ expression: `x` for `$x.getType()`, `#o0` for
    `$_op.getOperand(0)`."""
    code = _compact(text).removesuffix(".getType()")
    match = _REFERENCE.fullmatch(code)
    return None if match is None else _named(match)


def op_leaf(text: str) -> Tree | None:
    """Translate a predicate on a whole op; None if it has no known form."""
    code = _compact(text)
    if re.fullmatch(r"\$_op\.getNum(?:Operands|Results)\(\)>\d+", code):
        return ["true"]
    if match := re.fullmatch(
        r"is(NestedInFunctionOpInterface|DirectInModuleLikeOp)\(\$_op\.getParentOp\(\)\)", code
    ):
        return ["inside", "function" if match[1].startswith("Nested") else "module"]
    sides: list[str] = []
    values: list[str] = []
    for equation in code.split("&&"):
        left, equals, right = _compact(equation).partition("==")
        if not equals or "==" in right:
            return None
        for side in (_compact(left), _compact(right)):
            found = list(_REFERENCE.finditer(side))
            names = {_named(each) for each in found}
            if len(names) != 1:
                return None
            sides.append(_REFERENCE.sub("@", side))
            values += [name for name in names if name not in values]
    kinds = {_SIDES.get(each) for each in sides}
    kind = kinds.pop()
    return None if kinds or kind is None else ["alike", kind, *values]


def _kind(name: str, classes: Mapping[str, str]) -> Tree | None:
    wanted = BUILTIN.get(name) or classes.get(name)
    return None if wanted is None else ["is", wanted]


def _named(match: re.Match[str]) -> str:
    return match[3] or f"#{match[1][0].lower()}{match[2]}"


def _compact(text: str) -> str:
    """Return `text` without spaces and enclosing parentheses; empty if it is too long."""
    code = "" if len(text) > MAX_LEAF else "".join(text.split())
    while code.startswith("(") and code.endswith(")") and _wraps(code):
        code = code[1:-1]
    return code


def _wraps(code: str) -> bool:
    depth = 0
    for index, character in enumerate(code):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return index == len(code) - 1
    return False
