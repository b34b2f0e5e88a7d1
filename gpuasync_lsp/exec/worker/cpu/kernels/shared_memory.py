"""Workgroup memory of a kernel module, as one variable that contains all buffers."""

from __future__ import annotations

from collections.abc import Mapping

from gpuasync_lsp.exec.worker.cpu.checks import DYNAMIC_SHARED
from gpuasync_lsp.exec.worker.cpu.kernel import MAX_SHARED

_SHARED_ALIGN = 1024
_RED_ZONE = 64
"""The number of unused bytes after each buffer of shared memory; accesses to them are reported."""


class SharedPlaces:
    """The layout of workgroup buffers in one variable, each followed by unused bytes."""

    def __init__(self, sizes: Mapping[str, int]) -> None:
        """`sizes` maps the variables in shared memory to their sizes; 0 if the launch determines the size."""
        self.sizes = sizes
        self.offsets: dict[str, int] = {}
        self.size = 0
        for name, size in (*((n, s) for n, s in sizes.items() if s), (DYNAMIC_SHARED, self._dynamic(sizes))):
            self.offsets[name] = self.size
            self.size = (self.size + size + _RED_ZONE + _SHARED_ALIGN - 1) // _SHARED_ALIGN * _SHARED_ALIGN

    @staticmethod
    def _dynamic(sizes: Mapping[str, int]) -> int:
        return MAX_SHARED if 0 in sizes.values() else 0

    def definition(self) -> str:
        """Return the IR of the variable, of its dynamic buffer, and of a function for its address."""
        return (
            f"@gpuasync.shared = internal addrspace(3) global [{self.size} x i8] zeroinitializer, "
            f"align {_SHARED_ALIGN}\n"
            f"{self.alias(DYNAMIC_SHARED, '[0 x i8]')}\n"
            "define i64 @gpuasync.shared.address() {\n"
            "  %a = ptrtoint ptr addrspace(3) @gpuasync.shared to i64\n  ret i64 %a\n}\n"
        )

    def alias(self, name: str, type: str) -> str:
        """Return the line that defines a buffer's name as an alias into the variable."""
        place = f"getelementptr (i8, ptr addrspace(3) @gpuasync.shared, i64 {self.offsets[name]})"
        return f"{name} = internal alias {type}, ptr addrspace(3) {place}"

    def line(self, line: str) -> str:
        """Rewrite the definition of a shared memory variable; return other lines unchanged."""
        name, defines, rest = line.partition(" = ")
        _, is_shared, rest = rest.partition("addrspace(3) global ")
        if not (name.startswith("@") and defines and is_shared and rest):
            return line
        type = rest.rpartition(", align ")[0] or rest
        for value in (" undef", " poison", " zeroinitializer"):
            type = type.removesuffix(value)
        return self.alias(DYNAMIC_SHARED if name not in self.offsets else name, type).replace(
            DYNAMIC_SHARED, name, 1
        )
