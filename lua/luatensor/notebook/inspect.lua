--- Finds the help for a name in a cell: the reference's entry, the head of a function of the script, or a value.

local core = require "luatensor.core"
local help = require "luatensor.help"
local mime = require "luatensor.notebook.mime"
local path = require "luatensor.notebook.path"
local topics = require "luatensor.help.topics"

local inspect = {}

-- Returns the position of the last byte before the open parenthesis of the call around a position, or nil.
local function call_around(code, at)
  local depth = 0
  for i = at, 1, -1 do
    local byte = code:sub(i, i)
    if byte == ")" or byte == "}" then depth = depth + 1 end
    if byte == "(" or byte == "{" then
      if depth == 0 and byte == "(" then return i - 1 end
      depth = math.max(0, depth - 1)
    end
  end
end

local function signature(name, f)
  local info = debug.getinfo(f, "Su")
  local parameters = {}
  for i = 1, info.nparams do parameters[i] = debug.getlocal(f, i) end
  if info.isvararg then parameters[#parameters + 1] = "..." end
  local at = info.what == "C" and "C" or ("%s:%d"):format(info.short_src, info.linedefined)
  return ("function %s(%s)\n\ndefined in %s"):format(name, table.concat(parameters, ", "), at)
end

local function topic_text(name)
  return topics.index() and topics.find(name) and help.find(name) or nil
end

-- Returns the help for a method or property of a tensor, or of a module.
local function member_text(owner, name)
  if core.is_tensor(owner) then return topic_text("Tensor:" .. name) or topic_text(name) end
  if core.type_name(owner) == "module" then
    return topic_text(("nn.%s:%s"):format(owner.class_name, name)) or topic_text("Module:" .. name)
  end
end

-- Returns the help for a path, or nil.
local function describe(text)
  local value, owner, name = path.value(text)
  local found = owner ~= nil and member_text(owner, name)
  if found then return found end
  if value == nil then return topic_text(text) end
  if type(value) == "function" or core.type_name(value) == "library" or core.type_name(value) == "class" then
    local entry = help.find(value)
    if entry then return entry end
  end
  if type(value) == "function" then return signature(text, value) end
  return ("%s: %s\n\n%s"):format(text, core.type_name(value), mime.text(value))
end

--- Returns the help for the name at a position, or for the function whose arguments are there.
-- @string code
-- @int cursor the number of bytes before the cursor
-- @treturn string|nil text
function inspect.at(code, cursor)
  local stop = cursor + #code:sub(cursor + 1):match "^[%w_]*"
  local text = path.before(code, stop)
  local found = text ~= "" and describe(text)
  if found then return found end
  local opening = call_around(code, cursor)
  text = opening and path.before(code, opening) or ""
  return text ~= "" and describe(text) or nil
end

return inspect
