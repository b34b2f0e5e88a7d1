"""Reports errors of MLIR's verifier after gpu-to-llvm, for the known ways in which that creates invalid IR.

This is not a verifier of the llvm dialect: it finds non-LLVM types, mismatched aggregates, and launches whose
operands no longer match the kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import AnyFloat, IntegerType, ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException

from gpuasync_lsp.lowering.conversion.errors import PassError
from gpuasync_lsp.lowering.conversion.single_blocks import verify_single_blocks
from gpuasync_lsp.lowering.conversion.types import PTR, is_llvm_type
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import gpu, llvm
from gpuasync_lsp.syntax.dialects.assembly import integers, typed
from gpuasync_lsp.syntax.dialects.func import FuncOp
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMPointerType, element_at
from gpuasync_lsp.syntax.kinds import is_vector
from gpuasync_lsp.syntax.opaque import OpaqueOp
from gpuasync_lsp.syntax.printer import attribute_text
from gpuasync_lsp.syntax.symbols import SYMBOL_TABLES, check_use, symbol_name, symbol_of, uses
from gpuasync_lsp.syntax.xdsl_speed import operands_of

CHECKED = frozenset[type[Operation]](
    {
        llvm.ReturnOp,
        llvm.InsertValueOp,
        llvm.ExtractValueOp,
        llvm.CallOp,
        llvm.BrOp,
        llvm.CondBrOp,
        llvm.LoadOp,
        llvm.StoreOp,
        llvm.AtomicCmpXchgOp,
        llvm.FPExtOp,
    }
)


_TYPES_ONLY = frozenset[type[Operation]](
    {llvm.ReturnOp, llvm.ExtractValueOp, llvm.BrOp, llvm.CondBrOp, llvm.LoadOp, llvm.StoreOp}
)
"""Ops for which only the operand and result types are verified."""

CONTRACTIONS = frozenset(
    f"linalg.{name}"
    for name in (
        "batch_matmul",
        "batch_matvec",
        "batch_reduce_matmul",
        "batch_vecmat",
        "dot",
        "matmul",
        "matmul_transpose_a",
        "matmul_transpose_b",
        "matvec",
        "mmt4d",
        "vecmat",
    )
)
"""Named linalg ops whose verifier expects a product and a sum in the body."""

Kernels = Mapping[tuple[str, str], Sequence[Attribute]]
"""Maps (module name, kernel name) of gpu.func kernels to their argument types."""


def kernels_of(ops: Iterable[Operation]) -> Kernels:
    """Return the gpu.func kernels of the gpu.modules among `ops`; kernels of other kinds are ignored."""
    return {
        (op.sym_name.data, kernel.sym_name.data): kernel.function_type.inputs.data
        for op in ops
        if isinstance(op, gpu.GPUModuleOp)
        for block in op.body_region.blocks
        for kernel in block.ops
        if isinstance(kernel, gpu.GPUFuncOp)
    }


def verify_given(module: ModuleOp, profile: Profile) -> None:
    """Raise PassError for invalid input that the verifier rejects before any pass.

    These are functions whose entry block does not match their type, and launches that LLVM 24 rejects;
    the patterns do not handle them."""
    _verify_entries(module)
    if profile.launch_sync_dependencies != "verifier":
        return
    for op in module.walk():
        if isinstance(op, gpu.LaunchFuncOp) and op.async_dependencies and op.async_token is None:
            reason = "dependency operands require the dependency-based async model i.e. returning a token"
            raise PassError(op, f"'gpu.launch_func' op {reason}")


def _verify_entries(module: ModuleOp) -> None:
    for op in module.ops:
        if isinstance(op, ModuleOp):
            _verify_entries(op)
        elif isinstance(op, FuncOp) and op.body.blocks:
            expected = len(op.function_type.inputs)
            if len(op.body.blocks[0].args) != expected:
                reason = f"entry block must have {expected} arguments to match function signature"
                raise PassError(op, f"'func.func' op {reason}")


def verify_lowered(
    module: ModuleOp, profile: Profile, kernels: Kernels, *, contractions: bool = True
) -> None:
    """Raise PassError, with the verifier's message, for the first op that the verifier rejects.

    With `contractions`, also verify the bodies of linalg's named ops, which are not printed."""
    verify_single_blocks(module, profile)
    for op in module.walk() if contractions else ():
        if op.name in CONTRACTIONS:
            raise PassError(op, profile.contraction_without_body)
    for op in module.body.ops:
        _verify(op, kernels, profile)
    if profile.annotated_binaries:
        _verify_symbols(module)


