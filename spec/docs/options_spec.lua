-- tags: texts
-- Tests that the options that a function's error lists ("known: …") are those of the reference.

local lt = require "luatensor"
local positions = require "luatensor.base.positions"
local public = require "spec.support.public"
local docs = public.docs

-- ---- the code ----

local x = lt.ones(2, 2)

-- Returns a value that fits the documented type of the parameter.
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

-- Arguments before the options, for functions whose parameter types do not suffice to make arguments.
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
  ["data.DistributedSampler"] = function() return {rows} end,
  ["nn.parallel.DataParallel"] = function() return {lt.nn.Linear(1, 1)} end,
  ["optim.Sharded"] = function() return {optimizer()} end,
  ["data.split"] = function() return {rows, {0.5, 0.5}} end,
  ["bench.compare"] = function() return {{{"a", tostring}, {"b", tostring}}} end,
  ["bench.crossover"] = function() return {tostring, {1, 2}} end,
}

-- Returns the set of option names that f's error lists for an unknown option after the first n arguments in `list`.
-- Returns nil if f takes no options.
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

-- Lists functions that differ from the reference: "name: the code knows …, the reference names …".
local function differences(prefix, functions, names)
  local list = {}
  for _, name in ipairs(names) do
    local doc = public.doc_of(prefix, name, functions)
    if doc and docs[prefix .. name] == doc then
      local known, named = list_of(known_by(prefix .. name, functions[name], doc)), list_of(public.options_of(doc))
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
      public.add_words(text:match "call:(.*)" or "", named)
      assert.equal(list_of(asked(call[1], table.move(call, 2, #call, 1, {}), #call - 1)), list_of(named), name)
    end
  end)
end)

-- ---- options that are given by position ----

-- Options of many functions. These options can only be given by name, not by position.
local common = {dtype = true, device = true, generator = true, requires_grad = true, out = true}

-- Functions that other libraries lack, or whose options are tables or have no position in other libraries.
local without_places = {
  advise = true, chunk = true, clip = true, diff = true, event = true, grad = true, value_and_grad = true, kernel = true,
  ["data.split"] = true, to = true, to_dlpack = true, from_dlpack = true, reshape = true, tril = true, triu = true,
  ["nn.autocast"] = true, compile = true, ["data.DistributedSampler"] = true, ["nn.parallel.DataParallel"] = true,
  ["optim.Sharded"] = true,
}

-- Calls visit(prefix, name, the options that it accepts, doc) for each function and class that has its own doc and
-- options.
local function each_known(visit)
  for prefix, functions in pairs(public.libraries) do
    for _, list in ipairs {public.functions_of(functions), public.classes_of(functions)} do
      for _, name in ipairs(list) do
        local doc = docs[prefix .. name]
        local known = doc and public.doc_of(prefix, name, functions) == doc and known_by(prefix .. name, functions[name], doc)
        if known and next(known) then visit(prefix, name, known, doc) end
      end
    end
  end
end

-- Returns an option of the function, or nil if there is none. The options in the table `common`, and options with the
-- name of a positional parameter, are left out.
local function own_option(known, doc)
  local taken = {}
  for _, param in ipairs(doc.params) do taken[param.name] = true end
  for name in pairs(known) do if not common[name] and not taken[name] then return name end end
end

-- Returns functions that each_known does not find: by name, the function, its first arguments, and their number.
local function calls_of_methods()
  local layer = lt.nn.Linear(1, 1)
  return {
    load_state_dict = {layer.load_state_dict, {layer, layer:state_dict()}, 2},
    register_buffer = {layer.register_buffer, {layer, "a", x}, 3}, zero_grad = {optimizer().zero_grad, {optimizer()}, 1},
    from_pretrained = {lt.nn.Embedding.from_pretrained, {x}, 1}, backward = {x.backward, {x:sum(), nil}, 2},
    tensor = {lt.tensor, {1}, 1},
  }
end

describe("options that are given by position", function()
  it("have the names that the functions know", function()
    local known_of, unknown = {}, {}
    -- Functions with one name share an entry: gelu, for example, is lt.gelu and nn.functional.gelu.
    each_known(function(prefix, name, known)
      local fn = prefix == "autograd." and prefix .. name or name
      known_of[fn] = known_of[fn] or {}
      for option in pairs(known) do known_of[fn][option] = true end
    end)
    for fn, call in pairs(calls_of_methods()) do known_of[fn] = asked(table.unpack(call)) end
    for fn, options in pairs(positions.options) do
      assert.truthy(known_of[fn], fn .. " is nowhere")
      for _, option in ipairs(options) do
        if not known_of[fn][option:match "^[%w_]+"] then unknown[#unknown + 1] = fn .. ": " .. option end
      end
    end
    assert.same({}, unknown)
  end)

  it("have places in all functions that other libraries have, too", function()
    local missing = {}
    each_known(function(prefix, name, known, doc)
      local fn = prefix == "autograd." and prefix .. name or name
      for _, library in ipairs {"bench", "advise", "info", "plot", "distributed"} do if prefix:find(library) then return end end
      if without_places[prefix .. name] then return end
      local option = own_option(known, doc)
      if option and not positions.options[fn] then missing[#missing + 1] = prefix .. name .. ": " .. option end
    end)
    assert.same({}, missing)
  end)

  local writes_files = {save = true, write_csv = true}

  it("are told their names, or what is known", function()
    local silent = {}
    each_known(function(prefix, name, _, doc)
      for _, value in ipairs(writes_files[name] and {} or {1.5, true, "x", x}) do
        local list = given[prefix .. name] and given[prefix .. name]() or nil
        if not list and doc.params[1] and doc.params[1].name ~= "options" then
          list = {name:find "^[A-Z]" and prefix:find "optim" and optimizer() or sample(doc.params[1])}
        end
        list = list or {}
        list[#list + 1] = value
        local ok, message = pcall(public.libraries[prefix][name], table.unpack(list))
        if not ok and tostring(message):find ": options expected, got %a+$" and not message:find ": argument 2: " then silent[#silent + 1] = message end
      end
    end)
    assert.same({}, silent)
  end)

  it("are told so after sizes", function()
    for words, call in pairs {
      ['zeros: options expected after a table of sizes, got string; options have names: {dtype = "float32"}'] =
        function() lt.zeros({2, 3}, "float32") end,
      ['ones: size: number expected, got string; options have names: {dtype = "float64"}'] =
        function() lt.ones(2, 3, "float64") end,
      ['arange: 1 to 3 numbers expected, got 4; options have names: {dtype = "float32"}'] =
        function() lt.arange(0, 3, 1, "float32") end,
      ['full: shape and value expected: lt.full({2, 3}, 7); got 3 arguments; options have names: {dtype = "float32"}'] =
        function() lt.full({2}, 1, "float32") end,
      ["linspace: start, stop and n expected, got 4 arguments; options have names: {endpoint = false}"] =
        function() lt.linspace(0, 1, 5, false) end,
      ["OneCycleLR: options expected, got number; options have names: {total_steps = 100}"] =
        function() lt.optim.scheduler.OneCycleLR(optimizer(), 0.1, 100) end,
      ['kaiming_normal_: at most 2 arguments expected, got 3; options have names: {a = 0, mode = "fan_in"}'] =
        function() lt.nn.init.kaiming_normal_(x, 0, "fan_in") end,
      ["layer_norm: at most 3 arguments expected, got 5; options have names: {weight = …, bias = …, eps = 1e-05}"] =
        function() lt.nn.functional.layer_norm(x, {2}, x, x, 1e-5) end,
      ["Dropout: options expected, got boolean; known: generator, p"] = function() lt.nn.Dropout(0.5, true) end,
    } do
      local ok, message = pcall(call)
      assert.is_false(ok, words)
      assert.equal(words, (message:gsub("^[^ ]* ", "")))
    end
  end)
end)
