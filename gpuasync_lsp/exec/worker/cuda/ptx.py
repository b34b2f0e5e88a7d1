"""Compiles kernels to PTX with LLVM's NVPTX backend, and links libdevice if a kernel calls it.

LLVM can abort the process on IR that it cannot select, so this runs in the worker only.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from gpuasync_lsp.exec.worker.jit import CompileError
from gpuasync_lsp.exec.worker.untyped import Machine, Module, llvm_binding
from gpuasync_lsp.text.files import MOST_OF_SOURCE, read_file

llvm = llvm_binding()

TRIPLE = "nvptx64-nvidia-cuda"
DEFAULT_CHIP = "sm_80"
_CHIPS = (50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121)
"""The architectures that LLVM 22 supports; PTX for an architecture also runs on newer ones."""


class _Need(NamedTuple):
    pattern: str
    """Matches the beginning of `NAME(ARGUMENTS`, where NAME follows `llvm.nvvm.`, or of an instruction."""

    least: int
    """The first architecture that supports the intrinsic."""

    version: int = 0
    """The first PTX version that supports the intrinsic, if it is newer than LLVM's default for the chip."""

    accelerated: tuple[int, ...] = ()
    """The architectures on which only accelerated chips, such as `sm_90a`, support the intrinsic."""


_SERVERS = (100, 101, 103, 110)
_BLACKWELL = (*_SERVERS, 120, 121)
_TINY = "(?:ue8m0|e2m3|e3m2|e2m1)x2"
"""Matches pairs of floats that Hopper lacks."""
_NEEDS = (
    _Need(r"wgmma\.[\w.]*\.(?:s8\.u8|u8\.s8)", 90, 84, (90,)),
    _Need(r"wgmma\.", 90, 80, (90,)),
    _Need(r"setmaxnreg\.", 90, 80, (90, *_BLACKWELL)),
    _Need(r"tcgen05\.[\w.]*\.block\d", 100, 88, _SERVERS),
    _Need(r"tcgen05\.", 100, 86, _SERVERS),
    _Need(r"redux\.sync\.f", 100, 86, _SERVERS),
    _Need(r"f32x4\.to\.|ff2b?f16x2\.rs", 100, 87, (100, 103)),
    _Need(rf"\w+\.to\.{_TINY}|{_TINY}\.to\.", 100, 86, _BLACKWELL),
    _Need(r"(?:ff|f16x2)\.to\.e|e\w+x2\.to\.", 89, 81),
    _Need(r"f2tf32\.rna\.satfinite", 89, 81),
    _Need(r"f2tf32\.(?:r\w+\.)?(?:relu\.)?satfinite", 100, 86),
    _Need(r"f2tf32\.r[nz][.(]", 90, 78),
    _Need(r"f2tf32\.|ff2b?f16x2\.", 80, 70),
    _Need(r"clusterlaunchcontrol\.try_cancel\.async\.multicast", 100, 86, _BLACKWELL),
    _Need(r"clusterlaunchcontrol\.|st\.bulk|cp\.async\.bulk\.shared\.cta\.to\.global\.bytemask", 100, 86),
    # New modes of tensor copies, and copies for a pair of blocks (the last argument is 1 or 2).
    _Need(r"cp\.async\.bulk\.tensor\.(?:\w+\.)*(?:gather4|scatter4|im2col\.w)\.", 100, 86, _SERVERS),
    _Need(r"cp\.async\.bulk\.tensor\.g2s\.[^\n]*i32 [12]\)", 100, 86, _SERVERS),
    _Need(r"cp\.async\.bulk\.(?:tensor\.g2s\.cta\.|global\.to\.shared\.cta)", 90, 86),
    _Need(r"fence\.(?:acquire|release)\.sync_restrict|fence\.proxy\.async_generic", 90, 86),
    _Need(r"fence\.proxy\.tensormap_generic", 90, 83),
    _Need(r"fence\.proxy\.alias", 70, 75),
    _Need(r"fence\.(?:proxy\.|mbarrier_init)|cp\.async\.bulk\.|prefetchu?\.|elect\.sync", 90, 80),
    _Need(r"fence\.\w+\.cluster|griddepcontrol\.|mapa|barrier\.cluster\.", 90),
    _Need(r"read\.ptx\.sreg\.aggr_smem_size", 90, 81),
    _Need(r"read\.ptx\.sreg\.n?cluster", 90),
    _Need(r"mbarrier\.[\w.]*relaxed", 90, 86),
    _Need(r"mbarrier\.(?:arrive[\w.]*(?:scope|expect)|expect|complete|try|[\w.]*cluster)", 90, 80),
    _Need(r"mbarrier\.[\w.]*parity", 80, 71),
    _Need(r"cp\.async\.|mbarrier\.|redux\.sync\.", 80),
    _Need(r"mma\.sp\.\S*kind", 120, 87, (120, 121)),
    _Need(r"mma\.\S*\.e[45]m", 89, 85),
    _Need(r"mma\.sp\.ordered", 80, 85),
    _Need(r"mma\.(?:sp|and)\.", 80, 71),
    _Need(r"mma\.m8n8k4\.\w+\.\w+\.f(?:16|32)", 70, 64),
    _Need(r"mma\.m8n8k(?:16|32)|mma\.m16n8k8\.\w+\.\w+\.f(?:16|32)", 75, 65),
    _Need(r"mma\.", 80, 70),
    _Need(r"stmatrix\.[\w.]*m8n8", 90, 78),
    _Need(r"ldmatrix\.[\w.]*m8n8", 75, 65),
    _Need(r"(?:ld|st)matrix\.", 100, 86, _BLACKWELL),
    _Need(r"wmma\.[\w.]*\b(?:bf16|tf32|f64)\b", 80),
    _Need(r"wmma\.[\w.]*\b[su]8\b", 72, 63),
    _Need(r"wmma\.[\w.]*\b(?:[su]4|b1)\b", 75, 63),
    _Need(r"wmma\.", 70, 61),
    _Need(r"nanosleep", 70, 63),
    _Need(r"match\.", 70),
)
"""Requirements of intrinsics; the first pattern that matches applies.

Source: the predicates of NVPTXIntrinsics.td of LLVM 22, and the PTX ISA 9.0; ptxas 12.9 and 13.5 agree."""
_COMPILED = tuple((re.compile(need.pattern), need) for need in _NEEDS)
_INTRINSIC = re.compile(r"@llvm\.nvvm\.([\w.]+\([^\n]*)")
_ASSEMBLY = re.compile(r' asm [^"\n]*"((?:[^"\\\n]|\\.)*)"')
_ESCAPE = re.compile(r"\\[0-9A-F]{2}")
_INSTRUCTION = re.compile(r"(?<![\w.])[a-z]\w*\.[\w.:]+")
_REJECTED = (
    (
        re.compile(r" = alloca [^\n]*, addrspace\([1-4]\)"),
        "an alloca is in workgroup memory, but it is a variable of one thread",
    ),
    (re.compile(r"<vscale x "), "the kernels have scalable vectors, which a GPU does not have"),
    (re.compile(r'"nvvm\.\w+"="[\d,]*-'), "a kernel declares a negative launch size"),
)
"""Patterns of IR for which LLVM would end the process or write invalid PTX, each with an error message."""
_IN_CLUSTER = re.compile(
    r" (?:load [^,\n]+,|store [^\n]+,|atomicrmw [\w ]+|cmpxchg [\w ]+) ptr addrspace\(7\)"
)
_EXTERN = re.compile(r"^\.extern \.func\s+(?:\([^)]*\)\s*)?([\w.$]+)", re.M)
_OF_DRIVER = frozenset({"vprintf", "malloc", "free", "__assertfail"})
"""The functions that the driver links. Source: "System calls" in the CUDA PTX Writer's Guide."""


