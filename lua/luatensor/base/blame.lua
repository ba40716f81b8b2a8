--- Decides which line an error names: every error of luatensor's Lua code names the line of the script that runs.
-- Errors of compositions (lua/compose.c) are reworded with the name of the function that the script called.

local clocale = require "luatensor.base.clocale"
local core = require "luatensor.core"

local blame = {}

--- The common beginning of the library's chunk names; nil if a bundle gave the files other names.
local home = core.chunk():match("^(.*)base[/\\]blame%.lua$")

--- The line of the script that runs: "train.lua:12".
function blame.script_line() return core.script_line(home) end

--- The methods `forward` of the library's modules, as keys.
local forwards = setmetatable({}, {__mode = "k"})

--- Errors that are raised while this method runs name its module. The method must not end with a tail call.
-- @tparam function forward
function blame.note_forward(forward) forwards[forward] = true end

-- The label of the running module, such as "2.2 (Linear(64, 128))", or nil.
local function running_label()
  local module = core.running_self(home, forwards)
  return core.type_name(module) == "module" and module:_label() or nil
end

-- The subject of an error: the running module, or fn.
local function subject_of(fn) return running_label() or fn end

--- A value for a message. C prints the sign of a NaN, which is meaningless, so it is removed.
function blame.plain(value) return value ~= value and "nan" or value end

--- Raises "train.lua:12: subject: message", or "subject: message" if no chunk on the stack has line numbers.
function blame.raise(subject, message, ...)
  local words, line = table.pack(...), blame.script_line()
  for i = 1, words.n do words[i] = blame.plain(words[i]) end
  local text = clocale.format("%s: " .. message, subject, table.unpack(words, 1, words.n))
  error(line == "?" and text or line .. ": " .. text, 0)
end

--- Raises "train.lua:12: grad: message". While a module of the library runs, the module's name and path replace the
-- function's name.
function blame.fail(fn, ...) blame.raise(subject_of(fn), ...) end

--- Raises an error unless fn can be called: a function, a module, a kernel.
function blame.check_function(name, fn)
  if core.is_callable(fn) then return end
  blame.fail(name, "function expected, got %s", core.type_name(fn))
end

local folder = home and home:gsub("^[@=]", "")

-- True if the position before a Lua message is in a file of the library. The position is a path such as
-- "/usr/lua/luatensor/base/args.lua", or the end of such a path after "...".
local function is_ours(at)
  if not folder then return at:find "luatensor[/\\]" ~= nil end
  if at:sub(1, 3) ~= "..." then return at:sub(1, #folder) == folder end
  local rest = at:sub(4)
  for i = 1, #folder do
    local tail = folder:sub(i)
    if rest:sub(1, #tail) == tail then return true end
  end
  return false
end

-- Returns the message with the label of the running module in place of the function's name.
local function name_module(message)
  local fn, rest = message:match "^([%a_][%w_]*): (.*)$"
  return fn and subject_of(fn) .. ": " .. rest or message
end

-- Returns the message with the label of the running module before it.
local function add_module(message)
  local label = running_label()
  return label and label .. ": " .. message or message
end

local function relay(name, ok, ...)
  if ok then return ... end
  local message = ...
  if type(message) == "string" then
    local at, rest = message:match("^([^\n:]*):%d+: (.*)$")
    -- the error of a script's function stays as it is
    if at and not is_ours(at) then error(message, 0) end
    message = blame.script_line() .. ": " .. name(rest or message)
  end
  error(message, 0)
end

--- Calls a function of the library. Its errors name the script's line.
function blame.call(f, ...) return relay(name_module, pcall(f, ...)) end

--- Calls a function of the script. The function may be written in C, such as lt.relu, or raise its error at the line of
-- its caller, which is a line of the library; such errors name the script's line instead.
function blame.call_script(f, ...) return relay(add_module, pcall(f, ...)) end

--- Like blame.call_script, but only for functions written in C. Other functions are called directly, so that tracebacks
-- show them.
function blame.call_back(f, ...)
  if type(f) == "function" and core.most_arguments(f) < 0 then return blame.call_script(f, ...) end
  return f(...)
end

return blame
