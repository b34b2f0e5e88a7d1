"""linalg: the indexing maps of the named ops, per operand.

A letter denotes a loop; `h#0+p#0` means `h * strides[0] + p * dilations[0]`. The map of a scalar is empty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from xdsl.ir.affine import AffineExpr, AffineMap

_MATRICES = {
    "matmul": "m,k|k,n|m,n",
    "matmul_unsigned": "m,k|k,n|m,n",
    "matmul_transpose_a": "k,m|k,n|m,n",
    "matmul_transpose_b": "m,k|n,k|m,n",
    "batch_matmul": "b,m,k|b,k,n|b,m,n",
    "batch_matmul_transpose_a": "b,k,m|b,k,n|b,m,n",
    "batch_matmul_transpose_b": "b,m,k|b,n,k|b,m,n",
    "batch_reduce_matmul": "b,m,k|b,k,n|m,n",
    "batch_matvec": "b,m,k|b,k|b,m",
    "batch_vecmat": "b,k|b,k,n|b,n",
    "matvec": "m,n|n|m",
    "vecmat": "m|m,n|n",
    "dot": "m|m|",
    "mmt4d": "m,k,x,z|n,k,y,z|m,n,x,y",
    "batch_mmt4d": "b,m,k,x,z|b,n,k,y,z|b,m,n,x,y",
    "quantized_matmul": "m,k|k,n|||m,n",
    "quantized_batch_matmul": "b,m,k|b,k,n|||b,m,n",
    "fill_rng_2d": "|||m,n",
}
_W, _HW, _DHW = "w#0+q#0", "h#0+p#0,w#1+q#1", "d#0+o#0,h#1+p#1,w#2+q#2"
_CONVOLUTIONS = {
    "conv_1d": "w+q|q|w",
    "conv_2d": "h+p,w+q|p,q|h,w",
    "conv_3d": "d+o,h+p,w+q|o,p,q|d,h,w",
    "conv_1d_nwc_wcf": f"n,{_W},c|q,c,f|n,w,f",
    "conv_1d_ncw_fcw": f"n,c,{_W}|f,c,q|n,f,w",
    "conv_2d_nhwc_hwcf": f"n,{_HW},c|p,q,c,f|n,h,w,f",
    "conv_2d_nhwc_fhwc": f"n,{_HW},c|f,p,q,c|n,h,w,f",
    "conv_2d_nchw_fchw": f"n,c,{_HW}|f,c,p,q|n,f,h,w",
    "conv_2d_ngchw_fgchw": f"n,g,c,{_HW}|f,g,c,p,q|n,g,f,h,w",
    "conv_2d_ngchw_gfchw": f"n,g,c,{_HW}|g,f,c,p,q|n,g,f,h,w",
    "conv_2d_nhwgc_gfhwc": f"n,{_HW},g,c|g,f,p,q,c|n,h,w,g,f",
    "conv_3d_ndhwc_dhwcf": f"n,{_DHW},c|o,p,q,c,f|n,d,h,w,f",
    "conv_3d_ncdhw_fcdhw": f"n,c,{_DHW}|f,c,o,p,q|n,f,d,h,w",
    "depthwise_conv_1d_nwc_wc": f"n,{_W},c|q,c|n,w,c",
    "depthwise_conv_1d_ncw_cw": f"n,c,{_W}|c,q|n,c,w",
    "depthwise_conv_1d_nwc_wcm": f"n,{_W},c|q,c,m|n,w,c,m",
    "depthwise_conv_2d_nhwc_hwc": f"n,{_HW},c|p,q,c|n,h,w,c",
    "depthwise_conv_2d_nchw_chw": f"n,c,{_HW}|c,p,q|n,c,h,w",
    "depthwise_conv_2d_nhwc_hwcm": f"n,{_HW},c|p,q,c,m|n,h,w,c,m",
    "depthwise_conv_3d_ndhwc_dhwc": f"n,{_DHW},c|o,p,q,c|n,d,h,w,c",
    "depthwise_conv_3d_ncdhw_cdhw": f"n,c,{_DHW}|c,o,p,q|n,c,d,h,w",
    "depthwise_conv_3d_ndhwc_dhwcm": f"n,{_DHW},c|o,p,q,c,m|n,d,h,w,c,m",
}
_QUANTIZED = (
    "conv_2d_nhwc_hwcf", "conv_2d_nchw_fchw", "conv_2d_nhwc_fhwc", "conv_2d_ngchw_gfchw",
    "conv_2d_nhwgc_gfhwc", "conv_3d_ndhwc_dhwcf", "depthwise_conv_2d_nhwc_hwc", "depthwise_conv_2d_nhwc_hwcm",
)  # fmt: skip
_POOLS = {
    "nwc": f"n,{_W},c|q|n,w,c",
    "ncw": f"n,c,{_W}|q|n,c,w",
    "nhwc": f"n,{_HW},c|p,q|n,h,w,c",
    "nchw": f"n,c,{_HW}|p,q|n,c,h,w",
    "ndhwc": f"n,{_DHW},c|o,p,q|n,d,h,w,c",
}

UNARY = frozenset(
    {"exp", "log", "abs", "ceil", "floor", "negf", "reciprocal", "round", "sqrt", "rsqrt", "square", "tanh",
     "erf"}
)  # fmt: skip
BINARY = frozenset({"add", "sub", "mul", "div", "div_unsigned", "max", "min", "powf"})


@cache
def _table() -> Mapping[str, str]:
    table = _MATRICES | _CONVOLUTIONS
    for name in _QUANTIZED:
        source, kernel, made = _CONVOLUTIONS[name].split("|")
        table[f"{name}_q"] = f"{source}|{kernel}|||{made}"
    for layout, text in _POOLS.items():
        for kind in ("sum", "max", "min", "max_unsigned", "min_unsigned"):
            table[f"pooling_{layout}_{kind}"] = text
    return table


def named_maps(name: str, strides: Sequence[int], dilations: Sequence[int]) -> list[AffineMap] | None:
    """Return the indexing map of each operand of `linalg.<name>`; None if the maps depend on the rank or
    are unknown.

    Raises an IndexError if there are too few strides or dilations.
    """
    text = _table().get(name)
    if text is None:
        return None
    loops = sorted({each for each in text if each.isalpha()})

    def expression(part: str) -> AffineExpr:
        found: AffineExpr | None = None
        for index, each in enumerate(part.split("+")):
            letter, _, factor = each.partition("#")
            term: AffineExpr = AffineExpr.dimension(loops.index(letter))
            if factor:
                term = term * AffineExpr.constant((dilations if index else strides)[int(factor)])
            found = term if found is None else found + term
        assert found is not None
        return found

    return [
        AffineMap(len(loops), 0, tuple(expression(part) for part in operand.split(",") if part))
        for operand in text.split("|")
    ]
