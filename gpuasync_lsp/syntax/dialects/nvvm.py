"""Parts of the nvvm dialect that the ODS tables lack: its target, and an op with C++ assembly."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import I1, I32, DictionaryAttr
from xdsl.irdl import IRDLOperation, irdl_attr_definition, irdl_op_definition, operand_def, result_def

from gpuasync_lsp.releases.fact import by_release
from gpuasync_lsp.syntax.dialects.gpu_target import TargetAttr


@irdl_attr_definition
class NVVMTargetAttr(TargetAttr):
    """`#nvvm.target<O = 3, chip = "sm_90", features = "+ptx80">`."""

    name = "nvvm.target"

    options: DictionaryAttr

    DEFAULTS: ClassVar = {
        "triple": by_release({16: "nvptx64-nvidia-cuda"}),
        "chip": by_release({16: "sm_50", 23: "sm_75"}),
        "features": by_release({16: "+ptx60", 22: ""}),
    }


@irdl_op_definition
class VoteBallotOp(IRDLOperation):
    """`nvvm.vote.ballot.sync %mask, %predicate : i32`, through LLVM 20."""

    name = "nvvm.vote.ballot.sync"

    mask = operand_def(I32)
    pred = operand_def(I1)
    res = result_def(I32)

    assembly_format = "$mask `,` $pred attr-dict `:` type($res)"
