"""The gpu dialect in MLIR's own syntax: it replaces xDSL's, which lacks custom assembly and many ops."""

from __future__ import annotations

from gpuasync_lsp.syntax.dialects.gpu.asynchronous import *
from gpuasync_lsp.syntax.dialects.gpu.attributes import *
from gpuasync_lsp.syntax.dialects.gpu.device import *
from gpuasync_lsp.syntax.dialects.gpu.launch import *
from gpuasync_lsp.syntax.dialects.gpu.module import *
from gpuasync_lsp.syntax.dialects.gpu.sparse import *
