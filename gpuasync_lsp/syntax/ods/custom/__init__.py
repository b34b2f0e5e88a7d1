"""The table of `custom<...>` directives that functions parse and print.

In addition to MLIR's directives, it contains those that the formats in `assemblies.py` use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from xdsl.parser import Parser

from gpuasync_lsp.syntax.ods.custom import (
    affine,
    arith,
    llvm,
    loops,
    matches,
    memory,
    rocdl,
    structured,
    switches,
)
from gpuasync_lsp.syntax.ods.custom.parts import Written
from gpuasync_lsp.syntax.ods.formats import Element
from gpuasync_lsp.syntax.ods.parts import Parts


def ALWAYS(_written: Written, _arguments: Sequence[Element]) -> bool:
    return True


class Custom(NamedTuple):
    """The parser and printer of a `custom` directive."""

    read: Callable[[Parser, Parts, Sequence[Element]], None]
    """Parses the directive at the parser's position; raises a ParseError."""
    write: Callable[[Written, Sequence[Element]], None]
    is_written: Callable[[Written, Sequence[Element]], bool] = ALWAYS
    """Returns whether the directive prints anything, including the space before it."""


DIRECTIVES = {
    "AffineBound": Custom(affine.read_bound, affine.write_bound),
    "AppliedMap": Custom(affine.read_map, affine.write_map),
    "Assignments": Custom(loops.read_assignments, loops.write_assignments, loops.has_assignments),
    "AtomicKind": Custom(memory.read_atomic_kind, memory.write_atomic_kind),
    "Body": Custom(loops.read_body, loops.write_body),
    "Bounds": Custom(loops.read_bounds, loops.write_bounds),
    "Bundles": Custom(llvm.read_bundles, llvm.write_bundles, llvm.has_bundles),
    "CachePolicy": Custom(rocdl.read_cache_policy, rocdl.write_cache_policy),
    "CallTypes": Custom(llvm.read_call_types, llvm.write_call_types),
    "Choice": Custom(memory.read_choice, memory.write_choice),
    "ConditionType": Custom(arith.read_condition_type, arith.write_condition_type),
    "Destination": Custom(structured.read_destination, structured.write_destination),
    "ForallBounds": Custom(loops.read_forall_bounds, loops.write_forall_bounds),
    "ForeachMatchSymbols": Custom(matches.read_matches, matches.write_matches),
    "GlobalMemrefOpTypeAndInitialValue": Custom(memory.read_global, memory.write_global),
    "Inits": Custom(loops.read_inits, loops.write_inits, loops.has_inits),
    "InsertExtractValueElementType": Custom(llvm.read_element_type, llvm.write_nothing),
    "LLVMLinkage": Custom(llvm.read_linkage, llvm.write_linkage),
    "Loaded": Custom(llvm.read_loaded, llvm.write_loaded),
    "MaskedOp": Custom(structured.read_masked, structured.write_masked),
    "OutputShape": Custom(memory.read_output_shape, memory.write_output_shape, memory.has_output_shape),
    "Overflow": Custom(llvm.read_overflow, llvm.write_overflow, llvm.has_overflow),
    "ParallelBounds": Custom(affine.read_parallel_bounds, affine.write_parallel_bounds),
    "Permutation": Custom(memory.read_permutation, memory.write_permutation),
    "QuotedCase": Custom(llvm.read_quoted_case, llvm.write_quoted_case),
    "Reduced": Custom(loops.read_reduced, loops.write_reduced, loops.has_reduced),
    "Reductions": Custom(affine.read_reductions, affine.write_reductions, affine.has_results),
    "ResultTypes": Custom(loops.read_result_types, loops.write_result_types, loops.has_result_types),
    "ShuffleType": Custom(llvm.read_shuffled_type, llvm.write_nothing),
    "Step": Custom(affine.read_step, affine.write_step, affine.has_step),
    "Steps": Custom(affine.read_steps, affine.write_steps, affine.has_steps),
    "Stored": Custom(llvm.read_stored, llvm.write_stored),
    "Subscripts": Custom(affine.read_subscripts, affine.write_subscripts),
    "SwitchCases": Custom(loops.read_cases, loops.write_cases),
    "SwitchOpCases": Custom(switches.read_cases, switches.write_cases),
    "Trait": Custom(structured.read_trait, structured.write_trait),
    "TwoTypes": Custom(structured.read_two_types, structured.write_two_types),
    "Variable": Custom(loops.read_variable, loops.write_variable),
    "Variables": Custom(loops.read_variables, loops.write_variables),
    "VariableType": Custom(loops.read_variable_type, loops.write_variable_type, loops.has_variable_type),
    "While": Custom(loops.read_while, loops.write_while),
    "Word": Custom(memory.read_word, memory.write_word, memory.has_word),
}
