"""gpuasync-lsp: what `mlir-opt --gpu-to-llvm` does to `!gpu.async.token`s, told while you type."""

__version__ = "0.1.0"
