-- Reads the documentation comments of the sources and the rows of the op table.

local alias = require "luatensor.base.alias"
local examples = require "tools.annotate.examples"
local lt = require "luatensor"
local names = require "tools.annotate.names"

local read = {}

-- The fields of a doc; only some docs have the last three:
--
--     name, section
--     text      list of lines
--     params    list of {name =, type =, optional =, text =, default =}
--     returns   list of {type =, text =}
--     raise     {text =}
--     dtypes    list of names
--     example   list of lines

local types = {
  Tensor = "luatensor.Tensor", tensor = "luatensor.Tensor",
  int = "integer", tab = "table", bool = "boolean", func = "function", str = "string",
  float = "number", userdata = "userdata", shape = "table",
}
for _, class in ipairs(names.classes) do types[class.name] = "luatensor." .. class.name end
for _, name in ipairs{"number", "integer", "string", "boolean", "table", "function", "nil"} do types[name] = name end

-- Translates the types of a tag to the names of LuaLS: "Tensor|int" to "luatensor.Tensor|integer".
local function type_of(text)
  local parts = {}
  for word in text:gmatch("[^|]+") do
    local part = word:gsub("^{.*}$", "table"):gsub("^%s+", "")
    parts[#parts + 1] = types[part] or part:find("^[\"']") and part or "any"
  end
  return table.concat(parts, "|")
end

-- Tags that are short forms of @tparam with a type: "@string name" means "@tparam string name".
local typed_tags = {
  string = "string", int = "integer", number = "number", tab = "table", bool = "boolean", func = "function",
}

-- Converts "@tparam[opt=1] int first the first dim" to a parameter. Returns nil for other tags.
local function read_param(tag, modifiers, rest)
  local kind = typed_tags[tag]
  if tag == "tparam" then kind, rest = rest:match("^(%S+)%s*(.*)$") end
  if not kind and tag ~= "param" then return nil end
  local name, text = rest:match("^(%S+)%s*(.*)$")
  return {name = name, type = kind and type_of(kind) or "any", optional = modifiers:find("opt") ~= nil, text = text,
          default = modifiers:match "opt=([^%]]+)"}
end

-- Appends the default to a parameter's text, whose lines must all have been read.
local function add_default(param)
  if not param.default then return end
  param.text = (param.text == "" and "" or param.text .. "; ") .. "default " .. param.default
end

local function read_return(tag, rest)
  if tag == "return" then return {type = rest:find("tensor") and "luatensor.Tensor" or "any", text = rest} end
  if tag ~= "treturn" then return nil end
  local kind, text = rest:match("^(%S+)%s*(.*)$")
  return {type = type_of(kind), text = text}
end

-- Reads the first line of a tag into a doc. Returns the table for the tag. If this table has a field `text`, the caller
-- appends continuation lines to the field.
local function read_tag(doc, line)
  local tag, modifiers, rest = line:match("^@(%w+)(%b[])%s*(.*)$")
  if not tag then tag, rest = line:match("^@(%w+)%s*(.*)$") end
  local param = read_param(tag, modifiers or "", rest)
  local result = read_return(tag, rest)
  if tag == "function" then doc.name = rest:match("%S+")
  elseif tag == "raise" then
    doc.raise = {text = rest}
    return doc.raise
  elseif param then table.insert(doc.params, param)
  elseif result then table.insert(doc.returns, result) end
  return param or result or {}
end

--- Reads the lines of a comment without the comment marks.
function read.doc(lines, section)
  local doc = {text = {}, params = {}, returns = {}, section = section}
  local last
  for _, line in ipairs(lines) do
    if line:find("^@") then
      last = read_tag(doc, line)
    elseif last and last.text then
      last.text = last.text .. " " .. line:gsub("^%s+", "")
    elseif not last and (line ~= "" or #doc.text > 0) then
      table.insert(doc.text, line)
    end
  end
  for _, param in ipairs(doc.params) do add_default(param) end
  while doc.text[#doc.text] == "" do table.remove(doc.text) end
  return doc
end

local function read_file(path)
  local file = assert(io.open(path))
  local text = file:read("a")
  file:close()
  return text
end

-- Reads comments /*** … @function name … */ of a C file.
local function read_c(path, docs)
  local section = path:match("(%w+)%.c$")
  for comment in read_file(path):gmatch("/%*%*%*%s*(.-)%s*%*/") do
    local lines = {}
    for line in (comment .. "\n"):gmatch("(.-)\n") do lines[#lines + 1] = (line:gsub("^%s*%*%*?%s?", "")) end
    local doc = read.doc(lines, section)
    if doc.name then docs[#docs + 1] = doc end
  end
end

-- Returns the public name that a line of Lua defines: "function lt.stack(…)", "lt.pi = …", 'add("roll", …)'.
local function defined_name(line)
  return line:match("^%s*function%s+lt%.([%w_.]+)") or line:match("^%s*function%s+methods[.:]([%w_]+)")
    or line:match("^function (%u[%w]+:[%w_]+)") or line:match("^%s*lt%.([%w_.]+)%s*=")
    or line:match('^%s*add%("([%w_]+)"')
end

-- Reads the --- comments of a Lua file that have @function or precede a definition.
local function read_lua(path, docs)
  local inner = path:match("luatensor/(nn/.+)%.lua$") or path:match("luatensor/(optim/.+)%.lua$")
  local section, lines = inner or path:match("(%w+)/init%.lua$") or path:match("(%w+)%.lua$"), nil
  section = section:gsub("/", "_")
  for line in (read_file(path) .. "\n"):gmatch("(.-)\n") do
    local first, more = line:match("^%s*%-%-%-%s?([^-].*)$"), line:match("^%s*%-%-%s?(.*)$")
    if first and not lines then
      lines = {first}
    elseif lines and more then
      lines[#lines + 1] = more:gsub("^%-%s?", "")
    elseif lines then
      local doc = read.doc(lines, section)
      doc.name = doc.name or defined_name(line)
      if doc.name then docs[#docs + 1] = doc end
      lines = nil
    end
  end
end

local function list_files(pattern)
  local pipe = assert(io.popen("ls " .. pattern))
  local paths = {}
  for path in pipe:lines() do paths[#paths + 1] = path end
  pipe:close()
  return paths
end

-- ---- rows of the op table -----------------------------------------------------------------------

local operands = {unary = {"x"}, binary = {"x", "y"}, ternary = {"x", "y", "z"}, quaternary = {"x", "y", "z", "w"}}
local tensor_or_number = "luatensor.Tensor|number"

-- Options that only some reductions have, as text of a documentation comment.
local of_sums = ", `dtype` (of the result, in which it is added up)"
local of_variance = ", `correction` (0): what is divided by is the number of elements less this; 1 as in PyTorch"
local more_options = {sum = of_sums, prod = ", `dtype` (of the result, in which it is multiplied)", mean = of_sums,
                      var = of_variance, std = of_variance}

local function op_doc(name, op)
  local doc = {name = name, text = {op.doc .. "."}, params = {}, returns = {{type = "luatensor.Tensor", text = ""}},
    section = op.kind, dtypes = op.dtypes}
  for i, operand in ipairs(operands[op.kind] or {"x"}) do
    doc.params[i] = {name = operand, type = i == 1 and "luatensor.Tensor" or tensor_or_number, text = ""}
  end
  if op.kind == "reduction" then
    local one = name:find "^arg"                         -- argmax and argmin accept only a single dim
    doc.params[2] = {name = "dim", type = one and "integer" or "integer|integer[]", optional = true,
                     text = one and "unless given, the position is that in the flattened x" or "all dims unless given"}
  end
  if op.kind == "softmax" or op.kind == "scan" then error(name .. " has no documentation comment") end
  table.insert(doc.params, {name = "options", type = "table", optional = true,
    text = op.kind == "reduction" and "`dim`, `keepdim`, `out`" .. (more_options[name] or "") or "`out`"})
  return doc
end

-- Adds the rows of the op table. Comments in the sources take precedence.
local function add_ops(docs, by_name)
  for _, name in ipairs(names.of(lt.ops())) do
    if not by_name[name] and not name:find("_$") then
      docs[#docs + 1] = op_doc(name, lt.ops()[name])
      by_name[name] = docs[#docs]
    end
  end
end

-- Completes a doc such as "The same as lt.take." with the parameters and results of the doc of lt.take.
local function complete(docs, by_name)
  for _, doc in ipairs(docs) do
    local other = by_name[doc.text[1] and doc.text[1]:match("^The same as lt%.([%w_]+)%.$")]
    if other then doc.params, doc.returns = other.params, other.returns end
  end
end

-- ---- all docs -----------------------------------------------------------------------------------

-- Adds the aliases of alias.lua: x:numel() is x.size, x:double() is x:to("float64").
local function add_aliases(docs, by_name)
  local function add(name, text, result)
    local doc = {name = name, text = {text}, params = {{name = "x", type = "luatensor.Tensor", text = ""}},
      returns = {{type = result, text = ""}}, section = "alias"}
    -- x:cuda() is only a method, because lt.cuda is the table of functions of GPUs.
    if type(rawget(lt, name)) ~= "table" then docs[#docs + 1] = doc end
    by_name[name] = doc
  end
  for _, name in ipairs(names.of(alias.properties)) do
    add(name, ("The same as x.%s."):format(alias.properties[name]), "integer")
  end
  for _, name in ipairs(names.of(alias.conversions)) do
    add(name, ("The same as x:to(%q)."):format(alias.conversions[name]), "luatensor.Tensor")
  end
end

local lua_files = "lua/luatensor/*.lua lua/luatensor/*/*.lua lua/luatensor/nn/*/*.lua "
  .. "lua/luatensor/optim/*/*.lua 2>/dev/null"

--- Returns all docs in order, and a table of them by name.
function read.collect()
  local docs, by_name = {}, {}
  local sources = list_files("$(find src -name '*.c')")
  table.sort(sources, function(a, b) return a:match("[^/]*$") < b:match("[^/]*$") end)
  for _, path in ipairs(sources) do read_c(path, docs) end
  for _, path in ipairs(list_files(lua_files)) do
    if not path:find("experiment/init.lua$") then read_lua(path, docs) end
  end
  for _, doc in ipairs(docs) do by_name[doc.name] = by_name[doc.name] or doc end
  add_ops(docs, by_name)
  complete(docs, by_name)
  add_aliases(docs, by_name)
  local shown = examples.by_name()
  for _, doc in ipairs(docs) do doc.example = shown[doc.name] end
  return docs, by_name
end

return read
