"""`gpu-module-to-binary`: each gpu.module becomes a gpu.binary with an object for each of its targets.

The caller provides the compiler, because LLVM may abort its process, and nothing here runs programs.
Source: the output of mlir-opt 19, 21, 22 and 23. Nested modules are kept, attributes of a gpu.module
are dropped, and PTX objects record their optimization level. The compilation times that LLVM 21 and
later add are omitted.

Kernels for Intel's GPUs (`#xevm.target`) are neither lowered nor compiled: their objects are empty, so
that the host program can still be lowered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.dialects.builtin import ArrayAttr, BytesAttr, DictionaryAttr, IntegerAttr, NoneAttr, StringAttr, i32
from xdsl.ir import Attribute, Operation

from gpuasync_lsp.lowering.conversion.edits import erase
from gpuasync_lsp.lowering.conversion.errors import OwnLimit, PassError
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import gpu
from gpuasync_lsp.syntax.dialects.gpu.attributes import (
    ObjectAttr,
    ObjectFormat,
    ObjectFormatAttr,
    SelectObjectAttr,
)
from gpuasync_lsp.syntax.dialects.gpu_target import TargetAttr

FORMATS: Mapping[str, ObjectFormat] = {
    "offloading": ObjectFormat.OFFLOAD,
    "llvm": ObjectFormat.OFFLOAD,
    "assembly": ObjectFormat.ASSEMBLY,
    "isa": ObjectFormat.ASSEMBLY,
    "binary": ObjectFormat.BINARY,
    "bin": ObjectFormat.BINARY,
    "fatbinary": ObjectFormat.FATBIN,
    "fatbin": ObjectFormat.FATBIN,
}
"""Maps each value of the option `format` to an object format."""
DEFAULT_FORMAT = "fatbin"
COMPILED = (ObjectFormat.BINARY, ObjectFormat.FATBIN)
"""Formats that need ptxas, which this tool does not run."""

Serialize = Callable[[gpu.GPUModuleOp, TargetAttr, ObjectFormat, Profile], bytes]
"""Compiles a kernel module for a target to PTX or bitcode. Raises PassError."""

_FOR_INTEL = "xevm.target"
_NO_PTXAS = (
    "Couldn't find the `ptxas` binary. Please specify the toolkit path, add the compiler to $PATH, or set "
    "one of the environment variables in `NVVM::getCUDAToolkitPath()`."
)


def gpu_module_to_binary(
    module: Operation, profile: Profile, written: str, section: str, serialize: Serialize | None
) -> None:
    """Replace the gpu.modules directly in `module` with gpu.binaries. Raises PassError.

    `written` is the format of the objects, as spelled in the option; `section` is the ELF section that
    each object specifies, or empty."""
    form = FORMATS.get(written)
    if form is None:
        message = "Invalid format specified"
        known = f": '{written}' (expected one of: {', '.join(FORMATS)})" if profile.names_formats else "."
        raise PassError(module, f"{message}{known}")
    for region in module.regions:
        for op in [each for block in region.blocks for each in block.ops]:
            if isinstance(op, gpu.GPUModuleOp):
                _replace(op, profile, form, section, serialize)


def _replace(
    module: gpu.GPUModuleOp,
    profile: Profile,
    form: ObjectFormat,
    section: str,
    serialize: Serialize | None,
) -> None:
    if module.targets is None:
        raise PassError(module, "the module has no target attributes")
    objects = ArrayAttr(
        [_object(module, target, profile, form, section, serialize) for target in module.targets]
    )
    binary = gpu.BinaryOp.create(
        properties={
            "sym_name": module.sym_name,
            "offloadingHandler": module.offloading_handler or SelectObjectAttr(NoneAttr()),
            "objects": objects,
        }
    )
    binary.location = module.location
    block = module.parent_block()
    assert block is not None, "the module was found in a block"
    block.insert_op_before(binary, module)
    erase(module)


def _object(
    module: gpu.GPUModuleOp,
    target: Attribute,
    profile: Profile,
    form: ObjectFormat,
    section: str,
    serialize: Serialize | None,
) -> ObjectAttr:
    if isinstance(target, TargetAttr) and target.name == _FOR_INTEL:
        return ObjectAttr(target, ObjectFormatAttr(form), BytesAttr(b""), NoneAttr(), NoneAttr())
    if not isinstance(target, TargetAttr) or target.name != "nvvm.target":
        raise OwnLimit(module, f"this tool compiles kernels only for #nvvm.target, not for {target}")
    if form in COMPILED:
        raise PassError(module, _NO_PTXAS)
    if serialize is None:
        raise OwnLimit(module, "this preview does not compile kernels")
    content = serialize(module, target, form, profile)
    options: dict[str, Attribute] = {}
    if form is ObjectFormat.ASSEMBLY:
        options["O"] = IntegerAttr(target.optimization_level, i32)
        content += b"\0" if profile.ptx_ends_in_null else b""
    if section:
        options["section"] = StringAttr(section)
    properties = DictionaryAttr(options) if options else NoneAttr()
    return ObjectAttr(target, ObjectFormatAttr(form), BytesAttr(content), properties, NoneAttr())
