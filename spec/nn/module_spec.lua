-- Tests modules: fields, names, modes, state, devices, and the errors for misuse.
local lt = require "luatensor"
local nn = require "luatensor.nn"
local helpers = require "spec.support.helpers"
local public = require "spec.support.public"

local device = helpers.device

local function names(iterator)
  local list = {}
  for name in iterator do list[#list + 1] = name end
  return list
end

local function keys(t)
  local list = {}
  for key in pairs(t) do list[#list + 1] = key end
  table.sort(list)
  return list
end

local function parameter(...) return lt.rand(...):requires_grad_() end

local function mlp() return nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)) end

describe("a class of modules", function()
  local Scaled = nn.Module:extend "Scaled"
  function Scaled:init(width)
    self.width = width
    self.scale = parameter(width)
    self.inner = nn.Linear(width, width)
  end
  function Scaled:forward(x) return self.inner(x) * self.scale end

  it("has a constructor, a forward, and tells its modules and parameters", function()
    local m = Scaled(3)
    assert.equal("[2, 3]", tostring(m(lt.rand(2, 3)).shape))
    assert.same({"scale", "inner.weight", "inner.bias"}, names(m:named_parameters()))
    assert.same({"", "inner"}, names(m:named_modules()))
    assert.same({"inner"}, names(m:named_children()))
    assert.equal(3, #m:parameters())
    assert.truthy(nn.is_module(m) and not nn.is_module(Scaled) and not nn.is_module({_known = {}}))
    assert.truthy(nn.is_module(setmetatable({_known = {}}, {__metatable = false})) == false)
  end)

  it("can be extended again", function()
    local Twice = Scaled:extend "Twice"
    function Twice:init(width)
      Scaled.init(self, width)
      self.more = nn.Linear(width, 1)
    end
    function Twice:forward(x) return self.more(Scaled.forward(self, x)) end
    local m = Twice(2)
    assert.equal("[5, 1]", tostring(m(lt.rand(5, 2)).shape))
    assert.same({"scale", "inner.weight", "inner.bias", "more.weight", "more.bias"}, names(m:named_parameters()))
    assert.equal("Twice", m.class_name)
    assert.truthy(tostring(m):find("^Twice%("))
  end)

  it("without a forward says so", function()
    local Empty = nn.Module:extend "Empty"
    assert.raises("Empty: this class has no forward", function() return Empty()(1) end)
    assert.raises("extend: name expected, got nil", function() return nn.Module:extend() end)
  end)

  it("keeps metamethods of its base", function()
    local List = nn.Sequential:extend "List"
    assert.equal(2, #List(nn.ReLU(), nn.ReLU()))
  end)
end)

describe("a module's fields", function()
  it("are found in the order of first assignments, also after nil and false", function()
    local m = nn.Module()
    m.b = nn.ReLU()
    m.a = nn.ReLU()
    m.c = false
    m.b = nil
    m.c = nn.ReLU()
    m.b = nn.ReLU()
    assert.same({"b", "a", "c"}, names(m:named_children()))
    m.a = nil
    assert.same({"b", "c"}, names(m:named_children()))
  end)

  it("stay parameters when they are frozen", function()
    local l = nn.Linear(3, 2)
    l.weight:requires_grad_(false)
    assert.same({"bias", "weight"}, keys(l:state_dict()))
    assert.same({"weight", "bias"}, names(l:named_parameters()))
  end)

  it("become parameters when they first require gradients", function()
    local m = nn.Module()
    m.w = lt.rand(2)
    assert.same({}, m:parameters())
    m.w:requires_grad_()
    assert.equal(1, #m:parameters())
    m.p = false
    m.p = parameter(2)
    assert.equal(2, #m:parameters())
  end)

  it("are no parameters where they are results, buffers or other values", function()
    local m = nn.Module()
    m.w = parameter(2)
    m.seen = m.w * 2
    m:register_buffer("mean", lt.zeros(2))
    m.width, m.list, m.fn = 3, {1, 2}, print
    assert.same({"w"}, names(m:named_parameters()))
    assert.same({"mean"}, names(m:named_buffers()))
    m.seen = m.w * 3
    assert.same({"w"}, names(m:named_parameters()))
  end)

  it("may be registered without a tensor", function()
    local m = nn.Module()
    m:register_parameter("bias", nil)
    m:register_buffer("mean", nil)
    assert.same({false, false}, {m.bias, m.mean})
    assert.same({}, keys(m:state_dict()))
    m.bias, m.mean = lt.zeros(2), lt.ones(2)
    assert.same({"bias", "mean"}, keys(m:state_dict()))
    assert.equal(1, #m:parameters())
  end)

  it("cannot hide parameters in plain tables that are filled later", function()
    local ways = {
      parameters = function(m) return m:parameters() end, named = function(m) return m:named_modules() end,
      buffers = function(m) return m:named_buffers() end, train = function(m) return m:train() end,
      to = function(m) return m:to("float64") end, state = function(m) return m:state_dict() end,
    }
    local function with(fill)
      local m = nn.Module()
      m.ws = {}
      fill(m.ws, m)
      return m
    end
    for _, f in pairs(ways) do
      assert.raises('^Module: field "ws" is a plain table of modules', f, with(function(t) t[1] = nn.Linear(2, 2) end))
      assert.raises('^Module: field "ws" is a plain table of modules', f, with(function(t) t.x = {y = nn.Linear(2, 2)} end))
      assert.raises('^Module: field "ws" is a plain table of parameters', f, with(function(t) t.x = {y = parameter(2)} end))
      assert.raises('^Module: field "ws"', f, nn.Sequential(with(function(t) t[1] = nn.ReLU() end)))
    end
    assert.raises('^Module: field "ws" is a plain table of modules', function()
      local m = nn.Module()
      m.ws = {x = {y = nn.Linear(2, 2)}}
    end)
    local fine = with(function(t, m)
      t.t, t.m, t.own = t, m, setmetatable({nn.ReLU()}, {})
      m.a, m.w = nn.Linear(2, 2), parameter(2)
      t[1], t.deep, t.data = m.a, {m.w}, lt.ones(2)
      for i = 2, 2000 do t[i] = i end
    end)
    assert.equal(3, #fine:parameters())
    assert.truthy(tostring(with(function(t) t[1] = nn.ReLU() end)))
  end)
end)

describe("a module's fields, misuse:", function()
  it("are no class fields", function()
    local Net = nn.Module:extend "Net"
    assert.raises('Net: "lin" is a field of the class, which nobody would find; make it in init: self.lin = …',
                  function() Net.lin = nn.Linear(2, 2) end)
    assert.raises('^Net: "w" is a field of the class', function() Net.w = parameter(2) end)
    Net.scale, Net.mean = 3, lt.ones(2)
    assert.equal(3, Net().scale)
  end)

  it("cannot be replaced by what would not be trained", function()
    local function changed(x)
      local m = nn.Linear(2, 2)
      m.weight = x
      return m
    end
    local words = 'Linear: parameter "weight" was replaced by a tensor that does not require gradients: it would not be '
                  .. "trained; use nn.Parameter(x)"
    for _, name in ipairs {"parameters", "state_dict", "named_parameters", "train", "zero_grad"} do
      local m = changed(lt.ones(2, 2))
      assert.raises(words, m[name], m)
    end
    assert.truthy(tostring(changed(lt.ones(2, 2))):find("does not require gradients", 1, true))
    assert.raises('^Linear: parameter "weight" was replaced by the result of multiply', function()
      changed(parameter(2, 2) * 2):parameters()
    end)
    local m = changed(nn.Parameter(lt.ones(2, 2)))
    assert.truthy(rawequal(m.weight, m:parameters()[1]))
    m:requires_grad_(false)
    assert.same({"bias", "weight"}, keys(m:state_dict()))
    m.weight = false
    assert.same({"bias"}, keys(m:state_dict()))
  end)

  it("are no results in a constructor", function()
    local Net = nn.Module:extend "Net"
    function Net:init() self.w = parameter(3, 3) * 0.02 end
    assert.raises('Net: field "w" is the result of multiply: only leaves are trained; use :detach():requires_grad_(), '
                  .. "or nn.Parameter", function() return Net() end)
    function Net:init() self.w = nn.Parameter(parameter(3, 3) * 0.02) end
    function Net:forward(x)
      self.last = x * self.w
      return self.last
    end
    local net = Net()
    assert.falsy(net(lt.ones(3, 3)).is_leaf)
    assert.same({"w"}, names(net:named_parameters()))
    assert.raises("Parameter: tensor expected, got number", function() nn.Parameter(3) end)
    assert.raises("Parameter: a tensor of floats expected, got int64", function()
      nn.Parameter(lt.ones({2}, {dtype = "int64"}))
    end)
  end)

  it("have no names of methods", function()
    for name, value in pairs {train = nn.ReLU(), to = lt.ones(2), parameters = {}, forward = 3, apply = parameter(2)} do
      assert.raises(('Module: "%s" is a method of modules: no field can have this name'):format(name), function()
        local m = nn.Module()
        m[name] = value
      end)
    end
    local m = nn.Module()
    m.forward = function(_, x) return x end
    assert.equal(3, m(3))
    m.training = nn.ReLU()
    assert.raises('Module: field "training" must be true or false, it is a module; use :train() and :eval()', function() m:parameters() end)
    m = nn.Linear(2, 2)
    m._names = {}
    assert.raises("Linear: fields _names, _known, _parameters and _buffers are the module's own", function()
      m:parameters()
    end)
  end)

  it("that were freed are named", function()
    local m = nn.Sequential(nn.Linear(2, 2))
    m[1].weight:free()
    for _, name in ipairs {"parameters", "state_dict", "train"} do
      assert.raises("Linear: weight: this tensor was freed", m[name], m)
    end
    assert.raises("Linear: weight: this tensor was freed", function() m:to("float64") end)
    assert.truthy(tostring(m):find("Linear(2, 2)  weight: this tensor was freed", 1, true))
  end)

  it("cannot hide parameters", function()
    local m = nn.Module()
    assert.raises("Module: field \"layers\" is a plain table of modules, whose parameters nobody would find; use nn.ModuleList or "
                  .. "nn.ModuleDict", function() m.layers = {nn.ReLU()} end)
    assert.raises("^Module: field \"heads\" is a plain table of modules", function() m.heads = {left = nn.ReLU()} end)
    assert.raises("Module: field \"w\" is a plain table of parameters, whose parameters nobody would find; use nn.ParameterList",
                  function() m.w = {parameter(2)} end)
    assert.raises("Module: a module cannot have the name \"a.b\": a string without dots expected, or an integer",
                  function() m["a.b"] = nn.ReLU() end)
    assert.raises("^Module: a parameter cannot have the name 1.5", function() m[1.5] = parameter(2) end)
    assert.raises("register_buffer: x: tensor or nil expected, got number", function() m:register_buffer("x", 3) end)
    assert.raises("register_parameter: \"forward\" is a method of modules",
                  function() m:register_parameter("forward", parameter(2)) end)
  end)
end)

describe("modules inside of modules", function()
  it("are told once, however often they are there", function()
    local shared = nn.Linear(2, 2)
    local m = nn.Sequential(shared, nn.ReLU(), shared)
    assert.same({"", "1", "2"}, names(m:named_modules()))
    assert.equal(2, #m:parameters())
    -- PyTorch's state_dict also names shared parameters twice
    assert.same({"1.bias", "1.weight", "3.bias", "3.weight"}, keys(m:state_dict()))
    m:load_state_dict(m:state_dict())
  end)

  it("share parameters", function()
    local a, b = nn.Linear(2, 2), nn.Linear(2, 2)
    b.weight = a.weight
    local m = nn.Sequential(a, b)
    assert.equal(3, #m:parameters())
    assert.same({"1.weight", "1.bias", "2.bias"}, names(m:named_parameters()))
    m:to "float64"
    assert.equal(a.weight, b.weight)
    assert.equal("float64", b.weight.dtype)
    assert.same({"1.bias", "1.weight", "2.bias", "2.weight"}, keys(m:state_dict()))
  end)

  it("may have one another", function()
    local a, b = nn.Module(), nn.Module()
    a.b, b.a = b, a
    a.w = parameter(2)
    assert.equal(1, #b:parameters())
    assert.same({"w"}, keys(a:state_dict()))
    assert.truthy(tostring(a):find("(a): Module(): the one above", 1, true))
    a:train(false):apply(function() end):to "float64"
  end)

  it("may be nested deeply", function()
    local m = nn.Linear(2, 2)
    for _ = 1, 500 do m = nn.Sequential(m) end
    assert.equal(2, #m:parameters())
    assert.equal("[1, 2]", tostring(m(lt.rand(1, 2)).shape))
    assert.equal(500, select(2, tostring(m:eval()):gsub("%(1%)", "")))
  end)
end)

describe("modules", function()
  it("switch modes, all of them", function()
    local m = nn.Sequential(nn.Dropout(), nn.Sequential(nn.Dropout()))
    assert.equal(m, m:eval())
    assert.same({false, false}, {m.training, m[2][1].training})
    assert.truthy(m:train()[2][1].training)
  end)

  it("apply from the inside out", function()
    local seen = {}
    local m = nn.Sequential(nn.ReLU(), nn.Sequential(nn.Tanh()))
    assert.equal(m, m:apply(function(each) seen[#seen + 1] = each.class_name end))
    assert.same({"Tanh", "Sequential", "ReLU", "Sequential"}, seen)
    assert.raises("apply: function expected, got nil", function() m:apply() end)
    assert.raises("of the script's", function() m:apply(function() error("of the script's", 0) end) end)
  end)

  it("freeze, and forget gradients", function()
    local m = mlp()
    m(lt.rand(2, 3)):sum():backward()
    assert.truthy(m[1].weight.grad)
    m:zero_grad()
    assert.is_nil(m[1].weight.grad)
    m:requires_grad_(false)
    assert.falsy(m(lt.rand(2, 3)).requires_grad)
    assert.equal(4, #m:requires_grad_():parameters())
    assert.truthy(m[3].bias.requires_grad)
  end)

  it("print their shapes and counts", function()
    local m = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10, {bias = false}))
    assert.equal([[
Sequential(
  (1): Linear(64, 128)  weight [128, 64], bias [128]: 8,320 parameters
  (2): ReLU()
  (3): Linear(128, 10)  weight [10, 128]: 1,280 parameters
)
9,600 parameters]], tostring(m))
    m[1]:requires_grad_(false)
    assert.truthy(tostring(m):find("9,600 parameters, 1,280 of them trained", 1, true))
    assert.equal("Linear(2, 1)  weight [1, 2], bias [1]: 3 parameters", tostring(nn.Linear(2, 1)))
  end)
end)

describe("to", function()
  it("converts floats, and keeps tensors what they are", function()
    local m = mlp()
    local weight, before = m[1].weight, m[1].weight:detach():clone()
    m:register_buffer("steps", lt.tensor{1, 2})
    m(lt.rand(2, 3)):sum():backward()
    m[3]:requires_grad_(false)
    local gradient = weight.grad:clone()
    assert.equal(m, m:to "float64")
    assert.equal(weight, m[1].weight)
    assert.same({"float64", "float64", "int64"}, {weight.dtype, weight.grad.dtype, m.steps.dtype})
    assert.truthy(weight:equal_all(before:to "float64") and weight.grad:equal_all(gradient:to "float64"))
    assert.truthy(weight.requires_grad and weight.is_leaf)
    assert.falsy(m[3].weight.requires_grad)
    m:zero_grad()
    m(lt.rand({2, 3}, {dtype = "float64"})):sum():backward()
    assert.equal("float64", weight.grad.dtype)
  end)

  it("moves to a device, and converts at once", function()
    local m = mlp()
    local weight = m[1].weight
    m(lt.rand(2, 3)):sum():backward()
    m:to("cpu", "float64")
    assert.same({"cpu", "float64", "cpu"}, {weight.device, weight.dtype, weight.grad.device})
    m:to("float32", device)
    assert.same({lt.zeros(1).device, "float32"}, {weight.device, weight.dtype})
    assert.equal("[2, 2]", tostring(m(lt.rand(2, 3)).shape))
  end)

  it("changes nothing where a tensor cannot follow", function()
    local m = mlp()
    m:register_buffer("late", m[1].bias * 2)
    assert.raises("to: late is the result of multiply; use :detach()", m.to, m, "float64")
    assert.equal("float32", m[1].weight.dtype)
    m.late = lt.ones(1):expand({3})
    local before, state = m[1].bias:totable(), {}
    for name, x in pairs(m:state_dict()) do state[name] = x + 1 end
    assert.raises([[
load_state_dict: this is not the state of such a Sequential:
  late: it is a broadcast view, several elements share one place; use :clone()]], m.load_state_dict, m, state)
    assert.same(before, m[1].bias:totable())
  end)

  it("changes nothing where memory runs out", function()
    local m = mlp()
    -- the allocation of the third tensor fails, and so does its retry after a collection
    lt._fail_after(3, 2)
    assert.raises("^out of memory", m.to, m, "float64")
    lt._fail_after(0)
    for _, p in ipairs(m:parameters()) do assert.equal("float32", p.dtype) end
    local before, state = m[1].bias:totable(), m:state_dict()
    for name, x in pairs(state) do state[name] = x:to("float64") + 1 end
    lt._fail_after(3, 2)
    assert.raises("^out of memory", m.load_state_dict, m, state)
    lt._fail_after(0)
    assert.same(before, m[1].bias:totable())
  end)

  it("lets an optimiser go on", function()
    local m = nn.Linear(2, 1)
    local opt = lt.optim.SGD(m:parameters(), {lr = 0.5})
    m:to "float64"
    local before = m.bias:detach():clone()
    m(lt.ones({1, 2}, {dtype = "float64"})):sum():backward()
    opt:step()
    assert.near(-0.5, (m.bias:detach() - before):item(), 1e-12)
  end)

  it("says what it cannot take", function()
    local m = mlp()
    assert.raises("to: a device or a dtype expected, got nil", m.to, m)
    assert.raises("to: a device or a dtype expected, such as \"cuda\", \"float64\", got table", m.to, m, {})
    assert.raises("to: a device or a dtype of floats expected, got \"int64\"", m.to, m, "int64")
    assert.raises("to: a device or a dtype of floats expected, got \"banana\"", m.to, m, "banana")
    assert.equal("float32", m[1].weight.dtype)
  end)
end)

describe("the state", function()
  it("is the same memory, without gradients", function()
    local m = mlp()
    local state = m:state_dict()
    assert.same({"1.bias", "1.weight", "3.bias", "3.weight"}, keys(state))
    assert.falsy(state["1.bias"].requires_grad)
    state["1.bias"]:fill_(3)
    assert.same({3, 3, 3, 3}, m[1].bias:totable())
  end)

  it("goes into another one, whatever its dtype and device", function()
    local a, b = mlp(), mlp():to("cpu", "float64")
    local weight = b[1].weight
    local missing, unexpected = b:load_state_dict(a:state_dict())
    assert.same({{}, {}}, {missing, unexpected})
    assert.equal(weight, b[1].weight)
    assert.truthy(b[1].weight:equal_all(a[1].weight:detach():to("cpu"):to "float64"))
    assert.same({"cpu", "float64", true}, {weight.device, weight.dtype, weight.requires_grad})
  end)

  it("has buffers, but those that are not persistent", function()
    local m = nn.Module()
    m:register_buffer("mean", lt.zeros(2))
    m:register_buffer("cache", lt.zeros(2), {persistent = false})
    assert.same({"mean"}, keys(m:state_dict()))
    assert.same({"mean", "cache"}, names(m:named_buffers()))
    m:load_state_dict {mean = lt.ones(2)}
    assert.same({1, 1}, m.mean:totable())
    assert.raises("register_buffer: unknown option \"save\"; known: persistent",
                  function() m:register_buffer("x", nil, {save = true}) end)
  end)

  it("changes nothing where something does not fit, and says all of it", function()
    local m = mlp()
    local before = m[1].bias:totable()
    local state = m:state_dict()
    state["1.bias"] = lt.full({4}, 7.)
    state["1.weight"] = lt.zeros(3, 4)
    state["3.bias"] = lt.complex(lt.zeros(2), lt.zeros(2))
    state["3.weight"] = nil
    state.other, state[1] = lt.zeros(1), 3
    assert.raises([[
load_state_dict: this is not the state of such a Sequential:
  1.weight: shape [4, 3] expected, got [3, 4]
  3.bias: float32 expected, complex64 has imaginary parts
  missing: 3.weight [2, 4]
  unexpected: 1
  unexpected: other]], m.load_state_dict, m, state)
    assert.same(before, m[1].bias:totable())
    state["1.weight"], state["3.bias"] = "text", lt.zeros(2)
    state["3.bias"]:free()
    assert.raises([[
load_state_dict: this is not the state of such a Sequential:
  1.weight: tensor expected, got string
  3.bias: this tensor was freed]], m.load_state_dict, m, state, {strict = false})
    assert.same(before, m[1].bias:totable())
  end)

  it("may be a part, with strict = false", function()
    local m = mlp()
    local missing, unexpected = m:load_state_dict({["1.bias"] = lt.tensor{true, false, true, true}, x = 1}, {strict = false})
    assert.same({{"1.weight", "3.bias", "3.weight"}, {"x"}}, {missing, unexpected})
    assert.same({1, 0, 1, 1}, m[1].bias:totable())
    assert.raises("load_state_dict: unknown option \"stict\"; known: strict; did you mean \"strict\"?", m.load_state_dict, m, {}, {stict = false})
    assert.raises("load_state_dict: table expected, got nil", m.load_state_dict, m)
  end)

  it("does not list without end what is missing", function()
    local layers = {}
    for i = 1, 30 do layers[i] = nn.Linear(1, 1) end
    local m = nn.Sequential(layers)
    assert.truthy(helpers.message_of(m.load_state_dict, m, {}):find("\n  and 40 more$"))
  end)

  it("comes from PyTorch by nn.rename_pytorch", function()
    local x = lt.zeros(1)
    local function renamed(name) return next(nn.rename_pytorch {[name] = x}) end
    assert.equal("1.weight", renamed "0.weight")
    assert.equal("blocks.10.mlp.1.bias", renamed "blocks.9.mlp.0.bias")
    assert.equal("rnn.weight_ih_l1", renamed "rnn.weight_ih_l0")
    assert.equal("rnn.bias_hh_l2_reverse", renamed "rnn.bias_hh_l1_reverse")
    assert.equal("layer1.conv_l0x.weight", renamed "layer1.conv_l0x.weight")
    assert.equal("head.weight", renamed "head.weight")
    local longest = ("9"):rep(18)
    assert.equal(("1%s.w"):format(("0"):rep(18)), renamed(longest .. ".w"))
    for _, digits in ipairs {"9223372036854775807", "99999999999999999999"} do       -- no layer has such a number
      assert.equal(digits .. ".w_ih_l" .. digits, renamed(digits .. ".w_ih_l" .. digits))
    end
    assert.raises('rename_pytorch: two tensors would be called "1.w"', nn.rename_pytorch, {["0.w"] = x, ["00.w"] = x})
    assert.raises("rename_pytorch: table expected, got nil", nn.rename_pytorch)
  end)
end)

describe("containers", function()
  it("Sequential grows and shrinks", function()
    local m = nn.Sequential(nn.Linear(2, 3)):append(nn.ReLU())
    m:insert(2, nn.Linear(3, 4))
    assert.same({"Linear", "Linear", "ReLU"}, {m[1].class_name, m[2].class_name, m[3].class_name})
    assert.equal(3, #m)
    assert.same({"1.bias", "1.weight", "2.bias", "2.weight"}, keys(m:state_dict()))
    assert.equal("Linear", m:remove(1).class_name)
    assert.same({2, "ReLU"}, {#m, m[2].class_name})
    assert.same({"1", "2"}, names(m:named_children()))
    m:append(nn.Tanh())
    assert.same({"1", "2", "3"}, names(m:named_children()))
    assert.equal(0, #nn.Sequential())
    local x = lt.rand(2)
    assert.equal(x, nn.Sequential()(x))
    assert.raises("Sequential: argument 2: module expected, got nil", nn.Sequential, nn.ReLU(), nil)
    assert.raises("Sequential: argument 1: module expected, got number", nn.Sequential, 3)
    assert.raises("Sequential: insert: place: 9 is out of range", m.insert, m, 9, nn.ReLU())
  end)

  it("ModuleList, ModuleDict and ParameterList tell what they have", function()
    local m = nn.Module()
    m.layers = nn.ModuleList {nn.Linear(1, 1), nn.Linear(1, 1)}
    m.heads = nn.ModuleDict {right = nn.Linear(1, 1, {bias = false}), left = nn.ReLU()}
    m.scales = nn.ParameterList {lt.rand(1), parameter(2)}
    assert.same({"layers.1.weight", "layers.1.bias", "layers.2.weight", "layers.2.bias", "heads.right.weight", "scales.1", "scales.2"},
                names(m:named_parameters()))
    assert.same({2, 2}, {#m.layers, #m.scales})
    assert.equal("ReLU", m.heads.left.class_name)
    local count = 0
    for i, l in ipairs(m.layers) do count = count + i + (nn.is_module(l) and 10 or 0) end
    assert.equal(23, count)
    assert.raises("ModuleDict: \"forward\" is a name that modules need themselves", nn.ModuleDict, {forward = nn.ReLU()})
    assert.raises("ModuleList: a list of modules expected, got module", nn.ModuleList, nn.ReLU())
    assert.raises("ParameterList: argument 1: a parameter cannot be the result of multiply; use x:detach()", nn.ParameterList,
                  {parameter(1) * 2})
    assert.raises("ModuleList: this class has no forward", function() return m.layers(1) end)
  end)

  it("Residual adds, Lambda calls", function()
    local m = nn.Residual(nn.Lambda(function(x) return x * 2 end, "twice"))
    assert.same({3, 6}, m(lt.tensor{1, 2}):totable())
    assert.truthy(tostring(m):find("Lambda(twice)", 1, true))
    assert.raises("Residual(): the modules make shape [1, 3] of [1, 2]; both must be the same", nn.Residual(nn.Linear(2, 3)), lt.rand(1, 2))
    assert.raises("Lambda: function expected, got nil", nn.Lambda)
  end)

  it("Flatten, Unflatten and Identity say what does not fit", function()
    assert.raises("Flatten(): not for the shape [3]", nn.Flatten(), lt.rand(3))
    assert.raises("Unflatten(2, [2, 2]): dim 2 of the shape [1, 3] does not divide so", nn.Unflatten(2, {2, 2}), lt.rand(1, 3))
    assert.raises("Flatten(): the input: tensor expected, got nil", nn.Flatten())
    assert.equal(3, (nn.Identity("any", 1)(3)))
  end)
end)

describe("misuse", function()
  it("of layers is said in their words", function()
    local l = nn.Linear(3, 2)
    assert.raises("Linear(3, 2): the input's last dim must be 3, its shape is [3, 4]", l, lt.rand(3, 4))
    assert.raises("Linear(3, 2): the input's last dim must be 3, its shape is []", l, lt.tensor(1.))
    assert.raises("Linear(3, 2): the input: tensor expected, got nil", l)
    assert.raises("Linear(3, 2): the input is float64, the weight float32; use :to(\"float32\")", l, lt.rand({2, 3}, {dtype = "float64"}))
    assert.raises("Linear(3, 2): the input is int64, the weight float32; use :to(\"float32\")", l, lt.ones({2, 3}, {dtype = "int64"}))
    local x = lt.rand(2, 3)
    x:free()
    assert.raises("Linear(3, 2): the input: this tensor was freed", l, x)
    assert.raises("Linear: this is the class; make a layer of it, Linear(…), and call that", function() return nn.Linear:forward(lt.rand(1, 3)) end)
    assert.raises("Linear: inputs: integer expected, got nil", nn.Linear)
    assert.raises("Linear: outputs: 0 is out of range", nn.Linear, 3, 0)
    assert.raises("Linear: unknown option \"bais\"; known: bias, device, dtype, generator; did you mean \"bias\"?", nn.Linear, 3, 2, {bais = false})
  end)

  it("of methods names the colon or the class", function()
    local m = nn.Linear(3, 2)
    assert.raises("parameters: module expected, got nil; is there a colon, as in model:parameters()?", m.parameters)
    assert.raises("state_dict: Linear is a class; call it of a module: Linear(…):state_dict()", nn.Linear.state_dict, nn.Linear)
  end)

  it("of names tells the nearest", function()
    assert.raises("luatensor has no \"nn.Liner\"; did you mean \"nn.Linear\"?", function() return nn.Liner end)
    assert.raises("luatensor has no \"nn.functional.sofmax\"; did you mean \"nn.functional.softmax\"?", function() return nn.functional.sofmax end)
    assert.equal(nn, lt.nn)
  end)

  if tostring(device) ~= "cpu" then
    it("of devices names both", function()
      assert.raises("^Linear%(3, 2%): the input is on cpu, the weight on " .. device, nn.Linear(3, 2), lt.rand({2, 3}, {device = "cpu"}))
    end)
  end
end)

describe("the places of a Sequential", function()
  it("have modules, one after the other", function()
    local s = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    assert.raises("Sequential: place 3: module expected, got number", function() s[3] = 3 end)
    assert.raises("Sequential: place 5: only 1 … 3 can be assigned", function() s[5] = nn.ReLU() end)
    assert.raises("Sequential: place 1.5: only 1 … 3 can be assigned", function() s[1.5] = nn.ReLU() end)
    assert.raises('Sequential: field "fc" would never be called; use :append(module), or a class of your own with a '
                  .. "forward", function() s.fc = nn.Linear(2, 2) end)
    assert.raises('^Residual: field "fc" would never be called', function() nn.Residual().fc = nn.ReLU() end)
    s[3] = nn.Tanh()
    s.note = "mine"
    assert.equal(3, #s)
    assert.equal("ReLU", s:remove(2).class_name)
    assert.same({2, "Tanh"}, {#s, s[2].class_name})
    s[2] = nn.ReLU()
    s:insert(1, nn.Identity())
    assert.same({3, "ReLU"}, {#s, s[3].class_name})
  end)

  it("that are empty, or have something else, are said at calls and walks", function()
    local s = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Tanh())
    s[2] = nil
    local words = "Sequential: place 2 is empty; modules are taken out by :remove(2)"
    assert.raises(words, function() return s(lt.ones(1, 2)) end)
    assert.raises(words, function() return s:parameters() end)
    s[2] = nn.ReLU()
    assert.equal(6, #s:parameters() * 3)
    s[2] = 3
    words = "Sequential: place 2: module expected, got number"
    assert.raises(words, function() return s(lt.ones(1, 2)) end)
    assert.raises(words, function() return s:state_dict() end)
    assert.truthy(tostring(s):find("place 2: module expected", 1, true))
    local list = nn.ModuleList{nn.ReLU(), nn.ReLU()}
    list[1] = nil
    assert.raises("^ModuleList: place 1 is empty", function() return list:parameters() end)
    list = nn.ModuleList()
    list.head = nn.ReLU()
    assert.same({"head"}, names(list:named_children()))
  end)

  it("may be left to a forward of one's own", function()
    local Net = nn.Sequential:extend "Net"
    function Net:forward(x) return self.head(nn.Sequential.forward(self, x)) end
    local net = Net(nn.Linear(2, 2))
    net.head = nn.Linear(2, 1)
    assert.equal("[3, 1]", tostring(net(lt.ones(3, 2)).shape))
    assert.same({"1.weight", "1.bias", "head.weight", "head.bias"}, names(net:named_parameters()))
  end)

  it("of a ParameterList are tensors in a list", function()
    assert.raises("ParameterList: a list of tensors expected, got number", function() nn.ParameterList(3) end)
    assert.raises("ParameterList: a list of tensors expected, got tensor; use {x}",
                  function() nn.ParameterList(lt.ones(2)) end)
    assert.raises("ParameterList: a list of tensors expected, got module", function() nn.ParameterList(nn.ReLU()) end)
    assert.raises("ParameterList: argument 1: a tensor of floats expected, got int64", function()
      nn.ParameterList{lt.ones({2}, {dtype = "int64"})}
    end)
  end)
end)

describe("what printing shows of parameters", function()
  it("is one, or not too many on a line", function()
    assert.equal("PReLU(1)  weight [1]: 1 parameter", tostring(nn.PReLU()))
    local text = tostring(nn.LSTM(3, 4, {num_layers = 2, bidirectional = true}))
    assert.truthy(text:find("bias_hh_l1 [16], 12 more: 736 parameters", 1, true), text)
  end)
end)

describe("options of constructors", function()
  local make = {
    Linear = {2, 2}, LSTM = {2, 2}, GRU = {2, 2}, RNN = {2, 2}, LSTMCell = {2, 2}, Conv1d = {2, 2, 1}, MaxPool2d = {2},
    AvgPool1d = {2}, MultiheadAttention = {4, 2}, TransformerEncoderLayer = {4, 2}, LayerNorm = {3}, BatchNorm2d = {3},
    GroupNorm = {1, 2}, InstanceNorm1d = {3}, KLDivLoss = {},
  }
  local flags = {
    Linear = {"bias"}, LSTM = {"bias", "batch_first", "bidirectional", "fused"}, GRU = {"bidirectional"}, RNN = {"bias"},
    LSTMCell = {"bias", "fused"}, Conv1d = {"bias"}, MaxPool2d = {"ceil_mode", "return_indices"},
    AvgPool1d = {"ceil_mode", "count_include_pad"}, MultiheadAttention = {"bias", "batch_first"},
    TransformerEncoderLayer = {"batch_first", "norm_first", "bias"}, LayerNorm = {"elementwise_affine", "bias"},
    BatchNorm2d = {"affine", "track_running_stats"}, GroupNorm = {"affine"}, InstanceNorm1d = {"affine"},
    KLDivLoss = {"log_target"},
  }

  local function call(name, options)
    local list = table.move(make[name], 1, #make[name], 1, {})
    list[#list + 1] = options
    return nn[name](table.unpack(list))
  end

  for name, list in pairs(flags) do
    it("of " .. name .. " are true or false where they are flags", function()
      for _, flag in ipairs(list) do
        for kind, value in pairs {number = 1, string = "no", table = {}} do
          assert.raises(("%s: %s: boolean expected, got %s"):format(name, flag, kind), function()
            call(name, {[flag] = value})
          end)
        end
        call(name, {[flag] = true})
        call(name, {[flag] = false})
      end
    end)
  end

  it("and of calls and modes, too", function()
    local m, x = nn.MultiheadAttention(4, 2), lt.ones(3, 4)
    assert.raises("MultiheadAttention(4, 2): need_weights: boolean expected, got number",
                  function() return m(x, {need_weights = 0}) end)
    assert.raises("max_pool1d: ceil_mode: boolean expected, got number",
                  function() return nn.functional.max_pool1d(x, 2, {ceil_mode = 1}) end)
    assert.raises("train: boolean expected, got string", function() m:train("no") end)
    assert.raises("requires_grad_: boolean expected, got number", function() m:requires_grad_(0) end)
    assert.raises("load_state_dict: strict: boolean expected, got number",
                  function() m:load_state_dict({}, {strict = 0}) end)
    assert.raises("register_buffer: persistent: boolean expected, got number",
                  function() m:register_buffer("b", nil, {persistent = 0}) end)
    local one = nn.TransformerEncoderLayer(4, 2)
    assert.raises("TransformerEncoder: norm: a module or a function expected, got boolean",
                  function() return nn.TransformerEncoder(one, 1, {norm = true}) end)
  end)

  helpers.unplugged(it)("that are no dtype, device, generator or size are said in the layer's name", function()
    for message, f in pairs {
      ["Linear: device: unknown device \"gpu\"; known: cpu, cuda, rocm, auto"] =
        function() return nn.Linear(4, 3, {device = "gpu"}) end,
      ["BatchNorm1d: device: unknown device \"gpu\"; known: cpu, cuda, rocm, auto"] =
        function() return nn.BatchNorm1d(4, {device = "gpu"}) end,
      ["Linear: dtype: float16, bfloat16, float32 or float64 expected, got int32"] =
        function() return nn.Linear(4, 3, {dtype = "int32"}) end,
      ["Embedding: generator: generator expected, got number"] = function() return nn.Embedding(4, 3, {generator = 5}) end,
      ["Linear: the size in bytes does not fit"] = function() return nn.Linear(1e18, 1e18) end,
      ["Conv2d: the size in bytes does not fit"] = function() return nn.Conv2d(1, 2 ^ 50, 2 ^ 9) end,
      ["^Linear: out of memory on "] = function() return nn.Linear(1e6, 1e9, {device = "cpu"}) end,
    } do assert.raises(message, f) end
  end)

  it("leave errors of the script as they are", function()
    local Net = nn.Module:extend "Net"
    function Net:init() self.x = nil + 1 end
    assert.has_error(function() Net() end)
    local _, why = pcall(nn.Sequential, setmetatable({}, {}))
    assert.truthy(why:find("Sequential: argument 1: module expected", 1, true))
  end)
end)

describe("forward with a dot", function()
  it("is said so", function()
    local x = lt.ones(2, 2)
    for _, name in ipairs(public.classes_of(nn)) do
      local m = public.make_module(name)
      if m then
        assert.raises(name .. ": forward: module expected, got tensor; is there a colon, as in layer:forward(x)?",
                      function() return m.forward(x) end)
        assert.raises(name .. ": forward: module expected, got nil; is there a colon, as in layer:forward(x)?",
                      function() return m.forward() end)
        assert.raises(name .. ": this is the class; make a layer of it, " .. name .. "(…), and call that",
                      function() return nn[name]:forward(x) end)
      end
    end
  end)
end)

describe("printing of norms", function()
  it("shows what is not as it is unless given", function()
    local function first(m) return (tostring(m):match("^[^)]*%)")) end
    assert.equal("BatchNorm2d(3)", first(nn.BatchNorm2d(3)))
    assert.equal("BatchNorm2d(3, eps = 0.001, momentum = false, affine = false, track_running_stats = false)",
      first(nn.BatchNorm2d(3, {eps = 1e-3, momentum = false, affine = false, track_running_stats = false})))
    assert.equal("LayerNorm(4, eps = 1e-06, elementwise_affine = false)",
      first(nn.LayerNorm(4, {eps = 1e-6, elementwise_affine = false})))
    assert.equal("GroupNorm(2, 4, affine = false)", first(nn.GroupNorm(2, 4, {affine = false})))
    assert.equal("InstanceNorm1d(4, affine = true)", first(nn.InstanceNorm1d(4, {affine = true})))
  end)
end)

describe("inputs that are no use", function()
  local layers = {
    Flatten = nn.Flatten(), Unflatten = nn.Unflatten(2, {3, 1}), MaxPool1d = nn.MaxPool1d(2), AvgPool2d = nn.AvgPool2d(2),
    Conv1d = nn.Conv1d(2, 2, 1), BatchNorm1d = nn.BatchNorm1d(3), GroupNorm = nn.GroupNorm(1, 3), LSTM = nn.LSTM(3, 2),
    RMSNorm = nn.RMSNorm(3), InstanceNorm1d = nn.InstanceNorm1d(3), LayerNorm = nn.LayerNorm(3), Linear = nn.Linear(3, 2),
    RNNCell = nn.RNNCell(3, 2), MultiheadAttention = nn.MultiheadAttention(3, 1), Embedding = nn.Embedding(3, 2),
  }
  local functions = {ReLU = "relu", SiLU = "silu", Sigmoid = "sigmoid", Tanh = "tanh", GELU = "gelu", ELU = "elu",
                     Softplus = "softplus", Dropout = "dropout", Softmax = "softmax"}

  it("are freed tensors, in words", function()
    local x = lt.ones(2, 3)
    x:free()
    for name, m in pairs(layers) do
      assert.raises("^" .. name .. "%(.*%): the %a+: this tensor was freed$", function() return m(x) end)
      assert.raises("^1 %(" .. name .. "%(.*%)%): the %a+: this tensor was freed$", function() return nn.Sequential(m)(x) end)
    end
    for name, fn in pairs(functions) do
      assert.raises("^" .. name .. "%(.*%): this tensor was freed$", function() return nn[name]()(x) end)
      assert.raises("^1 %(" .. name .. "%(.*%)%): this tensor was freed$", function() return nn.Sequential(nn[name]())(x) end)
      assert.raises(fn .. ": this tensor was freed", function() return nn.functional[fn](x) end)
    end
    local e = nn.Embedding(3, 2)
    e.weight:free()
    assert.raises("Embedding(3, 2): weight: this tensor was freed", function() return e(lt.tensor{1}) end)
  end)

  it("are tensors of other dtypes, in words", function()
    for dtype, list in pairs {bool = {"ReLU", "ELU", "Softplus", "Dropout"}, complex64 = {"ReLU", "SiLU", "GELU"}} do
      for _, name in ipairs(list) do
        assert.raises(("^1 %%(%s%%(.*%%)%%): a tensor of floats expected, got %s$"):format(name, dtype), function()
          return nn.Sequential(nn[name]())(lt.ones({2, 3}, {dtype = dtype}))
        end)
      end
    end
    assert.equal("int64", nn.ReLU()(lt.ones({2}, {dtype = "int64"})).dtype)
    assert.equal("complex64", nn.Tanh()(lt.ones({2}, {dtype = "complex64"})).dtype)
    local x = lt.ones({2, 3}, {dtype = "float64"})
    local h = lt.ones({1, 2}, {dtype = "float64"})
    collectgarbage()                           -- no Sequential refers to these layers any more
    for message, f in pairs {
      ["LSTM(3, 2): the input is float64, the parameters are float32; use :to(\"float32\")"] =
        function() return layers.LSTM(x) end,
      ["RNNCell(3, 2): the input is float64, the parameters are float32; use :to(\"float32\")"] =
        function() return layers.RNNCell(x) end,
      ["LSTM(3, 2): h0 is float64, the parameters are float32; use :to(\"float32\")"] =
        function() return layers.LSTM(lt.ones(2, 3), h) end,
      ["MultiheadAttention(3, 1): the query is float64, the parameters are float32; use :to(\"float32\")"] =
        function() return layers.MultiheadAttention(x) end,
    } do assert.raises(message, f) end
  end)
end)

describe("an error inside of modules", function()
  local x = lt.ones(1, 3)

  it("names the module as the state of the outermost one does", function()
    local inner = nn.Sequential(nn.ReLU(), nn.Linear(5, 2))
    local m = nn.Sequential(nn.Linear(3, 4), inner)
    local why = "the input's last dim must be %d, its shape is [1, %d]"
    assert.raises("2.2 (Linear(5, 2)): " .. why:format(5, 4), m, x)
    assert.raises("1 (Linear(3, 4)): " .. why:format(3, 5), m, lt.ones(1, 5))
    assert.raises("Linear(5, 2): " .. why:format(5, 3), nn.Linear(5, 2), x)
    assert.truthy(m:state_dict()["2.2.weight"])
    local Net = nn.Module:extend "Net"
    function Net:init() self.body = m end
    function Net:forward(t) return self.body(t) end                 -- a tail call removes this function from the stack
    assert.raises("body.2.2 (Linear(5, 2)): " .. why:format(5, 4), Net(), x)
  end)

  it("follows modules that move, and forgets those that left", function()
    local layer = nn.Linear(5, 2)
    local m = nn.Sequential(nn.ReLU(), layer)
    local function name() return (helpers.message_of(layer, x):match "^(.-): ") end
    assert.equal("2 (Linear(5, 2))", name())
    m:insert(1, nn.ReLU())
    assert.equal("3 (Linear(5, 2))", name())
    m:remove(3)
    assert.equal("Linear(5, 2)", name())
    -- m[1] exists already, so only the next traversal of the module notices the assignment
    m[1] = layer
    m:parameters()
    assert.equal("1 (Linear(5, 2))", name())
    local loop = nn.Module()
    loop.own = loop
    loop.layer = layer
    assert.truthy(name():find "own")
  end)

  it("keeps nothing alive", function()
    local layer, gone = nn.Linear(5, 2), setmetatable({}, {__mode = "k"})
    gone[nn.Sequential(layer)] = true
    collectgarbage()
    collectgarbage()
    assert.is_nil(next(gone))
    assert.raises("^Linear%(5, 2%): ", layer, x)
  end)
end)

describe("a method that modules or optimisers have not", function()
  local m = nn.Sequential(nn.Linear(1, 1))

  it("is told what to write", function()
    local sgd = lt.optim.SGD(m:parameters(), {lr = 1})
    local calls = {
      function() m:cuda() end,
      function() m:add(nn.ReLU()) end,
      function() m:paramters() end,
      function() m:register_backward_hook(print) end,
      function() m[1]:zeroGradParameters() end,
      function() m:xyzzy() end,
      function() nn:Linear(2, 3) end,
      function() sgd:zeroGrad() end,
      function() sgd:stpe() end,
    }
    local says = {
      'module has no method "cuda"; use m:to("cuda")', 'module has no method "add"; did you mean "append"?',
      'module has no method "paramters"; did you mean "parameters"?',
      'module has no method "register_backward_hook"; did you mean "register_full_backward_hook"?',
      'module has no method "zeroGradParameters"; did you mean "zero_grad"?', 'module has no method "xyzzy"',
      "Linear: a class is called with a dot: nn.Linear(…)",
      'optimiser has no method "zeroGrad"; did you mean "zero_grad"?',
      'optimiser has no method "stpe"; did you mean "step"?',
    }
    for i, call in ipairs(calls) do assert.raises(says[i], call) end
    local f = load('local m = ...\n m:evaluate()')
    assert.raises('^%[string .*%]:2: module has no method "evaluate"; did you mean "eval"%?$', f, m)
  end)

  it("of a script's own class may take a library", function()
    local Wrapper = nn.Module:extend "Wrapper"
    function Wrapper:init(...) self.count = select("#", ...) self.library = (...) end
    assert.equal(nn, Wrapper(nn, lt).library)
    assert.equal(2, Wrapper(nn, lt).count)
  end)

  it("stays nil as a field, so that scripts can ask", function()
    for _, name in ipairs {"cuda", "paramters", "wieght", "cache", "forwards", "add"} do assert.is_nil(m[name]) end
    local Counts = nn.Module:extend "Counts"
    function Counts:forward(x)
      self.forwards = (self.forwards or 0) + 1
      return x
    end
    local Means = nn.Module:extend "Means"
    function Means:forward(x)
      self.mean = self.mean or x:mean(1)                        -- x:mean is the tensor's method, not the field
      local key = rawequal(self["double"], nil) and x:double() or x
      return key - self.mean
    end
    assert.equal("float64", Means()(lt.ones(2, 3)).dtype)
    local counts = Counts()
    counts(counts(1))
    assert.equal(2, counts.forwards)
    assert.is_nil(lt.optim.SGD(m:parameters(), {lr = 1}).stpe)
  end)
end)

describe("load_state_dict of another's state", function()
  local m = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
  local theirs = {["0.weight"] = lt.ones(4, 3), ["0.bias"] = lt.ones(4), ["2.weight"] = lt.ones(2, 4), ["2.bias"] = lt.ones(2)}

  it("is told of rename_pytorch", function()
    local message = helpers.message_of(m.load_state_dict, m, theirs)
    local first = message:match "^[^\n]*"
    assert.equal("load_state_dict: this is not the state of such a Sequential: these are PyTorch's names; "
                 .. "use nn.rename_pytorch(state):", first)
    assert.truthy(message:find("\n  missing: 1.bias [4]\n", 1, true))
    m:load_state_dict(nn.rename_pytorch(theirs))
    assert.equal(1.0, m[3].bias[1]:item())
  end)

  it("is told of the table that has it", function()
    local says = 'load_state_dict: this is not the state of such a Sequential: it has a table "%s"; did you mean state.%s?'
    assert.raises(says:format("model", "model"), m.load_state_dict, m, {model = m:state_dict(), epoch = 3, args = {lr = 1}})
    assert.raises(says:format("net", "net"), m.load_state_dict, m, {net = theirs})
  end)

  it("is told of nothing that would not help", function()
    assert.raises("^load_state_dict: this is not the state of such a Sequential:\n  missing: 1.bias", m.load_state_dict, m,
                  {other = lt.ones(2), args = {lr = 1}})
  end)
end)

describe("printing modules that have children and weights of their own", function()
  it("closes every parenthesis on its line, or the one of the children", function()
    assert.equal("MultiheadAttention(4, 2)  in_proj_weight [12, 4], in_proj_bias [12]: 60 parameters (\n"
                 .. "  (out_proj): Linear(4, 4)  weight [4, 4], bias [4]: 20 parameters\n)\n80 parameters",
                 tostring(nn.MultiheadAttention(4, 2)))
    local text = tostring(nn.Sequential(nn.TransformerEncoderLayer(4, 2), nn.LSTM(2, 3), nn.ReLU()))
    local depth = 0
    for line in text:gmatch "[^\n]+" do
      for sign in line:gmatch "[()]" do depth = depth + (sign == "(" and 1 or -1) end
      local opens = line:find "%($" or line == ")" or line:find "^ *%)$"
      assert(opens or select(2, line:gsub("%(", "")) == select(2, line:gsub("%)", "")), line)
    end
    assert.equal(0, depth)
  end)
end)
