--- Decides which line an error names: each error of luatensor's Lua code names the line of the script that is
-- running. Errors in compositions (src/lua/compose.c) get the name of the function that the script called.

local clocale = require "luatensor.base.clocale"
local core = require "luatensor.core"

local blame = {}

--- The common beginning of the chunk names of the library's files; nil if a bundle gave the files other names.
local home = core.chunk():match("^(.*)base[/\\]blame%.lua$")

--- Returns the script's position on the stack: "train.lua:12", or "?" if no chunk has line numbers.
function blame.script_line() return core.script_line(home) end

--- The set of the `forward` methods that blame.note_forward was given.
local forwards = setmetatable({}, {__mode = "k"})

--- While `forward` runs, errors name its module. The method must not end with a tail call, which would remove it from
-- the stack.
-- @tparam function forward
function blame.note_forward(forward) forwards[forward] = true end

-- Returns the label of the module whose forward runs, such as "2.2 (Linear(64, 128))", or nil.
local function running_label()
  local module = core.running_self(home, forwards)
  return core.type_name(module) == "module" and module:_label() or nil
end

--- Returns the subject of an error: the label of the running module, or else fn.
function blame.subject(fn) return running_label() or fn end

--- Returns a value for a message. NaN is replaced by "nan", because C would print NaN's sign, which has no meaning.
function blame.plain(value) return value ~= value and "nan" or value end

--- Raises the error "train.lua:12: subject: message", or "subject: message" if no chunk on the stack has line
-- numbers.
function blame.raise(subject, message, ...)
  local words, line = table.pack(...), blame.script_line()
  for i = 1, words.n do words[i] = blame.plain(words[i]) end
  local text = clocale.format("%s: " .. message, subject, table.unpack(words, 1, words.n))
  error(line == "?" and text or line .. ": " .. text, 0)
end

--- Raises the error "train.lua:12: fn: message". While a forward method of the library runs, the module's label
-- replaces the function's name.
function blame.fail(fn, ...) blame.raise(blame.subject(fn), ...) end

--- Raises an error in the name of function `name` unless fn can be called: a function, a module or a kernel.
function blame.check_function(name, fn)
  if core.is_callable(fn) then return end
  blame.fail(name, "function expected, got %s", core.type_name(fn))
end

local folder = home and home:gsub("^[@=]", "")

-- True if the position in an error message is in a file of the library. The position is a path such as
-- "/usr/lua/luatensor/base/args.lua", or "..." and the end of a path, because Lua shortens long paths.
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

-- Returns the message with the label of the running module, if there is one, in place of the function's name.
local function name_module(message)
  local fn, rest = message:match "^([%a_][%w_]*): (.*)$"
  return fn and blame.subject(fn) .. ": " .. rest or message
end

-- Returns the message with the label of the running module, if there is one, before it.
local function add_module(message)
  local label = running_label()
  return label and label .. ": " .. message or message
end

local function relay(name, ok, ...)
  if ok then return ... end
  local message = ...
  if type(message) == "string" then
    local at, rest = message:match("^([^\n:]*):%d+: (.*)$")
    -- an error with a line of the script is raised again without change
    if at and not is_ours(at) then error(message, 0) end
    message = blame.script_line() .. ": " .. name(rest or message)
  end
  error(message, 0)
end

--- Calls function f of the library, and raises its errors at the script's line.
function blame.call(f, ...) return relay(name_module, pcall(f, ...)) end

--- Calls function f of the script, and raises its errors at the script's line if the message names a line of the
-- library or no line. Messages name no line of the script if f is written in C, such as lt.relu, or if f raises its
-- error at its caller's line.
function blame.call_script(f, ...) return relay(add_module, pcall(f, ...)) end

--- Like blame.call_script, but only for functions written in C. Functions written in Lua are called directly, so that
-- tracebacks show their lines.
function blame.call_back(f, ...)
  if type(f) == "function" and core.most_arguments(f) < 0 then return blame.call_script(f, ...) end
  return f(...)
end

return blame
