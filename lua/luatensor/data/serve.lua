--- The program of a worker, which fetches batches for a loader in another process (luatensor.data.workers).

local blame = require "luatensor.base.blame"
local check = require "luatensor.data.check"
local device_of = require "luatensor.data.device_of"
local clocale = require "luatensor.base.clocale"
local core = require "luatensor.core"
local fetch = require "luatensor.data.fetch"
local lt = require "luatensor"
local message = require "luatensor.data.message"

-- Returns the text of an error value. A table without metamethod __tostring becomes its simple fields, sorted:
-- "error value: {code = 1}".
local function text_of(problem)
  local meta = getmetatable(problem)
  if type(problem) == "string" or type(meta) == "table" and meta.__tostring then return tostring(problem) end
  if type(problem) ~= "table" then return ("error value: %s"):format(problem) end
  local fields = {}
  for key, value in next, problem do
    local kind = type(value)
    local text = kind == "string" and ("%q"):format(value)
    if kind == "number" or kind == "boolean" then text = tostring(value) end
    fields[#fields + 1] = ("%s = %s"):format(key, text or "a " .. core.type_name(value))
  end
  clocale.sort(fields)
  return ("error value: {%s}"):format(table.concat(fields, ", "))
end

-- Calls f, and returns its results like pcall. An error becomes a text that names the line of the script, but for the
-- line of the command that started this process.
local function try(f, ...)
  return xpcall(f, function(problem)
    local text, line = text_of(problem):gsub("^%(command line%):%d+: ", ""), blame.script_line()
    local known = line == "?" or line:find "^%(command line%)" or text:find(line .. ":", 1, true)
    return known and text or line .. ": " .. text
  end, ...)
end

-- Returns the data set. The second message has the data set, or a function that makes it.
local function make(settings, received)
  settings = message.unpack(settings)
  rawset(_G, "arg", settings.arg)
  lt.set_num_threads(1)                      -- the workers share the processors
  lt.set_default_dtype(settings.dtype)
  local source = message.unpack(received)
  return check("Loader", type(source) == "function" and source() or source)
end

local function call(f, ...) return f(...) end

local function get(ds, indices, seed)
  indices = indices:to(device_of(ds))
  return message.pack({values = table.pack(fetch.batch(ds, indices, seed, call))}, "the batch")
end

-- Returns the number of the first sample that fails alone, or nil.
local function failing_sample(ds, request)
  for k, i in ipairs(request.indices:totable()) do
    if not pcall(get, ds, request.indices:narrow(1, k, 1), request.seed) then return i end
  end
  return nil
end

-- Returns the answer to a request, as a message.
local function answer(ds, request)
  if not request.indices then return message.pack({size = ds.size, text = tostring(ds)}, "the data set") end
  local ok, result = try(get, ds, request.indices, request.seed)
  if ok then return result end
  return message.pack({problem = result, sample = failing_sample(ds, request)}, "the error")
end

--- Answers requests until the process that started this one ends.
return function()
  local channel = assert(core.parent())
  local settings, source = message.receive(channel), message.receive(channel)
  if not source then return end
  local made, ds = try(make, settings, source)
  for received in message.receive, channel do
    local failure = not made and message.pack({problem = ds, making = true}, "the error")
    if not message.send(channel, failure or answer(ds, message.unpack(received))) then return end
  end
end
