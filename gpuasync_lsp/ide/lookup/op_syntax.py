"""What the custom assembly of ops is made of: their keywords, and the types that their operands have.

From the assembly formats of MLIR's dialects, https://mlir.llvm.org/docs/Dialects/.
"""

from __future__ import annotations

import re

from gpuasync_lsp.syntax.dialects.arith import CMPF_PREDICATES, CMPI_PREDICATES

KEYWORDS: dict[str, tuple[str, ...]] = {
    # `false` and `true` are predicates as well, but nobody means them.
    "arith.cmpf": CMPF_PREDICATES[1:-1],
    "arith.cmpi": CMPI_PREDICATES,
    "arith.constant": ("true", "false", "dense"),
    "func.func": ("private", "public", "attributes"),
    "gpu.all_reduce": ("add", "mul", "minui", "minsi", "maxui", "maxsi", "and", "or", "xor", "uniform"),
    "gpu.alloc": ("async", "host_shared"),
    "gpu.block_dim": ("x", "y", "z"),
    "gpu.block_id": ("x", "y", "z"),
    "gpu.dealloc": ("async",),
    "gpu.func": ("kernel", "workgroup", "private", "attributes"),
    "gpu.global_id": ("x", "y", "z"),
    "gpu.grid_dim": ("x", "y", "z"),
    "gpu.launch": (
        "async",
        "clusters",
        "blocks",
        "threads",
        "dynamic_shared_memory_size",
        "workgroup",
        "private",
    ),
    "gpu.launch_func": (
        "async",
        "clusters in",
        "blocks in",
        "threads in",
        "dynamic_shared_memory_size",
        "args",
    ),
    "gpu.memcpy": ("async",),
    "gpu.memset": ("async",),
    "gpu.module": ("attributes",),
    "gpu.shuffle": ("xor", "up", "down", "idx"),
    "gpu.subgroup_reduce": ("add", "mul", "minui", "minsi", "maxui", "maxsi", "and", "or", "xor", "uniform"),
    "gpu.thread_id": ("x", "y", "z"),
    "gpu.wait": ("async",),
    "memref.cast": ("to",),
    "memref.copy": (),
    "memref.global": ("private", "public", "constant", "uninitialized"),
    "memref.subview": ("to",),
    "module": ("attributes",),
    "scf.for": ("to", "step", "iter_args"),
    "scf.if": ("else",),
    "scf.parallel": ("to", "step", "init"),
    "scf.while": ("do",),
}
"""The keywords of each op's assembly, in their order."""

INDEX, BOOLEAN, MEMREF, SAME = "index", "i1", "memref", "same"
"""Types that operands have: by name; `memref`, ranked or not; and `same`, as the operand in front."""

_OPERAND = r"%[\w$.\-]+(?:#\d+)?"
_ASYNC = r"(?:\s*async)?(?:\s*\[[^\]]*\])?\s*"

_OPERANDS: tuple[tuple[str, str], ...] = (
    (r"\b(?:blocks|threads|clusters) in \([^)]*", INDEX),
    (r"\b(?:blocks|threads|clusters)\s*\([^)]*\) in \([^)]*=\s*", INDEX),
    (r"\bdynamic_shared_memory_size\s+", "i32"),
    (rf"\b(?:gpu\.alloc{_ASYNC}|memref\.alloca?)(?:host_shared\s*)?\([^)]*", INDEX),
    (rf"\bgpu\.(?:memcpy|memset|dealloc){_ASYNC}", MEMREF),
    (rf"\bgpu\.memcpy{_ASYNC}{_OPERAND}\s*,\s*", MEMREF),
    (r"\bgpu\.host_(?:un)?register\s+", MEMREF),
    (r"\bmemref\.(?:load|dealloc|cast|subview|dim|copy|reinterpret_cast|memory_space_cast)\s+", MEMREF),
    (rf"\bmemref\.copy\s+{_OPERAND}\s*,\s*", MEMREF),
    (rf"\bmemref\.store\s+{_OPERAND}\s*,\s*", MEMREF),
    (rf"\bmemref\.dim\s+{_OPERAND}\s*,\s*", INDEX),
    (rf"\b(?:memref|vector|affine)\.(?:load|store)\b.*{_OPERAND}\s*\[[^\]]*", INDEX),
    (rf"\b(?:scf\.for\s+{_OPERAND}\s*=\s*|scf\.for\b.*\b(?:to|step)\s+)", INDEX),
    (r"\b(?:scf\.if|cf\.cond_br|arith\.select)\s+|\bscf\.condition\(", BOOLEAN),
    (rf"\b(?:arith|math)\.\w+\s+(?:\w+\s*,\s*)?{_OPERAND}\s*,\s*", SAME),
    (rf"\barith\.select\s+{_OPERAND}\s*,\s*{_OPERAND}\s*,\s*", SAME),
)
_WANTED = tuple((re.compile(pattern + r"$", re.DOTALL), wanted) for pattern, wanted in _OPERANDS)
_LAST_OPERAND = re.compile(rf"({_OPERAND})\s*,\s*$")


def wanted_type(statement: str) -> tuple[str, str] | None:
    """Return the type of the operand that comes behind `statement`, the text of an op so far, or None.

    With `SAME` comes the name of the value that has the type; otherwise an empty string.
    """
    for pattern, wanted in _WANTED:
        if pattern.search(statement):
            last = _LAST_OPERAND.search(statement)
            return wanted, last[1] if wanted is SAME and last is not None else ""
    return None
