"""Documentation of ops from the ODS tables: summary, syntax, keywords, links.

The tables contain MLIR's own ops and the ops of users' TableGen dumps.
"""

from __future__ import annotations

import re

from gpuasync_lsp.syntax.ods.table import Variant, entry, mlir_dialects

_WORD = re.compile(r"[A-Za-z_][\w.]*")
_MOST_OF_DESCRIPTION = 1_500
"""The maximum number of characters of a description in hover."""
_PAGES = {
    "acc": "OpenACCDialect",
    "affine": "Affine",
    "amdgpu": "AMDGPU",
    "arith": "ArithOps",
    "arm_neon": "ArmNeon",
    "arm_sme": "ArmSME",
    "arm_sve": "ArmSVE",
    "async": "AsyncDialect",
    "bufferization": "BufferizationOps",
    "builtin": "Builtin",
    "cf": "ControlFlowDialect",
    "complex": "ComplexOps",
    "emitc": "EmitC",
    "func": "Func",
    "gpu": "GPU",
    "index": "IndexOps",
    "irdl": "IRDL",
    "linalg": "Linalg",
    "llvm": "LLVM",
    "math": "MathOps",
    "memref": "MemRef",
    "ml_program": "MLProgramOps",
    "mpi": "MPI",
    "nvgpu": "NVGPU",
    "nvvm": "NVVMDialect",
    "omp": "OpenMPDialect",
    "pdl": "PDLOps",
    "pdl_interp": "PDLInterpOps",
    "ptr": "PtrOps",
    "quant": "QuantDialect",
    "rocdl": "ROCDLDialect",
    "scf": "SCFDialect",
    "shape": "ShapeDialect",
    "shard": "Shard",
    "smt": "SMT",
    "sparse_tensor": "SparseTensorOps",
    "spirv": "SPIR-V",
    "tensor": "TensorOps",
    "tosa": "TOSA",
    "transform": "Transform",
    "ub": "UBOps",
    "vector": "Vector",
    "wasmssa": "WasmSSAOps",
    "x86vector": "X86Vector",
    "xegpu": "XeGPU",
    "xevm": "XeVMDialect",
}
"""The page of each dialect at mlir.llvm.org."""


def table_documentation(name: str) -> str | None:
    """Return the documentation of an op from the tables as Markdown; None if the op is not in them."""
    found = entry(name)
    if found is None:
        return None
    variant = found.variants[-1]
    parts = [_sentence(variant.summary)] if variant.summary else []
    if description := _first_paragraph(variant.description):
        parts.append(description)
    if variant.format:
        parts.append(f"```mlir\n{syntax(variant)}\n```")
    if (where := _where(name, variant)) is not None:
        parts.append(where)
    return "\n\n".join(parts) or None


def table_link(name: str) -> str | None:
    """Return a link to the documentation of an op, as Markdown, or None if unknown."""
    found = entry(name)
    return None if found is None else _where(name, found.variants[-1])


def table_summary(name: str) -> str:
    """Return one line about an op; empty if it is not in the tables."""
    found = entry(name)
    return "" if found is None else _sentence(found.variants[-1].summary)


def op_syntax(name: str) -> str | None:
    """Return the syntax of an op; None if it has no declarative assembly."""
    found = entry(name)
    return syntax(found.variants[-1]) if found is not None and found.variants[-1].format else None


def syntax(variant: Variant) -> str:
    """Return the syntax of an op: `mine.add $lhs, $rhs [fast]? : type($sum)`."""
    text = re.sub(r"`([^`]*)`", lambda literal: literal[1].strip() or " ", variant.format)
    text = text.replace("attr-dict", "{...}?").replace("^", "")
    text = " ".join(text.split())
    for tight in (",", ")", "]", ">"):
        text = text.replace(f" {tight}", tight)
    for tight in ("(", "[", "<"):
        text = text.replace(f"{tight} ", tight)
    results = ", ".join(f"%{label or 'result'}" for label, _ in variant.results)
    return f"{results} = {variant.name} {text}" if results else f"{variant.name} {text}"


def _sentence(text: str) -> str:
    line = " ".join(text.split())
    return line[:1].upper() + line[1:] + ("" if not line or line.endswith(".") else ".")


def _first_paragraph(text: str) -> str:
    lines = text.strip("\n").split("\n")
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    cut = min(indents, default=0)
    body = "\n".join(line[cut:].rstrip() for line in lines).strip()
    return body.partition("\n\n")[0][:_MOST_OF_DESCRIPTION]


def _where(name: str, variant: Variant) -> str | None:
    dialect, dot, _ = name.partition(".")
    if dialect in mlir_dialects() and dot:
        page = _PAGES.get(dialect)
        if page is None:
            return None
        plain = name.replace(".", "")
        anchor = f"{plain}-{plain.replace('_', '')}op"
        return f"[{name} at mlir.llvm.org](https://mlir.llvm.org/docs/Dialects/{page}/#{anchor})"
    return f"Defined at `{variant.place}`" if variant.place else None
