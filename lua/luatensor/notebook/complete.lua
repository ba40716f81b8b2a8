--- Completes names in a cell: global names, fields of tables, and methods and properties of tensors and models.

local core = require "luatensor.core"
local path = require "luatensor.notebook.path"
local topics = require "luatensor.help.topics"

local complete = {}

local keywords = {}
for word in ([[and break do else elseif end false for function goto if in local nil not or repeat return then true
               until while]]):gmatch "%a+" do keywords[word] = true end

-- Adds the names in a table and in the tables that its metatable's __index names. A class may be its own metatable.
local function add_keys(names, value)
  local seen = {}
  while type(value) == "table" and not seen[value] do
    seen[value] = true
    for key, field in next, value do
      if type(key) == "string" and key:find "^[%a_][%w_]*$" then names[key] = names[key] or type(field) end
    end
    local meta = getmetatable(value)
    value = type(meta) == "table" and rawget(meta, "__index")
  end
end

-- Adds the names that the reference lists for a class or a table of functions. This finds properties, and parts of
-- luatensor that are not loaded.
local function add_topics(names, owner)
  if not topics.index() then return end
  for _, topic in ipairs(topics.inside(owner)) do
    local name = topic.name:match "[^.:]+$"
    names[name] = names[name] or (topic.field and "property" or "function")
  end
end

-- Adds parts of luatensor, such as nn, to the names in lt.
local function add_parts(names)
  for _, topic in ipairs(topics.index() or {}) do
    local part = topic.name:match "^(%l+)%."
    if part then names[part] = names[part] or "table" end
  end
end

-- Returns the names after a value, with the types of their values.
local function names_in(value, text)
  local names = {}
  local meta = getmetatable(value)
  if core.is_tensor(value) then
    for name in next, core.methods do names[name] = "function" end
    add_topics(names, "Tensor")
  elseif type(value) == "string" then
    add_keys(names, string)
  elseif type(value) == "table" then
    add_keys(names, value)
    if type(meta) == "table" and rawget(meta, "__name") == "library" then
      local prefix = text:gsub("^lt%.?", "")
      add_topics(names, prefix == "" and "luatensor" or prefix)
      if prefix == "" then add_parts(names) end
    end
  elseif type(meta) == "table" then
    add_keys(names, rawget(meta, "__index"))
  end
  return names
end

-- Returns global names, keywords, and the names of local variables and parameters in the cell.
local function names_in_scope(code)
  local names = {}
  for key, value in next, _G do if type(key) == "string" then names[key] = type(value) end end
  for word in next, keywords do names[word] = "keyword" end
  for list in code:gmatch "local%s+([%a_][%w_,%s]*)" do
    for name in list:gmatch "[%a_][%w_]*" do names[name] = names[name] or "local" end
  end
  return names
end

-- Sorts the names with this beginning, and of this kind if one is given. Names that begin with _ need a beginning.
local function matching(names, beginning, wanted)
  local list = {}
  for name, kind in next, names do
    local fits = name:sub(1, #beginning) == beginning and (name:sub(1, 1) ~= "_" or beginning ~= "")
    if fits and (not wanted or kind == wanted) and not core.internals[name] then list[#list + 1] = name end
  end
  table.sort(list)
  return list
end

--- Returns the names that can stand at a position of a cell.
-- @string code
-- @int cursor the number of bytes before the cursor
-- @treturn table list of names
-- @treturn int the number of bytes before the text that a name replaces
-- @treturn int the number of bytes up to the end of this text
function complete.at(code, cursor)
  local text = path.before(code, cursor)
  local owner, separator, beginning = text:match "^(.*)([.:])([%w_]*)$"
  if not owner then
    return matching(names_in_scope(code), text), cursor - #text, cursor
  end
  local value = path.value(owner)
  local names = value == nil and {} or names_in(value, owner)
  local wanted = separator == ":" and "function" or core.is_tensor(value) and "property" or nil
  return matching(names, beginning, wanted), cursor - #beginning, cursor
end

return complete
