-- Drives the plugin of editors/neovim in a real Neovim, as a user would.
-- Environment: GPUASYNC_PLUGIN (editors/neovim), GPUASYNC_SERVER (program), GPUASYNC_FILE, GPUASYNC_STEP.
-- Ends with status 0, or 1 after printing what was expected.
local env = vim.env
local TIMEOUT_MS = 120000

local function wait(what, condition)
  assert(vim.wait(TIMEOUT_MS, condition, 10), 'timeout: ' .. what)
end

local function contains(text, part)
  assert(text:find(part, 1, true), ('expected %q in:\n%s'):format(part, text))
end

local function text_of(bufnr)
  return table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false), '\n')
end

local function start()
  vim.opt.runtimepath:prepend(env.GPUASYNC_PLUGIN)
  for _, script in ipairs({ 'ftdetect/mlir.lua', 'plugin/gpuasync.lua' }) do
    vim.cmd('source ' .. env.GPUASYNC_PLUGIN .. '/' .. script)
  end
  vim.cmd('filetype plugin on')
  local cmd = { env.GPUASYNC_SERVER, '--stdio' }
  vim.lsp.config('gpuasync', { cmd = cmd })
  vim.lsp.enable('gpuasync')
  vim.cmd('edit ' .. vim.fn.fnameescape(env.GPUASYNC_FILE))
  assert(vim.bo.filetype == 'mlir', 'filetype is ' .. vim.bo.filetype)
  assert(vim.bo.shiftwidth == 2 and vim.bo.expandtab and vim.bo.commentstring == '// %s', 'ftplugin/mlir.lua')
  local bufnr = vim.api.nvim_get_current_buf()
  local client
  wait('server', function()
    client = require('gpuasync.client').of(bufnr)
    return client and client.server_capabilities and next(client.server_capabilities)
  end)
  return bufnr, client
end

local function request(bufnr, client, method, params)
  local answers, err = vim.lsp.buf_request_sync(bufnr, method, params, TIMEOUT_MS)
  local answer = assert(answers and answers[client.id], err or 'no answer')
  assert(not answer.err, vim.inspect(answer.err))
  return answer.result
end

local function finding(bufnr, code)
  local found
  wait('diagnostic ' .. code, function()
    for _, d in ipairs(vim.diagnostic.get(bufnr)) do
      local lsp = d.user_data and d.user_data.lsp or {}
      if (d.code or lsp.code) == code then
        found = d
      end
    end
    return found
  end)
  return found
end

local function no_finding(bufnr, code)
  wait('no diagnostic ' .. code, function()
    for _, d in ipairs(vim.diagnostic.get(bufnr)) do
      local lsp = d.user_data and d.user_data.lsp or {}
      if (d.code or lsp.code) == code then
        return false
      end
    end
    return true
  end)
end

local function event(pattern, act)
  local seen = false
  vim.api.nvim_create_autocmd('User', { pattern = pattern, once = true, callback = function() seen = true end })
  act()
  wait(pattern, function() return seen end)
end

local function fix(bufnr, client, d)
  local range = {
    start = { line = d.lnum, character = d.col },
    ['end'] = { line = d.end_lnum, character = d.end_col },
  }
  local actions = request(bufnr, client, 'textDocument/codeAction', {
    textDocument = { uri = vim.uri_from_bufnr(bufnr) },
    range = range,
    context = {
      diagnostics = { { range = range, message = d.message, severity = d.severity, source = d.source, code = 'GA101' } },
      only = { 'quickfix' },
    },
  })
  for _, action in ipairs(actions) do
    if action.kind == 'quickfix' and action.isPreferred ~= false and (action.edit or action.data) then
      if not action.edit then
        action = request(bufnr, client, 'codeAction/resolve', action)
      end
      vim.lsp.util.apply_workspace_edit(action.edit, client.offset_encoding)
      return action.title
    end
  end
  error('no quick fix among ' .. vim.inspect(actions))
end

local steps = {}

function steps.diagnostics(bufnr)
  local d = finding(bufnr, 'GA101')
  assert(d.lnum == 6, vim.inspect(d))
  assert(d.severity == vim.diagnostic.severity.ERROR, vim.inspect(d))
  assert(d.source == 'gpuasync', vim.inspect(d))
  contains(d.message, 'dependenc')
end

