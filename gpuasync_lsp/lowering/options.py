"""The options of gpu-to-llvm and related passes, under mlir-opt's names."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LoweringOptions:
    """The options of `--gpu-to-llvm=...`; a release that lacks a given option rejects it."""

    use_bare_pointers_for_host: bool = False
    """`use-bare-pointers-for-host`: host functions take a pointer per statically shaped memref."""

    use_bare_pointers_for_kernels: bool = False
    """`use-bare-pointers-for-kernels`: launches pass a pointer per statically shaped memref."""

    intersperse_sizes_for_kernels: bool = False
    """`intersperse-sizes-for-kernels` (since LLVM 20): a size in bytes follows each pointer of a launch."""

    gpu_binary_annotation: str = "nvvm.cubin"
    """`gpu-binary-annotation` (through LLVM 18): the attribute of gpu.module that contains the binary.

    The default of those releases is `gpu.binary`; this tool assumes the attribute that serialization to cubin
    writes."""

    nvvm_loaded: bool = False
    """Whether the NVVM dialect is loaded independently of the module, for instance by another pass."""

    whole_kernels: bool = False
    """Whether to lower kernels completely (for execution or PTX), including ops that mlir-opt leaves."""

    emulates_nvvm: bool = False
    """With `whole_kernels`, whether to rewrite the nvvm ops that a CPU lacks, such as those on mbarriers.

    On a GPU, they have to be the hardware's: bulk copies complete mbarriers in its own format."""

    keeps_branches: bool = False
    """Whether equal blocks are not merged; set for execution, so that findings name the branch taken."""

    has_redux: bool = False
    """`has-redux` of convert-gpu-to-nvvm: the target supports warp reductions with `redux.sync`."""

    index_bits: int = 64
    """`index-bitwidth` of the passes for kernels: the width of an index in kernels."""

    reassociate_fp_reductions: bool = False
    """`reassociate-fp-reductions` of convert-vector-to-llvm: reductions of floats may be reassociated."""

    use_vector_alignment: bool = False
    """`use-vector-alignment` of convert-vector-to-llvm: accesses have the alignment of the vector type."""

    @property
    def given_in_order(self) -> list[str]:
        """The names of the gpu-to-llvm options that are not at their defaults, in a fixed order."""
        return [
            name
            for name, given in (
                ("use-bare-pointers-for-host", self.use_bare_pointers_for_host),
                ("use-bare-pointers-for-kernels", self.use_bare_pointers_for_kernels),
                ("intersperse-sizes-for-kernels", self.intersperse_sizes_for_kernels),
            )
            if given
        ]

    @property
    def given(self) -> frozenset[str]:
        """The names of the gpu-to-llvm options that are not at their defaults, as a set."""
        return frozenset(self.given_in_order)
