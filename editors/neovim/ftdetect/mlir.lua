vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, {
  pattern = '*.mlir',
  callback = function(event)
    vim.bo[event.buf].filetype = 'mlir'
  end,
})