-- All diagnostics of the file, as `line:severity:code`.
function steps.expected(bufnr)
  local shown
  local all_there = vim.wait(TIMEOUT_MS, function()
    shown = {}
    for _, d in ipairs(vim.diagnostic.get(bufnr)) do
      local lsp = d.user_data and d.user_data.lsp or {}
      table.insert(shown, ('%d:%d:%s'):format(d.lnum, d.severity, d.code or lsp.code))
    end
    table.sort(shown)
    shown = table.concat(shown, ' ')
    return shown == env.GPUASYNC_EXPECTED
  end, 10)
  assert(all_there, ('expected %s\nshown %s'):format(env.GPUASYNC_EXPECTED, shown))
end

function steps.hover(bufnr, client)
  local answer = request(bufnr, client, 'textDocument/hover', {
    textDocument = { uri = vim.uri_from_bufnr(bufnr) },
    position = { line = 6, character = 13 },
  })
  contains(answer.contents.value, 'gpu.memcpy')
end

function steps.fix(bufnr, client)
  local title = fix(bufnr, client, finding(bufnr, 'GA101'))
  contains(vim.api.nvim_buf_get_lines(bufnr, 6, 7, false)[1], 'gpu.memcpy async [%t2] %a, %b')
  no_finding(bufnr, 'GA101')
  assert(title:match('^%u%l+ '), 'a fix is a verb phrase: ' .. title)
end

-- Neovim's own command, which shows a menu where there is a choice.
steps['code-action'] = function(bufnr)
  local d = finding(bufnr, 'GA101')
  vim.api.nvim_win_set_cursor(0, { d.lnum + 1, d.col + 1 })
  vim.ui.select = function(items, _, choose) choose(items[1], 1) end
  vim.lsp.buf.code_action()
  no_finding(bufnr, 'GA101')
end

function steps.preview(bufnr, client)
  fix(bufnr, client, finding(bufnr, 'GA101'))
  event('GpuAsyncPreview', function() vim.cmd('GpuAsyncPreview') end)
  local window = vim.fn.bufwinid('^gpuasync://lowering/')
  assert(window ~= -1, 'no preview window')
  local preview = vim.api.nvim_win_get_buf(window)
  contains(text_of(preview), 'llvm.call @mgpuMemcpy')

  -- The cursor in the source leads to the lowered line, and <CR> leads back.
  vim.api.nvim_win_set_cursor(0, { 7, 0 })
  vim.api.nvim_exec_autocmds('CursorMoved', { buffer = bufnr })
  local row = vim.api.nvim_win_get_cursor(window)[1]
  vim.api.nvim_set_current_win(window)
  vim.api.nvim_win_set_cursor(window, { 1, 0 })
  vim.api.nvim_exec_autocmds('CursorMoved', { buffer = preview })
  vim.api.nvim_win_set_cursor(window, { row, 0 })
  vim.api.nvim_exec_autocmds('CursorMoved', { buffer = preview })
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes('<CR>', true, false, true), 'xt', false)
  assert(vim.api.nvim_get_current_buf() == bufnr, '<CR> did not lead back to the source')
  assert(vim.api.nvim_win_get_cursor(0)[1] == 7, 'led to line ' .. vim.api.nvim_win_get_cursor(0)[1])

  -- It follows an edit.
  event('GpuAsyncPreview', function()
    vim.api.nvim_buf_set_lines(bufnr, 1, 2, false, { '  func.func @renamed() {' })
    vim.api.nvim_exec_autocmds('TextChanged', { buffer = bufnr })
  end)
  contains(text_of(preview), '@renamed')
end

-- Of a large file what is seen is lowered first; the cursor stays at it when the rest comes.
function steps.parts(bufnr)
  local lines = {}
  for n = 0, 399 do
    local text = 'func.func @f%d(%%a: memref<8xf32>, %%c: f32) {|  %%t0 = gpu.wait async|'
      .. '  %%t1 = gpu.memset async [%%t0] %%a, %%c : memref<8xf32>, f32|  gpu.wait [%%t1]|  return|}'
    vim.list_extend(lines, vim.split(text:format(n), '|', { plain = true }))
  end
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.api.nvim_win_set_cursor(0, { 200 * 6 + 3, 0 })
  vim.cmd('normal! zz')
  event('GpuAsyncPreview', function() vim.cmd('GpuAsyncPreview') end)
  local window = vim.fn.bufwinid('^gpuasync://lowering/')
  local preview = vim.api.nvim_win_get_buf(window)
  local function at_cursor()
    return vim.api.nvim_win_call(window, vim.api.nvim_get_current_line)
  end
  contains(text_of(preview), '// @f2: not lowered yet')
  local there = at_cursor()
  contains(there, 'llvm.')
  event('GpuAsyncPreview', function() end)
  assert(not text_of(preview):find('not lowered yet', 1, true), 'the rest did not come')
  assert(at_cursor() == there, ('the cursor went from %q to %q'):format(there, at_cursor()))
