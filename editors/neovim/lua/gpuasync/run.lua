--- `:GpuAsyncRun`: runs a function of the buffer and shows the report in a split.
local client = require('gpuasync.client')
local scratch = require('gpuasync.scratch')

local M = {}

--- Runs `entry` (default: the server's choice) of the buffer on `device`: `auto`, `cuda` or `cpu`, and times it.
--- The report comes as a `gpuasync/runFinished` notification, since a run may take long.
function M.start(from, device, entry)
  local argument = { uri = vim.uri_from_bufnr(from), device = device or 'auto', entry = entry, profile = true }
  local params = { command = 'gpuasync.run', arguments = { argument } }
  client.request(from, 'workspace/executeCommand', params, function() end)
end

--- Shows a finished run; this is the handler of `gpuasync/runFinished`.
function M.finished(_, report)
  local name = 'gpuasync://run/' .. vim.uri_to_fname(report.uri)
  scratch.write(scratch.show(name, 'botright split'), report.text)
  vim.api.nvim_exec_autocmds('User', { pattern = 'GpuAsyncRun', modeline = false })
end

return M
