-- Read by `vim.lsp.enable('gpuasync')`.
return {
  cmd = { 'gpuasync-lsp', '--stdio' },
  filetypes = { 'mlir' },
  root_markers = { 'gpuasync.toml', 'pyproject.toml', '.git' },
  settings = { gpuasync = vim.empty_dict() },
}