class NoLibdevice(Exception):
    """A kernel calls libdevice, which is not on this machine."""


def to_ptx(ir: str, chip: str = DEFAULT_CHIP) -> str:
    """Return the PTX of a kernel module's IR for `chip` (`sm_90`).

    Raises `CompileError` for IR that LLVM rejects, `NoLibdevice` if libdevice is needed and missing."""
    cpu, version = _target(ir, chip)
    for pattern, message in _REJECTED:
        if pattern.search(ir) is not None:
            raise CompileError(message)
    machine = _machine(cpu, version)
    try:
        module: Module = llvm.parse_assembly(ir)
        module.triple = TRIPLE
        module.data_layout = str(machine.target_data)
        module.verify()
        if "@__nv_" in ir:
            _link_libdevice(module, machine)
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
        builder.getModulePassManager().run(module, builder)
        text = str(machine.emit_assembly(module))
    except RuntimeError as error:
        raise CompileError(str(error)) from error
    if (unknown := undefined_function(text)).startswith("llvm."):
        raise CompileError(f"LLVM's NVPTX backend has no intrinsic {unknown}")
    return text


def undefined_function(ptx: str) -> str:
    """Return a function that `ptx` calls and that neither it nor the driver defines, or an empty string.

    LLVM's intrinsics come first."""
    names = [name for name in _EXTERN.findall(ptx) if name not in _OF_DRIVER]
    return min(names, key=lambda name: not name.startswith("llvm."), default="")