end

function steps.version(bufnr)
  event('GpuAsyncPreview', function() vim.cmd('GpuAsyncPreview 19') end)
  local old = text_of(vim.api.nvim_win_get_buf(vim.fn.bufwinid('^gpuasync://lowering/')))
  event('GpuAsyncPreview', function() vim.cmd('GpuAsyncPreview 24') end)
  assert(old ~= text_of(vim.api.nvim_win_get_buf(vim.fn.bufwinid('^gpuasync://lowering/'))), 'both versions are equal')
  assert(vim.api.nvim_get_current_buf() == bufnr)
end

function steps.explained(bufnr, client)
  local window
  local function shown(command)
    event('GpuAsyncPreview', function() vim.cmd(command) end)
    window = vim.fn.bufwinid('^gpuasync://lowering/')
    return vim.api.nvim_win_get_buf(window)
  end
  local preview = shown('GpuAsyncPreview')
  -- Above it is said what it shows and where it ends.
  contains(vim.wo[window].winbar, 'LLVM 23  lowered  line 7: ')
  -- What stands in front stays in a narrow window.
  local drawn = vim.api.nvim_eval_statusline(vim.wo[window].winbar, { winid = window, maxwidth = 40, use_winbar = true })
  contains(drawn.str, 'LLVM 23  lowered  line 7: ')
  -- The finding of the source stands at the op that stays.
  local repeated = finding(preview, 'GA101')
  contains(vim.api.nvim_buf_get_lines(preview, repeated.lnum, repeated.lnum + 1, false)[1], 'gpu.memcpy async')
  fix(bufnr, client, finding(bufnr, 'GA101'))
  preview = shown('GpuAsyncPreview!')
  no_finding(preview, 'GA101')
  contains(text_of(preview), '// stream 0: from %t0 (line 4)')
  -- A color for the stream, on its name, its events and the calls on it.
  local marks = vim.api.nvim_buf_get_extmarks(
    preview, vim.api.nvim_create_namespace('gpuasync.lanes'), 0, -1, { details = true })
  local colored = {}
  for _, mark in ipairs(marks) do
    local line = vim.api.nvim_buf_get_lines(preview, mark[2], mark[2] + 1, false)[1]
    assert(mark[4].hl_group == 'GpuAsyncStream0', vim.inspect(mark))
    colored[line:sub(mark[3] + 1, mark[4].end_col)] = true
  end
  assert(colored['@mgpuMemcpy'] and colored['@mgpuStreamCreate'], vim.inspect(colored))
  assert(vim.api.nvim_get_hl(0, { name = 'GpuAsyncStream0' }).fg, 'no color')
  -- The declarations of the runtime are folded; what the user opens stays open after an edit.
  vim.api.nvim_set_current_win(window)
  local declared = vim.fn.search('llvm.func @mgpu')
  assert(vim.fn.foldclosed(declared) == declared, 'declarations are not folded')
  vim.cmd('close')
  -- LLVM IR has the same.
  vim.api.nvim_set_current_win(vim.fn.bufwinid(bufnr))
  preview = shown('GpuAsyncPreview! 22 llvm-ir')
  contains(text_of(preview), '; stream 0: from %t0 (line 4)')
  local colors = vim.api.nvim_buf_get_extmarks(
    preview, vim.api.nvim_create_namespace('gpuasync.lanes'), 0, -1, {})
  assert(#colors > 3, 'no colors in LLVM IR')
  vim.api.nvim_set_current_win(window)
  declared = vim.fn.search('^declare .*@mgpu')
  assert(vim.fn.foldclosed(declared) > 0, 'declarations of LLVM IR are not folded')
  vim.cmd('close')
end

function steps.diff(bufnr)
  event('GpuAsyncDiff', function() vim.cmd('GpuAsyncDiff fixed') end)
  local texts = {}
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    assert(vim.wo[window].diff, 'no diff')
    table.insert(texts, text_of(vim.api.nvim_win_get_buf(window)))
  end
  assert(#texts == 2)
  contains(texts[1], 'gpu.memcpy async')
  contains(texts[2], 'llvm.call @mgpuMemcpy')
  vim.cmd('tabclose')
  event('GpuAsyncDiff', function() vim.cmd('GpuAsyncDiff stage=source') end)
  vim.cmd('tabclose')
  event('GpuAsyncDiff', function() vim.cmd('GpuAsyncDiff llvm=16') end)
  vim.cmd('tabclose')
  local said
  vim.notify = function(message) said = message end
  vim.cmd('GpuAsyncDiff nonsense')
  contains(said, 'takes llvm=V')
  assert(vim.api.nvim_get_current_buf() == bufnr)
end

function steps.streams(bufnr)
  event('GpuAsyncStreams', function() vim.cmd('GpuAsyncStreams main') end)
  local window = vim.fn.bufwinid('^gpuasync://streams/')
  local shown = vim.api.nvim_win_get_buf(window)
  contains(text_of(shown), 'memcpy')

  -- Without a name it is the function with the cursor, and another one when the cursor goes there.
  local second = vim.api.nvim_buf_line_count(bufnr) + 1
  vim.api.nvim_buf_set_lines(bufnr, -1, -1, false, {
    'func.func @second() {', '  %t = gpu.wait async', '  gpu.wait [%t]', '  return', '}',
  })
  local function move(line)
    vim.api.nvim_win_set_cursor(0, { line, 0 })
    vim.api.nvim_exec_autocmds('CursorMoved', { buffer = bufnr })
  end
  move(7)
  event('GpuAsyncStreams', function() vim.cmd('GpuAsyncStreams') end)
  contains(text_of(shown), '@main')
  assert(not text_of(shown):find('@second', 1, true), text_of(shown))
  local function row()
    return vim.api.nvim_buf_get_lines(shown, vim.api.nvim_win_get_cursor(window)[1] - 1, -1, false)[1]
  end
  contains(row(), 'memcpy')
  move(8)
  contains(row(), 'dealloc')
  event('GpuAsyncStreams', function() move(second + 1) end)
  contains(text_of(shown), '@second')
  assert(not text_of(shown):find('@main', 1, true), text_of(shown))

  -- It follows an edit, and <CR> leads to the source.
  event('GpuAsyncStreams', function()
    vim.api.nvim_buf_set_lines(bufnr, second - 1, second, false, { 'func.func @renamed() {' })
    vim.api.nvim_exec_autocmds('TextChanged', { buffer = bufnr })
  end)
  contains(text_of(shown), '@renamed')
  vim.api.nvim_set_current_win(window)
  vim.fn.search('wait %t')
  vim.api.nvim_exec_autocmds('CursorMoved', { buffer = shown })
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes('<CR>', true, false, true), 'xt', false)
  assert(vim.api.nvim_get_current_buf() == bufnr, '<CR> did not lead back to the source')
  contains(vim.api.nvim_get_current_line(), 'gpu.wait [%t]')
end

function steps.passes(bufnr)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.fn.readfile(env.GPUASYNC_DUMP))
  event('GpuAsyncPasses', function() vim.cmd('GpuAsyncPasses') end)
  local list = vim.fn.bufwinid('^gpuasync://passes/')
  contains(text_of(vim.api.nvim_win_get_buf(list)), 'begins GA201')
  vim.api.nvim_set_current_win(list)
  vim.fn.search('begins GA201')
  vim.api.nvim_feedkeys('\r', 'mx', false)
  assert(vim.api.nvim_get_current_buf() == bufnr, 'Enter goes to the dump')
  contains(vim.api.nvim_get_current_line(), 'gpu.wait [%1, %2]')
