-- Writes docs as annotations, which editors (LuaLS, EmmyLua) and lt.help read. luatensor/help/annotations.lua describes
-- the grammar of the annotations. Each module that scripts require (luatensor.nn) has a file of its own;
-- classes of options are in luatensor/options.lua.

local core = require "luatensor.core"
local lt = require "luatensor"
local names = require "tools.annotate.names"
local options = require "tools.annotate.options"

local luals = {}

-- Modules that scripts require by name.
local modules = {"nn", "optim", "data", "train", "distributed", "bench", "plot"}

local function add(out, format, ...) out[#out + 1] = format:format(...) end

local reserved = {}
for word in ("and break do else elseif end false for function goto if in local nil not or repeat return then true " ..
  "until while"):gmatch("%a+") do
  reserved[word] = true
end

local function safe(name) return reserved[name] and name .. "_" or name end

-- ---- options ------------------------------------------------------------------------------------

-- Returns the name of a class with the options `rows` (tools/annotate/options.lua). A class of one function, fn, is
-- named for this function. A class that several functions share is named for its options.
local function class_name(fn, rows, is_shared)
  local list = {}
  for i, row in ipairs(rows) do list[i] = row.name end
  if is_shared then return "luatensor.options." .. table.concat(list, "_") end
  return ("luatensor.%s.options"):format((fn:gsub(":", ".")))
end

local function field_line(row)
  local default = row.default and ("(default %s) "):format(row.default) or ""
  return (("---@field %s? %s %s%s"):format(row.name, row.type, default, row.text):gsub("%s+$", ""))
end

-- Returns the fields of a class of options as text. Functions with equal texts share the class.
local function body_of(rows)
  local lines = {}
  for i, row in ipairs(rows) do lines[i] = field_line(row) end
  return table.concat(lines, "\n")
end

-- Sets field `options`, the name of a class of options, in each doc that has options. Returns the classes as
-- {name, body}, where body is the text of the fields.
local function make_classes(docs, by_name)
  local users, bodies, classes, taken = {}, {}, {}, {}
  local function rows_of(name) return (options.read(by_name[name], rows_of)) end
  for _, doc in ipairs(docs) do
    doc.rows, doc.general = options.read(doc, rows_of)
    bodies[doc] = body_of(doc.rows)
    users[bodies[doc]] = (users[bodies[doc]] or 0) + 1
  end
  for _, doc in ipairs(docs) do
    local body = bodies[doc]
    if body ~= "" and not classes[body] then
      local name = class_name(doc.name, doc.rows, users[body] > 1)
      if taken[name] then name = class_name(doc.name, doc.rows, false) end
      taken[name], classes[body] = true, name
      classes[#classes + 1] = {name, body}
    end
    doc.options = classes[body]
  end
  return classes
end

local function write_options(classes)
  local out = {"---@meta luatensor.options", luals.MADE, "",
    "---@alias luatensor.dtype " .. '"' .. table.concat(lt.ops().positive.dtypes, '"|"') .. '"', ""}
  for _, class in ipairs(classes) do add(out, "---@class (exact) %s\n%s\n", class[1], class[2]) end
  return table.concat(out, "\n") .. "\n"
end

-- ---- functions ----------------------------------------------------------------------------------

local kinds = {
  {"bool", {"bool"}}, {"integers", {"uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"}},
  {"floats", {"float16", "bfloat16", "float32", "float64"}}, {"complex numbers", {"complex64", "complex128"}},
}

-- Returns a sentence that names the dtypes. If the dtypes are all dtypes of one or more kinds, the sentence names the
-- kinds: "For integers and floats." Otherwise the sentence lists the dtypes: "For float32, float64."
local function words_of(dtypes)
  local has, words, count = {}, {}, 0
  for _, dtype in ipairs(dtypes) do has[dtype] = true end
  for _, kind in ipairs(kinds) do
    local n = 0
    for _, dtype in ipairs(kind[2]) do n = n + (has[dtype] and 1 or 0) end
    if n == #kind[2] then
      words[#words + 1], count = kind[1], count + n
    end
  end
  if count < #dtypes then return ("For %s."):format(table.concat(dtypes, ", ")) end
  local last = table.remove(words)
  return ("For %s%s%s."):format(table.concat(words, ", "), #words > 0 and " and " or "", last)
end

local function add_text(out, doc)
  for _, line in ipairs(doc.text) do add(out, "---%s", line) end
  if doc.general then add(out, "---Note: %s.", doc.general) end
  if doc.dtypes then add(out, "---%s", words_of(doc.dtypes)) end
  if doc.raise then add(out, "---Errors: %s.", (doc.raise.text:gsub("%.$", ""))) end
  if not doc.example then return end
  add(out, "---```lua")
  for _, line in ipairs(doc.example) do add(out, "---%s", line) end
  add(out, "---```")
end

-- Returns the type of a parameter. An options table may be passed in place of any optional parameter before it.
local function param_type(doc, param)
  local type = param.type
  if param.name == "..." and type == "any" and param.text:find "[sd]i[zm]e?" then type = "integer|integer[]" end
  if param.name == "options" then return doc.options or type end
  local also = false
  for _, row in ipairs(doc.rows or {}) do also = also or row.name == param.name end
  if not doc.options or not (param.optional or also or param.name == "...") then return type end
  return (type == "any" and "" or type .. "|") .. doc.options
end

-- Adds the annotations and the head of the function owner.name to the list of lines `out`. The first parameter of a
-- method is the tensor itself, which the head leaves out.
local function add_function(out, owner, name, doc, is_method)
  local first = is_method and doc.params[1] and doc.params[1].type:find("Tensor") and 2 or 1
  add_text(out, doc)
  local list = {}
  for i = first, #doc.params do
    local param = doc.params[i]
    -- `...` must be the last parameter, so its type includes the types of the options after it
    if list[#list] ~= "..." then
      list[#list + 1] = safe(param.name)
      local mark = param.optional and param.name ~= "..." and "?" or ""
      local text = param.name ~= "options" and param.text or ""
      add(out, "---@param %s%s %s %s", safe(param.name), mark, param_type(doc, param), text)
    end
  end
  for _, result in ipairs(doc.returns) do add(out, "---@return %s # %s", result.type, result.text) end
  local parameters = table.concat(list, ", ")
  if reserved[name] then
    add(out, "%s[%q] = function(%s) end", owner, name, is_method and "self, " .. parameters or parameters)
  else
    add(out, "function %s%s%s(%s) end", owner, is_method and ":" or ".", name, parameters)
  end
  add(out, "")
end

-- ---- the class of tensors -----------------------------------------------------------------------

local operators = {"add", "sub", "mul", "div", "idiv", "mod", "pow", "band", "bor", "bxor", "shl", "shr"}

local function add_tensor(out)
  add(out, "---@class luatensor.Tensor")
  for _, name in ipairs(names.of(names.properties)) do
    add(out, "---@field %s %s %s", name, table.unpack(names.properties[name]))
  end
  for _, name in ipairs(operators) do add(out, "---@operator %s(luatensor.Tensor|number): luatensor.Tensor", name) end
  add(out, "---@operator unm: luatensor.Tensor")
  add(out, "---@operator bnot: luatensor.Tensor")
  add(out, "---@operator len: integer")
  add(out, "---@field [any] luatensor.Tensor|number x[3], x[{ {1, 3}, {} }] …")
  add(out, "local Tensor = {}\n")
end

-- Returns the doc of a function's in-place form (x:add_), made from the function's doc.
local function in_place(doc)
  local copy = {text = {"In place: " .. (doc.text[1] or "")}, params = {}, returns = {}}
  copy.returns[1] = {type = "luatensor.Tensor", text = "x"}
  for _, param in ipairs(doc.params) do
    if param.name ~= "options" then table.insert(copy.params, param) end
  end
  return copy
end

-- Adds methods: the functions of the same name without their first parameter, followed by in-place forms and aliases.
local function add_methods(out, by_name)
  for _, name in ipairs(names.of(core.methods)) do
    local doc = by_name[name]
    local other = not doc and names.alias_of(name, core.methods, by_name)
    local base = names.has_doc(name, by_name)
    if doc then
      add_function(out, "Tensor", name, doc, true)
    elseif other then
      add(out, "---The same as %s.\nTensor[%q] = Tensor[%q]\n", other, name, other)
    elseif base then
      add_function(out, "Tensor", name, in_place(base), true)
    end
  end
end

-- ---- modules ------------------------------------------------------------------------------------

local function add_classes(out, docs, module)
  for _, class in ipairs(names.classes) do
    if class.of == module then
      local parent = class.parent and (": luatensor." .. class.parent) or ""
      add(out, "---@class luatensor.%s%s%s", class.name, parent, class.lines and "\n" .. class.lines or "")
      add(out, "local %s = {}\n", class.name)
      for _, doc in ipairs(docs) do
        local name = doc.name:match("^" .. class.name .. ":([%w_]+)$")
        if name then add_function(out, class.name, name, doc, true) end
      end
    end
  end
end

-- Returns the module of a name: "nn.functional.relu" belongs to module "nn"; functions of luatensor itself belong to
-- no module.
local function module_of(name)
  for _, module in ipairs(modules) do
    if name:sub(1, #module + 1) == module .. "." then return module end
  end
end

local function add_functions(out, docs, module)
  for _, doc in ipairs(docs) do
    local value = names.value_of(doc.name)
    if value and not names.is_constant(value) and module_of(doc.name) == module then
      local inner = module and doc.name:sub(#module + 2) or doc.name
      add_function(out, module or "lt", inner, doc, false)
    end
  end
end

-- Adds a line such as "lt.linalg = {}" for each table of functions in `library`, except for the modules.
local function add_tables(out, owner, library)
  for _, name in ipairs(names.of(library)) do
    local value = rawget(library, name)
    local meta = type(value) == "table" and getmetatable(value)
    if meta and meta.__name == "library" and not module_of(name .. ".") then add(out, "%s.%s = {}\n", owner, name) end
  end
end

-- Adds dtypes, other constants, and aliases.
local function add_rest(out, by_name)
  for _, name in ipairs(names.of(lt)) do
    local value = rawget(lt, name)
    if names.is_constant(value) then
      for _, line in ipairs(by_name[name] and by_name[name].text or {}) do add(out, "---%s", line) end
      add(out, "---@type %s\nlt.%s = nil\n", type(value) == "userdata" and "lightuserdata" or type(value), name)
    elseif type(value) == "function" and not by_name[name] and names.alias_of(name, lt, by_name) then
      local other = names.alias_of(name, lt, by_name)
      add(out, "---The same as %s.\nlt[%q] = lt[%q]\n", other, name, other)
    end
  end
end

luals.MADE = "-- Made by `make annotations` from the sources' comments and the op table. Do not edit."

local function finish(out, result)
  add(out, "return %s", result)
  return (table.concat(out, "\n"):gsub("[ \t]+\n", "\n")) .. "\n"
end

local function write_module(docs, module)
  local out = {"---@meta luatensor." .. module, luals.MADE, ""}
  add_classes(out, docs, module)
  add(out, "---@class luatensor.%s\nlocal %s = {}\n", module, module)
  add_tables(out, module, lt[module])
  add_functions(out, docs, module)
  return finish(out, module)
end

local function write_luatensor(docs, by_name)
  local out = {"---@meta luatensor", luals.MADE, ""}
  add_tensor(out)
  add_methods(out, by_name)
  add_classes(out, docs, nil)
  add(out, "---@class luatensor")
  for _, module in ipairs(modules) do add(out, "---@field %s luatensor.%s", module, module) end
  add(out, "local lt = {}\n")
  add_tables(out, "lt", lt)
  add_functions(out, docs, nil)
  add_rest(out, by_name)
  return finish(out, "lt")
end

--- Returns the annotations: the text of each file, by its path below library/.
-- @tab docs all docs, in order
-- @tab by_name the docs by their names
-- @treturn table
function luals.files(docs, by_name)
  local classes = make_classes(docs, by_name)
  for _, class in ipairs(names.classes) do   -- sets result types: nn.Sequential(…) returns luatensor.Sequential
    local made = class.parent and by_name[("%s.%s"):format(class.of, class.name)]
    if made then made.returns = {{type = "luatensor." .. class.name, text = ""}} end
  end
  local files = {["luatensor.lua"] = write_luatensor(docs, by_name), ["luatensor/options.lua"] = write_options(classes)}
  for _, module in ipairs(modules) do files[("luatensor/%s.lua"):format(module)] = write_module(docs, module) end
  return files
end

return luals
