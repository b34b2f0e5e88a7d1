--- The running server of a buffer, and requests to it.
local M = {}

local CONTENT_MODIFIED = -32801

--- Returns the client named `gpuasync` that serves `bufnr`, or nil.
function M.of(bufnr)
  return vim.lsp.get_clients({ bufnr = bufnr, name = 'gpuasync' })[1]
end

--- Sends a request about `bufnr` and calls `done` with the result. Errors are reported to the user unless
--- they are `ignored`; a missing server is always reported.
function M.request(bufnr, method, params, done, ignored)
  local client = M.of(bufnr)
  if not client then
    vim.notify('gpuasync: no server runs for this buffer, see :checkhealth gpuasync', vim.log.levels.ERROR)
    return
  end
  client:request(method, params, function(err, result)
    if err and (ignored or err.code == CONTENT_MODIFIED) then
      return -- The edit that made the request obsolete sends it again.
    elseif err then
      vim.notify('gpuasync: ' .. (err.message or vim.inspect(err)), vim.log.levels.ERROR)
    else
      done(result)
    end
  end, bufnr)
end

function M.document(bufnr)
  return { uri = vim.uri_from_bufnr(bufnr) }
end

return M
