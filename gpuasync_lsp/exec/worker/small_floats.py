"""Conversions to 16-bit floats that LLVM calls by name if the processor has no instruction for them.

compiler-rt and recent versions of libgcc define these functions, but not every process has them. The
functions round to nearest, ties to even, like `arith.truncf`.
"""

from __future__ import annotations

_TO_ODD = """
define internal float @to_odd(double %x) {
  ; An inexact result gets an odd last bit, so that rounding it once more is not rounding twice.
  %f = fptrunc double %x to float
  %back = fpext float %f to double
  %inexact = fcmp one double %back, %x
  %magnitude = call double @llvm.fabs.f64(double %x)
  %rounded = call double @llvm.fabs.f64(double %back)
  %up = fcmp ogt double %rounded, %magnitude
  %bits = bitcast float %f to i32
  %one = zext i1 %up to i32
  %down = sub i32 %bits, %one
  %odd = or i32 %down, 1
  %chosen = select i1 %inexact, i32 %odd, i32 %bits
  %result = bitcast i32 %chosen to float
  ret float %result
}
declare double @llvm.fabs.f64(double)
"""
_BF16 = """
define internal bfloat @to_bf16(float %x) {
  %bits = bitcast float %x to i32
  %high = lshr i32 %bits, 16
  %last = and i32 %high, 1
  %bias = add i32 %last, 32767
  %sum = add i32 %bits, %bias
  %rounded = lshr i32 %sum, 16
  %quiet = or i32 %high, 64
  %nan = fcmp uno float %x, 0.0
  %chosen = select i1 %nan, i32 %quiet, i32 %rounded
  %short = trunc i32 %chosen to i16
  %result = bitcast i16 %short to bfloat
  ret bfloat %result
}
define bfloat @__truncsfbf2(float %x) {
  %result = call bfloat @to_bf16(float %x)
  ret bfloat %result
}
define bfloat @__truncdfbf2(double %x) {
  %f = call float @to_odd(double %x)
  %result = call bfloat @to_bf16(float %f)
  ret bfloat %result
}
"""
_F16 = """
define half @__truncdfhf2(double %x) {
  %f = call float @to_odd(double %x)
  %result = fptrunc float %f to half
  ret half %result
}
"""
IR = _TO_ODD + _BF16 + _F16
NAMES = ("__truncsfbf2", "__truncdfbf2", "__truncdfhf2")
