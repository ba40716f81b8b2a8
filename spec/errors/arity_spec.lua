-- tags: texts
-- Every public function, method and module accepts as many arguments as the reference names, and refuses one more.

local core = require "luatensor.core"
local lt = require "luatensor"
local public = require "spec.support.public"
local nn, optim, data = lt.nn, lt.optim, lt.data
local docs, doc_of, most_of = public.docs, public.doc_of, public.most_of

-- Returns the error of f for n arguments, all nil except the last one and, if given, the first one. Returns "nothing"
-- if f raises no error.
local function said(f, n, first)
  local list = {n = n, [1] = first}
  list[n] = true
  local ok, message = pcall(f, table.unpack(list, 1, n))
  return ok and "nothing" or tostring(message)
end

-- Returns a tensor if the first parameter of a doc is a tensor, else nil.
local function first_of(doc)
  local first = doc.params[1]
  return first and first.type:find("Tensor") and lt.ones(2, 2) or nil
end

local function is_refusal(message) return message:find("argument", 1, true) and message:find("got %d") ~= nil end

-- Returns the functions of a table that do not refuse a surplus argument. `prefix` precedes their names in the docs.
local function taking_more(prefix, functions)
  local list = {}
  for _, name in ipairs(public.functions_of(functions)) do
    local doc = doc_of(prefix, name, functions)
    if not doc then error("no documentation of " .. prefix .. name) end
    local most = most_of(doc)
    local message = most and said(functions[name], most + 1, first_of(doc))
    if message and not is_refusal(message) then
      list[#list + 1] = ("%s%s, %d arguments: %s"):format(prefix, name, most + 1, message)
    end
  end
  return list
end

describe("surplus arguments", function()
  for prefix, functions in pairs(public.libraries) do
    it("are errors of " .. (prefix == "" and "lt." or prefix), function()
      assert.same({}, taking_more(prefix, functions))
    end)
  end

  it("are errors of tensors' methods", function()
    local list = {}
    for _, name in ipairs(public.functions_of(core.methods)) do
      local doc = doc_of("", name, core.methods)
      if not doc then error("no documentation of x:" .. name) end
      local most = most_of(doc)
      -- the docs of methods omit self
      if most and not first_of(doc) then most = most + 1 end
      local message = most and said(core.methods[name], most + 1, lt.ones(2, 2))
      if message and not is_refusal(message) then
        list[#list + 1] = ("x:%s, %d arguments: %s"):format(name, most + 1, message)
      end
    end
    assert.same({}, list)
  end)
end)

-- ---- classes ----

-- Returns the classes of a table whose constructors do not refuse a surplus argument.
local function constructors_taking_more(prefix, functions)
  local list = {}
  for _, name in ipairs(public.classes_of(functions)) do
    local doc = docs[prefix .. name]
    local most = doc and most_of(doc)
    local message = most and said(functions[name], most + 1)
    if message and not is_refusal(message) then list[#list + 1] = prefix .. name .. ": " .. message end
  end
  return list
end

local not_called = {fail = true, init = true, forward = true, extra = true}  -- scripts do not call these methods

-- Returns the methods that do not refuse a surplus argument, by their names in the docs, such as "Optimizer:step".
local function methods_taking_more(class, object)
  local list = {}
  for name, doc in pairs(docs) do
    local method = name:match("^" .. class .. ":(.+)$")
    local most = method and most_of(doc)
    if most and not method:find("^__") and not not_called[method] then
      local message = said(object[method], most + 2, object)         -- the docs do not count self
      if not is_refusal(message) then list[#list + 1] = name .. ": " .. message end
    end
  end
  table.sort(list)
  return list
end

-- Returns a table from the name of each class with documented methods to an object of this class.
local function objects()
  local parameters = {lt.ones(2, {requires_grad = true})}
  local optimizer, rows = optim.SGD(parameters, {lr = 1}), data.TensorDataset(lt.ones(2))
  return {
    Module = nn.Linear(3, 4), HookHandle = nn.ReLU():register_forward_hook(print),
    Progress = lt.train.progress(1), EarlyStopping = lt.train.EarlyStopping(),
    ConfusionMatrix = nn.metrics.ConfusionMatrix(2), Collector = nn.metrics.Collector(), Sequential = nn.Sequential(),
    ParameterList = nn.ParameterList(), Optimizer = optimizer,
    LBFGS = optim.LBFGS(parameters), GradScaler = optim.GradScaler(), Scheduler = optim.scheduler.StepLR(optimizer, 1),
    ReduceLROnPlateau = optim.scheduler.ReduceLROnPlateau(optimizer), Dataset = rows, Loader = data.Loader(rows),
    generator = lt.generator(), event = lt.event(),
  }
end

describe("surplus arguments of classes", function()
  for prefix, functions in pairs {["nn."] = nn, ["optim."] = optim, ["optim.scheduler."] = optim.scheduler,
                                  ["data."] = data} do
    it("are errors of constructors of " .. prefix, function()
      assert.same({}, constructors_taking_more(prefix, functions))
    end)
  end

  it("are errors of calls of modules, and of their forward", function()
    local list = {}
    for _, name in ipairs(public.classes_of(nn)) do
      local module = public.make_module(name)
      if module then
        for _, call in ipairs {module, function(...) return module:forward(...) end} do
          local message = said(call, 9)
          if not is_refusal(message) then list[#list + 1] = name .. ": " .. message end
        end
      end
    end
    assert.same({}, list)
  end)

  it("are errors of methods", function()
    for class, object in pairs(objects()) do
      assert.same({}, methods_taking_more(class, object))
    end
  end)

  it("do not touch classes of scripts", function()
    local Sum = nn.Linear:extend "Sum"
    function Sum:forward(x, y) return nn.Linear.forward(self, x + y) end
    local layer, x = Sum(2, 2), lt.ones(1, 2)
    assert.equal(2, layer(x, x).size)
    local plain = nn.Linear:extend "Plain" (2, 2)
    assert.error_matches(function() plain(x, x) end, "Plain%(2, 2%): at most 1 argument expected, got 2")
  end)
end)

-- Returns lists of arguments that some functions accept. The lists are made anew at each call.
local function lists_of_arguments()
  local x, mask, places = lt.ones(2, 2), lt.ones(2, 2, {dtype = "bool"}), lt.ones(2, 2, {dtype = "int64"})
  local line = lt.ones(4)
  return {
    {x}, {x, x}, {x, x, x}, {x, 1}, {x, 4}, {x, 0.5}, {x, {1, 1}}, {x, 1, 1}, {x, 2, 2}, {x, 2, 1}, {x, x, 1},
    {x, 1, places, x}, {x, mask, 1}, {x, "float64"}, {line}, {line, line}, {line, 1}, {line, 2, 1}, {2}, {2, 3},
    {1, 2, 3}, {1, 2, {2}}, {{2, 2}}, {{2, 2}, 1}, {{x}}, {{x, x}}, {function() end}, {"x"}, {"float32", "float64"},
    {lt.ones(2, {requires_grad = true})}, {places, x}, {{2, 2}, {dtype = "float64"}}, {x, {dtype = "float64"}},
  }
end

-- Functions that are not tried. Some measure, print or change the state of the library. Some take a list of any length,
-- in which nil stands for a missing tensor. In the rest, nil is the first of several sizes.
local untried_tables = {["bench."] = true, ["advise."] = true, ["info."] = true}
local untried = {
  save = true, set_default_dtype = true, set_default_device = true, set_num_threads = true, set_memory_limit = true,
  set_printoptions = true, limits = true, accelerator = true, profile = true, result_type = true,
  broadcast_arrays = true, broadcast_tensors = true, broadcast_shapes = true, to = true, normal = true, uniform = true,
  randint = true,
}

-- Returns the error of a function for the arguments of list i, followed by n nils. Returns nil if the function
-- accepts these arguments.
local function said_to_nils(f, i, n)
  local list = lists_of_arguments()[i]
  local ok, message = pcall(f, table.unpack(list, 1, #list + n))
  return not ok and ("%d nils: %s"):format(n, message) or nil
end

describe("arguments that are nil", function()
  local x = lt.ones(2, 2)

  it("at the end do not count", function()
    assert.equal(4, lt.sum(x, nil, nil, nil):item())
    assert.equal(4, x:clone(nil).size)
    assert.equal(4, nn.ReLU()(x, nil).size)
    assert.equal(4, nn.functional.relu(x, nil).size)
  end)

  it("at the end are taken by every function that takes the arguments before them", function()
    local refusing, calls = {}, 0
    local function try(name, f)
      for i, list in ipairs(lists_of_arguments()) do
        if pcall(f, table.unpack(list)) then
          calls = calls + 1
          local message = said_to_nils(f, i, 1) or said_to_nils(f, i, 7)
          if message then refusing[#refusing + 1] = name .. ", " .. message end
        end
      end
    end
    for prefix, functions in pairs(public.libraries) do
      for _, name in ipairs(untried_tables[prefix] and {} or public.functions_of(functions)) do
        if not untried[name] then try(prefix .. name, functions[name]) end
      end
    end
    for name, f in pairs(public.own_methods()) do try("x:" .. name, f) end
    assert.same({}, refusing)
    assert.truthy(calls > 1500, calls)
  end)

  it("are errors in the place of a needed argument, and of the first of several", function()
    for words, call in pairs {
      ["zeros: size: number expected, got nil"] = function() lt.zeros(nil) end,
      ["reshape: size: number expected, got nil"] = function() x:reshape(nil) end,
      ["broadcast_to: size: number expected, got nil"] = function() x:expand(nil) end,
      ["permute_dims: dim: number expected, got nil"] = function() x:permute(nil) end,
      ["to: name of a dtype or device expected, got nil"] = function() x:to(nil) end,
      ["add: argument 2: tensor or number expected, got nil"] = function() x:add(nil) end,
      ["matmul: argument 2: a value expected, got nil"] = function() x:matmul(nil) end,
      ["full: argument 2: a value expected, got nil"] = function() lt.full({2}, nil) end,
      ["broadcast_arrays: argument 2: tensor expected, got nil"] = function() lt.broadcast_arrays(x, nil) end,
      ["Sequential: argument 2: module expected, got nil"] = function() nn.Sequential(nn.ReLU(), nil) end,
      ["zeros: size: number expected, got nil "] = function() lt.zeros(nil, {dtype = "float64"}) end,
    } do
      local ok, message = pcall(call)
      assert.is_false(ok, words)
      assert.truthy(message:find(words:gsub(" $", ""), 1, true), message)
    end
  end)

  it("count where they push options or masks out of their places", function()
    local mask = lt.ones(3, 3, {dtype = "bool"}):triu(1)
    local attention, decoder = nn.MultiheadAttention(4, 2, {batch_first = true}), nn.TransformerDecoderLayer(4, 2)
    local q, scores, classes = lt.ones(2, 3, 4), lt.ones(2, 3), lt.tensor {1, 2}
    for words, call in pairs {
      ["sum: at most 2 arguments expected, got 3"] = function() x:sum(nil, nil, {keepdim = true}) end,
      ["softmax: at most 2 arguments expected, got 3"] = function() x:softmax(1, nil, {dtype = "float64"}) end,
      ["MultiheadAttention(4, 2): at most 4 arguments expected, got 5"] = function() attention(q, q, q, nil, mask) end,
      ["MultiheadAttention(4, 2): options expected, got"] = function() attention(q, {need_weights = false}, nil, mask) end,
      ["TransformerDecoderLayer(): at most 3 arguments expected, got 4"] = function() decoder(q, q, nil, mask) end,
      ["cross_entropy: at most 3 arguments expected, got 4"] = function()
        nn.functional.cross_entropy(scores, classes, nil, {label_smoothing = 1})
      end,
      ["Linear: at most 3 arguments expected, got 4"] = function() nn.Linear(3, 4, nil, {bias = false}) end,
      ["SGD: at most 2 arguments expected, got 3"] = function() optim.SGD({}, nil, {lr = 1}) end,
    } do
      local ok, message = pcall(call)
      assert.is_false(ok, words)
      assert.truthy(message:find(words, 1, true), message)
      assert.truthy(message:find("arity_spec.lua:%d+: "), message)
    end
  end)
end)

describe("places of arguments", function()
  local x = lt.ones(2, 2)

  it("are of one value each", function()
    for words, call in pairs {
      ["vecdot: dim is given twice"] = function() lt.vecdot(x, x, 2, {dim = 1}) end,
      ["diagonal: offset is given twice"] = function() x:diagonal(1, {offset = 1}) end,
      ["diagonal: at most 1 argument and options expected, got 2"] = function() x:diagonal(1, 5) end,
      ["to_dlpack: argument 2: options expected, got number"] = function() x:to_dlpack(5) end,
      ["from_dlpack: argument 2: options expected, got number"] = function() lt.from_dlpack(x, 5) end,
      ['to: a dtype and a device expected, got "float32" and "float64"'] = function() x:to("float32", "float64") end,
      ["allclose: at most 4 arguments and options expected, got 5"] = function() lt.allclose(x, x, 1, 1, 1) end,
      ['allclose: unknown option "out"'] = function() lt.allclose(x, x, {out = x}) end,
    } do
      local ok, message = pcall(call)
      assert.is_false(ok, words)
      assert.truthy(message:find(words, 1, true), message)
    end
    assert.is_true(lt.allclose(x, x + 0.5, 0, 1))
    assert.is_true(lt.allclose(x, x + 0.5, {atol = 1}))
    assert.is_false(lt.allclose(x, x + 0.5))
  end)
end)

describe("a method that is called with a dot", function()
  it("asks for the colon, whatever the method", function()
    local silent = {}
    for name, f in pairs(core.methods) do
      -- the list {2} is left out, because many functions also take numbers
      for _, list in ipairs {{}, {"float64"}} do
        local ok, message = pcall(f, table.unpack(list))
        if not ok and not message:find("; is there a colon? x:", 1, true) and name ~= "bernoulli" then
          silent[#silent + 1] = message
        end
      end
    end
    assert.same({}, silent)
    assert.matches("^bernoulli: argument 1: tensor expected, got no value; is there a colon", select(2, pcall(lt.bernoulli)))
  end)

  it("asks for the colon of other objects, too", function()
    local calls = 0
    for class, object in pairs(objects()) do
      for key in pairs(docs) do
        local name = key:match("^" .. class .. ":(%a[%w_]*)$")
        for _, list in ipairs(name and not not_called[name] and {{}, {1}} or {}) do
          local ok, message = pcall(object[name], table.unpack(list))
          assert.is_false(ok, key)
          assert.truthy(message:find "colon", message)
          calls = calls + 1
        end
      end
    end
    assert.truthy(calls > 60, calls)
  end)
end)

-- ---- objects instead of tensors and options ----

describe("an object of another class", function()
  local optimizer = optim.SGD({lt.ones(2, {requires_grad = true})}, {lr = 1})
  local rows = data.TensorDataset(lt.ones(4))
  local kinds = {
    module = {nn.Linear(2, 2), nn.Sequential(nn.ReLU())}, optimizer = {optimizer}, loader = {data.Loader(rows)},
    scheduler = {optim.scheduler.StepLR(optimizer, 1), optim.scheduler.ReduceLROnPlateau(optimizer)},
    ["data set"] = {rows, data.Subset(rows, {1})}, class = {nn.Linear, optim.SGD, data.Loader}, library = {nn, lt},
    ["gradient scaler"] = {optim.GradScaler()},
  }

  it("has a name of its own in errors", function()
    for kind, list in pairs(kinds) do
      for _, object in ipairs(list) do
        local message = select(2, pcall(lt.sum, object))
        assert.truthy(message == "sum: argument 1: tensor expected, got " .. kind or object == lt and message:find "write lt.sum")
        message = select(2, pcall(nn.functional.mse_loss, lt.ones(2), lt.ones(2), object))
        assert.truthy(message:find("options expected, got " .. kind, 1, true), message)
      end
    end
  end)

  it("is not taken for options, a list, or data", function()
    local x, wrong = lt.ones(2, 2), {}
    for prefix, functions in pairs(public.libraries) do
      local names = untried_tables[prefix] and {} or public.functions_of(functions)
      for _, name in ipairs(not untried_tables[prefix] and public.classes_of(functions) or {}) do names[#names + 1] = name end
      for _, name in ipairs(names) do
        for _, list in pairs(untried[name] and {} or kinds) do
          for _, object in ipairs(list) do
            for _, values in ipairs {{object}, {x, object}, {x, x, object}, {{2, 2}, object}, {2, object}, {x, 1, object}} do
              local ok, message = pcall(functions[name], table.unpack(values))
              message = not ok and tostring(message) or ""
              if message:find 'unknown option "' or message:find ' key "' or message:find "luatensor[/\\][%w_/]+%.lua:" then
                wrong[#wrong + 1] = prefix .. name .. ": " .. message
              end
            end
          end
        end
      end
    end
    assert.same({}, wrong)
  end)
end)