def _verify_symbols(module: ModuleOp) -> None:
    seen: set[Attribute] = set()
    for op in module.body.ops:
        name = op.get_attr_or_prop("sym_name")
        if isinstance(name, StringAttr):
            if name in seen:
                raise PassError(op, f"redefinition of symbol named '{name.data}'")
            seen.add(name)


def _verify(op: Operation, kernels: Kernels, profile: Profile) -> None:
    # Compare classes: `isinstance` is slow for op classes, which are abstract.
    kind = type(op)
    if kind in CHECKED:
        _verify_types(op, profile)
    elif kind is gpu.LaunchFuncOp:
        _verify_launch(cast(gpu.LaunchFuncOp, op), kernels)
    elif kind is gpu.LaunchOp:
        _verify_ends(op)
    elif op.name == "vector.mask" or op.name.startswith("affine."):
        # An op that has been converted may be illegal inside a mask.
        verify_by_rules(op, profile)
    if kind is llvm.ReturnOp:
        # When this op was verified before, the enclosing function may not have been an llvm.func.
        verify_by_rules(op, profile)
    if not op.regions:
        return
    inside = kernels_of(op.ops) if isinstance(op, ModuleOp) else kernels
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                _verify(inner, inside, profile)
    if isinstance(op, llvm.LLVMFuncOp):
        _verify_function(op)


def _verify_ends(launch: Operation) -> None:
    """Raise PassError for an invalid block terminator in a launch, such as that of a failed assertion."""
    for block in launch.regions[0].blocks:
        last = block.last_op
        if last is not None and not last.successors and not isinstance(last, gpu.TerminatorOp | OpaqueOp):
            raise PassError(last, "expected 'gpu.terminator' or a terminator with successors")


def verify_tables(module: Operation, profile: Profile) -> None:
    """Raise PassError for the first op in a gpu.module of `module` that references an unsuitable symbol."""
    for op in (op for region in module.regions for block in region.blocks for op in block.ops):
        if op.name in SYMBOL_TABLES:
            verify_tables(op, profile)
            verify_symbols(op, profile)


def verify_symbols(table: Operation, profile: Profile) -> None:
    """Raise PassError for the first op inside `table` that references an unsuitable symbol."""
    inner = [op for region in table.regions for block in region.blocks for op in block.ops]
    if any(isinstance(op, OpaqueOp) for op in inner):
        return
    known = {symbol_name(op): symbol_of(op) for op in inner}
    for use in (use for op in inner for use in uses(op)):
        try:
            check_use(use, known.get, profile.version)
        except VerifyException as error:
            raise PassError(use, str(error)) from error


def _verify_function(op: llvm.LLVMFuncOp) -> None:
    entry = op.body.first_block
    for argument in () if entry is None else entry.args:
        if not is_llvm_type(argument.type):
            raise _error(op, f"entry block argument #{argument.index} is not of LLVM type")


def verify_by_rules(op: Operation, profile: Profile) -> None:
    """Raise PassError, with the verifier's message, if the release rejects `op` where it is.

    Affine operands are checked against the enclosing affine scope; llvm.func is one since LLVM 21."""
    # Imported lazily: few programs need the rules.
    from gpuasync_lsp.syntax.checks import verifier_error

    error = verifier_error(op)
    words = None if error is None else error.in_release(profile.version)
    if words is not None:
        raise PassError(op, words)


