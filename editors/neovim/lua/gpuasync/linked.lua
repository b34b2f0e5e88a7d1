--- Links a split with its source: the split follows edits, and corresponding lines are marked.
local M = {}

local DEBOUNCE_MS = 150
local namespace = vim.api.nvim_create_namespace('gpuasync.linked')

--- Removes the marks of `M.mark`; no-op if the buffer is gone.
function M.clear(bufnr)
  if vim.api.nvim_buf_is_valid(bufnr) then
    vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  end
end

--- Highlights the 0-based `lines` of `bufnr` and scrolls its window to the first of them.
function M.mark(bufnr, lines)
  M.clear(bufnr)
  if not vim.api.nvim_buf_is_valid(bufnr) then
    return
  end
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

--- Returns the 0-based line of the cursor.
function M.cursor_line()
  return vim.api.nvim_win_get_cursor(0)[1] - 1
end

--- Links the split `view.bufnr` of the kind `name` with its source `view.from`, in place of earlier links:
--- `view.refresh` is called once the user pauses after an edit, `view.moved` when the cursor moves in the source. In
--- the split the cursor marks `view.source[line]`, lines of the source, and <CR> goes there.
function M.link(name, view)
  vim.api.nvim_set_hl(0, 'GpuAsyncLinked', { link = 'Visual', default = true })
  local name_of_group = ('gpuasync.%s.%d'):format(name, view.bufnr)
  local group = vim.api.nvim_create_augroup(name_of_group, {})
  local function on(events, bufnr, callback)
    vim.api.nvim_create_autocmd(events, { group = group, buffer = bufnr, callback = callback })
  end
  local pending = 0
  --- Refreshes later; a further call restarts the delay.
  function view.later()
    pending = pending + 1
    local mine = pending
    vim.defer_fn(function()
      if mine == pending and vim.fn.bufwinid(view.bufnr) ~= -1 then
        view.refresh()
      end
    end, DEBOUNCE_MS)
  end
  on({ 'TextChanged', 'TextChangedI' }, view.from, view.later)
  on({ 'CursorMoved', 'CursorMovedI' }, view.from, view.moved)
  on('CursorMoved', view.bufnr, function()
    M.mark(view.from, view.source[M.cursor_line()] or {})
  end)
  on('BufLeave', view.bufnr, function()
    M.clear(view.from)
  end)
  -- When either buffer is gone, the link ends. Pending callbacks find no group to clear.
  local function unlink()
    M.clear(view.from)
    M.clear(view.bufnr)
    vim.api.nvim_create_augroup(name_of_group, {})
  end
  on('BufWipeout', view.from, unlink)
  on('BufWipeout', view.bufnr, unlink)
  vim.keymap.set('n', '<CR>', function()
    local window = vim.fn.bufwinid(view.from)
    local line = (view.source[M.cursor_line()] or {})[1]
    if line and window ~= -1 then
      vim.api.nvim_set_current_win(window)
      vim.api.nvim_win_set_cursor(window, { line + 1, 0 })
    end
  end, { buffer = view.bufnr, desc = 'Go to the source line' })
end

return M
