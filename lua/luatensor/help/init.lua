--- Implements lt.help, which shows entries of the reference at the prompt.

local core = require "luatensor.core"
local lt = require "luatensor"
local arity = require "luatensor.base.arity"
local foreign = require "luatensor.base.foreign_names"
local names = require "luatensor.base.names"
local page = require "luatensor.help.page"
local topics = require "luatensor.help.topics"

local help = {}

local MOST <const> = 20         -- the largest number of lines in the list of a search's results

local USAGE <const> = 'give a name, a function or words: lt.help "conv2d", lt.help(lt.rand), ' ..
                      'lt.help "standard deviation"'

-- ---- values -------------------------------------------------------------------------------------

-- Calls visit(table, prefix) for each public table of functions and for each class. Scripts write the prefix before
-- the names in the table, such as "nn." or "nn.Linear:". Modules that no script has named yet are not loaded.
local function each_library(visit)
  local function look(library, prefix)
    visit(library, prefix)
    for name, value in next, library do
      local meta = type(value) == "table" and getmetatable(value)
      if type(meta) == "table" and type(name) == "string" and not name:find "^_" and not core.internals[name] then
        if meta.__name == "library" then look(value, prefix .. name .. ".")
        elseif prefix == "nn." or prefix:find "^optim" then visit(value, prefix .. name .. ":") end
      end
    end
  end
  look(lt, "")
  visit(core.methods, "Tensor:")
end

-- Finds the topic of a name. A method of a class may be listed under the base class: Module, Optimizer or Scheduler.
local function find_topic(name)
  local topic, same = topics.find(name)
  if topic or not name:find ":" then return topic, same end
  local method = name:match ":(.*)$"
  for _, class in ipairs {"Module", "Optimizer", "Scheduler"} do
    topic, same = topics.find(("%s:%s"):format(class, method))
    if topic then return topic, same end
  end
end

-- Returns the public names of a function, a class or a table of functions.
local function names_of(value)
  local found = {}
  each_library(function(library, prefix)
    if rawequal(library, value) and prefix:find "%.?$" and not prefix:find ":$" then
      found[#found + 1] = prefix == "" and "luatensor" or prefix:sub(1, -2)
    end
    for name, each in next, library do
      if rawequal(each, value) and type(name) == "string" then found[#found + 1] = prefix .. name end
    end
  end)
  return found
end

-- Finds the topic of a value. If the value has several names, the function prefers a name that is not an alias.
local function find_value(value)
  local topic, same
  for _, name in ipairs(names_of(value)) do
    local each, others = find_topic(name)
    if each then
      local _, other = topics.doc_of(each)
      if not topic or not other then topic, same = each, others end
      if not other then break end
    end
  end
  return topic, same
end

-- ---- answers ------------------------------------------------------------------------------------

local function list_inside(name)
  local list = topics.inside(name)
  if #list == 0 then return nil end
  local shown = name == "luatensor" and "lt" or name
  return page.list(list, ("%s has %d names, which lt.help explains:"):format(shown, #list))
end

local objects = {
  module = 'this is a module; lt.help "nn.%s" shows its class, lt.help "Module" lists the methods of all modules',
  tensor = 'this is a tensor; lt.help "Tensor" lists the methods and properties of tensors',
}

-- Returns a sentence about a value without a public name.
local function describe(value)
  local kind = core.type_name(value)
  if objects[kind] then return objects[kind]:format(type(value) == "table" and value.class_name or "") end
  if type(value) == "function" then return "this function is none of luatensor's, so there is no help for it" end
  return ("there is no help for a value of type %s; give a name or a function: lt.help \"conv2d\""):format(kind)
end

-- Returns the page of a topic. The page of a class also lists its methods. "Tensor" means the class, not the function
-- lt.tensor.
local function show(name, topic, same)
  local class = topic.name:match "%u[%w]*$"
  if name == "Tensor" then return list_inside(name) end
  local methods = class and list_inside(class)
  return page.topic(topic, same) .. (methods and "\n\n" .. methods or "")
end

local function answer_value(value)
  local topic, same = find_value(value)
  if topic then return show(nil, topic, same) end
  local name = type(value) == "table" and names_of(value)[1]
  local inside = name and list_inside(name)
  if inside then return inside end
  return nil, describe(value)
end

-- Returns the set of the last parts of all names, such as "Linear" of "nn.Linear". lt.help accepts these as well.
local function last_parts()
  local known = {}
  for _, topic in ipairs(topics.index()) do known[topic.name:match "[^.:]+$"] = true end
  return known
end

-- Returns a sentence about an unknown name, with a suggestion if there is a similar name.
local function suggest(name)
  local prefix, last = name:gsub("^lt%.", ""):match "^(.-)([%w_]+)$"
  local kind = prefix == "" and foreign.find("", last) == nil and "tensor" or prefix
  local cure = last and names.help(kind, last, last_parts()) or ""
  return ('luatensor has no "%s"%s'):format(name, cure)
end

local function answer_name(name)
  if not name:find "%S" then return nil, USAGE end
  local topic, same = topics.find(name)
  if topic then return show(name, topic, same) end
  local inside = list_inside(name)
  if inside then return inside end
  if #same > 1 then return page.list(same, ("%d names end in %q:"):format(#same, name)) end
  local known = foreign.find("", name) or foreign.find("tensor", name)
  local found = not known and topics.search(name) or {}
  if #found == 1 then return page.topic(found[1], found) end
  if #found > 1 then return page.list(found, ("%d names whose help has %q:"):format(#found, name), MOST) end
  if name:find "%S%s+%S" then return nil, ("no help has all words of %q; try fewer"):format(name) end
  return nil, suggest(name)
end

--- Finds the help for a name, a function, a class, a table, or words to search for.
-- @param subject
-- @treturn string|nil text, or nil if there is none
-- @treturn string if there is no text, the reason in one sentence
function help.find(subject)
  local index, reason = topics.index()
  if not index then return nil, reason end
  if subject == nil then return nil, USAGE end
  if type(subject) == "string" then return answer_name(subject) end
  return answer_value(subject)
end

--- Prints the reference's entry for a name: the calls, the options with their defaults, the results, and an example.
-- Other words are searched for in all names and texts. If there is no help, lt.help raises no error, but prints one
-- sentence that says so.
-- @function help
-- @param[opt] subject a name ("conv2d", "nn.Linear", "x:sum"), a function, a class, a table of functions, or words
function help.help(subject)
  local text, problem = help.find(subject)
  print(text or "help: " .. problem)
end
help.help = arity.bounded("help", help.help)

return help
