"""gpu ops that hold device code: module, func, return, and binary for what is compiled."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FunctionType,
    IntegerAttr,
    StringAttr,
    SymbolNameConstraint,
    UnitAttr,
)
from xdsl.ir import Attribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    NoTerminator,
    Pure,
    SymbolOpInterface,
    SymbolTable,
)


@irdl_op_definition
class GPUModuleOp(IRDLOperation):
    """`gpu.module @name <#handler> [#nvvm.target] { ... }`."""

    name = "gpu.module"

    sym_name = prop_def(SymbolNameConstraint())
    sym_visibility = opt_prop_def(StringAttr)
    targets = opt_prop_def(ArrayAttr[Attribute])
    offloading_handler = opt_prop_def(Attribute, prop_name="offloadingHandler")
    body_region = region_def("single_block")

    traits = traits_def(IsolatedFromAbove(), NoTerminator(), SymbolOpInterface(), SymbolTable())


@irdl_op_definition
class GPUFuncOp(IRDLOperation):
    """`gpu.func @name(%a: i32) workgroup(%w: memref<..>) private(%p: memref<..>) kernel { ... }`."""

    name = "gpu.func"

    sym_name = prop_def(SymbolNameConstraint())
    sym_visibility = opt_prop_def(StringAttr)
    function_type = prop_def(FunctionType)
    arg_attrs = opt_prop_def(ArrayAttr[Attribute])
    res_attrs = opt_prop_def(ArrayAttr[Attribute])
    workgroup_attrib_attrs = opt_prop_def(ArrayAttr[Attribute])
    private_attrib_attrs = opt_prop_def(ArrayAttr[Attribute])
    known_block_size = opt_prop_def(DenseArrayBase)
    known_grid_size = opt_prop_def(DenseArrayBase)
    known_cluster_size = opt_prop_def(DenseArrayBase)
    workgroup_attributions = opt_prop_def(IntegerAttr)
    kernel = opt_prop_def(UnitAttr)
    body = region_def()

    traits = traits_def(IsolatedFromAbove(), HasParent(GPUModuleOp), SymbolOpInterface())

    @property
    def is_kernel(self) -> bool:
        """Whether a host can launch this function; before LLVM 23 the mark is the attribute `gpu.kernel`."""
        return "kernel" in self.properties or "gpu.kernel" in self.attributes


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """`gpu.return`, the end of a gpu.func."""

    name = "gpu.return"

    arguments = var_operand_def()

    traits = traits_def(IsTerminator(), HasParent(GPUFuncOp), Pure())


@irdl_op_definition
class ModuleEndOp(IRDLOperation):
    """`gpu.module_end`, which ends a gpu.module up to LLVM 19 and is printed in the generic form only."""

    name = "gpu.module_end"

    traits = traits_def(IsTerminator(), HasParent(GPUModuleOp))

    assembly_format = "attr-dict"


@irdl_op_definition
class BinaryOp(IRDLOperation):
    """`gpu.binary @name <#handler> [#gpu.object<...>]` (from LLVM 17)."""

    name = "gpu.binary"

    sym_name = prop_def(SymbolNameConstraint())
    sym_visibility = opt_prop_def(StringAttr)
    offloading_handler = opt_prop_def(Attribute, prop_name="offloadingHandler")
    objects = prop_def(ArrayAttr[Attribute])

    traits = traits_def(SymbolOpInterface())
