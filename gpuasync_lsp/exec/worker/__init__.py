"""The process that runs a program: `python -m gpuasync_lsp.exec.worker`, with the protocol on its pipes."""
