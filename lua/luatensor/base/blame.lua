--- Whose line an error is: the script's line that runs, which every error of ours in Lua names. Those of compositions
-- (lua/compose.c) are worded once more, with the name of the function that the script called.

local clocale = require "luatensor.base.clocale"
local core = require "luatensor.core"

local blame = {}

--- What the names of the library's chunks begin with; nil where its files are bundled under other names.
local home = core.chunk():match("^(.*)base[/\\]blame%.lua$")

--- "train.lua:12", the line of the script that runs.
function blame.script_line() return core.script_line(home) end

--- Methods forward of the library's modules, as keys.
local forwards = setmetatable({}, {__mode = "k"})

--- Errors that are raised while this method runs name the module that it runs for. It must not end with a tail call.
-- @tparam function forward
function blame.note_forward(forward) forwards[forward] = true end

-- "2.2 (Linear(64, 128))" of the module that runs; nil: none does.
local function running_label()
  local module = core.running_self(home, forwards)
  return core.type_name(module) == "module" and module:_label() or nil
end

-- Whom an error is about: the module that runs, or fn.
local function subject_of(fn) return running_label() or fn end

--- A value for a message: C writes the sign of a NaN, which says nothing.
function blame.plain(value) return value ~= value and "nan" or value end

--- Raises "train.lua:12: subject: message"; "subject: message" where no chunk tells its lines.
function blame.raise(subject, message, ...)
  local words, line = table.pack(...), blame.script_line()
  for i = 1, words.n do words[i] = blame.plain(words[i]) end
  local text = clocale.format("%s: " .. message, subject, table.unpack(words, 1, words.n))
  error(line == "?" and text or line .. ": " .. text, 0)
end

--- Raises "train.lua:12: grad: message"; while a module of the library runs, the module's name and path stand for the
-- function's.
function blame.fail(fn, ...) blame.raise(subject_of(fn), ...) end

--- Raises where fn is no function, and nothing that can be called like one: a module, a kernel.
function blame.check_function(name, fn)
  if core.is_callable(fn) then return end
  blame.fail(name, "function expected, got %s", core.type_name(fn))
end

local folder = home and home:gsub("^[@=]", "")

-- True if a place that Lua put before a message, such as "/usr/lua/luatensor/base/args.lua" or the end of such a path
-- after "...", is a file of the library's.
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

-- A message with the module that runs in the place of the function's name.
local function name_module(message)
  local fn, rest = message:match "^([%a_][%w_]*): (.*)$"
  return fn and subject_of(fn) .. ": " .. rest or message
end

-- The same with the module before the function's name.
local function add_module(message)
  local label = running_label()
  return label and label .. ": " .. message or message
end

local function relay(name, ok, ...)
  if ok then return ... end
  local message = ...
  if type(message) == "string" then
    local at, rest = message:match("^([^\n:]*):%d+: (.*)$")
    if at and not is_ours(at) then error(message, 0) end                 -- a function of the script's
    message = blame.script_line() .. ": " .. name(rest or message)
  end
  error(message, 0)
end

--- Calls a function of the library; what it raises gets the script's line.
function blame.call(f, ...) return relay(name_module, pcall(f, ...)) end

--- Calls a function of the script's, which may be written in C, such as lt.relu, or raise its error at its caller's
-- line: that line is the library's.
function blame.call_script(f, ...) return relay(add_module, pcall(f, ...)) end

--- The same for functions written in C only. Others are called as they are: tracebacks show them.
function blame.call_back(f, ...)
  if type(f) == "function" and core.most_arguments(f) < 0 then return blame.call_script(f, ...) end
  return f(...)
end

return blame
