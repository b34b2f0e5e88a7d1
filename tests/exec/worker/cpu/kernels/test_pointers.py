"""The objects that pointers in a kernel's IR point to."""

from __future__ import annotations

import pytest

from gpuasync_lsp.exec.worker.cpu.kernels.pointers import SHARED, Pointers

DESCRIPTOR = "{ ptr addrspace(3), ptr addrspace(3), i64 }"
LINES = f"""
  %a = getelementptr [8 x float], ptr addrspace(3) @one, i32 0, i32 0
  %d = insertvalue {DESCRIPTOR} poison, ptr addrspace(3) %a, 0
  %e = insertvalue {DESCRIPTOR} %d, ptr addrspace(3) %a, 1
  %f = insertvalue {DESCRIPTOR} %e, i64 0, 2
  %b = extractvalue {DESCRIPTOR} %f, 1
  %p = getelementptr inbounds nuw float, ptr addrspace(3) %b, i64 %i
  %q = getelementptr float, ptr addrspace(3) @late, i64 %i
  %s = select i1 %c, ptr addrspace(3) %p, ptr addrspace(3) %q
  %t = getelementptr float, ptr addrspace(3) %s, i64 1
  %g = getelementptr float, ptr addrspace(1) %x, i64 %i
"""


@pytest.mark.parametrize(
    ("pointer", "buffer"),
    [
        ("%a", ("@one", 32)),
        ("%b", ("@one", 32)),
        ("%p", ("@one", 32)),
        ("@one", ("@one", 32)),
        ("%q", None),  # The launch determines the size.
        ("%s", None),
        ("%t", None),
    ],
)
def test_the_buffer_that_a_pointer_was_made_from(pointer: str, buffer: tuple[str, int] | None) -> None:
    pointers = Pointers({"@one": 32, "@late": 0})
    for line in LINES.strip("\n").splitlines():
        pointers.learn(line)
    assert pointers.buffer(SHARED, pointer) == buffer
    assert pointers.buffer("ptr addrspace(1)", "%g") is None
    assert pointers.variable("%b") is None
