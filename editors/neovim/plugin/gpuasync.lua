if vim.g.loaded_gpuasync then
  return
end
vim.g.loaded_gpuasync = true

local function command(name, run, options)
  vim.api.nvim_create_user_command(name, function(call)
    run(vim.api.nvim_get_current_buf(), unpack(call.fargs))
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

command('GpuAsyncPreview', function(from, llvm, stage)
  require('gpuasync.preview').open(from, tonumber(llvm), stage)
end, {
  nargs = '*',
  complete = choices({ '16', '17', '18', '19', '20', '21', '22', '23', '24' }),
  desc = 'Show the lowered code beside the source: [LLVM version] [stage]',
})

command('GpuAsyncStreams', function(from, func)
  require('gpuasync.streams').open(from, func)
end, { nargs = '?', desc = 'Show which op runs on which stream: [function]' })

command('GpuAsyncRun', function(from, device, entry)
  require('gpuasync.run').start(from, device, entry)
end, {
  nargs = '*',
  complete = choices({ 'auto', 'cpu', 'cuda' }),
  desc = 'Run a function: [auto|cpu|cuda] [entry]',
})

vim.lsp.handlers['gpuasync/runFinished'] = function(...)
  return require('gpuasync.run').finished(...)
end

-- What the server's code lenses and code actions ask the client to do.
vim.lsp.commands['gpuasync.preview'] = function(_, context)
  require('gpuasync.preview').open(context.bufnr)
end
vim.lsp.commands['gpuasync.streams'] = function(lens, context)
  local argument = (lens.arguments or {})[1] or {}
  require('gpuasync.streams').open(context.bufnr, argument['function'])
end
vim.lsp.commands['gpuasync.run'] = function(lens, context)
  local argument = (lens.arguments or {})[1] or {}
  require('gpuasync.run').start(context.bufnr, argument.device, argument.entry)
end
