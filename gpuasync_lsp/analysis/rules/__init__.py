"""The rules, one file each, and the one table that says which exist."""

from __future__ import annotations

import sys
from dataclasses import replace

from gpuasync_lsp.analysis.rule import Rule
from gpuasync_lsp.analysis.rules import (
    async_host_shared_alloc,
    async_object_conflict,
    async_type_in_signature,
    launch_not_outlined,
    leaked_joined_stream,
    memory_space,
    memset_width,
    missing_async,
    missing_dependency,
    redundant_dependency,
    repeated_kernel_module,
    stream_destroyed_twice,
    strided_source,
    sync_with_dependencies,
    too_many_dependencies,
    unawaited_token,
    use_after_stream_destroy,
)

_MODULES = (
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
    stream_destroyed_twice,
    use_after_stream_destroy,
    unawaited_token,
    leaked_joined_stream,
    redundant_dependency,
)


def _documented(rule: Rule, module: str) -> Rule:
    return replace(rule, doc=sys.modules[module].__doc__ or "")


RULES: tuple[Rule, ...] = tuple(
    sorted((_documented(m.RULE, m.__name__) for m in _MODULES), key=lambda rule: rule.code)
)
"""Every rule, by code."""

BY_CODE: dict[str, Rule] = {rule.code: rule for rule in RULES}
