--- The running server of a buffer, and requests to it, in the API of Neovim 0.7 as well as 0.11.
local M = {}

local CONTENT_MODIFIED = -32801

--- The client named `gpuasync` that serves `bufnr`, or nil.
function M.of(bufnr)
  local clients
  if vim.lsp.get_clients then
    clients = vim.lsp.get_clients({ bufnr = bufnr, name = 'gpuasync' })
  else
    clients = vim.lsp.buf_get_clients(bufnr)
  end
  for _, client in pairs(clients) do
    if client.name == 'gpuasync' then
      return client
    end
  end
end

--- Sends a request about `bufnr`. `done` is called with the result; an error, or a buffer
--- without a server, becomes a message to the user, but an error that is to be `ignored`.
function M.request(bufnr, method, params, done, ignored)
  local client = M.of(bufnr)
  if not client then
    vim.notify('gpuasync: no server runs for this buffer', vim.log.levels.ERROR)
    return
  end
  local function answered(err, result)
    if err and err.code == CONTENT_MODIFIED then
      return -- the edit that outdated the request asks again
    elseif err and ignored then
      return
    elseif err then
      vim.notify('gpuasync: ' .. (err.message or vim.inspect(err)), vim.log.levels.ERROR)
    else
      done(result)
    end
  end
  if vim.fn.has('nvim-0.11') == 1 then
    client:request(method, params, answered, bufnr)
  else
    client.request(method, params, answered, bufnr)
  end
end

function M.document(bufnr)
  return { uri = vim.uri_from_bufnr(bufnr) }
end

return M
