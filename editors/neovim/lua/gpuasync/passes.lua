--- `:GpuAsyncPasses`: what each pass of an IR dump did, as a list in a split; Enter goes to the pass.
local client = require('gpuasync.client')
local scratch = require('gpuasync.scratch')

local M = {}

--- Shows the passes of the dump in the buffer `from`, or their effects on the function `func`.
function M.open(from, func)
  local params = { textDocument = client.document(from), ['function'] = func }
  client.request(from, 'gpuasync/passes', params, function(result)
    local name = 'gpuasync://passes/' .. vim.api.nvim_buf_get_name(from)
    local bufnr = scratch.show(name, 'botright split')
    scratch.write(bufnr, result.text)
    vim.keymap.set('n', '<CR>', function()
      M.go(from)
    end, { buffer = bufnr, desc = 'Go to this pass in the dump' })
    vim.api.nvim_exec_autocmds('User', { pattern = 'GpuAsyncPasses', modeline = false })
  end)
end

--- Goes to the line of the dump `from` that the line under the cursor names: that of a pass or of a finding.
function M.go(from)
  local text = vim.api.nvim_get_current_line()
  local number = tonumber(text:match('^ *(%d+)  ') or text:match(':(%d+):%d+: '))
  local window = vim.fn.bufwinid(from)
  if number and window ~= -1 then
    vim.api.nvim_set_current_win(window)
    vim.api.nvim_win_set_cursor(window, { number, 0 })
  end
end

return M
