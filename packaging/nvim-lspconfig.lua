---@brief
---
--- REPOSITORY
---
--- Language server for asynchronous GPU code in MLIR: what gpu-to-llvm does to every `!gpu.async.token`.
---
--- Install it with `pipx install gpuasync-lsp`.
return {
  cmd = { 'gpuasync-lsp', '--stdio' },
  filetypes = { 'mlir' },
  root_markers = { 'gpuasync.toml', 'pyproject.toml', '.git' },
}
