if vim.g.loaded_gpuasync then
  return
end
vim.g.loaded_gpuasync = true

local function command(name, run, options)
  vim.api.nvim_create_user_command(name, function(call)
    run(vim.api.nvim_get_current_buf(), call)
  end, options)
end

local function choices(first)
  return function(lead, line)
    local is_first = #vim.split(line, '%s+') <= 2
    return vim.tbl_filter(function(word)
      return is_first and vim.startswith(word, lead)
    end, first)
  end
end

command('GpuAsyncPreview', function(from, call)
  require('gpuasync.preview').open(from, tonumber(call.fargs[1]), call.fargs[2], call.bang)
end, {
  nargs = '*',
  bang = true,
  desc = 'Show the lowered code beside the source: [LLVM version] [stage]; with ! explained',
})

command('GpuAsyncDiff', function(from, call)
  require('gpuasync.compare').open(from, call.fargs[1])
end, {
  nargs = 1,
  complete = choices({ 'fixed', 'fixed=unsafe', 'llvm=', 'stage=' }),
  desc = 'Compare the lowered code with that of llvm=V, of stage=NAME, or after fixes',
})

command('GpuAsyncStreams', function(from, call)
  require('gpuasync.streams').open(from, call.fargs[1])
end, { nargs = '?', desc = 'Show which op runs on which stream: [function]' })

command('GpuAsyncPasses', function(from, call)
  require('gpuasync.passes').open(from, call.fargs[1])
end, { nargs = '?', desc = 'Show what each pass of this IR dump did: [function]' })

command('GpuAsyncRun', function(from, call)
  require('gpuasync.run').start(from, call.fargs[1], call.fargs[2])
end, {
  nargs = '*',
  complete = choices({ 'auto', 'cpu', 'cuda' }),
  desc = 'Run a function: [auto|cpu|cuda] [entry]',
})

command('GpuAsyncTest', function(from)
  require('gpuasync.test').run(from)
end, { desc = 'Run the RUN lines of this test' })

command('GpuAsyncUpdateChecks', function(from)
  require('gpuasync.test').update(from)
end, { desc = 'Update the failing CHECK lines from the output' })

vim.lsp.handlers['gpuasync/runFinished'] = function(...)
  return require('gpuasync.run').finished(...)
end

vim.api.nvim_create_autocmd('FileType', {
  pattern = 'mlir',
  once = true,
  desc = 'Say once why no server starts',
  callback = function()
    local cmd = (vim.lsp.config['gpuasync'] or {}).cmd
    if type(cmd) == 'table' and vim.fn.executable(cmd[1]) == 0 then
      vim.notify(('gpuasync: %s is not installed, see :checkhealth gpuasync'):format(cmd[1]), vim.log.levels.WARN)
    end
  end,
})

-- The client's commands for the server's code lenses and code actions.
vim.lsp.commands['gpuasync.preview'] = function(_, context)
  require('gpuasync.preview').open(context.bufnr)
end
vim.lsp.commands['gpuasync.passes'] = function(_, context)
  require('gpuasync.passes').open(context.bufnr)
end
vim.lsp.commands['gpuasync.streams'] = function(lens, context)
  local argument = (lens.arguments or {})[1] or {}
  require('gpuasync.streams').open(context.bufnr, argument['function'])
end
vim.lsp.commands['gpuasync.run'] = function(lens, context)
  local argument = (lens.arguments or {})[1] or {}
  require('gpuasync.run').start(context.bufnr, argument.device, argument.entry)
end
vim.lsp.commands['gpuasync.test'] = function(lens, context)
  local argument = (lens.arguments or {})[1] or {}
  require('gpuasync.test').run(context.bufnr, argument.line)
end
vim.lsp.commands['gpuasync.updateChecks'] = function(_, context)
  require('gpuasync.test').update(context.bufnr)
end