def _verify_types(op: Operation, profile: Profile) -> None:
    kind = "LLVM dialect-compatible type"
    for index, operand in enumerate(operands_of(op)):
        if not is_llvm_type(operand.type):
            if isinstance(op, llvm.InsertValueOp) and index == 1:
                kind = "primitive LLVM type"
            elif isinstance(op, llvm.BrOp):
                kind = f"variadic of {kind}"
            raise _error(op, f"operand #{index} must be {kind}, but got {typed(operand.type)}")
    for index, result in enumerate(op.results):
        if not is_llvm_type(result.type):
            raise _error(op, f"result #{index} must be {kind}, but got {typed(result.type)}")
    if type(op) in _TYPES_ONLY:
        return
    if isinstance(op, llvm.AtomicCmpXchgOp) and not isinstance(op.cmp.type, IntegerType | LLVMPointerType):
        raise _error(op, _not_exchanged(op.cmp.type, profile))
    if isinstance(op, llvm.FPExtOp) and not _is_float(op.operands[0].type):
        got = f"got {typed(op.operands[0].type)}"
        raise _error(op, f"operand #0 must be {_FLOATS}, but {got}")
    if isinstance(op, llvm.CallOp) and frees(op) and op.operands[0].type != PTR:
        raise _error(op, f"operand type mismatch for operand 0: {typed(op.operands[0].type)} != {typed(PTR)}")
    if isinstance(op, llvm.InsertValueOp):
        container, value = op.container.type, op.value.type
        if element_at(container, list(integers(op.position))) != value:
            raise _error(op, f"Type mismatch: cannot insert {typed(value)} into {typed(container)}")


def _not_exchanged(type: Attribute, profile: Profile) -> str:
    """Return the verifier's message for a cmpxchg on values of `type`, as measured in the release."""
    if not profile.opaque_pointers:
        pointer = f"'!llvm.ptr<{attribute_text(type)}>'"
        return f"operand #0 must be LLVM pointer to integer or LLVM pointer type, but got {pointer}"
    integer = "signless integer" if profile.exchange_says_signless else "integer"
    return f"operand #1 must be {integer} or LLVM pointer type, but got {typed(type)}"


def frees(call: llvm.CallOp) -> bool:
    """Return whether `call` calls `free` or `mgpuMemFree`."""
    # Comparing attributes for each call after each pass would dominate the run time.
    callee = call.callee
    return callee is not None and callee.string_value() in ("free", "mgpuMemFree")


_FLOATS = "floating point LLVM type or LLVM dialect-compatible vector of floating point LLVM type"


def _is_float(type: Attribute) -> bool:
    element = type.element_type if is_vector(type) else type
    return isinstance(element, AnyFloat)


def verify_calls(module: ModuleOp, declared: Iterable[Operation]) -> None:
    """Raise PassError for the first call to a function in `declared` with a wrong number of operands.

    With bare pointers on the host, gpu.host_register passes its memref as one operand, but the runtime
    function has two parameters, the rank and a pointer."""
    wanted = {
        op.sym_name.data: len(op.function_type.inputs)
        for op in declared
        if isinstance(op, llvm.LLVMFuncOp) and not op.function_type.is_variadic
    }
    for call in module.walk():
        callee = call.callee if isinstance(call, llvm.CallOp) else None
        count = None if callee is None else wanted.get(callee.root_reference.data)
        if count is not None and count != len(call.operands):
            given = len(call.operands)
            raise _error(call, f"incorrect number of operands ({given}) for callee (expecting: {count})")


def _verify_launch(op: gpu.LaunchFuncOp, kernels: Kernels) -> None:
    names = op.kernel.root_reference.data, op.kernel.nested_references.data[-1].data
    expected = kernels.get(names)
    function = op.parent_op()
    # GPUDialect::verifyOperationAttribute only checks launches directly in a function of the module.
    if expected is None or function is None or not isinstance(function.parent_op(), ModuleOp):
        return
    given = [operand.type for operand in op.kernel_operands]
    if len(given) != len(expected):
        raise _error(op, f"got {len(given)} kernel operands but expected {len(expected)}")
    for index, (a, b) in enumerate(zip(given, expected, strict=True)):
        if a != b:
            raise _error(op, f"type of function argument {index} does not match")


def _error(op: Operation, message: str) -> PassError:
    return PassError(op, f"'{op.name}' op {message}")
