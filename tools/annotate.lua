-- Writes what the documentation comments of the sources and the op table say about the public names:
--
--   tools/lua tools/annotate.lua            library/luatensor.lua, annotations for editors (LuaLS)
--   tools/lua tools/annotate.lua --ldoc     build/ldoc/luatensor.lua, the input of ldoc (make doc)
--   tools/lua tools/annotate.lua --missing  lists the public names that nothing documents
--
-- Run from the repository's root. Loaded with require it returns {collect, missing, luals, ldoc}.

local alias = require "luatensor.base.alias"
local core = require "luatensor.core"
local lt = require "luatensor"
assert(lt.bench and lt.advise and lt.nn and lt.optim and lt.data)      -- now: they are loaded when they are first named

local annotate = {}

-- ---- reading documentation comments -------------------------------------------------------------

-- A doc is {name =, text = {lines}, params = {{name, type, optional, text}}, returns = {{type, text}}, section =}.

local types = {
  Tensor = "luatensor.Tensor", tensor = "luatensor.Tensor",
  int = "integer", tab = "table", bool = "boolean", func = "function", str = "string",
  float = "number", userdata = "userdata", shape = "table",
}
-- Classes of objects that scripts call methods of, and their first lines there.
local classes = {
  {"Module", "---@class luatensor.Module\n---@overload fun(...): any"},
  {"Optimizer", "---@class luatensor.Optimizer\n---@field param_groups table[]\n---@field state table"},
  {"Scheduler", "---@class luatensor.Scheduler\n---@field last_epoch integer"},
  {"GradScaler", "---@class luatensor.GradScaler"}, {"Loader", "---@class luatensor.Loader"},
  {"Dataset", "---@class luatensor.Dataset\n---@field size integer"},
}
for _, class in ipairs(classes) do types[class[1]] = "luatensor." .. class[1] end
for _, name in ipairs{"number", "integer", "string", "boolean", "table", "function", "nil"} do types[name] = name end

