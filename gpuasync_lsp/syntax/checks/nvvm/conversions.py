"""nvvm: conversions between floats."""

from __future__ import annotations

from collections.abc import Callable

from gpuasync_lsp.syntax.checks.nvvm.parts import word
from gpuasync_lsp.syntax.checks.view import NotKnown, VerifierError, View
from gpuasync_lsp.syntax.printer import attribute_text

_OF_8 = ("f8E4M3FN", "f8E5M2")
_OF_6 = ("f6E2M3FN", "f6E3M2FN")
_OF_4 = ("f4E2M1FN",)


def _target(view: View) -> str:
    found = view.attribute("dstTy")
    if found is None:
        raise NotKnown
    return attribute_text(found)


def _only(kinds: tuple[str, ...], source: str, target: str) -> Callable[[View], str | None]:
    """Return a check that the target type is one of `kinds`."""
    named = " and ".join(f"'{each}'" for each in kinds)
    noun, verb = ("types", "are") if len(kinds) > 1 else ("type", "is")

    def check(view: View) -> str | None:
        if _target(view) in kinds:
            return None
        return f"Only {named} {noun} {verb} supported for conversions from {source} to {target}."

    return check


def _to_f8(source: str) -> Callable[[View], str | None]:
    def check(view: View) -> str | None:
        target, rounding = _target(view), word(view, "rnd", "none")
        if target in _OF_8:
            both = "'f8E4M3FN' and 'f8E5M2' types"
            if rounding != "rn":
                return f"Only RN rounding mode is supported for conversions from {source} to {both}"
            if word(view, "sat", "none") != "satfinite":
                return f"Only SATFINITE saturation mode is supported for conversions from {source} to {both}"
            return None
        if target == "f8E8M0FNU":
            if rounding not in ("rz", "rp"):
                modes = "Only RZ and RP rounding modes are supported"
                return f"{modes} for conversions from {source} to 'f8E8M0FNU' type"
            return "relu not supported for conversions to 'f8E8M0FNU' type" if view.is_set("relu") else None
        if source == "f32x2":
            types = "'f8E4M3FN', 'f8E5M2', and 'f8E8M0FNU' types"
            return f"Only {types} are supported for conversions from f32x2 to f8x2"
        return None

    return check


def _to_16(target: str) -> Callable[[View], str | None]:
    def check(view: View) -> str | None:
        rounding, has_bits = word(view, "rnd", "none"), bool(view.values("random_bits"))
        if rounding not in ("rn", "rz", "rs"):
            return f"Only RN, RZ, and RS rounding modes are supported for conversions from f32x2 to {target}."
        if rounding == "rs" and not has_bits:
            return "random_bits is required for RS rounding mode."
        if rounding != "rs" and has_bits:
            return "random_bits not supported for RN and RZ rounding modes."
        return None

    return check


def _to_tf32(view: View) -> VerifierError | None:
    rounding = word(view, "rnd", "none")
    if rounding == "rna":
        if view.is_set("relu"):
            return VerifierError("Relu not supported with rna rounding mode.", bare=True)
    elif rounding not in ("rn", "rz"):
        words = "Only {rn,rz,rna} rounding modes supported for ConvertFloatToTF32Op."
        return VerifierError(words, bare=True)
    return None


CONVERSIONS = {
    "nvvm.convert.float.to.tf32": _to_tf32,
    "nvvm.convert.f32x2.to.f6x2": _only(_OF_6, "f32x2", "f6x2"),
    "nvvm.convert.f32x2.to.f4x2": _only(_OF_4, "f32x2", "f4x2"),
    "nvvm.convert.f32x2.to.f8x2": _to_f8("f32x2"),
    "nvvm.convert.bf16x2.to.f8x2": _to_f8("bf16x2"),
    "nvvm.convert.f16x2.to.f8x2": _only(_OF_8, "f16x2", "f8x2"),
    "nvvm.convert.f32x2.to.f16x2": _to_16("f16x2"),
    "nvvm.convert.f32x2.to.bf16x2": _to_16("bf16x2"),
    "nvvm.convert.f32x4.to.f8x4": _only(_OF_8, "f32x4", "f8x4"),
    "nvvm.convert.f32x4.to.f6x4": _only(_OF_6, "f32x4", "f6x4"),
    "nvvm.convert.f32x4.to.f4x4": _only(_OF_4, "f32x4", "f4x4"),
}
