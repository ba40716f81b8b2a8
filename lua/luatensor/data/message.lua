--- Messages between a loader and its workers. A message is one value: nil, a boolean, a number, a string, a tensor, or
-- a table of such values. The message with the data set may also contain code: Lua functions with their upvalues,
-- metatables, modules, and functions of modules. Modules are sent by name.
--
-- The bytes of a message are two strings, each after its length: the dtypes and shapes of all tensors, and the value.
-- The elements of the tensors follow. In the value each part begins with a letter: see `writers` and `readers`.

local blame = require "luatensor.base.blame"
local core = require "luatensor.core"
local lt = require "luatensor"

local message = {}

-- ---- modules ----

-- Returns a table of the values that are sent by name. It maps a loaded module to {its name}, and a function or table
-- in a module to {the module's name, the key}. It has no globals that the script has set.
local function loaded_names()
  local names = {}
  for module, contents in next, package.loaded do
    for key, value in next, type(contents) == "table" and contents or {} do
      local kind = type(key) == "string" and type(value)
      local known = module ~= "_G" or kind == "function" and debug.getinfo(value, "S").what == "C"
      if known and (kind == "function" or kind == "table") then names[value] = {module, key} end
    end
  end
  for module, contents in next, package.loaded do names[contents] = {module} end
  names[true] = nil                          -- the value of modules that return nothing
  return names
end

-- ---- writing ----

local write                                  -- writes one value; key: its key in the value that contains it

-- Raises an error that names the place of a value.
local function refuse(state, what)
  local place = table.concat(state.path, ".")
  blame.fail("Loader", "%s is %s, which cannot be sent to another process",
             place == "" and state.what or ("%s: %s"):format(state.what, place), what)
end

-- Writes a reference to a value that the message contains already, and returns true. Otherwise notes the value.
local function is_written(state, value)
  local number = state.numbers[value]
  if number then
    state:add("R" .. ("j"):pack(number))
    return true
  end
  state.count = state.count + 1
  state.numbers[value] = state.count
  return false
end

local function is_named(state, value)
  local name = state.names and state.names[value]
  if name then state:add(("c1s"):pack(name[2] and "K" or "M", name[1]) .. (name[2] and ("s"):pack(name[2]) or "")) end
  return name ~= nil
end

local writers = {
  ["nil"] = function(state) state:add "N" end,
  boolean = function(state, value) state:add(value and "T" or "F") end,
  string = function(state, value) state:add("S" .. ("s"):pack(value)) end,
  number = function(state, value)
    state:add(math.type(value) == "integer" and "I" .. ("j"):pack(value) or "D" .. ("n"):pack(value))
  end,
  tensor = function(state, x)
    if core.gone(x) then refuse(state, "a tensor that was freed") end
    if state.names and x.device ~= core.host_device then refuse(state, "a tensor on " .. x.device) end
    local shape = x.shape
    state.shapes[#state.shapes + 1] = ("s1B" .. ("j"):rep(#shape)):pack(x.dtype, #shape, table.unpack(shape))
    state.tensors[#state.tensors + 1] = x
    state:add "X"
  end,
}

writers["table"] = function(state, value)
  local meta = debug.getmetatable(value)
  if meta ~= nil and not state.names then refuse(state, "a " .. core.type_name(value)) end
  if is_named(state, value) or is_written(state, value) then return end
  state:add "{"
  for key, x in next, value do
    write(state, key, key)
    write(state, key, x)
  end
  write(state, nil, nil)
  write(state, "metatable", meta)
end

writers["function"] = function(state, f)
  if not state.names then refuse(state, "a function") end
  if is_named(state, f) or is_written(state, f) then return end
  if debug.getinfo(f, "S").what == "C" then refuse(state, "a C function") end
  local count = debug.getinfo(f, "u").nups
  state:add("L" .. ("sB"):pack(string.dump(f), count))
  for i = 1, count do
    local name, value = debug.getupvalue(f, i)
    if name == "_ENV" then value = _G end    -- also if the script has made an environment of its own
    write(state, name, value)
  end
end

function write(state, key, value)
  local writer = writers[core.is_tensor(value) and "tensor" or type(value)]
  local path = state.path
  path[#path + 1] = key ~= nil and tostring(key) or nil
  if not writer then refuse(state, "a " .. core.type_name(value)) end
  writer(state, value)
  if key ~= nil then path[#path] = nil end
end

--- Prepares a message, which message.send can send to any number of processes.
-- @param value
-- @string what the name of the value, for errors
-- @tparam[opt] boolean with_code true: the value may contain code
-- @treturn table
function message.pack(value, what, with_code)
  local parts = {}
  local state = {what = what, path = {}, names = with_code and loaded_names(), numbers = {}, count = 0,
                 shapes = {}, tensors = {}}
  function state.add(_, text) parts[#parts + 1] = text end
  write(state, nil, value)
  return {text = ("ss"):pack(table.concat(state.shapes), table.concat(parts)), tensors = state.tensors}
end

-- ---- reading ----

local read                                   -- reads one value

-- Returns the value that string.unpack reads at the state's position.
local function take(state, format)
  local value
  value, state.at = format:unpack(state.text, state.at)
  return value
end

local function note(state, value)
  state.values[#state.values + 1] = value
  return value
end

local readers = {
  N = function() return nil end, T = function() return true end, F = function() return false end,
  S = function(state) return take(state, "s") end,
  I = function(state) return take(state, "j") end,
  D = function(state) return take(state, "n") end,
  R = function(state) return state.values[take(state, "j")] end,
  M = function(state) return (require(take(state, "s"))) end,
  K = function(state)
    local module = require(take(state, "s"))
    return module[take(state, "s")]
  end,
  X = function(state)
    state.next = state.next + 1
    return state.tensors[state.next]
  end,
  L = function(state)
    local f = note(state, assert(load(take(state, "s"), "=worker", "b")))
    for i = 1, take(state, "B") do debug.setupvalue(f, i, read(state)) end
    return f
  end,
  ["{"] = function(state)
    local value = note(state, {})
    for key in read, state do value[key] = read(state) end
    return setmetatable(value, read(state))
  end,
}

function read(state) return readers[take(state, "c1")](state) end

--- Returns the value of a message.
-- @tab received a result of message.receive
function message.unpack(received)
  return read {text = received.text, at = 1, tensors = received.tensors, next = 0, values = {}}
end

-- ---- exchange ----

--- Sends a message.
-- @param channel a worker or the parent process (src/lua/device/system.c)
-- @tab packed a result of message.pack
-- @treturn boolean false if the other process has ended
function message.send(channel, packed)
  if not channel:send(packed.text) then return false end
  for _, x in ipairs(packed.tensors) do
    if not channel:send(x:to_bytes()) then return false end
  end
  return true
end

-- Returns the next string, or nil if the other process has ended.
local function receive_text(channel)
  local length = channel:receive(("J"):packsize())
  return length and channel:receive((("J"):unpack(length)))
end

--- Receives a message.
-- @param channel
-- @treturn ?table for message.unpack; nil if the other process has ended
function message.receive(channel)
  local shapes = receive_text(channel)
  local text = shapes and receive_text(channel)
  if not text then return nil end
  local tensors, at = {}, 1
  while at <= #shapes do
    local dtype, ndim, shape
    dtype, ndim, at = ("s1B"):unpack(shapes, at)
    shape = {(("j"):rep(ndim)):unpack(shapes, at)}
    at, shape[ndim + 1] = shape[ndim + 1], nil
    local x = lt.empty(shape, {dtype = dtype, device = core.host_device})
    if not channel:fill(x) then return nil end
    tensors[#tensors + 1] = x
  end
  return {text = text, tensors = tensors}
end

return message