-- "Tensor|int" in LuaLS's words.
local function type_of(text)
  local parts = {}
  for part in text:gmatch("[^|]+") do
    part = part:gsub("^{.*}$", "table"):gsub("^%s+", "")
    parts[#parts + 1] = types[part] or part:find("^[\"']") and part or "any"
  end
  return table.concat(parts, "|")
end

-- Each of these tags is a @tparam with that type.
local typed_tags = {
  string = "string", int = "integer", number = "number", tab = "table", bool = "boolean", func = "function",
}

-- "@tparam[opt=1] int first the first dim" → a parameter; nil for other tags.
local function read_param(tag, modifiers, rest)
  local kind = typed_tags[tag]
  if tag == "tparam" then kind, rest = rest:match("^(%S+)%s*(.*)$") end
  if not kind and tag ~= "param" then return nil end
  local name, text = rest:match("^(%S+)%s*(.*)$")
  return {name = name, type = kind and type_of(kind) or "any", optional = modifiers:find("opt") ~= nil, text = text}
end

local function read_return(tag, rest)
  if tag == "return" then return {type = rest:find("tensor") and "luatensor.Tensor" or "any", text = rest} end
  if tag ~= "treturn" then return nil end
  local kind, text = rest:match("^(%S+)%s*(.*)$")
  return {type = type_of(kind), text = text}
end

-- One tag with the lines that go on with it.
local function read_tag(doc, line)
  local tag, modifiers, rest = line:match("^@(%w+)(%b[])%s*(.*)$")
  if not tag then tag, rest = line:match("^@(%w+)%s*(.*)$") end
  local param = read_param(tag, modifiers or "", rest)
  local result = read_return(tag, rest)
  if tag == "function" then doc.name = rest:match("%S+")
  elseif param then table.insert(doc.params, param)
  elseif result then table.insert(doc.returns, result) end
  return param or result or {}
end

-- The lines of one comment, without its marks.
local function read_doc(lines, section)
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
  while doc.text[#doc.text] == "" do table.remove(doc.text) end
  return doc
end

local function read_file(path)
  local file = assert(io.open(path))
  local text = file:read("a")
  file:close()
  return text
end

-- /*** … @function name … */ of a C file.
local function read_c(path, docs)
  local section = path:match("(%w+)%.c$")
  for comment in read_file(path):gmatch("/%*%*%*%s*(.-)%s*%*/") do
    local lines = {}
    for line in (comment .. "\n"):gmatch("(.-)\n") do lines[#lines + 1] = (line:gsub("^%s*%*%*?%s?", "")) end
    local doc = read_doc(lines, section)
    if doc.name then docs[#docs + 1] = doc end
  end
end

-- The public name that a line of Lua defines: "function lt.stack(…)", "lt.pi = …", 'add("roll", …)'.
local function defined_name(line)
  return line:match("^%s*function%s+lt%.([%w_.]+)") or line:match("^%s*function%s+methods[.:]([%w_]+)")
    or line:match("^function (%u[%w]+:[%w_]+)") or line:match("^%s*lt%.([%w_.]+)%s*=")
    or line:match('^%s*add%("([%w_]+)"')
end

-- --- comments of a Lua file, with @function or above the definition.
local function read_lua(path, docs)
  local inner = path:match("luatensor/(nn/.+)%.lua$") or path:match("luatensor/(optim/.+)%.lua$")
  local section, lines = inner or path:match("(%w+)%.lua$"), nil
  section = section:gsub("/", "_")
  for line in (read_file(path) .. "\n"):gmatch("(.-)\n") do
    local first, more = line:match("^%s*%-%-%-%s?([^-].*)$"), line:match("^%s*%-%-%s?(.*)$")
    if first and not lines then
      lines = {first}
    elseif lines and more then
      lines[#lines + 1] = more:gsub("^%-%s?", "")
    elseif lines then
      local doc = read_doc(lines, section)
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

-- Options that only some reductions have.
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
    doc.params[2] = {name = "dim", type = "integer|integer[]", optional = true, text = "all dims unless given"}
  end
  if op.kind == "softmax" or op.kind == "scan" then error(name .. " has no documentation comment") end
  table.insert(doc.params, {name = "options", type = "table", optional = true,
    text = op.kind == "reduction" and "`dim`, `keepdim`, `out`" .. (more_options[name] or "") or "`out`"})
  return doc
end

-- What the comments say goes before what the table says.
local function add_ops(docs, by_name)
  local names = {}
  for name in pairs(lt.ops()) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    if not by_name[name] and not name:find("_$") then
      docs[#docs + 1] = op_doc(name, lt.ops()[name])
      by_name[name] = docs[#docs]
    end
  end
end

-- "The same as lt.take.": such a doc has the parameters and results of the other.
local function complete(docs, by_name)
  for _, doc in ipairs(docs) do
    local other = by_name[doc.text[1] and doc.text[1]:match("^The same as lt%.([%w_]+)%.$")]
    if other then doc.params, doc.returns = other.params, other.returns end
  end
end

-- ---- all of it ----------------------------------------------------------------------------------

-- Sorted keys of a table that are public names.
local function names_of(t)
  local names = {}
  for name in pairs(t) do
    if type(name) == "string" and not name:find("^_") then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

-- Documented itself, or as the in-place form of what is.
local function has_doc(name, by_name) return by_name[name] or name:find("_$") and by_name[name:sub(1, -2)] end

-- Another name for the same function that is documented.
local function alias_of(name, space, by_name)
  for _, other in ipairs(names_of(space)) do
    if other ~= name and rawequal(rawget(space, other), rawget(space, name)) and has_doc(other, by_name) then
      return other
    end
  end
end

-- alias.lua: x:numel() is x.size, x:double() is x:to("float64").
local function add_aliases(docs, by_name)
  local function add(name, text, result)
    local doc = {name = name, text = {text}, params = {{name = "x", type = "luatensor.Tensor", text = ""}},
      returns = {{type = result, text = ""}}, section = "alias"}
    -- x:cuda() is a method only: lt.cuda are the functions of GPUs.
    if type(rawget(lt, name)) ~= "table" then docs[#docs + 1] = doc end
    by_name[name] = doc
  end
  for _, name in ipairs(names_of(alias.properties)) do
    add(name, ("The same as x.%s."):format(alias.properties[name]), "integer")
  end
  for _, name in ipairs(names_of(alias.conversions)) do
    add(name, ("The same as x:to(%q)."):format(alias.conversions[name]), "luatensor.Tensor")
  end
end

local function is_documented(name, space, by_name) return has_doc(name, by_name) or alias_of(name, space, by_name) end

local lua_files = "lua/luatensor/*.lua lua/luatensor/*/*.lua lua/luatensor/nn/*/*.lua "
  .. "lua/luatensor/optim/*/*.lua 2>/dev/null"

--- Every doc in order, and the same by name.
function annotate.collect()
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
  return docs, by_name
end

-- A function, or a class.
local function is_callable(value)
  local meta = type(value) == "table" and getmetatable(value)
  return type(value) == "function" or meta and meta.__call ~= nil
end

local function is_constant(value) return type(value) ~= "function" and type(value) ~= "table" end

--- The public functions, methods and properties that nothing documents.
function annotate.missing()
  local _, by_name = annotate.collect()
  local missing = {}
  local function look(space, prefix)
    for _, name in ipairs(names_of(space)) do
      local value = rawget(space, name)
      if type(value) == "table" and prefix == "lt." then
        for _, inner in ipairs(names_of(value)) do
          if is_callable(value[inner]) and not by_name[name .. "." .. inner] then
            missing[#missing + 1] = prefix .. name .. "." .. inner
          end
        end
      elseif not is_constant(value) and not is_documented(name, space, by_name) then
        missing[#missing + 1] = prefix .. name
      end
    end
  end
  look(lt, "lt.")
  look(core.methods, "x:")
  for _, name in ipairs(names_of(core.properties)) do
    if not annotate.properties[name] then missing[#missing + 1] = "x." .. name end
  end
  return missing
end

--- Properties of a tensor: name → {type, meaning}.
annotate.properties = {
  shape   = {"integer[]", "sizes; can be indexed, compared with == and printed"},
  strides = {"integer[]", "distance of neighbours in each dim, in elements"},
  ndim    = {"integer", "number of dims"},
  size    = {"integer", "number of elements"},
  dtype   = {"string", '"float32" …'},
  device  = {"string", '"cpu" …'},
  T       = {"luatensor.Tensor", "transpose of a 2-d tensor, a view"},
  mT      = {"luatensor.Tensor", "the last two dims swapped, a view"},
  grad    = {"luatensor.Tensor?", "what backward added up for a leaf; can be set"},
  requires_grad = {"boolean", "are gradients for it wanted? Can be set"},
  is_leaf = {"boolean", "was it made by the script, not computed from what requires gradients?"},
  grad_fn = {"string?", "the op that a gradient passes next"},
}

-- ---- writing: LuaLS -----------------------------------------------------------------------------

local function add(out, format, ...) out[#out + 1] = format:format(...) end

local reserved = {}
for word in ("and break do else elseif end false for function goto if in local nil not or repeat return then true " ..
  "until while"):gmatch("%a+") do
  reserved[word] = true
end

local function safe(name) return reserved[name] and name .. "_" or name end

-- The comment and the head of owner.name; a method's first parameter is the tensor itself.
local function add_function(out, owner, name, doc, is_method)
  local first = is_method and doc.params[1] and doc.params[1].type:find("Tensor") and 2 or 1
  for _, line in ipairs(doc.text) do add(out, "---%s", line) end
  if doc.dtypes then add(out, "---For %s.", table.concat(doc.dtypes, ", ")) end
  local names = {}
  for i = first, #doc.params do
    local param = doc.params[i]
    if names[#names] == "..." then                      -- which can only be last: what follows is in it
      add(out, "---, then %s: %s", param.name, param.text)
    else
      names[#names + 1] = safe(param.name)
      local mark = param.optional and param.name ~= "..." and "?" or ""
      add(out, "---@param %s%s %s %s", safe(param.name), mark, param.type, param.text)
    end
  end
  for _, result in ipairs(doc.returns) do add(out, "---@return %s # %s", result.type, result.text) end
  local list = table.concat(names, ", ")
  if reserved[name] then
    add(out, "%s[%q] = function(%s) end", owner, name, is_method and "self, " .. list or list)
  else
    add(out, "function %s%s%s(%s) end", owner, is_method and ":" or ".", name, list)
  end
  add(out, "")
end

local operators = {"add", "sub", "mul", "div", "idiv", "mod", "pow", "band", "bor", "bxor", "shl", "shr"}

local function add_class(out)
  add(out, "---@class luatensor.Tensor")
  for _, name in ipairs(names_of(annotate.properties)) do
    add(out, "---@field %s %s %s", name, table.unpack(annotate.properties[name]))
  end
  for _, name in ipairs(operators) do add(out, "---@operator %s(luatensor.Tensor|number): luatensor.Tensor", name) end
  add(out, "---@operator unm: luatensor.Tensor")
  add(out, "---@operator bnot: luatensor.Tensor")
  add(out, "---@operator len: integer")
  add(out, "---@field [any] luatensor.Tensor|number # x[3], x[{ {1, 3}, {} }] …")
  add(out, "local Tensor = {}\n")
end

-- Methods: the functions of the same name without their first parameter; in-place forms and aliases after.
local function add_methods(out, by_name)
  for _, name in ipairs(names_of(core.methods)) do
    local doc = by_name[name]
    local other = not doc and alias_of(name, core.methods, by_name)
    local base = has_doc(name, by_name)
    if doc then
      add_function(out, "Tensor", name, doc, true)
    elseif other then
      add(out, "---The same as %s.\nTensor[%q] = Tensor[%q]\n", other, name, other)
    elseif base then
      local copy = {text = {"In place: " .. (base.text[1] or "")}, params = {}, returns = {}}
      copy.returns[1] = {type = "luatensor.Tensor", text = "x"}
      for _, param in ipairs(base.params) do
        if param.name ~= "options" then table.insert(copy.params, param) end
      end
      add_function(out, "Tensor", name, copy, true)
    end
  end
end

-- What lt.a.b.c is; nil where there is no such name.
local function value_of(name)
  local value = lt
  for part in name:gmatch("[^.]+") do
    value = type(value) == "table" and rawget(value, part) or nil
  end
  return value
end

local function add_functions(out, docs)
  for _, doc in ipairs(docs) do
    if value_of(doc.name) then add_function(out, "lt", doc.name, doc, false) end
  end
end

-- Modules of lt.nn, optimisers …: what is there of all of them.
local function add_object_class(out, docs, class, first_lines)
  add(out, "%s\nlocal %s = {}\n", first_lines, class)
  for _, doc in ipairs(docs) do
    local name = doc.name:match("^" .. class .. ":([%w_]+)$")
    if name then add_function(out, class, name, doc, true) end
  end
end

-- dtypes and other constants, tables of functions, aliases.
local function add_rest(out, by_name)
  for _, name in ipairs(names_of(lt)) do
    local value = rawget(lt, name)
    if is_constant(value) then
      add(out, "---@type %s\nlt.%s = nil\n", type(value) == "userdata" and "lightuserdata" or type(value), name)
    elseif type(value) == "function" and not by_name[name] and alias_of(name, lt, by_name) then
      local other = alias_of(name, lt, by_name)
      add(out, "---The same as %s.\nlt[%q] = lt[%q]\n", other, name, other)
    end
  end
end

--- The annotations as text.
function annotate.luals()
  local docs, by_name = annotate.collect()
  local out = {
    "---@meta luatensor", "-- Made by `make annotations` from the sources' comments and the op table. Do not edit.", "",
  }
  add_class(out)
  add_methods(out, by_name)
  for _, class in ipairs(classes) do add_object_class(out, docs, class[1], class[2]) end
  add(out, "---@class luatensor\nlocal lt = {}\n")
  for _, name in ipairs(names_of(lt)) do
    if type(rawget(lt, name)) == "table" then add(out, "lt.%s = {}\n", name) end
  end
  for _, name in ipairs {"nn.functional", "nn.init", "nn.utils", "optim.scheduler"} do
    add(out, "lt.%s = {}\n", name)
  end
  add_functions(out, docs)
  add_rest(out, by_name)
  add(out, "return lt")
  return (table.concat(out, "\n"):gsub("[ \t]+\n", "\n")) .. "\n"
end

-- ---- writing: LDoc ------------------------------------------------------------------------------

-- A section per source file, the op table's kinds last.
local titles = {
  unary = "Element-wise, one operand", binary = "Element-wise, two operands", ternary = "Element-wise, three operands",
  quaternary = "Element-wise, four operands", reduction = "Reductions of the op table",
  alias = "Names from other libraries", limits = "Measured limits",
}

local function add_ldoc(out, doc)
  add(out, "--- %s", doc.text[1] or "")
  for i = 2, #doc.text do add(out, "-- %s", doc.text[i]) end
  add(out, "-- @function %s", doc.name)
  for _, param in ipairs(doc.params) do
    local kind = param.type:gsub("luatensor%.", "")
    add(out, "-- @tparam%s %s %s %s", param.optional and "[opt]" or "", kind, param.name, param.text)
  end
  for _, result in ipairs(doc.returns) do
    local kind = result.type:gsub("luatensor%.", "")
    add(out, "-- @treturn %s %s", kind, result.text)
  end
  add(out, "")
end

--- Input for ldoc: one module with all functions.
function annotate.ldoc()
  local out, section = {"--- Tensors for Lua.", "-- Functions whose first argument is a tensor are methods, too.",
    "-- @module luatensor", ""}, nil
  for _, doc in ipairs((annotate.collect())) do
    if doc.section ~= section then
      section = doc.section
      add(out, "--- %s", titles[section] or section:sub(1, 1):upper() .. section:sub(2))
      add(out, "-- @section %s\n", section)
    end
    add_ldoc(out, doc)
  end
  return table.concat(out, "\n") .. "\n"
end

-- ---- the script ---------------------------------------------------------------------------------

local function write(path, text)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end

if arg and arg[0] and arg[0]:find("annotate.lua$") then
  if arg[1] == "--missing" then
    for _, name in ipairs(annotate.missing()) do print(name) end
  elseif arg[1] == "--ldoc" then
    os.execute("mkdir -p build/ldoc")
    write("build/ldoc/luatensor.lua", annotate.ldoc())
  else
    os.execute("mkdir -p library")
    write("library/luatensor.lua", annotate.luals())
  end
end

return annotate
