-- The names of options that a function accepts, its error's "known: …" and the reference are the same.
--
-- In a doc the names are the words in backticks of the parameter `options`, and those after "option" in the text of
-- other parameters ("also option `dim`"); "those of nn.RNN but `nonlinearity`" stands for that doc's without one.

local lt = require "luatensor"
local public = require "spec.support.public"
local docs = public.docs

-- ---- the reference ----

local function add_words(text, names)
  for name in text:gmatch "`([%a_][%w_]*)`" do names[name] = true end
end

local named_by

-- The options of docs that a text refers to: "those of nn.RNN but `nonlinearity`".
local function add_others(text, names)
  for other, rest in text:gmatch "those of ([%w_.:]+)(.*)" do
    local doc = docs[(other:gsub("%.$", ""):gsub("^lt%.", ""))]
    if doc then for name in pairs(named_by(doc)) do names[name] = true end end
    local without = rest:match "^ but `([%w_]+)`"
    if without then names[without] = nil end
  end
end

function named_by(doc)
  local names = {}
  for _, param in ipairs(doc.params) do
    if param.name == "options" then
      add_words(param.text, names)
      add_others(param.text, names)
    else
      for list in param.text:gmatch "option (`[^;.]*)" do add_words(list, names) end
    end
  end
  return names
end

-- ---- the code ----

local x = lt.ones(2, 2)

-- A value for a parameter, by its type.
local function sample(param)
  if param.type:find "Tensor" then return x end
  if param.type:find "integer" or param.type:find "number" then return 1 end
  if param.type:find "function" then return function() end end
  if param.type:find "string" then return "float32" end
  return {1, 1}
end

local function parameters() return {lt.ones(2, {requires_grad = true})} end
local function optimizer() return lt.optim.SGD(parameters(), {lr = 1}) end
local rows = lt.data.TensorDataset(lt.ones(4))

-- Arguments before the options where the types do not say enough.
local given = {
  ["reshape"] = function() return {x, 4} end,
  ["from_bytes"] = function() return {"1234", {1}} end,
  ["randint"] = function() return {1, 2, 3} end,
  ["kernel"] = function() return {"__global__ void f(float *x) {}", "f"} end,
  ["from_dlpack"] = function() return {x:to("cpu"):to_dlpack()} end,
  ["autograd.grad"] = function() return {x, x} end,
  ["nn.init.dirac_"] = function() return {lt.ones(2, 2, 2)} end,
  ["nn.functional.embedding"] = function() return {lt.tensor {1}, x} end,
  ["optim.scheduler.OneCycleLR"] = function() return {optimizer(), 1} end,
  ["optim.scheduler.CyclicLR"] = function() return {optimizer(), 1, 2} end,
  ["nn.GroupNorm"] = function() return {1, 2} end,
  ["nn.MultiheadAttention"] = function() return {4, 2} end,
  ["nn.TransformerEncoder"] = function() return {lt.nn.TransformerEncoderLayer(4, 2), 1} end,
  ["nn.TransformerDecoder"] = function() return {lt.nn.TransformerDecoderLayer(4, 2), 1} end,
  ["nn.Embedding.from_pretrained"] = function() return {x} end,
  ["data.Loader"] = function() return {rows} end,
  ["data.split"] = function() return {rows, {0.5, 0.5}} end,
  ["bench.compare"] = function() return {{{"a", tostring}, {"b", tostring}}} end,
  ["bench.crossover"] = function() return {tostring, {1, 2}} end,
}

-- The names that f says to know, asked with a name that it cannot know; nil: it knows no options.
local function asked(f, list, n)
  list = table.move(list, 1, n, 1, {})
  list[n + 1] = {no_such_option = true}
  local ok, message = pcall(f, table.unpack(list, 1, n + 1))
  local known = not ok and tostring(message):match 'unknown option "no_such_option"; known: ([%w_, ]*)'
  if not known then return nil end
  local names = {}
  for name in known:gmatch "[%w_]+" do names[name] = true end
  return names
end

local function known_by(name, f, doc)
  local list, n = {}, 0
  for _, param in ipairs(doc.params) do
    if param.name == "options" then break end
    if param.name ~= "..." then
      n = n + 1
      list[n] = sample(param)
    end
  end
  if name:find "^optim%." then list[1] = name:find "scheduler" and optimizer() or parameters() end
  list = given[name] and given[name]() or list
  n = given[name] and #list or n
  for k = n, 0, -1 do
    local names = asked(f, list, k)
    if names then return names end
  end
  return {}
end

local function list_of(names)
  local list = {}
  for name in pairs(names) do list[#list + 1] = name end
  table.sort(list)
  return table.concat(list, ", ")
end

-- "name: the code knows …, the reference names …" of functions where they differ.
local function differences(prefix, functions, names)
  local list = {}
  for _, name in ipairs(names) do
    local doc = public.doc_of(prefix, name, functions)
    if doc and docs[prefix .. name] == doc then
      local known, named = list_of(known_by(prefix .. name, functions[name], doc)), list_of(named_by(doc))
      if known ~= named then
        list[#list + 1] = ("%s%s: the code knows [%s], the reference names [%s]"):format(prefix, name, known, named)
      end
    end
  end
  return list
end

describe("options", function()
  for prefix, functions in pairs(public.libraries) do
    it("of " .. (prefix == "" and "lt." or prefix) .. " are those of the reference", function()
      assert.same({}, differences(prefix, functions, public.functions_of(functions)))
    end)

    if next(public.classes_of(functions)) then
      it("of classes of " .. prefix .. " are those of the reference", function()
        assert.same({}, differences(prefix, functions, public.classes_of(functions)))
      end)
    end
  end

  it("of tensors' methods are those of the reference", function()
    local own = public.own_methods()
    local methods = {}
    for name, f in pairs(own) do
      methods[name] = function(...)
        local first = docs[name] and docs[name].params[1]
        if first and first.type:find "Tensor" then return f(...) end
        return f(lt.ones(2, 2), ...)
      end
    end
    assert.same({}, differences("", methods, public.functions_of(methods)))
  end)

  it("of calls of modules are those of the class's text", function()
    local q, nn = lt.ones(3, 1, 4), lt.nn
    for name, call in pairs {
      MultiheadAttention = {nn.MultiheadAttention(4, 2), q}, TransformerEncoderLayer = {nn.TransformerEncoderLayer(4, 2), q},
      TransformerDecoderLayer = {nn.TransformerDecoderLayer(4, 2), q, q},
      TransformerEncoder = {nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2), 1), q},
    } do
      local named, text = {}, table.concat(docs["nn." .. name].text, " ")
      for key in text:gmatch "([%w_]+) =[,}]" do named[key] = true end
      add_words(text:match "call:(.*)" or "", named)
      assert.equal(list_of(asked(call[1], table.move(call, 2, #call, 1, {}), #call - 1)), list_of(named), name)
    end
  end)
end)
