"""The subcommands of `gpuasync-lsp`, one module each; `gpuasync_lsp.cli` lists them.

At module level they import only argparse and this package; `run` imports everything else.
"""
