"""The host's equivalents of libdevice functions (`libdevice.py`)."""

from __future__ import annotations

from gpuasync_lsp.exec.worker.cpu.kernels.libdevice import host_name
from gpuasync_lsp.lowering.passes.convert_gpu_to_nvvm.math import (
    FAST,
    PATTERNS,
    ConvertPredicate,
    ConvertToLibdevice,
)


def test_every_function_that_kernels_call_has_an_equivalent() -> None:
    functions = [each.function for each in PATTERNS if isinstance(each, ConvertToLibdevice)]
    names = [f"__nv_{name}{suffix}" for name in (*functions, "sincos") for suffix in ("", "f")]
    names += [f"__nv_fast_{name}f" for name in FAST]
    names += [
        name for each in PATTERNS if isinstance(each, ConvertPredicate) for name in each.functions.values()
    ]
    assert len(names) > 80
    assert [name for name in names if host_name(name) is None] == []
