--- Starts the server in a Neovim that has no `vim.lsp.enable` (0.7 to 0.10).
local client = require('gpuasync.client')

local M = {}

local started = {} -- root folder -> client id

--- The nearest folder above `file` that holds one of `markers`, else the file's own folder.
local function root_of(file, markers)
  local folder = vim.fn.fnamemodify(file, ':p:h')
  local above = folder
  while true do
    for _, marker in ipairs(markers) do
      if vim.loop.fs_stat(above .. '/' .. marker) then
        return above
      end
    end
    local parent = vim.fn.fnamemodify(above, ':h')
    if parent == above then
      return folder
    end
    above = parent
  end
end

--- Attaches the server to `bufnr`; a server that already serves the same root is used again.
local function start(config, bufnr)
  local root = root_of(vim.api.nvim_buf_get_name(bufnr), config.root_markers)
  local server = {
    name = 'gpuasync',
    cmd = config.cmd,
    cmd_env = config.cmd_env,
    root_dir = root,
    settings = config.settings,
    init_options = config.init_options,
    capabilities = config.capabilities,
    on_attach = config.on_attach,
  }
  if vim.lsp.start then
    vim.lsp.start(server, { bufnr = bufnr })
    return
  end
  -- Neovim 0.7 lists a client only once it is initialized, so remember those that are starting.
  if not (started[root] and vim.lsp.get_client_by_id(started[root])) then
    started[root] = vim.lsp.start_client(server)
  end
  if started[root] then
    vim.lsp.buf_attach_client(bufnr, started[root])
  end
end

--- Starts the server for every MLIR buffer, those already open included.
--- `overrides` replaces fields of `gpuasync.config`, e.g. `{ cmd = {...}, settings = { gpuasync = { llvm = 19 } } }`.
function M.setup(overrides)
  local config = vim.tbl_deep_extend('force', require('gpuasync.config'), overrides or {})
  local group = vim.api.nvim_create_augroup('gpuasync.start', {})
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    pattern = config.filetypes,
    callback = function(event)
      if vim.bo[event.buf].buftype == '' then
        start(config, event.buf)
      end
    end,
  })
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.tbl_contains(config.filetypes, vim.bo[bufnr].filetype) and not client.of(bufnr) then
      start(config, bufnr)
    end
  end
end

return M
