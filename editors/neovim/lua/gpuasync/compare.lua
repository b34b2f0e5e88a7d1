--- `:GpuAsyncDiff`: two lowerings side by side, in a new tab.
local client = require('gpuasync.client')
local scratch = require('gpuasync.scratch')

local M = {}

--- Returns what to compare, given `llvm=19`, `stage=source`, `fixed` or `fixed=unsafe`.
local function sides(what)
  local key, value = what:match('^(%w+)=?(.*)$')
  if key == 'llvm' and tonumber(value) then
    return {}, { llvm = tonumber(value), like = {} }
  elseif key == 'stage' and value ~= '' then
    return { stage = value }, {}
  elseif key == 'fixed' then
    return {}, { fixed = value == '' and 'safe' or value, like = {} }
  end
  error('GpuAsyncDiff takes llvm=V, stage=NAME, fixed or fixed=unsafe, not ' .. what, 0)
end

--- Compares the lowering of the buffer `from` with the lowering that `what` specifies.
function M.open(from, what)
  local ok, left, right = pcall(sides, what)
  if not ok then
    vim.notify('gpuasync: ' .. left, vim.log.levels.ERROR)
    return
  end
  local document = client.document(from)
  local function ask(side, done)
    local params = vim.tbl_extend('error', { textDocument = document }, side)
    if params.like then
      params.like = vim.tbl_extend('error', { textDocument = document }, params.like)
    end
    client.request(from, 'gpuasync/lowering', params, done)
  end
  ask(left, function(first)
    ask(right, function(second)
      vim.cmd('tabnew')
      for index, result in ipairs({ first, second }) do
        local name = ('gpuasync://diff/%s %s, %d'):format(vim.fn.bufname(from), what, index)
        local bufnr = scratch.buffer(name)
        scratch.write(bufnr, result.text)
        if index == 2 then
          vim.cmd('rightbelow vsplit')
        end
        vim.api.nvim_win_set_buf(0, bufnr)
        vim.bo[bufnr].filetype = 'mlir'
        vim.cmd('diffthis')
      end
      vim.api.nvim_exec_autocmds('User', { pattern = 'GpuAsyncDiff', modeline = false })
    end)
  end)
end

return M