def _target(ir: str, chip: str) -> tuple[str, int]:
    """Return the chip to compile for, and the PTX version that `ir` needs, 0 for LLVM's default.

    The chip is `sm_90a` if an intrinsic needs an accelerated chip, whose PTX runs on no other chip. Raises
    `CompileError` for an intrinsic that `chip` lacks."""
    architecture, suffix = _parts(chip)
    if architecture < _CHIPS[0]:
        raise CompileError(
            f"the oldest chip that this tool supports is sm_{_CHIPS[0]}, and this is for {chip}"
        )
    known = max(each for each in _CHIPS if each <= architecture)
    if known != architecture:
        suffix = ""
    version = 0
    used = {f"llvm.nvvm.{each}" for each in _INTRINSIC.findall(ir)}
    for text in _ASSEMBLY.findall(ir):
        used.update(_INSTRUCTION.findall(_ESCAPE.sub(" ", text).replace("::", ".")))
    if _IN_CLUSTER.search(ir) is not None:
        used.add("mapa, for workgroup memory of a different block,")
    for each in sorted(used):
        name, short = each.partition("(")[0], each.removeprefix("llvm.nvvm.")
        need = next((need for pattern, need in _COMPILED if pattern.match(short) is not None), None)
        if need is None:
            continue
        if architecture < need.least:
            raise CompileError(f"{name} needs sm_{need.least} or newer, and this is for {chip}")
        if need.accelerated:
            if known not in need.accelerated:
                having = " or ".join(f"sm_{each}a" for each in need.accelerated)
                raise CompileError(f"{name} needs {having}, and this is for {chip}")
            suffix = suffix or "a"
        version = max(version, need.version)
    return f"sm_{known}{suffix}", version


def _parts(chip: str) -> tuple[int, str]:
    """Split a chip's name: `sm_90a` into 90 and `a`."""
    found = re.fullmatch(r"(?:sm_|compute_)?(\d+)([af]?)", chip or DEFAULT_CHIP)
    return (int(found[1]), found[2]) if found is not None else _parts(DEFAULT_CHIP)


def find_libdevice() -> Path | None:
    """Find libdevice in the wheel nvidia-nvvm or nvidia-cuda-nvcc, else in a CUDA toolkit."""
    return next((path for path in _candidates() if path.is_file()), None)


def _candidates() -> Iterator[Path]:
    name = "libdevice.10.bc"
    for folder in sys.path:
        root = Path(folder) / "nvidia"
        for package in ("cu13", "cu12", "cuda_nvcc"):
            yield root / package / "nvvm" / "libdevice" / name
    homes = [os.environ.get("CUDA_HOME", ""), os.environ.get("CUDA_PATH", ""), "/usr/local/cuda", "/opt/cuda"]
    for home in filter(None, homes):
        yield Path(home) / "nvvm" / "libdevice" / name
    yield Path("/usr/lib/nvidia-cuda-toolkit/libdevice") / name


@cache
def _machine(cpu: str, version: int) -> Machine:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(TRIPLE)
    if version:
        # The feature sets the version, even if it is lower than the chip's default.
        usual = _DEFAULT_VERSION.search(str(_emitted(_machine(cpu, 0))))
        version = max(version, int(usual[1] + usual[2]) if usual is not None else 0)
    features = f"+ptx{version}" if version else ""
    return target.create_target_machine(cpu=cpu, features=features, opt=3)


_DEFAULT_VERSION = re.compile(r"^\.version (\d+)\.(\d+)", re.M)


def _emitted(machine: Machine) -> str:
    """Return the backend's output for an empty module, whose header contains the PTX version."""
    module: Module = llvm.parse_assembly(f'target triple = "{TRIPLE}"\n')
    module.data_layout = str(machine.target_data)
    return str(machine.emit_assembly(module))


def _link_libdevice(module: Module, machine: Machine) -> None:
    path = find_libdevice()
    if path is None:
        raise NoLibdevice(
            "the kernels call libdevice, which is not installed: pip install nvidia-nvvm, or set CUDA_HOME"
        )
    link_library(module, machine, path)


def link_library(module: Module, machine: Machine, path: Path) -> None:
    """Link a bitcode library into `module`, and make the library's functions internal."""
    own = {function.name for function in module.functions if not function.is_declaration}
    library: Module = llvm.parse_bitcode(read_file(path, MOST_OF_SOURCE))
    library.triple = TRIPLE
    library.data_layout = str(machine.target_data)
    module.link_in(library)
    for function in module.functions:
        if not function.is_declaration and function.name not in own:
            function.linkage = "internal"
