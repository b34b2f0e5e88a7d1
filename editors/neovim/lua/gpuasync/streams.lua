--- `:GpuAsyncStreams`: which op runs on which stream, as text in a split.
local client = require('gpuasync.client')
local scratch = require('gpuasync.scratch')

local M = {}

--- Shows the streams of `func` (a symbol name), or of every function of the buffer `from`.
function M.open(from, func)
  local params = { textDocument = client.document(from), ['function'] = func, format = 'text' }
  client.request(from, 'gpuasync/streams', params, function(result)
    local name = 'gpuasync://streams/' .. vim.api.nvim_buf_get_name(from)
    scratch.write(scratch.show(name, 'botright split'), result.text)
    vim.api.nvim_exec_autocmds('User', { pattern = 'GpuAsyncStreams', modeline = false })
  end)
end

return M
