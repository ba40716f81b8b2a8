-- Every public function, method and module refuses an argument more than the reference names, and takes as many.

local core = require "luatensor.core"
local lt = require "luatensor"
local public = require "spec.support.public"
local nn, optim, data = lt.nn, lt.optim, lt.data
local docs, doc_of, most_of = public.docs, public.doc_of, public.most_of

-- What f says to n arguments, of which only the last and, if given, the first are not nil.
local function said(f, n, first)
  local list = {n = n, [1] = first}
  list[n] = true
  local ok, message = pcall(f, table.unpack(list, 1, n))
  return ok and "nothing" or tostring(message)
end

-- A tensor where a doc's first parameter is one.
local function first_of(doc)
  local first = doc.params[1]
  return first and first.type:find("Tensor") and lt.ones(2, 2) or nil
end

local function is_refusal(message) return message:find("argument", 1, true) and message:find("got %d") ~= nil end

-- Functions of a table, by the docs named with a prefix: those that do not refuse.
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
      if most and not first_of(doc) then most = most + 1 end                               -- docs of methods only
      local message = most and said(core.methods[name], most + 1, lt.ones(2, 2))
      if message and not is_refusal(message) then
        list[#list + 1] = ("x:%s, %d arguments: %s"):format(name, most + 1, message)
      end
    end
    assert.same({}, list)
  end)
end)

-- ---- classes ----

-- Arguments with which a class makes an object; those that are not here take none.
local made_of = {
  Linear = {3, 4}, Embedding = {3, 4}, Threshold = {0, 1}, MultiheadAttention = {4, 2}, Unflatten = {1, {1}},
  Lambda = {print}, Conv1d = {1, 1, 1}, Conv2d = {1, 1, 1}, ConvTranspose1d = {1, 1, 1}, ConvTranspose2d = {1, 1, 1},
  LayerNorm = {2}, RMSNorm = {2}, GroupNorm = {1, 2}, BatchNorm1d = {2}, BatchNorm2d = {2}, BatchNorm3d = {2},
  InstanceNorm1d = {2}, InstanceNorm2d = {2}, InstanceNorm3d = {2}, LocalResponseNorm = {2}, MaxPool1d = {2},
  MaxPool2d = {2}, AvgPool1d = {2}, AvgPool2d = {2}, AdaptiveAvgPool1d = {2}, AdaptiveAvgPool2d = {2},
  AdaptiveMaxPool1d = {2}, AdaptiveMaxPool2d = {2}, RNN = {2, 3}, LSTM = {2, 3}, GRU = {2, 3}, RNNCell = {2, 3},
  LSTMCell = {2, 3}, GRUCell = {2, 3}, TransformerEncoderLayer = {4, 2}, TransformerDecoderLayer = {4, 2},
  TransformerEncoder = {nn.TransformerEncoderLayer(4, 2), 1}, TransformerDecoder = {nn.TransformerDecoderLayer(4, 2), 1},
  Sequential = {nn.ReLU()}, Residual = {nn.ReLU()},
}
-- Those whose calls take anything.
local takes_all = {Lambda = true, Identity = true, ModuleList = true, ModuleDict = true, ParameterList = true,
                   Module = true}

-- Classes of a table whose constructors do not refuse.
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

-- Methods by the docs' names, "Optimizer:step".
local function methods_taking_more(class, object)
  local list = {}
  for name, doc in pairs(docs) do
    local method = name:match("^" .. class .. ":(.+)$")
    local most = method and most_of(doc)
    if most and not method:find("^__") and method ~= "fail" and method ~= "forward" and method ~= "init" then
      local message = said(object[method], most + 2, object)         -- self is no parameter of the docs
      if not is_refusal(message) then list[#list + 1] = name .. ": " .. message end
    end
  end
  table.sort(list)
  return list
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
      local module = not takes_all[name] and nn[name](table.unpack(made_of[name] or {}))
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
    local parameters = {lt.ones(2, {requires_grad = true})}
    local optimizer = optim.SGD(parameters, {lr = 1})
    local rows = data.TensorDataset(lt.ones(2))
    for class, object in pairs {
      Module = nn.Linear(3, 4), Sequential = nn.Sequential(), ParameterList = nn.ParameterList(), Optimizer = optimizer,
      LBFGS = optim.LBFGS(parameters), GradScaler = optim.GradScaler(), Scheduler = optim.scheduler.StepLR(optimizer, 1),
      ReduceLROnPlateau = optim.scheduler.ReduceLROnPlateau(optimizer), Dataset = rows, Loader = data.Loader(rows),
      generator = lt.generator(), event = lt.event(),
    } do
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

describe("arguments that are nil", function()
  local x = lt.ones(2, 2)

  it("at the end do not count", function()
    assert.equal(4, lt.sum(x, nil, nil, nil):item())
    assert.equal(4, x:clone(nil).size)
    assert.equal(4, nn.ReLU()(x, nil).size)
    assert.equal(4, nn.functional.relu(x, nil).size)
  end)

  it("count where they push options or masks out of their places", function()
    local mask = lt.ones(3, 3, {dtype = "bool"}):triu(1)
    local attention, decoder = nn.MultiheadAttention(4, 2, {batch_first = true}), nn.TransformerDecoderLayer(4, 2)
    local q, scores, classes = lt.ones(2, 3, 4), lt.ones(2, 3), lt.tensor {1, 2}
    for words, call in pairs {
      ["sum: at most 3 arguments expected, got 4"] = function() x:sum(nil, nil, {keepdim = true}) end,
      ["softmax: at most 3 arguments expected, got 4"] = function() x:softmax(1, nil, {dtype = "float64"}) end,
      ["MultiheadAttention(4, 2): at most 4 arguments expected, got 5"] = function() attention(q, q, q, nil, mask) end,
      ["MultiheadAttention: options expected, got"] = function() attention(q, {need_weights = false}, nil, mask) end,
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
      ["diagonal: a tensor, offset and options expected, got 3 arguments"] = function() x:diagonal(1, 5) end,
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
