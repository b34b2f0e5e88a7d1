--- Scratch buffers in a split: the preview, the streams, a run's report.
local M = {}

local function find(name)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(bufnr) == name then
      return bufnr
    end
  end
end

function M.write(bufnr, text)
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.split(text:gsub('\n$', ''), '\n', { plain = true }))
  vim.bo[bufnr].modifiable = false
end

--- Returns the scratch buffer called `name`; `q` in it closes its window.
function M.buffer(name)
  local bufnr = find(name)
  if not bufnr then
    bufnr = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(bufnr, name)
    vim.bo[bufnr].buftype = 'nofile'
    vim.bo[bufnr].swapfile = false
    vim.bo[bufnr].modifiable = false
    vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = bufnr, desc = 'Close' })
  end
  return bufnr
end

--- Shows the scratch buffer called `name` in its own window, which `split` creates if there is none.
--- The cursor stays where it is. Returns the buffer.
function M.show(name, split, filetype)
  local bufnr = M.buffer(name)
  if vim.fn.bufwinid(bufnr) == -1 then
    local from = vim.api.nvim_get_current_win()
    vim.cmd(split)
    vim.api.nvim_win_set_buf(0, bufnr)
    vim.wo[0][0].number = false -- Only for this buffer in this window.
    vim.api.nvim_set_current_win(from)
  end
  if filetype and vim.bo[bufnr].filetype ~= filetype then
    vim.bo[bufnr].filetype = filetype
  end
  return bufnr
end

return M
