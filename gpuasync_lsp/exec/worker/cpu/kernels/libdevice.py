"""Implements libdevice functions (`__nv_expf`) with the host's libm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class HostMath:
    """A libm function or LLVM intrinsic that is equivalent to a libdevice function."""

    name: str

    def call(self, result: str, type: str, arguments: Sequence[str]) -> tuple[list[str], Mapping[str, str]]:
        """Return the lines of a call, and the declaration that it needs."""
        if self.name == "rsqrt":
            kind = {"float": "f32"}.get(type, "f64")
            root = f"%gpuasync.root.{result.strip('%')}"
            value = arguments[0].split(" ")[-1]
            return [
                f"  {root} = call {type} @llvm.sqrt.{kind}({type} {value})",
                f"  {result} = fdiv {type} 1.0, {root}",
            ], {f"llvm.sqrt.{kind}": f"declare {type} @llvm.sqrt.{kind}({type})"}
        types = ", ".join(a.rsplit(" ", 1)[0].split(" ")[0] for a in arguments)
        declaration = {self.name: f"declare {type} @{self.name}({types})"}
        plain = ", ".join(f"{a.split(' ')[0]} {a.split(' ')[-1]}" for a in arguments)
        return [f"  {result} = call {type} @{self.name}({plain})"], declaration


def host_name(name: str) -> HostMath | None:
    """Return the host equivalent of the libdevice function `name`; None if there is none."""
    if not name.startswith("__nv_"):
        return None
    base = name.removeprefix("__nv_")
    base = base.removeprefix("fast_")
    if base in _INTRINSICS:
        return HostMath(_INTRINSICS[base])
    if base in ("rsqrt", "rsqrtf"):
        return HostMath("rsqrt")
    plain = base.removesuffix("f") if base not in _ENDS_IN_F else base
    if plain in _LIBM:
        return HostMath(base)
    return None


_LIBM = frozenset(
    [
        "exp",
        "exp2",
        "exp10",
        "expm1",
        "log",
        "log2",
        "log10",
        "log1p",
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "acosh",
        "atanh",
        "atan2",
        "pow",
        "cbrt",
        "hypot",
        "fmod",
        "remainder",
        "erf",
        "erfc",
        "tgamma",
        "lgamma",
        "ldexp",
        "fdim",
        "j0",
        "j1",
        "y0",
        "y1",
        "logb",
        "nextafter",
    ]
)
_ENDS_IN_F = frozenset({"erf"})

_INTRINSICS = {
    f"{short}{suffix}": f"llvm.{long}.{type}"
    for suffix, type in (("f", "f32"), ("", "f64"))
    for short, long in (
        ("fabs", "fabs"),
        ("sqrt", "sqrt"),
        ("floor", "floor"),
        ("ceil", "ceil"),
        ("trunc", "trunc"),
        ("rint", "rint"),
        ("round", "round"),
        ("nearbyint", "nearbyint"),
        ("fma", "fma"),
        ("fmin", "minnum"),
        ("fmax", "maxnum"),
        ("copysign", "copysign"),
    )
} | {
    "powif": "llvm.powi.f32.i32",
    "powi": "llvm.powi.f64.i32",
    "clz": "llvm.ctlz.i32",
    "popc": "llvm.ctpop.i32",
    "popcll": "llvm.ctpop.i64",
    "brev": "llvm.bitreverse.i32",
    "min": "llvm.smin.i32",
    "max": "llvm.smax.i32",
    "umin": "llvm.umin.i32",
    "umax": "llvm.umax.i32",
}
