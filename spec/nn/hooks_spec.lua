-- Tests hooks of modules: order, replaced values, errors, removal, and what hooks must not change.

local lt = require "luatensor"
local nn = require "luatensor.nn"
local helpers = require "spec.support.helpers"

local device = helpers.device

-- Returns Linear(2, 1) with the weight [[2, 3]] and the bias 1, so that results can be computed by hand.
local function linear()
  local l = nn.Linear(2, 1, {device = device})
  l:load_state_dict{weight = lt.tensor{{2.0, 3.0}}, bias = lt.tensor{1.0}}
  return l
end

local function tensor(list, options)
  options = options or {}
  options.device = device
  return lt.tensor(list, options)
end

describe("forward hooks", function()
  it("run before and after the forward, in the order of registration", function()
    local l, x, seen = linear(), tensor{{1.0, 1.0}}, {}
    l:register_forward_hook(function(module, inputs, y)
      assert.equal(l, module)
      assert.truthy(rawequal(x, inputs[1]))
      assert.equal(1, inputs.n)
      seen[#seen + 1] = {"after", y:item()}
    end)
    l:register_forward_pre_hook(function(module, inputs)
      assert.equal(l, module)
      assert.truthy(rawequal(x, inputs[1]))
      seen[#seen + 1] = {"before"}
    end)
    l:register_forward_hook(function(_, _, y) seen[#seen + 1] = {"last", y:item()} end)
    assert.equal(6.0, l(x):item())
    assert.same({{"before"}, {"after", 6.0}, {"last", 6.0}}, seen)
  end)

  it("replace arguments and results by what they return", function()
    local l = linear()
    l:register_forward_pre_hook(function(_, inputs) return inputs[1] * 2 end)
    l:register_forward_pre_hook(function(_, inputs) return inputs[1] + 1 end)
    l:register_forward_hook(function(_, inputs, y) return y + inputs[1]:sum() end)
    assert.equal(2 * 3 + 3 * 3 + 1 + 6, l(tensor{{1.0, 1.0}}):item())     -- the arguments are [3, 3]
  end)

  it("get and replace several results", function()
    local lstm, results = nn.LSTM(2, 3, {device = device}), nil
    local x = lt.ones(4, 1, 2, {device = device})
    local handle = lstm:register_forward_hook(function(_, inputs, ...)
      results = table.pack(...)
      assert.equal(1, inputs.n)
      return ..., "replaced"
    end)
    local y, h, c = lstm(x)
    assert.equal("[4, 1, 3]", tostring(y.shape))
    assert.equal("replaced", h)
    assert.is_nil(c)
    assert.equal(3, results.n)
    handle:remove()
    assert.equal("[1, 1, 3]", tostring(select(3, lstm(x)).shape))
  end)

  it("end with remove, and then the module has its class again", function()
    local l, count = linear(), 0
    local class = getmetatable(l)
    local function add() count = count + 1 end
    local first, second = l:register_forward_hook(add), l:register_forward_pre_hook(add)
    l(tensor{{1.0, 1.0}})
    assert.equal(2, count)
    first:remove()
    first:remove()
    l(tensor{{1.0, 1.0}})
    assert.equal(3, count)
    second:remove()
    l(tensor{{1.0, 1.0}})
    assert.equal(3, count)
    assert.truthy(rawequal(class, getmetatable(l)))
  end)

  it("may remove themselves while they run", function()
    local l, count, handle = linear(), 0, nil
    handle = l:register_forward_hook(function()
      count = count + 1
      handle:remove()
    end)
    l:register_forward_hook(function() count = count + 10 end)
    for _ = 1, 2 do l(tensor{{1.0, 1.0}}) end
    assert.equal(21, count)
  end)

  it("may keep results that nn.Sequential frees without hooks", function()
    local model, kept = nn.Sequential(nn.Linear(2, 3, {device = device}), nn.ReLU(), nn.Linear(3, 1, {device = device})), {}
    local x = lt.ones(4, 2, {device = device})
    model[1]:register_forward_hook(function(_, _, y) kept[1] = y end)
    model[2]:register_forward_hook(function(_, _, y) kept[2] = y end)
    lt.no_grad(model, x)
    assert.equal(0, (kept[1]:relu() - kept[2]):abs():max():item())
    assert.equal(0, (model[1](x) - kept[1]):abs():max():item())
  end)

  it("work in classes of a script, also inside of another module", function()
    local Net = nn.Module:extend "Net"
    function Net:init() self.inner = linear() end
    function Net:forward(x) return self.inner(x) + 1 end
    local net, names = Net(), {}
    for name, module in net:named_modules() do
      module:register_forward_hook(function(m, _, y) names[#names + 1] = {name, m.class_name, y:item()} end)
    end
    net(tensor{{1.0, 1.0}})
    assert.same({{"inner", "Linear", 6.0}, {"", "Net", 7.0}}, names)
    assert.truthy(nn.is_module(net) and nn.is_module(net.inner))
    assert.equal("Net(\n  (inner): Linear(2, 1)  weight [1, 2], bias [1]: 3 parameters\n)\n3 parameters", tostring(net))
  end)

  it("that raise an error give this error at its line, and the module works on", function()
    local l, bad = linear(), true
    local line = debug.getinfo(1, "l").currentline + 1
    local handle = l:register_forward_hook(function() if bad then error "wrong" end end)
    local ok, why = pcall(l, tensor{{1.0, 1.0}})
    assert.falsy(ok)
    assert.equal(("spec/nn/hooks_spec.lua:%d: wrong"):format(line), why)
    bad = false
    assert.equal(6.0, l(tensor{{1.0, 1.0}}):item())
    handle:remove()
    assert.raises("register_forward_hook: function expected, got number", function() l:register_forward_hook(3) end)
    assert.raises("register_forward_hook: Linear is a class; call it of a module: Linear(…):register_forward_hook()", function()
      nn.Linear:register_forward_hook(print)
    end)
  end)

  it("are neither saved nor copied", function()
    local layer = nn.TransformerEncoderLayer(4, 2, {dim_feedforward = 4, dropout = 0})
    local count = 0
    layer:register_forward_hook(function() count = count + 1 end)
    layer.linear1:register_forward_hook(function() count = count + 1 end)
    local encoder = nn.TransformerEncoder(layer, 2)
    encoder(lt.ones(3, 1, 4))
    assert.equal(0, count)
    local plain = nn.TransformerEncoderLayer(4, 2, {dim_feedforward = 4, dropout = 0})
    local path = os.tmpname()
    lt.save(path, layer)
    plain:load_state_dict(lt.load(path))
    os.remove(path)
    plain(lt.ones(3, 1, 4))
    assert.equal(0, count)
    layer(lt.ones(3, 1, 4))
    assert.equal(2, count)
  end)

  helpers.unplugged(it)("run when lt.compile records a step, and replays repeat only their operations", function()
    local l, count = linear(), 0
    l:register_forward_hook(function(_, _, y)
      count = count + 1
      return y * 2
    end)
    local f = lt.compile(function(x) return lt.no_grad(l, x) end, {replay = true})
    for i = 1, 6 do assert.equal(2 * (5 * i + 1), f(tensor{{1.0 * i, 1.0 * i}}):item()) end
    assert.truthy(tostring(f):find "4 of 6 calls replayed", tostring(f))
    assert.equal(3, count)                     -- two calls that are not replayed, and the one that is recorded
  end)
end)

describe("backward hooks", function()
  it("get the gradients of arguments and results", function()
    local l, seen = linear(), nil
    l:register_full_backward_hook(function(module, inputs, outputs)
      assert.equal(l, module)
      seen = {inputs[1]:totable(), outputs[1]:totable(), inputs.n, outputs.n}
    end)
    local x = tensor({{1.0, 1.0}, {2.0, 0.0}}, {requires_grad = true});
    (l(x) * tensor{{1.0}, {10.0}}):sum():backward()
    assert.same({{{2, 3}, {20, 30}}, {{1}, {10}}, 1, 1}, seen)
    assert.same({{2, 3}, {20, 30}}, x.grad:totable())
    assert.same({{21, 1}}, l.weight.grad:totable())
  end)

  it("replace the gradients of the arguments", function()
    local l = linear()
    l:register_full_backward_hook(function(_, inputs) return {inputs[1] * 2} end)
    l:register_full_backward_hook(function(_, inputs) return inputs[1] + 1 end)
    local x = tensor({{1.0, 1.0}}, {requires_grad = true})
    l(x):sum():backward()
    assert.same({{5, 7}}, x.grad:totable())
    assert.same({{1, 1}}, l.weight.grad:totable())
  end)

  it("run for a first layer, whose argument requires no gradients", function()
    local l, seen = linear(), nil
    l:register_full_backward_hook(function(_, inputs, outputs) seen = {inputs[1] == nil, outputs[1]:totable()} end)
    l(tensor{{1.0, 1.0}}):sum():backward()
    assert.same({true, {{1}}}, seen)
    assert.same({{1, 1}}, l.weight.grad:totable())
  end)

  it("keep gradients that stay valid after the pass", function()
    local model, kept = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1)):to(device), {}
    for name, module in model:named_children() do
      module:register_full_backward_hook(function(_, inputs, outputs) kept[name] = {inputs[1], outputs[1]} end)
    end
    local x = lt.rand(5, 2, {device = device})
    local first = model[1](x)
    local y = model[3](model[2](first))
    y:sum():backward()
    local wanted = lt.autograd.grad(model[3](model[2](first)):sum(), first)
    assert.same(wanted:totable(), kept["1"][2]:totable())
    assert.same(wanted:totable(), kept["2"][1]:totable())
    assert.equal(1, kept["3"][2]:min():item())
    assert.is_nil(kept["1"][1])
  end)

  it("see several arguments and results, and nil for those without gradients", function()
    local Pair, seen = nn.Module:extend "Pair", nil
    function Pair:forward(a, n, b) return a * b, n, b * 3 end               -- luacheck: ignore 212
    local pair = Pair()
    pair:register_full_backward_hook(function(_, inputs, outputs) seen = {inputs, outputs} end)
    local a, b = tensor({2.0}, {requires_grad = true}), tensor({5.0}, {requires_grad = true})
    local y = pair(a, 7, b)
    y:backward()
    assert.equal(5, seen[1][1]:item())
    assert.is_nil(seen[1][2])
    assert.equal(2, seen[1][3]:item())
    assert.equal(1, seen[2][1]:item())
    assert.is_nil(seen[2][3])
    assert.same({3, 3}, {seen[1].n, seen[2].n})
  end)

  it("can be differentiated again with create_graph", function()
    local square = nn.Lambda(function(x) return x * x end)
    square:register_full_backward_hook(function(_, inputs) return inputs[1] * 3 end)
    local x = tensor({2.0}, {requires_grad = true})
    local slope = lt.autograd.grad(square(x):sum(), x, {create_graph = true})
    assert.equal(12, slope:item())
    assert.equal(6, lt.autograd.grad(slope:sum(), x):item())       -- this pass does not reach the results of the module
  end)

  it("refuse gradients that do not fit, and errors lose nothing", function()
    local l, given = linear(), nil
    l:register_full_backward_hook(function() return given end)
    local x = tensor({{1.0, 1.0}}, {requires_grad = true})
    for _, case in ipairs {{3, "number; a list of gradients expected, one for each argument, or nothing"},
                           {{3}, "number for argument 1, tensor expected"},
                           {{lt.ones(3)}, "gradient of shape [3] for argument 1, which has shape [1, 2]"},
                           {{nil, lt.ones(1, 2)}, "gradient for argument 2, which has none"}} do
      given = case[1]
      assert.raises("backward: a hook of Linear(2, 1) returned a " .. case[2], function() l(x):sum():backward() end)
    end
    given = nil
    x.grad = nil
    l(x):sum():backward()
    assert.same({{2, 3}}, x.grad:totable())
  end)

  it("raise errors of the hook at its line", function()
    local l = linear()
    local line = debug.getinfo(1, "l").currentline + 1
    l:register_full_backward_hook(function() error "wrong" end)
    local ok, why = pcall(function() l(tensor{{1.0, 1.0}}):sum():backward() end)
    assert.falsy(ok)
    assert.equal(("spec/nn/hooks_spec.lua:%d: wrong"):format(line), why)
  end)

  it("work under nn.autocast", function()
    local l, dtypes = linear(), {}
    l:register_forward_hook(function(_, _, y) dtypes[1] = y.dtype end)
    l:register_full_backward_hook(function(_, inputs, outputs) dtypes[2], dtypes[3] = inputs[1].dtype, outputs[1].dtype end)
    local x = tensor({{1.0, 1.0}}, {requires_grad = true})
    nn.autocast(function() return l(x) end):sum():backward()
    assert.same({"bfloat16", "float32", "bfloat16"}, dtypes)
    assert.same({{2, 3}}, x.grad:totable())
  end)

  it("refuse a module whose result is a table", function()
    local Pair = nn.Module:extend "Pair"
    function Pair.forward(_, x) return x, {x * 2}, {3, x:detach()} end
    local pair, x = Pair(), tensor({1.0}, {requires_grad = true})
    local handle = pair:register_full_backward_hook(function() end)
    assert.raises("register_full_backward_hook: result 2 of Pair() is a table of tensors; the hook sees only the "
      .. "gradients of tensors that are results themselves", pair, x)
    assert.equal(1, lt.no_grad(pair, x):item())
    handle:remove()
    assert.equal(2, select(2, pair(x))[1]:item())
  end)

  it("do not run while gradients are not recorded", function()
    local l, count = linear(), 0
    l:register_full_backward_hook(function() count = count + 1 end)
    assert.falsy(lt.no_grad(l, tensor{{1.0, 1.0}}).requires_grad)
    assert.equal(0, count)
  end)
end)
