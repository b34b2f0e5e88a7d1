--- `:GpuAsyncStreams`: which op runs on which stream, as text in a split that follows the cursor and every edit.
local client = require('gpuasync.client')
local linked = require('gpuasync.linked')
local scratch = require('gpuasync.scratch')

local M = {}

--- Records the source line of each row of the text, which is the number at the beginning of the row.
local function read_rows(view, text)
  view.rows, view.source = {}, {}
  for row, line in ipairs(vim.split(text, '\n', { plain = true })) do
    local number = tonumber(line:match('^ *(%d+) '))
    if number then
      view.rows[number - 1] = view.rows[number - 1] or {}
      table.insert(view.rows[number - 1], row - 1)
      view.source[row - 1] = { number - 1 }
    end
  end
end

--- Returns the requested function, which is the named one, or the one at the cursor if the source has a window.
local function place(view)
  local window = vim.fn.bufwinid(view.from)
  if view.func or window == -1 then
    return { ['function'] = view.func }
  end
  local line = vim.api.nvim_win_get_cursor(window)[1]
  local text = vim.api.nvim_buf_get_lines(view.from, line - 1, line, false)[1]
  return { position = { line = line - 1, character = #text:match('^%s*') } }
end

local function mark(view)
  local window = vim.fn.bufwinid(view.from)
  local line = window ~= -1 and vim.api.nvim_win_get_cursor(window)[1] - 1
  linked.mark(view.bufnr, view.rows[line] or {})
end

--- Requests the text; an answer that a later edit has made obsolete is dropped.
local function refresh(view)
  local tick = vim.api.nvim_buf_get_changedtick(view.from)
  local params = vim.tbl_extend('force', { textDocument = client.document(view.from), format = 'text' }, place(view))
  client.request(view.from, 'gpuasync/streams', params, function(result)
    local stale = not vim.api.nvim_buf_is_valid(view.from) or vim.api.nvim_buf_get_changedtick(view.from) ~= tick
    if stale or not vim.api.nvim_buf_is_valid(view.bufnr) then
      return
    end
    view.shown = result.shown
    scratch.write(view.bufnr, result.text)
    read_rows(view, result.text)
    mark(view)
    vim.api.nvim_exec_autocmds('User', { pattern = 'GpuAsyncStreams', modeline = false })
    -- A function that is being renamed has no streams for a while.
  end, view.shown ~= nil)
end

--- Shows the streams of `func` (a symbol name), or of the function with the cursor, or else of all functions.
function M.open(from, func)
  local bufnr = scratch.show('gpuasync://streams/' .. vim.api.nvim_buf_get_name(from), 'botright split')
  local view = { from = from, bufnr = bufnr, func = func, rows = {}, source = {} }
  function view.refresh()
    refresh(view)
  end
  function view.moved()
    mark(view)
    if not view.func and view.shown and (#view.shown ~= 1 or not view.rows[linked.cursor_line()]) then
      view.later() -- The cursor may be in another function.
    end
  end
  linked.link('streams', view)
  refresh(view)
end

return M
