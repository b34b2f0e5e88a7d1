"""A GPU's special registers: passed to a thread as arguments, or computed from such arguments."""

from __future__ import annotations

from gpuasync_lsp.exec.worker.unsupported import UnsupportedKernel

PREFIX = "llvm.nvvm.read.ptx.sreg."
"""The name prefix of the intrinsics that read a special register."""

ARGUMENTS = [
    f"{register}.{axis}"
    for register in ("tid", "ctaid", "ntid", "nctaid", "cluster.nctaid")
    for axis in "xyz"
]
"""The special registers that are passed to a thread as arguments, in order."""

PARAMETERS = ", ".join(f"i32 %gpuasync.{register}" for register in ARGUMENTS)

THREAD = ", ".join(f"i32 %gpuasync.{register}.{axis}" for register in ("ctaid", "tid") for axis in "xyz")
"""The block and thread indices of a thread, as arguments of report functions."""

LANE = "  %gpuasync.lane = call i32 @gpuasync.linear({})".format(
    ", ".join(f"i32 %gpuasync.{register}.{axis}" for register in ("tid", "ntid") for axis in "xyz")
)
"""The line of IR with which every thread begins; it computes the thread's linear index in its block."""


def read(result: str, register: str, type: str, site: int) -> list[str]:
    """Return the code that sets `result` to the value of `register`.

    Raises `UnsupportedKernel` at `site` for an unknown register."""
    if register in ARGUMENTS:
        return [f"  {result} = add i32 %gpuasync.{register}, 0"]
    match register.split("."):
        case ["warpsize"]:
            return [f"  {result} = add i32 32, 0"]
        case ["laneid"]:
            return [f"  {result} = and i32 %gpuasync.lane, 31"]
        case ["warpid"]:
            return [f"  {result} = lshr i32 %gpuasync.lane, 5"]
        case ["clusterid", axis]:
            return [f"  {result} = udiv i32 %gpuasync.ctaid.{axis}, %gpuasync.cluster.nctaid.{axis}"]
        case ["nclusterid", axis]:
            return [f"  {result} = udiv i32 %gpuasync.nctaid.{axis}, %gpuasync.cluster.nctaid.{axis}"]
        case ["cluster", "ctaid", axis]:
            return [f"  {result} = urem i32 %gpuasync.ctaid.{axis}, %gpuasync.cluster.nctaid.{axis}"]
        case ["lanemask", which]:
            return _lane_mask(result, which)
        case ["cluster", "ctarank"]:
            return _rank(result)
        case ["cluster", "nctarank"]:
            plane = "%gpuasync.plane." + result.strip('%"')
            return [
                f"  {plane} = mul i32 %gpuasync.cluster.nctaid.x, %gpuasync.cluster.nctaid.y",
                f"  {result} = mul i32 {plane}, %gpuasync.cluster.nctaid.z",
            ]
        case ["clock"] | ["clock64"] | ["globaltimer"]:
            wide = type == "i64"
            name = "%gpuasync.now." + result.strip('%"')
            narrow = f"  {result} = add i64 {name}, 0" if wide else f"  {result} = trunc i64 {name} to i32"
            return [f"  {name} = call i64 @llvm.readcyclecounter()", narrow]
        case _:
            raise UnsupportedKernel(f"the register {register} is not supported on the CPU", site)


def _lane_mask(result: str, which: str) -> list[str]:
    """Return the code for a lane mask; `which` compares lanes with the thread's own lane: `lt`, `le`, ..."""
    own = result.strip('%"')
    lane, bit, below, upto = (f"%gpuasync.{word}.{own}" for word in ("lane", "bit", "below", "upto"))
    last = {
        "eq": f"or i32 {bit}, 0",
        "lt": f"or i32 {below}, 0",
        "le": f"or i32 {upto}, 0",
        "gt": f"xor i32 {upto}, -1",
        "ge": f"xor i32 {below}, -1",
    }
    return [
        f"  {lane} = and i32 %gpuasync.lane, 31",
        f"  {bit} = shl i32 1, {lane}",
        f"  {below} = sub i32 {bit}, 1",
        f"  {upto} = or i32 {below}, {bit}",
        f"  {result} = {last[which]}",
    ]


def _rank(result: str) -> list[str]:
    """Return the code for a block's number in its cluster."""
    own = result.strip('%"')
    places = [
        f"  %gpuasync.in.{axis}.{own} = urem i32 %gpuasync.ctaid.{axis}, %gpuasync.cluster.nctaid.{axis}"
        for axis in "xyz"
    ]
    arguments = [f"i32 %gpuasync.in.{axis}.{own}" for axis in "xyz"]
    arguments += [f"i32 %gpuasync.cluster.nctaid.{axis}" for axis in "xyz"]
    return [*places, f"  {result} = call i32 @gpuasync.linear({', '.join(arguments)})"]
