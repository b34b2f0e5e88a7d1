"""Kernels with a bug and their repaired twins, in the styles of code generators and of people.

A case begins with `== NAME: FINDING` (several with `|`), followed by `grid X Y Z`, `block X Y Z`, `args
NAME:TYPE ...` (memory that host and device share), `zero NAME` (its first word is 0) and `style llvm`
(the kernel is an llvm.func with pointer arguments). The rest is the kernel's body. `G|` begins a line
outside of the kernel, `B|` one that is only in the kernel with the bug, `F|` one only in the repaired
kernel. `<<` marks the lines at which the finding may be.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tests.exec.kernel_bugs import FIXTURES, Bug


@dataclass
class _Case:
    told: dict[str, list[str]] = field(default_factory=lambda: {"zero": [], "style": ["gpu"]})
    beside: list[str] = field(default_factory=list[str])
    body: list[str] = field(default_factory=list[str])


def kernels() -> list[Bug]:
    """Return the cases of the fixture."""
    text = (FIXTURES / "kernel_bugs_manners" / "manners.txt").read_text()
    found: list[Bug] = []
    for case in re.split(r"^== ", text, flags=re.MULTILINE)[1:]:
        head, *lines = case.splitlines()
        name, _, finding = head.partition(": ")
        broken, marked = _module(_read(lines, "B|"))
        found.append(Bug(name, finding, broken, _module(_read(lines, "F|"))[0], frozenset(marked)))
    return found


def _read(lines: list[str], kept: str) -> _Case:
    case = _Case()
    for line in filter(str.strip, lines):
        if line[:2] in ("B|", "F|"):
            if line[:2] != kept:
                continue
            line = line[2:]
        key, *rest = line.split()
        if key in ("grid", "block", "args", "style", "zero"):
            case.told[key] = rest
        elif line.startswith("G|"):
            case.beside.append(line[2:])
        else:
            case.body.append(line)
    return case


def _module(case: _Case) -> tuple[str, list[int]]:
    arguments = [each.split(":", 1) for each in case.told["args"]]
    by_pointer = case.told["style"] == ["llvm"]
    pointers = [(name, "!llvm.ptr<1>") for name, _ in arguments]
    taken = ", ".join(f"%{n}: {t}" for n, t in (pointers if by_pointer else arguments))
    lines = ["module attributes {gpu.container_module} {", "gpu.module @k {", *case.beside]
    if by_pointer:
        lines.append(f"llvm.func @f({taken}) attributes {{gpu.kernel, nvvm.kernel}} {{")
    else:
        lines.append(f"gpu.func @f({taken}) kernel {{")
    marked: list[int] = []
    for line in case.body:
        lines.append(line.removesuffix("<<"))
        if line.endswith("<<"):
            marked.append(len(lines))
    lines += [*([] if by_pointer else ["gpu.return"]), "}", "}"]
    lines.append(f"func.func @main({', '.join(f'%{n}: {t}' for n, t in arguments)}) {{")
    for key in ("grid", "block"):
        lines += [f"%{key}{n} = arith.constant {size} : index" for n, size in enumerate(case.told[key])]
    for name in case.told["zero"]:
        type = dict(arguments)[name]
        lines += ["%at = arith.constant 0 : index", "%zero = arith.constant 0 : i32"]
        lines.append(f"memref.store %zero, %{name}[%at] : {type}")
    for name, type in arguments if by_pointer else ():
        lines += [
            f"%{name}_i = memref.extract_aligned_pointer_as_index %{name} : {type} -> index",
            f"%{name}_l = arith.index_cast %{name}_i : index to i64",
            f"%{name}_p = llvm.inttoptr %{name}_l : i64 to !llvm.ptr<1>",
        ]
    given = ", ".join(f"%{n}_p : {t}" for n, t in pointers) if by_pointer else taken.replace(":", " :")
    lines.append(
        "gpu.launch_func @k::@f blocks in (%grid0, %grid1, %grid2) "
        f"threads in (%block0, %block1, %block2) args({given})"
    )
    return "\n".join([*lines, "return", "}", "}", ""]), marked
