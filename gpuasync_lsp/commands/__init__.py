"""The subcommands of `gpuasync-lsp`: one module each, listed in `gpuasync_lsp.cli`.

Everything but argparse and this package is imported inside `run`.
"""
