"""Declares functions and string constants for lowered kernels, usually at the start of the gpu.module."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, ModuleOp, StringAttr, i8, i32, i64
from xdsl.ir import Attribute, Operation, Region, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import array, pointer
from gpuasync_lsp.syntax.dialects import gpu, llvm
from gpuasync_lsp.syntax.dialects.assembly import UNIT
from gpuasync_lsp.syntax.dialects.llvm_attributes import LinkageAttr, LLVMFunctionType


def declare(
    op: Operation,
    name: str,
    type: LLVMFunctionType,
    never_returns: bool = False,
    properties: Mapping[str, Attribute] | None = None,
) -> Operation:
    """Return the function `name` in the module that contains `op`, declaring it if it does not exist."""
    module = module_of(op)
    for each in module.regions[0].blocks[0].ops:
        symbol = each.get_attr_or_prop("sym_name")
        if isinstance(symbol, StringAttr) and symbol.data == name:
            return each
    properties = {**build.function_properties(StringAttr(name), type), **(properties or {})}
    if never_returns:
        properties["passthrough"] = ArrayAttr([StringAttr("noreturn")])
    new = llvm.LLVMFuncOp.create(properties=properties, regions=[Region()])
    _put_first(op, module, new)
    return new


def count(op: Operation, prefix: str) -> int:
    """Return the number of symbols with this prefix in the module that contains `op`."""
    symbols = (each.get_attr_or_prop("sym_name") for each in module_of(op).regions[0].blocks[0].ops)
    return sum(isinstance(name, StringAttr) and name.data.startswith(prefix) for name in symbols)


def number_address(rewriter: ConversionRewriter, op: Operation, name: str, number: int) -> SSAValue:
    """Return the address of a new global at the module's end, named after `name`, with the value `number`."""
    known = count(op, name)
    full = f"{name}_{known - 1}" if known else name
    new = _global(full, i32, IntegerAttr(number, i32), 0)
    new.location = op.location
    module_of(op).regions[0].blocks[0].add_op(new)
    return build.address_of(rewriter, full, pointer())


def text_address(
    rewriter: ConversionRewriter, op: Operation, prefix: str, text: str, space: int = 0
) -> SSAValue:
    """Return the address of a zero-terminated `text`, in a global whose name is `prefix` and a number."""
    module = module_of(op)
    text += "\0"
    type = array(len(text.encode()), i8)
    known = {
        name.data: each
        for each in module.regions[0].blocks[0].ops
        if isinstance(name := each.get_attr_or_prop("sym_name"), StringAttr) and name.data.startswith(prefix)
    }
    shared = [name for name, each in known.items() if each.properties.get("value") == StringAttr(text)]
    if shared and rewriter.profile.shares_kernel_texts:
        name = shared[0]
    else:
        name = f"{prefix}{len(known)}"
        _put_first(op, module, _global(name, type, StringAttr(text), space))
    address = build.address_of(rewriter, name, pointer(space))
    return build.element_pointer(rewriter, address, type, [0, 0])


def annotation_text(op: Operation, name: str, text: str, space: int) -> None:
    """Declare a zero-terminated `text` for annotations in the module that contains `op`."""
    text += "\0"
    new = _global(name, array(len(text.encode()), i8), StringAttr(text), space)
    new.properties |= {
        "linkage": LinkageAttr("private"),
        "unnamed_addr": IntegerAttr(2, i64),
        "alignment": IntegerAttr(1, i64),
        "section": StringAttr("llvm.metadata"),
    }
    _put_first(op, module_of(op), new)


def _global(name: str, type: Attribute, value: Attribute, space: int) -> Operation:
    properties: dict[str, Attribute] = {
        "sym_name": StringAttr(name),
        "global_type": type,
        "linkage": LinkageAttr("internal"),
        "value": value,
        "constant": UNIT,
        "addr_space": IntegerAttr(space, i32),
        "visibility_": IntegerAttr(0, i64),
    }
    return llvm.GlobalOp.create(properties=properties, regions=[Region()])


def module_of(op: Operation) -> gpu.GPUModuleOp | ModuleOp:
    """Return the gpu.module or module that contains `op`."""
    top: Operation | None = op
    while not isinstance(top, (gpu.GPUModuleOp, ModuleOp)):
        assert top is not None, "kernels are in a module"
        top = top.parent_op()
    return top


def _put_first(op: Operation, module: gpu.GPUModuleOp | ModuleOp, new: Operation) -> None:
    new.location = op.location
    block = module.regions[0].blocks[0]
    first = block.first_op
    assert first is not None
    block.insert_op_before(new, first)
