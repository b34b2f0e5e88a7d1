-- Read by Neovim 0.11 and later: `vim.lsp.enable('gpuasync')`.
return require('gpuasync.config')
