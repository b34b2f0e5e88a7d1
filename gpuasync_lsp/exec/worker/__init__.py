"""The process that runs a program: `python -m gpuasync_lsp.exec.worker`, spoken to over its pipes."""
