--- `:GpuAsyncTest` and `:GpuAsyncUpdateChecks`: run the RUN lines of the buffer, and write its CHECK lines.
local client = require('gpuasync.client')
local scratch = require('gpuasync.scratch')

local M = {}

local function execute(from, command, argument, done)
  argument.uri = vim.uri_from_bufnr(from)
  client.request(from, 'workspace/executeCommand', { command = command, arguments = { argument } }, done)
end

--- Runs the test in the buffer `from`, or its RUN line that begins in `line` (1-based), and shows the results.
function M.run(from, line)
  execute(from, 'gpuasync.test', { line = line }, function(result)
    local name = 'gpuasync://test/' .. vim.api.nvim_buf_get_name(from)
    scratch.write(scratch.show(name, 'botright split'), result.text)
    vim.api.nvim_exec_autocmds('User', { pattern = 'GpuAsyncTest', modeline = false })
  end)
end

--- Runs the test in the buffer `from` and updates its failing CHECK lines from the output; nothing is saved.
function M.update(from)
  execute(from, 'gpuasync.updateChecks', {}, function(result)
    vim.notify(result.message, result.updated and vim.log.levels.INFO or vim.log.levels.WARN)
    vim.api.nvim_exec_autocmds('User', { pattern = 'GpuAsyncTest', modeline = false })
  end)
end

return M
