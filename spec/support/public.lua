-- Public functions, methods and classes with their documentation.

local annotate = dofile("tools/annotate.lua")
local core = require "luatensor.core"
local lt = require "luatensor"

local public = {}

local _, docs = annotate.collect()
public.docs = docs

--- The doc of a function of a table, or of another name for it; an in-place form has that of the function.
-- @string prefix of the docs' names: "nn."
-- @string name
-- @tab functions
function public.doc_of(prefix, name, functions)
  if docs[prefix .. name] then return docs[prefix .. name] end
  for other, f in next, functions do
    if type(other) == "string" and docs[prefix .. other] and rawequal(f, functions[name]) then
      return docs[prefix .. other]
    end
  end
  if name:find("_$") then return public.doc_of(prefix, name:sub(1, -2), functions) end
end

--- How many arguments a doc names; nil: any number.
function public.most_of(doc)
  for _, param in ipairs(doc.params) do
    if param.name == "..." then return nil end
  end
  return #doc.params
end

local function sorted_names(functions, is_one)
  local names = {}
  for name, value in next, functions do
    if type(name) == "string" and not name:find("^_") and is_one(value) then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

local function is_function(value) return type(value) == "function" end

local function is_class(value)
  local meta = type(value) == "table" and getmetatable(value)
  return meta and rawget(meta, "__call") ~= nil
end

--- Sorted names of the functions of a table, or of the classes.
function public.functions_of(functions) return sorted_names(functions, is_function) end
function public.classes_of(functions) return sorted_names(functions, is_class) end

--- Tables of public functions by the prefix of their names in docs.
public.libraries = {
  [""] = lt, ["linalg."] = lt.linalg, ["fft."] = lt.fft, ["cuda."] = lt.cuda, ["autograd."] = rawget(lt, "autograd"),
  ["nn."] = lt.nn, ["nn.init."] = lt.nn.init, ["nn.functional."] = lt.nn.functional, ["nn.utils."] = lt.nn.utils,
  ["optim."] = lt.optim, ["optim.scheduler."] = lt.optim.scheduler, ["data."] = lt.data, ["bench."] = lt.bench,
  ["advise."] = lt.advise, ["info."] = lt.info,
}

--- Methods that only tensors have: those of lt are among the libraries' functions.
function public.own_methods()
  local own = {}
  for name, f in next, core.methods do if not rawget(lt, name) then own[name] = f end end
  return own
end

return public
