"""The subcommands of `gpuasync-lsp`, one module each; `gpuasync_lsp.cli` lists them.

Modules import argparse and this package at their top, and everything else inside `run`.
"""
