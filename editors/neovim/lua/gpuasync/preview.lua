--- `:GpuAsyncPreview`: the lowered code in a split, kept up to date, with linked cursors.
local client = require('gpuasync.client')
local marks = require('gpuasync.marks')
local scratch = require('gpuasync.scratch')

local M = {}

local DEBOUNCE_MS = 150
local namespace = vim.api.nvim_create_namespace('gpuasync.preview')

--- Highlights `lines` (from 0) of `bufnr` and brings the first into view of its window.
local function mark(bufnr, lines)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  local count = vim.api.nvim_buf_line_count(bufnr)
  for _, line in ipairs(lines) do
    if line < count then
      vim.api.nvim_buf_set_extmark(bufnr, namespace, line, 0, {
        end_row = line + 1,
        hl_group = 'GpuAsyncLinked',
        hl_eol = true,
        strict = false,
      })
    end
  end
  local window = vim.fn.bufwinid(bufnr)
  if lines[1] and lines[1] < count and window ~= -1 then
    vim.api.nvim_win_set_cursor(window, { lines[1] + 1, 0 })
  end
end

local function cursor_line()
  return vim.api.nvim_win_get_cursor(0)[1] - 1
end

--- Takes the server's `lineMap`, `[[source, [lowered, ...]], ...]`, into two tables by line from 0.
local function read_line_map(view, line_map)
  view.lowered, view.source = {}, {}
  for _, pair in ipairs(line_map or {}) do
    view.lowered[pair[1]] = pair[2]
    for _, line in ipairs(pair[2]) do
      view.source[line] = view.source[line] or {}
      table.insert(view.source[line], pair[1])
    end
  end
end

--- Asks for the lowering; an answer that the user has typed past is dropped.
local function refresh(view)
  local tick = vim.api.nvim_buf_get_changedtick(view.from)
  local params = {
    textDocument = client.document(view.from),
    llvm = view.llvm,
    stage = view.stage,
    explain = view.explain,
  }
  client.request(view.from, 'gpuasync/lowering', params, function(result)
    local stale = not vim.api.nvim_buf_is_valid(view.from) or vim.api.nvim_buf_get_changedtick(view.from) ~= tick
    if stale or not result or not vim.api.nvim_buf_is_valid(view.bufnr) then
      return
    end
    scratch.write(view.bufnr, result.text)
    read_line_map(view, result.lineMap)
    marks.lanes(view.bufnr, result.streams)
    marks.findings(view.bufnr, result.findings)
    local window = vim.fn.bufwinid(view.bufnr)
    if window ~= -1 then
      marks.folds(window, result.folds)
    end
    vim.api.nvim_exec_autocmds('User', { pattern = 'GpuAsyncPreview', modeline = false })
  end)
end

local function follow(view)
  local group = vim.api.nvim_create_augroup('gpuasync.preview.' .. view.bufnr, {})
  local function on(events, bufnr, callback)
    vim.api.nvim_create_autocmd(events, { group = group, buffer = bufnr, callback = callback })
  end
  local pending = 0
  on({ 'TextChanged', 'TextChangedI' }, view.from, function()
    pending = pending + 1
    local mine = pending
    vim.defer_fn(function()
      if mine == pending and vim.fn.bufwinid(view.bufnr) ~= -1 then
        refresh(view)
      end
    end, DEBOUNCE_MS)
  end)
  on({ 'CursorMoved', 'CursorMovedI' }, view.from, function()
    mark(view.bufnr, view.lowered[cursor_line()] or {})
  end)
  on('CursorMoved', view.bufnr, function()
    mark(view.from, view.source[cursor_line()] or {})
  end)
  on('BufLeave', view.bufnr, function()
    vim.api.nvim_buf_clear_namespace(view.from, namespace, 0, -1)
  end)
  on('BufWipeout', view.from, function()
    vim.api.nvim_create_augroup('gpuasync.preview.' .. view.bufnr, {})
  end)
  vim.keymap.set('n', '<CR>', function()
    local window = vim.fn.bufwinid(view.from)
    if view.source[cursor_line()] and window ~= -1 then
      vim.api.nvim_set_current_win(window)
    end
  end, { buffer = view.bufnr, desc = 'Go to the source line' })
end

--- Shows what the buffer `from` lowers to. `llvm` (a number) and `stage` (a name) default to the
--- server's own; `explain` adds comments. Returns the preview buffer; its text arrives later, with
--- `User GpuAsyncPreview`.
function M.open(from, llvm, stage, explain)
  vim.api.nvim_set_hl(0, 'GpuAsyncLinked', { link = 'Visual', default = true })
  local bufnr = scratch.show('gpuasync://lowering/' .. vim.api.nvim_buf_get_name(from), 'rightbelow vsplit', 'mlir')
  local view = { from = from, bufnr = bufnr, llvm = llvm, stage = stage, explain = explain }
  view.lowered, view.source = {}, {}
  follow(view)
  refresh(view)
  return bufnr
end

return M
