--- Exchanges messages with the notebook's kernel. A message is a JSON object after its length in bytes, which is an
-- unsigned 32-bit integer with the least significant byte first.

local core = require "luatensor.core"
local json = require "luatensor.io.json"

local channel = {}

local requests, replies               -- file descriptors of pipes

--- Opens the channel. The process ends when the pipe `life` is closed.
-- @int life
-- @int from the pipe with the kernel's requests
-- @int to the pipe for replies
function channel.open(life, from, to)
  core.notebook_start(life, from, to)
  requests, replies = from, to
end

--- Waits for the next message.
-- @treturn table|nil message, or nil if the kernel has closed the pipe
function channel.receive()
  local text = core.notebook_read(requests)
  return text and assert(json.decode(text))
end

-- Returns a message's bytes. The standard output is flushed, so that the kernel gets the output first.
local function packed(message)
  io.stdout:flush()
  return string.pack("<s4", json.encode(message))
end

--- Sends a message.
-- @tab message
function channel.send(message) core.notebook_write(replies, packed(message)) end

--- Sends a message and waits for the kernel's answer. An interrupt never falls between the two: the answer would be
-- left, and would be taken for a request.
-- @tab message
function channel.exchange(message) core.notebook_exchange(replies, packed(message), requests) end

return channel
