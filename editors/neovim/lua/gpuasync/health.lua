--- `:checkhealth gpuasync`: whether the requirements of the server are met, and whether it runs.
local M = {}

function M.check()
  local health = vim.health
  health.start('gpuasync')
  if vim.fn.has('nvim-0.11') == 0 then
    health.error('Neovim 0.11 or newer is needed')
    return
  end
  local config = vim.lsp.config['gpuasync'] or {}
  local program = type(config.cmd) == 'table' and config.cmd[1] or nil
  if not program then
    health.warn('the command of the server is not a list of words')
  elseif vim.fn.executable(program) == 0 then
    health.error(program .. ' is not executable', {
      'Install the server: pip install . in a checkout of gpuasync-lsp.',
      "Or name it: vim.lsp.config('gpuasync', { cmd = { '/path/to/gpuasync-lsp', '--stdio' } })",
    })
    return
  else
    local version = vim.trim(vim.fn.system({ program, '--version' }))
    if vim.v.shell_error == 0 then
      health.ok(('%s (%s)'):format(version, vim.fn.exepath(program)))
    else
      health.error(('%s --version failed: %s'):format(program, version))
    end
  end
  if vim.lsp.is_enabled and not vim.lsp.is_enabled('gpuasync') then
    health.warn('the server is not enabled', { "Add vim.lsp.enable('gpuasync') to your configuration." })
  end
  local clients = vim.lsp.get_clients({ name = 'gpuasync' })
  if #clients == 0 then
    health.info('no server is running; it starts with the first MLIR buffer')
  end
  for _, client in ipairs(clients) do
    health.ok(('running for %d buffers in %s'):format(vim.tbl_count(client.attached_buffers), client.root_dir or 'no folder'))
  end
end

return M
