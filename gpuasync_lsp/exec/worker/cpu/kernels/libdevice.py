"""Implements libdevice functions (`__nv_expf`) with the host's libm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class HostMath:
    """A libm function or LLVM intrinsic that is equivalent to a libdevice function."""

    name: str
    classes: int = 0
    """The mask of `llvm.is.fpclass` if the function returns whether a float belongs to these classes."""

    def call(
        self, result: str | None, type: str, arguments: Sequence[str]
    ) -> tuple[list[str], Mapping[str, str]]:
        """Return the lines of a call, and the declaration that it needs."""
        own = f"%gpuasync.math.{str(result).strip('%')}"
        plain = ", ".join(f"{a.split(' ')[0]} {a.split(' ')[-1]}" for a in arguments)
        if self.name == "rsqrt":
            kind = {"float": "f32"}.get(type, "f64")
            return [
                f"  {own} = call {type} @llvm.sqrt.{kind}({plain})",
                f"  {result} = fdiv {type} 1.0, {own}",
            ], {f"llvm.sqrt.{kind}": f"declare {type} @llvm.sqrt.{kind}({type})"}
        if self.classes:
            return [
                f"  {own} = call i1 @{self.name}({plain}, i32 {self.classes})",
                f"  {result} = zext i1 {own} to {type}",
            ], {self.name: f"declare i1 @{self.name}({plain.split(' ')[0]}, i32)"}
        types = ", ".join(a.rsplit(" ", 1)[0].split(" ")[0] for a in arguments)
        declaration = {self.name: f"declare {type} @{self.name}({types})"}
        assigned = "" if result is None else f"{result} = "
        return [f"  {assigned}call {type} @{self.name}({plain})"], declaration


def host_name(name: str) -> HostMath | None:
    """Return the host equivalent of the libdevice function `name`; None if there is none."""
    if not name.startswith("__nv_"):
        return None
    base = name.removeprefix("__nv_")
    base = base.removeprefix("fast_")
    if base in _PREDICATES:
        return _PREDICATES[base]
    if base in _INTRINSICS:
        return HostMath(_INTRINSICS[base])
    if base in ("rsqrt", "rsqrtf"):
        return HostMath("rsqrt")
    plain = base.removesuffix("f") if base not in _ENDS_IN_F else base
    if plain in _LIBM:
        return HostMath(base)
    return None


_LIBM = frozenset({
    "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos",
    "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "atan2", "pow", "cbrt", "hypot", "fmod",
    "remainder", "erf", "erfc", "tgamma", "lgamma", "ldexp", "fdim", "j0", "j1", "y0", "y1", "logb",
    "nextafter", "sincos",
})  # fmt: skip
_ENDS_IN_F = frozenset({"erf"})

_NAN, _INFINITE, _FINITE = 0x3, 0x204, 0x1F8
_PREDICATES = {
    "isnanf": HostMath("llvm.is.fpclass.f32", _NAN),
    "isnand": HostMath("llvm.is.fpclass.f64", _NAN),
    "isinff": HostMath("llvm.is.fpclass.f32", _INFINITE),
    "isinfd": HostMath("llvm.is.fpclass.f64", _INFINITE),
    "finitef": HostMath("llvm.is.fpclass.f32", _FINITE),
    "isfinited": HostMath("llvm.is.fpclass.f64", _FINITE),
}

_RENAMED = {"fmin": "minnum", "fmax": "maxnum"}
_ROUNDING = "ceil", "floor", "nearbyint", "rint", "round", "trunc"
_INTRINSICS = {
    f"{name}{suffix}": f"llvm.{_RENAMED.get(name, name)}.{type}"
    for suffix, type in (("f", "f32"), ("", "f64"))
    for name in ("copysign", "fabs", "fma", "sqrt", *_RENAMED, *_ROUNDING)
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
