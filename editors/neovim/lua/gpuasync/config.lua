--- What a client has to know to start the server; the same table serves `vim.lsp.enable`
--- (Neovim 0.11), nvim-lspconfig and `require('gpuasync').setup()`.
return {
  cmd = { 'gpuasync-lsp', '--stdio' },
  filetypes = { 'mlir' },
  root_markers = { 'gpuasync.toml', 'pyproject.toml', '.git' },
  settings = { gpuasync = vim.empty_dict() },
}