end

function steps.run()
  event('GpuAsyncRun', function() vim.cmd('GpuAsyncRun cpu main') end)
  contains(text_of(vim.api.nvim_win_get_buf(vim.fn.bufwinid('^gpuasync://run/'))), '[84,  84]')
end

-- The RUN lines of a test: what it says in a split, a diagnostic, and its CHECK lines written on request.
function steps.test(bufnr)
  event('GpuAsyncTest', function() vim.cmd('GpuAsyncTest') end)
  local said = text_of(vim.api.nvim_win_get_buf(vim.fn.bufwinid('^gpuasync://test/')))
  contains(said, 'FAIL: lit_test.mlir')
  contains(said, 'closest, line 5 of the output')
  local failed = finding(bufnr, 'check-failed')
  assert(failed.lnum == 5, vim.inspect(failed))
  local told
  vim.notify = function(message) told = message end
  event('GpuAsyncTest', function() vim.cmd('GpuAsyncUpdateChecks') end)
  contains(told, 'were updated')
  contains(text_of(bufnr), 'CHECK:     gpu.wait [%[[')
  vim.cmd('GpuAsyncTest')
  wait('a test that passes', function()
    return text_of(vim.api.nvim_win_get_buf(vim.fn.bufwinid('^gpuasync://test/'))):find('PASS', 1, true)
  end)
