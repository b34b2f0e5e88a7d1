"""The rules, one file each, and the one table that says which exist."""

from __future__ import annotations

import sys
from dataclasses import replace

from gpuasync_lsp.analysis.rule import Rule
from gpuasync_lsp.analysis.rules import (
    async_host_shared_alloc,
    async_object_conflict,
    async_type_in_signature,
    data_race,
    device_sync_dealloc,
    double_dealloc,
    dropped_async_object,
    early_wait,
    empty_wait,
    event_destroyed_twice,
    event_taken_for_stream,
    host_race,
    ignored_destination_layout,
    inaccessible_memory,
    invalid_op,
    launch_configuration,
    launch_not_outlined,
    launch_operand,
    leaked_buffer,
    leaked_joined_stream,
    memory_space,
    memset_width,
    missing_async,
    missing_container_module,
    missing_dependency,
    no_pattern,
    null_token,
    pageable_copy,
    parser_crash,
    read_of_uninitialized,
    redundant_dependency,
    region_pass_breaks,
    repeated_kernel_module,
    serialized_fork,
    stream_destroyed_twice,
    stream_taken_for_event,
    strided_source,
    sync_launch_stream,
    sync_with_dependencies,
    syntax_error,
    too_many_dependencies,
    took_too_long,
    unawaited_token,
    undefined_value,
    unknown_dialect,
    unknown_kernel,
    unloaded_module,
    unregistered_memory,
    use_after_dealloc,
    use_after_stream_destroy,
    yielded_stream,
)

_MODULES = (
    syntax_error,
    undefined_value,
    invalid_op,
    unknown_kernel,
    missing_container_module,
    parser_crash,
    unknown_dialect,
    took_too_long,
    too_many_dependencies,
    missing_async,
    missing_dependency,
    sync_with_dependencies,
    async_host_shared_alloc,
    memset_width,
    strided_source,
    launch_not_outlined,
    async_object_conflict,
    memory_space,
    async_type_in_signature,
    repeated_kernel_module,
    launch_operand,
    no_pattern,
    stream_destroyed_twice,
    use_after_stream_destroy,
    stream_taken_for_event,
    event_taken_for_stream,
    yielded_stream,
    event_destroyed_twice,
    dropped_async_object,
    ignored_destination_layout,
    null_token,
    empty_wait,
    unloaded_module,
    data_race,
    host_race,
    use_after_dealloc,
    double_dealloc,
    read_of_uninitialized,
    inaccessible_memory,
    unawaited_token,
    leaked_joined_stream,
    leaked_buffer,
    serialized_fork,
    redundant_dependency,
    early_wait,
    device_sync_dealloc,
    pageable_copy,
    sync_launch_stream,
    region_pass_breaks,
    unregistered_memory,
    launch_configuration,
)


def _documented(rule: Rule, module: str) -> Rule:
    return replace(rule, doc=sys.modules[module].__doc__ or "")


RULES: tuple[Rule, ...] = tuple(
    sorted((_documented(m.RULE, m.__name__) for m in _MODULES), key=lambda rule: rule.code)
)
"""Every rule, by code."""

BY_CODE: dict[str, Rule] = {rule.code: rule for rule in RULES}
