"""The `custom<...>` directives of formats that are read and printed by functions: one table of them.

Beside MLIR's own there are those of the formats in `assemblies.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from gpuasync_lsp.syntax.ods.custom import (
    affine,
    arith,
    llvm,
    loop_transforms,
    loops,
    matches,
    memory,
    openacc,
    openacc_loops,
    openmp,
    smt,
    spirv,
    structured,
    switches,
)
from gpuasync_lsp.syntax.ods.custom.parts import Written
from gpuasync_lsp.syntax.ods.formats import Element
from gpuasync_lsp.syntax.ods.parts import Parts


def ALWAYS(_written: Written, _arguments: Sequence[Element]) -> bool:
    return True


class Custom(NamedTuple):
    """A directive."""

    read: Callable[[Any, Parts, Sequence[Element]], None]
    """Reads what stands at the parser; raises a ParseError."""
    write: Callable[[Written, Sequence[Element]], None]
    is_written: Callable[[Written, Sequence[Element]], bool] = ALWAYS
    """Tells whether there is anything to print, a space in front of it included."""


def _read_control(parser: Any, parts: Parts, arguments: Sequence[Element]) -> None:
    """OpenACC and OpenMP have one of this name each."""
    dialect = openacc_loops if parts.variant.name.startswith("acc.") else openmp
    dialect.read_control(parser, parts, arguments)


def _write_control(written: Written, arguments: Sequence[Element]) -> None:
    dialect = openacc_loops if written.variant.name.startswith("acc.") else openmp
    dialect.write_control(written, arguments)


_OPENMP_REGION = Custom(openmp.read_region, openmp.write_region)
_GRANULARITY = Custom(openmp.read_granularity, openmp.write_granularity)
_GROUPS = Custom(openacc.read_gangs, openacc.write_gangs)
_OPERANDS = Custom(openacc.read_operands_or_none, openacc.write_operands_or_none)

DIRECTIVES = {
    "AccVar": Custom(openacc.read_device_variable, openacc.write_device_variable),
    "AffineBound": Custom(affine.read_bound, affine.write_bound),
    "AlignedClause": Custom(openmp.read_aligned, openmp.write_aligned),
    "AllocateAndAllocator": Custom(openmp.read_allocators, openmp.write_allocators),
    "AppliedMap": Custom(affine.read_map, affine.write_map),
    "Assignments": Custom(loops.read_assignments, loops.write_assignments, loops.has_assignments),
    "AtomicKind": Custom(memory.read_atomic_kind, memory.write_atomic_kind),
    "AtomicReductionRegion": Custom(openmp.read_atomic, openmp.write_atomic, openmp.has_region),
    "BindName": Custom(openacc_loops.read_bind_names, openacc_loops.write_bind_names),
    "Body": Custom(loops.read_body, loops.write_body),
    "Bounds": Custom(loops.read_bounds, loops.write_bounds),
    "BranchWeights": Custom(spirv.read_weights, spirv.write_weights, spirv.has_weights),
    "CaptureType": Custom(openmp.read_clause, openmp.write_clause),
    "Case": Custom(spirv.read_case, spirv.write_case),
    "Choice": Custom(memory.read_choice, memory.write_choice),
    "ClauseAttr": Custom(openmp.read_clause, openmp.write_clause),
    "CleanupReductionRegion": Custom(openmp.read_cleanup, openmp.write_cleanup, openmp.has_region),
    "CombinedConstructsLoop": Custom(
        openacc_loops.read_construct, openacc_loops.write_construct, openacc_loops.has_construct
    ),
    "Component": Custom(spirv.read_component, spirv.write_component),
    "ConditionType": Custom(arith.read_condition_type, arith.write_condition_type),
    "Constituents": Custom(spirv.read_constituents, spirv.write_constituents),
    "Control": Custom(spirv.read_control, spirv.write_control, spirv.has_control),
    "Copyprivate": Custom(openmp.read_copyprivate, openmp.write_copyprivate),
    "CopyPrivateVarList": Custom(openmp.read_copyprivate, openmp.write_copyprivate),
    "Counted": Custom(loop_transforms.read_counted, loop_transforms.write_counted),
    "DependVarList": Custom(openmp.read_depend, openmp.write_depend),
    "DeviceTypeArrayAttr": Custom(openacc_loops.read_devices, openacc_loops.write_devices),
    "DeviceTypeOperands": Custom(openacc.read_device_operands, openacc.write_device_operands),
    "DeviceTypeOperandsWithKeywordOnly": Custom(
        openacc.read_operands_or_devices, openacc.write_operands_or_devices
    ),
    "DeviceTypeOperandsWithSegment": _GROUPS,
    "ForallBounds": Custom(loops.read_forall_bounds, loops.write_forall_bounds),
    "ForeachMatchSymbols": Custom(matches.read_matches, matches.write_matches),
    "GangClause": Custom(openacc_loops.read_gang, openacc_loops.write_gang),
    "GlobalMemrefOpTypeAndInitialValue": Custom(memory.read_global, memory.write_global),
    "GrainsizeClause": _GRANULARITY,
    "Inits": Custom(loops.read_inits, loops.write_inits, loops.has_inits),
    "InReductionPrivateReductionRegion": _OPENMP_REGION,
    "InReductionPrivateRegion": _OPENMP_REGION,
    "InsertExtractValueElementType": Custom(llvm.read_element_type, llvm.write_nothing),
    "Integer": Custom(smt.read_integer, smt.write_integer),
    "LinearClause": Custom(openmp.read_linear, openmp.write_linear),
    "Loaded": Custom(llvm.read_loaded, llvm.write_loaded),
    "LoopControl": Custom(_read_control, _write_control),
    "LoopTransformClis": Custom(loop_transforms.read_transformed, loop_transforms.write_transformed),
    "MapClause": Custom(openmp.read_map, openmp.write_map),
    "MapEntries": Custom(openmp.read_entries, openmp.write_entries),
    "MaskedOp": Custom(structured.read_masked, structured.write_masked),
    "MembersIndex": Custom(openmp.read_members, openmp.write_members),
    "MemoryAccess": Custom(spirv.read_access, spirv.write_access, spirv.has_access),
    "More": Custom(spirv.read_more, spirv.write_more, spirv.has_more),
    "NumGangs": _GROUPS,
    "NumTasksClause": _GRANULARITY,
    "OfMembers": Custom(spirv.read_members, spirv.write_last),
    "OneType": Custom(spirv.read_alike, spirv.write_alike),
    "OperandsWithKeywordOnly": _OPERANDS,
    "OperandWithKeywordOnly": _OPERANDS,
    "OrderClause": Custom(openmp.read_order, openmp.write_order),
    "OutputShape": Custom(memory.read_output_shape, memory.write_output_shape, memory.has_output_shape),
    "Overflow": Custom(llvm.read_overflow, llvm.write_overflow, llvm.has_overflow),
    "ParallelBounds": Custom(affine.read_parallel_bounds, affine.write_parallel_bounds),
    "ParallelRegion": _OPENMP_REGION,
    "Permutation": Custom(memory.read_permutation, memory.write_permutation),
    "Pointee": Custom(spirv.read_pointee, spirv.write_pointee),
    "PointerTo": Custom(spirv.read_variable, spirv.write_variable),
    "PrivateList": Custom(openmp.read_privates, openmp.write_privates),
    "PrivateReductionRegion": _OPENMP_REGION,
    "PrivateRegion": _OPENMP_REGION,
    "QuotedCase": Custom(llvm.read_quoted_case, llvm.write_quoted_case),
    "RecipeSym": Custom(openacc.read_recipe, openacc.write_recipe),
    "Reduced": Custom(loops.read_reduced, loops.write_reduced, loops.has_reduced),
    "Reductions": Custom(affine.read_reductions, affine.write_reductions, affine.has_results),
    "ReductionVarList": Custom(openmp.read_reductions, openmp.write_reductions),
    "Repeated": Custom(smt.read_repeated, smt.write_repeated),
    "ResultTypes": Custom(loops.read_result_types, loops.write_result_types, loops.has_result_types),
    "RoutineGangClause": Custom(openacc_loops.read_routine_gang, openacc_loops.write_routine_gang),
    "ScheduleClause": Custom(openmp.read_schedule, openmp.write_schedule),
    "ShuffleType": Custom(llvm.read_shuffled_type, llvm.write_nothing),
    "SpecId": Custom(spirv.read_spec_id, spirv.write_spec_id, spirv.has_spec_id),
    "Step": Custom(affine.read_step, affine.write_step, affine.has_step),
    "Steps": Custom(affine.read_steps, affine.write_steps, affine.has_steps),
    "StorageClass": Custom(spirv.read_storage, spirv.write_storage),
    "Stored": Custom(llvm.read_stored, llvm.write_stored),
    "Subscripts": Custom(affine.read_subscripts, affine.write_subscripts),
    "SwitchCases": Custom(loops.read_cases, loops.write_cases),
    "SwitchOpCases": Custom(switches.read_cases, switches.write_cases),
    "SymbolName": Custom(spirv.read_symbol, spirv.write_symbol),
    "SymOperandList": Custom(openacc.read_recipes, openacc.write_recipes),
    "SynchronizationHint": Custom(openmp.read_hint, openmp.write_hint),
    "TargetOpRegion": _OPENMP_REGION,
    "TaskReductionRegion": _OPENMP_REGION,
    "Times": Custom(smt.read_times, smt.write_times),
    "Trait": Custom(structured.read_trait, structured.write_trait),
    "TwoTypes": Custom(structured.read_two_types, structured.write_two_types),
    "UseDeviceAddrUseDevicePtrRegion": _OPENMP_REGION,
    "Var": Custom(openacc.read_variable, openacc.write_variable),
    "Variable": Custom(loops.read_variable, loops.write_variable),
    "Variables": Custom(loops.read_variables, loops.write_variables),
    "VariableType": Custom(loops.read_variable_type, loops.write_variable_type, loops.has_variable_type),
    "VarPtrType": Custom(openacc.read_variable_type, openacc.write_variable_type),
    "WaitClause": Custom(openacc.read_waits, openacc.write_waits),
    "While": Custom(loops.read_while, loops.write_while),
    "Word": Custom(memory.read_word, memory.write_word, memory.has_word),
    "Wsloop": _OPENMP_REGION,
}
