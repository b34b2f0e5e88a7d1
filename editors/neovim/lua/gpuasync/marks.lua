--- What a preview shows besides its text: a color for each stream, findings, and folds.
local M = {}

local lanes = vim.api.nvim_create_namespace('gpuasync.lanes')
local findings = vim.api.nvim_create_namespace('gpuasync.lowered')

-- The colors of the streams picture, on light and dark backgrounds, and the nearest of 256.
local COLORS = {
  { light = '#2a5fd0', dark = '#7aa2ff', cterm = { light = 26, dark = 111 } },
  { light = '#2e7d32', dark = '#6fcf7c', cterm = { light = 28, dark = 114 } },
  { light = '#a35a00', dark = '#ffb454', cterm = { light = 130, dark = 215 } },
  { light = '#8e3bbd', dark = '#cf93ff', cterm = { light = 97, dark = 177 } },
  { light = '#00767a', dark = '#4fd0d4', cterm = { light = 30, dark = 80 } },
  { light = '#b3305f', dark = '#ff8fb3', cterm = { light = 125, dark = 211 } },
}

--- Defines `GpuAsyncStream0` to `GpuAsyncStream5`, unless the user or a color scheme has defined them.
local function define_colors()
  local paper = vim.o.background
  for index, color in ipairs(COLORS) do
    local group = { fg = color[paper], ctermfg = color.cterm[paper], bold = true, default = true }
    vim.api.nvim_set_hl(0, 'GpuAsyncStream' .. (index - 1), group)
  end
end

define_colors()
vim.api.nvim_create_autocmd('ColorScheme', {
  group = vim.api.nvim_create_augroup('gpuasync.colors', {}),
  callback = define_colors,
})

--- Colors the names of streams. `streams` contains four numbers for each: line and column relative to the previous
--- name, as in semantic tokens, the length, and the stream.
function M.lanes(bufnr, streams)
  vim.api.nvim_buf_clear_namespace(bufnr, lanes, 0, -1)
  local line, column = 0, 0
  for at = 1, #(streams or {}), 4 do
    column = streams[at + 1] + (streams[at] == 0 and column or 0)
    line = line + streams[at]
    vim.api.nvim_buf_set_extmark(bufnr, lanes, line, column, {
      end_col = column + streams[at + 2],
      hl_group = 'GpuAsyncStream' .. streams[at + 3] % #COLORS,
      strict = false,
    })
  end
end

--- Repeats the findings of the source at the corresponding lowered lines.
function M.findings(bufnr, found)
  local repeated = {}
  for _, finding in ipairs(found or {}) do
    table.insert(repeated, {
      lnum = finding.line,
      col = 0,
      severity = finding.severity,
      message = finding.message,
      code = finding.code,
      source = 'gpuasync',
    })
  end
  vim.diagnostic.set(findings, bufnr, repeated)
end

--- Folds unlowered code in `window`; folds that the user has opened stay open.
function M.folds(window, folds)
  vim.api.nvim_win_call(window, function()
    vim.wo.foldmethod = 'manual'
    for _, fold in ipairs(folds or {}) do
      local first, last, what = fold[1] + 1, fold[2] + 1, fold[3]
      if what ~= 'function' and vim.fn.foldlevel(first) == 0 then
        vim.cmd(first .. ',' .. last .. 'fold')
      end
    end
  end)
end

return M
