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
  local head = core.notebook_read(requests, 4)
  local text = head and core.notebook_read(requests, (string.unpack("<I4", head)))
  return text and assert(json.decode(text))
end

--- Sends a message. What the process has written to its standard output is flushed first.
-- @tab message
function channel.send(message)
  io.stdout:flush()
  core.notebook_write(replies, string.pack("<s4", json.encode(message)))
end

return channel
