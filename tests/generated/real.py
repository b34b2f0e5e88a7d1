"""Runs the real mlir-opt on many generated programs at once, with source lines as locations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tests.generated.programs import AGAIN, Program
from tests.support.tools import mlir_opt

SEPARATOR = "// -----\n"
PRINT = ("--mlir-print-debuginfo", "--mlir-print-local-scope")
_OP = re.compile(r"^  (?!cf\.|\}|func\.)(?!.*\{$).*\S")
_ERROR = re.compile(r'error: (?:loc\("\d+"\): )?(.*)')
_TOGETHER = 40
"""Number of functions in one module for LLVM 24, whose process takes half a second to start."""


@dataclass(frozen=True)
class Lowered:
    """The result of gpu-to-llvm for a program: a text, or the first message."""

    text: str
    error: str = ""


def located(text: str) -> str:
    """Add its line to every op as a location, except to the first line of an op with a body."""
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if _OP.match(line) and not line.lstrip().startswith(("^", "scf.condition")):
            lines[number - 1] = f'{line} loc("{number}")'
    return "\n".join(lines)


def gpu_to_llvm(version: int) -> str:
    """Return the argument for the pass in the spelling of the version."""
    return "--gpu-to-llvm=gpu-binary-annotation=nvvm.cubin" if version == 16 else "--gpu-to-llvm"


def lower_all(version: int, programs: Sequence[Program]) -> list[Lowered]:
    """Lower programs, including scf ops, by the real mlir-opt of a version."""
    if version == 24:
        return _lower_24(programs)
    return lower_texts(version, [program.text(version) for program in programs])


def lower_texts(version: int, texts: Sequence[str]) -> list[Lowered]:
    """Lower texts, including scf ops, by the real mlir-opt of a version; in few processes except for LLVM
    24."""
    if version == 24:
        return [lower_one(version, text) for text in texts]
    out = mlir_opt(version)(
        SEPARATOR.join(map(located, texts)),
        "--split-input-file",
        "--convert-scf-to-cf",
        gpu_to_llvm(version),
        *PRINT,
        timeout=300,
    )
    parts = out.out.split(SEPARATOR)
    assert len(parts) == len(texts), out.err[:2000]
    return [
        Lowered(part) if part.strip() else lower_one(version, text)
        for part, text in zip(parts, texts, strict=True)
    ]


def lower_one(version: int, text: str) -> Lowered:
    """Lower one text; return the first message if that fails."""
    before = mlir_opt(min(version, 22))(located(text), "--convert-scf-to-cf", *PRINT)
    done = mlir_opt(version)(before.out, gpu_to_llvm(version), PRINT[0]) if before.code == 0 else before
    if done.code == 0:
        return Lowered(done.out)
    message = _ERROR.search(done.err)
    return Lowered("", message[1] if message else done.err)


def _lower_24(programs: Sequence[Program]) -> list[Lowered]:
    found: dict[int, Lowered] = {}
    calm = [n for n, program in enumerate(programs) if not program.fatal]
    groups = [calm[at : at + _TOGETHER] for at in range(0, len(calm), _TOGETHER)]
    for n, program in enumerate(programs):
        if program.fatal:
            found[n] = lower_one(24, program.text(24))
    for nvvm in (True, False):
        for group in groups:
            chosen = [n for n in group if programs[n].nvvm is nvvm]
            if chosen:
                found |= zip(chosen, _together([programs[n] for n in chosen]), strict=True)
    return [found[n] for n in range(len(programs))]


def _together(programs: Sequence[Program]) -> list[Lowered]:
    """Lower programs together, as functions of one module."""
    parts: list[str] = []
    kernels: list[str] = []
    for number, program in enumerate(programs):
        # In its own module a program begins on line 3.
        text = located("\n\n" + program.function(f"f{number}"))
        parts.append(re.sub(r"@k(\d+)::", rf"@k{number}_\1::", text))
        kernels.append(re.sub(r"@k(\d+)", rf"@k{number}_\1", program.kernels(24)))
    module = (
        f"module attributes {{gpu.container_module}} {{\n{AGAIN} {' '.join(kernels)}\n{''.join(parts)}}}\n"
    )
    first = mlir_opt(22)(module, "--convert-scf-to-cf", *PRINT)
    done = mlir_opt(24)(first.out, "--gpu-to-llvm", PRINT[0])
    assert done.code == 0, done.err[:2000]
    aliases = "\n".join(re.findall(r"^#loc.*", done.out, re.M))
    declared = re.findall(r"^  llvm\.func (?:@mgpu|@free|@malloc|@again).*", done.out, re.M)
    functions = re.findall(r"^  llvm\.func @f\d+\(.*?^  }.*?$", done.out, re.M | re.S)
    assert len(functions) == len(programs)
    found: list[Lowered] = []
    for number, (program, function) in enumerate(zip(programs, functions, strict=True)):
        used = [line for line in declared if f"{line.split('(')[0].split()[-1]}(" in function]
        body = re.sub(rf"@k{number}_(\d+)::", r"@k\1::", function).replace(f"@f{number}(", "@f(", 1)
        inside = "\n".join([f"  {program.kernels(24)}", body, *used])
        found.append(Lowered(f"{aliases}\nmodule attributes {{gpu.container_module}} {{\n{inside}\n}}\n"))
    return found