end

-- What a run found stands at both lines, and the times behind theirs, until an edit.
function steps.race(bufnr, client)
  local function line_of(text, from)
    for number = from or 1, vim.api.nvim_buf_line_count(bufnr) do
      if vim.api.nvim_buf_get_lines(bufnr, number - 1, number, false)[1]:find(text, 1, true) then
        return number
      end
    end
  end
  local first = line_of('gpu.launch_func')
  local second = line_of('gpu.launch_func', first + 1)
  event('GpuAsyncRun', function() vim.cmd('GpuAsyncRun cpu race') end)
  local report = text_of(vim.api.nvim_win_get_buf(vim.fn.bufwinid('^gpuasync://run/')))
  contains(report, ('racing_kernels.mlir:%d: warning: the kernel @kernels::@double'):format(second))
  contains(report, ('racing_kernels.mlir:%d: note:'):format(first))
  contains(report, 'overlap between streams')
  -- A rule says so of the same line: there is one diagnostic.
  local race = finding(bufnr, 'GA301')
  assert(race.lnum + 1 == second, vim.inspect(race))
  local related = race.user_data.lsp.relatedInformation[1]
  assert(related.location.range.start.line + 1 == first, vim.inspect(related))
  for _, each in ipairs(vim.diagnostic.get(bufnr, { lnum = second - 1 })) do
    assert(each.source ~= 'gpuasync run', vim.inspect(each))
  end
  vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
  local copied = line_of('gpu.memcpy')
  wait('the time of the copy', function()
    for _, hint in ipairs(vim.lsp.inlay_hint.get({ bufnr = bufnr })) do
      if hint.inlay_hint.position.line + 1 == copied and hint.inlay_hint.label:find('GB/s', 1, true) then
        return true
      end
    end
  end)
  vim.api.nvim_buf_set_lines(bufnr, 0, 0, false, { '' })
  wait('nothing of the run', function()
    for _, each in ipairs(vim.diagnostic.get(bufnr)) do
      if each.source == 'gpuasync run' then
        return false
      end
    end
    return true
  end)
end

--- The tags that are shipped are those of the text: nobody runs :helptags for a folder in 'runtimepath'.
function steps.help()
  for _, tag in ipairs({ 'gpuasync', unpack(vim.fn.getcompletion('GpuAsync', 'command')) }) do
    vim.cmd('help ' .. tag)
  end
  local doc = env.GPUASYNC_PLUGIN .. '/doc'
  local shipped = vim.fn.readfile(doc .. '/tags')
  vim.cmd.helptags(doc)
  assert(vim.deep_equal(shipped, vim.fn.readfile(doc .. '/tags')), 'doc/tags is stale')
end

function steps.health()
  vim.cmd('checkhealth gpuasync')
  local said = text_of(vim.api.nvim_get_current_buf())
  contains(said, 'OK gpuasync-lsp ')
  contains(said, 'running for 1 buffers')
  assert(not said:find('ERROR'), said)
end

--- A preview that is wiped out leaves nothing behind, and can be opened again.
function steps.wiped(bufnr)
  local preview
  event('GpuAsyncPreview', function()
    preview = require('gpuasync.preview').open(bufnr)
  end)
  vim.cmd('bwipeout! ' .. preview)
  vim.v.errmsg = ''
  vim.api.nvim_exec_autocmds('CursorMoved', { buffer = bufnr })
  assert(vim.v.errmsg == '', vim.v.errmsg)
  event('GpuAsyncPreview', function()
    preview = require('gpuasync.preview').open(bufnr)
  end)
  contains(text_of(preview), 'mgpuStreamCreate')
  assert(vim.wo.number == vim.go.number, 'the option number leaked into another window')
end

local ok, err = xpcall(function()
  local bufnr, client = start()
  local step = assert(steps[env.GPUASYNC_STEP], 'no step ' .. tostring(env.GPUASYNC_STEP))
  step(bufnr, client)
end, debug.traceback)
io.stdout:write((ok and 'PASS ' or 'FAIL ') .. env.GPUASYNC_STEP .. (ok and '' or ' ' .. tostring(err)) .. '\n')
vim.cmd(ok and 'qall!' or 'cquit 1')
