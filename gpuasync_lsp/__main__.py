"""`python -m gpuasync_lsp` is `gpuasync-lsp`."""

import sys

from gpuasync_lsp.cli import main

sys.exit(main())
