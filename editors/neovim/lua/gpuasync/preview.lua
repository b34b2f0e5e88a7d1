--- `:GpuAsyncPreview`: the lowered code in a split, kept up to date, with linked cursors.
local client = require('gpuasync.client')
local linked = require('gpuasync.linked')
local marks = require('gpuasync.marks')
local scratch = require('gpuasync.scratch')

local M = {}

--- Shows above the preview its release and stage, and the error that stopped the lowering or the first unlowered op.
local function head(window, result)
  local function plain(text)
    return (text:gsub('%s+', ' '):gsub('%%', '%%%%'))
  end
  local said = ('LLVM %s  %s'):format(result.llvm, plain(result.stage))
  local notes = result.notes or {}
  local first = notes[1]
  for _, note in ipairs(notes) do
    if note.error == true then
      first = note
      break
    end
  end
  if first then
    local where = first.line and ('line %d: '):format(first.line + 1) or ''
    -- In a narrow window, cut the end of this text; Neovim would cut the text before it.
    said = said .. '  ' .. plain(where .. first.message) .. '%<'
  end
  vim.wo[window].winbar = said
end

--- Converts the server's `lineMap`, `[[source, [lowered, ...]], ...]`, to two tables by 0-based line.
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

--- Returns the visible lines of a buffer, or nil; they are lowered first if the whole buffer takes long.
local function seen(bufnr)
  local window = vim.fn.bufwinid(bufnr)
  if window == -1 then
    return nil
  end
  local lines = vim.fn.getwininfo(window)[1]
  return {
    start = { line = lines.topline - 1, character = 0 },
    ['end'] = { line = lines.botline, character = 0 },
  }
end

--- Requests the lowering, first of the visible lines; an answer that a later edit has made obsolete is dropped.
local function refresh(view)
  local tick = vim.api.nvim_buf_get_changedtick(view.from)
  local params = {
    textDocument = client.document(view.from),
    llvm = view.llvm,
    stage = view.stage,
    explain = view.explain,
    range = not view.begun and seen(view.from) or nil,
  }
  client.request(view.from, 'gpuasync/lowering', params, function(result)
    local stale = not vim.api.nvim_buf_is_valid(view.from) or vim.api.nvim_buf_get_changedtick(view.from) ~= tick
    if stale or not result or not vim.api.nvim_buf_is_valid(view.bufnr) then
      return
    end
    scratch.write(view.bufnr, result.text)
    read_line_map(view, result.lineMap)
    if vim.api.nvim_get_current_buf() == view.from and (result.isPartial or view.goes_on) then
      view.moved()
    end
    view.begun, view.goes_on = true, result.isPartial
    if view.goes_on then
      refresh(view)
    end
    marks.lanes(view.bufnr, result.streams)
    marks.findings(view.bufnr, result.findings)
    local window = vim.fn.bufwinid(view.bufnr)
    if window ~= -1 then
      marks.folds(window, result.folds)
      head(window, result)
    end
    vim.api.nvim_exec_autocmds('User', { pattern = 'GpuAsyncPreview', modeline = false })
  end)
end

--- Shows the lowering of the buffer `from`. `llvm` (a number) and `stage` (a name) default to the
--- server's own; `explain` adds comments. Returns the preview buffer; its text arrives later, with
--- `User GpuAsyncPreview`.
function M.open(from, llvm, stage, explain)
  local bufnr = scratch.show('gpuasync://lowering/' .. vim.api.nvim_buf_get_name(from), 'rightbelow vsplit', 'mlir')
  local view = { from = from, bufnr = bufnr, llvm = llvm, stage = stage, explain = explain }
  view.lowered, view.source = {}, {}
  function view.refresh()
    refresh(view)
  end
  function view.moved()
    linked.mark(view.bufnr, view.lowered[linked.cursor_line()] or {})
  end
  linked.link('preview', view)
  refresh(view)
  return bufnr
end

return M
