"""The process that runs a program: `python -m gpuasync_lsp.exec.worker` on the other end of the protocol."""
